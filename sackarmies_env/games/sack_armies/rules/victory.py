"""Elimination, the end of a turn, and victory (chapter 5 and section 7.2)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.flow import clear_chain
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Decision, Event, Kind, Victory, Zone
from sackarmies_env.games.sack_armies.state.events import log_event
from sackarmies_env.games.sack_armies.state.flow import clear_act, clear_attack
from sackarmies_env.games.sack_armies.state.transfer import leave_play, to_casualties
from sackarmies_env.games.sack_armies.state.zones import (
    controller_of,
    field_at,
    fields_of,
    first_captive,
    first_token,
    kind_of,
    outdate_stats,
    owner_of,
    type_of,
    unit_at,
)

# --- the tests


@njit
def has_lost_all_units(params, state, player):
    """Return whether all units of `player` are in casualties or removed from play (R5.0-11, Q-11, Q-76)."""
    if state.units[player] != NO_BITS:
        return False
    has_units = False
    start = first_token(params, player)
    for token in range(start, start + params.tokens_per_general):
        zone = state.token_zone[token]
        if zone != Zone.NONE and kind_of(params, state, token) == Kind.UNIT:
            if zone != Zone.CASUALTIES and zone != Zone.REMOVED:
                return False
            has_units = True
    return has_units


@njit
def has_lost_all_fields(params, state, player):
    """Return whether `player` controls none of the battlefields they placed.

    (R3.2.1-8, R3.2.1-11, R5.0-2, R5.0-3, Q-02)
    """
    rest = fields_of(state, player)
    while rest != NO_BITS:
        if controller_of(state, first_token(params, player) + lowest_bit(rest)) == player:
            return False
        rest = without_lowest(rest)
    return True


# --- elimination


@njit
def discard_chain(params, state, token, player):
    """Discard the tokens of `player` in a stack of attachments or captives, from `token` on."""
    while token != NO_TOKEN:
        following = np.int64(state.token_next[token])
        if owner_of(state, token) == player:
            to_casualties(params, state, token)
        token = following


@njit
def discard_army(params, state, player):
    """Discard the units, spells and maneuvers of an eliminated General; battlefields stay (R5.0-6, Q-15).

    The order is hex by hex, because others remember in which order captives returned to their sacks.
    """
    for cell in range(params.num_cells):
        unit = unit_at(state, np.int64(cell))
        if unit == NO_TOKEN:
            continue
        if owner_of(state, unit) == player:
            leave_play(params, state, unit, Zone.CASUALTIES, Zone.CASUALTIES)
        else:
            discard_chain(params, state, np.int64(state.token_first[unit]), player)
            discard_chain(params, state, first_captive(state, unit), player)


@njit
def count_alive(params, state):
    """Return how many Generals are still in the game."""
    alive = 0
    for player in range(params.num_generals):
        alive += np.int64(state.general_alive[player])
    return alive


@njit
def finish(params, state):
    """End the game: the last General left wins; with none left it is a draw (R2.0-3, R5.0-4, R5.0-12, Q-13)."""
    state.terminated = 1
    state.current_player = NO_PLAYER
    state.decision = Decision.NONE
    clear_chain(state)
    clear_attack(state)
    clear_act(state)
    for player in range(params.num_generals):
        if state.general_alive[player] == 1:
            state.winner = player


@njit
def eliminate(params, state, doomed, victory):
    """Eliminate the Generals whose bits are set in `doomed`, all at once (P-ELIM, R5.0-5, Q-14, Q-79)."""
    for player in range(params.num_generals):
        if (doomed >> player) & 1:
            state.general_alive[player] = 0
            log_event(params, state, Event.ELIMINATE, player, -1, victory)
    for player in range(params.num_generals):
        if (doomed >> player) & 1:
            discard_army(params, state, player)
    state.victory_type = victory
    alive = count_alive(params, state)
    if alive == 0:
        state.victory_type = Victory.DRAW
        for player in range(params.num_generals):
            if (doomed >> player) & 1:
                state.general_drawn[player] = 1
    if alive <= 1:
        finish(params, state)


@njit
def eliminate_without_units(params, state):
    """Eliminate every General who has lost all units; run after each change of zones (P-ELIM units test)."""
    doomed = np.int64(0)
    for player in range(params.num_generals):
        if state.general_alive[player] == 1 and has_lost_all_units(params, state, player):
            doomed |= np.int64(1) << player
    if doomed != 0:
        eliminate(params, state, doomed, Victory.DECISIVE)


@njit
def eliminate_without_fields(params, state):
    """Eliminate every General who controls none of their battlefields at the end of a turn (P-ELIM control test)."""
    doomed = np.int64(0)
    for player in range(params.num_generals):
        if state.general_alive[player] == 1 and has_lost_all_fields(params, state, player):
            doomed |= np.int64(1) << player
    if doomed != 0:
        eliminate(params, state, doomed, Victory.STANDARD)


@njit
def eliminate_player(params, state, player, victory):
    """Eliminate one General, for lack of an action (R8.0-3) or by concession (Q-71)."""
    eliminate(params, state, np.int64(1) << player, victory)


# --- the end of a turn


@njit
def take_control(params, state):
    """Turn the arrow of every occupied battlefield to the controller of the unit on it.

    (R3.2.1-5, R3.2.1-9, R3.2.1-10, R5.0-7, R5.0-8, R5.0-9, R5.0-10, RB-12, RB-15, Q-09, Q-10)
    """
    for row in range(2 * params.radius + 1):
        rest = state.unit_rows[row] & state.field_rows[row]
        first = np.int64(params.row_cell[row]) - np.int64(params.row_column[row])
        while rest != NO_BITS:
            cell = first + lowest_bit(rest)
            rest = without_lowest(rest)
            field = field_at(state, cell)
            controller = controller_of(state, unit_at(state, cell))
            if controller_of(state, field) != controller:
                state.token_controller[field] = controller
                state.last_progress_turn = state.turn
                log_event(params, state, Event.CONTROL, controller, cell, type_of(state, field))


@njit
def drop_passing_effects(state):
    """End the effects that last only this turn: action effects and the bonuses of dead augmenters (R9.1-3, Q-89)."""
    if state.num_modifiers > 0 or state.num_ghosts > 0:
        outdate_stats(state)
    state.num_modifiers = 0
    state.num_ghosts = 0


@njit
def next_player(params, state, player):
    """Return the next General still in play, counter-clockwise (R7.2-2, R7.2-3, Q-01, C-turn_direction)."""
    count = params.num_generals
    step = count - 1 if params.clockwise_turns == 1 else 1
    following = (player + step) % count
    while state.general_alive[following] == 0:
        following = (following + step) % count
    return following


@njit
def begin_turn_of(params, state, player):
    """Begin the turn of `player`."""
    state.active = player
    state.turn += 1
    log_event(params, state, Event.TURN, player, -1, 0)


@njit
def is_out_of_turns(params, state):
    """Return whether the turn limit, or the limit of turns without progress, truncates the game.

    (Q-70, C-max_turns, C-no_progress_turns)
    """
    idle = state.turn - state.last_progress_turn
    return state.turn >= params.max_turns or idle >= params.no_progress_turns


@njit
def end_turn(params, state):
    """End the turn and pass it to the next General (P-END, Q-16)."""
    take_control(params, state)
    eliminate_without_fields(params, state)
    drop_passing_effects(state)
    if state.terminated == 1:
        return
    if is_out_of_turns(params, state):
        state.truncated = 1
        state.current_player = NO_PLAYER
        return
    begin_turn_of(params, state, next_player(params, state, state.active))
