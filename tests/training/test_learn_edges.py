"""Edge cases of `learn.py`: updates with little to learn from, runs that are refused, and which process leads."""

import csv
from pathlib import Path

import numpy as np
import pytest
import torch

from sackarmies_training import learn
from sackarmies_training.learn import Learner, SelfPlay, Team, look_back, make_learner
from sackarmies_training.loggers import TABLE
from tests.core.toy_game import make_duel
from tests.training.test_learn import ROUND, make_config, run

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
        ({"curve": {"opponent": "search"}}, "the game 'duel' cannot be searched"),
    ],
    ids=["start", "labels", "curve"],
)
def test_refused_run_leaves_no_folder(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message):
        run(make_config(tmp_path, **changes))
    assert list(tmp_path.iterdir()) == []


def test_run_that_has_logged_keeps_its_folder(tmp_path, monkeypatch):
    def killed(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(Learner, "update", killed)
    with pytest.raises(KeyboardInterrupt):
        run(make_config(tmp_path))
    assert (tmp_path / "duel" / TABLE).exists()


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
