"""Rolls on the battle board, and the cost of ones and twos: TR-B1 to TR-B3, TR-DP8.

Attacker and defender roll in the same way, each in separate stages; `side` says whose stage it is. The frame
holds how many ones and twos are still to be handled.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.flow import ask, get_data, set_data, set_step
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.territories.rules.quantities import offer_units
from sackarmies_env.games.territories.rules.result import lose_board
from sackarmies_env.games.territories.state.actions import FIRST_UNIT, REMOVE, TRADE
from sackarmies_env.games.territories.state.battle import (
    dice_of,
    is_wiped_out,
    player_of,
    remove_from_board,
)
from sackarmies_env.games.territories.state.chance import roll_die
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    DEFENDER,
    DIE_FACES,
    FIRST_FACE,
    NUM_UNITS,
    Decision,
    Event,
    Stage,
    Unit,
)
from sackarmies_env.games.territories.state.events import log, log_loss

ONES, TWOS = 0, 1  # indices into the frame's numbers


@njit
def rolling_side(state):
    """Return the side that rolls or handles its dice at the current stage."""
    return ATTACKER if state.frame_step[state.frame_top] < Stage.DEFENSE_ROLL else DEFENDER


@njit
def roll(params, state):
    """Roll the dice of a side: ones leave the board at once, the rest stay (TR-B1, TR-B3, TR-EV11)."""
    side = rolling_side(state)
    player = player_of(state, side)
    ones = np.int64(0)
    count = dice_of(params, state.board_units[side])
    for place in range(DIE_FACES):
        state.rolled[player, place] = 0
    for _ in range(count):
        face = roll_die(state)
        state.rolled[player, face - 1] += 1
        if face < FIRST_FACE:
            ones += 1
        else:
            state.loose_dice[side, face - FIRST_FACE] += 1
    set_data(state, ONES, ones)
    set_data(state, TWOS, np.int64(state.loose_dice[side, 0]))
    log(state, Event.ROLL, player, count)
    set_step(state, state.frame_step[state.frame_top] + 1)


@njit
def run_ones(params, state):
    """Ask which unit each rolled 1 removes; a side without units has lost (TR-B1, TR-Q10)."""
    side = rolling_side(state)
    if is_wiped_out(state, side):
        lose_board(params, state, side)
    elif get_data(state, ONES) > 0:
        ask(state, player_of(state, side), Decision.ONE)
    else:
        set_step(state, state.frame_step[state.frame_top] + 1)


@njit
def run_twos(params, state):
    """Ask how to pay for each rolled 2; a side without units has lost (TR-B2, TR-Q10)."""
    side = rolling_side(state)
    if is_wiped_out(state, side):
        lose_board(params, state, side)
    elif get_data(state, TWOS) > 0:
        ask(state, player_of(state, side), Decision.TWO)
    else:
        set_step(state, state.frame_step[state.frame_top] + 1)


@njit
def offer_one(state):
    """Offer the unit types that the rolling side has on the board (TR-DP8)."""
    offer_units(state, state.board_units[rolling_side(state)])


@njit
def apply_one(state, action):
    """Remove a unit for a rolled 1 (TR-B1, TR-Q27, TR-EV11)."""
    side, unit = rolling_side(state), action - FIRST_UNIT
    remove_from_board(state, side, unit)
    set_data(state, ONES, get_data(state, ONES) - 1)
    log_loss(state, player_of(state, side), unit)


@njit
def offer_two(state):
    """Offer to remove a troop, if there is one, or to trade another unit down, if any (TR-B2, TR-Q11, TR-DP8)."""
    side = rolling_side(state)
    if state.board_units[side, Unit.TROOP] > 0:
        allow(state, REMOVE)
    for unit in range(1, NUM_UNITS):
        if state.board_units[side, unit] > 0:
            allow(state, TRADE)


@njit
def apply_two(state, action):
    """Remove a troop, or ask which unit becomes one (TR-B2, TR-EV11)."""
    side = rolling_side(state)
    if action == REMOVE:
        remove_from_board(state, side, Unit.TROOP)
        set_data(state, TWOS, get_data(state, TWOS) - 1)
        log_loss(state, player_of(state, side), Unit.TROOP)
    else:
        state.decision = Decision.TRADE_DOWN


@njit
def offer_trade_down(state):
    """Offer the unit types on the board except troops (TR-DP8)."""
    side = rolling_side(state)
    for unit in range(1, NUM_UNITS):
        if state.board_units[side, unit] > 0:
            allow(state, FIRST_UNIT + unit)


@njit
def apply_trade_down(state, action):
    """Trade a unit on the board for a troop, or remove it if the garrison has no troop (TR-B2, TR-Q11, TR-EV11)."""
    side, unit = rolling_side(state), action - FIRST_UNIT
    player = player_of(state, side)
    has_troop = state.garrison[player, Unit.TROOP] > 0
    remove_from_board(state, side, unit)
    set_data(state, TWOS, get_data(state, TWOS) - 1)
    if has_troop:
        state.garrison[player, Unit.TROOP] -= 1
        state.board_units[side, Unit.TROOP] += 1
        log(state, Event.UNIT_TRADED, player, unit)
    else:
        log_loss(state, player, unit)
