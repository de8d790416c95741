"""Nash averaging: what agents are worth against the best mixture of agents, and which agents it consists of.

The payoffs of pairs form an antisymmetric matrix of log-odds: a zero-sum game between two people who each choose an
agent. Of its equilibria, the one of greatest entropy is unique (D. Balduzzi, K. Tuyls, J. Perolat and T. Graepel,
"Re-evaluating evaluation", 2018). Copies of an agent, and weak agents that only feed one of the others, change nothing.
"""

from __future__ import annotations

import numpy as np
import scipy  # whose parts load when they are used
from numpy.typing import NDArray

EXACT = 1e-9  # what an agent may take from the mixture, as a share of the largest payoff
MAX_ROUNDS = 10_000  # of the optimizer; matrices of a hundred agents take up to some 3,000


def nash_average(payoff: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the equilibrium of greatest entropy, and what each agent takes from it.

    Mixtures from which nobody takes anything are equilibria. The one of greatest entropy has probabilities proportional
    to `exp(-weights @ payoff)`, for nonnegative weights that minimize the logarithm of the sum of these terms (the dual
    problem), which is smooth and convex.

    Args:
        payoff: `(n, n)`, antisymmetric: what the row takes from the column.

    Returns:
        Probabilities `(n,)`, and the Nash averages `(n,)`: 0 for agents of the equilibrium, less for others.

    Raises:
        ValueError: the matrix is not antisymmetric.
    """
    count = len(payoff)
    if payoff.shape != (count, count) or not np.allclose(payoff, -payoff.T, atol=1e-9):
        raise ValueError("Nash averaging needs a square matrix whose entries change sign with their agents")
    matrix = payoff / (np.abs(payoff).max() or 1.0)

    def chances_of(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        chances: NDArray[np.float64] = scipy.special.softmax(-weights @ matrix)
        return chances

    weights = scipy.optimize.minimize(
        lambda weights: float(scipy.special.logsumexp(-weights @ matrix)),
        np.zeros(count),
        jac=lambda weights: -matrix @ chances_of(weights),
        bounds=[(0.0, None)] * count,
        method="L-BFGS-B",
        options={"ftol": 0.0, "gtol": EXACT, "maxiter": MAX_ROUNDS, "maxfun": 2 * MAX_ROUNDS},
    ).x
    chances = chances_of(weights)
    return chances, payoff @ chances
