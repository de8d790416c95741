"""Policies of searches in Sack Armies: variants of the greedy General, and a trained General beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sackarmies_agents.learned.checkpoint import Checkpoint, read_checkpoint
from sackarmies_agents.learned.sack_armies.policy import make_mixed_policy
from sackarmies_agents.learned.sack_armies.trained import CHECKPOINT
from sackarmies_agents.scripted.compiled import CompiledAgent
from sackarmies_agents.scripted.sack_armies import policy as scripted
from sackarmies_agents.search.variants import TRAINED, is_learned, only_checkpoint
from sackarmies_env.core.game import Game
from sackarmies_env.core.simulator import Policy


def make_policy(game: Game, variants: Sequence[str | CompiledAgent | Checkpoint]) -> Policy:
    """Return Generals as a policy of kernels, with a model for each variant; for use in one thread.

    Args:
        game: the game to play.
        variants: weights of the greedy General, see `scripted.sack_armies.policy.make_policy`, `trained`, or a
            checkpoint: the path of one, which ends in `.safetensors`, or what was read from it.

    Raises:
        ValueError: there is no such variant, more than one trained General is named, or one cannot play this game.
    """
    given = [_read(variant) for variant in variants]
    greedy = [None if isinstance(one, Checkpoint) else one for one in given]
    checkpoint = only_checkpoint(given)
    if checkpoint is None:
        return scripted.make_policy(game, [one for one in greedy if one is not None])
    return make_mixed_policy(game, greedy, checkpoint)


def _read(variant: str | CompiledAgent | Checkpoint) -> str | CompiledAgent | Checkpoint:
    """Return the checkpoint of a trained General that is given by name; others as they are."""
    if isinstance(variant, str) and is_learned(variant):
        return read_checkpoint(CHECKPOINT if variant == TRAINED else Path(variant))
    return variant
