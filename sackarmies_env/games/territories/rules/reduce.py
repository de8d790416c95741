"""Reduction of cards and discard penalties: TR-G2, TR-DP18, TR-DP19."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.flow import ask, get_data, set_data, set_step
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.territories.rules.victory import eliminate_landless
from sackarmies_env.games.territories.state.actions import FIRST_CARD, FIRST_TERRITORY
from sackarmies_env.games.territories.state.cards import discard_card
from sackarmies_env.games.territories.state.constants import (
    MAX_TERRITORIES,
    Decision,
    TurnStep,
    Unit,
)
from sackarmies_env.games.territories.state.events import log_discard, log_loss_at
from sackarmies_env.games.territories.state.forces import (
    num_controlled,
    remove_from_territory,
    units_on_map,
    update_control,
)

PENALTY_LEFT = 3  # index into the numbers of the turn's frame: troops that a discard still costs


@njit
def run_reduction(state):
    """Ask for a discard while the active player has more cards than territories (TR-G2)."""
    player = np.int64(state.active)
    if state.hand_count[player] > num_controlled(state, player):
        ask(state, player, Decision.REDUCE)
    else:
        set_step(state, TurnStep.END)


@njit
def offer_reduction(state):
    """Offer the kinds in hand (TR-DP18)."""
    player = np.int64(state.active)
    for slot in range(state.hand_count[player]):
        allow(state, FIRST_CARD + np.int64(state.hand[player, slot]))


@njit
def apply_reduction(params, state, action):
    """Discard a card; its penalty falls due (TR-G2, TR-Q29, TR-EV20, TR-Card-12, TR-Q46)."""
    player, kind = np.int64(state.active), action - FIRST_CARD
    discard_card(state, player, kind)
    log_discard(state, player, kind)
    due = min(np.int64(params.card_penalty[kind]), units_on_map(state, player, Unit.TROOP))
    if due > 0:
        set_data(state, PENALTY_LEFT, due)
        set_step(state, TurnStep.PENALTY)


@njit
def run_penalty(params, state):
    """Ask for the troops that a discard costs, one by one; a player left without territory is out (TR-Q23, TR-Q29)."""
    if get_data(state, PENALTY_LEFT) > 0:
        ask(state, state.active, Decision.PENALTY)
        return
    set_step(state, TurnStep.REDUCE)
    eliminate_landless(params, state)


@njit
def offer_penalty(state):
    """Offer the active player's territories that hold a troop (TR-DP19)."""
    for territory in range(MAX_TERRITORIES):
        if state.territory_owner[territory] == state.active and state.territory_units[territory, Unit.TROOP] > 0:
            allow(state, FIRST_TERRITORY + territory)


@njit
def apply_penalty(state, action):
    """Remove a troop from a territory (TR-DP19)."""
    territory = action - FIRST_TERRITORY
    remove_from_territory(state, territory, Unit.TROOP)
    update_control(state, territory)
    set_data(state, PENALTY_LEFT, get_data(state, PENALTY_LEFT) - 1)
    log_loss_at(state, state.active, territory, Unit.TROOP)
