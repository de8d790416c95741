"""Sampled states that are possible for all that a player knows: chapter 3.2 of the rules.

Hidden are the cards in the hands of others and in the deck. What all know of a card in hand is the cycle of the deck
that it was drawn from (TR-H3): the cards of one cycle that a player has not seen are spread over the slots of that
cycle, and the rest of the present cycle is the deck.
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


@njit
def collect(params, state, viewer, cycle):
    """Put the cards of a cycle that others hold into the deck, which is used as the pool, and empty their slots."""
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
    """Fill the empty slots of others from the pool, each card equally likely (TR-H3)."""
    for player in range(params.num_players):
        for slot in range(state.hand_count[player]):
            if player != viewer and state.hand[player, slot] == NO_CARD:
                kind = kind_at(state.deck, below(next_draw_word(state), state.deck_count))
                state.deck[kind] -= 1
                state.deck_count -= 1
                state.hand[player, slot] = kind


@njit
def oldest_cycle(params, state, viewer, after):
    """Return the oldest cycle later than `after` that a card in the hand of another comes from, at most the present."""
    oldest = np.int64(state.cycle)
    for player in range(params.num_players):
        for slot in range(state.hand_count[player]):
            cycle = np.int64(state.hand_cycle[player, slot])
            if player != viewer and after < cycle < oldest:
                oldest = cycle
    return oldest


@njit
def set_deck_aside(state, out):
    """Move the deck into a row of counts, or back: exchange the two."""
    for kind in range(NUM_CARDS):
        count = state.deck[kind]
        state.deck[kind] = out[kind]
        out[kind] = count


@njit
def sample_hidden(params, state, viewer):
    """Deal the cards anew that `viewer` cannot see; legal ids of others follow from them (TR-H2)."""
    clear_forced(state.script_dice, state.script_dice_end, state.script_dice_used)
    clear_forced(state.script_draws, state.script_draws_end, state.script_draws_used)
    deck_count = np.int64(state.deck_count)
    cycle = oldest_cycle(params, state, viewer, np.int64(-1))
    while cycle < state.cycle:
        # The deck serves as the pool, and its own cards wait in scratch.
        set_deck_aside(state, state.pool)
        state.deck_count = 0
        collect(params, state, viewer, cycle)
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
    """Make worlds that players may believe in, as `Game` says."""
    sample_worlds(sample_hidden, params, states, players, seeds)
