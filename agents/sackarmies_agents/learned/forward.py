"""Forward pass of `BoardNetwork` without torch, in a single kernel.

torch needs some sixty operations for a position, each of which costs more to launch than to run. The kernel computes
the same numbers, up to rounding, from weights that are laid out for it (docs/decisions/0061-forward-pass.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import check_shapes
from sackarmies_agents.learned.advice import Answer
from sackarmies_agents.learned.board_form import BoardForm
from sackarmies_agents.learned.forward_kernels import forward
from sackarmies_agents.learned.forward_model import Floats, Integers, model_of, scratch_for
from sackarmies_agents.learned.sizes import CHOICE, REASONS, WORTHS, NetworkSizes
from sackarmies_agents.scripted.compiled import NUM_NOTES, NUM_PARTS, PLAN_IDS

Number = TypeVar("Number", bound=np.generic)
NO_IDS, NO_WORTHS = np.zeros(0, np.int64), np.zeros(0, np.float32)
NO_REASONS = np.full((1, PLAN_IDS), -1), np.zeros((1, NUM_PARTS), np.float32), np.zeros((1, 1, NUM_NOTES), np.float32)


class ForwardPass:
    """The kernel, and the weights as it reads them; for one thread at a time.

    Args:
        form: what the network is built for.
        sizes: sizes of its layers.
        weights: float32, with the names and shapes that `shapes_of` gives; they are copied.
    """

    def __init__(self, form: BoardForm, sizes: NetworkSizes, weights: Mapping[str, Floats]) -> None:
        self._shape = form.spec.size, form.num_actions
        self._level = sizes.advice
        self.model = model_of(form, sizes, weights)
        self._fields, self._scratch = tuple(self.model), tuple(scratch_for(form, sizes))

    def run(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8], answer: Answer | None
    ) -> tuple[Floats, Floats]:
        """Score positions.

        Args:
            observations: `(n, size)`.
            masks: `(n, num_actions)`.
            answer: the advisor's; None if no advice is given.

        Returns:
            Logits `(n, num_actions)`, finite where legal and minus infinity elsewhere, and values `(n,)`, see
            `network.value_of`.

        Raises:
            ValueError: observations or masks have the wrong shape.
        """
        check_shapes(*self._shape, observations, masks)
        advice = self._taken(answer)
        out = np.empty(masks.shape, np.float32), np.empty(len(masks), np.float32)
        forward(self._fields, self._scratch, exactly(observations, np.int8), exactly(masks, np.int8), advice, out)
        return out

    def _taken(self, answer: Answer | None) -> tuple[int, Integers, Floats, Integers, Floats, Floats]:
        """Return the advice that the network takes from an answer: its level, and its parts."""
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
    """Return an array of the type that the kernel is compiled for, copied if needed; others would be compiled anew."""
    if array.dtype == dtype and array.flags.carray:
        return array
    return np.array(array, dtype, order="C")
