"""Estimates from the units of one pool of a ladder: those of `stats.estimate`, and how long each rung thought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sackarmies_training.ladder.thinking import Thinking, total
from sackarmies_training.ladder.units import UnitEntry
from sackarmies_training.ratings import Rating
from sackarmies_training.standings import Tally, games_forfeited, tally_of
from sackarmies_training.stats.estimate import Estimate, Estimates


@dataclass(frozen=True)
class RungResult:
    """Measurements of a rung in one pool.

    Attributes:
        name: name of the rung.
        rating: in Elo.
        is_measured: whether the rating rests on games alone; if not, the rung, or a group that it belongs to, took all
            points or none from the others, so that only the prior says how far apart they are.
        score: its share of the points that it and its opponents took in its games.
        tally: wins, draws, losses.
        draw_share: share of its games that were drawn between rungs at the top.
        thinking: time of all its decisions.
        forfeits: games lost by forfeit, see `standings.games_forfeited`.
    """

    name: str
    rating: Rating
    is_measured: bool
    score: Estimate
    tally: Tally
    draw_share: float
    thinking: Thinking
    forfeits: int


class PoolEstimates(Estimates):
    """Estimates from finished units of one pool."""

    def __init__(self, names: Sequence[str], entries: Sequence[UnitEntry], anchor: str | None = None) -> None:
        """Take the finished units.

        Args:
            names: names of the rungs.
            entries: units of one pool, at least one.
            anchor: the rung with rating 0; None: the mean of the largest group is 0, see `groups`.
        """
        super().__init__(names, [entry.played for entry in entries], anchor)
        self.entries = list(entries)

    @cached_property
    def adjusted(self) -> Estimates | None:
        """The same estimates with the luck of flips or dice taken out; None if it was not measured in all games."""
        if not all(entry.luck for entry in self.entries):
            return None
        return Estimates(self.names, self.units, self.anchor, is_adjusted=True)

    def result(self, name: str) -> RungResult:
        """Return the measurements of a rung.

        Raises:
            ValueError: it has not played.
        """
        score = self.score(name)
        if score is None:
            raise ValueError(f"the rung {name!r} has not played")
        mine = [outcome for outcome in self.outcomes if name in outcome.agents]
        drawn = sum(len(set(outcome.best)) > 1 for outcome in mine)
        return RungResult(
            name=name,
            rating=self.ratings()[name],
            is_measured=self.is_measured(name),
            score=score,
            tally=tally_of(self.outcomes, name),
            draw_share=drawn / len(mine),
            thinking=total(entry.thinking[name] for entry in self.entries if name in entry.thinking),
            forfeits=games_forfeited(mine, name),
        )
