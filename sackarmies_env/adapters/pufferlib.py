"""PufferLib adapter: many games in its vector layout, one row per game, played directly on the batch kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from pufferlib import PufferEnv

from sackarmies_env.environments import vector_env
from sackarmies_env.envs.structured import FLAT, FORMS
from sackarmies_env.envs.varied_vector import VariedBatchEnv
from sackarmies_env.envs.vector_env import ALL_SEATS, BatchEnv


class PufferGames(PufferEnv):
    """`num_envs` games as a native PufferLib environment, whose agents are the rows of `sackarmies_env.vector_env`.

    An observation is one int8 vector, as PufferLib requires: the features, then the mask of legal actions. The mask has
    one number per action, so a policy can split the vector at `-single_action_space.n`. Arrays are written in place
    into the buffers that PufferLib provides. Games that are over are replaced in the same step.

    Args:
        buf: buffers that several environments share; None for its own.
        seed: ignored; PufferLib passes it to `reset`.
        options: of `sackarmies_env.vector_env`, except those that change the layout of rows or when games are replaced.

    Raises:
        ValueError: an option has a value that is not allowed, or that would change the layout of rows or when games
            are replaced.
    """

    def __init__(self, buf: Any = None, seed: int = 0, **options: Any) -> None:
        self.games = vector_env(**options)
        _refuse_other_rows(options, self.games)
        space: Any = self.games.single_observation_space
        content, mask = space["observation"], space["action_mask"]
        low, high = (np.concatenate(ends) for ends in ((content.low, mask.low), (content.high, mask.high)))
        self.num_features, self.num_agents = content.shape[0], self.games.num_envs
        self.single_observation_space = spaces.Box(low, high, dtype=np.int8)
        self.single_action_space = self.games.single_action_space
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[NDArray[np.int8], list[dict[str, Any]]]:
        """Reset all games."""
        self._write(self.games.reset(seed=seed)[0])
        return self.observations, []

    def step(
        self, actions: NDArray[np.integer[Any]]
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], list[dict[str, Any]]]:
        """Apply one decision in each game; if any ended, one info holds their number and mean reward in this step."""
        observations, rewards, terminated, truncated, _ = self.games.step(actions)
        self._write(observations)
        self.rewards[:], self.truncations[:] = rewards, truncated
        self.terminals[:] = terminated | truncated  # PuffeRL looks at these alone to see that a game is over
        ended = rewards[terminated | truncated]
        infos = [{"reward": float(ended.mean()), "games": len(ended)}] if len(ended) else []
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def _write(self, observations: Any) -> None:
        self.observations[:, : self.num_features] = observations["observation"]
        self.observations[:, self.num_features :] = observations["action_mask"]

    def close(self) -> None:
        """Close the games."""
        self.games.close()


def _refuse_other_rows(options: Mapping[str, Any], games: BatchEnv | VariedBatchEnv) -> None:
    """Refuse options with which a row is not a vector and its mask of one seat, or outlives its game."""
    form = options.get("observation", FLAT)
    if form in FORMS and form != FLAT:
        raise ValueError(f"observation={form!r}: PufferLib requires {FLAT!r}, one vector per game")
    if not options.get("mask_in_observation", True):
        raise ValueError(
            "mask_in_observation=False: policies of PufferLib see observations only, which must include the mask; give "
            "True or omit the option"
        )
    if games.seat_choice == ALL_SEATS:  # rewards of seats that do not act would be lost
        raise ValueError("seat='all': a row of PufferLib is an agent, which plays one seat; give a number or 'random'")
    if games.autoreset_mode is not AutoresetMode.SAME_STEP:
        raise ValueError(f"autoreset_mode={games.autoreset_mode.value!r}: PufferLib requires 'SameStep'")
