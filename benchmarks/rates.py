"""Rates of any registered game, for each number of players: `python -m benchmarks.rates --game territories`.

Measured are random play of a batch with masks and observations and random play inside the kernel without outputs, each
on one thread and, if there are more, on all, and the scripted agent `greedy` against itself on one thread. Rates are
medians of windows in two passes, there and back, so that a change in the machine's load shows in the spread.
"""

from __future__ import annotations

import argparse
import functools
import statistics
from collections.abc import Callable, Iterator

from rich.table import Table

from benchmarks.contest import Player, Window, load_now, measure
from benchmarks.machine import describe_machine, num_cores
from benchmarks.ours import batch_player, greedy_player, rollout_player
from benchmarks.report import wide_console
from sackarmies_env.core.entries import entry_of, find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.registry import DEFAULT_GAME, list_games, load_players

NUM_GAMES = 256  # per thread

Maker = Callable[[Game], Player]


def modes_of(game_id: str, games: int) -> Iterator[tuple[str, Maker]]:
    """Yield the name and the maker of each mode to measure, with `games` games per thread."""
    for threads in sorted({1, num_cores()}):
        said = f"{threads} thread{'s' if threads > 1 else ''}"
        yield f"batch, mask and observation, {said}", functools.partial(_on_threads, batch_player, games, threads)
        yield f"rollout, no outputs, {said}", functools.partial(_on_threads, rollout_player, games, threads)
    if find_hook(game_id, "greedy") is not None:
        yield "`greedy` against `greedy`, 1 thread", greedy_player


def _on_threads(make: Callable[..., Player], games: int, threads: int, game: Game) -> Player:
    return make(game, games * threads, threads=threads)


def rate_of(windows: list[Window], *, by_clock: bool) -> float:
    """Return the median rate, by the wall clock or by processor time."""
    return statistics.median(each.decisions / (each.wall if by_clock else each.cpu) for each in windows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the rates of a game.")
    parser.add_argument("--game", default=DEFAULT_GAME, choices=list_games())
    parser.add_argument("--games", type=int, default=NUM_GAMES, help="in a batch, a thread")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a window")
    parser.add_argument("--windows", type=int, default=3, help="in each of two passes")
    arguments = parser.parse_args()
    least, most = entry_of(arguments.game).players or (2, 2)
    load = load_now()
    counts = range(least, most + 1)
    jobs = [(n, name, make) for n in counts for name, make in modes_of(arguments.game, arguments.games)]
    timed: list[list[Window]] = [[] for _ in jobs]
    there = list(range(len(jobs)))
    for index in there + there[::-1]:
        num_players, _, make = jobs[index]
        player = make(load_players(arguments.game, num_players))
        timed[index] += measure(player.play, arguments.seconds, arguments.windows)
    table = Table("players", "what", "decisions a second", "lowest to highest", "a CPU-second")
    for (num_players, name, _), windows in zip(jobs, timed, strict=True):
        rates = sorted(window.decisions / window.wall for window in windows)
        spread = f"{rates[0]:,.0f} to {rates[-1]:,.0f}"
        by_wall, by_cpu = rate_of(windows, by_clock=True), rate_of(windows, by_clock=False)
        table.add_row(str(num_players), name, f"{by_wall:,.0f}", spread, f"{by_cpu:,.0f}")
    console = wide_console()
    console.print(table)
    loads = f"load {load:.1f} before and {load_now():.1f} after"
    console.print(f"{arguments.game}, {describe_machine()}; {loads}", highlight=False)


if __name__ == "__main__":
    main()
