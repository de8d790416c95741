"""Reinforcement (TR-T3, TR-DP3) and troops placed by a card (TR-DP4)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.flow import ask, clear_chain, extend_chain, get_data, pop_frame, push_frame, set_data
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.territories.rules.quantities import offer_quantities, quantity_of
from sackarmies_env.games.territories.state.actions import DONE, FIRST_TERRITORY
from sackarmies_env.games.territories.state.chance import roll_die
from sackarmies_env.games.territories.state.constants import MAX_TERRITORIES, Decision, Event, Frame, Unit
from sackarmies_env.games.territories.state.events import log, log_at
from sackarmies_env.games.territories.state.forces import num_controlled, place_troops


@njit
def offer_own_territories(state):
    """Offer all territories that the current player controls."""
    for territory in range(MAX_TERRITORIES):
        if state.territory_owner[territory] == state.current_player:
            allow(state, FIRST_TERRITORY + territory)


@njit
def open_reinforcement(state):
    """Roll a die for each territory of the active player; the total is how many troops to place (TR-T3, TR-EV3)."""
    troops = np.int64(0)
    for _ in range(num_controlled(state, state.active)):
        troops += roll_die(state)
    log(state, Event.REINFORCEMENT, state.active, troops)
    push_frame(state, Frame.REINFORCE, 0)
    set_data(state, 0, troops)


@njit
def troops_to_place(state):
    """Return how many troops can still be placed; what the garrison lacks is lost (TR-T3)."""
    return min(get_data(state, 0), np.int64(state.garrison[np.int64(state.active), Unit.TROOP]))


@njit
def run_reinforcement(state):
    """Ask where troops go until all are placed (TR-Q40)."""
    if troops_to_place(state) == 0:
        pop_frame(state)
    else:
        ask(state, state.active, Decision.REINFORCE)


@njit
def offer_reinforcement(state):
    """Offer own territories, and DONE to place no more and lose the rest (TR-DP3)."""
    allow(state, DONE)
    offer_own_territories(state)


@njit
def apply_reinforcement(state, action):
    """Record the territory, or place no more (TR-DP3)."""
    if action == DONE:
        pop_frame(state)
    else:
        extend_chain(state, action - FIRST_TERRITORY)
        state.decision = Decision.REINFORCE_QUANTITY


@njit
def offer_reinforcement_quantity(state):
    """Offer the numbers of troops that can be placed there."""
    offer_quantities(state, troops_to_place(state))


@njit
def apply_reinforcement_quantity(state, action):
    """Place troops in the named territory (TR-DP3, TR-EV3)."""
    territory = np.int64(state.chain[0])
    count = quantity_of(action, troops_to_place(state))
    clear_chain(state)
    place_troops(state, np.int64(state.active), territory, count)
    set_data(state, 0, get_data(state, 0) - count)
    log_at(state, Event.PLACEMENT, state.active, territory, count)


@njit
def apply_card_placement(state, action):
    """Place the number of troops in the chain, limited by the garrison, in a territory (TR-DP4, TR-Card-7)."""
    player = np.int64(state.active)
    count = min(np.int64(state.chain[0]), np.int64(state.garrison[player, Unit.TROOP]))
    clear_chain(state)
    place_troops(state, player, action - FIRST_TERRITORY, count)
    log_at(state, Event.PLACEMENT, player, action - FIRST_TERRITORY, count)
