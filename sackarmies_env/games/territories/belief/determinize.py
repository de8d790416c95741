"""Sampling of states that are consistent with what a player knows: chapter 3.2 of the rules.

The cards in other players' hands and in the deck are hidden, but everybody knows which cycle of the deck each card in
a hand was drawn from (TR-H3). So the cards of a cycle that a player has not seen are spread over the other players'
slots of that cycle; what then remains of the present cycle is the deck.

A card of an older cycle cannot be of a kind that its holder has since taken from a later one, since the oldest card of
a kind goes first. All deals that respect this are equally likely, each card of a kind being told from the others.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.chance import clear_forced, sample_worlds
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import clear_legal
from sackarmies_env.core.rng import below, next_draw_word
from sackarmies_env.core.step_batch import is_over
from sackarmies_env.games.territories.play.legal import refresh_legal
from sackarmies_env.games.territories.state.chance import kind_at
from sackarmies_env.games.territories.state.constants import NO_CARD, NUM_CARDS

HOLDERS = (1, 2, 4)  # bits of the next players after the viewer
ALL_HOLDERS = 7
NUM_WORDS = 2.0**32  # values that a random word can have


@njit
def collect(params, state, viewer, cycle):
    """Move the cards of a cycle that others hold into the deck, which serves as the pool, and empty their slots."""
    for player in range(params.num_players):
        if player == viewer:
            continue
        for slot in range(state.hand_count[player]):
            if state.hand_cycle[player, slot] == cycle:
                state.deck[np.int64(state.hand[player, slot])] += 1
                state.deck_count += 1
                state.hand[player, slot] = NO_CARD


@njit
def spread(params, state, viewer):
    """Fill the other players' empty slots from the pool, each card being equally likely (TR-H3)."""
    for player in range(params.num_players):
        for slot in range(state.hand_count[player]):
            if player != viewer and state.hand[player, slot] == NO_CARD:
                kind = kind_at(state.deck, below(next_draw_word(state), state.deck_count))
                state.deck[kind] -= 1
                state.deck_count -= 1
                state.hand[player, slot] = kind


# --- cards of an older cycle: all are in other players' hands, some of which cannot hold all kinds


@njit
def num_empty(state, player):
    """Return the number of a player's empty slots."""
    count = np.int64(0)
    for slot in range(state.hand_count[player]):
        count += np.int64(state.hand[player, slot] == NO_CARD)
    return count


@njit
def is_any_excluded(params, state, viewer, cycle):
    """Return whether another player with empty slots cannot hold a kind in the pool, which is rare (TR-H3)."""
    for player in range(params.num_players):
        if player == viewer:
            continue
        for kind in range(NUM_CARDS):
            is_excluded = state.taken_cycle[player, kind] > cycle and state.deck[kind] > 0
            if is_excluded and num_empty(state, player) > 0:
                return True
    return False


@njit
def note_holders(params, state, viewer, cycle):
    """Note which players with empty slots can hold a card of each kind from a cycle (TR-H3)."""
    for kind in range(NUM_CARDS):
        state.holders[kind] = 0
    for place in range(params.num_players - 1):
        player = seat_after(params, viewer, place)
        if num_empty(state, player) == 0:
            continue
        for kind in range(NUM_CARDS):
            if state.taken_cycle[player, kind] <= cycle:
                state.holders[kind] += HOLDERS[place]


@njit
def seat_after(params, viewer, place):
    """Return the seat of the next player after the viewer (`place` 0), or of one further on."""
    return (viewer + 1 + np.int64(place)) % params.num_players


@njit
def num_held_by(state, holders):
    """Return how many cards of the pool exactly these players can hold."""
    count = np.int64(0)
    for kind in range(NUM_CARDS):
        if state.holders[kind] == holders:
            count += np.int64(state.deck[kind])
    return count


@njit
def give(state, player, holders, count):
    """Put random cards of the pool that exactly `holders` can hold into random empty slots of a player."""
    for _ in range(count):
        index = below(next_draw_word(state), num_held_by(state, holders))
        kind = np.int64(0)
        while state.holders[kind] != holders or index >= state.deck[kind]:
            if state.holders[kind] == holders:
                index -= np.int64(state.deck[kind])
            kind += 1
        skipped = below(next_draw_word(state), num_empty(state, player))
        slot = np.int64(0)
        while state.hand[player, slot] != NO_CARD or skipped > 0:
            skipped -= np.int64(state.hand[player, slot] == NO_CARD)
            slot += 1
        state.deck[kind] -= 1
        state.deck_count -= 1
        state.hand[player, slot] = kind


@njit
def binomial(n, k):
    """Return in how many ways k of n cards can be chosen."""
    if k < 0 or k > n:
        return np.int64(0)
    ways = np.int64(1)
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return ways


@njit
def ways_to_deal(state, first, second, with_second, with_third):
    """Return in how many ways the pool can be dealt, given the first player's share of cards that two can hold.

    Args:
        state: with the pool, and who can hold each kind.
        first: cards that the first of the three players still gets from those that all can hold.
        second: cards that the second of them gets in all.
        with_second: cards that the first gets of those that the first and the second can hold.
        with_third: the same for the first and the third.
    """
    shared_by_two, shared_by_all = num_held_by(state, HOLDERS[0] + HOLDERS[1]), num_held_by(state, ALL_HOLDERS)
    ways = binomial(shared_by_two, with_second) * binomial(shared_by_all, first)
    ways *= binomial(num_held_by(state, HOLDERS[0] + HOLDERS[2]), with_third)
    # What the first has left for the second and what the second alone can hold is due to the second.
    second -= num_held_by(state, HOLDERS[1]) + shared_by_two - with_second
    return ways * binomial(num_held_by(state, HOLDERS[1] + HOLDERS[2]) + shared_by_all - first, second)


@njit
def first_share(state, first, second):
    """Choose how many cards the first of three players gets of those that they and the second, or the third, can hold.

    Two passes: one adds up the ways to deal, which are fewer than 2**63; the other stops at a random one of them.

    Args:
        state: with the pool, and who can hold each kind.
        first: empty slots of the first player.
        second: empty slots of the second player.
    """
    first -= num_held_by(state, HOLDERS[0])
    most_second = num_held_by(state, HOLDERS[0] + HOLDERS[1])
    most_third = num_held_by(state, HOLDERS[0] + HOLDERS[2])
    by_all = num_held_by(state, ALL_HOLDERS)
    if most_third + by_all == 0 or most_second + by_all == 0 or most_second + most_third == 0:
        with_second = min(first, most_second)  # no choice: one group has all the cards
        return with_second, min(first - with_second, most_third)
    total = np.int64(0)
    for with_second in range(most_second + 1):
        for with_third in range(most_third + 1):
            total += ways_to_deal(state, first - with_second - with_third, second, with_second, with_third)
    left = np.float64(total) * (np.float64(next_draw_word(state)) / NUM_WORDS)
    chosen = np.int64(0), np.int64(0)
    for with_second in range(most_second + 1):
        for with_third in range(most_third + 1):
            ways = ways_to_deal(state, first - with_second - with_third, second, with_second, with_third)
            if left >= 0 and ways > 0:
                chosen = np.int64(with_second), np.int64(with_third)
            left -= ways
    return chosen


@njit
def clear_holder(state, holder):
    """Note that a player has got their share: only the others can hold what is left."""
    for kind in range(NUM_CARDS):
        state.holders[kind] &= ~holder


@njit
def deal_old(params, state, viewer, cycle):
    """Fill the other players' empty slots with all cards of the pool, which are of an older cycle (TR-H3).

    The players get their shares one after the other: first what they alone can hold, then what others can hold, too.
    """
    note_holders(params, state, viewer, cycle)
    one, two, three = HOLDERS
    player = seat_after(params, viewer, 0)
    num_first, num_second = num_empty(state, player), num_empty(state, seat_after(params, viewer, 1))
    with_second, with_third = first_share(state, num_first, num_second)
    give(state, player, one, num_held_by(state, one))
    give(state, player, one + two, with_second)
    give(state, player, one + three, with_third)
    give(state, player, ALL_HOLDERS, num_empty(state, player))
    clear_holder(state, one)
    player = seat_after(params, viewer, 1)
    give(state, player, two, num_held_by(state, two))
    give(state, player, two + three, num_empty(state, player))
    clear_holder(state, two)
    give(state, seat_after(params, viewer, 2), three, num_held_by(state, three))
    clear_holder(state, three)


# --- all cycles


@njit
def oldest_cycle(params, state, viewer, after):
    """Return the oldest cycle after `after` of a card in another player's hand; the present one if there is none."""
    oldest = np.int64(state.cycle)
    for player in range(params.num_players):
        for slot in range(state.hand_count[player]):
            cycle = np.int64(state.hand_cycle[player, slot])
            if player != viewer and after < cycle < oldest:
                oldest = cycle
    return oldest


@njit
def set_deck_aside(state, out):
    """Set the deck aside in a row of counts, or bring it back, by swapping the two."""
    for kind in range(NUM_CARDS):
        count = state.deck[kind]
        state.deck[kind] = out[kind]
        out[kind] = count


@njit
def sample_hidden(params, state, viewer):
    """Redeal the cards that `viewer` cannot see, clear forced results, and update the legal ids (TR-H2)."""
    clear_forced(state.script_dice, state.script_dice_end, state.script_dice_used)
    clear_forced(state.script_draws, state.script_draws_end, state.script_draws_used)
    deck_count = np.int64(state.deck_count)
    cycle = oldest_cycle(params, state, viewer, np.int64(-1))
    while cycle < state.cycle:
        # The deck serves as the pool; meanwhile its own cards wait in `state.pool`.
        set_deck_aside(state, state.pool)
        state.deck_count = 0
        collect(params, state, viewer, cycle)
        if is_any_excluded(params, state, viewer, cycle):
            deal_old(params, state, viewer, cycle)
        else:
            spread(params, state, viewer)
        set_deck_aside(state, state.pool)
        state.deck_count = deck_count
        cycle = oldest_cycle(params, state, viewer, cycle)
    collect(params, state, viewer, np.int64(state.cycle))
    spread(params, state, viewer)
    if is_over(state):
        clear_legal(state)
    else:
        refresh_legal(params, state)


@njit
def determinize_games(params, states, players, seeds):
    """Replace what each player does not know by a sample: `determinize_batch` of `Game`."""
    sample_worlds(sample_hidden, params, states, players, seeds)
