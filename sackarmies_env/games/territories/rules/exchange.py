"""Exchanges: TR-X1 to TR-X3, TR-DP5."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.flow import ask, pop_frame, push_frame, set_data
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.territories.state.actions import DONE, FIRST_TERRITORY, FIRST_UNIT
from sackarmies_env.games.territories.state.constants import (
    MAX_TERRITORIES,
    NO_UNIT,
    NUM_UNITS,
    Decision,
    Event,
    Frame,
)
from sackarmies_env.games.territories.state.events import log_at

IN_STEP_2 = 0  # index into the frame's numbers: 1 in step 2


@njit
def price(params, traded_in, traded_out):
    """Return how many units of the in-type cover one unit of the out-type; surplus is lost (TR-X3, TR-Q1, TR-Q2)."""
    value = np.int64(params.unit_value[traded_in])
    return (np.int64(params.unit_value[traded_out]) + value - 1) // value


@njit
def can_exchange_in(params, state, territory, traded_in, traded_out):
    """Return whether one exchange is possible in a territory, with all its units from there (TR-X2)."""
    return (
        state.territory_owner[territory] == state.active
        and state.garrison[np.int64(state.active), traded_out] > 0
        and state.territory_units[territory, traded_in] >= price(params, traded_in, traded_out)
    )


@njit
def can_exchange(params, state, traded_in, traded_out):
    """Return whether a pair of types, which must differ, can be exchanged anywhere (TR-Q31)."""
    if traded_in == traded_out:
        return False
    for territory in range(MAX_TERRITORIES):
        if can_exchange_in(params, state, territory, traded_in, traded_out):
            return True
    return False


@njit
def can_trade_in(params, state, traded_in):
    """Return whether a type can be traded in for any other."""
    for traded_out in range(NUM_UNITS):
        if can_exchange(params, state, traded_in, traded_out):
            return True
    return False


@njit
def can_exchange_at_all(params, state):
    """Return whether an exchange step has anything to offer; a pair may bind the whole turn (TR-X1)."""
    if state.traded_in != NO_UNIT:
        return can_exchange(params, state, state.traded_in, state.traded_out)
    for traded_in in range(NUM_UNITS):
        if can_trade_in(params, state, traded_in):
            return True
    return False


@njit
def open_exchange(state, in_step_2):
    """Begin an exchange step: that of step 2, or one made at once as a standard action (TR-T6)."""
    push_frame(state, Frame.EXCHANGE, 0)
    set_data(state, IN_STEP_2, in_step_2)


@njit
def close_exchange(params, state):
    """End an exchange step; the next one has its own pair unless one pair binds the turn (TR-Q3, TR-X1)."""
    if params.pair_per_turn == 0:
        state.traded_in = NO_UNIT
        state.traded_out = NO_UNIT
    pop_frame(state)


@njit
def run_exchange(params, state):
    """Ask for the pair, then for one exchange after another while any is possible (TR-Q42)."""
    if not can_exchange_at_all(params, state):
        close_exchange(params, state)
    elif state.traded_in == NO_UNIT:
        ask(state, state.active, Decision.TRADE_IN)
    else:
        ask(state, state.active, Decision.EXCHANGE)


@njit
def offer_trade_in(params, state):
    """Offer the types that can be traded in, and DONE to end the step (TR-DP5)."""
    allow(state, DONE)
    for traded_in in range(NUM_UNITS):
        if can_trade_in(params, state, traded_in):
            allow(state, FIRST_UNIT + traded_in)


@njit
def offer_trade_out(params, state):
    """Offer the types that the in-type can be traded for (TR-DP5)."""
    for traded_out in range(NUM_UNITS):
        if can_exchange(params, state, state.traded_in, traded_out):
            allow(state, FIRST_UNIT + traded_out)


@njit
def offer_exchange(params, state):
    """Offer the territories where the pair can be exchanged, and DONE to end the step (TR-DP5)."""
    allow(state, DONE)
    for territory in range(MAX_TERRITORIES):
        if can_exchange_in(params, state, territory, state.traded_in, state.traded_out):
            allow(state, FIRST_TERRITORY + territory)


@njit
def apply_trade_in(params, state, action):
    """Record the in-type, or end the step."""
    if action == DONE:
        close_exchange(params, state)
    else:
        state.traded_in = action - FIRST_UNIT
        state.decision = Decision.TRADE_OUT


@njit
def apply_exchange(params, state, action):
    """Trade units of a territory for one unit of the out-type there, or end the step (TR-X2, TR-EV6)."""
    if action == DONE:
        close_exchange(params, state)
        return
    player, territory = np.int64(state.active), action - FIRST_TERRITORY
    count = price(params, state.traded_in, state.traded_out)
    state.territory_units[territory, state.traded_in] -= count
    state.garrison[player, state.traded_in] += count
    state.territory_units[territory, state.traded_out] += 1
    state.garrison[player, state.traded_out] -= 1
    log_at(state, Event.EXCHANGE, player, territory, state.traded_in * NUM_UNITS + state.traded_out)
