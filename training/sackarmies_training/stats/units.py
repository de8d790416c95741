"""Units of statistics: one draw of chance for a line-up, played in all seatings.

The games of a unit share armies and chance, and differ in who sits where: whatever the draw gives to one seat, every
agent gets once. So units are independent of each other, but games are not. With two players, a unit is a pair of games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sackarmies_training.ratings import Outcome


@dataclass(frozen=True)
class PlayedUnit:
    """A finished unit.

    Attributes:
        line_up: names by seat in the first seating.
        draw: the seed of its chance; units of different line-ups with the same seed share their chance.
        outcomes: outcomes of its games.
        luck: luck of each seat in each game, in units of returns, see `stats.luck`; empty if it was not measured.
    """

    line_up: tuple[str, ...]
    draw: int
    outcomes: tuple[Outcome, ...]
    luck: tuple[tuple[float, ...], ...] = ()

    @cached_property
    def agents(self) -> frozenset[str]:
        """Names of the agents that play."""
        return frozenset(self.line_up)

    def points(self, name: str) -> float:
        """Return an agent's points in all games: one point per game, shared by those who draw."""
        return sum(outcome.score(name) for outcome in self.outcomes)

    def points_of_luck(self, name: str) -> float:
        """Return how many of these points are luck; 0 if that was not measured."""
        mine = [
            luck
            for outcome, game in zip(self.outcomes, self.luck, strict=False)
            for seated, luck in zip(outcome.agents, game, strict=True)
            if seated == name
        ]
        return points_of(sum(mine), len(self.line_up))


def points_of(returns: float, players: int) -> float:
    """Convert a difference in returns to points, in games of `players` players."""
    return (players - 1) / players * returns


def units_of(outcomes: Sequence[Outcome], seeds: Sequence[int]) -> list[PlayedUnit]:
    """Group games into units: those with the same agents and the same seed belong together.

    Args:
        outcomes: outcomes of the games.
        seeds: seeds of their chance.
    """
    games: dict[tuple[tuple[str, ...], int], list[Outcome]] = {}
    for outcome, seed in zip(outcomes, seeds, strict=True):
        games.setdefault((tuple(sorted(outcome.agents)), seed), []).append(outcome)
    return [PlayedUnit(played[0].agents, seed, tuple(played)) for (_, seed), played in games.items()]
