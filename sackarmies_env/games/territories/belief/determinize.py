"""Sampling of states that are consistent with what a player knows: chapter 3.2 of the rules.

The cards in other players' hands and in the deck are hidden, but everybody knows which cycle of the deck each card in
a hand was drawn from (TR-H3). So the cards of a cycle that a player has not seen are spread over the other players'
slots of that cycle; what then remains of the present cycle is the deck.
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
