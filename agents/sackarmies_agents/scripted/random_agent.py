"""The random agent: every legal action is equally likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent


class RandomAgent(Agent):
    """Plays uniformly at random among the legal actions."""

    shares_batch = True

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)

    def reset(self, seed: int) -> None:
        """Reseed the random numbers."""
        self._rng = np.random.default_rng(seed)

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Choose a random legal id; the observation is ignored."""
        legal = np.flatnonzero(action_mask)
        return int(legal[self._rng.integers(len(legal))])

    def act_batch(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Choose a random legal id in each of `n` games."""
        counts = action_masks.astype(np.int64).cumsum(axis=1)
        ranks = (self._rng.random(len(counts)) * counts[:, -1]).astype(np.int64)
        chosen: NDArray[np.int64] = (counts <= ranks[:, None]).sum(axis=1)
        return chosen
