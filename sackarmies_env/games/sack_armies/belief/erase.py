"""Erasure of hidden information: states that a General cannot tell apart become the same record.

The tokens of others are ordered by what all know of them, and their types are replaced by a sorted list of those known
to be among them. Sampling starts from what is left.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.belief.rows import TIMES, back_of, order_copies, order_rows, swap
from sackarmies_env.games.sack_armies.state.constants import MAX_TYPES, NO_TYPE, Zone
from sackarmies_env.games.sack_armies.state.memory import are_alike, seen_of
from sackarmies_env.games.sack_armies.state.zones import (
    clear_stats,
    first_token,
    kind_of,
    owned_tokens,
    rows_per_general,
    set_seen,
    tokens_in,
    type_of,
)

# --- hidden tokens


@njit
def hidden_tokens(state, player):
    """Return as bits the tokens of `player` that others do not know."""
    return owned_tokens(state, player) & ~state.face_up[player]


@njit
def exchange(state, token, other):
    """Exchange the identities of two hidden tokens of a General."""
    type_id = state.token_type[token]
    seen = seen_of(state, token)
    state.token_type[token] = state.token_type[other]
    set_seen(state, token, seen_of(state, other))
    state.token_type[other] = type_id
    set_seen(state, other, seen)


# --- what others remember


@njit
def clear_drawn_times(params, state, player):
    """Clear when tokens in the sack of `player` last left it, unless returned face down: only the next time matters."""
    rest = tokens_in(state, player, Zone.SACK)
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if state.token_kind_known[token] == 0:
            state.token_drawn[token] = 0


@njit
def assign_seen_copies(params, state, player):
    """Mark the copies of a type that left the sack last as seen: `player` cannot tell which ones others saw."""
    pool = hidden_tokens(state, player)
    while pool != NO_BITS:
        one = first_token(params, player) + lowest_bit(pool)
        pool = without_lowest(pool)
        rest = pool
        while rest != NO_BITS:
            other = first_token(params, player) + lowest_bit(rest)
            rest = without_lowest(rest)
            if state.token_type[one] == state.token_type[other] and seen_of(state, one) > seen_of(state, other):
                exchange(state, one, other)


@njit
def back_time(state, token):
    """Return when a token that went back face down had left the sack; for the others in the sack, TIMES."""
    return np.int64(state.token_drawn[token]) if state.token_kind_known[token] == 1 else np.int64(TIMES)


@njit
def is_misplaced(params, state, one, other):
    """Return whether two tokens in a sack, in row order, should exchange the record of how they went back.

    Of tokens that look alike, those that others know less of count as returned face down first, then the lowest types.
    """
    if not are_alike(kind_of(params, state, one), kind_of(params, state, other)):
        return False
    order = seen_of(state, one) - seen_of(state, other)
    if order == 0:
        order = type_of(state, one) - type_of(state, other)
    gap = back_time(state, one) - back_time(state, other)
    return gap > 0 if order <= 0 else gap < 0


@njit
def assign_returned_tokens(params, state, player):
    """Choose which tokens in the sack of `player` count as returned face down, by what others know: draws blur it."""
    is_settled = False
    while not is_settled:
        is_settled = True
        pool = tokens_in(state, player, Zone.SACK)
        while pool != NO_BITS:
            one = first_token(params, player) + lowest_bit(pool)
            pool = without_lowest(pool)
            rest = pool
            while rest != NO_BITS:
                other = first_token(params, player) + lowest_bit(rest)
                rest = without_lowest(rest)
                if is_misplaced(params, state, one, other):
                    swap(state.token_kind_known, one, other)
                    swap(state.token_drawn, one, other)
                    is_settled = False


# --- what others do not know


@njit
def note_backs(params, state, player):
    """Write what all know of the kinds of the tokens of `player` to `sample_back`."""
    for token in range(first_token(params, player), first_token(params, player) + rows_per_general(state)):
        if state.token_zone[token] != Zone.NONE:
            state.sample_back[token] = back_of(params, state, token)


@njit
def is_known_to_exist(params, state, token):
    """Return whether all know that the hidden `token` exists: the list is open, or they have seen it."""
    return params.open_army_lists == 1 or state.token_seen[token] > 0


@njit
def sorting_key(state, token):
    """Return the sort key of a hidden token in the list of those known to exist; the others come last."""
    type_id = type_of(state, token)
    return (np.int64(MAX_TYPES) if type_id == NO_TYPE else type_id) * TIMES + seen_of(state, token)


@njit
def sort_types(params, state, player, pool):
    """Sort the identities of the tokens of `pool` (bits of `player`): which token has which must not show."""
    while pool != NO_BITS:
        token = first_token(params, player) + lowest_bit(pool)
        pool = without_lowest(pool)
        chosen = token
        rest = pool
        while rest != NO_BITS:
            other = first_token(params, player) + lowest_bit(rest)
            rest = without_lowest(rest)
            if sorting_key(state, other) < sorting_key(state, chosen):
                chosen = other
        if chosen != token:
            exchange(state, token, chosen)


@njit
def erase_types(params, state, player):
    """Erase the types of the hidden tokens of `player`, leaving a sorted list of those known to exist."""
    hidden = hidden_tokens(state, player)
    rest = hidden
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if not is_known_to_exist(params, state, token):
            state.token_type[token] = NO_TYPE
    if params.open_army_lists == 1 or hidden & state.seen[player] != NO_BITS:
        sort_types(params, state, player, hidden)


@njit
def put_in_order(params, state, viewer):
    """Reassign rows, and what others remember of copies, by what `viewer` knows alone; the game stays the same.

    The stats of units are out of date afterward.
    """
    clear_stats(state)
    for player in range(params.num_generals):
        clear_drawn_times(params, state, player)
        if player != viewer:
            order_rows(params, state, player)
            continue
        order_copies(params, state, player)
        assign_seen_copies(params, state, player)
        if state.returns[player] > 0:
            assign_returned_tokens(params, state, player)


@njit
def erase_hidden(params, state, viewer):
    """Erase from `state` all that `viewer` does not know about tokens."""
    put_in_order(params, state, viewer)
    for player in range(params.num_generals):
        note_backs(params, state, player)
        if player != viewer:
            erase_types(params, state, player)
