"""The greedy General: scores every legal choice by written rules and takes the best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.scripted.sack_armies.board import make_board
from sackarmies_agents.scripted.sack_armies.choose import choose_batch
from sackarmies_agents.scripted.sack_armies.weights import DEFAULT, Weights, load_weights


class GreedyAgent(Agent):
    """A scripted General of real strength, for any number of players.

    It looks one action ahead: attacks are worth their odds, places what they hold, threaten and promise. All it knows
    is the observation and the mask, and it keeps nothing between two decisions. The seed only breaks ties; for one
    seed, equal observations give equal choices.
    """

    shares_batch = True

    def __init__(self, info: GameInfo, seed: int = 0, weights: str | Path | Weights = DEFAULT) -> None:
        """Make ready for a game.

        Args:
            info: the game.
            seed: of the breaking of ties.
            weights: the name of a set that comes with the General, the path of a TOML file, or the weights themselves.

        Raises:
            ValueError: the game is not Sack Armies, or there are no such weights.
        """
        self._board = make_board(info, weights if isinstance(weights, Weights) else load_weights(weights))
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Break ties by `seed` from now on."""
        self._board["seed"][0] = seed % 2**31

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Choose the legal id that is worth most."""
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Choose for each of `n` games."""
        actions = np.empty(len(observations), np.int64)
        # For arrays that can only be read, numba would compile the kernel once more: they are copied.
        seen, legal = (np.require(array, requirements="W") for array in (observations, action_masks))
        choose_batch(self._board, seen, legal, actions)
        return actions
