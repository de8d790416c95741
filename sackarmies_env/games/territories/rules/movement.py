"""Free moves (TR-G1, TR-DP17) and the occupation of a conquered territory (TR-F4, TR-DP16)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.flow import ask, clear_chain, extend_chain, get_data, pop_frame, push_frame, set_data
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.territories.rules.quantities import offer_quantities, offer_units, quantity_of
from sackarmies_env.games.territories.state.actions import DONE, FIRST_CARD, FIRST_TERRITORY, FIRST_UNIT
from sackarmies_env.games.territories.state.cards import discard_card
from sackarmies_env.games.territories.state.constants import (
    MAX_TERRITORIES,
    NO_TERRITORY,
    NUM_CARDS,
    Decision,
    Effect,
    Event,
    Frame,
)
from sackarmies_env.games.territories.state.events import log, log_at
from sackarmies_env.games.territories.state.forces import can_move_from, total, update_control

IN_STEP_4, MOVED = 0, 1  # indices into the frame's numbers: 1 in step 4; units moved so far
FREE_MOVES = 1  # index into the numbers of the turn's frame below it: free moves left in step 4


@njit
def can_move(params, state):
    """Return whether the active player can make a free move."""
    for territory in range(MAX_TERRITORIES):
        if can_move_from(params, state, territory, state.active):
            return True
    return False


@njit
def open_free_move(state, in_step_4):
    """Begin a free move: at once as a standard action, or in step 4 (TR-Q4, TR-T5)."""
    push_frame(state, Frame.MOVE, 0)
    set_data(state, IN_STEP_4, in_step_4)


@njit
def open_occupation(state, source, target):
    """Begin the occupation of a target by the winner of an attack (TR-F4, TR-DP16)."""
    push_frame(state, Frame.MOVE, 0)
    state.source = source
    state.target = target


@njit
def close_move(state):
    """End a move; a source without units becomes uncontrolled (TR-Q22, TR-EV18, TR-EV19)."""
    moved = get_data(state, MOVED)
    if moved > 0:
        log_at(state, Event.MOVE, state.active, state.target, moved)
        update_control(state, state.source)
    state.source = NO_TERRITORY
    state.target = NO_TERRITORY
    pop_frame(state)


@njit
def run_move(state):
    """Ask for the source, or for units to move until the source is empty."""
    if state.source == NO_TERRITORY:
        ask(state, state.active, Decision.MOVE_SOURCE)
    elif total(state.territory_units[state.source]) > 0:
        ask(state, state.active, Decision.MOVE_UNIT)
    else:
        close_move(state)


@njit
def offer_move_source(params, state):
    """Offer the sources of a free move, DONE to make none, and in step 4 cards that grant one more (TR-DP17)."""
    allow(state, DONE)
    for territory in range(MAX_TERRITORIES):
        if can_move_from(params, state, territory, state.active):
            allow(state, FIRST_TERRITORY + territory)
    if get_data(state, IN_STEP_4) == 1:
        offer_cards_with(params, state, Effect.FREE_MOVE)


@njit
def offer_cards_with(params, state, effect):
    """Offer the cards in the current player's hand that have `effect` (TR-Q6)."""
    player = np.int64(state.current_player)
    for slot in range(state.hand_count[player]):
        kind = np.int64(state.hand[player, slot])
        if params.card_effect[kind] == effect:
            allow(state, FIRST_CARD + kind)


@njit
def apply_move_source(state, action):
    """Record the source, make no move, or play a card for one more, counted in the frame below (TR-Card-8)."""
    if action == DONE:
        pop_frame(state)
    elif FIRST_CARD <= action < FIRST_CARD + NUM_CARDS:
        discard_card(state, np.int64(state.active), action - FIRST_CARD)
        log(state, Event.CARD, state.active, action - FIRST_CARD)
        state.frame_data[state.frame_top - 1, FREE_MOVES] += 1
    else:
        state.source = action - FIRST_TERRITORY
        state.decision = Decision.MOVE_TARGET


@njit
def offer_move_target(params, state):
    """Offer the neighbors of the source that the active player controls (TR-G1)."""
    for border in range(params.neighbors.shape[1]):
        neighbor = np.int64(params.neighbors[state.source, border])
        if neighbor != NO_TERRITORY and state.territory_owner[neighbor] == state.active:
            allow(state, FIRST_TERRITORY + neighbor)


@njit
def apply_move_target(state, action):
    """Record the target."""
    state.target = action - FIRST_TERRITORY


@njit
def offer_move_unit(state):
    """Offer the unit types in the source, and DONE to end the move."""
    allow(state, DONE)
    offer_units(state, state.territory_units[state.source])


@njit
def apply_move_unit(state, action):
    """Record the unit type, or end the move."""
    if action == DONE:
        close_move(state)
    else:
        extend_chain(state, action - FIRST_UNIT)
        state.decision = Decision.MOVE_QUANTITY


@njit
def offer_move_quantity(state):
    """Offer the numbers of units of the named type that can move."""
    offer_quantities(state, state.territory_units[state.source, np.int64(state.chain[0])])


@njit
def apply_move_quantity(state, action):
    """Move units of the named type; the active player then controls the target (TR-F4, TR-Q41)."""
    unit = np.int64(state.chain[0])
    clear_chain(state)
    count = quantity_of(action, state.territory_units[state.source, unit])
    state.territory_units[state.source, unit] -= count
    state.territory_units[state.target, unit] += count
    state.territory_owner[state.target] = state.active
    set_data(state, MOVED, get_data(state, MOVED) + count)
