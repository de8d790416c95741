"""Ratings from results: Bradley-Terry with a wide prior, or OpenSkill; win rates with Wilson intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy  # its parts load when they are first used: processes that only play need none of them
from numpy.typing import NDArray
from openskill.models import PlackettLuce

CONFIDENCE = 0.95
ELO_PER_NAT = 400.0 / math.log(10.0)
# Standard deviation of the prior on a Bradley-Terry strength, in Elo. It says that strengths lie within about a
# thousand points of each other, and gives an agent that lost every game a finite rating.
PRIOR_ELO = 800.0
PRIOR = (ELO_PER_NAT / PRIOR_ELO) ** 2
IN_TO_THE_END = -1


@dataclass(frozen=True)
class Outcome:
    """One game, as standings and ratings see it.

    Seats are ranked by what they earned; seats that earned the same, by how long they were in the game. The seat in
    first place won; if several share it, they drew; all others lost. An agent with several seats has one result per
    game, that of its best seat.

    Attributes:
        agents: names by seat; a name may sit in several seats.
        returns: what each seat earned.
        forfeits: seat -> why it lost by forfeit.
        out: number of actions taken when each seat was out of the game; IN_TO_THE_END (-1) if it was not out before
            the last one. Empty if that holds for all seats.
    """

    agents: tuple[str, ...]
    returns: tuple[float, ...]
    forfeits: Mapping[int, str] = field(default_factory=dict)
    out: tuple[int, ...] = ()

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The place of each seat, from 1; equal seats share the better one."""
        out = self.out or (IN_TO_THE_END,) * len(self.agents)
        lasted = [math.inf if ply == IN_TO_THE_END else ply for ply in out]
        orders = list(zip(self.returns, lasted, strict=True))
        return tuple(1 + sum(other > order for other in orders) for order in orders)

    @cached_property
    def best(self) -> tuple[str, ...]:
        """The agents of the seats in first place, once for each seat: a single one won, several drew."""
        return tuple(name for name, place in zip(self.agents, self.places, strict=True) if place == 1)

    @cached_property
    def lost_by_forfeit(self) -> frozenset[tuple[str, str]]:
        """The agents that lost the game after a seat of theirs had forfeited, each with the reason.

        An agent with several seats appears once for each different reason, and not at all if another seat of it won or
        drew.
        """
        found = {(self.agents[seat], reason) for seat, reason in self.forfeits.items()}
        return frozenset((agent, reason) for agent, reason in found if agent not in self.best)

    def place(self, agent: str) -> int:
        """Return the place of an agent's best seat."""
        return min(place for name, place in zip(self.agents, self.places, strict=True) if name == agent)

    def score(self, agent: str) -> float:
        """Return an agent's share of the game's one point, which the seats in first place divide equally."""
        return self.best.count(agent) / len(self.best)


@dataclass(frozen=True)
class Rating:
    """A rating and the ends of its interval, which are NaN if the games set none."""

    value: float
    low: float
    high: float

    @property
    def has_interval(self) -> bool:
        """Whether the games set an interval."""
        return not math.isnan(self.low)


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


def line_ups_of(names: Sequence[str], outcomes: Sequence[Outcome]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the line-ups that played, `(k, n)` seats by agent, and the number of games of each, `(k,)`."""
    seats = np.array([[outcome.agents.count(name) for name in names] for outcome in outcomes], np.int64)
    line_ups, games = np.unique(seats, axis=0, return_counts=True)
    return line_ups, games


def bradley_terry(names: Sequence[str], outcomes: Sequence[Outcome]) -> dict[str, Rating]:
    """Rate agents by the Bradley-Terry model, in Elo, mean 0.

    The chance that a seat wins is its agent's strength divided by the sum of the strengths of all seats (with more than
    two players: Luce's choice axiom, see Hunter, "MM algorithms for generalized Bradley-Terry models", 2004). What is
    rated is `Outcome.score`: who won, and who shared a draw. Losers are not compared with each other.

    Ratings are the most probable strengths under a wide normal prior, found by scipy. Intervals come from the curvature
    there (Laplace) and are those of the difference to the mean.
    """
    seats, games = line_ups_of(names, outcomes)
    score = np.array([sum(outcome.score(name) for outcome in outcomes) for name in names])
    best = fit_strengths(seats, games, score)
    center = np.eye(len(names)) - 1.0 / len(names)
    spread = np.sqrt(np.diag(center @ np.linalg.inv(curvature_of(games, chances_of(seats, best))) @ center))
    return _with_intervals(names, (best - best.mean()) * ELO_PER_NAT, spread * ELO_PER_NAT)


def fit_strengths(
    seats: NDArray[np.int64], games: NDArray[np.int64], score: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the most probable strengths of `bradley_terry`, in nats, `(n,)`.

    Args:
        seats: `(k, n)`, seats by agent in each line-up.
        games: `(k,)`, number of games of each line-up.
        score: `(n,)`, points of each agent in all games.
    """

    def loss(strength: NDArray[np.float64]) -> float:
        totals = scipy.special.logsumexp(strength[None, :], axis=1, b=seats)
        return float(0.5 * PRIOR * strength @ strength - score @ strength + games @ totals)

    def slope(strength: NDArray[np.float64]) -> NDArray[np.float64]:
        result: NDArray[np.float64] = PRIOR * strength - score + games @ chances_of(seats, strength)
        return result

    best: NDArray[np.float64] = scipy.optimize.minimize(
        loss, np.zeros(len(score)), jac=slope, method="BFGS", options={"gtol": 1e-9}
    ).x
    return best


def chances_of(seats: NDArray[np.int64], strength: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each agent's chance to win a game of each line-up, `(..., k, n)` for strengths `(..., n)`."""
    worth = seats * np.exp(strength - strength.max(axis=-1, keepdims=True))[..., None, :]
    result: NDArray[np.float64] = worth / worth.sum(axis=-1, keepdims=True)
    return result


def curvature_of(games: NDArray[np.int64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the second derivatives of what `fit_strengths` minimizes, `(..., n, n)`; chances are `(..., k, n)`."""
    weighted = chances * games[:, None]
    diagonal = np.eye(chances.shape[-1]) * (weighted.sum(axis=-2) + PRIOR)[..., None, :]
    result: NDArray[np.float64] = diagonal - np.swapaxes(weighted, -1, -2) @ chances
    return result


def openskill_ratings(names: Sequence[str], outcomes: Sequence[Outcome]) -> dict[str, Rating]:
    """Rate agents by OpenSkill's Plackett-Luce model, game by game, on its own scale (a newcomer has 25).

    OpenSkill rates places: an agent's place in a game is that of its best seat.
    """
    model = PlackettLuce()
    ratings = {name: model.rating(name=name) for name in names}
    for outcome in outcomes:
        seated = list(dict.fromkeys(outcome.agents))
        if len(seated) > 1:
            places = [float(outcome.place(name)) for name in seated]
            rated = model.rate([[ratings[name]] for name in seated], ranks=places)
            ratings |= {name: team[0] for name, team in zip(seated, rated, strict=True)}
    values = np.array([ratings[name].mu for name in names])
    return _with_intervals(names, values, np.array([ratings[name].sigma for name in names]))


def _with_intervals(
    names: Sequence[str], values: NDArray[np.float64], deviations: NDArray[np.float64]
) -> dict[str, Rating]:
    reach = float(scipy.stats.norm.ppf(0.5 + CONFIDENCE / 2)) * deviations
    return {
        name: Rating(float(value), float(value - half), float(value + half))
        for name, value, half in zip(names, values, reach, strict=True)
    }


RATINGS = {"bradley_terry": bradley_terry, "openskill": openskill_ratings}
