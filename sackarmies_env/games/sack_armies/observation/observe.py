"""Observation of a state by a General (V-01 to V-23), written into the layout of layout.py."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, count_bits, lowest_bit, without_lowest
from sackarmies_env.core.encode import clamp, percent, relative_seat, relative_seat_or_nobody, write_digits
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.observation.observe_tokens import clear_used, write_tokens
from sackarmies_env.games.sack_armies.rules.setup import SETUP_FIELDS
from sackarmies_env.games.sack_armies.state.constants import Decision, FlipMethod, Zone
from sackarmies_env.games.sack_armies.state.encode import write_hex
from sackarmies_env.games.sack_armies.state.knowledge import (
    is_picking,
    knows_choice,
)
from sackarmies_env.games.sack_armies.state.layout import (
    CASUALTIES,
    GENERAL_START,
    GENERAL_WIDTH,
    LOG_START,
    OWN_SACK,
    UNTOLD,
    General,
    Global,
    Log,
    Over,
)
from sackarmies_env.games.sack_armies.state.record import LOG_WIDTH, MAX_LOG
from sackarmies_env.games.sack_armies.state.zones import (
    controller_of,
    fields_of,
    first_token,
    owned_tokens,
    tokens_in,
    type_of,
)

# --- the block of globals


@njit
def write_globals(params, state, viewer, out):
    """Write the decision, the turn and the deck (V-21, V-23)."""
    if state.current_player == viewer:
        out[Global.IS_CURRENT] = 1
        out[Global.DECISION] = state.decision
    out[Global.ACTIVE_SEAT] = relative_seat_or_nobody(viewer, state.active, params.num_generals)
    out[Global.TURN_PERCENT] = percent(state.turn, params.max_turns)
    idle = state.turn - state.last_progress_turn
    out[Global.IDLE_PERCENT] = percent(idle, params.no_progress_turns)
    out[Global.CHECK_FAILED] = state.check_failed
    if state.terminated == 1:
        out[Global.OVER] = Over.ENDED
    elif state.truncated == 1:
        out[Global.OVER] = Over.TRUNCATED
    out[Global.WINNER] = relative_seat_or_nobody(viewer, state.winner, params.num_generals)
    out[Global.VICTORY] = state.victory_type
    if params.flip_method == FlipMethod.DECK or params.flip_method == FlipMethod.DECK_JOKERS:
        out[Global.DECK_RED] = state.deck_red
        out[Global.DECK_BLACK] = state.deck_black
        out[Global.DECK_JOKERS] = state.deck_jokers
    write_chain(params, state, viewer, out)
    write_attack(params, state, viewer, out)
    write_act(params, state, viewer, out)


@njit
def write_chain(params, state, viewer, out):
    """Write the partial choice, which only the General who makes it knows: hexes, or one type."""
    first = np.int64(NO_HEX)
    second = np.int64(NO_HEX)
    if state.current_player == viewer:
        out[Global.CHAIN_VERB] = state.chain_verb
        if state.decision == Decision.DEPLOY_HEX or state.decision == Decision.SETUP_HEX:
            write_digits(out, Global.CHAIN_TYPE_LOW, np.int64(state.chain[0]))
        else:
            first = np.int64(state.chain[0])
            second = np.int64(state.chain[1])
    write_hex(params, out, Global.CHAIN_Q, first)
    write_hex(params, out, Global.CHAIN_SECOND_Q, second)


@njit
def write_attack(params, state, viewer, out):
    """Write the announced attack; before the announcement, only the General who chooses it knows of it."""
    if state.attack_verb == 0 or not knows_choice(state, viewer, state.attack_announced):
        write_hex(params, out, Global.ATTACK_Q, np.int64(NO_HEX))
        return
    out[Global.ATTACK_VERB] = state.attack_verb
    write_hex(params, out, Global.ATTACK_Q, state.attack_hex)
    out[Global.ATTACK_AMBUSH] = state.attack_ambush
    out[Global.ATTACK_SURPRISED] = state.attack_surprised
    out[Global.ATTACK_COUNTERED] = state.attack_countered
    out[Global.ATTACK_NO_ADVANCE] = state.attack_no_advance
    out[Global.ATTACK_MOVED] = state.attack_moved
    out[Global.ATTACK_SUCCESSES] = clamp(state.attack_successes)
    out[Global.COUNTER_SUCCESSES] = clamp(state.counter_successes)
    out[Global.ATTACK_KILLED] = state.attack_killed


@njit
def write_act(params, state, viewer, out):
    """Write the announced activation; before the announcement, only the General who chooses it knows of it."""
    if state.act_verb == 0 or not knows_choice(state, viewer, state.act_announced):
        write_hex(params, out, Global.ACT_Q, np.int64(NO_HEX))
        write_hex(params, out, Global.ACT_TO_Q, np.int64(NO_HEX))
        return
    out[Global.ACT_VERB] = state.act_verb
    write_hex(params, out, Global.ACT_Q, state.act_hex)
    write_hex(params, out, Global.ACT_TO_Q, state.act_to)
    write_digits(out, Global.ACT_TYPE_LOW, state.act_type)


# --- the block of events


@njit
def write_events(params, state, viewer, out):
    """Write the public events; the state keeps them as they are shown, except for the seats (V-07, V-17)."""
    for i in range(MAX_LOG * LOG_WIDTH):
        out[LOG_START + i] = state.log_shown[i]
    for i in range(MAX_LOG):
        seat = relative_seat_or_nobody(viewer, np.int64(state.log_player[i]), params.num_generals)
        out[LOG_START + i * LOG_WIDTH + Log.SEAT] = seat


# --- the blocks of Generals and of types


@njit
def general_at(params, viewer, player):
    """Return where the row of `player` in the block of Generals begins."""
    return GENERAL_START + relative_seat(viewer, player, params.num_generals) * GENERAL_WIDTH


@njit
def type_at(params, type_id):
    """Return where the row of a type in the block of types begins."""
    count = params.num_generals
    return GENERAL_START + count * GENERAL_WIDTH + type_id * (2 * count)


@njit
def count_units(params, state, viewer, player, out):
    """Count the units of `player` on the battleground."""
    at = general_at(params, viewer, player)
    out[at + General.UNITS] = count_bits(state.units[player])
    out[at + General.UNITS_DOWN] = count_bits(state.units[player] & ~state.face_up[player])


@njit
def count_fields(params, state, viewer, player, out):
    """Count the battlefields that `player` owns, for them and for those who control them."""
    at = general_at(params, viewer, player)
    rest = fields_of(state, player)
    out[at + General.FIELDS_OWNED] = count_bits(rest)
    while rest != NO_BITS:
        controller = controller_of(state, first_token(params, player) + lowest_bit(rest))
        rest = without_lowest(rest)
        out[at + General.FIELDS_KEPT] += controller == player
        out[general_at(params, viewer, controller) + General.FIELDS_CONTROLLED] += 1


@njit
def count_aside(params, state, viewer, player, out):
    """Count the tokens of `player` that are neither on the battleground nor in a sack or hand (V-06)."""
    at = general_at(params, viewer, player)
    out[at + General.CASUALTIES] = count_bits(tokens_in(state, player, Zone.CASUALTIES))
    out[at + General.REMOVED] = count_bits(tokens_in(state, player, Zone.REMOVED))
    out[at + General.CAPTURED] = count_bits(tokens_in(state, player, Zone.CAPTURED))
    out[at + General.TO_PLACE] = count_bits(tokens_in(state, player, Zone.PICKED))


@njit
def count_types(params, state, player, tokens, column, out):
    """Count tokens of `player`, given as bits, in a column of the rows of their types."""
    first = type_at(params, np.int64(0)) + column
    width = type_at(params, np.int64(1)) - type_at(params, np.int64(0))
    rest = tokens
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        out[first + type_of(state, token) * width] += 1


@njit
def count_known(params, state, viewer, player, hidden, out):
    """Count the tokens among `hidden` that `player` is known to have, in the rows of their types (V-01, V-04).

    They are known because army lists are open, or from what all have seen (C-open_army_lists).
    """
    known = hidden if params.open_army_lists == 1 else hidden & state.seen[player]
    column = CASUALTIES + params.num_generals - 1 + relative_seat(viewer, player, params.num_generals)
    count_types(params, state, player, known, column, out)


@njit
def write_counts(params, state, viewer, out):
    """Count the tokens of all Generals."""
    for seat in range(params.num_generals):
        player = np.int64(seat)
        count_units(params, state, viewer, player, out)
        count_fields(params, state, viewer, player, out)
        count_aside(params, state, viewer, player, out)
        casualties = tokens_in(state, player, Zone.CASUALTIES)
        if player == viewer:
            count_types(params, state, player, tokens_in(state, player, Zone.SACK), np.int64(OWN_SACK), out)
        else:
            count_known(params, state, viewer, player, owned_tokens(state, player) & ~state.face_up[player], out)
            casualties &= state.face_up[player]
        column = CASUALTIES + relative_seat(viewer, player, params.num_generals)
        count_types(params, state, player, casualties, column, out)


@njit
def write_sack_count(params, state, viewer, player, out):
    """Write the number of tokens in a sack and of picks to be placed (V-02, V-05, C-sack_count_public).

    While picks are made in secret, others see the numbers as they will be afterwards: how many a General has picked so
    far would reveal whether they had a choice.
    """
    at = general_at(params, viewer, player)
    count = np.int64(state.sack_count[player])
    if player != viewer and is_picking(state):
        count += np.int64(out[at + General.TO_PLACE]) - SETUP_FIELDS
        out[at + General.TO_PLACE] = SETUP_FIELDS
    hidden = player != viewer and params.sack_count_public == 0
    out[at + General.SACK] = UNTOLD if hidden else clamp(count)


@njit
def write_generals(params, state, viewer, out):
    """Write what is public about each General and has not been counted yet."""
    for player in range(params.num_generals):
        at = general_at(params, viewer, player)
        out[at + General.ALIVE] = state.general_alive[player]
        out[at + General.ACTIVE] = state.active == player
        out[at + General.CONTENDING] = state.general_contending[player]
        out[at + General.HAND] = clamp(np.int64(state.hand_count[player]))
        write_sack_count(params, state, viewer, player, out)


# --- all of it


@njit
def write_view(params, state, viewer, out):
    """Write all that `viewer` sees of one game; return where the unused rows of tokens begin."""
    tokens = type_at(params, params.num_types)
    for i in range(np.uint64(tokens)):
        out[i] = 0
    write_globals(params, state, viewer, out)
    write_events(params, state, viewer, out)
    write_counts(params, state, viewer, out)
    write_generals(params, state, viewer, out)
    return write_tokens(params, state, viewer, out, tokens)


@njit
def observe_again(params, state, viewer, out):
    """Write all that `viewer` sees of one game over an observation of any game, or over zeros.

    Most rows of tokens are unused, before and after; not writing them saves half of the memory traffic.
    """
    clear_used(out, write_view(params, state, viewer, out))
