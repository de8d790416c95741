"""Infos about the decisions in many games: the name of each, whether a turn begins, and what each seat is paid.

The deciding player may know all of it: the name of its own decision, and whether it has already decided in this turn.
(That another player has been asked something earlier in the turn may be hidden from it.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.batch import Batch, Rows

NO_TURN = -1
NO_DECISION = ""  # once a game is over


class DecisionInfos:
    """The infos that `decision_infos=True` adds.

    Args:
        batch: the games.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        shape = (len(batch), batch.game.num_players)
        self._turns = np.full(shape, NO_TURN, np.int64)  # of each seat's last decision
        self._owed = np.zeros(shape)  # earned but not paid yet

    def begin(self, rows: Rows) -> None:
        """Clear what was recorded for `rows`, in which new games begin."""
        self._turns[rows] = NO_TURN
        self._owed[rows] = 0.0

    def decisions(self, seats: NDArray[np.int64], is_running: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the infos about the current decisions.

        Args:
            seats: `(n,)`, the deciding seats.
            is_running: `(n,)`, where there is a decision.
        """
        batch, rows = self._batch, np.flatnonzero(is_running)
        names = np.full(len(batch), NO_DECISION, dtype=object)
        for row in rows.tolist():
            names[row] = batch.game.describe_decision(batch.states[row : row + 1])
        starts = np.zeros(len(batch), np.bool_)
        turns = batch.states["turn"][rows]
        starts[rows] = turns != self._turns[rows, seats[rows]]
        self._turns[rows, seats[rows]] = turns
        return {"decision": names, "turn_start": starts}

    def pay(
        self, earned: NDArray[np.float64], seats: NDArray[np.int64], is_running: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return what each seat is paid in this step, `(n, num_players)`.

        A seat is paid what it has earned since its last decision when it must decide again or the game is over for it.

        Args:
            earned: `(n, num_players)`, in this step.
            seats: `(n,)`, the deciding seats.
            is_running: `(n,)`, where there is a decision.
        """
        self._owed += earned
        is_due = (self._batch.terminations != 0) | ~is_running[:, np.newaxis]
        rows = np.flatnonzero(is_running)
        is_due[rows, seats[rows]] = True
        paid = np.where(is_due, self._owed, 0.0)
        self._owed -= paid
        return paid
