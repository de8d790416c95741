"""The forward pass of `BoardNetwork` for few positions: all of it in one kernel.

torch needs some sixty operations for a position, and each costs more to begin than to do. The kernel computes the same
numbers, up to rounding, from a copy of the weights that is laid out for it (docs/decisions/0061-forward-pass.md).
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from sackarmies_agents.learned.advice import Answer
from sackarmies_agents.learned.board_network import BoardNetwork
from sackarmies_agents.learned.forward_kernels import forward
from sackarmies_agents.learned.forward_model import Floats, Integers, advice_level, model_of, scratch_for
from sackarmies_agents.learned.network import CHOICE, REASONS, WORTHS, Network
from sackarmies_agents.scripted.compiled import NUM_NOTES, NUM_PARTS, PLAN_IDS

Number = TypeVar("Number", bound=np.generic)
NO_IDS, NO_WORTHS = np.zeros(0, np.int64), np.zeros(0, np.float32)
NO_REASONS = np.full((1, PLAN_IDS), -1), np.zeros((1, NUM_PARTS), np.float32), np.zeros((1, 1, NUM_NOTES), np.float32)


class ForwardPass:
    """A copy of the weights of a network, and the kernel; for one thread at a time.

    Args:
        network: see `is_possible`.
    """

    def __init__(self, network: Network) -> None:
        """Copy the weights.

        Raises:
            ValueError: the kernel does not compute such a network.
        """
        if not isinstance(network, BoardNetwork) or not self.is_possible(network):
            raise ValueError(f"{type(network).__name__} has no kernel, or is not on a CPU and of float32")
        self._network = network
        self._counted = [weight for weight in network.parameters() if not weight.is_inference()]
        self._versions = self._count_changes()
        self._level = advice_level(network)
        self._model = tuple(model_of(network))
        self._scratch = tuple(scratch_for(network))

    @staticmethod
    def is_possible(network: Network) -> bool:
        """Return whether a network is one that the kernel computes: a `BoardNetwork` on a CPU, of float32."""
        return type(network) is BoardNetwork and all(
            weight.device.type == "cpu" and weight.dtype == torch.float32 for weight in network.parameters()
        )

    def is_copy_of(self, network: Network) -> bool:
        """Return whether this was copied from a network of which no weight was changed in place since."""
        return self._network is network and self._versions == self._count_changes()

    def _count_changes(self) -> list[int]:
        return [weight._version for weight in self._counted]  # counted by torch, for gradients

    def run(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8], answer: Answer | None
    ) -> tuple[Floats, Floats]:
        """Score positions.

        Args:
            observations: `(n, size)`.
            masks: `(n, num_actions)`.
            answer: of who advises; None where no advice is given.

        Returns:
            Logits `(n, num_actions)`, finite where legal and minus infinity elsewhere, and values `(n,)`.

        Raises:
            ValueError: observations or masks are of another shape.
        """
        wanted = (len(masks), self._network.spec.size), (len(masks), self._network.num_actions)
        if (observations.shape, masks.shape) != wanted:
            given = f"{observations.shape} and {masks.shape}"
            raise ValueError(
                f"observations and masks are of the shapes {given}, but must be {wanted[0]} and {wanted[1]}"
            )
        advice = self._taken(answer)
        out = np.empty(masks.shape, np.float32), np.empty(len(masks), np.float32)
        forward(self._model, self._scratch, exactly(observations, np.int8), exactly(masks, np.int8), advice, out)
        return out

    def _taken(self, answer: Answer | None) -> tuple[int, Integers, Floats, Integers, Floats, Floats]:
        """Return how much of an answer the network takes, and all of it."""
        if answer is None or self._level == 0:
            return 0, NO_IDS, NO_WORTHS, *NO_REASONS
        chosen, told = exactly(answer.chosen, np.int64), answer.explanation
        if answer.worths is None or self._level < WORTHS:
            return CHOICE, chosen, NO_WORTHS, *NO_REASONS
        worths = exactly(answer.worths, np.float32)
        if told is None or self._level < REASONS:
            return WORTHS, chosen, worths, *NO_REASONS
        plans, parts, notes = told.plans, told.parts, told.notes
        rest = exactly(plans, np.int64), exactly(parts, np.float32), exactly(notes, np.float32)
        return REASONS, chosen, worths, *rest


def exactly(array: NDArray[Any], dtype: type[Number]) -> NDArray[Number]:
    """Return an array as the kernel knows it, copied where need be: for others it would be compiled once more."""
    if array.dtype == dtype and array.flags.carray:
        return array
    return np.array(array, dtype, order="C")
