"""Ratings of a league: Bradley-Terry as in ladders, with intervals of the model, which hold for pairs seen once, too.

Bootstrap over units, as in ladders, needs several units of each line-up: where pairings follow uncertainty, many pairs
meet once, and resamples of them would be all alike. So intervals come from the curvature of the likelihood (Laplace),
widened by the dispersion of whole units, since games of a unit are not independent (quasi-likelihood: McCullagh and
Nelder, "Generalized Linear Models", 1989, chapter 9).
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
    line_ups_of,
)
from sackarmies_training.stats.estimate import Estimates
from sackarmies_training.stats.units import PlayedUnit


@dataclass(frozen=True)
class Strengths:
    """What units say of some agents.

    Attributes:
        names: of the agents.
        values: `(n,)`, in nats.
        covariance: `(n, n)`, of these; what the prior alone says where an agent has not played.
        dispersion: variance of the points of units, as a multiple of that of independent games; at least 1.
        zero: the agent with the rating 0.
        units: that were played.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    covariance: NDArray[np.float64]
    dispersion: float
    zero: str
    units: tuple[PlayedUnit, ...]

    def rating(self, name: str) -> Rating:
        """Return a rating in Elo with the 95% interval of its difference to the agent with the rating 0."""
        one, zero = self.names.index(name), self.names.index(self.zero)
        value = float(self.values[one] - self.values[zero]) * ELO_PER_NAT
        reach = float(scipy.stats.norm.ppf(0.5 + CONFIDENCE / 2) * np.sqrt(max(self._variance(one, zero), 0.0)))
        return Rating(value, value - reach * ELO_PER_NAT, value + reach * ELO_PER_NAT)

    def _variance(self, one: int, other: int) -> float:
        spread = self.covariance
        return float(spread[one, one] + spread[other, other] - 2 * spread[one, other])

    @cached_property
    def measured(self) -> frozenset[str]:
        """The agents that games alone compare with that of the rating 0, see `Estimates.measured`."""
        if not any(self.zero in unit.agents for unit in self.units):
            return frozenset({self.zero})
        seated = {name for unit in self.units for name in unit.agents}
        names = [name for name in self.names if name in seated]
        return Estimates(names, self.units, self.zero).measured


def fit(names: Sequence[str], units: Sequence[PlayedUnit], zero: str) -> Strengths:
    """Return what units say of agents.

    Args:
        names: of all agents that have played, and perhaps others.
        units: that were played.
        zero: the agent with the rating 0.
    """
    count = len(names)
    if not units:
        return Strengths(tuple(names), np.zeros(count), np.eye(count) / PRIOR, 1.0, zero, ())
    outcomes = [outcome for unit in units for outcome in unit.outcomes]
    seats, games = line_ups_of(names, outcomes)
    points = np.array([[unit.points(name) for name in names] for unit in units])
    values = fit_strengths(seats, games, points.sum(axis=0))
    information = curvature_of(games, chances_of(seats, values)) - PRIOR * np.eye(count)
    spread = dispersion_of(names, units, points, values)
    covariance = np.asarray(np.linalg.inv(PRIOR * np.eye(count) + information / spread), np.float64)
    return Strengths(tuple(names), values, covariance, spread, zero, tuple(units))


def dispersion_of(
    names: Sequence[str], units: Sequence[PlayedUnit], points: NDArray[np.float64], values: NDArray[np.float64]
) -> float:
    """Return the variance of units as a multiple of that of independent games, at least 1.

    Args:
        names: of the agents.
        units: that were played.
        points: `(units, n)`.
        values: `(n,)`, fitted to them.
    """
    degrees = len(units) - len({name for unit in units for name in unit.agents}) + 1
    if degrees < 1:
        return 1.0
    seats = np.array([[unit.line_up.count(name) for name in names] for unit in units])
    games = np.array([len(unit.outcomes) for unit in units])[:, None]
    chances = chances_of(seats, values)
    expected = float((games * chances * (1 - chances)).sum())
    found = float(((points - games * chances) ** 2).sum())
    return max(1.0, found / expected * len(units) / degrees)
