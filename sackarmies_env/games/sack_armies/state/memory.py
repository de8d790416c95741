"""What others remember of tokens that are hidden again: docs/decisions/0014-what-guesses-remember.md."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, has_bit, lowest_bit, without_lowest
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import Face, Kind, Zone
from sackarmies_env.games.sack_armies.state.record import IN_SIGHT, MAX_RETURNS
from sackarmies_env.games.sack_armies.state.zones import (
    first_token,
    kind_of,
    owner_of,
    rows_per_general,
    set_seen,
    tokens_in,
)


@njit
def seen_of(state, token):
    """Return the `token_seen` of `token`: whether its identity was ever public, and until when."""
    return np.int64(state.token_seen[token])


@njit
def is_hidden_row(state, token):
    """Return whether only its owner can tell which token this row is now."""
    zone = state.token_zone[token]
    return zone == Zone.SACK or zone == Zone.HAND or zone == Zone.PICKED or state.token_face[token] == Face.DOWN


@njit
def mark_seen(state, token):
    """Record that the identity of `token` is public; opponents count copies of a type but cannot tell them apart.

    The token may be any copy that was seen before and can have got here since. Of these, opponents stop looking for the
    one that went away last: what is known of the others then follows from what was known of it.
    """
    own = seen_of(state, token)
    found = np.int64(token)
    start = token - token % rows_per_general(state)
    for other in range(start, start + rows_per_general(state)):
        if (
            state.token_seen[other] > state.token_seen[found]
            and state.token_type[other] == state.token_type[token]
            and is_hidden_row(state, np.int64(other))
            and is_late_enough(state, token, seen_of(state, np.int64(other)))
        ):
            found = np.int64(other)
    set_seen(state, found, own)
    set_seen(state, token, IN_SIGHT)


@njit
def is_late_enough(state, token, seen):
    """Return whether `token` left the sack after the copy whose `token_seen` is `seen` had gone away."""
    return np.int64(state.token_drawn[token]) + 1 >= seen


@njit
def note_return(state, token, was_up):
    """Record that `token` has gone from play to its owner's sack, and whether it lay face up."""
    owner = owner_of(state, token)
    returns = min(np.int64(state.returns[owner]) + 1, MAX_RETURNS)
    state.returns[owner] = returns
    if was_up:
        set_seen(state, token, returns + 1)
    else:
        state.token_kind_known[token] = 1


@njit
def earliest(params, state, token, pool):
    """Return which token of `pool` (bits of the owner of `token`) was drawn first, and when the last one was."""
    start = first_token(params, owner_of(state, token))
    first = start + lowest_bit(pool)
    last = np.int64(0)
    while pool != NO_BITS:
        other = start + lowest_bit(pool)
        pool = without_lowest(pool)
        last = max(last, np.int64(state.token_drawn[other]))
        if state.token_drawn[other] < state.token_drawn[first]:
            first = other
    return first, last


@njit
def leave_pool(params, state, token, pool):
    """Update draw times as `token` leaves a pool of tokens: others cannot tell which of them it is.

    It may be the one drawn last, and those that stay may be all but the one drawn first.
    """
    first, last = earliest(params, state, token, pool)
    state.token_drawn[first] = state.token_drawn[token]
    state.token_drawn[token] = last


@njit
def hidden_losses(params, state, token):
    """Return as bits the tokens that the owner of `token` lost face down and that look like it; `token` is one."""
    owner = owner_of(state, token)
    return alike(params, state, token, tokens_in(state, owner, Zone.CASUALTIES) & ~state.face_up[owner])


@njit
def alike(params, state, token, pool):
    """Return those tokens of `pool` (bits of the owner of `token`) that look like it face down."""
    kind = kind_of(params, state, token)
    start = first_token(params, owner_of(state, token))
    found = NO_BITS
    while pool != NO_BITS:
        following = without_lowest(pool)
        if are_alike(kind_of(params, state, start + lowest_bit(pool)), kind):
            found |= pool & ~following
        pool = following
    return found


@njit
def known_backs(params, state, player):
    """Return as bits the tokens in the sack of `player` that came there face down from play."""
    found = NO_BITS
    pool = tokens_in(state, player, Zone.SACK)
    while pool != NO_BITS:
        following = without_lowest(pool)
        if state.token_kind_known[first_token(params, player) + lowest_bit(pool)] == 1:
            found |= pool & ~following
        pool = following
    return found


@njit
def leave_sack(params, state, token):
    """Update what others know as `token` leaves the sack: it may be any token there, even one that went back face down.

    Of each kind that did, the sack may have lost the one that had been drawn first.
    """
    owner = owner_of(state, token)
    rest = known_backs(params, state, owner)
    while rest != NO_BITS:
        pool = alike(params, state, first_token(params, owner) + lowest_bit(rest), rest)
        rest &= ~pool
        first, _ = earliest(params, state, token, pool)
        if has_bit(pool, token - first_token(params, owner)):
            state.token_drawn[first] = state.token_drawn[token]
            first = np.int64(token)
        state.token_kind_known[first] = 0


@njit
def are_alike(kind, other):
    """Return whether two kinds of tokens look the same face down in play: spells and maneuvers do."""
    return kind == other or (is_attachment(kind) and is_attachment(other))


@njit
def is_attachment(kind):
    """Return whether tokens of a kind are attached to units."""
    return kind == Kind.SPELL or kind == Kind.MANEUVER
