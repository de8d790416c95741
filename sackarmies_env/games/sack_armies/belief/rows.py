"""Rows of tokens: their order by public information, and the exchange of two rows.

Rows follow the army lists, which are hidden; ordered by public facts, the tokens of a General tell nothing of them.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.bits import NO_BITS, bit, has_bit, lowest_bit, without_lowest
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Zone
from sackarmies_env.games.sack_armies.state.memory import is_attachment
from sackarmies_env.games.sack_armies.state.record import LARGE, MAX_INSTANCES, max_modifiers
from sackarmies_env.games.sack_armies.state.zones import (
    first_token,
    hex_of,
    is_face_up,
    kind_of,
    rows_per_general,
    tokens_in,
    type_of,
)


class Back(IntEnum):
    """What all know of the kind of a hidden token; the first values are those of `Kind`."""

    UNIT = 0
    BATTLEFIELD = 1
    SPELL = 2
    MANEUVER = 3
    TEXT = 4  # a spell or a maneuver
    ANY = 5


KNOWN_TYPES = 8  # first number of a known type in the order of rows, above all backs
KNOWN_SIZE = 512  # above all numbers of backs and known types
PILE_SIZE = 512  # above any number of tokens under one host
TIMES = 256  # number of values of `token_drawn` and `token_seen`
NOT_NAMED = MAX_INSTANCES + max_modifiers(LARGE.generals) + 7

# --- what all know


@njit
def back_of(params, state, token):
    """Return what all know of the kind of `token`, by its face, its place and how it came there."""
    kind = kind_of(params, state, token)
    zone = state.token_zone[token]
    if is_face_up(state, token) or (zone != Zone.SACK and state.token_kind_known[token] == 1):
        return kind
    if zone == Zone.HAND or (zone == Zone.SACK and state.token_kind_known[token] == 0):
        return np.int64(Back.ANY)
    return np.int64(Back.TEXT) if is_attachment(kind) else kind


@njit
def count_after(state, token):
    """Return how many tokens come after an attachment or a captive in its stack."""
    count = np.int64(0)
    other = np.int64(state.token_next[token])
    while other != NO_TOKEN:
        count += 1
        other = np.int64(state.token_next[other])
    return count


@njit
def name_of(state, token):
    """Return where what is in progress first names `token`, or NOT_NAMED; being named tells it from other copies."""
    for i in range(state.num_damages):
        if state.damage_target[i] == token:
            return np.int64(i)
    for i in range(state.num_modifiers):
        if state.modifier_token[i] == token:
            return MAX_INSTANCES + np.int64(i)
    if token == state.attack_unit:
        return np.int64(NOT_NAMED - 7)
    if token == state.attack_target:
        return np.int64(NOT_NAMED - 6)
    if token == state.attack_designated:
        return np.int64(NOT_NAMED - 5)
    if token == state.act_unit:
        return np.int64(NOT_NAMED - 4)
    if token == state.act_token:
        return np.int64(NOT_NAMED - 3)
    if token == state.act_target:
        return np.int64(NOT_NAMED - 2)
    if token == state.act_slot:
        return np.int64(NOT_NAMED - 1)
    return np.int64(NOT_NAMED)


@njit
def public_key(params, state, token):
    """Return the sort key of `token` among its General's tokens in the same zone, by what all know.

    Tokens with the same key are the same to all others.
    """
    zone = state.token_zone[token]
    if zone == Zone.BATTLEGROUND:
        return 2 * hex_of(state, token) + (state.cell_unit[state.token_hex[token]] == token)
    pile = np.int64(0)
    if zone == Zone.ATTACHED or zone == Zone.CAPTURED:
        pile = hex_of(state, np.int64(state.token_host[token])) * PILE_SIZE + count_after(state, token)
    known = back_of(params, state, token)
    if is_face_up(state, token):
        known = KNOWN_TYPES + type_of(state, token)
    key = (pile * KNOWN_SIZE + known) * 2 + np.int64(state.token_kind_known[token])
    return (key * TIMES + np.int64(state.token_drawn[token])) * (NOT_NAMED + 1) + name_of(state, token)


# --- swapping rows


@njit
def swap(values, one, other):
    """Swap two values of an array."""
    value = values[one]
    values[one] = values[other]
    values[other] = value


@njit
def swap_bits(words, player, one, other):
    """Swap two rows of `player` in a set with one word per General."""
    if has_bit(words[player], one) != has_bit(words[player], other):
        words[player] ^= bit(one) | bit(other)


@njit
def swap_fields(state, one, other):
    """Swap the fields of two tokens, except for derived ones."""
    swap(state.token_type, one, other)
    swap(state.token_owner, one, other)
    swap(state.token_controller, one, other)
    swap(state.token_zone, one, other)
    swap(state.token_face, one, other)
    swap(state.token_hex, one, other)
    swap(state.token_host, one, other)
    swap(state.token_first, one, other)
    swap(state.token_next, one, other)
    swap(state.token_active, one, other)
    swap(state.token_employed, one, other)
    swap(state.token_moved, one, other)
    swap(state.token_member, one, other)
    swap(state.token_seen, one, other)
    swap(state.token_drawn, one, other)
    swap(state.token_kind_known, one, other)
    swap(state.token_min_movement, one, other)
    swap(state.token_min_armor, one, other)


@njit
def swap_in_sets(state, player, one, other):
    """Swap two rows of `player`, counted from their first, in the sets of tokens."""
    zone = state.token_zone[player * rows_per_general(state) + one]
    other_zone = state.token_zone[player * rows_per_general(state) + other]
    if zone != other_zone:
        mark = bit(one) | bit(other)
        state.zone_tokens[player, zone] ^= mark
        state.zone_tokens[player, other_zone] ^= mark
    swap_bits(state.units, player, one, other)
    swap_bits(state.face_up, player, one, other)
    swap_bits(state.seen, player, one, other)


@njit
def renamed(row, one, other):
    """Return the row of a token after the rows `one` and `other` have been swapped."""
    if row == one:
        return other
    return one if row == other else np.int64(row)


@njit
def rename_links(state, one, other):
    """Update hosts, attachments and captives after two tokens have swapped rows."""
    for token in range(len(state.token_host)):
        state.token_host[token] = renamed(state.token_host[token], one, other)
        state.token_first[token] = renamed(state.token_first[token], one, other)
        state.token_next[token] = renamed(state.token_next[token], one, other)


@njit
def rename_on_board(state, one, other):
    """Update the hexes of two tokens that have swapped rows."""
    cell, other_cell = np.int64(state.token_hex[one]), np.int64(state.token_hex[other])
    if cell != NO_HEX:
        state.cell_unit[cell] = renamed(state.cell_unit[cell], one, other)
        state.cell_field[cell] = renamed(state.cell_field[cell], one, other)
    if other_cell != NO_HEX and other_cell != cell:
        state.cell_unit[other_cell] = renamed(state.cell_unit[other_cell], one, other)
        state.cell_field[other_cell] = renamed(state.cell_field[other_cell], one, other)


@njit
def rename_in_action(state, one, other):
    """Update what is in progress after two tokens have swapped rows."""
    state.attack_unit = renamed(state.attack_unit, one, other)
    state.attack_target = renamed(state.attack_target, one, other)
    state.attack_designated = renamed(state.attack_designated, one, other)
    state.act_unit = renamed(state.act_unit, one, other)
    state.act_token = renamed(state.act_token, one, other)
    state.act_target = renamed(state.act_target, one, other)
    state.act_slot = renamed(state.act_slot, one, other)
    for i in range(state.num_modifiers):
        state.modifier_token[i] = renamed(state.modifier_token[i], one, other)
    for i in range(state.num_damages):
        state.damage_target[i] = renamed(state.damage_target[i], one, other)


@njit
def may_be_linked(state, token):
    """Return whether `token` may lie on top of another or under it."""
    zone = state.token_zone[token]
    return zone == Zone.BATTLEGROUND or zone == Zone.ATTACHED or zone == Zone.CAPTURED


@njit
def swap_rows(state, one, other):
    """Swap the rows of two tokens of a General; nothing but row numbers changes."""
    per_general = rows_per_general(state)
    swap_in_sets(state, one // per_general, one % per_general, other % per_general)
    swap_fields(state, one, other)
    if may_be_linked(state, one) or may_be_linked(state, other):
        rename_links(state, one, other)
    rename_on_board(state, one, other)
    rename_in_action(state, one, other)


# --- the order of rows


@njit
def least_by_key(params, state, player, pool):
    """Return the token of `pool` (bits of `player`) with the least public key."""
    chosen = np.int64(NO_TOKEN)
    least = np.int64(0)
    while pool != NO_BITS:
        token = first_token(params, player) + lowest_bit(pool)
        pool = without_lowest(pool)
        key = public_key(params, state, token)
        if chosen == NO_TOKEN or key < least:
            chosen, least = token, key
    return chosen


@njit
def order_rows(params, state, player):
    """Order the rows of `player` by what all know of their tokens, those in the sack last."""
    start = first_token(params, player)
    done = NO_BITS
    row = np.int64(0)
    for zone in range(state.zone_tokens.shape[1] - 1, np.int64(Zone.NONE), -1):
        rest = tokens_in(state, player, zone)
        while rest != NO_BITS:
            chosen = least_by_key(params, state, player, rest)
            if chosen != start + row:
                swap_rows(state, start + row, chosen)
            done |= bit(row)
            row += 1
            rest = tokens_in(state, player, zone) & ~done


@njit
def comes_before(params, state, one, other):
    """Return whether the copy `one` of a type comes before the copy `other`: by when it left the sack, and by place."""
    is_back, is_other_back = state.token_zone[one] == Zone.SACK, state.token_zone[other] == Zone.SACK
    if is_back != is_other_back:
        return is_other_back
    if state.token_drawn[one] != state.token_drawn[other]:
        return state.token_drawn[one] < state.token_drawn[other]
    if state.token_zone[one] != state.token_zone[other]:
        return state.token_zone[one] < state.token_zone[other]
    return public_key(params, state, one) < public_key(params, state, other)


@njit
def order_copies(params, state, player):
    """Order the copies of each type that `player` has; the list of types itself stays as `player` knows it."""
    start = first_token(params, player)
    for token in range(start, start + rows_per_general(state)):
        if state.token_zone[token] == Zone.NONE:
            continue
        chosen = np.int64(token)
        for row in range(token + 1, start + rows_per_general(state)):
            other = np.int64(row)
            if state.token_type[other] == state.token_type[token] and comes_before(params, state, other, chosen):
                chosen = other
        if chosen != token:
            swap_rows(state, np.int64(token), chosen)
