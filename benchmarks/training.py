"""Decisions a second of both trainers, which alternate in one process: `python -m benchmarks.training`.

A turn is one round of play and learning, with `configs/train/quick.toml` (`learn.py`) or
`configs/train/maskable_ppo.toml` (MaskablePPO). Both start without a teacher, with the same network sizes and number of
threads. Time is processor time, so that other work on the machine disturbs as little as possible. The table gives
medians over the turns, and ratios of medians.

MaskablePPO is measured twice: against scripted opponents alone, as at the start of a run, and with a full pool, as in
most of a run, where it also plays against its own past. Its decisions are those of the learner; in `learn.py` every
seat learns.

With `--devices cuda cpu --config configs/train/gpu.toml`, `learn.py` alone is timed, by the wall clock.

The engine asks for no decision with only one answer, so every decision counted is one with a choice. The table's last
column confirms this from the games that were played.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from sackarmies_agents.learned.policy_agent import PolicyAgent
from sackarmies_env.registry import load_game
from sackarmies_training.checkpoints import network_of
from sackarmies_training.config import LearnConfig, TrainConfig, load_config
from sackarmies_training.learn import SelfPlay, Team, look_back, make_learner
from sackarmies_training.line_ups import draw_games
from sackarmies_training.progress import Clock
from sackarmies_training.selfplay_env import SelfPlayEnv
from sackarmies_training.train_ppo import make_env, make_model

CONFIGS = Path(__file__).parents[1] / "configs" / "train"


class Turn(NamedTuple):
    """One round of play and learning.

    Attributes:
        learned: decisions of seats that learn.
        played: decisions of all seats.
        with_choice: those decisions of learning seats that have more than one legal id.
        seconds: processor time, or wall-clock time when devices are compared.
    """

    learned: int
    played: int
    with_choice: int
    seconds: float


class CountingEnv(SelfPlayEnv):
    """A `SelfPlayEnv` that counts the decisions of opponents, and those of the learner with a choice."""

    others = 0
    with_choice = 0

    def _opponents_choose(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        self.others += len(rows)
        return super()._opponents_choose(rows)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Count decisions with a choice, and take the learner's actions."""
        self.with_choice += int((self.batch.action_masks.sum(axis=1) > 1).sum())
        super().step_async(actions)


def maskable_ppo(config: TrainConfig, past: int) -> Callable[[], Turn]:
    """Return a function that takes a turn of MaskablePPO, with `past` snapshots in its pool."""
    game = load_game(config.game.id, **config.game.options)
    env = make_env(config, game)
    env.__class__ = CountingEnv
    assert isinstance(env, CountingEnv)
    model = make_model(config, env, Clock(config.ppo.decisions, None))
    for _ in range(past):
        env.pool.add_snapshot(PolicyAgent(copy.deepcopy(network_of(model))))
    size = config.ppo.envs * config.ppo.steps

    def turn() -> Turn:
        others, with_choice, began = env.others, env.with_choice, time.process_time()
        model.learn(size, reset_num_timesteps=False)
        seconds = time.process_time() - began
        return Turn(size, size + env.others - others, env.with_choice - with_choice, seconds)

    return turn


def learn_py(config: LearnConfig, now: Callable[[], float] = time.process_time) -> Callable[[], Turn]:
    """Return a function that takes a turn of learn.py, timed by the clock `now`."""
    game = load_game(config.game.id, **config.game.options)
    learner = make_learner(config, game, Team())
    line_ups = draw_games(config.game, game, config.learn.line_ups, config.seed)
    games = SelfPlay(line_ups, config.learn, config.seed)

    def turn() -> Turn:
        began = now()
        played = games.play(learner.network)
        learner.update(played, look_back(played, config.learn), 0.0)
        seconds = now() - began
        counts = played.choices.first.diff()
        return Turn(len(counts), len(counts), int((counts > 1).sum()), seconds)

    return turn


def beside_the_baseline(config: LearnConfig) -> dict[str, Callable[[], Turn]]:
    """Return trainers by name: MaskablePPO, and learn.py without advice and with it."""
    old = load_config(CONFIGS / "maskable_ppo.toml", TrainConfig)
    bare = config.learn.model_copy(update={"advice": "", "worths": False, "reasons": False})
    return {
        "MaskablePPO, full pool": maskable_ppo(old, old.selfplay.pool_size),
        "MaskablePPO, empty pool": maskable_ppo(old, 0),
        "learn.py": learn_py(config.model_copy(update={"learn": bare})),
        "learn.py, with advice": learn_py(config),
    }


def on_devices(config: LearnConfig, devices: Sequence[str]) -> dict[str, Callable[[], Turn]]:
    """Return learn.py by device and precision of its network, timed by the wall clock: a GPU works beside the CPU."""
    trainers = {}
    for device, precision in itertools.product(devices, ("float32", "bfloat16")):
        section = config.learn.model_copy(update={"device": device, "precision": precision})
        trainers[f"{device}, {precision}"] = learn_py(config.model_copy(update={"learn": section}), time.perf_counter)
    return trainers


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5, help="of each trainer, after one to warm up")
    parser.add_argument("--threads", type=int, default=1, help="of torch, for both")
    parser.add_argument("--config", type=Path, default=CONFIGS / "quick.toml", help="of learn.py")
    parser.add_argument("--devices", nargs="+", default=[], help="of torch; learn.py alone, on each in both precisions")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    new = load_config(options.config, LearnConfig)
    trainers = on_devices(new, options.devices) if options.devices else beside_the_baseline(new)
    turns: dict[str, list[Turn]] = {name: [] for name in trainers}
    for number in range(options.turns + 1):
        for name, take in trainers.items():
            turn = take()
            if number:
                turns[name].append(turn)
    machine = describe_machine()
    print(f"{machine['processor']}, {machine['cores']} cores; torch {torch.__version__}, {options.threads} thread(s)\n")
    print("| trainer | decisions learned from, a second | least to most | times | of all seats | with a choice |")
    print("|---|---|---|---|---|---|")
    base = statistics.median(one.learned / one.seconds for one in next(iter(turns.values())))
    for name, taken in turns.items():
        rates = sorted(one.learned / one.seconds for one in taken)
        rate, played = statistics.median(rates), statistics.median(one.played / one.seconds for one in taken)
        share = sum(one.with_choice for one in taken) / sum(one.learned for one in taken)
        spread = f"{rates[0]:,.0f} to {rates[-1]:,.0f}"
        print(f"| {name} | {rate:,.0f} | {spread} | {rate / base:.1f} | {played:,.0f} | {share:.2%} |")


if __name__ == "__main__":
    main()
