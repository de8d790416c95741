"""Ratings from results: Bradley-Terry by maximum likelihood, or OpenSkill; win rates with Wilson intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import scipy  # whose parts load when they are used: processes that only play need none of them
from numpy.typing import NDArray
from openskill.models import PlackettLuce

CONFIDENCE = 0.95
ELO_PER_NAT = 400.0 / math.log(10.0)
# Standard deviation of the prior on a Bradley-Terry strength, in Elo. It says that strengths lie within some thousand
# points of each other, and keeps an agent that lost every game at a finite rating.
PRIOR_ELO = 800.0


@dataclass(frozen=True)
class Outcome:
    """One game, as ratings see it.

    Attributes:
        agents: names by seat; a name may sit in several seats.
        returns: what each seat earned; more is better, equal is a tie.
        forfeits: seat -> why it lost by forfeit.
    """

    agents: tuple[str, ...]
    returns: tuple[float, ...]
    forfeits: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Rating:
    """A rating and the ends of its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Rate:
    """How often something happened: `count` of `total`, with a Wilson interval; total is at least 1."""

    count: int
    total: int

    @property
    def value(self) -> float:
        """The share."""
        return self.count / self.total

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of the 95% interval."""
        ends = scipy.stats.binomtest(self.count, self.total).proportion_ci(confidence_level=CONFIDENCE, method="wilson")
        return float(ends.low), float(ends.high)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.1%} ({low:.1%} to {high:.1%})"


def pairwise_scores(names: Sequence[str], outcomes: Sequence[Outcome]) -> NDArray[np.float64]:
    """Return `(n, n)`: how often row came out ahead of column, a tie as half for both.

    Seats of the same agent are not compared. In a game of more than two Generals each pair of seats counts once.
    """
    index = {name: i for i, name in enumerate(names)}
    scores = np.zeros((len(names), len(names)))
    for outcome in outcomes:
        for (a, ours), (b, theirs) in combinations(zip(outcome.agents, outcome.returns, strict=True), 2):
            if a != b:
                ahead = 0.5 if ours == theirs else float(ours > theirs)
                scores[index[a], index[b]] += ahead
                scores[index[b], index[a]] += 1.0 - ahead
    return scores


def bradley_terry(names: Sequence[str], outcomes: Sequence[Outcome]) -> dict[str, Rating]:
    """Rate agents by the Bradley-Terry model, in Elo, mean 0.

    The most probable strengths under a wide normal prior, found by scipy; intervals from the curvature there (Laplace),
    of the difference to the mean.
    """
    scores = pairwise_scores(names, outcomes)
    prior = (ELO_PER_NAT / PRIOR_ELO) ** 2
    count = len(names)

    def loss(strength: NDArray[np.float64]) -> float:
        gaps = strength[:, None] - strength[None, :]
        return float(0.5 * prior * strength @ strength - (scores * scipy.special.log_expit(gaps)).sum())

    def slope(strength: NDArray[np.float64]) -> NDArray[np.float64]:
        lost = scores * scipy.special.expit(strength[None, :] - strength[:, None])
        result: NDArray[np.float64] = prior * strength - lost.sum(axis=1) + lost.sum(axis=0)
        return result

    best = scipy.optimize.minimize(loss, np.zeros(count), jac=slope, method="BFGS", options={"gtol": 1e-9}).x
    chance = scipy.special.expit(best[:, None] - best[None, :])
    weight = (scores + scores.T) * chance * (1.0 - chance)
    curvature = np.diag(weight.sum(axis=1) + prior) - weight
    center = np.eye(count) - 1.0 / count
    spread = np.sqrt(np.diag(center @ np.linalg.inv(curvature) @ center))
    return _with_intervals(names, (best - best.mean()) * ELO_PER_NAT, spread * ELO_PER_NAT)


def openskill_ratings(names: Sequence[str], outcomes: Sequence[Outcome]) -> dict[str, Rating]:
    """Rate agents by OpenSkill's Plackett-Luce model, game by game; the unit is its own (a newcomer has 25)."""
    model = PlackettLuce()
    ratings = {name: model.rating(name=name) for name in names}
    for outcome in outcomes:
        seats = _best_seats(outcome)
        teams = [[ratings[name]] for name in seats]
        if len(teams) > 1:
            rated = model.rate(teams, scores=list(seats.values()))
            ratings |= {name: team[0] for name, team in zip(seats, rated, strict=True)}
    values = np.array([ratings[name].mu for name in names])
    return _with_intervals(names, values, np.array([ratings[name].sigma for name in names]))


def _best_seats(outcome: Outcome) -> dict[str, float]:
    """Return each agent's best return: OpenSkill takes a player once a game."""
    best: dict[str, float] = {}
    for name, earned in zip(outcome.agents, outcome.returns, strict=True):
        best[name] = max(earned, best.get(name, -math.inf))
    return best


def _with_intervals(
    names: Sequence[str], values: NDArray[np.float64], deviations: NDArray[np.float64]
) -> dict[str, Rating]:
    reach = float(scipy.stats.norm.ppf(0.5 + CONFIDENCE / 2)) * deviations
    return {
        name: Rating(float(value), float(value - half), float(value + half))
        for name, value, half in zip(names, values, reach, strict=True)
    }


RATINGS = {"bradley_terry": bradley_terry, "openskill": openskill_ratings}
