"""Chance: dice, and the deck, which has no order until a card is drawn."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.chance import NO_RESULT, next_forced
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import below, next_draw_word, next_flip_word
from sackarmies_env.games.territories.state.constants import DIE_FACES, NUM_CARDS


@njit
def roll_die(state):
    """Return the face of a die, 1 to 6: the next forced face if there is one, else a random one."""
    face = next_forced(state.script_dice, state.script_dice_end, state.script_dice_used, 0)
    return 1 + below(next_flip_word(state), DIE_FACES) if face == NO_RESULT else face


@njit
def kind_at(counts, index):
    """Return the kind of the card at an index of a pile, sorted by kind and given as counts by kind."""
    kind = np.int64(0)
    left = np.int64(index)
    while kind < NUM_CARDS - 1 and left >= counts[kind]:
        left -= counts[kind]
        kind += 1
    return kind


@njit
def take_from_deck(state, player):
    """Take a card from the deck, which must not be empty, and return its kind (TR-Q49).

    It is the next kind forced for `player` if the deck has it, else a random card.
    """
    kind = next_forced(state.script_draws, state.script_draws_end, state.script_draws_used, player)
    if kind == NO_RESULT or state.deck[kind] == 0:
        kind = kind_at(state.deck, below(next_draw_word(state), state.deck_count))
    state.deck[kind] -= 1
    state.deck_count -= 1
    return kind
