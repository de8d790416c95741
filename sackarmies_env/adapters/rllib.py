"""RLlib adapter: any game as a `MultiAgentEnv` with an agent per seat, and a PPO module that plays legal actions."""

from __future__ import annotations

from typing import Any

from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from torch import Tensor, nn

from sackarmies_env.environments import raw_env

ILLEGAL = -1e9  # the logit of an illegal action


class RllibEnv(MultiAgentEnv):
    """A game whose seats are the agents "player_0", "player_1", ..., one of which acts in each step.

    An agent receives its reward with the observation of its next decision, or with its last observation.

    Args:
        config: options of `sackarmies_env.raw_env`, as RLlib passes them.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.env = raw_env(**(config or {}))
        self.possible_agents = list(self.env.possible_agents)
        self.agents = list(self.possible_agents)
        self.observation_spaces = self.env.observation_spaces
        self.action_spaces = self.env.action_spaces

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a new game, and return the observation of the agent that decides first.

        Raises:
            ValueError: as for `RawEnv.reset`, or the game is over before anyone decides.
        """
        self.env.reset(seed=seed, options=options)
        while self.env.agents and any(self.env.last(observe=False)[2:4]):
            self.env.step(None)  # for a player whom the scenario has eliminated
        if not self.env.agents:
            raise ValueError("the game is over before anyone decides: give another scenario")
        self.agents = list(self.env.agents)
        agent = self.env.agent_selection
        return {agent: self.env.observe(agent)}, {}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Apply the current agent's decision; return results for the next agent and for those whose game has ended.

        Raises:
            ValueError: as for `RawEnv.step`.
        """
        self.env.step(actions[self.env.agent_selection])
        observations, rewards, terminated, truncated = {}, {}, {}, {}
        while self.env.agents:
            agent = self.env.agent_selection
            observations[agent], rewards[agent], terminated[agent], truncated[agent], _ = self.env.last()
            if not (terminated[agent] or truncated[agent]):
                break
            self.env.step(None)
        is_over = not self.env.agents
        self.agents = list(self.env.agents)
        terminated["__all__"] = is_over and not any(truncated.values())
        truncated["__all__"] = is_over and any(truncated.values())
        return observations, rewards, terminated, truncated, {}


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Policy and value networks for PPO on observations with masks; illegal actions get probability 0.

    `model_config` may set `hidden`, the width of the single hidden layer of each network.
    """

    def setup(self) -> None:
        """Build the networks."""
        features, hidden = self.observation_space["observation"].shape[0], self.model_config.get("hidden", 64)
        self.policy = nn.Sequential(nn.Linear(features, hidden), nn.Tanh(), nn.Linear(hidden, int(self.action_space.n)))
        self.value = nn.Sequential(nn.Linear(features, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        seen = batch[Columns.OBS]
        logits = self.policy(seen["observation"].float())
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, ILLEGAL)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """Return the value of each observation."""
        values: Tensor = self.value(batch[Columns.OBS]["observation"].float())
        return values.squeeze(-1)
