"""The trainer `learn.py`: its arithmetic on small examples, and runs on the toy game."""

import copy
import csv
import dataclasses
import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console
from torch import distributed

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.learned.checkpoint import POLICY, pack, read_checkpoint
from sackarmies_agents.learned.network import Advice, Place
from sackarmies_agents.learned.tensors import tensors_of
from sackarmies_env.core.validation import read_model
from sackarmies_env.registry import load_game
from sackarmies_training import curve
from sackarmies_training.checkpoints import CHECKPOINT, OPTIMIZER
from sackarmies_training.config import LearnConfig
from sackarmies_training.labels import DRAW, LOSS, WIN
from sackarmies_training.learn import (
    Choices,
    Learner,
    Lesson,
    SelfPlay,
    Team,
    choose,
    learn,
    log_probabilities,
    look_back,
    make_learner,
)
from sackarmies_training.learn_files import LEARNER
from tests.core.toy_game import make_duel

ROUND = 8 * 16  # decisions between two updates


def make_config(folder, **changes):
    data = {
        "folder": str(folder / "duel"),
        "learn": {"decisions": 4 * ROUND, "games": 8, "steps": 16, "minibatch": 16, "learning_rate": 1e-3},
        "network": {"hidden": 32},
        "checkpoints": {"every": ROUND, "keep": 3},
        "tournament": {"agents": ["learner", "random"]},
    }
    data["learn"] |= changes.pop("learn", {})
    return read_model(LearnConfig, {**data, **changes}, "test")


def run(config, *, resume=False, game=None):
    out = io.StringIO()
    path = learn(config, game or make_duel(), Console(file=out, width=200), resume=resume)
    return path, out.getvalue()


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return the configuration of a finished run, the path of its General, and what was printed."""
    config = make_config(tmp_path_factory.mktemp("finished"), curve={"opponent": "random", "games": 10})
    return config, *run(config)


def section(**changes):
    return make_config(Path("x"), learn=changes).learn


# --- learning


def test_every_seat_is_played_by_the_network_and_the_log_is_its_own():
    config = make_config(Path("x"))
    game = make_duel()
    learner = make_learner(config, game, Team())
    played = SelfPlay([game], config.learn, seed=1).play(learner.network)
    choices = played.choices
    assert set(played.seats.flatten().tolist()) == {0, 1}
    rows = torch.arange(len(played.drawn))
    observations, _, place, entry = choices.pick(rows, rows[:0])
    with torch.no_grad():
        scores, _ = learner.network.assess(observations, place)
    assert torch.equal(entry, torch.arange(len(choices.actions)))
    assert torch.allclose(log_probabilities(scores, place.game, len(rows)), choices.weights, atol=1e-5)
    assert torch.equal(place.game[played.drawn], rows)


def test_policy_moves_to_choices_of_positive_advantage():
    config = make_config(Path("x"), learn={"largest": 1.0, "epochs": 4, "entropy": 0.0, "old_policy": 0.0})
    game = make_duel()
    learner = make_learner(config, game, Team())
    played = SelfPlay([game], config.learn, seed=1).play(learner.network)
    lesson = look_back(played, config.learn)
    picked = played.choices.actions[played.drawn] == 0
    lesson.advantages[:] = torch.where(picked, 1.0, -1.0)
    before = chance_of_id(learner, played, 0)
    learner.update(played, lesson, 0.0)
    assert chance_of_id(learner, played, 0) > before + 0.01


@pytest.mark.parametrize("advised", [0, 1])
def test_magnet_draws_the_policy_to_the_advised_id(advised):
    config = make_config(Path("x"), learn={"largest": 1.0, "epochs": 4, "entropy": 0.0, "magnet": 5.0})
    trusting = config.learn.model_copy(update={"magnet_trust": 0.9})  # unchecked: no advisor plays this game
    config, game = config.model_copy(update={"learn": trusting}), make_duel()
    learner = make_learner(config, game, Team())
    played = SelfPlay([game], config.learn, seed=1).play(learner.network)
    played.choices = played.choices._replace(advice=Advice(torch.full_like(played.drawn, advised)))
    before = chance_of_id(learner, played, advised)
    learner.update(played, look_back(played, config.learn), 0.0)
    assert chance_of_id(learner, played, advised) > before + 0.01


def test_line_ups_are_played_side_by_side():
    games = [make_duel(max_turns=limit) for limit in (3, 9)]
    config = make_config(Path("x"), learn={"games": 9, "steps": 60})
    learner = make_learner(config, games[0], Team())
    played = SelfPlay(games, config.learn, seed=1).play(learner.network)
    longest = played.turns.max(axis=0)
    assert longest[:4].max() < longest[4:].max()
    assert played.finished.all(axis=2).any(axis=0).all()


def test_line_ups_need_a_game_each(tmp_path):
    with pytest.raises(ValueError, match=r"games is 4, in 2 groups, .* 13 line_ups .* give at least 26"):
        make_config(tmp_path, learn={"games": 4, "groups": 2, "line_ups": 13})
    make_config(tmp_path, learn={"games": 4, "groups": 2, "line_ups": 13}, expert={})  # expert plays other games


def chance_of_id(learner, played, action):
    rows = torch.arange(len(played.drawn))
    observations, _, place, _ = played.choices.pick(rows, rows[:0])
    with torch.no_grad():
        scores, _ = learner.network.assess(observations, place)
    found = log_probabilities(scores, place.game, len(rows)).exp()
    return float(found[place.action == action].mean())


def test_only_decisions_of_large_advantage_are_learned_from(monkeypatch):
    config = make_config(Path("x"), learn={"largest": 0.25, "minibatch": 1000})
    game = make_duel()
    learner = make_learner(config, game, Team())
    played = SelfPlay([game], config.learn, seed=1).play(learner.network)
    lesson = look_back(played, config.learn)
    seen = []
    losses = Learner._losses

    def spy(self, played, lesson, rows, *others):
        seen.append(rows)
        return losses(self, played, lesson, rows, *others)

    monkeypatch.setattr(Learner, "_losses", spy)
    learner.update(played, lesson, 0.0)
    size = lesson.advantages.abs()
    chosen = torch.cat(seen)
    left_out = lesson.rows[~torch.isin(lesson.rows, chosen)]
    assert len(chosen) <= 0.26 * len(lesson.rows)
    assert size[chosen].min() > size[left_out].max()


def test_decisions_of_most_doubt_are_those_of_the_most_even_policies():
    chances = torch.tensor([0.99, 0.01, 0.5, 0.5, 1.0, 0.8, 0.1, 0.1])
    choices = Choices(None, None, torch.tensor([0, 2, 4, 5, 8]), None, chances.log())
    lesson = Lesson(torch.tensor([9.0, 0.0, 9.0, 0.0]), None, torch.tensor([0, 2, 3]))
    assert choose(choices, lesson, section(select="doubt", largest=0.34)).tolist() == [3]
    assert choose(choices, lesson, section(select="doubt", largest=0.67)).tolist() == [0, 3]
    assert choose(choices, lesson, section(select="advantage", largest=0.67)).tolist() == [0, 2]
    assert choose(choices, lesson, section(select="doubt", largest=1.0)).tolist() == [0, 2, 3]


@pytest.mark.parametrize("is_shaping", [True, False])
def test_values_change_shared_layers_only_where_that_is_wanted(is_shaping):
    game = make_duel()
    network = make_learner(make_config(Path("x"), learn={"value_shapes": is_shaping}), game, Team()).network
    network.assess(*inputs(game))[1].square().sum().backward()
    shared = [weight.grad for name, weight in network.named_parameters() if name.startswith("body")]
    assert network.value.weight.grad.abs().sum() > 0
    assert all((grad is not None) == is_shaping for grad in shared)


def test_value_loss_leaves_shared_layers_of_boards_alone():
    game = load_game("sack_armies", armies=["beginners", "beginners"])
    changes = {"token": 8, "mark": 4, "hidden": 16, "patch": 1}
    network = make_learner(make_config(Path("x"), learn={"value_shapes": False}, network=changes), game, Team()).network
    observations, ids = inputs(game)
    network.assess(observations, Place(*ids))[1].sum().backward()
    assert {name.split(".")[0] for name, weight in network.named_parameters() if weight.grad is not None} == {"value"}


def test_average_follows_the_network_slowly():
    config = make_config(Path("x"), learn={"average": 0.9})
    game = make_duel()
    learner = make_learner(config, game, Team())
    start = copy.deepcopy(learner.network)
    network, averaged = learner.network.value.weight, learner.averaged.value.weight
    learner.step((learner.network.assess(*inputs(game))[1] ** 2).sum())
    first = start.value.weight
    assert not torch.equal(network, first)
    assert torch.allclose(averaged, first + 0.1 * (network - first), atol=1e-7)


def inputs(game):
    mask = torch.ones((1, game.num_actions), dtype=torch.bool)
    return torch.zeros((1, game.observation_spec.size), dtype=torch.int8), mask.nonzero(as_tuple=True)


# --- runs


def test_finished_run_leaves_a_general_a_card_a_curve_and_checkpoints(finished):
    config, path, text = finished
    assert path.name == CHECKPOINT
    checkpoint = read_checkpoint(path)
    assert set(checkpoint.parts) == {POLICY}
    assert checkpoint.header.training["decisions"] == 4 * ROUND
    assert checkpoint.header.training["config"] == config.model_dump(mode="json")
    latest = max((path.parent / "checkpoints").iterdir())
    assert set(read_checkpoint(latest).parts) == {POLICY, LEARNER, OPTIMIZER}
    card = path.with_suffix(".md").read_text()
    assert checkpoint.header.training["origin"]["layout_sha256"] in card
    assert f"{4 * ROUND:,} in self-play" in card
    with (path.parent / "curve.csv").open() as lines:
        points = list(csv.DictReader(lines))
    assert [int(point["decisions"]) for point in points] == [0, 4 * ROUND]
    assert all(int(point["won"]) + int(point["drawn"]) + int(point["lost"]) == 10 for point in points)
    assert "against random" in text


def test_general_of_the_trainer_plays_as_an_agent(finished):
    game = make_duel()
    agent = make_agent(f"ppo:path={finished[1]},device=cpu", GameInfo.of(game))
    masks = np.tile(np.array([0, 1, 0, 1, 0, 0], np.int8), (50, 1))
    observations = np.zeros((50, game.observation_spec.size), np.int8)
    assert set(agent.act_batch(observations, masks).tolist()) == {1, 3}


def test_resumed_run_goes_on_with_weights_and_moments(finished, tmp_path):
    _, path, _ = finished
    saved = path.parent / "checkpoints" / f"{2 * ROUND:09d}.safetensors"
    target = tmp_path / "duel" / "checkpoints" / saved.name
    target.parent.mkdir(parents=True)
    target.write_bytes(saved.read_bytes())
    resumed, text = run(make_config(tmp_path, learn={"decisions": 2 * ROUND + 1}), resume=True)
    assert f"Resuming from {target}: {2 * ROUND} decisions" in text
    before, after = (read_checkpoint(one) for one in (saved, max((resumed.parent / "checkpoints").iterdir())))
    assert after.header.training["updates"] == before.header.training["updates"] + 1
    steps = [int(one.part(OPTIMIZER)["0/step"]) for one in (before, after)]
    assert steps[0] > 0
    assert steps[1] > steps[0]


def test_restored_learner_is_the_saved_one_to_the_bit(finished):
    config, path, _ = finished
    from sackarmies_training.learn_files import restore_learner

    saved = path.parent / "checkpoints" / f"{3 * ROUND:09d}.safetensors"
    learner = make_learner(config, make_duel(), Team())
    restore_learner(saved, learner, config, make_duel())
    checkpoint = read_checkpoint(saved)
    for network, part in ((learner.network, LEARNER), (learner.averaged, POLICY)):
        kept = tensors_of(checkpoint.part(part))
        assert all(torch.equal(value, kept[name]) for name, value in network.state_dict().items())
    assert learner.decisions == 3 * ROUND


def test_two_runs_of_one_configuration_are_equal(tmp_path):
    first, second = (run(make_config(tmp_path))[0] for _ in range(2))
    weights = [tensors_of(read_checkpoint(path).part(POLICY)) for path in (first, second)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_run_goes_on_from_the_weights_of_a_general(finished, tmp_path):
    _, path, _ = finished
    config = make_config(tmp_path, learn={"start": str(path)})
    learner = make_learner(config, make_duel(), Team())
    weights = tensors_of(read_checkpoint(path).part(POLICY))
    assert all(torch.equal(value, weights[name]) for name, value in learner.network.state_dict().items())


def test_start_is_played_at_the_temperature_that_is_asked_for(finished, tmp_path):
    game, start = make_duel(), str(finished[1])
    plain, cold = (
        make_learner(make_config(tmp_path, learn={"start": start, **changes}), game, Team()).network
        for changes in ({}, {"start_temperature": 0.25})
    )
    (usual, value), (scores, same) = (network.assess(*inputs(game)) for network in (plain, cold))
    assert torch.allclose(scores, 4 * usual, atol=1e-5)
    assert torch.equal(value, same)


def test_policy_is_drawn_back_to_the_one_that_it_started_with(finished, tmp_path):
    changes = {"start_policy": 5.0, "largest": 1.0, "epochs": 8, "entropy": 0.0, "old_policy": 0.0}
    config = make_config(tmp_path, learn={"start": str(finished[1]), **changes})
    game = make_duel()
    learner = make_learner(config, game, Team())
    with torch.no_grad():
        learner.network.scores.bias[0] += 2.0
    played = SelfPlay([game], config.learn, seed=1).play(learner.network)
    lesson = look_back(played, config.learn)
    lesson.advantages[:] = 0.0
    before = chance_of_id(learner, played, 0)
    said = learner.update(played, lesson, 0.0)
    assert said["kl_start"] > 0.01
    assert chance_of_id(learner, played, 0) < before - 0.05


def test_run_that_started_from_a_general_says_whether_it_has_improved(finished, tmp_path):
    learn = {"start": str(finished[1]), "decisions": ROUND}
    config = make_config(tmp_path, learn=learn, curve={"opponent": "random", "games": 6})
    path, text = run(config)
    verdict = re.search(r"It won \d.*% \(.*\) of 6 games against the agent that it started from: .*", text).group()
    assert verdict in path.with_suffix(".md").read_text()
    assert verdict in run(config, resume=True)[1]


def test_run_that_is_killed_in_games_against_its_start_plays_them_when_resumed(finished, tmp_path, monkeypatch):
    learn = {"start": str(finished[1]), "decisions": ROUND}
    config = make_config(tmp_path, learn=learn, curve={"opponent": "random", "games": 6})

    def killed(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("sackarmies_training.learn.compare_with_start", killed)
        run(config)
    path, text = run(config, resume=True)
    assert "of 6 games against the agent that it started from: " in text
    assert read_checkpoint(path).header.training["updates"] == 1


@pytest.mark.parametrize(
    ("wins", "verdict"), [(80, "it has improved"), (50, "no improvement is shown"), (20, "it has become worse")]
)
def test_verdict_on_the_start_goes_by_the_interval(finished, monkeypatch, wins, verdict):
    config = make_config(Path("x"), learn={"start": str(finished[1])}, curve={"opponent": "random", "games": 100})
    results = np.repeat([[WIN, LOSS, LOSS], [LOSS, WIN, LOSS]], [wins, 100 - wins], axis=0)
    monkeypatch.setattr(curve, "play_side_by_side", lambda *given: results)
    learner = make_learner(config, make_duel(), Team())
    assert curve.compare_with_start(learner, config, [make_duel()], config.curve).endswith(f"from: {verdict}.")
    drawn = [[DRAW, DRAW, LOSS]] * 200 + [[LOSS, DRAW, DRAW]] * 100  # these make no General of equal ones worse
    results = np.append(results, drawn, axis=0)
    text = curve.compare_with_start(learner, config, [make_duel()], config.curve)
    assert "of 100 games that were not drawn, of 400, against" in text
    assert text.endswith(f"from: {verdict}.")


def test_start_from_a_trained_general_needs_one(tmp_path):
    with pytest.raises(ValueError, match=r"start is 'trained', but no trained agent comes with the game 'duel'"):
        make_learner(make_config(tmp_path, learn={"start": "trained"}), make_duel(), Team())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": {"hidden": 16}}, r"is not the one of the configuration: hidden 32 in place of 16"),
        ({"learn": {"outcomes": False}}, r"outcomes 3 in place of 1"),
    ],
)
def test_start_that_does_not_fit_is_refused(finished, tmp_path, changes, message):
    changes = {**changes, "learn": {**changes.get("learn", {}), "start": str(finished[1])}}
    with pytest.raises(ValueError, match=message):
        make_learner(make_config(tmp_path, **changes), make_duel(), Team())


def test_start_that_is_told_more_than_the_configuration_says_is_refused(tmp_path):
    config = make_config(
        tmp_path,
        learn={"start": "trained", "advice": "greedy:weights=tuned", "worths": True},
        network={"token": 48, "mark": 16, "hidden": 128, "early": 2},
    )
    told = r"takes advice, worths = true and reasons = true of \[learn\], but .* has advice and worths = true$"
    with pytest.raises(ValueError, match=told):
        make_learner(config, load_game("sack_armies"), Team())


def test_start_of_another_game_is_refused(finished, tmp_path):
    with pytest.raises(ValueError, match=r"was trained for another game: num_players 2, here it is 3"):
        make_learner(make_config(tmp_path, learn={"start": str(finished[1])}), make_duel(3), Team())


def test_resuming_without_a_run_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"there is no run in .* to resume: start without --resume"):
        run(make_config(tmp_path), resume=True)


@pytest.mark.parametrize("device", ["warp", "meta"])
def test_unknown_device_is_refused(tmp_path, device):
    with pytest.raises(ValueError, match=rf"unknown device '{device}': available are cpu"):
        run(make_config(tmp_path, learn={"device": device}))


@pytest.mark.parametrize(
    "changes",
    [
        {"outcomes": False},
        {"largest": 1.0, "epochs": 2},
        {"select": "doubt", "value_shapes": False},
        {"clip_range": 0.0, "old_policy": 0.0, "entropy": 0.0},
        {"magnet": 0.05, "average": 0.0},
        {"precision": "bfloat16"},
    ],
    ids=",".join,
)
def test_parts_of_the_trainer_can_be_switched_off(tmp_path, changes):
    path, _ = run(make_config(tmp_path, learn={**changes, "decisions": 2 * ROUND}))
    assert all(np.isfinite(value).all() for value in read_checkpoint(path).part(POLICY).values())


@pytest.mark.slow
@pytest.mark.parametrize("told", [{}, {"worths": True, "reasons": True}], ids=["choice", "reasons"])
def test_advice_is_an_input_and_travels_with_the_general(tmp_path, told):
    game = load_game("sack_armies", armies=["beginners", "beginners"])
    config = make_config(
        tmp_path,
        learn={"advice": "greedy", "decisions": 2 * ROUND, **told},
        network={"token": 16, "mark": 8, "hidden": 32},
        game={"armies": ["beginners", "beginners"]},
        shaping={"control": 0.1},
    )
    path, _ = run(config, game=game)
    info = GameInfo.of(game)
    header = read_checkpoint(path).header
    assert (header.advice, header.network.advice) == ("greedy", 1 + len(told))
    trained, greedy = make_agent(f"ppo:path={path},deterministic=true", info), make_agent("greedy", info)
    played = SelfPlay([game], config.learn.model_copy(update={"games": 64}), seed=3)
    batch = played.batches[0][1]
    batch.step_random(200)
    answers = [agent.act_batch(batch.observations, batch.action_masks) for agent in (trained, greedy)]
    assert (answers[0] == answers[1]).mean() > 0.8  # a fresh network trusts its advisor


def test_a_group_of_processes_that_the_caller_began_is_left_to_it(monkeypatch):
    ended = []
    monkeypatch.setattr(distributed, "destroy_process_group", lambda: ended.append(True))
    Team(size=2).leave()
    assert not ended
    Team(size=2, began=True).leave()
    assert ended


@pytest.mark.slow
def test_two_processes_average_their_gradients(tmp_path):
    """Both play games of their own, so their weights are equal only if they take the same steps."""
    script = tmp_path / "run.py"
    script.write_text(
        "import os; from pathlib import Path\n"
        "import torch\n"
        "from rich.console import Console\n"
        "from tests.core.toy_game import make_duel\n"
        "from tests.training.test_learn import make_config\n"
        "from torch import distributed\n"
        "from sackarmies_training import learn\n"
        "learners, make = [], learn.make_learner\n"
        "learn.make_learner = lambda *given, **options: learners.append(make(*given, **options)) or learners[0]\n"
        "teacher = {'agent': 'random', 'decisions': 400, 'games': 4, 'minibatch': 32}\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "learn.learn(make_config(folder, teacher=teacher), make_duel(), Console())\n"
        "torch.save(learners[0].network.state_dict(), folder / os.environ['RANK'])\n"
        "assert not distributed.is_initialized()\n"
        "threads = [path.read_text().strip() for path in Path('/proc/self/task').glob('*/comm')]\n"
        "assert not any('gloo' in name for name in threads), threads\n"  # such threads can abort a process at its end
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(script)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    one, other = (torch.load(tmp_path / rank, weights_only=True) for rank in "01")
    assert all(torch.equal(one[name], other[name]) for name in one)
    training = read_checkpoint(tmp_path / "duel" / CHECKPOINT).header.training
    assert training["origin"]["processes"] == 2
    assert training["decisions"] == 4 * ROUND
    assert training["updates"] == 2
    assert not (tmp_path / "duel-2").exists()


@pytest.mark.slow
def test_killed_run_resumes(tmp_path):
    script = (
        "import sys; from pathlib import Path\n"
        "from rich.console import Console\n"
        "from tests.core.toy_game import make_duel\n"
        "from tests.training.test_learn import make_config\n"
        "from sackarmies_training.learn import learn\n"
        f"config = make_config(Path({str(tmp_path)!r}), learn={{'decisions': 10**9}})\n"
        "learn(config, make_duel(), Console())\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.DEVNULL)
    checkpoints = tmp_path / "duel" / "checkpoints"
    deadline = time.monotonic() + 300
    while not (checkpoints.is_dir() and any(checkpoints.glob("*.safetensors"))) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    latest = max(int(path.stem) for path in checkpoints.glob("*.safetensors"))
    path, text = run(make_config(tmp_path, learn={"decisions": latest + ROUND}), resume=True)
    assert f"{latest:,} decisions" in text
    assert read_checkpoint(path).header.training["decisions"] == latest + ROUND


# --- advice


def test_checkpoint_that_names_another_advisor_is_refused(finished, tmp_path):
    checkpoint = read_checkpoint(finished[1])
    for advice, message in (
        ("python:class=os:system", r"advice is 'python:class=os:system', but it can only come from 'greedy'"),
        ("greedy", r"there is no greedy agent for the game 'duel'"),
    ):
        path = tmp_path / "named.safetensors"
        path.write_bytes(pack(dataclasses.replace(checkpoint.header, advice=advice), checkpoint.parts))
        with pytest.raises(ValueError, match=message):
            make_agent(f"ppo:path={path}", GameInfo.of(make_duel()))
