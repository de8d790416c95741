"""The fused kernel: a decision, and all that adapters want to know after it, in one call.

It is also the only entry point into the sequence of play that is compiled for plain use: each one takes the compiler
about as long as all the rules together. `reset`, `step` and `forfeit` of the game are this kernel without outputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import NO_ACTION, SKIP
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.observe import observe_game
from sackarmies_env.games.sack_armies.step import (
    advance,
    forfeit_one,
    legal_games,
    prepare_games,
    returns_games,
    step_one,
    terminations_games,
)

RESUME = -3  # advance a state that was put together from outside to its next decision
FORFEIT = -8  # General g concedes: FORFEIT - g

Array = NDArray[Any]
NO_BYTES = np.zeros((0, 0), np.int8)
NO_FLOATS = np.zeros((0, 0), np.float32)
NO_OUTPUTS = (NO_BYTES, NO_BYTES, NO_FLOATS, NO_BYTES)


@njit
def run_code(params, state, code):
    """Apply a legal action, or one of the codes beside them."""
    if code >= 0:
        step_one(params, state, code)
    elif code == RESUME:
        advance(params, state)
    elif code <= FORFEIT:
        forfeit_one(params, state, FORFEIT - code)


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
def advance_games(params, states, actions, action_mask, observations, returns, terminations):  # noqa: PLR0917 - contract
    """Do what `Game.advance` says.

    Args:
        params: (1,) PARAMS_DTYPE.
        states: (n,) states.
        actions: (n,) int64, legal ids, NO_ACTION, SKIP, RESUME or FORFEIT - seat.
        action_mask: (n, num_actions) int8; empty, where no output is wanted.
        observations: (n, size) int8, of the current players.
        returns: (n, num_generals) float32.
        terminations: (n, num_generals) int8.
    """
    is_read = len(action_mask) > 0
    for i in range(len(states)):
        code = np.int64(actions[i])
        if code == SKIP:
            continue
        if code != NO_ACTION:
            run_code(params[0], states[i], code)
        if is_read:
            one = states[i : i + 1]
            legal_games(params, one, action_mask[i : i + 1])
            write_view(params[0], states[i], observations[i])
            returns_games(params, one, returns[i : i + 1])
            terminations_games(params, one, terminations[i : i + 1])


def resume_games(params: Array, states: Array) -> None:
    """Advance states that were put together from outside to their next decisions."""
    advance_games(params, states, np.full(len(states), RESUME, np.int64), *NO_OUTPUTS)


def reset_games(params: Array, states: Array, seeds: NDArray[np.int64]) -> None:
    """Do what `Game.reset` says."""
    prepare_games(params, states, seeds)
    resume_games(params, states)


def step_games(params: Array, states: Array, actions: NDArray[np.int64]) -> None:
    """Do what `Game.step` says."""
    advance_games(params, states, actions, *NO_OUTPUTS)


def forfeit_games(params: Array, states: Array, players: NDArray[np.int64]) -> None:
    """Do what `Game.forfeit` says."""
    advance_games(params, states, np.where(players == NO_PLAYER, SKIP, FORFEIT - players), *NO_OUTPUTS)
