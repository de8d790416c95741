"""Counters and cards in a battle: TR-D1, TR-D2, TR-DP12, TR-DP13.

Attacker and defender do the same, each in separate stages; `side` says whose stage it is.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.flow import ask, clear_chain, extend_chain, set_step
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.territories.state.actions import DONE, FIRST_CARD, FIRST_COUNTER, FIRST_SKIRMISH
from sackarmies_env.games.territories.state.battle import player_of
from sackarmies_env.games.territories.state.cards import take_from_hand
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    DEFENDER,
    FIRST_FACE,
    NUM_COUNTERS,
    Decision,
    Effect,
    Event,
    Stage,
)
from sackarmies_env.games.territories.state.events import log


@njit
def assigning_side(state):
    """Return the side that assigns counters or plays cards at the current stage."""
    return ATTACKER if state.frame_step[state.frame_top] < Stage.DEFENSE_COUNTERS else DEFENDER


@njit
def has_counters(state, side):
    """Return whether a side has unassigned counters."""
    for counter in range(NUM_COUNTERS):
        if state.board_counters[side, counter] > 0:
            return True
    return False


@njit
def run_counters(state):
    """Ask for counters until all are assigned; they are void without a skirmish (TR-D1, TR-Q37, TR-D2)."""
    side = assigning_side(state)
    if state.num_skirmishes > 0 and has_counters(state, side):
        ask(state, player_of(state, side), Decision.COUNTER)
    else:
        set_step(state, state.frame_step[state.frame_top] + 1)


@njit
def offer_counter(state):
    """Offer the unassigned counters, all of which must be assigned (TR-DP12)."""
    side = assigning_side(state)
    for counter in range(NUM_COUNTERS):
        if state.board_counters[side, counter] > 0:
            allow(state, FIRST_COUNTER + counter)


@njit
def apply_counter(state, action):
    """Record the counter (TR-DP12)."""
    extend_chain(state, action - FIRST_COUNTER)
    state.decision = Decision.COUNTER_SKIRMISH


@njit
def apply_counter_skirmish(state, action):
    """Assign the named counter to a skirmish (TR-D1)."""
    side, counter = assigning_side(state), np.int64(state.chain[0])
    clear_chain(state)
    state.board_counters[side, counter] -= 1
    state.skirmish_counters[action - FIRST_SKIRMISH, side] += counter + 1


# --- cards


@njit
def run_cards(state):
    """Ask for cards until the side passes; an empty hand, which is public, counts as a pass (TR-D1, TR-Q33, TR-D2)."""
    side = assigning_side(state)
    player = player_of(state, side)
    if state.num_skirmishes > 0 and state.hand_count[player] > 0:
        ask(state, player, Decision.CARD)
    else:
        end_cards(state)


@njit
def end_cards(state):
    """End a side's play of cards, and log a pass if there are skirmishes (TR-EV15)."""
    if state.num_skirmishes > 0:
        log(state, Event.PASS, player_of(state, assigning_side(state)), 0)
    set_step(state, state.frame_step[state.frame_top] + 1)


@njit
def is_for_skirmish(effect):
    """Return whether a card with this effect counts in one skirmish only."""
    return effect == Effect.SKIRMISH_BONUS or effect == Effect.ENEMY_PENALTY or effect == Effect.EXTRA_DIE


@njit
def is_playable(effect, side):
    """Return whether a side can play a card with this effect in battle (TR-D1, TR-D2, TR-Card-6)."""
    if effect == Effect.LEVEL_GROUND:
        return side == DEFENDER
    return effect == Effect.BATTLE_BONUS or is_for_skirmish(effect)


@njit
def offer_card(params, state):
    """Offer the playable cards, and DONE to pass (TR-DP13)."""
    allow(state, DONE)
    side, player = assigning_side(state), np.int64(state.current_player)
    for slot in range(state.hand_count[player]):
        kind = np.int64(state.hand[player, slot])
        if is_playable(params.card_effect[kind], side):
            allow(state, FIRST_CARD + kind)


@njit
def apply_card(params, state, action):
    """Play a card, or pass (TR-D1, TR-Q48, TR-EV14)."""
    if action == DONE:
        end_cards(state)
        return
    side, kind = assigning_side(state), action - FIRST_CARD
    player = player_of(state, side)
    take_from_hand(state, player, kind)
    state.played[side, kind] += 1
    log(state, Event.CARD, player, kind)
    if is_for_skirmish(params.card_effect[kind]):
        extend_chain(state, kind)
        state.decision = Decision.CARD_SKIRMISH


@njit
def apply_card_skirmish(params, state, action):
    """Apply the played card to a skirmish (TR-D1, TR-Card-1, TR-Card-2, TR-Card-5, TR-Card-11)."""
    side, kind, skirmish = assigning_side(state), np.int64(state.chain[0]), action - FIRST_SKIRMISH
    clear_chain(state)
    effect, amount = params.card_effect[kind], np.int64(params.card_amount[kind])
    if effect == Effect.SKIRMISH_BONUS:
        state.skirmish_cards[skirmish, side] += amount
    elif effect == Effect.ENEMY_PENALTY:
        state.skirmish_cards[skirmish, 1 - side] -= amount
    else:
        state.skirmish_dice[skirmish, side, amount - FIRST_FACE] += 1
