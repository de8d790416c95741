"""Cycles: how much of the payoffs no rating can explain, and which agents beat each other in a circle.

The log-odds of pairs are split into differences of ratings and a rest that adds up to 0 for each agent (combinatorial
Hodge theory; X. Jiang, L.-H. Lim, Y. Yao and Y. Ye, "Statistical ranking and combinatorial Hodge theory", 2011). The
rest is cycles and chance: it is never 0 in a finite number of games. So single cycles are listed as well: three agents,
each of which is shown to beat the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy  # whose parts load when they are used
from numpy.typing import NDArray

from sackarmies_training.ratings import CONFIDENCE
from sackarmies_training.stats.estimate import Estimate, Estimates
from sackarmies_training.stats.nash import nash_average

EDGES = 3  # of a cycle
LEAST_UNITS = 2  # for a step to be shown: a single unit does not say how much units differ


@dataclass(frozen=True)
class Cycle:
    """Three agents, each of which is shown to beat the next, and the last to beat the first."""

    names: tuple[str, str, str]
    shares: tuple[Estimate, Estimate, Estimate]


@dataclass(frozen=True)
class Structure:
    """Structure of the payoffs of all pairs.

    Attributes:
        names: names of the agents.
        nash: probability of each agent in the Nash equilibrium of greatest entropy.
        nash_average: mean log-odds of each agent against it, in nats: 0 for agents of the equilibrium, less for others.
        transitive: share of the squared log-odds that ratings explain; 1 if all are 0.
        cycles: those that are shown.
    """

    names: tuple[str, ...]
    nash: tuple[float, ...]
    nash_average: tuple[float, ...]
    transitive: float
    cycles: tuple[Cycle, ...]

    def sentences(self) -> list[str]:
        """Describe the structure in sentences."""
        mixture = sorted(zip(self.nash, self.names, strict=True), reverse=True)
        told = ", ".join(f"{name} {chance:.0%}" for chance, name in mixture if chance >= 0.005)
        lines = [
            f"Nash equilibrium of the log-odds of pairs: {told}. Against it, no agent has positive mean log-odds.",
            f"Ratings explain {self.transitive:.1%} of the squared log-odds of pairs; the rest is cycles and chance.",
        ]
        if not self.cycles:
            return [*lines, "No cycle is shown: there are no three agents each of which is shown to beat the next."]
        for cycle in self.cycles:
            steps = [
                f"{one} beats {other} ({share.value:.1%} of the points)"
                for one, other, share in zip(cycle.names, cycle.names[1:] + cycle.names[:1], cycle.shares, strict=True)
            ]
            lines.append(f"A cycle: {', '.join(steps)}.")
        return lines


def hodge(payoff: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Split an antisymmetric `(n, n)` matrix into differences of ratings, `(n,)`, and the rest, `(n, n)`."""
    ratings = payoff.mean(axis=1)
    return ratings, payoff - (ratings[:, None] - ratings[None, :])


def log_odds(share: Estimate) -> float:
    """Return the log-odds of a share of the points; half a point is added to both sides to keep them finite."""
    points = share.value * share.points
    return math.log((points + 0.5) / (share.points - points + 0.5))


def structure_of(estimates: Estimates) -> Structure | None:
    """Return the structure of the payoffs.

    There is none with fewer than three agents, or if some pair has not met or took no point in its common games.
    """
    names = estimates.names
    shares: dict[tuple[int, int], Estimate] = {}
    for one, other in combinations(range(len(names)), 2):
        share = estimates.payoff(names[one], names[other])
        if share is None:
            return None
        shares[one, other] = share
    if len(names) < EDGES:
        return None
    payoff = np.zeros((len(names), len(names)))
    for (one, other), share in shares.items():
        payoff[one, other] = log_odds(share)
    payoff -= payoff.T
    rest = hodge(payoff)[1]
    total = float((payoff**2).sum())
    nash, average = nash_average(payoff)
    return Structure(
        tuple(names),
        tuple(nash.tolist()),
        tuple(average.tolist()),
        1.0 - float((rest**2).sum()) / total if total > 0 else 1.0,
        tuple(shown_cycles(names, estimates)),
    )


def shown_cycles(names: Sequence[str], estimates: Estimates) -> list[Cycle]:
    """Return the cycles of three agents that the games show.

    Each of the three must take more than half of the points from the next in at least two units, at a level that is
    divided among the steps of all triples that could be cycles (Bonferroni): the chance of listing any cycle where
    there is none is at most 5%, as far as shares of that many units are normally distributed.
    """
    triples = list(combinations(range(len(names)), EDGES))
    tests = 2 * EDGES * len(triples)
    limit = float(scipy.stats.norm.isf((1 - CONFIDENCE) / max(1, tests)))
    found = []
    for one, second, third in triples:
        for circle in ((one, second, third), (one, third, second)):
            steps = [estimates.payoff(names[a], names[b]) for a, b in zip(circle, circle[1:] + circle[:1], strict=True)]
            shares = [step for step in steps if step is not None]
            if len(shares) == EDGES and all(_is_shown(share, limit) for share in shares):
                circled = tuple(names[place] for place in circle)
                found.append(Cycle((circled[0], circled[1], circled[2]), (shares[0], shares[1], shares[2])))
    return found


def _is_shown(share: Estimate, limit: float) -> bool:
    """Return whether a share lies above a half by more than `limit` standard errors, judged by its interval."""
    error = (share.high - share.low) / 2 / float(scipy.stats.norm.isf((1 - CONFIDENCE) / 2))
    return share.units >= LEAST_UNITS and share.value - 0.5 > limit * error
