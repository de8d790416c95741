"""PufferLib: many games in its vector layout, one row a game, played straight on the batch kernels."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pufferlib import PufferEnv

from sackarmies_env.environments import vector_env


class PufferGames(PufferEnv):
    """`num_envs` games as a native environment of PufferLib: its agents are the rows of `sackarmies_env.vector_env`.

    An observation is one int8 vector, as PufferLib wants it: the game's features and then the mask of legal actions,
    `num_actions` long, so that a policy splits it at `-num_actions`. Arrays are written in place into the buffers that
    PufferLib gives; games that are over are replaced in the same step.

    Args:
        buf: buffers that several environments share; None to have its own.
        seed: not used; PufferLib hands it to `reset`.
        options: of `sackarmies_env.vector_env`.
    """

    def __init__(self, buf: Any = None, seed: int = 0, **options: Any) -> None:
        self.games = vector_env(**options)
        game = self.games.game
        self.num_features, self.num_agents = game.observation_spec.size, self.games.num_envs
        low = np.concatenate([game.observation_spec.low, np.zeros(game.num_actions, np.int8)])
        high = np.concatenate([game.observation_spec.high, np.ones(game.num_actions, np.int8)])
        self.single_observation_space = gymnasium.spaces.Box(low, high, dtype=np.int8)
        self.single_action_space = gymnasium.spaces.Discrete(game.num_actions)
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[NDArray[np.int8], list[dict[str, Any]]]:
        """Start all games anew."""
        self._write(self.games.reset(seed=seed)[0])
        return self.observations, []

    def step(
        self, actions: NDArray[np.integer[Any]]
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], list[dict[str, Any]]]:
        """Apply one decision in each game; the one info has the mean reward of the games that have ended."""
        observations, rewards, terminated, truncated, _ = self.games.step(actions)
        self._write(observations)
        self.rewards[:], self.truncations[:] = rewards, truncated
        self.terminals[:] = terminated | truncated  # PuffeRL looks at nothing else to see that a game is over
        ended = rewards[terminated | truncated]
        infos = [{"reward": float(ended.mean()), "games": len(ended)}] if len(ended) else []
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def _write(self, observations: Any) -> None:
        self.observations[:, : self.num_features] = observations["observation"]
        self.observations[:, self.num_features :] = observations["action_mask"]

    def close(self) -> None:
        """Close the games."""
        self.games.close()
