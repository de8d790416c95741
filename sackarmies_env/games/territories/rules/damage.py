"""Resolution of the skirmishes: TR-E1 to TR-E5, TR-F5, TR-DP14, TR-DP15."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.flow import ask, get_data, set_data, set_step
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.territories.rules.quantities import offer_units
from sackarmies_env.games.territories.rules.result import decide_battle, lose_board
from sackarmies_env.games.territories.state.actions import FIRST_SKIRMISH, FIRST_UNIT, FROM_BOARD, FROM_TERRITORY
from sackarmies_env.games.territories.state.battle import (
    first_open_skirmish,
    is_wiped_out,
    num_dice,
    player_of,
    remove_from_board,
    sum_of_dice,
)
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    DEFENDER,
    NUM_CARDS,
    ROUT,
    Decision,
    Effect,
    Event,
    Stage,
)
from sackarmies_env.games.territories.state.events import log, log_loss
from sackarmies_env.games.territories.state.forces import remove_from_territory, total

LOSER, EXTRA, IS_ROUT = 0, 1, 2  # indices into the frame's numbers: losing side; units lost beyond the first; 1: TR-E4
ROUTED_UNITS = 2  # attackers that the defender picks (TR-E4)


# --- totals


@njit
def battle_bonus(params, state, side):
    """Return what cards for the whole battle add to a side's totals (TR-Card-3, TR-Card-4)."""
    bonus = np.int64(0)
    for kind in range(NUM_CARDS):
        if params.card_effect[kind] == Effect.BATTLE_BONUS:
            bonus += np.int64(state.played[side, kind]) * np.int64(params.card_amount[kind])
    return bonus


@njit
def is_ground_level(params, state):
    """Return whether a card of the defender cancels the attacker's elevation (TR-Card-6)."""
    for kind in range(NUM_CARDS):
        if state.played[DEFENDER, kind] > 0 and params.card_effect[kind] == Effect.LEVEL_GROUND:
            return True
    return False


@njit
def elevation_bonus(params, state, side):
    """Return 1 for the side on higher ground, unless a card cancels the bonus; else 0 (TR-F5, TR-Q21)."""
    source, target = params.elevation[state.source], params.elevation[state.target]
    if side == DEFENDER:
        return np.int64(target > source)
    return np.int64(source > target and not is_ground_level(params, state))


@njit
def total_of(params, state, skirmish, side):
    """Return the total of a side in a skirmish: dice, modifiers, counters and cards (TR-E2, TR-Q15, TR-F5)."""
    dice = state.skirmish_dice[skirmish, side]
    points = sum_of_dice(dice) + elevation_bonus(params, state, side) + battle_bonus(params, state, side)
    points += np.int64(state.skirmish_counters[skirmish, side]) + np.int64(state.skirmish_cards[skirmish, side])
    if side == DEFENDER:
        points += max(np.int64(1), num_dice(dice))  # TR-F5, TR-Q14
    return points


# --- one skirmish after the other


@njit
def run_order(params, state):
    """Ask which skirmish comes next; after the last one, the remaining units decide (TR-E1)."""
    if first_open_skirmish(state) < state.num_skirmishes:
        ask(state, state.defender, Decision.ORDER)
    else:
        decide_battle(params, state)


@njit
def offer_order(state):
    """Offer the unresolved skirmishes (TR-DP14)."""
    for skirmish in range(state.num_skirmishes):
        if state.skirmish_over[skirmish] == 0:
            allow(state, FIRST_SKIRMISH + skirmish)


@njit
def apply_order(params, state, action):
    """Resolve a skirmish and determine its losses: the higher total wins, and the defender wins ties.

    Extra losses for a large lead are determined here, too (TR-E2, TR-E4, TR-E5, TR-Q20, TR-EV16).
    """
    skirmish = action - FIRST_SKIRMISH
    attack, defense = total_of(params, state, skirmish, ATTACKER), total_of(params, state, skirmish, DEFENDER)
    state.skirmish_over[skirmish] = 1
    log(state, Event.SKIRMISH, state.defender, attack - defense)
    if defense - attack >= ROUT:
        begin_rout(state)
        return
    set_data(state, LOSER, DEFENDER if attack > defense else ATTACKER)
    set_data(state, EXTRA, np.int64(attack > 0 and attack > defense and attack >= 2 * defense))
    set_step(state, Stage.LOSS)


@njit
def begin_rout(state):
    """Begin a rout: the defender picks two attackers; no further skirmishes or attacks (TR-E4, TR-Q16, TR-Q17)."""
    state.barred = 1
    set_data(state, LOSER, ATTACKER)
    set_data(state, EXTRA, ROUTED_UNITS)
    set_data(state, IS_ROUT, 1)
    set_step(state, Stage.PURSUIT)


@njit
def run_loss(state):
    """Ask the loser of a skirmish which unit to remove (TR-E3)."""
    ask(state, player_of(state, get_data(state, LOSER)), Decision.LOSS)


@njit
def offer_loss(state):
    """Offer the unit types that the loser has on the board (TR-DP15)."""
    offer_units(state, state.board_units[get_data(state, LOSER)])


@njit
def remove_loss(state, unit):
    """Remove a unit of the loser from the board (TR-EV16)."""
    side = get_data(state, LOSER)
    remove_from_board(state, side, unit)
    log_loss(state, player_of(state, side), unit)


@njit
def apply_loss(params, state, action):
    """Remove the loser's unit; a side without units loses the battle, whatever else was due (TR-E3, TR-F1, TR-Q19)."""
    remove_loss(state, action - FIRST_UNIT)
    if is_wiped_out(state, get_data(state, LOSER)):
        lose_board(params, state, get_data(state, LOSER))
    else:
        set_step(state, Stage.PURSUIT)


@njit
def run_pursuit(params, state):
    """Ask for the losses of a skirmish beyond the ordinary one, then go on to the next (TR-E4, TR-E5)."""
    if get_data(state, IS_ROUT) == 1:
        run_rout(params, state)
    elif get_data(state, EXTRA) == 0:
        set_step(state, Stage.ORDER)
    else:
        ask(state, state.defender, Decision.EXTRA_LOSS)


@njit
def run_rout(params, state):
    """Ask the defender for the next of the two attackers; then the remaining units decide (TR-E4, TR-Q17)."""
    if is_wiped_out(state, ATTACKER):
        lose_board(params, state, ATTACKER)
    elif get_data(state, EXTRA) == 0:
        decide_battle(params, state)
    else:
        ask(state, state.defender, Decision.ROUT)


@njit
def apply_rout(state, action):
    """Remove an attacker that the defender has picked (TR-E4)."""
    remove_loss(state, action - FIRST_UNIT)
    set_data(state, EXTRA, get_data(state, EXTRA) - 1)


@njit
def offer_extra_loss(state):
    """Offer to take the extra unit from the board, or from the territory if it has units (TR-E5, TR-DP15)."""
    allow(state, FROM_BOARD)
    if total(state.territory_units[state.target]) > 0:
        allow(state, FROM_TERRITORY)


@njit
def apply_extra_loss(state, action):
    """Record where the extra unit is taken from: 1 for the board, 2 for the territory."""
    set_data(state, EXTRA, 1 + np.int64(action == FROM_TERRITORY))
    state.decision = Decision.EXTRA_LOSS_UNIT


@njit
def offer_extra_loss_unit(state):
    """Offer the unit types there."""
    if get_data(state, EXTRA) == 1:
        offer_units(state, state.board_units[DEFENDER])
    else:
        offer_units(state, state.territory_units[state.target])


@njit
def apply_extra_loss_unit(params, state, action):
    """Remove the extra unit of the defender (TR-E5)."""
    unit = action - FIRST_UNIT
    is_from_board = get_data(state, EXTRA) == 1
    set_data(state, EXTRA, 0)
    log_loss(state, state.defender, unit)
    if is_from_board:
        remove_from_board(state, DEFENDER, unit)
        if is_wiped_out(state, DEFENDER):
            lose_board(params, state, DEFENDER)
    else:
        remove_from_territory(state, np.int64(state.target), unit)
