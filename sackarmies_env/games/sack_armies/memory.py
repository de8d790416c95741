"""What others remember of tokens that nobody sees any more: docs/decisions/0014-what-guesses-remember.md."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.constants import NO_TOKEN, Face, Kind, Zone
from sackarmies_env.games.sack_armies.state import IN_SIGHT, MAX_RETURNS
from sackarmies_env.games.sack_armies.zones import first_token, kind_of, owner_of, rows_per_general, set_seen, tokens_in


@njit
def seen_of(state, token):
    """Return whether and how long the identity of `token` has been public: see `token_seen`."""
    return np.int64(state.token_seen[token])


@njit
def is_hidden_row(state, token):
    """Return whether nobody but its owner can tell which token this row is now."""
    zone = state.token_zone[token]
    return zone == Zone.SACK or zone == Zone.HAND or zone == Zone.PICKED or state.token_face[token] == Face.DOWN


@njit
def mark_seen(state, token):
    """Note that the identity of `token` is public: opponents count copies of a type, they cannot tell them apart.

    What comes to light may be any copy that was seen before and can have got there since. The one that went away last
    is no longer looked for: what is known of the others then follows from what was known of it.
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
    """Return whether `token` left the sack after a copy of which `token_seen` is this had gone away."""
    return state.token_drawn[token] + 1 >= seen


@njit
def note_return(state, token, was_up):
    """Note that `token` has gone from play to the sack of its owner, and how it lay."""
    owner = owner_of(state, token)
    returns = min(np.int64(state.returns[owner]) + 1, MAX_RETURNS)
    state.returns[owner] = returns
    if was_up:
        set_seen(state, token, returns + 1)
    else:
        state.token_kind_known[token] = 1


@njit
def forget_draw(params, state, token):
    """Let `token` leave the hand such that it may be any token of it: others cannot tell.

    It may be the one drawn last, and the tokens that stay may be all but the one drawn first.
    """
    owner = owner_of(state, token)
    first = np.int64(token)
    last = np.int64(state.token_drawn[token])
    rest = tokens_in(state, owner, Zone.HAND)
    while rest != NO_BITS:
        other = first_token(params, owner) + lowest_bit(rest)
        rest = without_lowest(rest)
        last = max(last, np.int64(state.token_drawn[other]))
        if state.token_drawn[other] < state.token_drawn[first]:
            first = other
    state.token_drawn[first] = state.token_drawn[token]
    state.token_drawn[token] = last


@njit
def forget_kinds(params, state, token):
    """Let `token` leave the sack such that it may be any token of it, also one that came there face down from play.

    The sack can no longer be relied on to hold one of any kind that did.
    """
    owner = owner_of(state, token)
    for kind in (Kind.UNIT, Kind.BATTLEFIELD, Kind.SPELL):
        found = np.int64(token) if is_back_known(params, state, token, kind) else np.int64(NO_TOKEN)
        rest = tokens_in(state, owner, Zone.SACK)
        while rest != NO_BITS and found == NO_TOKEN:
            other = first_token(params, owner) + lowest_bit(rest)
            rest = without_lowest(rest)
            if is_back_known(params, state, other, kind):
                found = other
        if found != NO_TOKEN:
            state.token_kind_known[found] = 0


@njit
def is_back_known(params, state, token, kind):
    """Return whether all know that `token`, which came face down to a sack, looks like one of this kind."""
    return state.token_kind_known[token] == 1 and are_alike(kind_of(params, state, token), kind)


@njit
def are_alike(kind, other):
    """Return whether two kinds of tokens look the same face down in play: spells and maneuvers do."""
    return kind == other or (is_attachment(kind) and is_attachment(other))


@njit
def is_attachment(kind):
    """Return whether a kind is attached to units."""
    return kind == Kind.SPELL or kind == Kind.MANEUVER
