"""Training and playing on a GPU, in both precisions and compared with the processor. All tests here need a GPU."""

import copy
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.learned.checkpoint import POLICY, read_checkpoint
from sackarmies_env.core.batch import Batch
from sackarmies_env.registry import load_game
from sackarmies_training.checkpoints import CHECKPOINT
from sackarmies_training.ladder.exploit import Exploit
from sackarmies_training.learn import SelfPlay, Team, look_back, make_learner
from tests.core.toy_game import make_duel
from tests.second_game import registered
from tests.training import test_train
from tests.training.ladders import make_config as ladder_config
from tests.training.test_learn import ROUND, make_config, run

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no GPU")

ARMIES = ["beginners", "beginners"]
ADVISED = {"advice": "greedy", "worths": True, "reasons": True}
PRECISIONS = pytest.mark.parametrize("precision", ["float32", "bfloat16"])


def config_of(folder, **changes):
    """Return a configuration of Sack Armies that uses all optional inputs: advice, worths and reasons."""
    learn = {**ADVISED, "decisions": 2 * ROUND, "device": "cuda", **changes.pop("learn", {})}
    network = {"token": 16, "mark": 8, "hidden": 32}
    return make_config(folder, learn=learn, network=network, game={"armies": ARMIES}, **changes)


def make_game():
    return load_game("sack_armies", armies=ARMIES)


@PRECISIONS
def test_run_on_a_gpu_leaves_a_general_that_plays_without_one(tmp_path, precision):
    config = config_of(
        tmp_path,
        learn={"precision": precision, "magnet": 0.05, "magnet_trust": 0.8, "epochs": 2},
        teacher={"agent": "greedy", "decisions": 400, "games": 8},
        curve={"opponent": "random", "games": 10},
        shaping={"control": 0.1},
    )
    path, text = run(config, game=make_game())
    assert "decisions of a teacher" in text
    assert all(np.isfinite(weight).all() for weight in read_checkpoint(path).part(POLICY).values())
    batch = played_on(make_game())
    agent = make_agent(f"ppo:path={path},deterministic=true", GameInfo.of(batch.game))
    chosen = agent.act_batch(batch.observations, batch.action_masks)
    assert batch.action_masks[np.arange(len(chosen)), chosen].all()


@PRECISIONS
def test_run_on_a_gpu_resumes(tmp_path, precision):
    learn = {"precision": precision}
    run(config_of(tmp_path, learn=learn, checkpoints={"every": ROUND, "keep": 3}), game=make_game())
    (tmp_path / "duel" / CHECKPOINT).unlink()
    longer = config_of(tmp_path, learn=learn | {"decisions": 4 * ROUND}, checkpoints={"every": ROUND, "keep": 3})
    path, text = run(longer, game=make_game(), resume=True)
    assert "Resuming" in text
    assert read_checkpoint(path).header.training["decisions"] == 4 * ROUND


@PRECISIONS
def test_expert_iteration_runs_on_a_gpu(tmp_path, precision):
    config = config_of(
        tmp_path,
        learn={"precision": precision, "decisions": 300},
        expert={"files": 2, "file_decisions": 100, "minibatch": 64},
        curve={"opponent": "random", "games": 10},
    )
    path, _ = run(config, game=make_game())
    training = read_checkpoint(path).header.training
    assert training["updates"] >= 1
    assert training["decisions"] >= 300


def test_maskable_ppo_runs_on_a_gpu_and_resumes(tmp_path):
    changes = {"imitation": {"teacher": "random", "decisions": 200, "games": 4}, "selfplay": {"snapshot_every": ROUND}}
    for decisions in (2 * ROUND, 4 * ROUND):
        config = test_train.make_config(tmp_path, ppo={"decisions": decisions, "device": "cuda"}, **changes)
        path, text = test_train.run(config, resume=decisions > 2 * ROUND)
        assert ("Resuming" in text) == (decisions > 2 * ROUND)
        assert all(np.isfinite(weight).all() for weight in read_checkpoint(path).part(POLICY).values())
        path.rename(tmp_path / "finished")


def test_best_response_is_learned_on_a_gpu(tmp_path):
    with registered(responders="tests.training.test_ladder_learned:hook"):
        search = Exploit(ladder_config(tmp_path), "random", "learned", 60, "cuda")
        search.open()
        assert search.run(20, lambda games: None).used <= 60


def test_an_update_is_that_of_the_processor(tmp_path):
    after = []
    for device in ("cpu", "cuda"):
        config = config_of(tmp_path, learn={"device": device, "largest": 1.0, "value_share": 1.0, "minibatch": 1024})
        learner = make_learner(config, make_game(), Team())
        if not after:
            torch.manual_seed(1)
            played = SelfPlay([make_game()], config.learn, seed=3).play(learner.network)
            lesson, before = look_back(played, config.learn), copy.deepcopy(learner.network.state_dict())
        played.choices, played.drawn = played.choices.to(learner.device), played.drawn.to(learner.device)
        learner.update(played, lesson, 0.0)
        after.append({name: weight.cpu() for name, weight in learner.network.state_dict().items()})
    moved = sum(float((after[0][name] - before[name]).square().sum()) for name in before) ** 0.5
    apart = sum(float((after[0][name] - after[1][name]).square().sum()) for name in before) ** 0.5
    assert moved > 0.01
    assert apart < 0.02 * moved  # steps of Adam differ where a gradient is nearly zero


def test_trained_chooses_on_a_gpu_as_on_the_processor():
    batch = played_on(load_game("sack_armies"), games=512)
    info = GameInfo.of(batch.game)
    answers = [
        make_agent(text, info).rate(batch.observations, batch.action_masks)
        for text in ("trained", "trained:device=cuda")
    ]
    (chosen, logits), (there, logits_there) = answers
    legal = batch.action_masks != 0
    assert np.abs(logits[legal] - logits_there[legal]).max() < 0.05
    assert (chosen == there).mean() > 0.99


@pytest.mark.slow
def test_two_processes_share_a_gpu(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(
        "from pathlib import Path\n"
        "from rich.console import Console\n"
        "from tests.core.toy_game import make_duel\n"
        "from tests.training.test_learn import make_config\n"
        "from sackarmies_training.learn import learn\n"
        "teacher = {'agent': 'random', 'decisions': 400, 'games': 4, 'minibatch': 32}\n"
        f"config = make_config(Path({str(tmp_path)!r}), learn={{'device': 'cuda'}}, teacher=teacher)\n"
        "learn(config, make_duel(), Console())\n"
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(script)]
    paths = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    training = read_checkpoint(tmp_path / "duel" / CHECKPOINT).header.training
    assert training["origin"]["processes"] == 2
    assert training["decisions"] == 4 * ROUND
    assert make_agent(f"ppo:path={tmp_path / 'duel' / CHECKPOINT}", GameInfo.of(make_duel()))


def played_on(game, games=64):
    """Return a batch of games after 200 random decisions each."""
    batch = Batch(game, games)
    batch.reset(np.arange(games))
    batch.step_random(200)
    return batch
