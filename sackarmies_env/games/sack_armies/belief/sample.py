"""Sampling of a General's hidden tokens: an army that all public information allows (section 4.2).

Their true types have been erased beforehand (`erase`), so that nothing here can depend on them.
With open army lists, the hidden tokens of a General are dealt anew among the places where they may be; all deals are
equally likely. With closed lists, those of a listed army that fits are dealt likewise, see `lists`. If none fits, and
at times even if one does, an army is drawn: first the tokens known to exist are placed, then every other place gets a
type that fits, hosts first. Types are drawn as in typical armies, see `likely_type`, and one of rank r is accepted with
probability p ** (r - 1), where p spreads the remaining ranks evenly. So every army within the limits has a chance.
Last, random pairs that may change places do so. If all attempts fail, the limits are dropped, and at last everything
but kinds: then something always fits.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, bit, count_bits, nth_bit
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import below, next_draw_word
from sackarmies_env.games.sack_armies.belief.erase import exchange
from sackarmies_env.games.sack_armies.belief.lists import NO_LIST, draw_list, write_list
from sackarmies_env.games.sack_armies.belief.plausible import (
    ANY_KIND,
    KINDS_ALONE,
    NO_LIMITS,
    affordable_ranks,
    breadth_of,
    count_candidates,
    count_kind,
    count_open,
    deal_stage,
    end_of_rows,
    fits_place,
    has_known_kind,
    is_hidden,
    is_open,
    is_settled,
    is_thinned_out,
    may_be,
    place_class,
    sample_row,
    suits,
    sum_ranks,
    takes_all_of,
)
from sackarmies_env.games.sack_armies.belief.sack_size import sample_sack_size
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, NO_TYPE, Kind
from sackarmies_env.games.sack_armies.state.zones import first_token, kind_of, owner_of, set_seen, type_of

PLACE_CLASSES = 4
DEAL_STAGES = 5
BREADTHS = 3
ANY_BREADTH = -1
LAST_NARROW_STAGE = 3  # up to this stage, the places of a stage differ in what may lie there
FAIR_ATTEMPTS = 200  # fair deals attempted before one that is not fair is accepted; most end early
TRIES = 64  # random types tried for a place before the first that fits is taken
ANY_HOMELAND = -1
NEW_TYPES = 2  # one in this many tries looks beyond the unit types that an army has
OTHER_HOMELANDS, TEXTS, MORE_BATTLEFIELDS = 8, 4, 8  # of what armies have few of, one in this many tries is accepted
ATTEMPTS = 32  # unfair deals, or armies, attempted before limits are dropped, and again before only kinds count
MIXES = 2  # exchanges tried per token after an army has been drawn
LONG_MIXES = 16  # the same after a deal that was not fair

# --- filling places


@njit
def assign_type(params, state, token, type_id):
    """Give a hidden token its type."""
    state.token_type[token] = type_id
    note_done(params, state, token)


@njit
def note_done(params, state, token):
    """Mark a hidden token as having its type."""
    state.sample_done |= bit(sample_row(params, token))


@njit
def nth_settled_unit(params, state, player, n):
    """Return the n-th unit of `player` that has a type, by row, or NO_TOKEN if there are fewer."""
    for token in range(first_token(params, player), end_of_rows(params, player)):
        if is_settled(params, state, token) and kind_of(params, state, token) == Kind.UNIT:
            if n == 0:
                return np.int64(token)
            n -= 1
    return np.int64(NO_TOKEN)


@njit
def count_settled_units(params, state, player):
    """Return how many units of `player` have a type."""
    count = np.int64(0)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        count += is_settled(params, state, token) and kind_of(params, state, token) == Kind.UNIT
    return count


@njit
def likely_type(params, state, player, num_units):
    """Return a type as in typical armies: units that they have already or that go with those, and few other tokens.

    Every type has a chance. NO_TYPE means none this time.
    """
    homeland = np.int64(ANY_HOMELAND)
    if num_units > 0:
        example = nth_settled_unit(params, state, player, below(next_draw_word(state), num_units))
        if below(next_draw_word(state), NEW_TYPES) != 0:
            return type_of(state, example)
        homeland = np.int64(params.type_homeland[type_of(state, example)])
    type_id = below(next_draw_word(state), params.num_types)
    odds = np.int64(1)  # one in this many tries is accepted
    if params.type_kind[type_id] == Kind.BATTLEFIELD:
        odds = MORE_BATTLEFIELDS
    elif params.type_kind[type_id] != Kind.UNIT:
        odds = TEXTS
    elif homeland != ANY_HOMELAND and params.type_homeland[type_id] != homeland:
        odds = OTHER_HOMELANDS
    return type_id if below(next_draw_word(state), odds) == 0 else np.int64(NO_TYPE)


@njit
def choose_type(params, state, token, kind):
    """Return a random type of this kind for `token`, or NO_TYPE if the army allows none."""
    player = owner_of(state, token)
    ranks_left = affordable_ranks(params, state, player) - sum_ranks(params, state, player)
    num_open = count_open(params, state, player)
    num_units = count_settled_units(params, state, player)
    num_types = params.num_types
    for _ in range(TRIES):
        type_id = below(next_draw_word(state), num_types)
        if kind == ANY_KIND:
            type_id = likely_type(params, state, player, num_units)
        if (
            type_id != NO_TYPE
            and suits(params, state, token, type_id, kind, ranks_left)
            and not is_thinned_out(params, state, type_id, ranks_left, num_open)
        ):
            return type_id
    offset = below(next_draw_word(state), num_types)
    for i in range(num_types):
        type_id = (offset + i) % num_types
        if suits(params, state, token, type_id, kind, ranks_left):
            return type_id
    return np.int64(NO_TYPE)


@njit
def is_free_place(params, state, token, type_id, seen, breadth):
    """Return whether an open place may take a type (see `fits_place`); for NO_TYPE, whether it may take any type.

    `breadth` is the `breadth_of` that the place must have, or ANY_BREADTH.
    """
    if not is_open(params, state, token) or (breadth != ANY_BREADTH and breadth != breadth_of(state, token)):
        return False
    if type_id == NO_TYPE:
        return not has_known_kind(state, token)
    return fits_place(params, state, token, type_id, seen, True)


@njit
def pick_place(params, state, player, type_id, seen, breadth):
    """Return a random place that is free for a type (see `is_free_place`), or NO_TOKEN."""
    count = np.int64(0)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        count += is_free_place(params, state, token, type_id, seen, breadth)
    if count == 0:
        return np.int64(NO_TOKEN)
    n = below(next_draw_word(state), count)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        if is_free_place(params, state, token, type_id, seen, breadth):
            if n == 0:
                return np.int64(token)
            n -= 1
    return np.int64(NO_TOKEN)


@njit
def random_place(params, state, player, type_id, seen):
    """Return a random place that is free for a type, or NO_TOKEN; if only kinds count, one that takes little else."""
    if state.sample_lax != KINDS_ALONE:
        return pick_place(params, state, player, type_id, seen, np.int64(ANY_BREADTH))
    token = np.int64(NO_TOKEN)
    for breadth in range(BREADTHS):
        if token == NO_TOKEN:
            token = pick_place(params, state, player, type_id, seen, np.int64(breadth))
    return token


@njit
def place_known(params, state, player):
    """Place the tokens that `player` is known to have, in random order; return whether there was room."""
    start = first_token(params, player)
    rest = NO_BITS
    for i in range(params.tokens_per_general):
        if state.true_seen[i] > 0 and is_hidden(state, start + i):
            rest |= bit(i)
    while rest != NO_BITS:
        i = nth_bit(rest, below(next_draw_word(state), count_bits(rest)))
        rest &= ~bit(i)
        type_id = np.int64(state.true_type[i])
        seen = np.int64(state.true_seen[i])
        token = random_place(params, state, player, type_id, seen)
        if token == NO_TOKEN:
            return False
        assign_type(params, state, token, type_id)
        set_seen(state, token, seen)
    return True


@njit
def place_kind(params, state, player, kind, wanted):
    """Make sure that `player` has at least `wanted` tokens of a kind; return whether that was possible."""
    while count_kind(params, state, player, kind) < wanted:
        token = random_place(params, state, player, np.int64(NO_TYPE), 0)
        if token == NO_TOKEN:
            return False
        type_id = choose_type(params, state, token, kind)
        if type_id == NO_TYPE:
            return False
        assign_type(params, state, token, type_id)
    return True


@njit
def count_open_in(params, state, player, wanted):
    """Return how many open places of a class `player` has."""
    count = np.int64(0)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        count += is_open(params, state, token) and place_class(state, token) == wanted
    return count


@njit
def next_open(params, state, player, wanted):
    """Return a random open place of a class, or NO_TOKEN; rows are hidden, so they must not determine the order."""
    count = count_open_in(params, state, player, wanted)
    if count == 0:
        return np.int64(NO_TOKEN)
    n = below(next_draw_word(state), count)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        if is_open(params, state, token) and place_class(state, token) == wanted:
            if n == 0:
                return np.int64(token)
            n -= 1
    return np.int64(NO_TOKEN)


@njit
def place_rest(params, state, player):
    """Give every open place a type; return whether that was possible."""
    for wanted in range(PLACE_CLASSES):
        token = next_open(params, state, player, wanted)
        while token != NO_TOKEN:
            type_id = choose_type(params, state, token, np.int64(ANY_KIND))
            if type_id == NO_TYPE:
                return False
            assign_type(params, state, token, type_id)
            token = next_open(params, state, player, wanted)
    return True


@njit
def draw_army(params, state, player):
    """Draw an army that fits all that is public; return whether that worked."""
    for token in range(first_token(params, player), end_of_rows(params, player)):
        if is_hidden(state, token):
            set_seen(state, token, 0)
    if not place_known(params, state, player):
        return False
    is_legal = place_kind(params, state, player, np.int64(Kind.BATTLEFIELD), params.min_battlefields)
    if is_legal or state.sample_lax >= NO_LIMITS:
        is_legal = place_kind(params, state, player, np.int64(Kind.UNIT), np.int64(state.general_alive[player]))
    return (is_legal or state.sample_lax >= NO_LIMITS) and place_rest(params, state, player)


# --- dealing the same tokens


@njit
def next_place(params, state, player, stage):
    """Return the open place of a stage that the fewest tokens may fill, or NO_TOKEN; in the last stage, any one."""
    chosen = np.int64(NO_TOKEN)
    fewest = end_of_rows(params, player)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        if is_open(params, state, token) and deal_stage(state, token) == stage:
            if stage > LAST_NARROW_STAGE:
                return np.int64(token)
            count = count_candidates(params, state, player, token)
            if count < fewest:
                fewest = count
                chosen = np.int64(token)
    return chosen


@njit
def count_swap_candidates(params, state, player, token):
    """Return how many open tokens may be put where `token` is."""
    count = np.int64(0)
    for other in range(first_token(params, player), end_of_rows(params, player)):
        count += is_open(params, state, other) and may_be(params, state, token, other)
    return count


@njit
def nth_swap_candidate(params, state, player, token, n):
    """Return the n-th open token that may be put where `token` is, or NO_TOKEN if there are fewer."""
    for other in range(first_token(params, player), end_of_rows(params, player)):
        if is_open(params, state, other) and may_be(params, state, token, other):
            if n == 0:
                return np.int64(other)
            n -= 1
    return np.int64(NO_TOKEN)


@njit
def max_swap_candidates(params, state, player, token):
    """Return the most candidates that the place of `token` can have, whatever earlier places were dealt.

    These are all tokens that may lie there, less one for each earlier place that takes nothing else.
    """
    count = count_candidates(params, state, player, token)
    for other in range(first_token(params, player), end_of_rows(params, player)):
        if is_hidden(state, other) and not is_open(params, state, other):
            count -= takes_all_of(params, state, player, token, other)
    return count


@njit
def deal_anew(params, state, player, is_fair):
    """Deal the hidden tokens of `player` among their places; return whether all found one.

    A fair deal may fail on purpose where a place has fewer candidates than it could have. All deals are then equally
    likely: one part in the product of the most candidates that each place could have.
    """
    for stage in range(DEAL_STAGES):
        token = next_place(params, state, player, stage)
        while token != NO_TOKEN:
            if is_fair and stage <= LAST_NARROW_STAGE:
                most = max_swap_candidates(params, state, player, token)
            else:
                most = count_swap_candidates(params, state, player, token)
            if most == 0:
                return False
            other = nth_swap_candidate(params, state, player, token, below(next_draw_word(state), most))
            if other == NO_TOKEN:
                return False
            exchange(state, token, other)
            note_done(params, state, token)
            token = next_place(params, state, player, stage)
    return True


@njit
def nth_hidden(params, state, player, n):
    """Return the n-th hidden token of `player`, by row."""
    for token in range(first_token(params, player), end_of_rows(params, player)):
        if is_hidden(state, token):
            if n == 0:
                return np.int64(token)
            n -= 1
    return np.int64(NO_TOKEN)


@njit
def swap_random_pairs(params, state, player, times):
    """Exchange random pairs of hidden tokens if both places allow it, with `times` attempts per token."""
    count = np.int64(0)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        count += is_hidden(state, token)
    for _ in range(count * times):
        token = nth_hidden(params, state, player, below(next_draw_word(state), count))
        other = nth_hidden(params, state, player, below(next_draw_word(state), count))
        if may_be(params, state, token, other) and may_be(params, state, other, token):
            exchange(state, token, other)


# --- all of it


@njit
def save_truth(params, state, player):
    """Save the list of tokens that `player` is known to have."""
    start = first_token(params, player)
    for i in range(params.tokens_per_general):
        state.true_type[i] = state.token_type[start + i]
        state.true_seen[i] = state.token_seen[start + i]


@njit
def restore_truth(params, state, player):
    """Restore the list of known tokens; no hidden token counts as having a type afterward."""
    start = first_token(params, player)
    state.sample_done = NO_BITS
    for i in range(params.tokens_per_general):
        state.token_type[start + i] = state.true_type[i]
        set_seen(state, start + i, np.int64(state.true_seen[i]))


@njit
def try_deal(params, state, player, army, is_fair):
    """Deal the hidden tokens of `player`, by the open list or a listed army; return whether all found a place."""
    restore_truth(params, state, player)
    if army != NO_LIST:
        write_list(params, state, player, army)
    return deal_anew(params, state, player, is_fair)


@njit
def try_army(params, state, player):
    """Sample the army of `player`, by the open list or without a list; return whether that worked."""
    if params.open_army_lists == 1:
        return try_deal(params, state, player, np.int64(NO_LIST), False)
    restore_truth(params, state, player)
    sample_sack_size(params, state, player)
    return draw_army(params, state, player)


@njit
def resample_army(params, state, player):
    """Sample the hidden tokens of `player` from the saved list of known tokens."""
    state.sample_lax = 0
    restore_truth(params, state, player)
    army = draw_list(params, state, player) if params.open_army_lists == 0 else np.int64(NO_LIST)
    if params.open_army_lists == 1 or army != NO_LIST:
        for _ in range(FAIR_ATTEMPTS):
            if try_deal(params, state, player, army, True):
                return
    for lax in range(KINDS_ALONE):
        state.sample_lax = lax
        for _ in range(ATTEMPTS):
            if try_army(params, state, player):
                swap_random_pairs(params, state, player, LONG_MIXES if params.open_army_lists == 1 else MIXES)
                return
    state.sample_lax = KINDS_ALONE
    try_army(params, state, player)


@njit
def sample_army(params, state, player):
    """Replace the hidden tokens of `player` by a sample that all public information allows."""
    save_truth(params, state, player)
    resample_army(params, state, player)
