"""Agent of a trained General whose network is computed by a kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.learned.advice import Advisor
from sackarmies_agents.learned.board_form import BoardForm
from sackarmies_agents.learned.checkpoint import Arrays
from sackarmies_agents.learned.forward import ForwardPass
from sackarmies_agents.learned.forward_model import Model
from sackarmies_agents.learned.learned_agent import LearnedAgent, Outputs
from sackarmies_agents.learned.sizes import NetworkSizes


class KernelAgent(LearnedAgent):
    """Plays what a `BoardNetwork` says, whose weights stay as they are; for one thread at a time.

    Attributes:
        form: what the network is made for.
        sizes: of its layers.
    """

    def __init__(
        self,
        form: BoardForm,
        sizes: NetworkSizes,
        weights: Arrays,
        *,
        deterministic: bool = False,
        advisor: Advisor | None = None,
    ) -> None:
        """Make ready to play.

        Args:
            form: see above.
            sizes: see above.
            weights: see `ForwardPass`.
            deterministic: always the likeliest action.
            advisor: who advises the network, if it takes advice.
        """
        super().__init__(deterministic=deterministic, advisor=advisor)
        self.form, self.sizes = form, sizes
        self._forward = ForwardPass(form, sizes, weights)

    @property
    def model(self) -> Model:
        """The weights as kernels read them."""
        return self._forward.model

    def outputs(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> Outputs:
        """Return what the network says, see `LearnedAgent`.

        Raises:
            ValueError: observations or masks are of another shape.
        """
        answer = None if self.advisor is None else self.advisor.ask(observations, action_masks)
        return Outputs(*self._forward.run(observations, action_masks, answer))
