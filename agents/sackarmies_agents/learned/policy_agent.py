"""A trained agent whose network runs in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.advice import Advisor
from sackarmies_agents.learned.board_form import BOARD
from sackarmies_agents.learned.board_network import BoardNetwork
from sackarmies_agents.learned.checkpoint import Checkpoint
from sackarmies_agents.learned.learned_agent import LearnedAgent, Outputs
from sackarmies_agents.learned.network import Advice, Network, PlainNetwork
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_agents.learned.tensors import tensors_of
from sackarmies_agents.learned.weights import check_weights
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.safe_read import named

NETWORKS: dict[str, Callable[[GameInfo, NetworkSizes], Network]] = {BOARD: BoardNetwork, "plain": PlainNetwork}


class PolicyAgent(LearnedAgent):
    """Plays the policy of a torch network, on the network's device; its weights may change during play.

    Attributes:
        network: the network.
    """

    def __init__(self, network: Network, *, deterministic: bool = False, advisor: Advisor | None = None) -> None:
        """Prepare the network for play.

        Args:
            network: it must be on the device on which it is to run.
            deterministic: always take the likeliest action.
            advisor: the network's advisor, if it takes advice.
        """
        super().__init__(deterministic=deterministic, advisor=advisor)
        self.network = network.eval()

    def outputs(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> Outputs:
        """Evaluate the network, see `LearnedAgent`."""
        device = next((weight.device for weight in self.network.parameters()), torch.device("cpu"))
        given: list[Any] = [torch.tensor(observations), torch.tensor(action_masks) != 0]
        if self.advisor is not None:
            given.append(Advice.of(self.advisor.ask(observations, action_masks)))
        with torch.inference_mode():
            logits, values = (part.cpu().numpy() for part in self.network(*(one.to(device) for one in given)))
        if not np.isfinite(logits).all():  # weights of any size must not lead to an illegal action
            logits = np.nan_to_num(logits)
        return Outputs(np.where(action_masks != 0, logits, np.float32(-np.inf)), values)


def find_device(name: str) -> torch.device:
    """Return the torch device of a name.

    Raises:
        ValueError: torch knows no such device, or it is not available.
    """
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()  # a device without data, such as `meta`, cannot answer
    except (RuntimeError, AssertionError, NotImplementedError, ImportError):  # the last: its module is not installed
        there = ["cpu", *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
        raise ValueError(f"unknown device {short_repr(name)}: available are {', '.join(there)}") from None
    return device


def make_network(info: GameInfo, sizes: NetworkSizes) -> Network:
    """Make a fresh network of the kind that the game declares.

    Raises:
        ValueError: there is no such kind.
    """
    if info.network not in NETWORKS:
        known = ", ".join(map(repr, NETWORKS))
        raise ValueError(
            f"the game {info.game_id!r} declares the unknown network {short_repr(info.network)}: known are {known}"
        )
    return NETWORKS[info.network](info, sizes)


def read_network(checkpoint: Checkpoint, part: str, info: GameInfo) -> Network:
    """Load the network in a part of a checkpoint.

    Args:
        checkpoint: it also gives the sizes of the network; no memory is allocated for more than what the part holds.
        part: name of the part.
        info: the game that the network is for.

    Raises:
        ValueError: the part is missing, or does not fit these sizes or this version.
    """
    weights = checkpoint.part(part)
    with torch.device("meta"):
        network = make_network(info, checkpoint.header.network)
    shapes = {name: tuple(weight.shape) for name, weight in network.state_dict().items()}
    check_weights(weights, shapes, f"{part} in the checkpoint {named(checkpoint.path)}")
    network.load_state_dict(tensors_of(weights), assign=True)
    return network
