"""Sequential probability ratio test on units of two games: which of two agents is stronger.

This is the generalized SPRT on the pentanomial of duplicate pairs, as fishtest uses it for chess engines: a unit has 0,
1/2, 1, 3/2 or 2 points, and the five probabilities are unknown. The log-likelihood ratio compares the most likely
probabilities under one hypothesis with those under the other. A hypothesis is a mean (a difference in Elo), or a mean
in standard deviations of a game (normalized Elo), so that the length of a test does not depend on how much chance there
is in a game.

Sources: A. Wald, "Sequential tests of statistical hypotheses", 1945; X. Li, J. Liu and Z. Ying, "Generalized sequential
probability ratio test for separate families of hypotheses", 2014; M. Van den Bergh, "Normalized Elo in practice"
(https://www.cantate.be/Fishtest/normalized_elo_practical.pdf); `LLRcalc.py` in fishtest
(https://github.com/official-stockfish/fishtest). `tests/training/test_sprt.py` compares with ratios that fishtest has
published.

The error rates hold approximately, not exactly: the probabilities of the five results are estimated from the same
units. The same tests simulate them. There is no correction for overshoot, which makes tests a little longer and errors
rarer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sackarmies_training.stats.elo import NORMALIZED_PER_DEVIATION, share_of

POINTS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # of a unit, as a share
UNSEEN = 1e-3  # replaces a count of 0: a result that has not come yet is not impossible
HALVINGS = 44  # of an interval, until the tilt is exact to a dozen digits
EVEN = 0.5  # share between equals
ROUNDS = 60  # at most, in the search for probabilities with a given mean in standard deviations
SETTLED = 1e-11  # change of a probability in the last round


class Scale(StrEnum):
    """Scale of the hypotheses of a test."""

    ELO = "elo"
    NORMALIZED = "normalized"

    @property
    def told(self) -> str:
        """Its name in a sentence."""
        return "Elo" if self is Scale.ELO else "normalized Elo"


MOST_ELO = {Scale.ELO: 1000, Scale.NORMALIZED: 200}  # of a hypothesis


class Verdict(StrEnum):
    """What a test says about the newcomer."""

    STRONGER = "stronger"
    WEAKER = "weaker"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class SprtPlan:
    """A test of "weaker: at most `elo0`" against "stronger: at least `elo1`".

    Attributes:
        alpha: nominal probability of the answer "stronger" if the true difference is `elo0`.
        beta: nominal probability of the answer "weaker" if the true difference is `elo1`.
        elo0: difference under the first hypothesis, on the scale.
        elo1: difference under the second hypothesis, greater than `elo0`.
        max_games: after this many games without an answer, the test is undecided.
        scale: Elo or normalized Elo.

    Raises:
        ValueError: one of these values is not allowed.
    """

    alpha: float = 0.05
    beta: float = 0.05
    elo0: float = -20.0
    elo1: float = 20.0
    max_games: int = 2000
    scale: Scale = Scale.ELO

    def __post_init__(self) -> None:
        """Refuse values that are not allowed."""
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name} is {getattr(self, name)}: an error rate lies between 0 and 0.5")
        most = MOST_ELO[self.scale]
        if not -most <= self.elo0 < self.elo1 <= most:
            raise ValueError(
                f"elo0 is {self.elo0:g} and elo1 is {self.elo1:g}; give two numbers from {-most} to {most}, elo0 the "
                "smaller"
            )
        if self.max_games < 2:
            raise ValueError(f"max_games must be at least 2, the games of a unit, not {self.max_games}")

    @property
    def max_units(self) -> int:
        """Units after which the test ends."""
        return self.max_games // 2

    @property
    def limits(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test ends: weaker and stronger."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def verdict(self, ratio: float) -> Verdict:
        """Return what a log-likelihood ratio says."""
        low, high = self.limits
        return Verdict.WEAKER if ratio <= low else Verdict.STRONGER if ratio >= high else Verdict.UNDECIDED

    def ratio(self, counts: ArrayLike) -> NDArray[np.float64]:
        """Return the log-likelihood ratio of `elo1` against `elo0`.

        Args:
            counts: `(..., 5)`, units by their points: 0, 1/2, 1, 3/2, 2.

        Returns:
            `(...)`, positive where the units favor `elo1`.
        """
        units = np.asarray(counts, np.float64)
        if self.scale is Scale.NORMALIZED:
            return normalized_ratio(units, self.elo0, self.elo1)
        return log_likelihood_ratio(units, share_of(self.elo0), share_of(self.elo1))


def log_likelihood_ratio(counts: NDArray[np.float64], share0: float, share1: float) -> NDArray[np.float64]:
    """Return log(likelihood with mean `share1` / likelihood with mean `share0`), each the greatest possible.

    Args:
        counts: `(..., 5)`, units by their points.
        share0: mean share of the points under one hypothesis, strictly between 0 and 1.
        share1: mean share under the other one.
    """
    counts = np.maximum(counts, UNSEEN)
    chances = counts / counts.sum(axis=-1, keepdims=True)
    return _ratio(counts, _tilted(chances, POINTS - share0), _tilted(chances, POINTS - share1))


def normalized_ratio(counts: NDArray[np.float64], elo0: float, elo1: float) -> NDArray[np.float64]:
    """Do what `log_likelihood_ratio` does, for hypotheses in normalized Elo."""
    counts = np.maximum(counts, UNSEEN)
    chances = counts / counts.sum(axis=-1, keepdims=True)
    # The variance of a unit's share is half that of a game's if games are independent. If they are not, normalized Elo
    # is still defined by it, since units are what a test counts.
    first, second = (math.sqrt(2) * elo / NORMALIZED_PER_DEVIATION for elo in (elo0, elo1))
    return _ratio(counts, chances_at(chances, first), chances_at(chances, second))


def _ratio(
    counts: NDArray[np.float64], chances0: NDArray[np.float64], chances1: NDArray[np.float64]
) -> NDArray[np.float64]:
    result: NDArray[np.float64] = (counts * (np.log(chances1) - np.log(chances0))).sum(axis=-1)
    return result


def chances_at(chances: NDArray[np.float64], wanted: float) -> NDArray[np.float64]:
    """Return the most likely probabilities whose mean lies `wanted` standard deviations above that of equals.

    In each round, the nonlinear condition is replaced by its tangent at the probabilities of the round before.
    """
    found = np.full_like(chances, 1.0 / len(POINTS))
    for _ in range(ROUNDS):
        before = found
        mean = (found * POINTS).sum(axis=-1, keepdims=True)
        deviation = np.sqrt((found * (POINTS - mean) ** 2).sum(axis=-1, keepdims=True))
        found = _tilted(chances, POINTS - EVEN - 0.5 * wanted * deviation * (1 + ((POINTS - mean) / deviation) ** 2))
        if np.abs(found - before).max(initial=0.0) < SETTLED:
            break
    return found


def _tilted(chances: NDArray[np.float64], gap: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the most likely probabilities for which `gap` has the mean 0, given `chances` as frequencies.

    These are `chances / (1 + t * gap)` (Owen, "Empirical Likelihood", 2001). The mean falls as t rises, so t is found
    by bisection.

    Args:
        chances: `(..., 5)`.
        gap: `(5,)` or `(..., 5)`, with numbers of both signs.
    """
    low = np.broadcast_to(-1.0 / gap.max(axis=-1, keepdims=True), (*chances.shape[:-1], 1))
    high = np.broadcast_to(-1.0 / gap.min(axis=-1, keepdims=True), low.shape)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        above = (chances * gap / (1.0 + middle * gap)).sum(axis=-1, keepdims=True) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    result: NDArray[np.float64] = chances / (1.0 + 0.5 * (low + high) * gap)
    return result


def count_units(points: Sequence[float]) -> list[int]:
    """Count the units with 0, 1/2, 1, 3/2 and 2 points.

    Raises:
        ValueError: a unit has a number of points that two games cannot give.
    """
    counts = [0] * len(POINTS)
    for number in points:
        if number not in {0.0, 0.5, 1.0, 1.5, 2.0}:
            raise ValueError(f"a unit of two games has {number} points: only 0, 1/2, 1, 3/2 and 2 are possible")
        counts[round(2 * number)] += 1
    return counts


def first_decision(plan: SprtPlan, points: Sequence[float], known: int = 0) -> tuple[int, Verdict]:
    """Return after how many units a test ends, and its verdict.

    Args:
        plan: the test.
        points: points of the units, in the order in which they count.
        known: number of units at the beginning that are known not to end the test.

    Returns:
        If the test does not end: the number of units, and UNDECIDED.
    """
    if len(points) <= known:
        return len(points), Verdict.UNDECIDED
    rows = np.zeros((len(points), len(POINTS)))
    rows[np.arange(len(points)), [round(2 * number) for number in points]] = 1
    ratios = plan.ratio(rows.cumsum(axis=0)[known:])
    low, high = plan.limits
    ended = np.flatnonzero((ratios <= low) | (ratios >= high))
    if not len(ended):
        return len(points), Verdict.UNDECIDED
    return known + int(ended[0]) + 1, plan.verdict(float(ratios[ended[0]]))
