"""Warm-up: after `sackarmies warmup`, no command and no environment compiles anything."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies import hooks
from sackarmies_training import warmup
from sackarmies_training.cli import app

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled in interpreted mode")

# Runs the command and prints the cache entries that it asked for.
RECORDED_WARMUP = """
import sys
from sackarmies_env.core import cache
from sackarmies_training.cli import app

find = cache.SharedCache._entry
asked = set()

def record(*arguments):
    entry = find(*arguments)
    asked.add(entry)
    return entry

cache.SharedCache._entry = record
app(["warmup", *sys.argv[1:]], standalone_mode=False)
print("entries:", *sorted(asked), sep="\\n")
"""

COMMAND = "from sackarmies_training.cli import app; app()"

ENVIRONMENTS = """
import sys
import gymnasium
import numpy as np
import sackarmies_env
from sackarmies_env.core.batch import Batch

generals = int(sys.argv[1])
chance = np.random.default_rng(7)

def choose(mask):
    return int(chance.choice(np.flatnonzero(mask)))

for observation in ("compact", "planes"):
    options = {"num_generals": generals, "observation": observation, "switches": {"max_turns": 30}}
    for make in (sackarmies_env.env, sackarmies_env.raw_env):
        env = make(render_mode="ansi", **options)
        env.reset(seed=3, options={"flips": "H T"})
        for agent in env.agent_iter():
            observed, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else choose(observed["action_mask"]))
            if chance.random() < 0.05:
                env.render()
    env.reset(seed=4)
    env.legal_texts()
    sackarmies_env.raw_env(scenario=env.to_scenario(), observation=observation).reset(seed=1)
    single = gymnasium.make("sackarmies_env/SackArmies-v0", seat="random", mask_in_observation=True, **options)
    for seed in (5, None):
        _, info = single.reset(seed=seed)
        for _ in range(40):
            _, _, terminated, truncated, info = single.step(choose(info["action_mask"]))
            if terminated or truncated:
                break
    for more in ({"copy": True, "threads": 2}, {"copy": False, "seat": "all", "autoreset_mode": "NextStep"}):
        envs = gymnasium.make_vec("sackarmies_env/SackArmies-v0", num_envs=40, **options, **more)
        observed, _ = envs.reset(seed=0)
        for _ in range(150):
            masks = observed["action_mask"]
            observed, *_ = envs.step(np.array([choose(mask) if mask.any() else 0 for mask in masks]))
    game = sackarmies_env.load_game("sack_armies", **options)
    batch = Batch(game, 64, threads=2, packed=True)
    batch.reset(np.arange(64))
    batch.step_random(5)
    batch.rollout(50)
    batch.observe(np.zeros(2, np.int64), np.array([3, 5]))
    seats = np.zeros(64, np.int64)
    game.determinize(game.params, batch.states, seats, np.arange(64))
    batch.forfeit(seats)
    if observation == "compact":
        gymnasium.make("sackarmies_env/SackArmies-v0", opponent="greedy", **options).reset(seed=1)
"""

TRAINING = """
from sackarmies_agents import GameInfo, make_agent
from sackarmies_env import load_game
from sackarmies_training.opponents import OpponentPool
from sackarmies_training.selfplay_env import SelfPlayEnv

for generals in (2, 4):
    game = load_game("sack_armies", num_generals=generals)
    info = GameInfo.of(game)
    pool = OpponentPool({"random": 1.0, "greedy": 1.0}, lambda text: make_agent(text, info), past=0.0, size=2)
    env = SelfPlayEnv(game, 40, pool, 5, threads=2)
    env.reset()
    for _ in range(20):
        env.step(env.action_masks().argmax(axis=1))
"""

TOURNAMENT = """
folder = "contest"
[game]
generals = {generals}
switches = {{ max_turns = 30 }}
[tournament]
agents = ["greedy", "random"]
seeds = 4
batch = 2
workers = 2
"""


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """Return a folder with two records, and with a cache that holds what `sackarmies warmup` uses and nothing else."""
    folder = tmp_path_factory.mktemp("warm")
    output = subprocess.run(
        [sys.executable, "-c", RECORDED_WARMUP], capture_output=True, text=True, check=True, cwd=folder, timeout=1000
    ).stdout
    for line in output.split("entries:\n")[1].splitlines():
        entry = Path(line)
        copied = folder.joinpath("cache", *entry.parts[-2:])
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(entry, copied)
    for record, *agents in (("two.json", "greedy", "random"), ("three.json", "greedy", "greedy", "random")):
        command = [sys.executable, "-c", COMMAND, "watch", *agents, "--seed", "3", "--record", record]
        subprocess.run(command, capture_output=True, check=True, cwd=folder, timeout=900)
    (folder / "two.toml").write_text(TOURNAMENT.format(generals=2))
    (folder / "four.toml").write_text(TOURNAMENT.format(generals=4).replace("contest", "contest-of-four"))
    return folder


def compiled_by(folder, program, *arguments, answers=""):
    """Return the kernels compiled by a process and its children; it must succeed and not report any compiling."""
    before = {path: path.stat().st_mtime_ns for path in (folder / "cache").rglob("*.kernel")}
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        input=answers,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=900,
        env={**os.environ, "SACKARMIES_CACHE_DIR": str(folder / "cache")},
    )
    assert ended.returncode == 0, ended.stderr
    assert "compiling" not in ended.stderr
    after = {path: path.stat().st_mtime_ns for path in (folder / "cache").rglob("*.kernel")}
    return sorted(path.name for path in after if after[path] != before.get(path))


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "watch greedy random --seed 3 --record of_two.json",
        "watch greedy random --viewer 1",
        "watch greedy greedy random --seed 2 --record of_three.json",
        "watch greedy random random random random random --seed 3",
        "play greedy",
        "play greedy random --seat 1",
        "replay two.json",
        "replay two.json --check",
        "replay three.json",
        "evaluate greedy random --games 60",
        "evaluate trained greedy --games 70",
        "evaluate random greedy --games 4 --isolate",
        "evaluate search:playouts=8 random --games 2",
        "evaluate search:playouts=8,plans=1 random --games 2",
        "evaluate search:playouts=8,level=strong random --games 2",
        "evaluate search:ms=5,prior=policy random --games 2",
        "evaluate search:ms=5,threads=2 greedy --games 2 --game territories",
        "evaluate greedy random --games 6 --generals 3 --workers 1",
        "tournament two.toml",
        "tournament four.toml",
        "army round-robin empire scourge --seeds 1",
        "scenario check x04_elf_archers",
        "scenario check x18_deck_jokers",
    ],
)
def test_commands_compile_nothing_after_warmup(warm, command):
    answers = "1\n" * 12 + "quit\n" if command.startswith("play") else ""
    assert compiled_by(warm, COMMAND, *command.split(), answers=answers) == []


@pytest.mark.slow
@pytest.mark.parametrize("generals", ["2", "3", "6"])
def test_environments_compile_nothing_after_warmup(warm, generals):
    assert compiled_by(warm, ENVIRONMENTS, generals) == []


@pytest.mark.slow
def test_training_compiles_nothing_after_warmup(warm):
    assert compiled_by(warm, TRAINING) == []


@pytest.mark.slow
def test_kernel_that_warmup_had_left_out_would_be_found(warm):
    removed = {entry: entry.read_bytes() for entry in (warm / "cache").rglob("*.step.prepare-*.kernel")}
    assert len(removed) == 2
    for entry in removed:
        entry.unlink()
    with pytest.raises(AssertionError, match=r"compiling sack_armies\.play\.step\.prepare"):
        compiled_by(warm, COMMAND, "watch", "greedy", "random", "--record", "again.json")
    for entry, content in removed.items():
        entry.write_bytes(content)


@pytest.mark.parametrize(
    ("words", "layouts"),
    [([], [2, 3]), (["--generals", "2"], [2]), (["--players", "3"], [3]), (["--generals", "6"], [3])],
)
def test_warmup_covers_the_layouts_asked_for_and_says_so(monkeypatch, words, layouts):
    covered = []
    monkeypatch.setattr(warmup, "warm_up", lambda game_id, options: covered.append((game_id, options)))
    result = CliRunner().invoke(app, ["warmup", *words])
    assert result.exit_code == 0
    of_sack_armies = [options for game_id, options in covered if game_id == "sack_armies"]
    assert [(options["num_generals"], options["observation"]) for options in of_sack_armies] == [
        (generals, observation) for generals in layouts for observation in ("compact", "planes")
    ]
    lines = result.output.splitlines()
    assert [line for line in lines if line.startswith("Sack Armies")] == [
        f"Sack Armies, {hooks.LAYOUTS[one]}: all was compiled already (0 s)" for one in layouts
    ]
    assert {game_id for game_id, _ in covered} == {
        "sack_armies",
        *(["territories"] if words != ["--generals", "6"] else []),
    }


def test_warmup_of_interpreted_rules_says_that_there_is_nothing_to_do(monkeypatch):
    monkeypatch.setattr(warmup, "INTERPRETED", True)
    monkeypatch.setattr(warmup, "warm_up", None)
    result = CliRunner().invoke(app, ["warmup"])
    assert "there is nothing to compile" in " ".join(result.output.split())


def test_warmup_of_one_general_is_refused():
    assert CliRunner().invoke(app, ["warmup", "--generals", "1"]).exit_code == 2
