"""What an evaluation of Sack Armies looks at: numbers of each General, from the whole state."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.rules.stats import distance
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Ability, Kind, Zone
from sackarmies_env.games.sack_armies.state.zones import (
    controller_of,
    fields_of,
    first_token,
    hex_of,
    is_face_up,
    tokens_in,
    type_of,
    unit_at,
)

# Columns of a General's numbers; REACHES: battlefields with a unit within so many hexes.
REACHES = 4
(
    ALIVE,
    ACTIVE,
    KEPT,
    TAKEN,
    GARRISONED,
    UNITS,
    RANKS,
    MOVEMENT,
    DAMAGE,
    ARMOR,
    FACE_UP,
    RANGED,
    HAND_UNITS,
    HAND_RANKS,
    HAND_OTHERS,
    SACK_UNITS,
    SACK_RANKS,
    SACK_OTHERS,
    ATTACHED,
    CLASHES,
    FAVORABLE,
) = range(21)
THREATENED = 21  # and REACHES - 1 more: battlefields that it controls, by the nearest enemy unit
RAIDED = THREATENED + REACHES  # battlefields of others, by the nearest own unit
WIDTH = RAIDED + REACHES
FAR = 99


@njit
def count_zone(params, state, player, zone, row, units):
    """Add the tokens of a General in a zone: units, their ranks, others, in three columns from `units` on."""
    rest = tokens_in(state, player, zone)
    start = first_token(params, player)
    while rest != NO_BITS:
        token_type = type_of(state, start + lowest_bit(rest))
        rest = without_lowest(rest)
        if params.type_kind[token_type] == Kind.UNIT:
            row[units] += 1.0
            row[units + 1] += params.type_rank[token_type]
        else:
            row[units + 2] += 1.0


@njit
def nearest_unit(params, state, cell, player, own):
    """Return the distance from `cell` to the nearest unit that `player` commands, or that anybody else does."""
    best = np.int64(FAR)
    for owner in range(params.num_generals):
        rest = np.uint64(state.units[owner])
        start = first_token(params, owner)
        while rest != NO_BITS:
            unit = start + lowest_bit(rest)
            rest = without_lowest(rest)
            if (controller_of(state, unit) == player) == own:
                best = min(best, distance(params, cell, hex_of(state, unit)))
    return best


@njit
def count_reach(row, column, gap):
    """Count a battlefield by how far a unit is from it."""
    for reach in range(REACHES):
        if gap <= reach + 1:
            row[column + reach] += 1.0


@njit
def read_units(params, state, features):
    """Add what units on the battleground are to those who command them."""
    for owner in range(params.num_generals):
        rest = np.uint64(state.units[owner])
        start = first_token(params, owner)
        while rest != NO_BITS:
            unit = start + lowest_bit(rest)
            rest = without_lowest(rest)
            row = features[controller_of(state, unit)]
            token_type = type_of(state, unit)
            row[UNITS] += 1.0
            row[RANKS] += params.type_rank[token_type]
            row[MOVEMENT] += state.token_stats[unit, 0]
            row[DAMAGE] += state.token_stats[unit, 1]
            row[ARMOR] += state.token_stats[unit, 2]
            row[FACE_UP] += 1.0 if is_face_up(state, unit) else 0.0
            row[RANGED] += 1.0 if params.type_ability[token_type, Ability.RANGE] > 0 else 0.0
            row[ATTACHED] += 1.0 if state.token_first[unit] != NO_TOKEN else 0.0
            read_clashes(params, state, unit, row)


@njit
def read_clashes(params, state, unit, row):
    """Count the enemy units that a unit can reach, and of these the ones whose armor it outdoes."""
    reach = state.token_stats[unit, 0] + 1
    for owner in range(params.num_generals):
        rest = np.uint64(state.units[owner])
        start = first_token(params, owner)
        while rest != NO_BITS:
            other = start + lowest_bit(rest)
            rest = without_lowest(rest)
            if controller_of(state, other) == controller_of(state, unit):
                continue
            gap = distance(params, hex_of(state, unit), hex_of(state, other))
            if gap <= reach:
                row[CLASHES] += 1.0
                row[FAVORABLE] += 1.0 if state.token_stats[unit, 1] >= state.token_stats[other, 2] else 0.0


@njit
def read_fields(params, state, features):
    """Add how battlefields stand to those who control them, and to those who want them."""
    for owner in range(params.num_generals):
        rest = fields_of(state, owner)
        start = first_token(params, owner)
        while rest != NO_BITS:
            field = start + lowest_bit(rest)
            rest = without_lowest(rest)
            cell = hex_of(state, field)
            controller = controller_of(state, field)
            row = features[controller]
            row[KEPT if controller == owner else TAKEN] += 1.0
            unit = unit_at(state, cell)
            if unit != NO_TOKEN and controller_of(state, unit) == controller:
                row[GARRISONED] += 1.0
            count_reach(row, THREATENED, nearest_unit(params, state, cell, controller, False))
            for player in range(params.num_generals):
                if player != controller and state.general_alive[player] == 1:
                    count_reach(features[player], RAIDED, nearest_unit(params, state, cell, player, True))


@njit
def read_features(params, state, features):
    """Write the numbers of each General.

    Args:
        params: of the game.
        state: where the game goes on.
        features: (num_generals, WIDTH) float64, overwritten.
    """
    for player in range(params.num_generals):
        row = features[player]
        for column in range(WIDTH):
            row[column] = 0.0
        row[ALIVE] = state.general_alive[player]
        row[ACTIVE] = 1.0 if state.active == player else 0.0
        count_zone(params, state, player, Zone.HAND, row, HAND_UNITS)
        count_zone(params, state, player, Zone.SACK, row, SACK_UNITS)
    read_units(params, state, features)
    read_fields(params, state, features)
