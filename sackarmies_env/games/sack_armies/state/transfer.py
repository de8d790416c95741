"""Transfers of tokens between zones (chapters 3 and 6)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import bit
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, NO_TYPE, Event, Face, Zone
from sackarmies_env.games.sack_armies.state.events import log_event
from sackarmies_env.games.sack_armies.state.memory import (
    hidden_losses,
    leave_pool,
    leave_sack,
    mark_seen,
    note_return,
)
from sackarmies_env.games.sack_armies.state.zones import (
    clear_hex,
    clear_stats_of,
    detach,
    enter_field,
    enter_unit,
    find_in_zone,
    first_captive,
    is_face_up,
    link_captive,
    outdate_stats,
    outdate_stats_around,
    owner_of,
    remove_key,
    rows_per_general,
    set_face,
    set_zone,
    tokens_in,
    type_of,
    unlink_captive,
)

# --- units and battlefields on the board


@njit
def put_unit(params, state, unit, cell):
    """Put `unit` on an empty `cell` (R3.2.1-4, R8.2.1-7, R3.2.1-3)."""
    set_zone(state, unit, Zone.BATTLEGROUND)
    state.token_hex[unit] = cell
    enter_unit(params, state, unit, cell)


@njit
def lift_unit(params, state, unit):
    """Take `unit` off its cell; the caller must put it somewhere at once."""
    cell = np.int64(state.token_hex[unit])
    if cell != NO_HEX:
        outdate_stats_around(params, state, cell)
        clear_stats_of(state, unit)
        state.cell_unit[cell] = NO_TOKEN
        clear_hex(params, state.unit_rows, cell)
        remove_key(state, 2 * cell + 1)
        state.units[unit // rows_per_general(state)] &= ~bit(unit % rows_per_general(state))
        state.token_hex[unit] = NO_HEX


@njit
def put_field(params, state, field, cell, player):
    """Put down a battlefield face up, its arrow pointing to `player` (R3.2.1-1, R5.0-1, R7.1-10, R8.2.1-8)."""
    set_face(params, state, field, Face.UP)
    set_zone(state, field, Zone.BATTLEGROUND)
    mark_seen(state, field)
    state.token_controller[field] = player
    state.token_hex[field] = cell
    enter_field(params, state, field, cell)
    state.last_progress_turn = state.turn
    log_event(params, state, Event.PLACE, player, cell, type_of(state, field))


# --- leaving a zone


@njit
def clear_token(params, state, token):
    """Clear what `token` was and did in play; out of play nobody can track it (Q-64)."""
    state.token_controller[token] = state.token_owner[token]
    set_face(params, state, token, Face.DOWN)
    state.token_hex[token] = NO_HEX
    state.token_host[token] = NO_TOKEN
    state.token_first[token] = NO_TOKEN
    state.token_next[token] = NO_TOKEN
    state.token_active[token] = 0
    state.token_employed[token] = 0
    state.token_moved[token] = 0
    state.token_member[token] = 0
    state.token_kind_known[token] = 0
    state.token_min_movement[token] = 0
    state.token_min_armor[token] = 0


@njit
def shed_effects(state, unit):
    """End what texts have done to `unit` this turn, and what the running text would still do, as the unit leaves play.

    If it comes back within the turn, it is as printed. A dead augmenter still augments others: see `leave_ghosts`.
    """
    kept = np.int64(0)
    for i in range(state.num_modifiers):
        if state.modifier_token[i] != unit:
            state.modifier_token[kept] = state.modifier_token[i]
            state.modifier_type[kept] = state.modifier_type[i]
            state.modifier_rows[kept] = state.modifier_rows[i]
            kept += 1
    if kept < state.num_modifiers:
        outdate_stats(state)
    state.num_modifiers = kept
    if state.act_effect > 0 and state.act_target == unit:
        state.act_target = NO_TOKEN


@njit
def leave_zone(params, state, token):
    """Take `token` out of whatever zone it is in: a token is in exactly one (R6.0-1)."""
    zone = state.token_zone[token]
    owner = np.int64(state.token_owner[token])
    if zone == Zone.SACK:
        state.sack_count[owner] -= 1
        if state.returns[owner] > 0:
            leave_sack(params, state, token)
        state.token_drawn[token] = state.returns[owner]
    elif zone == Zone.HAND:
        state.hand_count[owner] -= 1
        leave_pool(params, state, token, tokens_in(state, owner, Zone.HAND))
    elif zone == Zone.CASUALTIES and not is_face_up(state, token):
        leave_pool(params, state, token, hidden_losses(params, state, token))
    elif zone == Zone.ATTACHED:
        detach(params, state, token)
    elif zone == Zone.CAPTURED:
        unlink_captive(state, token)
    elif zone == Zone.BATTLEGROUND:
        lift_unit(params, state, token)
        shed_effects(state, token)
    clear_token(params, state, token)


@njit
def to_sack(params, state, token):
    """Return `token` to its owner's sack, where others know it to be if they knew it before (R6.0-2)."""
    owner = owner_of(state, token)
    was_in_hand = state.token_zone[token] == Zone.HAND
    was_up = is_face_up(state, token)
    leave_zone(params, state, token)
    set_zone(state, token, Zone.SACK)
    state.sack_count[owner] += 1
    if not was_in_hand:
        note_return(state, token, was_up)


@njit
def to_hand(params, state, token):
    """Put `token` into its owner's hand (R6.0-3)."""
    leave_zone(params, state, token)
    set_zone(state, token, Zone.HAND)
    state.hand_count[state.token_owner[token]] += 1


@njit
def show_in_pile(params, state, token, was_up):
    """Lay a token on a pile face up if all may know it: piles are public, or it was revealed (C-casualties_public)."""
    if params.casualties_public == 1 or was_up:
        set_face(params, state, token, Face.UP)
        mark_seen(state, token)


@njit
def show_casualty(params, state, player, type_id):
    """Turn up a casualty whose type is named in public: from then on, all know that the pile holds one."""
    token = find_in_zone(params, state, player, Zone.CASUALTIES, type_id)
    if token != NO_TOKEN and not is_face_up(state, token):
        leave_pool(params, state, token, hidden_losses(params, state, token))
        set_face(params, state, token, Face.UP)
        mark_seen(state, token)


@njit
def shown_type(state, token, public):
    """Return what the log may say of `token`: its type if that is public, else NO_TYPE."""
    if public or state.token_face[token] == Face.UP:
        return type_of(state, token)
    return np.int64(NO_TYPE)


@njit
def to_casualties(params, state, token):
    """Put a killed or spent token on its owner's casualties pile (R6.0-5, RB-4, RB-16)."""
    was_up = is_face_up(state, token)
    leave_zone(params, state, token)
    set_zone(state, token, Zone.CASUALTIES)
    show_in_pile(params, state, token, was_up)


@njit
def to_removed(params, state, token):
    """Set `token` aside outside the game for good; no effect brings it back (R6.0-7, R3.2.2-12)."""
    was_up = is_face_up(state, token)
    leave_zone(params, state, token)
    set_zone(state, token, Zone.REMOVED)
    show_in_pile(params, state, token, was_up)


@njit
def to_captor(params, state, token, captor):
    """Put `token` under `captor`, out of play; face-down attachments stay face down, known kinds stay known."""
    face = state.token_face[token]
    is_kind_known = state.token_kind_known[token]
    leave_zone(params, state, token)
    link_captive(state, token, captor)
    state.token_kind_known[token] = is_kind_known
    set_face(params, state, token, face)


@njit
def release_captives(params, state, captor):
    """Return the captives of `captor` to their owners' sacks, or to casualties if eliminated (RA-Capture-6, Q-52)."""
    token = first_captive(state, captor)
    while token != NO_TOKEN:
        following = np.int64(state.token_next[token])
        if state.general_alive[owner_of(state, token)] == 1:
            to_sack(params, state, token)
        else:
            to_casualties(params, state, token)
        token = following


@njit
def leave_play(params, state, unit, zone, attachments_zone):
    """Send `unit` to `zone` and its attachments to theirs; captives go free (R6.0-8, R9.2-10, RA-Capture-5, Q-85)."""
    release_captives(params, state, unit)
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        following = np.int64(state.token_next[attachment])
        if attachments_zone == Zone.REMOVED:
            to_removed(params, state, attachment)
        else:
            to_casualties(params, state, attachment)
        attachment = following
    if zone == Zone.SACK:
        to_sack(params, state, unit)
    elif zone == Zone.REMOVED:
        to_removed(params, state, unit)
    else:
        to_casualties(params, state, unit)
