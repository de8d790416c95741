"""Agent of a trained General: ids drawn from the policy of a network."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo, Report
from sackarmies_agents.layout import describe
from sackarmies_agents.learned.advice import Advisor, make_advisor
from sackarmies_agents.learned.board_network import BoardNetwork
from sackarmies_agents.learned.checkpoint import POLICY, Checkpoint, read_checkpoint
from sackarmies_agents.learned.forward import ForwardPass
from sackarmies_agents.learned.network import Network, NetworkSizes, PlainNetwork
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.messages import quote, short_repr
from sackarmies_env.core.record import Candidate
from sackarmies_env.core.safe_read import named

NETWORKS: dict[str, Callable[[GameInfo, NetworkSizes], Network]] = {"board": BoardNetwork, "plain": PlainNetwork}
MOST_AT_ONCE = 128  # positions that the kernel computes; torch, which uses all threads, may be faster with more


class Outputs(NamedTuple):
    """What a network says of `n` decisions.

    Attributes:
        logits: `(n, num_actions)`.
        values: `(n,)`, of the positions.
    """

    logits: NDArray[np.float32]
    values: NDArray[np.float32]

    def reports(self) -> list[Report]:
        """Return them as reports; logits of illegal ids must be minus infinity."""
        chances = np.exp(self.logits - self.logits.max(axis=1, keepdims=True)).astype(np.float64)
        chances /= chances.sum(axis=1, keepdims=True)
        reports = []
        for row, value in zip(chances, self.values.tolist(), strict=True):
            possible = row.nonzero()[0]
            best = possible[np.argsort(-row[possible], kind="stable")]
            given = zip(best.tolist(), np.minimum(row[best], 1.0).tolist(), strict=True)
            candidates = tuple(Candidate(action=action, probability=chance) for action, chance in given)
            reports.append(Report(candidates, value if math.isfinite(value) else None))
        return reports


class PolicyAgent(Agent):
    """Plays what a network says: drawn from its distribution, or its likeliest action.

    Attributes:
        network: that says it.
        advisor: who advises the network; None for one that takes no advice.
    """

    shares_batch = True

    def __init__(
        self, network: Network, *, deterministic: bool = False, advisor: Advisor | None = None, frozen: bool = False
    ) -> None:
        """Make ready to play.

        Args:
            network: on the device on which it is to run.
            deterministic: always the likeliest action.
            advisor: who advises the network, if it takes advice.
            frozen: whether the weights of the network stay as they are, so that small batches may be computed from a
                copy of them, see `ForwardPass`. Weights that are changed in place after all are copied again.
        """
        self.network = network.eval()
        self._has_kernel = frozen and not INTERPRETED and ForwardPass.is_possible(network)
        self._forward: ForwardPass | None = None
        self._deterministic = deterministic
        self.advisor = advisor
        self._rng = np.random.default_rng(0)
        self._latest: Outputs | None = None

    def reset(self, seed: int) -> None:
        """Start the random numbers from `seed`."""
        self._rng = np.random.default_rng(seed)

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Choose an action for one game."""
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Choose an action for each of `n` games."""
        self._latest = self._outputs(observations, action_masks)
        scores: NDArray[np.floating] = self._latest.logits
        if not self._deterministic:
            scores = scores + self._rng.gumbel(size=scores.shape)
        chosen: NDArray[np.int64] = scores.argmax(axis=1).astype(np.int64, copy=False)
        return chosen

    def rate(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Score the actions of `n` games, for a search; neither random numbers nor reports depend on it.

        Args:
            observations: `(n, size)` int8.
            action_masks: `(n, num_actions)` int8.

        Returns:
            The likeliest action of each, `(n,)`, and logits `(n, num_actions)`, minus infinity where illegal.
        """
        logits = self._outputs(observations, action_masks).logits
        return logits.argmax(axis=1).astype(np.int64, copy=False), logits

    def report(self) -> Sequence[Report | None]:
        """Say what the network's policy gave to each legal id in the last decisions, and what it holds them worth.

        The probabilities are the policy's, also where the likeliest action is always taken.
        """
        return [] if self._latest is None else self._latest.reports()

    def _outputs(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> Outputs:
        """Return what the network says; logits are finite where legal, and minus infinity elsewhere."""
        answer = None if self.advisor is None else self.advisor.ask(observations, action_masks)
        if self._has_kernel and len(observations) <= MOST_AT_ONCE:
            return Outputs(*self._kernel().run(observations, action_masks, answer))
        device = next((weight.device for weight in self.network.parameters()), torch.device("cpu"))
        given: list[Any] = [torch.tensor(observations), torch.tensor(action_masks) != 0]
        if answer is not None:
            given.append(answer.as_tensors())
        with torch.inference_mode():
            logits, values = (part.cpu().numpy() for part in self.network(*(one.to(device) for one in given)))
        if not np.isfinite(logits).all():  # weights of any size must not lead to an illegal action
            logits = np.nan_to_num(logits)
        return Outputs(np.where(action_masks != 0, logits, np.float32(-np.inf)), values)

    def _kernel(self) -> ForwardPass:
        if self._forward is None or not self._forward.is_copy_of(self.network):
            self._forward = ForwardPass(self.network)
        return self._forward


def find_device(name: str) -> torch.device:
    """Return a device of torch by its name.

    Raises:
        ValueError: torch knows no such device, or it is not there.
    """
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError):
        there = ["cpu", *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
        raise ValueError(f"device is {short_repr(name)}, but there are only {', '.join(there)}") from None
    return device


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


def load_agent(path: str | Path, info: GameInfo, *, deterministic: bool = False, device: str = "cpu") -> PolicyAgent:
    """Return the General of a checkpoint.

    Args:
        path: a file that training wrote.
        info: the game it is to play.
        deterministic: always the likeliest action.
        device: where its network runs.

    Raises:
        ValueError: the file is missing or damaged, its General was trained for another game, or there is no such
            device.
    """
    checkpoint = read_checkpoint(Path(path))
    check_game(checkpoint, info)
    place = find_device(device)
    try:
        advisor = make_advisor(checkpoint.header.advice, info, checkpoint.header.network.advice)
    except ValueError as error:
        raise ValueError(f"{named(path)} names an advisor: {error}") from None
    if (advisor is not None) != (checkpoint.header.network.advice > 0):
        raise ValueError(f"the General in {named(path)} takes advice and names no advisor, or the other way round")
    network = read_network(checkpoint, POLICY, info).to(place)
    return PolicyAgent(network, deterministic=deterministic, advisor=advisor, frozen=True)


def check_game(checkpoint: Checkpoint, info: GameInfo) -> None:
    """Refuse a General for another game.

    Raises:
        ValueError: sizes or layouts differ.
    """
    for key, value in describe(info).items():
        found = checkpoint.header.game.get(key)
        if found != value:
            what = "its observation has another layout" if key == "observation" else f"{key} {short_repr(found)}"
            here = "" if key == "observation" else f", here it is {value}"
            raise ValueError(f"the General in {named(checkpoint.path)} was trained for another game: {what}{here}")


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
        if not np.isfinite(given.numpy()).all():  # torch would share this out among threads, which costs more
            raise ValueError(f"{name} holds weights that are no finite numbers: {quote(key)}")
    network.load_state_dict(weights, assign=True)
    return network
