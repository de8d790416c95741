"""The battle board: units, dice and counters of both sides, and the skirmishes."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    FIRST_FACE,
    MAX_SKIRMISHES,
    NO_TERRITORY,
    NUM_CARDS,
    NUM_COUNTERS,
    NUM_FACES,
    NUM_UNITS,
)
from sackarmies_env.games.territories.state.forces import total


@njit
def player_of(state, side):
    """Return the seat of a side of the battle."""
    return np.int64(state.active) if side == ATTACKER else np.int64(state.defender)


@njit
def territory_of(state, side):
    """Return the territory that a side fights from."""
    return np.int64(state.source) if side == ATTACKER else np.int64(state.target)


@njit
def dice_of(params, units):
    """Return how many dice the units in a row of counts by type roll (TR-A3)."""
    count = np.int64(0)
    for unit in range(NUM_UNITS):
        count += np.int64(units[unit]) * np.int64(params.unit_dice[unit])
    return count


@njit
def num_dice(dice):
    """Return the number of dice in a row of counts by face."""
    count = np.int64(0)
    for place in range(NUM_FACES):
        count += np.int64(dice[place])
    return count


@njit
def sum_of_dice(dice):
    """Return the sum of the faces in a row of counts by face."""
    points = np.int64(0)
    for place in range(NUM_FACES):
        points += np.int64(dice[place]) * (place + FIRST_FACE)
    return points


@njit
def highest_die(dice):
    """Return the place (face - FIRST_FACE) of the highest die in a row of counts; there must be at least one die."""
    place = np.int64(NUM_FACES - 1)
    while dice[place] == 0:
        place -= 1
    return place


@njit
def move_to_board(state, side, unit, count):
    """Move units from a side's territory to the battle board."""
    state.territory_units[territory_of(state, side), unit] -= count
    state.board_units[side, unit] += count


@njit
def take_counters(params, state, side):
    """Put the counters that a side's units bring on the board (TR-A3)."""
    for unit in range(NUM_UNITS):
        bonus = np.int64(params.unit_counter[unit])
        if bonus > 0:
            state.board_counters[side, bonus - 1] += state.board_units[side, unit]


@njit
def remove_from_board(state, side, unit):
    """Move a unit from the board to its owner's garrison (TR-Q24)."""
    state.board_units[side, unit] -= 1
    state.garrison[player_of(state, side), unit] += 1


@njit
def return_from_board(state, side):
    """Return a side's units from the board to their territory."""
    territory = territory_of(state, side)
    for unit in range(NUM_UNITS):
        state.territory_units[territory, unit] += state.board_units[side, unit]
        state.board_units[side, unit] = 0


@njit
def destroy_on_board(state, side):
    """Move all of a side's units on the board to its garrison (TR-Q24)."""
    player = player_of(state, side)
    for unit in range(NUM_UNITS):
        state.garrison[player, unit] += state.board_units[side, unit]
        state.board_units[side, unit] = 0


@njit
def is_wiped_out(state, side):
    """Return whether a side has no units left on the board (TR-F1)."""
    return total(state.board_units[side]) == 0


@njit
def first_open_skirmish(state):
    """Return the first unresolved skirmish, or the number of skirmishes if all are resolved."""
    skirmish = np.int64(0)
    while skirmish < state.num_skirmishes and state.skirmish_over[skirmish] == 1:
        skirmish += 1
    return skirmish


@njit
def clear_board(state):
    """Clear everything but units from the battle board; played cards go to the discards."""
    for side in range(2):
        for kind in range(NUM_CARDS):
            state.discards[kind] += state.played[side, kind]
            state.played[side, kind] = 0
        for counter in range(NUM_COUNTERS):
            state.board_counters[side, counter] = 0
        for place in range(NUM_FACES):
            state.loose_dice[side, place] = 0
    for skirmish in range(min(np.int64(state.num_skirmishes), np.int64(MAX_SKIRMISHES))):
        for side in range(2):
            for place in range(NUM_FACES):
                state.skirmish_dice[skirmish, side, place] = 0
            state.skirmish_counters[skirmish, side] = 0
            state.skirmish_cards[skirmish, side] = 0
        state.skirmish_over[skirmish] = 0
    state.num_skirmishes = 0
    state.defender = NO_PLAYER
    state.source = NO_TERRITORY
    state.target = NO_TERRITORY
