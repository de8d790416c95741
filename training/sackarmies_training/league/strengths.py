"""Ratings of a league: Bradley-Terry as in ladders, with model-based intervals, which also suit pairs that met once.

The bootstrap over units, as in ladders, needs several units of each line-up. Where pairings follow uncertainty, many
pairs meet once, and all resamples of them would be alike. So intervals come from the curvature of the likelihood
(Laplace), widened by the dispersion of whole units, since games of a unit are not independent (quasi-likelihood:
McCullagh and Nelder, "Generalized Linear Models", 1989, chapter 9).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from sackarmies_training.ratings import (
    CONFIDENCE,
    ELO_PER_NAT,
    PRIOR,
    Rating,
    chances_of,
    curvature_of,
    fit_strengths,
)
from sackarmies_training.stats.estimate import Estimates
from sackarmies_training.stats.units import PlayedUnit


@dataclass(frozen=True)
class Strengths:
    """Strengths of some agents, fitted to units.

    Attributes:
        names: names of the agents.
        values: `(n,)`, strengths in nats.
        covariance: `(n, n)`, of the strengths; that of the prior alone for an agent that has not played.
        dispersion: variance of the points of units, as a multiple of that of independent games; at least 1.
        zero: the agent with rating 0.
        units: the units that were played.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    covariance: NDArray[np.float64]
    dispersion: float
    zero: str
    units: tuple[PlayedUnit, ...]

    def rating(self, name: str) -> Rating:
        """Return a rating in Elo, with the 95% interval of its difference from the agent with rating 0."""
        one, zero = self.names.index(name), self.names.index(self.zero)
        value = float(self.values[one] - self.values[zero]) * ELO_PER_NAT
        reach = float(scipy.stats.norm.ppf(0.5 + CONFIDENCE / 2) * np.sqrt(max(self._variance(one, zero), 0.0)))
        return Rating(value, value - reach * ELO_PER_NAT, value + reach * ELO_PER_NAT)

    def _variance(self, one: int, other: int) -> float:
        spread = self.covariance
        return float(spread[one, one] + spread[other, other] - 2 * spread[one, other])

    @cached_property
    def measured(self) -> frozenset[str]:
        """The agents that games alone compare with the agent with rating 0, see `Estimates.measured`."""
        if not any(self.zero in unit.agents for unit in self.units):
            return frozenset({self.zero})
        seated = {name for unit in self.units for name in unit.agents}
        names = [name for name in self.names if name in seated]
        return Estimates(names, self.units, self.zero).measured


def fit(names: Sequence[str], units: Sequence[PlayedUnit], zero: str) -> Strengths:
    """Fit the strengths of agents to units.

    Args:
        names: names of all agents that have played, and perhaps of others.
        units: the units that were played.
        zero: the agent with rating 0.
    """
    count = len(names)
    if not units:
        return Strengths(tuple(names), np.zeros(count), np.eye(count) / PRIOR, 1.0, zero, ())
    place = {name: number for number, name in enumerate(names)}
    seats, points = np.zeros((len(units), count), np.int64), np.zeros((len(units), count))
    for row, unit in enumerate(units):
        for name in unit.agents:
            seats[row, place[name]] = unit.line_up.count(name)
            points[row, place[name]] = unit.points(name)
    games = np.array([len(unit.outcomes) for unit in units])
    line_ups, rows = np.unique(seats, axis=0, return_inverse=True)
    totals = np.bincount(rows.ravel(), games).astype(np.int64)
    values = fit_strengths(line_ups, totals, points.sum(axis=0))
    information = curvature_of(totals, chances_of(line_ups, values)) - PRIOR * np.eye(count)
    spread = dispersion_of(games[:, None] * chances_of(seats, values), games, points)
    covariance = np.asarray(np.linalg.inv(PRIOR * np.eye(count) + information / spread), np.float64)
    return Strengths(tuple(names), values, covariance, spread, zero, tuple(units))


def dispersion_of(expected: NDArray[np.float64], games: NDArray[np.int64], points: NDArray[np.float64]) -> float:
    """Return the variance of units as a multiple of that of independent games, at least 1.

    Args:
        expected: `(units, n)`, points expected by the fitted ratings.
        games: `(units,)`, number of games in each unit.
        points: `(units, n)`, actual points.
    """
    degrees = len(points) - int((expected > 0).any(axis=0).sum()) + 1
    if degrees < 1:
        return 1.0
    variance = float((expected * (1 - expected / games[:, None])).sum())
    found = float(((points - expected) ** 2).sum())
    return max(1.0, found / variance * len(points) / degrees)
