"""Names of the agents of playouts: weights of the scripted agent, the shipped trained agent, or a checkpoint."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import escaped, parse_agent
from sackarmies_agents.learned.checkpoint import read_checkpoint
from sackarmies_agents.learned.kernel_agent import KernelAgent
from sackarmies_agents.learned.load import check_game, kernel_agent_of
from sackarmies_env.core.messages import quote

TRAINED = "trained"
CHECKPOINT_SUFFIX = ".safetensors"
JOINT = "+"  # between the variants that an option names


def is_learned(variant: str) -> bool:
    """Return whether a variant is a trained agent: the shipped one, or a checkpoint by its path."""
    return variant == TRAINED or variant.endswith(CHECKPOINT_SUFFIX)


def text_of(variant: str) -> str:
    """Return the text form of the agent that a variant plays as."""
    if is_learned(variant):
        return learned_text(variant)
    return f"greedy:weights={escaped(variant)}"


def learned_text(place: str) -> str:
    """Return the text form of a trained agent: the shipped one, or a checkpoint by its path."""
    return TRAINED if place == TRAINED else f"ppo:path={escaped(place)},deterministic=true"


class Learned(NamedTuple):
    """A trained agent among the variants, with all that its files hold: they may change later.

    Attributes:
        path: its checkpoint.
        agent: the agent; it may be shared by threads, which only read its weights.
    """

    path: Path
    agent: KernelAgent


def read_learned(path: Path, info: GameInfo) -> Learned:
    """Read a trained agent.

    Args:
        path: its checkpoint.
        info: the game that it is to play, which has a board.

    Raises:
        ValueError: the file is missing or damaged, its agent was trained for another game, its weights do not fit
            this version, or its advisor cannot be made.
    """
    checkpoint = read_checkpoint(path)
    check_game(checkpoint, info)
    return Learned(path, kernel_agent_of(checkpoint, info))


def only_learned(variants: Iterable[Any]) -> Learned | None:
    """Return the trained agent among variants that have been read; None if there is none.

    Raises:
        ValueError: there is more than one.
    """
    found = {str(one.path): one for one in variants if isinstance(one, Learned)}
    if len(found) > 1:
        names = ", ".join(quote(path) for path in sorted(found))
        raise ValueError(f"models name several trained agents, {names}: at most one is allowed")
    return next(iter(found.values()), None)


def variant_of(agent: str) -> str:
    """Return the variant that models an agent given in text form; "" if there is none that `models` can name.

    It is that of the weights that the agent names, or its trained agent, which always takes its likeliest action.
    """
    spec = parse_agent(agent)
    if spec.name == TRAINED:
        return TRAINED
    name = spec.options.get("weights" if spec.name == "greedy" else "path", "")
    if JOINT in name or (spec.name == "ppo" and not is_learned(name)):
        return ""
    return name if spec.name in ("greedy", "ppo") else ""
