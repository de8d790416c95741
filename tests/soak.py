"""A long run of the batch engine: `make soak` plays a million random games, samples states, and watches memory use.

Games of many configurations are played at random, side by side on all cores. Between stretches, some of them take one
decision that is checked against the game's invariants (`tests/GAME/properties/invariants.py`). The referee of Sack
Armies also checks their masks; that of Territories plays a game of each configuration beside the engine for a while.
Memory in use is measured after each configuration. The last tenth of the configurations is compared with the second,
because everything is loaded during the first.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import sys
import time
from collections.abc import Callable
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
from sackarmies_env.games import sack_armies, territories
from tests.sack_armies.builders.random_games import bout_options, wrong_mask
from tests.sack_armies.properties.bout import Bout
from tests.sack_armies.properties.invariants import check_end, check_indexes, look_closely
from tests.sack_armies.properties.view import View
from tests.territories.properties import invariants
from tests.territories.referee.middle import play_both_from
from tests.territories.referee.random_play import options_of

ROWS = 64  # games side by side
STRETCH = 2000  # decisions of each game between samples
SAMPLES = 4  # games that are checked after a stretch
REFEREED = 200  # decisions per configuration of Territories that the referee plays as well
GROWTH = 16.0  # MiB that memory may grow by from the second tenth of the configurations to the last


@dataclass
class Tally:
    """Counts and memory use of a soak.

    Attributes:
        games: games played to the end.
        decisions: decisions taken.
        looks: states checked.
        memory: memory in use after each configuration, in MiB.
    """

    games: int = 0
    decisions: int = 0
    looks: int = 0
    memory: list[float] = field(default_factory=list)

    @property
    def growth(self) -> float:
        """Growth of memory in use from the second tenth of the configurations to the last, in MiB."""
        tenth = max(1, len(self.memory) // 10)
        return fmean(self.memory[-tenth:]) - fmean(self.memory[tenth : 2 * tenth])


@dataclass(frozen=True)
class Sample:
    """A decision to check.

    Attributes:
        game: the game played.
        options: arguments of `make`.
        seed: seed of the game.
        before, after: `(1,)`, states before and after the decision.
        is_same: whether the game goes on; if not, `after` is the first decision of a new one.
    """

    game: Game
    options: dict[str, Any]
    seed: int
    before: Any
    after: Any
    is_same: bool


@dataclass(frozen=True)
class Subject:
    """A game to soak.

    Attributes:
        options: returns the arguments of `make` for the seed of a configuration.
        make: builds the game.
        look: raises an AssertionError if a sample is wrong.
        begin: checks a configuration, given its seed, before it is played; returns the number of states checked.
    """

    options: Callable[[int], dict[str, Any]]
    make: Callable[..., Game]
    look: Callable[[Sample], None]
    begin: Callable[[int], int] = lambda _: 0


def soak(subject: Subject, num_games: int, num_configurations: int, seed: int, threads: int) -> Tally:
    """Play random games under random configurations.

    Args:
        subject: the game to play.
        num_games: minimum number of games in all.
        num_configurations: number of configurations among which the games are divided.
        seed: seed of configurations, games and samples.
        threads: number of threads that play.

    Raises:
        AssertionError: a state breaks an invariant, or the referee disagrees; the state is printed as a scenario.
        RuntimeError: the engine reports an internal error.
    """
    tally = Tally()
    share = -(-num_games // num_configurations)
    for number in track(range(num_configurations), description="soaking", disable=not sys.stderr.isatty()):
        tally.looks += subject.begin(seed * num_configurations + number)
        options = subject.options(seed * num_configurations + number)
        play_configuration(subject, options, share, seed, threads, tally)
        tally.memory.append(memory_in_use())
    return tally


def play_configuration(
    subject: Subject, options: dict[str, Any], num_games: int, seed: int, threads: int, tally: Tally
) -> None:
    """Play games of one configuration and check some of their states."""
    game = subject.make(**options)
    rng = np.random.default_rng(seed)
    batch = Batch(game, ROWS, threads=threads, masks=False, observations=False)
    batch.reset(rng.integers(1 << 40, size=ROWS))
    while batch.games.sum() < num_games:
        batch.rollout(STRETCH)
        rows = np.sort(rng.choice(ROWS, SAMPLES, replace=False))
        look_at(subject, game, options, batch, rows)
        tally.decisions += ROWS * STRETCH + SAMPLES
        tally.looks += SAMPLES
    tally.games += int(batch.games.sum())


def look_at(
    subject: Subject, game: Game, options: dict[str, Any], batch: Batch, rows: np.ndarray[Any, np.dtype[np.int64]]
) -> None:
    """Take one random decision in some games and check its effect."""
    games = batch.games[rows].copy()
    earlier = [copy_of_row(game, batch, row) for row in rows]
    batch.step_random(1, rows)
    for before, row, number in zip(earlier, rows, games, strict=True):
        after = copy_of_row(game, batch, row)
        try:
            subject.look(Sample(game, options, int(batch.seeds[row]), before, after, batch.games[row] == number))
        except AssertionError:
            print(json.dumps(game.to_scenario(before)))
            raise


def look_at_sack_armies(sample: Sample) -> None:
    """Check invariants, and the mask against the referee."""
    bout = Bout(sample.options, sample.seed)
    views = []
    for bout.states in (sample.before, sample.after):
        views.append(View(bout))
    check_indexes(bout)
    if sample.is_same:
        look_closely(views[0], views[0], views[1])
    else:
        check_end(views[1])
    offered = set(views[1].legal)
    fault = "" if bout.player < 0 else wrong_mask(sample.game, bout.states, views[1].position, offered)
    assert not fault, fault


def look_at_territories(sample: Sample) -> None:
    """Check invariants."""
    before, after = (invariants.View(sample.game, states) for states in (sample.before, sample.after))
    invariants.check_state(after)
    invariants.check_returns(after)
    if sample.is_same:
        invariants.check_step(before, after)


def territories_options(seed: int) -> dict[str, Any]:
    """Return the arguments of `make_game` for a seed."""
    given = options_of(seed)
    return {"num_players": given["num_players"], "map": given["game_map"], "switches": given["switches"]}


def referee_territories(seed: int) -> int:
    """Play on from a random position with engine and referee side by side; return how many decisions were compared."""
    return play_both_from(seed, REFEREED).total()


SUBJECTS = {
    "sack_armies": Subject(bout_options, sack_armies.make_game, look_at_sack_armies),
    "territories": Subject(territories_options, territories.make_game, look_at_territories, begin=referee_territories),
}


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
    """Run the soak and print a summary; the exit status is 1 if memory grew by more than `GROWTH`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="sack_armies", choices=SUBJECTS)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--configurations", type=int, default=200, help="at least 2, default 200")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=num_cores())
    arguments = parser.parse_args()
    begun = time.monotonic()
    tally = soak(SUBJECTS[arguments.game], arguments.games, arguments.configurations, arguments.seed, arguments.threads)
    print(
        f"{tally.games:,} games of {arguments.configurations} configurations, {tally.decisions:,} decisions in "
        f"{time.monotonic() - begun:.0f} s; {tally.looks:,} states checked, no fault; "
        f"memory {tally.memory[-1]:.0f} MiB, {tally.growth:+.1f} MiB from the second tenth to the last"
    )
    if tally.growth > GROWTH:
        sys.exit(
            f"memory grew by {tally.growth:.1f} MiB; "
            f"up to {GROWTH:.0f} MiB can be explained by differing configuration sizes"
        )


if __name__ == "__main__":
    main()
