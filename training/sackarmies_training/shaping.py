"""Shaping: a potential of what a General sees, for environments whose own reward comes only at the end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.observation import ObservationSpec
from sackarmies_training.config import ShapingSection


class BoardPotential:
    """Worth of a position in the eyes of the observer: battlefields kept, units lost, units at hand.

    Only the block `generals` is looked at, which is public: it holds the observer first and then the others.
    """

    def __init__(self, spec: ObservationSpec, weights: ShapingSection) -> None:
        """Prepare for a layout.

        Raises:
            ValueError: the game shows no battlefields and casualties.
        """
        self._spec = spec
        self._weights = weights
        block = spec.block("generals")
        self._kept = block.column("fields_kept")
        self._lost = block.column("casualties")
        self._units = block.column("units")

    def __call__(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the potentials `(k,)` of observations `(k, size)`."""
        generals = self._spec.view(observations, "generals").astype(np.float32)
        kept, lost, units = (generals[:, :, column] for column in (self._kept, self._lost, self._units))
        weights = self._weights
        potential: NDArray[np.float32] = (
            weights.control * _lead(kept) - weights.losses * _lead(lost) + weights.deployed * units[:, 0]
        )
        return potential


def _lead(counts: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the observer's count minus the mean of the others', `(k,)`, of `(k, players)`."""
    lead: NDArray[np.float32] = counts[:, 0] - counts[:, 1:].mean(axis=1)
    return lead


def make_potential(spec: ObservationSpec, weights: ShapingSection) -> BoardPotential | None:
    """Return the potential that a configuration asks for; None where it asks for none.

    Raises:
        ValueError: it asks for one, and the game does not show what it needs.
    """
    if not (weights.control or weights.losses or weights.deployed):
        return None
    return BoardPotential(spec, weights)
