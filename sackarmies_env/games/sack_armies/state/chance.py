"""Flips and draws: the only chance in the game (sections 3.1 and 7.1)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import nth_bit
from sackarmies_env.core.chance import NO_RESULT, next_forced
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import below, next_draw_word, next_flip_word
from sackarmies_env.core.state import ERROR_SCRIPT_EXHAUSTED
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Event, FlipMethod, Zone
from sackarmies_env.games.sack_armies.state.events import log_event
from sackarmies_env.games.sack_armies.state.transfer import to_hand
from sackarmies_env.games.sack_armies.state.zones import find_in_zone, first_token, tokens_in

CARDS_OF_A_COLOR = 26
JOKERS = 2
DIE_SIDES = 6


@njit
def shuffle_deck(params, state):
    """Start a fresh deck: 26 red, 26 black, and two jokers in the variant (R7.1-7, R7.1-8)."""
    state.deck_red = CARDS_OF_A_COLOR
    state.deck_black = CARDS_OF_A_COLOR
    state.deck_jokers = JOKERS if params.flip_method == FlipMethod.DECK_JOKERS else 0


@njit
def flip_card(params, state):
    """Turn over the top card: 1 for red, 0 for black; a joker reshuffles the deck and is no result (R7.1-6, Q-68)."""
    while True:
        left = state.deck_red + state.deck_black + state.deck_jokers
        if left == 0:
            shuffle_deck(params, state)
            left = state.deck_red + state.deck_black + state.deck_jokers
        card = below(next_flip_word(state), left)
        if card < state.deck_red:
            state.deck_red -= 1
            return 1
        if card < state.deck_red + state.deck_black:
            state.deck_black -= 1
            return 0
        shuffle_deck(params, state)


@njit
def flip_by_method(params, state):
    """Return 1 for success and 0 for failure by the agreed method (R7.1-4, R7.1-5, C-flip_method)."""
    forced = next_forced(state.script_flips, state.script_flips_end, state.script_flips_used, 0)
    if forced != NO_RESULT:
        return forced
    method = params.flip_method
    if method == FlipMethod.COIN:
        return np.int64(next_flip_word(state) & np.uint64(1))
    if method == FlipMethod.DIE:
        return np.int64((below(next_flip_word(state), DIE_SIDES) + 1) % 2 == 0)
    if method == FlipMethod.SCRIPTED:
        state.error = ERROR_SCRIPT_EXHAUSTED
        return np.int64(0)
    return np.int64(flip_card(params, state))


@njit
def flip(params, state, player):
    """Flip once for `player`, in public: 1 heads, success; 0 tails, failure (R8.4-1, R8.4.1-6, RB-8)."""
    result = flip_by_method(params, state)
    log_event(params, state, Event.FLIP, player, -1, result)
    return result


@njit
def flip_progressive(params, state, player):
    """Flip until the first failure and return the successes before it, capped (R8.4.1-7, Q-72, C-max_progressive)."""
    successes = 0
    while successes < params.max_progressive and flip(params, state, player) == 1:
        successes += 1
    return successes


@njit
def nth_token_in_sack(params, state, player, n):
    """Return the n-th token of `player`'s sack, by row."""
    return first_token(params, player) + nth_bit(tokens_in(state, player, Zone.SACK), n)


@njit
def forced_draw(params, state, player):
    """Return the token that the script of `player` draws next, or NO_TOKEN if chance decides.

    A forced draw that is not in the sack is used up; it may be in another pile by then, so it is no fault.
    """
    wanted = next_forced(state.script_draws, state.script_draws_end, state.script_draws_used, player)
    if wanted == NO_RESULT:
        return np.int64(NO_TOKEN)
    return find_in_zone(params, state, player, Zone.SACK, wanted)


@njit
def draw_from_sack(params, state, player):
    """Draw one token at random, without replacement, into the hand (R3.1-2)."""
    token = forced_draw(params, state, player)
    if token == NO_TOKEN:
        chosen = below(next_draw_word(state), np.int64(state.sack_count[player]))
        token = nth_token_in_sack(params, state, player, chosen)
    to_hand(params, state, token)


@njit
def draw_tokens(params, state, player, count):
    """Draw `count` tokens, or all that are left if fewer (R8.1-3)."""
    drawn = 0
    while drawn < count and state.sack_count[player] > 0:
        draw_from_sack(params, state, player)
        drawn += 1
    if drawn < count:
        state.sack_emptied[player] = 1
    log_event(params, state, Event.DRAW, player, -1, drawn)
