"""The fused kernel: a decision, and all that adapters want to know after it, in one call."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.game import NO_ACTION, SKIP
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.observe import observe_game
from sackarmies_env.games.sack_armies.step import legal_games, returns_games, step_one, terminations_games


@njit
def write_view(params, state, row):
    """Write what the current player sees, or zeros once the game is over."""
    player = np.int64(state.current_player)
    if player == NO_PLAYER:
        for i in range(len(row)):
            row[i] = 0
    else:
        observe_game(params, state, player, row)


@njit
def advance_games(params, states, actions, action_mask, observations, returns, terminations):  # noqa: PLR0917 - as the contract says
    """Do what `Game.advance` says.

    Args:
        params: (1,) PARAMS_DTYPE.
        states: (n,) states.
        actions: (n,) int64, legal ids, NO_ACTION or SKIP.
        action_mask: (n, num_actions) int8.
        observations: (n, size) int8, of the current players.
        returns: (n, num_generals) float32.
        terminations: (n, num_generals) int8.
    """
    for i in range(len(states)):
        action = np.int64(actions[i])
        if action == SKIP:
            continue
        if action != NO_ACTION:
            step_one(params[0], states[i], action)
        one = states[i : i + 1]
        legal_games(params, one, action_mask[i : i + 1])
        write_view(params[0], states[i], observations[i])
        returns_games(params, one, returns[i : i + 1])
        terminations_games(params, one, terminations[i : i + 1])
