"""Reward shaping for many games at once: what `PotentialShaping` adds to the reward of each seat."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.batch import Batch, Rows
from sackarmies_env.core.step_batch import Ending
from sackarmies_env.envs.options import PotentialShaping


class BatchShaping:
    """The potential of each seat's observation at its last decision, and the shaping rewards.

    Args:
        shaping: the potential and the discount.
        batch: the games; its observations are those of the seats passed to the methods.
    """

    def __init__(self, shaping: PotentialShaping, batch: Batch) -> None:
        self._shaping = shaping
        self._batch = batch
        self._rows = np.arange(len(batch))
        self._values = np.full((len(batch), batch.game.num_players), np.nan)  # NaN: has not decided yet, or is out

    def begin(self, rows: Rows, seats: NDArray[np.int64]) -> None:
        """Record new games in `rows`; `seats` `(n,)` are the deciding seats."""
        self._values[rows] = np.nan
        self._values[rows, seats[rows]] = self._potential(self._batch.observations[rows])

    def add(
        self, earned: NDArray[np.float64], seats: NDArray[np.int64], endings: NDArray[np.int64], begun: Rows
    ) -> None:
        """Add the shaping rewards of the deciding seats and of those whose game has ended.

        Args:
            earned: `(n, num_players)`, changed in place.
            seats: `(n,)`, the deciding seats in running games.
            endings: `(n,)`, values of `Ending`.
            begun: games that began in this step, which are skipped.
        """
        batch, values, gamma = self._batch, self._values, self._shaping.gamma
        goes_on = endings == Ending.RUNNING
        goes_on[begun] = False
        rows = self._rows[goes_on]
        if len(rows):
            deciding = seats[rows]
            potential, before = self._potential(batch.observations[rows]), values[rows, deciding]
            earned[rows, deciding] += np.where(np.isnan(before), 0.0, gamma * potential - before)
            values[rows, deciding] = potential
        is_out = batch.terminations != 0
        leaves = ~np.isnan(values) & (is_out | (endings == Ending.TRUNCATED)[:, np.newaxis])
        leaves[begun] = False
        for seat in np.flatnonzero(leaves.any(axis=0)).tolist():
            rows = np.flatnonzero(leaves[:, seat])
            last = self._potential(batch.observe(np.full(len(rows), seat), rows))
            earned[rows, seat] += np.where(is_out[rows, seat], 0.0, gamma * last) - values[rows, seat]
        values[leaves] = np.nan

    def _potential(self, observations: NDArray[np.int8]) -> NDArray[np.float64]:
        return np.asarray(self._shaping.potential(observations), np.float64)
