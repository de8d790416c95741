"""Built-in army lists that a hidden army may follow.

With closed lists, an army that may be a built-in one by all that is public is most likely that one. The tokens that it
has beyond those known are then dealt among its places, as with open lists.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import count_bits
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import below, next_draw_word
from sackarmies_env.games.sack_armies.belief.plausible import end_of_rows, is_hidden, is_sack_counted
from sackarmies_env.games.sack_armies.belief.sack_size import count_plain, set_size
from sackarmies_env.games.sack_armies.state.constants import NO_TYPE
from sackarmies_env.games.sack_armies.state.zones import first_token, owned_tokens, rows_per_general

NO_LIST = -1
UNLISTED = 8  # one in this many samples is of an army without a list, though a list fits; one in more, if much is known


@njit
def count_known(params, state, player, known):
    """Write how many tokens of each type `player` is known to have to `known`, (num_types,) int64; return the total.

    No other token has a type yet.
    """
    known[:] = 0
    total = np.int64(0)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        if state.token_type[token] != NO_TYPE:
            known[state.token_type[token]] += 1
            total += 1
    return total


@njit
def sack_size_by(params, state, player, army):
    """Return how many tokens the plain sack of `player` holds if they have a listed army."""
    return params.list_size[army] - count_bits(owned_tokens(state, player)) + count_plain(state, player)


@njit
def may_be_list(params, state, player, army, known):
    """Return whether a listed army has all that `player` is known to have, and as many tokens as all can count."""
    size = sack_size_by(params, state, player, army)
    plain = count_plain(state, player)
    if size < 0 or (size != plain and is_sack_counted(params, state, player)):
        return False
    if count_bits(owned_tokens(state, player)) + size - plain > rows_per_general(state):
        return False
    for token in range(first_token(params, player), end_of_rows(params, player)):
        type_id = state.token_type[token]
        if type_id != NO_TYPE and known[type_id] > params.list_copies[army, type_id]:
            return False
    return True


@njit(counted=True)
def draw_list(params, state, player):
    """Return a listed army that `player` may have, all equally likely; NO_LIST if there is none, and at times anyway.

    Of hidden tokens, only those known to exist have types. The more tokens are known, the rarer is NO_LIST: an army
    drawn freely seldom fits a list.
    """
    known = np.empty(params.num_types, np.int64)
    total = count_known(params, state, player, known)
    chosen = np.int64(NO_LIST)
    count = np.int64(0)
    for army in range(params.num_lists):
        if may_be_list(params, state, player, army, known):
            count += 1
            if below(next_draw_word(state), count) == 0:
                chosen = np.int64(army)
    if count > 0 and below(next_draw_word(state), UNLISTED * (1 + total)) == 0:
        chosen = np.int64(NO_LIST)
    return chosen


@njit(counted=True)
def write_list(params, state, player, army):
    """Give the hidden tokens of `player` the types that a listed army has beyond those known; none is dealt yet."""
    known = np.empty(params.num_types, np.int64)
    count_known(params, state, player, known)
    set_size(state, player, sack_size_by(params, state, player, army))
    token = first_token(params, player)
    for type_id in range(params.num_types):
        for _ in range(known[type_id], params.list_copies[army, type_id]):
            while state.token_type[token] != NO_TYPE or not is_hidden(state, token):
                token += 1
            state.token_type[token] = type_id
