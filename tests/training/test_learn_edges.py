"""Edge cases of `learn.py`: updates with little to learn from, runs that are refused, and which process leads."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from sackarmies_training import learn
from sackarmies_training.checkpoints import CheckpointFolder
from sackarmies_training.curve import read_rows
from sackarmies_training.learn import Learner, SelfPlay, Team, look_back, make_learner
from sackarmies_training.loggers import TABLE
from sackarmies_training.terminal import PlainConsole
from tests.core.toy_game import make_duel
from tests.training.test_learn import ROUND, make_config, run

REMEMBERING, INFORMED = "python:class=tests.agents.misbehaving:Lowest", "python:class=tests.agents.thinking:Thinker"


# --- line-ups


def test_start_is_met_with_other_line_ups_than_those_of_training(tmp_path, monkeypatch):
    """What has been learned about the armies of training may be of no use with others."""
    start, _ = run(make_config(tmp_path, learn={"decisions": 1}))
    drawn, met = [], []

    def draw(section, game, number, seed):
        drawn.append((seed, [game]))
        return drawn[-1][1]

    def compare(learner, config, line_ups, section):
        met.append(line_ups)
        return "no improvement is shown"

    monkeypatch.setattr(learn, "draw_games", draw)
    monkeypatch.setattr(learn, "compare_with_start", compare)
    run(make_config(tmp_path / "more", learn={"start": str(start)}, curve={"opponent": "random", "games": 2}))
    assert len({seed for seed, _ in drawn}) == 2
    assert len(met) == 1
    assert met[0] is drawn[1][1]


# --- updates


def played_by(config):
    """Return a learner, what it has played, and the lesson from that."""
    game = make_duel()
    learner = make_learner(config, game, Team())
    played = SelfPlay([game], config.learn, seed=1).play(learner.network)
    return learner, played, look_back(played, config.learn)


def logged(path, name=""):
    """Return all values that a run has logged under names that begin with `name`."""
    with (path.parent / TABLE).open(newline="") as file:
        return [float(row["value"]) for row in csv.DictReader(file) if row["name"].startswith(name)]


def test_no_ratio_counts_as_clipped_without_a_clip_range(tmp_path):
    shares = {}
    for clip_range in (0.0, 1e-6):
        learning = {"clip_range": clip_range, "epochs": 2, "decisions": 2 * ROUND}
        path, _ = run(make_config(tmp_path / str(clip_range), learn=learning))
        shares[clip_range] = logged(path, "learn/clipped")
    assert shares[0.0] == [0.0, 0.0]
    assert min(shares[1e-6]) > 0.4


def test_run_of_single_steps_learns_from_the_ends_of_games(tmp_path):
    path, _ = run(make_config(tmp_path, learn={"steps": 1, "decisions": 160}))
    assert 0 < len(logged(path, "learn/loss")) < 20  # of 20 updates, some of which have nothing to learn from
    assert np.isfinite(logged(path)).all()


def test_update_without_a_usable_decision_leaves_the_network_as_it_is():
    learner, played, lesson = played_by(make_config(Path("x"), learn={"steps": 1}))
    assert not len(lesson.rows)
    before = [weight.clone() for weight in learner.network.parameters()]
    assert learner.update(played, lesson, 0.0) == {}
    assert learner.updates == 1
    assert all(map(torch.equal, before, learner.network.parameters()))


def test_process_does_not_learn_while_another_has_nothing_to_learn_from(monkeypatch):
    learner, played, lesson = played_by(make_config(Path("x")))
    assert len(lesson.rows)
    monkeypatch.setattr(Team, "agree", lambda team, number, *, least=False: 0)
    monkeypatch.setattr(Learner, "step", lambda learner, loss: pytest.fail("a step was taken"))
    assert learner.update(played, lesson, 0.0) == {}


@pytest.mark.parametrize("outcomes", [True, False])
def test_minibatches_without_values_log_numbers(tmp_path, outcomes):
    changes = {"largest": 1.0, "value_share": 0.01, "outcomes": outcomes, "decisions": 128}
    path, _ = run(make_config(tmp_path, learn=changes))
    assert np.isfinite(logged(path)).all()


def test_weight_of_the_magnet_is_never_larger_than_asked_for():
    losses = []
    for least in (0.0, 5.0):
        config = make_config(Path("x"), learn={"magnet": 0.1, "magnet_least": least})
        learner, played, lesson = played_by(config)
        losses.append(float(learner._losses(played, lesson, lesson.rows, lesson.rows, 0.0)["loss"].detach()))
    assert losses[0] == losses[1]


# --- runs that are refused


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"learn": {"start": "nowhere.safetensors"}}, "there is no checkpoint nowhere"),
        ({"teacher": {"files": ["nowhere"], "decisions": 10}}, "there are no labels at nowhere"),
        ({"teacher": {"agent": REMEMBERING, "decisions": 10}}, f"teacher.agent is '{REMEMBERING}': it must play"),
        ({"teacher": {"agent": INFORMED, "decisions": 10}}, f"teacher.agent is '{INFORMED}': it must play"),
        ({"teacher": {"files": [__file__], "decisions": 10}}, "the checkpoint .*test_learn_edges.* is damaged"),
        ({"curve": {"opponent": "search"}}, "the game 'duel' cannot be searched"),
        ({"learn": {"advice": "greedy"}}, "there is no greedy agent for the game 'duel'"),
        ({"learn": {"advice": "greedy"}, "expert": {}}, "there is no greedy agent for the game 'duel'"),
    ],
    ids=["start", "labels", "memory", "informed", "no labels", "curve", "advice", "advice in rounds"],
)
def test_refused_run_leaves_no_folder(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message):
        run(make_config(tmp_path, **changes))
    assert list(tmp_path.iterdir()) == []


def kill(config, monkeypatch, updates=0, *, resume=False):
    """Run, or resume, and be killed after a number of updates."""
    update = Learner.update

    def update_or_die(learner, *given):
        if learner.updates == updates:
            raise KeyboardInterrupt
        return update(learner, *given)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Learner, "update", update_or_die)
        run(config, resume=resume)


def test_curve_is_drawn_for_a_folder_with_dollar_signs(tmp_path):
    path, _ = run(make_config(tmp_path / r"$\foo$", learn={"decisions": 1}, curve={"opponent": "random", "games": 2}))
    assert (path.parent / "curve.png").exists()


def test_run_that_has_logged_keeps_its_folder(tmp_path, monkeypatch):
    kill(make_config(tmp_path), monkeypatch)
    assert (tmp_path / "duel" / TABLE).exists()


# --- runs that resume


@pytest.fixture
def start(tmp_path):
    """Return a checkpoint to start from."""
    path, _ = run(make_config(tmp_path / "start", learn={"decisions": 1}))
    return path


def test_run_resumes_without_the_checkpoint_that_it_started_from(tmp_path, monkeypatch, start):
    config = make_config(tmp_path, learn={"start": str(start)})
    kill(config, monkeypatch, updates=2)
    start.unlink()
    path, text = run(config, resume=True)
    assert f"Resuming from {path.parent / 'checkpoints' / '000000256.safetensors'}" in text


@pytest.mark.parametrize(
    "changes",
    [{"learn": {"start_policy": 0.1}}, {"curve": {"opponent": "random", "games": 2}}],
    ids=["drawn back to it", "compared with it"],
)
def test_resumed_run_needs_a_start_that_it_uses(tmp_path, monkeypatch, start, changes):
    config = make_config(tmp_path, **{**changes, "learn": {"start": str(start), **changes.get("learn", {})}})
    kill(config, monkeypatch, updates=2)
    start.unlink()
    with pytest.raises(ValueError, match=r"there is no checkpoint .*duel/checkpoint\.safetensors"):
        run(config, resume=True)


def test_curve_cannot_change_its_opponent_halfway(tmp_path, monkeypatch, start):
    section = {"opponent": "random", "games": 2}
    kill(make_config(tmp_path, curve=section), monkeypatch, updates=2)
    for key, before, now in (("opponent", "random", f"ppo:path={start}"), ("deterministic", True, False)):
        fault = f"has a curve with {key} = {before!r}, but the configuration says {now!r} in [curve]"
        with pytest.raises(ValueError, match=re.escape(fault)):
            run(make_config(tmp_path, curve=section | {key: now}), resume=True)
    run(make_config(tmp_path, curve=section | {"games": 4}), resume=True)  # narrower intervals for the same rate


def test_curve_keeps_its_opponent_where_a_session_between_had_none(tmp_path, monkeypatch, start):
    section = {"opponent": "random", "games": 2}
    kill(make_config(tmp_path, curve=section), monkeypatch, updates=1)
    kill(make_config(tmp_path), monkeypatch, updates=2, resume=True)
    with pytest.raises(ValueError, match=r"has a curve with opponent = 'random', but the configuration says 'ppo"):
        run(make_config(tmp_path, curve=section | {"opponent": f"ppo:path={start}"}), resume=True)
    run(make_config(tmp_path, curve=section), resume=True)


def test_diverged_run_resumes_with_a_lower_learning_rate(tmp_path, monkeypatch):
    kill(make_config(tmp_path), monkeypatch, updates=1)
    with pytest.raises(ValueError, match="training has diverged: weights are not numbers; resume with a lower"):
        run(make_config(tmp_path, learn={"learning_rate": 1e30}), resume=True)
    path, text = run(make_config(tmp_path), resume=True)
    assert f"Resuming from {path.parent / 'checkpoints' / '000000128.safetensors'}" in text


def test_only_the_first_process_removes_checkpoints(tmp_path, monkeypatch):
    config = make_config(tmp_path)
    kill(config, monkeypatch, updates=2)
    monkeypatch.setattr(CheckpointFolder, "prune", lambda folder, newest: pytest.fail("checkpoints are removed"))
    console = PlainConsole(quiet=True)
    learn.learn_in(tmp_path / "duel", config, make_duel(), console, Team(rank=1), resume=True, pool=None)


def test_point_before_the_first_checkpoint_is_logged_again_by_a_resumed_run(tmp_path, monkeypatch):
    config = make_config(tmp_path, learn={"decisions": ROUND}, curve={"opponent": "random", "games": 2})
    kill(config, monkeypatch)
    path, _ = run(config, resume=True)
    points = [int(row["decisions"]) for row in read_rows(path.parent / "curve.csv")]
    assert points == [0, ROUND]
    assert len(logged(path, "won_against/random")) == 2


# --- processes


@pytest.mark.parametrize(
    ("given", "leads"),
    [
        ({}, True),
        ({"RANK": "0"}, True),
        ({"RANK": "1"}, True),
        ({"RANK": "1", "WORLD_SIZE": "1"}, True),
        ({"RANK": "0", "WORLD_SIZE": "2"}, True),
        ({"RANK": "1", "WORLD_SIZE": "2"}, False),
    ],
    ids=str,
)
def test_one_process_leads_whatever_the_environment_says(monkeypatch, given, leads):
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert Team.leads() == leads
    if given.get("WORLD_SIZE") != "2":
        assert Team.join(torch.device("cpu")) == Team()
