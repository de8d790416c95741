"""Reward shaping: a potential of what a player sees, for training where the game's own reward comes only at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.observation import ObservationSpec
from sackarmies_env.games.territories.data.schema import load_rulebook
from sackarmies_env.games.territories.state.constants import ATTACKER, DEFENDER


@dataclass(frozen=True)
class MapPotential:
    """Value of a position to the observing seat: its lead in territories and in the exchange value of its units.

    A lead is the observing seat's count minus the mean of the other seats' counts, so the potentials of all seats add
    up to zero. Units on the battle board count, and only public blocks are read. The exchange value is in tens of
    troops, which makes it comparable to a territory.

    Attributes:
        spec: layout of the observations.
        territories: weight of a territory.
        units: weight of ten troops, or of other units of the same exchange value.

    Raises:
        ValueError: the observations lack players, territories or the battle board.
    """

    spec: ObservationSpec
    territories: float = 0.0
    units: float = 0.0

    def __post_init__(self) -> None:
        for name, feature in (("players", "territories"), ("territories", "owner"), ("sides", "troop")):
            self.spec.block(name).column(feature)

    def __call__(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the potentials `(k,)` of observations `(k, size)`."""
        controlled = self._column(observations, "players", "territories")
        potential: NDArray[np.float32] = self.territories * _lead(controlled)
        potential += self.units * _lead(self._values(observations, controlled.shape[1])) / 10
        return potential

    def _column(self, observations: NDArray[np.int8], block: str, feature: str) -> NDArray[np.float32]:
        """Return a feature of all rows of a block, `(k, rows)`."""
        column = self.spec.block(block).column(feature)
        return self.spec.view(observations, block)[:, :, column].astype(np.float32)

    def _values(self, observations: NDArray[np.int8], num_players: int) -> NDArray[np.float32]:
        """Return the exchange value of each player's units on the map and the battle board, `(k, players)`."""
        units = load_rulebook().unit
        worth = np.array([unit.value for unit in units], np.float32)
        here, board = (
            np.stack([self._column(observations, block, unit.id) for unit in units], axis=2) @ worth
            for block in ("territories", "sides")
        )
        owners = self._column(observations, "territories", "owner")
        seats = np.arange(num_players)
        values: NDArray[np.float32] = (here[:, None, :] * (owners[:, None, :] == seats[:, None])).sum(axis=2)
        for side, feature in ((ATTACKER, "active"), (DEFENDER, "defender")):
            fighting = self._column(observations, "globals", feature) == seats
            values += board[:, side, None] * fighting
        return values


def _lead(counts: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the observing seat's count minus the mean of the other seats' counts: `(k,)` from `(k, players)`."""
    lead: NDArray[np.float32] = counts[:, 0] - counts[:, 1:].mean(axis=1)
    return lead
