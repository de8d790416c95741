"""The fused kernel: a decision, and all that adapters want to know after it, in one call.

It is also the only entry point into the sequence of play that is compiled for plain use: each one takes the compiler
about as long as all the rules together. `reset`, `step` and `forfeit` of the game are this kernel without outputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.advance import (
    FORFEIT,
    NO_OUTPUTS,
    RESUME,
    SKIP,
    Rules,
    advance_rows,
    new_orders,
    new_table,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.observe import observe_again
from sackarmies_env.games.sack_armies.step import advance, forfeit_one, is_out, prepare_games, returns_one, step_one

Array = NDArray[Any]
RULES = Rules(step_one, advance, forfeit_one, observe_again, returns_one, is_out)


@njit
def advance_games(params, states, orders, table, action_masks, packed_masks, observations, results):  # noqa: PLR0917 - contract
    """Do what `Game.advance` says."""
    advance_rows(RULES, params, states, orders, table, action_masks, packed_masks, observations, results)


def obey(params: Array, states: Array, codes: NDArray[np.int64]) -> None:
    """Do what one code a game says, without outputs."""
    advance_games(params, states, new_orders(codes), new_table(len(states)), *NO_OUTPUTS)


def resume_games(params: Array, states: Array) -> None:
    """Advance states that were put together from outside to their next decisions."""
    obey(params, states, np.full(len(states), RESUME, np.int64))


def reset_games(params: Array, states: Array, seeds: NDArray[np.int64]) -> None:
    """Do what `Game.reset` says."""
    prepare_games(params, states, seeds)
    resume_games(params, states)


def step_games(params: Array, states: Array, actions: NDArray[np.int64]) -> None:
    """Do what `Game.step` says."""
    obey(params, states, actions)


def forfeit_games(params: Array, states: Array, players: NDArray[np.int64]) -> None:
    """Do what `Game.forfeit` says."""
    obey(params, states, np.where(players == NO_PLAYER, SKIP, FORFEIT - players))
