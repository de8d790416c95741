"""Units of statistics: one draw of chance for a line-up, played in all seatings.

The games of a unit share armies and chance, and differ in who sits where: what the draw gives to one seat, every agent
gets once. So units are independent of each other, and games are not. With two players a unit is a pair of games.
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
        draw: the seed of its chance; units of several line-ups that have the same one share it.
        outcomes: of its games.
    """

    line_up: tuple[str, ...]
    draw: int
    outcomes: tuple[Outcome, ...]

    @cached_property
    def agents(self) -> frozenset[str]:
        """Who plays."""
        return frozenset(self.line_up)

    def points(self, name: str) -> float:
        """Return the points of an agent in all games: one a game, divided among those who draw."""
        return sum(outcome.score(name) for outcome in self.outcomes)


def units_of(outcomes: Sequence[Outcome], seeds: Sequence[int]) -> list[PlayedUnit]:
    """Return games as units: those of the same agents and the same seed belong together.

    Args:
        outcomes: of games.
        seeds: of their chance.
    """
    games: dict[tuple[tuple[str, ...], int], list[Outcome]] = {}
    for outcome, seed in zip(outcomes, seeds, strict=True):
        games.setdefault((tuple(sorted(outcome.agents)), seed), []).append(outcome)
    return [PlayedUnit(played[0].agents, seed, tuple(played)) for (_, seed), played in games.items()]
