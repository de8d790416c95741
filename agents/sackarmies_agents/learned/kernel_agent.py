"""A trained agent whose network is computed by a kernel."""

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
    """Plays the policy of a `BoardNetwork` with fixed weights; for one thread at a time.

    Attributes:
        form: what the network is built for.
        sizes: sizes of its layers.
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
        """Prepare the network for play.

        Args:
            form: see above.
            sizes: see above.
            weights: see `ForwardPass`.
            deterministic: always take the likeliest action.
            advisor: the network's advisor, if it takes advice.
        """
        super().__init__(deterministic=deterministic, advisor=advisor)
        self.form, self.sizes = form, sizes
        self._forward = ForwardPass(form, sizes, weights)

    @property
    def model(self) -> Model:
        """The weights as kernels read them."""
        return self._forward.model

    def outputs(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> Outputs:
        """Evaluate the network, see `LearnedAgent`.

        Raises:
            ValueError: observations or masks have the wrong shape.
        """
        answer = None if self.advisor is None else self.advisor.ask(observations, action_masks)
        return Outputs(*self._forward.run(observations, action_masks, answer))
