"""Sampling of the size of a sack that others cannot count, within what public information allows."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, count_bits, lowest_bit, without_lowest
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import below, next_draw_word
from sackarmies_env.games.sack_armies.belief.erase import hidden_tokens
from sackarmies_env.games.sack_armies.belief.plausible import (
    KINDS_ALONE,
    LOWEST_RANK,
    affordable_ranks,
    count_kind,
    is_sack_counted,
    sum_ranks,
)
from sackarmies_env.games.sack_armies.belief.rows import Back
from sackarmies_env.games.sack_armies.state.constants import Kind, Zone
from sackarmies_env.games.sack_armies.state.zones import (
    first_token,
    owned_tokens,
    rows_per_general,
    set_zone,
    tokens_in,
)


@njit
def count_plain(state, player):
    """Return how many tokens the sack of `player` holds besides those that came there face down from play."""
    count = np.int64(state.sack_count[player])
    rest = tokens_in(state, player, Zone.SACK)
    while rest != NO_BITS:
        count -= np.int64(state.token_kind_known[player * rows_per_general(state) + lowest_bit(rest)])
        rest = without_lowest(rest)
    return count


@njit
def size_range(params, state, player):
    """Return the least and most tokens that may be in the plain sack of `player`, whose types are not set yet.

    There must be room for the tokens known to exist and for the battlefields that each army needs; ranks limit the
    rest. If only kinds count, there is room for all tokens known to exist.
    """
    hidden = hidden_tokens(state, player)
    others = count_bits(hidden) - count_plain(state, player)
    seen = count_bits(hidden & state.seen[player])
    fields = params.min_battlefields - count_kind(params, state, player, np.int64(Kind.BATTLEFIELD))
    rows = rows_per_general(state) - count_bits(owned_tokens(state, player)) + count_plain(state, player)
    if state.sample_lax == KINDS_ALONE:
        return min(seen, rows), min(seen, rows)
    least = max(np.int64(0), seen - others, min(rows, fields - np.int64(state.hand_count[player])))
    ranks = affordable_ranks(params, state, player) - sum_ranks(params, state, player)
    rest = hidden & state.seen[player]
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        ranks -= np.int64(params.type_rank[state.token_type[token]])
    return least, max(least, min(rows, ranks // LOWEST_RANK + seen - others))


@njit
def set_size(state, player, size):
    """Set the plain sack of `player`, which holds the last rows in use, to `size` tokens."""
    row = player * rows_per_general(state) + count_bits(owned_tokens(state, player))
    plain = count_plain(state, player)
    state.sack_count[player] += size - plain
    for _ in range(plain, size):
        set_zone(state, row, Zone.SACK)
        state.token_owner[row] = player
        state.token_controller[row] = player
        state.sample_back[row] = Back.ANY
        row += 1
    for _ in range(size, plain):
        row -= 1
        set_zone(state, row, Zone.NONE)
        state.token_owner[row] = 0
        state.token_controller[row] = 0


@njit
def sample_sack_size(params, state, player):
    """Sample how many tokens the sack of `player` holds, if others cannot count them."""
    if not is_sack_counted(params, state, player):
        least, most = size_range(params, state, player)
        set_size(state, player, least + below(next_draw_word(state), most - least + 1))
