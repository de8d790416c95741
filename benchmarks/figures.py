"""Figures that are not rates: clones, sizes, start-up. `python -m benchmarks.figures` writes one line of JSON."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from benchmarks.ours import load_game, warm_batch
from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import copy_records

RUNS = 7
CLONES = 20_000
FIRST_DECISION = """
import sackarmies_env
env = sackarmies_env.env()
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""
# Everything that the commands of the README use: environments, vector environments, the scripted General.
EVERYTHING = (
    FIRST_DECISION
    + """
import gymnasium
one = gymnasium.make("sackarmies_env/SackArmies-v0", opponent="greedy")
one.reset(seed=0)
many = gymnasium.make_vec("sackarmies_env/SackArmies-v0", num_envs=4, vectorization_mode="vector_entry_point")
many.reset(seed=0)
many.step(many.unwrapped.action_masks().argmax(axis=1))
"""
)


@njit
def clone_many(source, targets, times):
    """Copy `source[0]` over each of `targets` in turn, `times` clones in all."""
    for i in range(times):
        targets[i % len(targets)] = source[0]


def median_time(work: Callable[[], None], runs: int = RUNS) -> float:
    """Return the median time that `work` takes in seconds, after a warm-up call."""
    work()
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def clone_times(game: Game) -> dict[str, float]:
    """Return the microseconds that a clone takes inside a kernel and from Python."""
    states = warm_batch(game, 1).states
    targets = game.new_states(64)
    ones = [targets[row : row + 1] for row in range(len(targets))]

    def from_python() -> None:
        for number in range(CLONES):
            copy_records(states, ones[number & 63])

    inside = median_time(lambda: clone_many(states, targets, CLONES))
    return {"clone_kernel": inside / CLONES * 1e6, "clone_python": median_time(from_python) / CLONES * 1e6}


def run_process(code: str, **variables: str) -> None:
    """Run `code` in a new process."""
    environment = dict(os.environ) | variables
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True)


def start_times() -> dict[str, float]:
    """Return the seconds of a warm start, and of the very first use."""
    warm = median_time(lambda: run_process(FIRST_DECISION), runs=5)
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run_process(EVERYTHING, SACKARMIES_CACHE_DIR=folder)
        return {"warm_start": warm, "first_compile": time.perf_counter() - began}


def main() -> None:
    """Measure and print the figures as JSON."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    game = load_game()
    sizes = {"state_bytes": game.state_dtype.itemsize, "observation_bytes": game.observation_spec.size}
    print(json.dumps(clone_times(game) | sizes | start_times()), flush=True)


if __name__ == "__main__":
    main()
