"""The wrapped PettingZoo environment: calls in the wrong order are refused."""

from __future__ import annotations

import copy
from typing import Any

from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.spaces import Last


def _after_reset(name: str) -> property:
    """Return a property that reads an attribute of the wrapped environment, once there has been a reset."""

    def read(self: OrderEnforced) -> Any:
        if not self._has_reset:
            raise AttributeError(f"{name} cannot be accessed before reset")
        return getattr(self.env, name)

    return property(read)


class OrderEnforced(OrderEnforcingWrapper):
    """PettingZoo's order-enforcing wrapper, with direct access to what is read at each step and with `clone`.

    All other names, `legal_actions` and the like, are those of `RawEnv`.

    Args:
        env: the bare environment.
    """

    env: RawEnv
    agents = _after_reset("agents")
    agent_selection = _after_reset("agent_selection")
    rewards = _after_reset("rewards")
    terminations = _after_reset("terminations")
    truncations = _after_reset("truncations")
    infos = _after_reset("infos")
    _cumulative_rewards = _after_reset("_cumulative_rewards")

    def last(self, observe: bool = True) -> Last:
        """Return observation, reward, terminated, truncated and info of `agent_selection`, see `RawEnv.last`."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        last: Last = self.env.last(observe)
        return last

    def step(self, action: int | None) -> None:
        """Apply the decision of `agent_selection`, see `RawEnv.step`."""
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        if self.env.agents:
            self.env.step(action)
        else:
            EnvLogger.warn_step_after_terminated_truncated()

    def set_state(self, data: bytes) -> None:
        """Go to a saved state, see `RawEnv.set_state`; it may take the place of a reset."""
        self.env.set_state(data)
        self._has_reset = True
        self._has_updated = True

    def clone(self) -> OrderEnforced:
        """Return an equal and independent environment, wrapped like this one."""
        twin = copy.copy(self)
        twin.env = self.env.clone()
        return twin

    def __str__(self) -> str:
        return str(self.env)
