"""Growth curves of the rate by its causes: `make bench-curves` measures them and writes JSON, pictures and a page.

A batch plays at random, with masks and observations. One axis varies at a time, and every point is measured twice,
there and back. Rates are by the wall clock. "Growth" is the processor time of a decision divided by its cause, relative
to the first point of the curve: at or below 1, the time grows no faster than its cause.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import sackarmies_env
from benchmarks.contest import Window, load_now, measure
from benchmarks.curve_report import curves_table, draw_curves
from benchmarks.machine import describe_machine, num_cores
from benchmarks.page import record
from benchmarks.report import wide_console
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game
from sackarmies_env.core.state import copy_records

NUM_GAMES = 256
WARMED = 512  # games that are played into the middle game; further games start as copies of these
WARM_UP = 300
GAMES = (1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536)
GENERALS = (2, 3, 4, 5, 6)
TOKENS = (12, 20, 30, 40, 52, 64)
RADII = (5, 7, 9, 12, 15, 17)
BATTLEFIELDS = {"plain": 3, "woods": 2}
UNITS = ("elf_archers", "elven_spearmen", "elven_scouts", "stag_riders", "pixies", "gryphon_knights", "noble_horse")
ANY_ARMY = {"max_ranks": 1000, "copy_limits": {1: 64, 2: 64, 3: 64}}


@dataclass(frozen=True)
class Point:
    """One measurement of a curve.

    Attributes:
        axis: name of the curve.
        value: value of what varies.
        cause: what the time of a decision may grow with, as far as this axis goes.
        game: configuration of the game.
        num_games: games at once.
        threads: number of threads.
    """

    axis: str
    value: int
    cause: float
    game: Mapping[str, Any]
    num_games: int = NUM_GAMES
    threads: int = 1


def army_of(size: int) -> dict[str, Any]:
    """Return an army of `size` tokens: five battlefields, and units of several kinds in turn."""
    tokens = dict(BATTLEFIELDS)
    for number in range(size - sum(BATTLEFIELDS.values())):
        unit = UNITS[number % len(UNITS)]
        tokens[unit] = tokens.get(unit, 0) + 1
    return {"name": f"{size} tokens", "tokens": tokens}


def hexes(radius: int) -> int:
    """Return how many hexes a board of this radius has."""
    return 3 * radius * (radius + 1) + 1


def all_points() -> Iterator[Point]:
    """Yield the points of all curves."""
    for num_games in GAMES:
        yield Point("games at once", num_games, 1, {}, num_games)
    for threads in range(1, num_cores() + 1):
        yield Point("threads", threads, 1, {}, 2 * NUM_GAMES, threads)
    for generals in GENERALS:
        yield Point("Generals", generals, generals, {"num_generals": generals})
    for size in TOKENS:
        yield Point("tokens an army", size, size, {"armies": [army_of(size)] * 2, "switches": ANY_ARMY})
    for radius in RADII:
        yield Point("grid radius", radius, hexes(radius), {"switches": {"grid_radius": radius}})


def warm_batch(game: Game, point: Point) -> Batch:
    """Return the games of a point in the middle game: some played there, the others copies that go on differently."""
    batch = Batch(game, point.num_games, threads=point.threads)
    batch.reset(np.arange(point.num_games, dtype=np.int64))
    played = np.arange(min(point.num_games, WARMED))
    batch.step_random(WARM_UP, played)
    for begin in range(WARMED, point.num_games, WARMED):
        part = batch.states[begin : begin + WARMED]
        copy_records(batch.states[: len(part)], part)
    batch.read()
    return batch


def measure_point(point: Point, seconds: float, windows: int) -> list[Window]:
    """Return the windows timed at a point."""
    batch = warm_batch(load(point), point)

    def play(decisions: int) -> int:
        steps = -(-decisions // point.num_games)
        for _ in range(steps):
            batch.step_random()
        return steps * point.num_games

    return measure(play, seconds, windows)


def load(point: Point) -> Game:
    """Return the game of a point."""
    return sackarmies_env.load_game("sack_armies", **point.game)


def entry_of(point: Point, windows: list[Window]) -> dict[str, Any]:
    """Return the entry of a point in the results: medians, and the sizes behind them."""
    game = load(point)
    return {
        "axis": point.axis,
        "value": point.value,
        "cause": point.cause,
        "rate": statistics.median(window.decisions / window.wall for window in windows),
        "nanoseconds": statistics.median(window.cpu / window.decisions for window in windows) * 1e9,
        "state": game.state_dtype.itemsize,
        "observation": game.observation_spec.size,
        "actions": game.num_actions,
    }


def add_growth(points: list[dict[str, Any]]) -> None:
    """Add to each point the growth of the time of a decision by its cause, relative to the first point of its curve."""
    first: dict[str, float] = {}
    for point in points:
        by_cause = point["nanoseconds"] / point["cause"]
        point["growth"] = by_cause / first.setdefault(point["axis"], by_cause)


def main() -> None:
    """Measure, print, and write JSON, pictures and the page."""
    parser = argparse.ArgumentParser(description="Measure how the rate depends on its causes.")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a window")
    parser.add_argument("--windows", type=int, default=3, help="in each of two passes, there and back")
    parser.add_argument("--axis", default="", help="measure and print this curve alone, and write nothing")
    arguments = parser.parse_args()
    console = wide_console()
    started, load = time.monotonic(), load_now()
    points = [point for point in all_points() if arguments.axis in {"", point.axis}]
    timed: list[list[Window]] = [[] for _ in points]
    there = list(range(len(points)))
    for index in there + there[::-1]:
        timed[index] += measure_point(points[index], arguments.seconds, arguments.windows)
        rate = timed[index][-1].decisions / timed[index][-1].wall
        console.print(f"{points[index].axis} {points[index].value}: {rate:,.0f}/s", highlight=False)
    entries = [entry_of(point, windows) for point, windows in zip(points, timed, strict=True)]
    add_growth(entries)
    result = {
        "command": shlex.join(["python", "-m", "benchmarks.curves", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": describe_machine(),
        "points": entries,
        "load": [load, load_now()],
        "seconds": time.monotonic() - started,
    }
    console.print(curves_table(result))
    if not arguments.axis:
        draw_curves(result)
        record("curves", result)
        console.print("wrote benchmarks/results/curves.json, pictures, and docs/benchmarks.md")


if __name__ == "__main__":
    main()
