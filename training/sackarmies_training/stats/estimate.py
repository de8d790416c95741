"""Estimates from finished units: ratings, payoffs, shares of points; intervals by bootstrap over units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy  # whose parts load when they are used
from numpy.typing import NDArray

from sackarmies_training.ratings import (
    CONFIDENCE,
    ELO_PER_NAT,
    PRIOR,
    Outcome,
    Rating,
    chances_of,
    curvature_of,
    fit_strengths,
    line_ups_of,
)
from sackarmies_training.stats.elo import elo_of
from sackarmies_training.stats.units import PlayedUnit

RESAMPLES = 1000
RESAMPLING_SEED = 1  # equal data give equal intervals
MAX_STEPS = 100
EXACT = 1e-9  # final slope, per game
ENDS = (0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2)
SAME = 1e-12  # difference between shares of resamples that are all alike
ALIKE = 1e-9  # Elo: if resamples differ by less, all units are alike and do not show what others may be like


@dataclass(frozen=True)
class Estimate:
    """A share of points with its interval, and what it rests on.

    Attributes:
        value: the share.
        low: lower end of the interval.
        high: upper end of the interval.
        units: number of units in which any of these points was taken.
        games: number of games in which they could be taken.
        points: number of points that are shared: with several players, others may take the points of a game.
        is_resampled: whether the interval comes from resamples; if not, the units are all alike, and it is Wilson's.
    """

    value: float
    low: float
    high: float
    units: int
    games: int
    points: float
    is_resampled: bool

    @staticmethod
    def of(value: float, resampled: NDArray[np.float64], units: int, games: int, points: float) -> Estimate:
        """Return the estimate of a share from its values in resamples; if these are equal, the interval is Wilson's."""
        low, high = (float(end) for end in np.quantile(resampled, ENDS))
        is_resampled = high - low >= SAME
        if not is_resampled:  # resampling does not show what other units may be like
            low, high = widened_wilson(value, units)
        return Estimate(value, low, high, units, games, points, is_resampled)


@dataclass(frozen=True)
class Step:
    """How far an agent stands above the next lower one.

    Attributes:
        upper: the agent with the higher rating.
        lower: the next one.
        difference: of their ratings.
        is_measured: whether games alone set it.
        is_ordered: whether the upper agent took points from the lower one, directly or through others.
    """

    upper: str
    lower: str
    difference: Rating
    is_measured: bool
    is_ordered: bool

    @property
    def is_shown(self) -> bool:
        """Whether the interval of the difference lies above 0."""
        return self.difference.low > 0


class Estimates:
    """Estimates from finished units of games with the same number of players.

    Intervals are percentiles of `RESAMPLES` resamples, drawn with replacement (Efron and Tibshirani, "An Introduction
    to the Bootstrap", 1993, chapter 13). A resample consists of draws of chance, each with the units of all line-ups
    that played it; of the draws that the same line-ups played, it has as many as there are. In a ladder, each unit has
    its own draw; in a tournament, all line-ups play the same draws.
    """

    def __init__(
        self,
        names: Sequence[str],
        units: Sequence[PlayedUnit],
        anchor: str | None = None,
        *,
        centered: bool = False,
        is_adjusted: bool = False,
    ) -> None:
        """Take the finished units.

        Args:
            names: names of the agents.
            units: at least one.
            anchor: the agent with rating 0; None: the mean of the largest group is 0, see `groups`.
            centered: whether the mean of all agents is 0 instead.
            is_adjusted: whether measured luck is taken out of the points. Ratings are fitted to totals that are
                possible then, see `PossiblePoints`.
        """
        self.names = list(names)
        self.units = list(units)
        self.anchor = anchor
        self._centered = centered
        self._is_adjusted = is_adjusted
        self.outcomes: list[Outcome] = [outcome for unit in units for outcome in unit.outcomes]
        self._points = np.array([[unit.points(name) for name in self.names] for unit in units])  # (units, agents)
        luck = np.array([[unit.points_of_luck(name) for name in self.names] for unit in units])
        self._credits = self._points - luck if is_adjusted else self._points
        self._seated = np.array([[name in unit.agents for name in self.names] for unit in units])
        self._games = np.array([len(unit.outcomes) for unit in units])

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """How often each resample contains each unit, `(RESAMPLES, units)`."""
        rng = np.random.default_rng(RESAMPLING_SEED)
        weights = np.zeros((RESAMPLES, len(self.units)))
        for draws in self._draws():
            counts = rng.multinomial(len(draws), np.full(len(draws), 1 / len(draws)), RESAMPLES)
            for column, rows in enumerate(draws):
                weights[:, rows] = counts[:, column, None]
        return weights

    def _draws(self) -> list[list[list[int]]]:
        """Return the units of each draw of chance, grouping draws that the same line-ups played."""
        rows: dict[int, list[int]] = {}
        for row, unit in enumerate(self.units):
            rows.setdefault(unit.draw, []).append(row)
        alike: dict[str, list[list[int]]] = {}
        for units in rows.values():
            alike.setdefault("\n\n".join(sorted("\n".join(self.units[row].line_up) for row in units)), []).append(units)
        return [alike[key] for key in sorted(alike)]

    # --- ratings

    @cached_property
    def _strengths(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Ratings in Elo, `(agents,)`, and those of all resamples, `(RESAMPLES, agents)`."""
        seats, games = line_ups_of(self.names, self.outcomes)
        total, totals = self._credits.sum(axis=0), self._weights @ self._credits
        if self._is_adjusted:
            total, totals = self._possible.nearest(total), self._possible.nearest(totals)
        best = fit_strengths(seats, games, total)
        return self._scaled(best[None])[0], self._scaled(refit_strengths(seats, games, totals, best))

    @cached_property
    def _possible(self) -> PossiblePoints:
        """The possible points of the agents, in the order of their ratings by plain points."""
        seats, games = line_ups_of(self.names, self.outcomes)
        order = np.argsort(fit_strengths(seats, games, self._points.sum(axis=0)), kind="stable")
        return PossiblePoints.of(seats, games, order)

    def _scaled(self, strengths: NDArray[np.float64]) -> NDArray[np.float64]:
        zeros = set(self.names) if self._centered else self.measured if self.anchor is None else {self.anchor}
        zero = strengths[:, [name in zeros for name in self.names]].mean(axis=1)
        result: NDArray[np.float64] = (strengths - zero[:, None]) * ELO_PER_NAT
        return result

    def ratings(self) -> dict[str, Rating]:
        """Return the Bradley-Terry ratings, see `ratings.bradley_terry`, with intervals over units.

        There are no intervals if all units are alike, except for the anchor, which always has 0.
        """
        best, others = self._strengths
        ends = np.quantile(others, ENDS, axis=0)
        ends[:, (ends[1] - ends[0] < ALIKE) & [name != self.anchor for name in self.names]] = math.nan
        return {name: Rating(float(best[i]), *map(float, ends[:, i])) for i, name in enumerate(self.names)}

    @cached_property
    def _reached(self) -> NDArray[np.bool_]:
        """Whether each agent took points from each other one, directly or through others, `(agents, agents)`."""
        reached: NDArray[np.bool_] = (self._points > 0).T.astype(np.int64) @ self._seated > 0
        np.fill_diagonal(reached, val=True)
        for through in range(len(self.names)):
            reached |= reached[:, [through]] & reached[[through]]
        return reached

    @cached_property
    def groups(self) -> dict[str, int]:
        """Group of each agent: between groups, points went one way only, so that games alone set no finite distance.

        Ratings are finite without a prior within a group (Ford, "Solution of a ranking problem from binary
        comparisons", 1957): the strongly connected components of the graph "took points from". With luck taken out,
        groups are divided further where only impossible totals would tell how far apart they are, see `PossiblePoints`.
        """
        mutual = self._reached & self._reached.T
        first = mutual.argmax(axis=1)  # the first agent of the group
        if self._is_adjusted:
            parts = self._possible.parts(self._credits.sum(axis=0))
            first = (mutual & (parts[:, None] == parts)).argmax(axis=1)
        return dict(zip(self.names, first.tolist(), strict=True))

    @cached_property
    def measured(self) -> frozenset[str]:
        """The agents whose ratings are comparable by games alone: the group of the anchor, or the largest group.

        Of several largest groups, it is the one with the agent that took the most points per game.
        """
        groups = {group: [name for name in self.names if self.groups[name] == group] for group in self.groups.values()}
        if self.anchor is not None:
            return frozenset(groups[self.groups[self.anchor]])
        points = dict(zip(self.names, self._points.sum(axis=0) / (self._games @ self._seated), strict=True))

        def weight(names: list[str]) -> tuple[int, float]:
            return len(names), max(points[name] for name in names)

        largest = max(groups.values(), key=weight)
        return frozenset(largest)

    def is_measured(self, name: str) -> bool:
        """Return whether games alone compare an agent with others, see `measured`."""
        return name in self.measured and len(self.measured) > 1

    @property
    def has_single_units(self) -> bool:
        """Whether no draws were played by the same line-ups, so that nothing says how much units differ."""
        return all(len(draws) == 1 for draws in self._draws())

    @property
    def ranked(self) -> list[str]:
        """The agents, best rating first."""
        ratings = self.ratings()
        return sorted(self.names, key=lambda name: -ratings[name].value)

    def steps(self) -> list[Step]:
        """Return how far each agent stands above the next lower one, from the top down."""
        return [
            Step(
                upper,
                lower,
                self.difference(upper, lower),
                self.groups[upper] == self.groups[lower],
                bool(self._reached[self.names.index(upper), self.names.index(lower)]),
            )
            for upper, lower in pairwise(self.ranked)
        ]

    def difference(self, one: str, other: str) -> Rating:
        """Return how far one agent stands above another, in Elo.

        If all units are alike, the interval is that of their payoff, and infinite if they have not met.
        """
        best, others = self._strengths
        upper, lower = self.names.index(one), self.names.index(other)
        value = float(best[upper] - best[lower])
        low, high = (float(end) for end in np.quantile(others[:, upper] - others[:, lower], ENDS))
        if high - low < ALIKE:
            met = self.payoff(one, other)
            low, high = (-math.inf, math.inf) if met is None else (elo_of(met.low), elo_of(met.high))
            low, high = min(low, value), max(high, value)  # games with others may have moved it out
        return Rating(value, low, high)

    # --- points

    def payoff(self, one: str, other: str) -> Estimate | None:
        """Return the first agent's share of the points that two agents took in their common games.

        With two players this is the mean result, a draw being half a win. None if they have not met or took nothing.
        """
        row, column = self.names.index(one), self.names.index(other)
        units = np.flatnonzero(self._seated[:, row] & self._seated[:, column])
        return self._share(units, self._credits[units, row], self._credits[units, column])

    def score(self, name: str) -> Estimate | None:
        """Return an agent's share of the points that it and its opponents took in its games; None if there are none."""
        row = self.names.index(name)
        units = np.flatnonzero(self._seated[:, row])
        mine = self._credits[units, row]
        return self._share(units, mine, self._credits[units].sum(axis=1) - mine)

    def _share(
        self, units: NDArray[np.int64], mine: NDArray[np.float64], theirs: NDArray[np.float64]
    ) -> Estimate | None:
        both = mine + theirs
        if not both.sum() > 0:
            return None
        value = float(mine.sum() / both.sum())
        weights = self._weights[:, units]
        totals = weights @ both
        shares = (weights @ mine)[totals > 0] / totals[totals > 0]
        games, points = int(self._games[units].sum()), float(both.sum())
        return Estimate.of(value, shares, int((both != 0).sum()), games, points)


@dataclass(frozen=True)
class PossiblePoints:
    """How many points agents can take together, from the lowest agent up.

    With luck taken out, agents may have less than no points, or more than one for each game. No strengths expect that,
    and the prior alone would keep ratings finite. Whatever the strengths, the lowest agents together expect at least
    one point for each game that only they play, and at most one for each game that any of them plays.

    Attributes:
        order: `(n,)`, indices of the agents, the lowest first.
        least: `(n,)`, least points of the agents up to this place together.
        most: `(n,)`, most points of them.
    """

    order: NDArray[np.int64]
    least: NDArray[np.int64]
    most: NDArray[np.int64]

    @staticmethod
    def of(seats: NDArray[np.int64], games: NDArray[np.int64], order: NDArray[np.int64]) -> PossiblePoints:
        """Take line-ups and the numbers of their games, see `line_ups_of`, and the order of the agents."""
        seated, count = seats[:, order] > 0, len(order)
        lowest, highest = seated.argmax(axis=1), count - 1 - seated[:, ::-1].argmax(axis=1)
        least, most = (np.bincount(places, games, count).astype(np.int64).cumsum() for places in (highest, lowest))
        return PossiblePoints(order, least, most)

    def nearest(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return points `(..., n)`, with impossible sums from the lowest agent up moved to the nearest possible ones.

        That never takes a sum further from what is expected of it, and changes no points where all sums are possible.
        """
        found = np.empty_like(points)
        found[..., self.order] = np.diff(self._sums(points).clip(self.least, self.most), axis=-1, prepend=0)
        return found

    def parts(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the part of each agent, `(n,)`; between parts, the prior alone sets how far apart ratings are.

        These are places in the order at which points `(n,)` have a sum that is impossible, or the least or most one.
        """
        sums = self._sums(points)[:-1]
        is_cut = (sums <= self.least[:-1]) | (sums >= self.most[:-1])
        found = np.empty(len(points), np.int64)
        found[self.order] = np.concatenate([[0], is_cut.cumsum()])
        return found

    def _sums(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return points[..., self.order].cumsum(axis=-1)


def refit_strengths(
    seats: NDArray[np.int64], games: NDArray[np.int64], scores: NDArray[np.float64], start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Do what `fit_strengths` does for many scores at once, by Newton's method; return `(m, n)`.

    Args:
        seats: `(k, n)`.
        games: `(k,)`.
        scores: `(m, n)`.
        start: `(n,)`, strengths of similar scores.
    """
    strengths = np.tile(start, (len(scores), 1))
    for _ in range(MAX_STEPS):
        chances = chances_of(seats, strengths)
        slopes = PRIOR * strengths - scores + games @ chances
        if np.abs(slopes).max() < EXACT * games.sum():
            break
        steps = np.linalg.solve(curvature_of(games, chances), slopes[..., None])[..., 0]
        strengths -= steps / np.maximum(1.0, np.abs(steps).max(axis=1, keepdims=True))  # far off, a nat at a time
    return strengths


def wilson(share: float, units: int) -> tuple[float, float]:
    """Return the ends of the 95% Wilson interval of a share of the points of `units` units.

    A mean of numbers from 0 to 1 varies at most as much as one of zeros and ones, so the interval is wider than it need
    be if units lie in between.
    """
    z = float(scipy.stats.norm.ppf(ENDS[1]))
    center = (share + z * z / (2 * units)) / (1 + z * z / units)
    half = z / (1 + z * z / units) * math.sqrt(share * (1 - share) / units + z * z / (4 * units * units))
    low = max(0.0, center - half) if share > 0 else 0.0  # exactly, so that Elo is infinite there
    high = min(1.0, center + half) if share < 1 else 1.0
    return low, high


def widened_wilson(share: float, units: int) -> tuple[float, float]:
    """Return what `wilson` does, for a share that may lie outside 0 to 1: the interval contains it."""
    low, high = wilson(min(max(share, 0.0), 1.0), units)
    return min(low, share), max(high, share)
