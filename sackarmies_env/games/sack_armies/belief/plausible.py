"""Plausibility of hidden tokens by public information: which types fit a place, and an army within the limits.

`sample_back` holds what all know of the kind of each token. While the types of one General's tokens are sampled,
`true_type` and `true_seen` list the tokens known to exist, at the first hidden rows, and `sample_done` marks the tokens
that have been given a type. If nothing fits, `sample_lax` says what to ignore: 1 for the limits of armies, 2 for
everything but kinds.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import has_bit
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import below, next_draw_word
from sackarmies_env.games.sack_armies.belief.rows import Back
from sackarmies_env.games.sack_armies.rules.deploy import band_takes
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Band, Kind, Zone
from sackarmies_env.games.sack_armies.state.knowledge import is_identity_public
from sackarmies_env.games.sack_armies.state.memory import is_attachment, is_late_enough, seen_of
from sackarmies_env.games.sack_armies.state.zones import first_token, is_face_up, kind_of, owner_of, type_of

ANY_KIND = -1
NO_LIMITS, KINDS_ALONE = 1, 2  # values of sample_lax
LOWEST_RANK = 1  # R4.1-1
MAX_RANK_CLASS = 3  # copies are limited by rank 1, 2, 3 and higher (R4.2-5)

# --- hidden tokens


@njit
def end_of_rows(params, player):
    """Return the row after the last one that `player` owns."""
    return first_token(params, player) + params.tokens_per_general


@njit
def sample_row(params, token):
    """Return the row of the scratch fields that belongs to `token`."""
    return token % params.tokens_per_general


@njit
def fits_back(state, token, kind):
    """Return whether `token` may be of `kind`, by what all know of its kind."""
    back = state.sample_back[token]
    return back == kind or back == Back.ANY or (back == Back.TEXT and is_attachment(kind))


@njit
def breadth_of(state, token):
    """Return how much the back of `token` leaves open: 0 for one kind, 1 for spell or maneuver, 2 for any kind."""
    back = state.sample_back[token]
    if back == Back.ANY:
        return np.int64(2)
    return np.int64(1 if back == Back.TEXT else 0)


@njit
def has_kind(params, state, token, kind):
    """Return whether `token` is certain to be of a kind: by its type if settled, else by what all know."""
    if is_settled(params, state, token):
        return kind_of(params, state, token) == kind
    return state.sample_back[token] == kind


@njit
def is_hidden(state, token):
    """Return whether opponents do not know what `token` is."""
    return state.token_zone[token] != Zone.NONE and not is_identity_public(state, token)


@njit
def is_settled(params, state, token):
    """Return whether the type of a token is settled: it is public, or has been sampled."""
    if state.token_zone[token] == Zone.NONE:
        return False
    return not is_hidden(state, token) or has_bit(state.sample_done, sample_row(params, token))


@njit
def is_open(params, state, token):
    """Return whether a hidden token has not been given a type yet."""
    return is_hidden(state, token) and not has_bit(state.sample_done, sample_row(params, token))


# --- which types fit a place


@njit
def band_fits(params, state, unit, band, as_dealt):
    """Return whether a name band can hold the attachments of face-down `unit`: as dealt, or by what all know."""
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        if state.token_kind_known[attachment] == 1:
            if not band_takes(band, np.int64(state.sample_back[attachment])):
                return False
        elif as_dealt and is_settled(params, state, attachment):
            if not band_takes(band, kind_of(params, state, attachment)):
                return False
        elif band == Band.BLACK or band == Band.GRAY:
            return False
        attachment = np.int64(state.token_next[attachment])
    return True


@njit
def fits_captivity(params, state, token, kind):
    """Return whether an attachment of this kind can have been captured along with some captive unit."""
    for unit in range(len(state.token_zone)):
        if (
            state.token_zone[unit] == Zone.CAPTURED
            and state.token_host[unit] == state.token_host[token]
            and state.token_owner[unit] == state.token_owner[token]
            and is_face_up(state, unit)
            and kind_of(params, state, unit) == Kind.UNIT
            and band_takes(params.type_band[state.token_type[unit]], kind)
        ):
            return True
    return False


@njit
def fits_attachment(params, state, token, kind):
    """Return whether the hidden attachment `token` may be of this kind, by its host or those captured with it."""
    if state.token_zone[token] == Zone.CAPTURED:
        return fits_captivity(params, state, token, kind)
    host = np.int64(state.token_host[token])
    return is_open(params, state, host) or band_takes(params.type_band[state.token_type[host]], kind)


@njit
def has_known_kind(state, token):
    """Return whether all know from the place of `token` that it is a unit, a battlefield, or neither."""
    zone = state.token_zone[token]
    if zone == Zone.SACK:
        return state.token_kind_known[token] == 1
    return zone != Zone.HAND


@njit
def fits_time(state, token, seen):
    """Return whether a token that went to the sack in public, see `seen`, can be where the hidden `token` is now."""
    in_plain_sack = state.token_zone[token] == Zone.SACK and state.token_kind_known[token] == 0
    return in_plain_sack or is_late_enough(state, token, seen)


@njit
def fits_place(params, state, token, type_id, seen, as_dealt):
    """Return whether the hidden `token` may be of this type, by its place and by what is public about it.

    `seen` is the `token_seen` of the token to lie there, 0 if nobody has seen it. `as_dealt` says whether a host must
    fit what has been dealt to the places under it.
    """
    kind = np.int64(params.type_kind[type_id])
    if not fits_back(state, token, kind):
        return False
    if state.sample_lax == KINDS_ALONE:
        return True
    if not fits_time(state, token, seen):
        return False
    zone = state.token_zone[token]
    if zone == Zone.BATTLEGROUND:
        return (
            params.type_movement[type_id] >= state.token_min_movement[token]
            and params.type_armor[type_id] >= state.token_min_armor[token]
            and band_fits(params, state, token, np.int64(params.type_band[type_id]), as_dealt)
        )
    if zone == Zone.ATTACHED or zone == Zone.CAPTURED:
        return fits_attachment(params, state, token, kind)
    return True


@njit
def may_be(params, state, token, other):
    """Return whether the hidden `token` may be what the hidden `other` of the same General is now."""
    return fits_place(params, state, token, type_of(state, other), seen_of(state, other), True)


@njit
def place_class(state, token):
    """Return the order in which a place gets its type: hosts first, then other units, attachments, and the rest."""
    zone = state.token_zone[token]
    if zone == Zone.BATTLEGROUND:
        return 0 if state.token_first[token] != NO_TOKEN else 1
    return 2 if zone == Zone.ATTACHED or zone == Zone.CAPTURED else 3


# --- places in a deal


@njit
def deal_stage(state, token):
    """Return the stage in which a place is dealt a token: units, attachments, others of known kind, hand, then sack."""
    zone = state.token_zone[token]
    if zone == Zone.BATTLEGROUND:
        return 0
    if zone == Zone.ATTACHED or zone == Zone.CAPTURED:
        return 1
    if zone == Zone.HAND:
        return 3
    return 2 if has_known_kind(state, token) else 4


@njit
def may_fit(params, state, token, other):
    """Return whether the hidden `token` may be what `other` is, whatever the hidden tokens under it or over it are."""
    if state.token_zone[token] == Zone.ATTACHED and is_hidden(state, np.int64(state.token_host[token])):
        fits = fits_back(state, token, kind_of(params, state, other))
        return fits and (state.sample_lax == KINDS_ALONE or fits_time(state, token, seen_of(state, other)))
    return fits_place(params, state, token, type_of(state, other), seen_of(state, other), False)


@njit
def count_candidates(params, state, player, token):
    """Return how many hidden tokens of `player`, dealt or not, may lie where `token` does."""
    count = np.int64(0)
    for other in range(first_token(params, player), end_of_rows(params, player)):
        count += is_hidden(state, other) and may_fit(params, state, token, other)
    return count


@njit
def takes_all_of(params, state, player, token, other):
    """Return whether every hidden token that may lie where `other` does may also lie where `token` does."""
    for row in range(first_token(params, player), end_of_rows(params, player)):
        if is_hidden(state, row) and may_fit(params, state, other, row) and not may_fit(params, state, token, row):
            return False
    return True


# --- what the army allows


@njit
def count_open(params, state, player):
    """Return how many hidden tokens of `player` have no type yet."""
    count = np.int64(0)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        count += is_open(params, state, token)
    return count


@njit
def count_copies(params, state, player, type_id):
    """Return how many tokens of a type `player` has, among those with a type."""
    count = np.int64(0)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        if state.token_type[token] == type_id and is_settled(params, state, token):
            count += 1
    return count


@njit
def count_kind(params, state, player, kind):
    """Return how many tokens of a kind `player` has, among those of certain kind; units on piles are not counted."""
    count = np.int64(0)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        zone = state.token_zone[token]
        if zone != Zone.NONE and (kind != Kind.UNIT or (zone != Zone.CASUALTIES and zone != Zone.REMOVED)):
            count += has_kind(params, state, token, kind)
    return count


@njit
def sum_ranks(params, state, player):
    """Return the sum of the ranks of all tokens of `player` that have a type."""
    total = np.int64(0)
    for token in range(first_token(params, player), end_of_rows(params, player)):
        if is_settled(params, state, token):
            total += np.int64(params.type_rank[state.token_type[token]])
    return total


@njit
def fits_army(params, state, player, type_id, ranks_left):
    """Return whether one more token of a type leaves the army legal and the open places affordable."""
    if state.sample_lax >= NO_LIMITS:
        return True
    rank = np.int64(params.type_rank[type_id])
    limit = np.int64(params.copy_limits[min(rank, np.int64(MAX_RANK_CLASS)) - 1])
    if count_copies(params, state, player, type_id) >= limit:
        return False
    return rank <= ranks_left - (count_open(params, state, player) - 1)


@njit
def is_thinned_out(params, state, type_id, ranks_left, num_open):
    """Return whether a type is rejected at random for its rank, so that ranks spread evenly over the open places."""
    for _ in range(1, np.int64(params.type_rank[type_id])):
        if ranks_left <= num_open or below(next_draw_word(state), ranks_left) >= ranks_left - num_open:
            return True
    return False


@njit
def suits(params, state, token, type_id, kind, ranks_left):
    """Return whether `token` may be given a type of this kind that nobody has seen."""
    return (
        (kind == ANY_KIND or params.type_kind[type_id] == kind)
        and fits_place(params, state, token, type_id, 0, True)
        and fits_army(params, state, owner_of(state, token), type_id, ranks_left)
    )


@njit
def is_sack_counted(params, state, player):
    """Return whether all know how many tokens the sack of `player` holds, see V-05."""
    return params.sack_count_public == 1 or params.open_army_lists == 1 or state.sack_emptied[player] == 1


@njit
def affordable_ranks(params, state, player):
    """Return the ranks that an army may have: the limit, or what `player` certainly has if a scenario gave more.

    Tokens that nobody has seen, in a sack that nobody can count, are left out, since they may not exist.
    """
    start = first_token(params, player)
    is_counted = is_sack_counted(params, state, player)
    total = np.int64(0)
    for token in range(start, end_of_rows(params, player)):
        if state.token_zone[token] == Zone.NONE:
            continue
        if not is_hidden(state, token):
            total += np.int64(params.type_rank[state.token_type[token]])
        elif state.true_seen[token - start] > 0:
            total += np.int64(params.type_rank[state.true_type[token - start]])
        elif state.token_zone[token] != Zone.SACK or state.token_kind_known[token] == 1 or is_counted:
            total += LOWEST_RANK
    return max(total, params.max_ranks)
