"""Names of the agents of playouts: weights of the scripted agent, the shipped trained General, or a checkpoint."""

from __future__ import annotations

from sackarmies_agents.factory import escaped, parse_agent

TRAINED = "trained"
CHECKPOINT_SUFFIX = ".safetensors"


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


def variant_of(agent: str) -> str:
    """Return the variant that plays as an agent given in text form; "" if there is none."""
    spec = parse_agent(agent)
    if spec.name == "greedy":
        return spec.options.get("weights", "")
    if spec.name == TRAINED:
        return TRAINED
    path = spec.options.get("path", "")
    return path if spec.name == "ppo" and is_learned(path) else ""
