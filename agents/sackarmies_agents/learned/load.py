"""Loading of trained agents from checkpoints. On the CPU, those for games with a board need no torch."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.layout import describe
from sackarmies_agents.learned.advice import Advisor, make_advisor
from sackarmies_agents.learned.board_form import BOARD, board_form
from sackarmies_agents.learned.checkpoint import POLICY, Checkpoint, read_checkpoint
from sackarmies_agents.learned.kernel_agent import KernelAgent
from sackarmies_agents.learned.learned_agent import LearnedAgent
from sackarmies_agents.learned.weights import check_weights, shapes_of
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.messages import missing_extra, short_repr
from sackarmies_env.core.safe_read import named

PROCESSOR = "cpu"


def load_agent(
    path: str | Path, info: GameInfo, *, deterministic: bool = False, device: str = PROCESSOR
) -> LearnedAgent:
    """Load the agent of a checkpoint.

    Args:
        path: a file that training wrote.
        info: the game it is to play.
        deterministic: always take the likeliest action.
        device: where its network runs.

    Raises:
        ValueError: the file is missing or damaged, its agent was trained for another game, its weights do not fit
            this version, its advisor cannot be made, there is no such device, or torch, which this network or device
            needs, is not installed.
    """
    checkpoint = read_checkpoint(Path(path))
    check_game(checkpoint, info)
    prefers_torch = INTERPRETED and importlib.util.find_spec("torch") is not None
    if device == PROCESSOR and info.network == BOARD and not prefers_torch:
        return kernel_agent_of(checkpoint, info, deterministic=deterministic)
    try:
        from sackarmies_agents.learned.policy_agent import PolicyAgent, find_device, read_network
    except ImportError as error:
        sentence = missing_extra(error, "this trained agent")
        raise ValueError(sentence) if sentence else error from None
    place, advisor = find_device(device), advisor_of(checkpoint, info)
    network = read_network(checkpoint, POLICY, info).to(place)
    return PolicyAgent(network, deterministic=deterministic, advisor=advisor)


def kernel_agent_of(checkpoint: Checkpoint, info: GameInfo, *, deterministic: bool = False) -> KernelAgent:
    """Make the agent of a checkpoint for this game, which has a board.

    Raises:
        ValueError: it has no policy, its weights do not fit this version, or its advisor cannot be made.
    """
    sizes, weights = checkpoint.header.network, checkpoint.part(POLICY)
    form = board_form(info, sizes.patch)
    check_weights(weights, shapes_of(form, sizes), f"{POLICY} in the checkpoint {named(checkpoint.path)}")
    return KernelAgent(form, sizes, weights, deterministic=deterministic, advisor=advisor_of(checkpoint, info))


def advisor_of(checkpoint: Checkpoint, info: GameInfo) -> Advisor | None:
    """Make the advisor of the network of a checkpoint; return None if it takes no advice.

    Raises:
        ValueError: its advisor cannot be made, is missing, or is named for a network that takes no advice.
    """
    header = checkpoint.header
    try:
        advisor = make_advisor(header.advice, info, header.network.advice)
    except ValueError as error:
        raise ValueError(f"{named(checkpoint.path)} names an advisor: {error}") from None
    if (advisor is not None) != (header.network.advice > 0):
        raise ValueError(f"the agent in {named(checkpoint.path)} must take advice and name an advisor, or do neither")
    return advisor


def plays(path: Path, info: GameInfo) -> bool:
    """Return whether the agent of a checkpoint was trained for a game in this configuration.

    Raises:
        ValueError: the file is missing or damaged.
    """
    return next(_differences(read_checkpoint(path), info), None) is None


def check_game(checkpoint: Checkpoint, info: GameInfo) -> None:
    """Refuse an agent that was trained for another game.

    Raises:
        ValueError: sizes or layouts differ.
    """
    for difference in _differences(checkpoint, info):
        raise ValueError(f"the agent in {named(checkpoint.path)} was trained for another game: {difference}")


def _differences(checkpoint: Checkpoint, info: GameInfo) -> Iterator[str]:
    """Yield the differences between the game that an agent was trained for and this one, in words."""
    for key, value in describe(info).items():
        found = checkpoint.header.game.get(key)
        if found != value and key == "observation":
            yield "its observation has another layout"
        elif found != value:
            yield f"{key} {short_repr(found)}, here it is {value}"
