"""Hands, the deck and the discards: a hand is a row of slots in the order of drawing (TR-H3)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.games.territories.state.chance import take_from_deck
from sackarmies_env.games.territories.state.constants import NO_CARD, NUM_CARDS, Event
from sackarmies_env.games.territories.state.events import log, log_discard


@njit
def can_draw(state):
    """Return whether there is a card to draw, in the deck or among the discards."""
    if state.deck_count > 0:
        return True
    for kind in range(NUM_CARDS):
        if state.discards[kind] > 0:
            return True
    return False


@njit
def reshuffle(state):
    """Turn the discards into the deck and begin a new cycle (TR-H3, TR-EV5)."""
    for kind in range(NUM_CARDS):
        state.deck[kind] = state.discards[kind]
        state.deck_count += state.discards[kind]
        state.discards[kind] = 0
    state.cycle += 1
    log(state, Event.RESHUFFLE, state.active, state.deck_count)


@njit
def draw_card(state, player):
    """Draw one card into a player's hand; an empty deck is reshuffled first (TR-T4, TR-EV4, TR-H3)."""
    if state.deck_count == 0:
        reshuffle(state)
    slot = np.int64(state.hand_count[player])
    state.hand[player, slot] = take_from_deck(state, player)
    state.hand_cycle[player, slot] = state.cycle
    state.hand_count[player] = slot + 1
    log(state, Event.DRAW, player, slot + 1)


@njit
def take_from_hand(state, player, kind):
    """Remove the oldest card of a kind from a hand; cards drawn after it move up (TR-H3).

    Everybody sees the cycle that it was drawn from, and so learns that no card of an older cycle is of this kind.
    """
    last = np.int64(state.hand_count[player]) - 1
    slot = np.int64(0)
    while state.hand[player, slot] != kind:
        slot += 1
    state.taken_cycle[player, kind] = state.hand_cycle[player, slot]
    for later in range(slot, last):
        state.hand[player, later] = state.hand[player, later + 1]
        state.hand_cycle[player, later] = state.hand_cycle[player, later + 1]
    state.hand[player, last] = NO_CARD
    state.hand_cycle[player, last] = 0
    state.hand_count[player] = last


@njit
def count_in_hand(state, player, kind):
    """Return how many cards of a kind a player holds."""
    count = np.int64(0)
    for slot in range(state.hand_count[player]):
        count += np.int64(state.hand[player, slot] == kind)
    return count


@njit
def discard_card(state, player, kind):
    """Move a card from a hand to the discards."""
    take_from_hand(state, player, kind)
    state.discards[kind] += 1


@njit
def discard_hand(state, player):
    """Discard a player's hand openly, cards of the same kind together (TR-G4)."""
    while state.hand_count[player] > 0:
        kind = np.int64(state.hand[player, 0])
        for _ in range(count_in_hand(state, player, kind)):
            discard_card(state, player, kind)
            log_discard(state, player, kind)
