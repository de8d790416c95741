"""Reward shaping: a potential of what a General sees, for training in which rewards come only at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.observation import ObservationSpec


@dataclass(frozen=True)
class BoardPotential:
    """Value of a position to the observing seat: battlefields kept, units lost, units deployed.

    Only the block `generals` is read, which is public: it holds the observing seat first and then the others.

    Attributes:
        spec: layout of the observations.
        control: value of an own battlefield that is kept, and cost of an opponent's that they keep.
        losses: value of a token in an opponent's casualties, and cost of one in one's own.
        deployed: value of an own unit on the battleground.

    Raises:
        ValueError: the observations do not show battlefields, casualties and units.
    """

    spec: ObservationSpec
    control: float = 0.0
    losses: float = 0.0
    deployed: float = 0.0

    def __post_init__(self) -> None:
        block = self.spec.block("generals")
        for name in ("fields_kept", "casualties", "units"):
            block.column(name)

    def __call__(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the potentials `(k,)` of observations `(k, size)`."""
        block = self.spec.block("generals")
        generals = self.spec.view(observations, "generals").astype(np.float32)
        kept, lost, units = (generals[:, :, block.column(name)] for name in ("fields_kept", "casualties", "units"))
        potential: NDArray[np.float32] = (
            self.control * _lead(kept) - self.losses * _lead(lost) + self.deployed * units[:, 0]
        )
        return potential


def _lead(counts: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the observing seat's count minus the mean of the others', `(k,)`, of `(k, players)`."""
    lead: NDArray[np.float32] = counts[:, 0] - counts[:, 1:].mean(axis=1)
    return lead
