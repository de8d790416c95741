"""Agent of a trained General: ids drawn from the policy of a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.learned.board_network import BoardNetwork
from sackarmies_agents.learned.checkpoint import POLICY, Checkpoint, describe, read_checkpoint
from sackarmies_agents.learned.network import Network, NetworkSizes, PlainNetwork
from sackarmies_env.core.messages import quote, short_repr
from sackarmies_env.core.safe_read import named

NETWORKS: dict[str, Callable[[GameInfo, NetworkSizes], Network]] = {"board": BoardNetwork, "plain": PlainNetwork}


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
        if not np.isfinite(logits).all():  # weights of any size must not lead to an illegal action
            logits = np.nan_to_num(logits)
        if not self._deterministic:
            logits = logits + self._rng.gumbel(size=logits.shape)
        logits = np.where(action_masks != 0, logits, -np.inf)
        chosen: NDArray[np.int64] = logits.argmax(axis=1).astype(np.int64)
        return chosen


def make_network(info: GameInfo, sizes: NetworkSizes) -> Network:
    """Return a fresh network of the kind that the game declares.

    Raises:
        ValueError: there is no such kind.
    """
    if info.network not in NETWORKS:
        known = ", ".join(map(repr, NETWORKS))
        raise ValueError(
            f"the game {info.game_id!r} declares the network {short_repr(info.network)}: known are {known}"
        )
    return NETWORKS[info.network](info, sizes)


def load_agent(path: str | Path, info: GameInfo, *, deterministic: bool = False) -> PolicyAgent:
    """Return the General of a checkpoint.

    Args:
        path: a file that training wrote.
        info: the game it is to play.
        deterministic: always the likeliest action.

    Raises:
        ValueError: the file is missing or damaged, or its General was trained for another game.
    """
    checkpoint = read_checkpoint(Path(path))
    for key, value in describe(info).items():
        found = checkpoint.header.game.get(key)
        if found != value:
            what = "its observation has another layout" if key == "observation" else f"{key} {short_repr(found)}"
            here = "" if key == "observation" else f", here it is {value}"
            raise ValueError(f"the General in {named(path)} was trained for another game: {what}{here}")
    return PolicyAgent(read_network(checkpoint, POLICY, info), deterministic=deterministic)


def read_network(checkpoint: Checkpoint, part: str, info: GameInfo) -> Network:
    """Return the network in a part of a checkpoint.

    Args:
        checkpoint: it also says how large the network is; no memory is taken for more than what the part holds.
        part: which of its parts.
        info: the game that the network is for.

    Raises:
        ValueError: the part is missing, or does not fit these sizes or this version.
    """
    weights = checkpoint.part(part)
    with torch.device("meta"):
        network = make_network(info, checkpoint.header.network)
    wanted = network.state_dict()
    name = f"{part} in the checkpoint {named(checkpoint.path)}"
    for key in dict.fromkeys([*wanted, *weights]):
        if key not in wanted or key not in weights:
            where = "missing" if key in wanted else "unknown"
            raise ValueError(f"{name} does not fit the network of this version: {quote(key)} is {where}")
        given = weights[key]
        if given.dtype != wanted[key].dtype or given.shape != wanted[key].shape:
            shape = tuple(wanted[key].shape)
            raise ValueError(f"{name} does not fit the network of this version: {quote(key)} is not of shape {shape}")
        if not torch.isfinite(given).all():
            raise ValueError(f"{name} holds weights that are no finite numbers: {quote(key)}")
    network.load_state_dict(weights, assign=True)
    return network
