"""Units on the map, on the battle board and in garrisons, and who controls what."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.territories.state.constants import ATTACKER, DEFENDER, NO_TERRITORY, NUM_UNITS, Unit


@njit
def total(units):
    """Return the number of units in a row of counts by type."""
    count = np.int64(0)
    for unit in range(NUM_UNITS):
        count += np.int64(units[unit])
    return count


@njit
def num_types(units):
    """Return the number of unit types present in a row of counts by type."""
    count = np.int64(0)
    for unit in range(NUM_UNITS):
        count += np.int64(units[unit] > 0)
    return count


@njit
def num_controlled(state, player):
    """Return how many territories a player controls."""
    count = np.int64(0)
    for territory in range(len(state.territory_owner)):
        count += np.int64(state.territory_owner[territory] == player)
    return count


@njit
def update_control(state, territory):
    """Make a territory uncontrolled if it has no units (TR-G3, TR-Q7)."""
    if total(state.territory_units[territory]) == 0:
        state.territory_owner[territory] = NO_PLAYER


@njit
def place_troops(state, player, territory, count):
    """Move troops from a player's garrison to one of their territories."""
    state.garrison[player, Unit.TROOP] -= count
    state.territory_units[territory, Unit.TROOP] += count


@njit
def remove_from_territory(state, territory, unit):
    """Move a unit from a territory to its owner's garrison; control does not change for now (TR-Q24)."""
    state.territory_units[territory, unit] -= 1
    state.garrison[np.int64(state.territory_owner[territory]), unit] += 1


@njit
def clear_territory(state, territory):
    """Move all units of a territory to the garrison of its owner, who loses control of it (TR-Q24)."""
    owner = np.int64(state.territory_owner[territory])
    for unit in range(NUM_UNITS):
        state.garrison[owner, unit] += state.territory_units[territory, unit]
        state.territory_units[territory, unit] = 0
    state.territory_owner[territory] = NO_PLAYER


@njit
def units_on_map(state, player, unit):
    """Return how many units of a type a player has on the map."""
    count = np.int64(0)
    for territory in range(len(state.territory_owner)):
        if state.territory_owner[territory] == player:
            count += np.int64(state.territory_units[territory, unit])
    return count


@njit
def value_on_map(params, state, player):
    """Return the exchange value of a player's units on the map, including those on the battle board (TR-G7)."""
    value = np.int64(0)
    for unit in range(NUM_UNITS):
        count = units_on_map(state, player, unit)
        if state.active == player:
            count += np.int64(state.board_units[ATTACKER, unit])
        if state.defender == player:
            count += np.int64(state.board_units[DEFENDER, unit])
        value += np.int64(params.unit_value[unit]) * count
    return value


@njit
def can_move_from(params, state, territory, player):
    """Return whether a free move can begin in a territory (TR-G1)."""
    if state.territory_owner[territory] != player:
        return False
    for border in range(params.neighbors.shape[1]):
        neighbor = np.int64(params.neighbors[territory, border])
        if neighbor != NO_TERRITORY and state.territory_owner[neighbor] == player:
            return True
    return False
