"""The policy of MaskablePPO: a network of ours, with the interface that MaskablePPO asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor

from sackarmies_agents.learned.network import Network


class NetworkPolicy(MaskableActorCriticPolicy):
    """Lets MaskablePPO train a `Network`, which gets the raw int8 observations."""

    network: Network
    action_space: spaces.Discrete

    def __init__(self, *args: Any, make_network: Callable[[], Network], **kwargs: Any) -> None:
        self._make_network = make_network
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Callable[[float], float]) -> None:
        self.network = self._make_network()
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions, values and log probabilities, `(n,)` each."""
        distribution, values = self._distribution(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, values, distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return values, log probabilities of `actions` and entropies, `(n,)` each."""
        distribution, values = self._distribution(obs, action_masks)
        return values, distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: Any, action_masks: Any = None) -> MaskableDistribution:
        """Return the masked distribution of actions."""
        return self._distribution(obs, action_masks)[0]

    def predict_values(self, obs: Any) -> Tensor:
        """Return values, `(n, 1)`."""
        return self.network.values(obs).unsqueeze(1)

    def _distribution(self, obs: Tensor, action_masks: Any) -> tuple[MaskableDistribution, Tensor]:
        if action_masks is None:
            masks = torch.ones((len(obs), int(self.action_space.n)), dtype=torch.bool, device=obs.device)
        else:
            masks = torch.as_tensor(action_masks, device=obs.device) != 0
        logits, values = self.network(obs, masks)
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        distribution.apply_masking(masks)
        return distribution, values
