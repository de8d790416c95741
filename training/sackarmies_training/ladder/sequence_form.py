"""Exact values of small games for two players with hidden information, by one linear program.

A player's plan is written as the weight of each sequence of their own choices (D. Koller, N. Megiddo and B. von
Stengel, "Efficient computation of equilibria for extensive two-person games", 1996). The payoff is linear in the plan
of each player, so the value of a zero-sum game is that of a linear program with a row for each sequence. Games are
those of OpenSpiel: all chance is in nodes of the tree, and players remember all that they have seen and done.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack

Entry = tuple[int, int, float]  # of a matrix: row, column, value


class Plans:
    """The sequences of a player's choices, and the equations that weights of a plan satisfy.

    Attributes:
        entries: entries of the equations, with a row for each information set: the weights of its choices, minus that
            of the sequence before them, add up to 0; in row 0, the weight of the empty sequence is 1.
        size: number of sequences.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = [(0, 0, 1.0)]
        self.size = 1
        self._sets: dict[str, dict[int, int]] = {}

    def continuations(self, known: str, before: int, legal: list[int]) -> dict[int, int]:
        """Return the sequence that each choice leads to in an information set, given the sequence before it."""
        if known not in self._sets:
            row = len(self._sets) + 1
            self._sets[known] = {action: self.size + place for place, action in enumerate(legal)}
            self.size += len(legal)
            self.entries += [(row, before, -1.0), *((row, column, 1.0) for column in self._sets[known].values())]
        return self._sets[known]

    def equations(self) -> csr_array:
        """Return the matrix of the equations."""
        return _matrix(self.entries, len(self._sets) + 1, self.size)


def exact_value(game: Any) -> float:
    """Return what player 0 can expect if both play best.

    Args:
        game: OpenSpiel game, zero-sum, for two players with perfect recall, and small: the whole tree is walked.

    Raises:
        ValueError: it is for another number of players, or no value was found.
    """
    if game.num_players() != 2:
        raise ValueError(f"the value is defined for games of two players, not of {game.num_players()}")
    plans, payments = (Plans(), Plans()), list[Entry]()
    _walk(game.new_initial_state(), plans, (0, 0), 1.0, payments)
    mine, others = (each.equations() for each in plans)
    paid = _matrix(payments, plans[0].size, plans[1].size)  # entries at the same place are added up
    count, rows = plans[0].size, others.shape[0]
    gain = np.zeros(count + rows)
    gain[count] = -1.0  # linprog minimizes: the value is what the other player's row 0 is worth
    found = linprog(
        gain,
        A_ub=hstack([-paid.T, others.T]),
        b_ub=np.zeros(plans[1].size),
        A_eq=hstack([mine, csr_array((mine.shape[0], rows))]),
        b_eq=_first(mine.shape[0]),
        bounds=[(0, None)] * count + [(None, None)] * rows,
        method="highs",
    )
    if found.status != 0:
        raise ValueError(f"no value was found: {found.message}")
    return 0.0 - float(found.fun)


def _walk(state: Any, plans: tuple[Plans, Plans], at: tuple[int, int], chance: float, payments: list[Entry]) -> None:
    """Add the payments of all ends below a state, by the sequences of both players, times the odds of chance."""
    if state.is_terminal():
        payments.append((*at, chance * state.returns()[0]))
    elif state.is_chance_node():
        for outcome, odds in state.chance_outcomes():
            _walk(state.child(outcome), plans, at, chance * odds, payments)
    else:
        player = state.current_player()
        known = state.information_state_string(player)
        for action, sequence in plans[player].continuations(known, at[player], state.legal_actions()).items():
            after = (sequence, at[1]) if player == 0 else (at[0], sequence)
            _walk(state.child(action), plans, after, chance, payments)


def _matrix(entries: list[Entry], rows: int, columns: int) -> csr_array:
    row, column, value = zip(*entries, strict=True)
    return coo_array((value, (row, column)), shape=(rows, columns)).tocsr()


def _first(size: int) -> NDArray[np.float64]:
    vector = np.zeros(size)
    vector[0] = 1.0
    return vector
