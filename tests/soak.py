"""A long run of the batch engine: `make soak` plays a million random games, samples states, and watches the memory.

Games of many configurations are played at random, side by side on all cores. Between stretches some of them take one
decision that the invariants (`tests/sack_armies/properties/invariants.py`) and the referee check, who rules on every
mask (`tests/sack_armies/referee`). Memory in use is measured after each configuration, and compared between the second
tenth of them and the last: in the first everything is loaded.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from rich.progress import track

from benchmarks.machine import num_cores
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game
from sackarmies_env.core.state import copy_records
from sackarmies_env.games.sack_armies import make_game
from tests.sack_armies.builders.random_games import bout_options, wrong_mask
from tests.sack_armies.properties.bout import Bout
from tests.sack_armies.properties.invariants import check_end, check_indexes, look_closely
from tests.sack_armies.properties.view import View

ROWS = 64  # games side by side
STRETCH = 2000  # decisions of each of them between samples
SAMPLES = 4  # games that are looked at then
GROWTH = 16.0  # MiB that memory may grow by from the second tenth of the configurations to the last


@dataclass
class Tally:
    """What a soak has seen.

    Attributes:
        games: that were played to their ends.
        decisions: that were taken.
        looks: states that were checked.
        memory: in use after each configuration, in MiB.
    """

    games: int = 0
    decisions: int = 0
    looks: int = 0
    memory: list[float] = field(default_factory=list)

    @property
    def growth(self) -> float:
        """How much more memory was in use in the last tenth of the configurations than in the second, in MiB."""
        tenth = max(1, len(self.memory) // 10)
        return fmean(self.memory[-tenth:]) - fmean(self.memory[tenth : 2 * tenth])


def soak(num_games: int, num_configurations: int, seed: int, threads: int) -> Tally:
    """Play random games under random configurations.

    Args:
        num_games: in all, at least.
        num_configurations: among which they are divided.
        seed: of configurations, games and samples.
        threads: that play.

    Raises:
        AssertionError: a state breaks an invariant, or the referee rules otherwise; the state is printed as a scenario.
        RuntimeError: the engine reports a fault of its own.
    """
    tally = Tally()
    share = -(-num_games // num_configurations)
    for number in track(range(num_configurations), description="soaking", disable=not sys.stderr.isatty()):
        options = bout_options(seed * num_configurations + number)
        play_configuration(options, share, seed, threads, tally)
        tally.memory.append(memory_in_use())
    return tally


def play_configuration(options: dict[str, Any], num_games: int, seed: int, threads: int, tally: Tally) -> None:
    """Play games of one configuration and look at some of their states."""
    game = make_game(**options)
    rng = np.random.default_rng(seed)
    batch = Batch(game, ROWS, threads=threads, masks=False, observations=False)
    batch.reset(rng.integers(1 << 40, size=ROWS))
    while batch.games.sum() < num_games:
        batch.rollout(STRETCH)
        rows = np.sort(rng.choice(ROWS, SAMPLES, replace=False))
        look_at(game, options, batch, rows)
        tally.decisions += ROWS * STRETCH + SAMPLES
        tally.looks += SAMPLES
    tally.games += int(batch.games.sum())


def look_at(game: Game, options: dict[str, Any], batch: Batch, rows: np.ndarray[Any, np.dtype[np.int64]]) -> None:
    """Let some games take one decision and look at what it did."""
    games = batch.games[rows].copy()
    earlier = [copy_of_row(game, batch, row) for row in rows]
    batch.step_random(1, rows)
    for before, row, number in zip(earlier, rows, games, strict=True):
        bout = Bout(options, int(batch.seeds[row]))
        views = []
        for bout.states in (before, copy_of_row(game, batch, row)):
            views.append(View(bout))
        try:
            check_indexes(bout)
            if batch.games[row] == number:
                look_closely(views[0], views[0], views[1])
            else:  # a new game
                check_end(views[1])
            offered = set(views[1].legal)
            fault = "" if bout.player < 0 else wrong_mask(game, bout.states, views[1].position, offered)
            assert not fault, fault
        except AssertionError:
            print(json.dumps(game.to_scenario(before)))
            raise


def memory_in_use() -> float:
    """Return the resident memory of this process in MiB (Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def copy_of_row(game: Game, batch: Batch, row: int) -> Any:
    """Return an independent copy of one state."""
    copy = game.new_states(1)
    copy_records(batch.states[row : row + 1], copy)
    return copy


def main() -> None:
    """Soak, and say what was seen; the exit status is 1 if memory grew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--configurations", type=int, default=200, help="at least 2, default 200")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=num_cores())
    arguments = parser.parse_args()
    begun = time.monotonic()
    tally = soak(arguments.games, arguments.configurations, arguments.seed, arguments.threads)
    print(
        f"{tally.games:,} games of {arguments.configurations} configurations, {tally.decisions:,} decisions in "
        f"{time.monotonic() - begun:.0f} s; {tally.looks:,} states checked, no fault; "
        f"memory {tally.memory[-1]:.0f} MiB, {tally.growth:+.1f} MiB from the second tenth to the last"
    )
    if tally.growth > GROWTH:
        sys.exit(
            f"memory grew by {tally.growth:.1f} MiB; up to {GROWTH:.0f} may come from configurations of other sizes"
        )


if __name__ == "__main__":
    main()
