"""Names of the agents of playouts: weights of the scripted agent, the shipped trained General, or a checkpoint."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sackarmies_agents.factory import escaped, parse_agent
from sackarmies_agents.learned.checkpoint import Checkpoint
from sackarmies_env.core.messages import quote

TRAINED = "trained"
CHECKPOINT_SUFFIX = ".safetensors"
JOINT = "+"  # between the variants that an option names


def is_learned(variant: str) -> bool:
    """Return whether a variant is a trained General: the shipped one, or a checkpoint by its path."""
    return variant == TRAINED or variant.endswith(CHECKPOINT_SUFFIX)


def text_of(variant: str) -> str:
    """Return the text form of the agent that a variant plays as."""
    if is_learned(variant):
        return learned_text(variant)
    return f"greedy:weights={escaped(variant)}"


def learned_text(place: str) -> str:
    """Return the text form of a trained General: the shipped one, or a checkpoint by its path."""
    return TRAINED if place == TRAINED else f"ppo:path={escaped(place)},deterministic=true"


def only_checkpoint(variants: Iterable[Any]) -> Checkpoint | None:
    """Return the trained General among variants that have been read; None if there is none.

    Raises:
        ValueError: there is more than one.
    """
    found = {str(one.path): one for one in variants if isinstance(one, Checkpoint)}
    if len(found) > 1:
        names = ", ".join(quote(path) for path in sorted(found))
        raise ValueError(f"models name several trained Generals, {names}: at most one is allowed")
    return next(iter(found.values()), None)


def variant_of(agent: str) -> str:
    """Return the variant that models an agent given in text form; "" if there is none that `models` can name.

    It is that of the weights that the agent names, or its trained General, which always takes its likeliest action.
    """
    spec = parse_agent(agent)
    if spec.name == TRAINED:
        return TRAINED
    name = spec.options.get("weights" if spec.name == "greedy" else "path", "")
    if JOINT in name or (spec.name == "ppo" and not is_learned(name)):
        return ""
    return name if spec.name in ("greedy", "ppo") else ""
