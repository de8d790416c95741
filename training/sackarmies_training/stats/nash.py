"""Nash averaging: what agents are worth against each other's best mixture, and which agents that mixture is made of.

The payoff of a pair is read as an antisymmetric matrix of log-odds, a zero-sum game between two people who each choose
an agent. Of its equilibria the one of greatest entropy is unique (D. Balduzzi, K. Tuyls, J. Perolat and T. Graepel,
"Re-evaluating evaluation", 2018). Copies of an agent and weak agents that only feed one of the others change nothing.
"""

from __future__ import annotations

import numpy as np
import scipy  # whose parts load when they are used
from numpy.typing import NDArray

FEASIBLE = 1e-7  # loss of a mixture that is rounding
SMALL = 1e-12  # a chance, where its logarithm is taken


def nash_average(payoff: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the equilibrium of greatest entropy, and what each agent takes from it.

    Args:
        payoff: `(n, n)`, antisymmetric: what the row takes from the column.

    Returns:
        Chances `(n,)`, and the Nash averages `(n,)`: 0 for agents of the equilibrium, less for others.

    Raises:
        ValueError: the matrix is not antisymmetric.
    """
    count = len(payoff)
    if payoff.shape != (count, count) or not np.allclose(payoff, -payoff.T, atol=1e-9):
        raise ValueError("Nash averaging needs a square matrix whose entries change sign with their agents")
    scale = max(1.0, float(np.abs(payoff).max()))
    matrix = payoff / scale
    start = _some_equilibrium(matrix)
    found = scipy.optimize.minimize(
        lambda chances: float(np.sum(chances * np.log(np.maximum(chances, SMALL)))),
        start,
        jac=lambda chances: np.log(np.maximum(chances, SMALL)) + 1.0,
        bounds=[(0.0, 1.0)] * count,
        constraints=[
            {"type": "eq", "fun": lambda chances: chances.sum() - 1.0, "jac": lambda chances: np.ones(count)},
            {"type": "ineq", "fun": lambda chances: -matrix @ chances, "jac": lambda chances: -matrix},
        ],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    ).x
    chances = np.maximum(found, 0.0) / np.maximum(found, 0.0).sum()
    if (matrix @ chances).max() > 1e-5:  # the optimizer has failed: any equilibrium is better than none
        chances = start
    return chances, payoff @ chances


def _some_equilibrium(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a mixture that no agent takes anything from, by linear programming."""
    count = len(matrix)
    found = scipy.optimize.linprog(
        np.zeros(count),
        A_ub=matrix,
        b_ub=np.full(count, FEASIBLE),
        A_eq=np.ones((1, count)),
        b_eq=[1.0],
        bounds=(0.0, 1.0),
        method="highs",
    )
    result: NDArray[np.float64] = found.x
    return result
