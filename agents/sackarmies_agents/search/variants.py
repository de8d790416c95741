"""Names of who plays positions on: weights of the scripted agent, the shipped trained General, or a checkpoint."""

from __future__ import annotations

TRAINED = "trained"
CHECKPOINT_SUFFIX = ".safetensors"


def is_learned(variant: str) -> bool:
    """Return whether a variant is a trained General: the shipped one, or a checkpoint by its path."""
    return variant == TRAINED or variant.endswith(CHECKPOINT_SUFFIX)


def text_of(variant: str) -> str:
    """Return the agent that a variant plays as, in text form."""
    if variant == TRAINED:
        return variant
    return f"ppo:path={variant},deterministic=true" if is_learned(variant) else f"greedy:weights={variant}"
