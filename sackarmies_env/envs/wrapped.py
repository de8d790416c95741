"""The wrapped PettingZoo environment: calls in the wrong order raise ValueError."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.wrappers import OrderEnforcingWrapper
from pettingzoo.utils.wrappers.order_enforcing import AECOrderEnforcingIterable

from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.spaces import Last, Seen


def _after_reset(name: str) -> property:
    """Return a property that reads an attribute of the wrapped environment, after the first reset."""

    def read(self: OrderEnforced) -> Any:
        if not self._has_reset:
            raise AttributeError(f"{name} cannot be accessed before reset")
        return getattr(self.env, name)

    return property(read)


class OrderEnforced(OrderEnforcingWrapper):
    """PettingZoo's order-enforcing wrapper, with direct access to what each step reads, and with `clone`.

    Calls before `reset`, and `step` after the end, raise ValueError, as in `RawEnv`; PettingZoo's own wrapper raises
    AssertionError and warns.

    All other attributes, such as `legal_actions`, are those of `RawEnv`.

    Args:
        env: the environment to wrap.
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
        self._check_reset("last")
        last: Last = self.env.last(observe)
        return last

    def observe(self, agent: str) -> Seen | None:
        """Return what an agent may know now, see `RawEnv.observe`."""
        self._check_reset("observe")
        return self.env.observe(agent)

    def step(self, action: int | None) -> None:
        """Apply the action of `agent_selection`, see `RawEnv.step`."""
        self._check_reset("step")
        self._has_updated = True
        self.env.step(action)

    def step_text(self, text: str) -> None:
        """Step with the action that a text names, see `RawEnv.step_text`."""
        self._check_reset("step_text")
        self._has_updated = True
        self.env.step_text(text)

    def state(self) -> NDArray[np.int8]:
        """Return the concatenated observations of all seats, see `RawEnv.state`."""
        self._check_reset("state")
        return self.env.state()

    def render(self) -> str | NDArray[np.uint8] | None:
        """Render the game, see `RawEnv.render`."""
        self._check_reset("render")
        return self.env.render()

    def _repr_html_(self) -> str | None:
        return self.env._repr_html_()

    def agent_iter(self, max_iter: int = 2**63) -> AECOrderEnforcingIterable[str, Seen, int | None]:
        """Return an iterator over the selected agents; each must step before the next one."""
        self._check_reset("agent_iter")
        self._has_updated = True  # a copy made in another loop continues before the step of that loop
        iterable: AECOrderEnforcingIterable[str, Seen, int | None] = super().agent_iter(max_iter)
        return iterable

    def _check_reset(self, name: str) -> None:
        if not self._has_reset:
            raise ValueError(f"no game is running: call reset() before {name}()")

    def set_state(self, data: bytes) -> None:
        """Restore a saved state, see `RawEnv.set_state`; may be called instead of `reset`."""
        self.env.set_state(data)
        self._has_reset = True
        self._has_updated = True

    def clone(self) -> OrderEnforced:
        """Return an independent copy of this environment, wrapped in the same way."""
        twin = copy.copy(self)
        twin.env = self.env.clone()
        return twin

    def __str__(self) -> str:
        return str(self.env)
