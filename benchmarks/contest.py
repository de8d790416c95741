"""Measurement of one contestant in a separate process: `python -m benchmarks.contest MODULE NAME`.

Every contestant does the same work: it chooses uniformly among the legal actions, produces the current player's mask
and observation at every decision, and starts a new game whenever one ends. The process warms up, plays a few windows of
equal length, and writes one line of JSON to stdout. It runs in the contestant's interpreter, so this module needs only
the standard library and NumPy.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import os
import platform
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

Play = Callable[[int], int]  # plays at least that many decisions, returns how many


@dataclass
class Player:
    """A contestant ready to play.

    Attributes:
        play: continues for at least the given number of decisions; returns how many were played.
        details: what the table shows beside the rate: sizes, games at once, threads.
    """

    play: Play
    details: dict[str, Any] = field(default_factory=dict)


@dataclass
class Window:
    """One timed stretch of play.

    Attributes:
        decisions: how many were played.
        wall: seconds by the wall clock.
        cpu: seconds of processor time of the whole process, all threads.
        load: load of the machine (one-minute average) before and after.
    """

    decisions: int
    wall: float
    cpu: float
    load: tuple[float, float]


def time_window(play: Play, decisions: int) -> Window:
    """Play once and time it."""
    before = load_now()
    wall, cpu = time.perf_counter(), time.process_time()
    played = play(decisions)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Window(played, wall, cpu, (before, load_now()))


def measure(play: Play, seconds: float, windows: int) -> list[Window]:
    """Play `windows` times for about `seconds` each, after a warm-up of half that time, which finds the pace."""
    play(1)  # compiles what is not compiled yet
    decisions = 1
    while True:
        trial = time_window(play, decisions)
        if trial.wall >= seconds / 2:
            break
        decisions = max(2 * trial.decisions, int(trial.decisions * seconds / 2 / max(trial.wall, 1e-9)))
    decisions = max(1, int(trial.decisions * seconds / trial.wall))
    return [time_window(play, decisions) for _ in range(windows)]


def best_of(players: Sequence[Player], seconds: float = 0.4) -> Player:
    """Return the player that is fastest in a short trial, for contestants that come in several batch sizes."""
    rates = []
    for player in players:
        (window,) = measure(player.play, seconds, 1)
        rates.append(window.decisions / window.wall)
    best = players[int(np.argmax(rates))]
    sizes = [player.details.get("games at once") for player in players]
    best.details["tried"] = {str(size): round(rate) for size, rate in zip(sizes, rates, strict=True)}
    return best


def load_now() -> float:
    """Return how many processes wanted a core, averaged over the last minute; 0 if the system does not report it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def aec_player(env: Any, seed: int) -> Player:
    """Return random play of a PettingZoo environment; the loop is the same for other libraries and ours.

    Args:
        env: an AEC environment whose observations are dicts with "observation" and "action_mask".
        seed: seed of games and choices.
    """
    draw = random.Random(seed).random
    num_games = 0
    env.reset(seed=seed)
    first = env.last()[0]

    def play(decisions: int) -> int:
        nonlocal num_games
        played = 0
        while played < decisions:
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                num_games += 1
                env.reset(seed=seed + num_games)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(draw() * len(legal))]))
            played += 1
        return played

    return Player(play, sizes(len(first["action_mask"]), first["observation"]))


def sizes(num_actions: int, observation: Any, games: int = 1, threads: int = 1) -> dict[str, Any]:
    """Return the details that every contestant reports; `observation` is what one player sees at one decision."""
    return {
        "actions": int(num_actions),
        "observation": f"{observation.size:,} {observation.dtype}",
        "observation bytes": int(observation.nbytes),
        "games at once": games,
        "threads": threads,
    }


def versions_of(packages: Sequence[str]) -> dict[str, str]:
    """Return the versions of Python and of installed packages, Python first."""
    return {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in packages}


def main() -> None:
    """Measure the contestant named on the command line."""
    parser = argparse.ArgumentParser(description="Measure one contestant and write JSON.")
    parser.add_argument("module", help="for example benchmarks.peers.openspiel")
    parser.add_argument("name", help="a key of the module's CONTESTANTS")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a window")
    parser.add_argument("--windows", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    family = importlib.import_module(arguments.module)
    if arguments.name not in family.CONTESTANTS:
        parser.error(f"{arguments.module} has no contestant {arguments.name!r}: it has {', '.join(family.CONTESTANTS)}")
    player = family.CONTESTANTS[arguments.name](arguments.seed)
    windows = measure(player.play, arguments.seconds, arguments.windows)
    result = {
        "windows": [asdict(window) for window in windows],
        "details": player.details,
        "versions": versions_of(family.PACKAGES),
    }
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
