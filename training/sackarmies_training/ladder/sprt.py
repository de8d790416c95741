"""Sequential probability ratio test on units of two games: which of two agents is stronger.

The generalized SPRT on the pentanomial of duplicate pairs, as fishtest uses it for chess engines: the points of a unit
are 0, 1/2, 1, 3/2 or 2, and their five probabilities are unknown. The log-likelihood ratio is that of the most likely
probabilities with the mean of one hypothesis against those with the mean of the other. Sources: A. Wald, "Sequential
tests of statistical hypotheses", 1945; X. Li, J. Liu and Z. Ying, "Generalized sequential probability ratio test for
separate families of hypotheses", 2014; M. Van den Bergh's `LLRcalc.py` in fishtest
(https://github.com/official-stockfish/fishtest) and the note on it (http://hardy.uhasselt.be/Toga/computeLLR.pdf).

The error rates hold nearly, not exactly: the chances of the five results are estimated from the same units.
`tests/training/test_ladder_sprt.py` simulates them. There is no correction for overshoot, which makes tests a little
longer and errors rarer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sackarmies_training.ladder.estimate import share_of

POINTS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # of a unit, as a share
UNSEEN = 1e-3  # in place of a count of 0: no result is impossible because it has not come yet
HALVINGS = 44  # of an interval, until the tilt is exact to a dozen digits


class Verdict(StrEnum):
    """What a test says of the newcomer."""

    STRONGER = "stronger"
    WEAKER = "weaker"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class SprtPlan:
    """A test of "weaker: at most `elo0`" against "stronger: at least `elo1`".

    Attributes:
        alpha: chance at most to say stronger where the true difference is `elo0` or less.
        beta: chance at most to say weaker where it is `elo1` or more.
        elo0: difference in Elo of the first hypothesis.
        elo1: of the second one, greater.
        max_games: after so many games without an answer the test is undecided.

    Raises:
        ValueError: one of them is impossible.
    """

    alpha: float = 0.05
    beta: float = 0.05
    elo0: float = -20.0
    elo1: float = 20.0
    max_games: int = 2000

    def __post_init__(self) -> None:
        """Refuse a test that could not be made."""
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name} is {getattr(self, name)}: an error rate lies between 0 and 0.5")
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise ValueError(
                f"elo0 is {self.elo0:g} and elo1 is {self.elo1:g}: wanted are two numbers from -1000 to 1000, the "
                "first one smaller"
            )
        if self.max_games < 2:
            raise ValueError(f"max_games is {self.max_games}: a unit has 2 games")

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
            `(...)`, positive where the units speak for `elo1`.
        """
        return log_likelihood_ratio(np.asarray(counts, np.float64), share_of(self.elo0), share_of(self.elo1))


def log_likelihood_ratio(counts: NDArray[np.float64], share0: float, share1: float) -> NDArray[np.float64]:
    """Return log(likelihood with mean `share1` / likelihood with mean `share0`), each the greatest possible.

    Args:
        counts: `(..., 5)`, units by their points.
        share0: mean share of the points by one hypothesis, inside of 0 to 1.
        share1: by the other one.
    """
    counts = np.maximum(counts, UNSEEN)
    units = counts.sum(axis=-1, keepdims=True)
    chances = counts / units
    terms = np.log1p(_tilt(chances, share0) * (POINTS - share0)) - np.log1p(_tilt(chances, share1) * (POINTS - share1))
    result: NDArray[np.float64] = (counts * terms).sum(axis=-1)
    return result


def _tilt(chances: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the number t, `(..., 1)`, for which `chances / (1 + t * (POINTS - share))` has the mean `share`.

    These are the most likely chances with that mean, given `chances` as frequencies (Owen, "Empirical Likelihood",
    2001). The mean falls as t rises, so that halving finds it.
    """
    gap = POINTS - share
    low = np.full((*chances.shape[:-1], 1), -1.0 / gap[-1])
    high = np.full_like(low, -1.0 / gap[0])
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        above = (chances * gap / (1.0 + middle * gap)).sum(axis=-1, keepdims=True) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    result: NDArray[np.float64] = 0.5 * (low + high)
    return result


def count_units(points: Sequence[float]) -> list[int]:
    """Return how many units had 0, 1/2, 1, 3/2 and 2 points.

    Raises:
        ValueError: a unit has other points, which two games cannot give.
    """
    counts = [0] * len(POINTS)
    for number in points:
        if number not in {0.0, 0.5, 1.0, 1.5, 2.0}:
            raise ValueError(f"a unit of two games has {number} points: only 0, 1/2, 1, 3/2 and 2 are possible")
        counts[round(2 * number)] += 1
    return counts


def first_decision(plan: SprtPlan, points: Sequence[float]) -> tuple[int, Verdict]:
    """Return after how many units a test ends, and what it says; the units come in the order in which they count.

    Without an answer: the number of units, and UNDECIDED.
    """
    if not points:
        return 0, Verdict.UNDECIDED
    rows = np.zeros((len(points), len(POINTS)))
    rows[np.arange(len(points)), [round(2 * number) for number in points]] = 1
    ratios = plan.ratio(rows.cumsum(axis=0))
    low, high = plan.limits
    ended = np.flatnonzero((ratios <= low) | (ratios >= high))
    if not len(ended):
        return len(points), Verdict.UNDECIDED
    return int(ended[0]) + 1, plan.verdict(float(ratios[ended[0]]))
