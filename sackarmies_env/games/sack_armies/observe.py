"""What a General sees (digest section 6), written into the layout of layout.py."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.constants import NO_TOKEN, Decision, Event, FlipMethod, Kind, Zone
from sackarmies_env.games.sack_armies.knowledge import (
    clamp,
    is_known_to_exist,
    is_picking,
    knows_choice,
    knows_identity,
    seat_from,
    write_hex,
    write_type,
)
from sackarmies_env.games.sack_armies.layout import (
    CASUALTIES,
    GENERAL_START,
    GENERAL_WIDTH,
    GLOBAL_START,
    GLOBAL_WIDTH,
    LOG_START,
    LOG_WIDTH,
    OWN_SACK,
    PERCENT,
    SHOWN_OFFSET,
    UNTOLD,
    General,
    Global,
    Log,
    Over,
    Shown,
)
from sackarmies_env.games.sack_armies.observe_tokens import write_tokens
from sackarmies_env.games.sack_armies.setup import SETUP_FIELDS
from sackarmies_env.games.sack_armies.state import MAX_LOG
from sackarmies_env.games.sack_armies.zones import field_at, first_token, kind_of, owner_of, type_of

# --- the block of globals


@njit
def percent(part, whole):
    """Return `part` of `whole` in percent, at most 100."""
    return min(np.int64(PERCENT), np.int64(part) * PERCENT // max(np.int64(1), np.int64(whole)))


@njit
def write_globals(params, state, viewer, row):
    """Write the decision, the turn and the deck (V-21, V-23)."""
    if state.current_player == viewer:
        row[Global.TO_ACT] = 1
        row[Global.DECISION] = state.decision
    row[Global.ACTIVE_SEAT] = seat_from(params, viewer, np.int64(state.active))
    row[Global.TURN_PERCENT] = percent(np.int64(state.turn), np.int64(params.max_turns))
    idle = np.int64(state.turn) - np.int64(state.last_progress_turn)
    row[Global.IDLE_PERCENT] = percent(idle, np.int64(params.no_progress_turns))
    row[Global.STUMBLED] = state.stumbled
    if state.terminated == 1:
        row[Global.OVER] = Over.ENDED
    elif state.truncated == 1:
        row[Global.OVER] = Over.CUT_OFF
    row[Global.WINNER] = seat_from(params, viewer, np.int64(state.winner))
    row[Global.VICTORY] = state.victory_type
    if params.flip_method == FlipMethod.DECK or params.flip_method == FlipMethod.DECK_JOKERS:
        row[Global.DECK_RED] = state.deck_red
        row[Global.DECK_BLACK] = state.deck_black
        row[Global.DECK_JOKERS] = state.deck_jokers
    write_chain(params, state, viewer, row)
    write_attack(params, state, viewer, row)
    write_act(params, state, viewer, row)


@njit
def write_chain(params, state, viewer, row):
    """Write the partial choice, which only the General who makes it knows: hexes, or one type."""
    first = np.int64(NO_HEX)
    second = np.int64(NO_HEX)
    if state.current_player == viewer:
        row[Global.CHAIN_VERB] = state.chain_verb
        if state.decision == Decision.DEPLOY_HEX or state.decision == Decision.SETUP_HEX:
            write_type(row, Global.CHAIN_TYPE_LOW, np.int64(state.chain[0]))
        else:
            first = np.int64(state.chain[0])
            second = np.int64(state.chain[1])
    write_hex(params, row, Global.CHAIN_Q, first)
    write_hex(params, row, Global.CHAIN_SECOND_Q, second)


@njit
def write_attack(params, state, viewer, row):
    """Write the announced attack; what is not announced is known to its chooser alone."""
    if state.attack_verb == 0 or not knows_choice(state, viewer, state.attack_announced):
        write_hex(params, row, Global.ATTACK_Q, np.int64(NO_HEX))
        return
    row[Global.ATTACK_VERB] = state.attack_verb
    write_hex(params, row, Global.ATTACK_Q, np.int64(state.attack_hex))
    row[Global.ATTACK_AMBUSH] = state.attack_ambush
    row[Global.ATTACK_SURPRISED] = state.attack_surprised
    row[Global.ATTACK_COUNTERED] = state.attack_countered
    row[Global.ATTACK_NO_ADVANCE] = state.attack_no_advance
    row[Global.ATTACK_MOVED] = state.attack_moved
    row[Global.ATTACK_SUCCESSES] = clamp(np.int64(state.attack_successes))
    row[Global.COUNTER_SUCCESSES] = clamp(np.int64(state.counter_successes))
    row[Global.ATTACK_KILLED] = state.attack_killed


@njit
def write_act(params, state, viewer, row):
    """Write the announced activation; what is not announced is known to its chooser alone."""
    if state.act_verb == 0 or not knows_choice(state, viewer, state.act_announced):
        write_hex(params, row, Global.ACT_Q, np.int64(NO_HEX))
        write_hex(params, row, Global.ACT_TO_Q, np.int64(NO_HEX))
        return
    row[Global.ACT_VERB] = state.act_verb
    write_hex(params, row, Global.ACT_Q, np.int64(state.act_hex))
    write_hex(params, row, Global.ACT_TO_Q, np.int64(state.act_to))
    write_type(row, Global.ACT_TYPE_LOW, np.int64(state.act_type))


# --- the block of events


@njit
def tells_type(kind):
    """Return whether the value of an event is a type."""
    return (
        kind == Event.PLACE
        or kind == Event.REVEAL
        or kind == Event.CASUALTY
        or kind == Event.CAPTURE
        or kind == Event.TO_SACK
        or kind == Event.REMOVE
        or kind == Event.CONTROL
        or kind == Event.RAISE
        or kind == Event.ATTACH
    )


@njit
def write_event(params, state, viewer, i, row):
    """Write one public event (V-07, V-17)."""
    kind = np.int64(state.log_kind[i])
    value = np.int64(state.log_value[i])
    row[Log.KIND] = kind
    row[Log.SEAT] = seat_from(params, viewer, np.int64(state.log_player[i]))
    write_hex(params, row, Log.Q, np.int64(state.log_hex[i]))
    write_hex(params, row, Log.FROM_Q, value if kind == Event.MOVE else np.int64(NO_HEX))
    if tells_type(kind):
        write_type(row, Log.TYPE_LOW, value)
    elif kind == Event.DEPLOY or kind == Event.WRONG_KIND:
        row[Log.NUMBER] = value + SHOWN_OFFSET if value >= 0 else np.int64(Shown.UNKNOWN)
    elif kind != Event.MOVE:
        row[Log.NUMBER] = clamp(value)


# --- the block of Generals


@njit
def count_own_tokens(params, state, player, row):
    """Add up the tokens of `player` in his zones and on the board (V-06)."""
    start = first_token(params, player)
    for token in range(start, start + np.int64(params.tokens_per_general)):
        zone = state.token_zone[token]
        if zone == Zone.CASUALTIES:
            row[General.CASUALTIES] += 1
        elif zone == Zone.REMOVED:
            row[General.REMOVED] += 1
        elif zone == Zone.CAPTURED:
            row[General.CAPTURED] += 1
        elif zone == Zone.PICKED:
            row[General.TO_PLACE] += 1
        elif zone == Zone.BATTLEGROUND:
            if kind_of(params, state, token) == Kind.UNIT:
                row[General.UNITS] += 1
                row[General.UNITS_DOWN] += 1 - state.token_face[token]
            else:
                row[General.FIELDS_OWNED] += 1
                row[General.FIELDS_KEPT] += state.token_controller[token] == player


@njit
def write_sack_count(params, state, viewer, player, row):
    """Write the number of tokens in a sack and of picks to be placed (V-02, V-05, C-sack_count_public).

    While picks are made in secret, others see the numbers that will stand after them: how many a General has picked so
    far would tell whether he had a choice.
    """
    count = np.int64(state.sack_count[player])
    if player != viewer and is_picking(state):
        count += np.int64(row[General.TO_PLACE]) - SETUP_FIELDS
        row[General.TO_PLACE] = SETUP_FIELDS
    hidden = player != viewer and params.sack_count_public == 0
    row[General.SACK] = UNTOLD if hidden else clamp(count)


@njit
def write_general(params, state, viewer, player, row):
    """Write what is public of a General; his seat is the row."""
    row[General.ALIVE] = state.general_alive[player]
    row[General.ACTIVE] = state.active == player
    row[General.CONTENDING] = state.general_contending[player]
    row[General.HAND] = clamp(np.int64(state.hand_count[player]))
    count_own_tokens(params, state, player, row)
    write_sack_count(params, state, viewer, player, row)


@njit
def write_generals(params, state, viewer, out):
    """Write all Generals, and how many battlefields point to each."""
    for player in range(params.num_generals):
        start = GENERAL_START + seat_from(params, viewer, np.int64(player)) * GENERAL_WIDTH
        write_general(params, state, viewer, np.int64(player), out[start : start + GENERAL_WIDTH])
    for cell in range(params.num_cells):
        field = field_at(state, np.int64(cell))
        if field != NO_TOKEN:
            seat = seat_from(params, viewer, np.int64(state.token_controller[field]))
            out[GENERAL_START + seat * GENERAL_WIDTH + General.FIELDS_CONTROLLED] += 1


# --- the block of types


@njit
def types_start(params):
    """Return where the block of types begins."""
    return GENERAL_START + np.int64(params.num_generals) * GENERAL_WIDTH


@njit
def types_width(params):
    """Return the number of columns of the block of types."""
    return 2 * np.int64(params.num_generals)


@njit
def write_types(params, state, viewer, out):
    """Count tokens in piles by type, and those known to be somewhere out of sight (V-04)."""
    start = types_start(params)
    width = types_width(params)
    known = CASUALTIES + np.int64(params.num_generals) - 1  # column of a seat: known + seat
    for token in range(len(state.token_zone)):
        zone = state.token_zone[token]
        if zone == Zone.NONE:
            continue
        row = start + type_of(state, token) * width
        seat = seat_from(params, viewer, owner_of(state, token))
        if not knows_identity(params, state, viewer, token):
            if is_known_to_exist(params, state, token):
                out[row + known + seat] += 1
        elif zone == Zone.CASUALTIES:
            out[row + CASUALTIES + seat] += 1
        elif zone == Zone.SACK:
            out[row + OWN_SACK] += 1


# --- all of it


@njit
def observe_game(params, state, viewer, out):
    """Write all that `viewer` sees of one game to the int8 vector `out`."""
    for i in range(len(out)):
        out[i] = 0
    write_globals(params, state, viewer, out[GLOBAL_START : GLOBAL_START + GLOBAL_WIDTH])
    for i in range(MAX_LOG):
        start = LOG_START + i * LOG_WIDTH
        write_event(params, state, viewer, i, out[start : start + LOG_WIDTH])
    write_generals(params, state, viewer, out)
    write_types(params, state, viewer, out)
    tokens_start = types_start(params) + np.int64(params.num_types) * types_width(params)
    write_tokens(params, state, viewer, out[tokens_start:])


@njit
def observe_games(params, states, players, out):
    """Write what each player sees: nothing that is hidden from him, at any time, whoever is to act.

    Args:
        params: (1,) PARAMS_DTYPE.
        states: (n,) states, read only.
        players: (n,) int64, seats; they need not be to act and may be eliminated.
        out: (n, size) int8, overwritten; laid out as `make_observation_spec` says.
    """
    for i in range(len(states)):
        observe_game(params[0], states[i], np.int64(players[i]), out[i])
