"""A trained General: a network and random numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.learned.board_network import BoardNetwork
from sackarmies_agents.learned.checkpoint import POLICY, describe, read_header, read_member
from sackarmies_agents.learned.network import Network, NetworkSizes, PlainNetwork


class PolicyAgent(Agent):
    """Plays what a network says: drawn from its distribution, or its likeliest action."""

    shares_batch = True

    def __init__(self, network: Network, *, deterministic: bool = False) -> None:
        self.network = network.eval()
        self._deterministic = deterministic
        self._rng = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Start the random numbers from `seed`."""
        self._rng = np.random.default_rng(seed)

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Choose an action for one game."""
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Choose an action for each of `n` games."""
        with torch.inference_mode():
            logits = self.network(torch.tensor(observations), torch.tensor(action_masks) != 0)[0].numpy()
        if not self._deterministic:
            logits = logits + self._rng.gumbel(size=logits.shape)
        chosen: NDArray[np.int64] = logits.argmax(axis=1).astype(np.int64)
        return chosen


def make_network(info: GameInfo, sizes: NetworkSizes) -> Network:
    """Return a fresh network for a game: the one with a board where the game has one."""
    return BoardNetwork(info, sizes) if info.radius else PlainNetwork(info, sizes)


def load_agent(path: str | Path, info: GameInfo, *, deterministic: bool = False) -> PolicyAgent:
    """Return the General of a checkpoint.

    Args:
        path: a file that training wrote.
        info: the game it is to play.
        deterministic: always the likeliest action.

    Raises:
        ValueError: the file is missing or damaged, or its General was trained for another game.
    """
    path = Path(path)
    header = read_header(path)
    for key, value in describe(info).items():
        if header.game.get(key) != value:
            what = "its observation has another layout" if key == "observation" else f"{key} {header.game.get(key)}"
            here = "" if key == "observation" else f", here it is {value}"
            raise ValueError(f"the General in {path} was trained for another game: {what}{here}")
    network = make_network(info, header.network)
    try:
        network.load_state_dict(read_member(path, POLICY))
    except RuntimeError as error:
        raise ValueError(f"the checkpoint {path} does not fit the network of this version: {error}") from None
    return PolicyAgent(network, deterministic=deterministic)
