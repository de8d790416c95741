"""Policies of searches in Sack Armies: variants of the greedy General, and a trained General beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.sack_armies.policy import make_mixed_policy
from sackarmies_agents.learned.sack_armies.trained import CHECKPOINT
from sackarmies_agents.scripted.compiled import CompiledAgent
from sackarmies_agents.scripted.sack_armies import policy as scripted
from sackarmies_agents.search.variants import TRAINED, Learned, is_learned, only_learned, read_learned
from sackarmies_env.core.game import Game
from sackarmies_env.core.simulator import Policy


def make_policy(game: Game, variants: Sequence[str | CompiledAgent | Learned]) -> Policy:
    """Return Generals as a policy of kernels, with a model for each variant; for use in one thread.

    Args:
        game: the game to play.
        variants: weights of the greedy General, see `scripted.sack_armies.policy.make_policy`, `trained`, the path of a
            checkpoint, which ends in `.safetensors`, or what was read from one.

    Raises:
        ValueError: there is no such variant, more than one trained General is named, or one cannot play this game.
    """
    given = [_read(variant, game) for variant in variants]
    greedy = [None if isinstance(one, Learned) else one for one in given]
    learned = only_learned(given)
    if learned is None:
        return scripted.make_policy(game, [one for one in greedy if one is not None])
    return make_mixed_policy(game, greedy, learned.agent)


def _read(variant: str | CompiledAgent | Learned, game: Game) -> str | CompiledAgent | Learned:
    """Return the trained General that is given by name; others as they are."""
    if isinstance(variant, str) and is_learned(variant):
        return read_learned(CHECKPOINT if variant == TRAINED else Path(variant), GameInfo.of(game))
    return variant
