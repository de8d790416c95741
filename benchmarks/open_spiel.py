"""Processor time of the OpenSpiel adapter: copies, actions, keys and sampled worlds, in microseconds.

python benchmarks/open_spiel.py
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable

import pyspiel

from sackarmies_env.adapters import open_spiel  # noqa: F401 - registers the game

REPEATS = 2000
PLIES = 100


def microseconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call in microseconds."""
    call()
    start = time.process_time()
    for _ in range(REPEATS):
        call()
    return (time.process_time() - start) / REPEATS * 1e6


def main() -> None:
    """Print a row for each kind of call."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    rng = random.Random(0)
    state = pyspiel.load_game("python_sackarmies").new_initial_state()
    state.apply_action(3)
    for _ in range(PLIES):
        state.apply_action(rng.choice(state.legal_actions()))
    player, action = state.current_player(), state.legal_actions()[0]
    calls: dict[str, Callable[[], object]] = {
        "`clone`": state.clone,
        "`child`: a copy and an action": lambda: state.child(action),
        "the same, and `information_state_string`": lambda: state.child(action).information_state_string(player),
        "`resample_from_infostate`": lambda: state.resample_from_infostate(player, rng.random),
    }
    print("| call | microseconds |\n| --- | --- |")
    for name, call in calls.items():
        print(f"| {name} | {microseconds(call):.0f} |")


if __name__ == "__main__":
    main()
