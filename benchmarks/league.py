"""League pairings compared with round-robin in simulated leagues: games until intervals are as narrow as wanted.

    python -m benchmarks.league

Game results are drawn from Bradley-Terry strengths, which the pairings do not see.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from sackarmies_training.league.pairing import Field, Pair, Planner, Rules, pair_of
from sackarmies_training.league.strengths import Strengths, fit
from sackarmies_training.ratings import ELO_PER_NAT, Outcome
from sackarmies_training.stats.units import PlayedUnit

ROUND = 10  # units
MOST = 6000  # units


@dataclass
class SimulatedLeague:
    """A league in which game results are drawn at random.

    Attributes:
        true: Elo of all agents by name; the first `anchors` of them are anchors, and the very first has the rating 0.
        anchors: number of anchors.
        rng: generator of results.
        units: units played so far.
        patience: see `Rules`.
    """

    true: dict[str, float]
    anchors: int
    rng: np.random.Generator
    units: list[PlayedUnit] = field(default_factory=list)
    patience: int = 4

    @property
    def names(self) -> list[str]:
        """All agents."""
        return list(self.true)

    @property
    def zero(self) -> str:
        """The agent with the rating 0."""
        return self.names[0]

    def strengths(self) -> Strengths:
        """Return the strengths fitted to the units played so far."""
        return fit(self.names, self.units, self.zero)

    def planner(self) -> Planner:
        """Return the planner of the next units."""
        submissions = self.names[self.anchors :]
        pairs = Counter(pair_of(*unit.line_up) for unit in self.units)
        waiting = dict.fromkeys(submissions, 0)
        for unit in self.units:
            for name in submissions:
                waiting[name] = 0 if name in unit.line_up else waiting[name] + 1
        rules = Rules(first_units=6, patience=self.patience, games=2, seed=1)
        return Planner(
            Field(tuple(submissions), tuple(self.names[: self.anchors]), pairs, waiting), self.strengths(), rules
        )

    def play(self, pairs: Sequence[Pair]) -> None:
        """Draw the results of one unit for each pair."""
        for one, other in pairs:
            chance = 1 / (1 + np.exp((self.true[other] - self.true[one]) / ELO_PER_NAT))
            wins = self.rng.random(2) < chance
            seatings = ((one, other), (other, one))
            outcomes = tuple(
                Outcome(seating, tuple(1.0 if (name == one) == won else -1.0 for name in seating))
                for seating, won in zip(seatings, wins.tolist(), strict=True)
            )
            self.units.append(PlayedUnit((one, other), len(self.units), outcomes))

    def width(self, names: Sequence[str]) -> float:
        """Return the mean half-width of the intervals of the named agents, in Elo."""
        strengths = self.strengths()
        ratings = [strengths.rating(name) for name in names]
        return float(np.mean([(rating.high - rating.low) / 2 for rating in ratings]))


def plans(league: SimulatedLeague, kind: str, newcomer: str | None = None) -> Iterator[list[Pair]]:
    """Yield the pairs of each round: as the league pairs agents, or all pairs in turn, or only the newcomer's pairs."""
    pairs = [pair_of(*pair) for pair in itertools.combinations(league.names, 2)]
    turns = itertools.cycle(pair for pair in pairs if kind != "own" or newcomer in pair)
    while True:
        yield league.planner().plan(ROUND) if kind == "league" else list(itertools.islice(turns, ROUND))


def games_until(
    league: SimulatedLeague, kind: str, names: Sequence[str], width: float, newcomer: str | None = None
) -> int:
    """Return how many games it takes until the mean half-width of the intervals of `names` is at most `width`."""
    begun = len(league.units)
    for pairs in plans(league, kind, newcomer):
        league.play(pairs)
        if league.width(names) <= width or len(league.units) - begun >= MOST:
            break
    return 2 * (len(league.units) - begun)


def field_of(seed: int, agents: int, spread: float) -> SimulatedLeague:
    """Return a league of `agents` agents, 3 of them anchors, with normally distributed strengths."""
    rng = np.random.default_rng(seed)
    elo = np.sort(rng.normal(0, spread, agents))
    order = [
        agents // 2,
        0,
        agents - 1,
        *(place for place in rng.permutation(agents) if place not in (agents // 2, 0, agents - 1)),
    ]
    return SimulatedLeague({f"a{place:02d}": float(elo[place] - elo[agents // 2]) for place in order}, 3, rng)


def from_nothing(kind: str, seed: int, spread: float, width: float) -> int:
    """Return how many games a new league of 12 takes until its submissions are rated."""
    league = field_of(seed, 12, spread)
    return games_until(league, kind, league.names[3:], width)


def with_newcomer(kind: str, seed: int, spread: float, width: float) -> int:
    """Return how many games it takes to rate a newcomer to a league of 12 whose members have met 10 times each."""
    league = field_of(seed, 12, spread)
    league.play([pair_of(*pair) for pair in itertools.combinations(league.names, 2)] * 5)
    league.true["new"] = float(league.rng.normal(0, spread))
    return games_until(league, kind, ["new"], width, "new")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=20, help="of each kind")
    seeds = range(parser.parse_args().leagues)
    print("| | spread | league | round-robin | newcomer against each in turn |\n| --- | --- | --- | --- | --- |")
    for spread in (200.0, 400.0):
        told = [np.median([from_nothing(kind, seed, spread, 75.0) for seed in seeds]) for kind in ("league", "all")]
        print(f"| 9 submissions, 3 anchors, from nothing, to ±75 | {spread:g} | {told[0]:.0f} | {told[1]:.0f} | |")
    for spread in (200.0, 400.0):
        told = [
            np.median([with_newcomer(kind, seed, spread, 100.0) for seed in seeds]) for kind in ("league", "all", "own")
        ]
        print(f"| a newcomer to 12, to ±100 | {spread:g} | {told[0]:.0f} | {told[1]:.0f} | {told[2]:.0f} |")


if __name__ == "__main__":
    main()
