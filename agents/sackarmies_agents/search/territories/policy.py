"""The greedy agent as a policy for simulations: the same choices, made by kernels."""

from __future__ import annotations

from collections.abc import Sequence

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.compiled import CompiledAgent, boards_of, policy_of
from sackarmies_agents.scripted.territories.board import make_board
from sackarmies_agents.scripted.territories.choose import choose_batch
from sackarmies_agents.scripted.territories.weights import DEFAULT, load_weights
from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import njit
from sackarmies_env.core.simulator import Policy


@njit
def choose_by(boards, model, observations, masks, actions):
    """Choose with variant `model` of the boards, as a `Policy` does."""
    choose_batch(boards[model : model + 1], observations, masks, actions)


def make_policy(game: Game, variants: Sequence[str | CompiledAgent]) -> Policy:
    """Return the greedy agent as a policy of kernels, with a model for each variant; for use in one thread.

    Args:
        game: the game to play.
        variants: weights, by the name of a set or the path of a file, or agents made with them; if empty, the default
            set.

    Raises:
        ValueError: there are no such weights, or the game's observations are not those that the agent reads.
    """
    info = GameInfo.of(game)
    boards = boards_of(variants or (DEFAULT,), lambda variant: make_board(info, load_weights(variant)))
    return policy_of(game, choose_by, boards, len(boards))
