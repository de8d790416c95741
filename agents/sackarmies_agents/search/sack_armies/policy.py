"""Who plays positions of Sack Armies on in searches: variants of the greedy General, and a trained one beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sackarmies_agents.learned.sack_armies.policy import make_mixed_policy
from sackarmies_agents.learned.sack_armies.trained import CHECKPOINT
from sackarmies_agents.scripted.sack_armies import policy as scripted
from sackarmies_agents.search.variants import TRAINED, is_learned
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import quote
from sackarmies_env.core.simulator import Policy


def make_policy(game: Game, variants: Sequence[str]) -> Policy:
    """Return Generals as kernels play them, a model for each variant; for one thread.

    Args:
        game: what is played.
        variants: weights of the greedy General, see `scripted.sack_armies.policy.make_policy`, `trained`, or the path
            of a checkpoint, which ends in `.safetensors`.

    Raises:
        ValueError: there is no such variant, more than one trained General is named, or one cannot play this game.
    """
    if not any(is_learned(variant) for variant in variants):
        return scripted.make_policy(game, variants)
    learned = sorted({variant for variant in variants if is_learned(variant)})
    if len(learned) > 1:
        raise ValueError(f"models name several trained Generals, {', '.join(map(quote, learned))}: one is possible")
    path = CHECKPOINT if learned[0] == TRAINED else Path(learned[0])
    return make_mixed_policy(game, [None if is_learned(variant) else variant for variant in variants], path)
