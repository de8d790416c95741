"""Inputs of an evaluation of Sack Armies: each token by type and place, units and battlefields by surroundings."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import record_dtype
from sackarmies_env.games.sack_armies.state.constants import (
    MAX_GENERALS,
    NO_TOKEN,
    NUM_KINDS,
    Ability,
    Kind,
    Stat,
    Zone,
)
from sackarmies_env.games.sack_armies.state.record import LARGE, NUM_STATS
from sackarmies_env.games.sack_armies.state.zones import (
    controller_of,
    first_token,
    hex_of,
    is_face_up,
    owned_tokens,
    owner_of,
    type_of,
)
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue

# Types of the catalogue have a row each; all others share one for each kind and rank.
MAX_RANK = 3  # higher ones count as this
NUM_KNOWN = len(load_catalogue())
NUM_TYPES = NUM_KNOWN + NUM_KINDS * MAX_RANK


class Place(IntEnum):
    """Where a token is, as far as the evaluation distinguishes."""

    SACK = 0
    HAND = 1
    NEAR = 2  # units face down, battlefields that their owner controls, attachments under units of their owner
    FAR = 3  # units face up, battlefields that another General controls, attachments under units of others
    LOST = 4  # casualties, captives, tokens removed from play


class UnitNumber(IntEnum):
    """Numbers of a unit. Enemies are units of other Generals; a unit reaches what it can attack, even after a move."""

    MOVEMENT = 0
    DAMAGE = 1
    ARMOR = 2
    RANK = 3
    RANGE = 4
    FACE_UP = 5
    ATTACHED = 6
    ACTIVE = 7  # it is its General's turn
    FRIENDS = 8  # next to it
    MENACES = 9  # enemies that reach it
    LETHAL_MENACES = 10  # of MENACES, how many have the damage to kill it
    WORST = 11  # the greatest damage of MENACES, beyond its armor
    TARGETS = 12  # enemies that it reaches
    KILLABLE = 13  # of TARGETS, how many it has the damage to kill
    BEST_RANK = 14  # the highest rank of KILLABLE
    ENEMY_GAP = 15  # hexes to the nearest enemy
    ENEMY_CLOSE = 16  # 1 / hexes
    ON_OWN = 17  # it stands on a battlefield that its General put down and controls
    ON_TAKEN = 18  # or on one taken from another General
    STEP_FIELDS = 19  # battlefields that others control, within a move
    TWO_STEP_FIELDS = 20  # within two moves
    PRIZE_GAP = 21  # hexes to the nearest battlefield of another General, controlled by another
    HOME_GAP = 22  # to the nearest own one, controlled by its General
    LOST_GAP = 23  # to the nearest own one, controlled by another
    ADJACENT = 24  # enemies next to it
    CAN_MEET = 25  # the nearest enemy is within its move and a melee attack
    FREE_FIELDS = 26  # of STEP_FIELDS, those without a unit
    LAST_FIELD = 27  # among STEP_FIELDS is the last battlefield that keeps a General in the game
    FREE_LAST_FIELD = 28  # and it has no unit
    CAN_CLEAR = 29  # among STEP_FIELDS is one whose unit it has the damage to kill
    LAST_CLOSE = 30  # 1 / hexes to the nearest battlefield that is the last of its owner
    KEPT = 31  # battlefields that keep its General in the game
    HOME_CLOSE = 32  # 1 / (1 + HOME_GAP)
    PRIZE_CLOSE = 33
    COMING = 34  # enemies that would reach it in two moves
    SEEN = 35  # its identity has been public


class FieldNumber(IntEnum):
    """Numbers of a battlefield; its own units are those of the General who controls it."""

    KEPT = 0  # its owner controls it
    ACTIVE = 1  # it is the turn of the General who controls it
    HELD = 2  # an own unit stands on it
    ARMOR = 3  # of that unit
    DAMAGE = 4
    FACE_UP = 5
    STEP_UNITS = 6  # other own units within a move
    TWO_STEP_UNITS = 7  # other own units that need a second move
    STEP_ENEMIES = 8  # enemies, likewise
    TWO_STEP_ENEMIES = 9
    ADJACENT = 10  # enemies on it or next to it
    UNIT_GAP = 11  # hexes to the nearest own unit
    ENEMY_GAP = 12  # to the nearest enemy
    ENEMY_CLOSE = 13  # 1 / (1 + ENEMY_GAP)
    GUARDS = 14  # other own units that can attack there
    ATTACKERS = 15  # enemies that can attack there
    LETHAL_ATTACKERS = 16  # of ATTACKERS, how many have the damage to kill the unit on it
    OWNER_KEEPS = 17  # battlefields that keep its owner in the game
    LAST = 18  # OWNER_KEEPS is one
    LAST_MENACED = 19  # it is that one, and within a move of an enemy
    LAST_OPEN = 20  # LAST, within a move of an enemy, and no own unit stands on it
    UNIT_CLOSE = 21  # 1 / (1 + UNIT_GAP)


NUM_PLACES = len(Place)
TOKEN_ROWS = NUM_PLACES * NUM_TYPES
UNIT_WIDTH = len(UnitNumber)
FIELD_WIDTH = len(FieldNumber)
NOWHERE = 12  # distance in hexes if there is no such unit or battlefield
MAX_TOKENS = LARGE.generals * LARGE.tokens

TOKENS_DTYPE = record_dtype(
    [
        ("count", np.int64),
        ("row", np.int16, (MAX_TOKENS,)),  # below TOKEN_ROWS: NUM_TYPES rows for each place, by type
        ("seat", np.int8, (MAX_TOKENS,)),  # who controls it, or owns it off the battleground
    ]
)
UNITS_DTYPE = record_dtype(
    [
        ("count", np.int64),
        ("row", np.int16, (MAX_TOKENS,)),  # below NUM_TYPES
        ("seat", np.int8, (MAX_TOKENS,)),
        ("number", np.float32, (MAX_TOKENS, UNIT_WIDTH)),  # UnitNumber
        # --- scratch
        ("place", np.int64, (MAX_TOKENS, 2)),  # axial coordinates
        ("stat", np.int64, (MAX_TOKENS, NUM_STATS)),
        ("reach", np.int64, (MAX_TOKENS,)),  # from how many hexes away it can attack
        ("rank", np.int64, (MAX_TOKENS,)),
    ]
)
FIELDS_DTYPE = record_dtype(
    [
        ("count", np.int64),
        ("row", np.int16, (MAX_TOKENS,)),
        ("seat", np.int8, (MAX_TOKENS,)),
        ("number", np.float32, (MAX_TOKENS, FIELD_WIDTH)),  # FieldNumber
        # --- scratch
        ("place", np.int64, (MAX_TOKENS, 2)),
        ("owner", np.int64, (MAX_TOKENS,)),
        ("unit", np.int64, (MAX_TOKENS,)),  # which of the units stands on it; NO_TOKEN if none
    ]
)
POSITION_DTYPE = record_dtype(
    [
        ("tokens", TOKENS_DTYPE),
        ("units", UNITS_DTYPE),  # on the battleground
        ("fields", FIELDS_DTYPE),  # likewise
        ("kept", np.int64, (MAX_GENERALS,)),  # own battlefields that a General controls
    ]
)


@njit
def shared_row(params, token_type):
    """Return the row that unknown types of the same kind and rank share, below NUM_TYPES."""
    rank = min(max(np.int64(params.type_rank[token_type]), 1), MAX_RANK)
    return NUM_KNOWN + np.int64(params.type_kind[token_type]) * MAX_RANK + rank - 1


@njit
def type_row(params, token_type):
    """Return the row of a type, below NUM_TYPES."""
    return np.int64(token_type) if token_type < NUM_KNOWN else shared_row(params, token_type)


@njit
def place_of(params, state, token):
    """Return the Place of a token."""
    zone = state.token_zone[token]
    if zone == Zone.SACK:
        return np.int64(Place.SACK)
    if zone == Zone.HAND or zone == Zone.PICKED:
        return np.int64(Place.HAND)
    if zone == Zone.ATTACHED:
        is_far = controller_of(state, state.token_host[token]) != owner_of(state, token)
    elif zone != Zone.BATTLEGROUND:
        return np.int64(Place.LOST)
    elif params.type_kind[type_of(state, token)] == Kind.BATTLEFIELD:
        is_far = controller_of(state, token) != owner_of(state, token)
    else:
        is_far = is_face_up(state, token)
    return np.int64(Place.FAR) if is_far else np.int64(Place.NEAR)


@njit
def add_unit(params, state, position, token):
    """Add a unit on the battleground, with the numbers that do not depend on others."""
    i = position.units.count
    position.units.count += 1
    token_type = type_of(state, token)
    reach = np.int64(params.type_ability[token_type, Ability.RANGE])
    position.units.row[i] = type_row(params, token_type)
    position.units.seat[i] = controller_of(state, token)
    position.units.place[i, 0] = params.cell_q[hex_of(state, token)]
    position.units.place[i, 1] = params.cell_r[hex_of(state, token)]
    for stat in range(NUM_STATS):
        position.units.stat[i, stat] = state.token_stats[token, stat]
    position.units.reach[i] = max(position.units.stat[i, Stat.MOVEMENT] + 1, reach)
    position.units.rank[i] = params.type_rank[token_type]
    numbers = position.units.number[i]
    for column in range(UNIT_WIDTH):
        numbers[column] = 0.0
    for stat in range(NUM_STATS):
        numbers[stat] = state.token_stats[token, stat] / 3.0
    numbers[UnitNumber.RANK] = params.type_rank[token_type] / 3.0
    numbers[UnitNumber.RANGE] = reach / 5.0
    numbers[UnitNumber.FACE_UP] = 1.0 if is_face_up(state, token) else 0.0
    numbers[UnitNumber.ACTIVE] = 1.0 if controller_of(state, token) == state.active else 0.0
    numbers[UnitNumber.SEEN] = 1.0 if state.token_seen[token] > 0 else 0.0
    attachment = np.int64(state.token_first[token])
    while attachment != NO_TOKEN:
        numbers[UnitNumber.ATTACHED] += 1.0
        attachment = np.int64(state.token_next[attachment])


@njit
def add_field(params, state, position, token):
    """Add a battlefield on the battleground, with the numbers that do not depend on others."""
    i = position.fields.count
    position.fields.count += 1
    owner, seat = owner_of(state, token), controller_of(state, token)
    position.fields.row[i] = type_row(params, type_of(state, token))
    position.fields.seat[i] = seat
    position.fields.owner[i] = owner
    position.fields.place[i, 0] = params.cell_q[hex_of(state, token)]
    position.fields.place[i, 1] = params.cell_r[hex_of(state, token)]
    position.fields.unit[i] = NO_TOKEN
    if owner == seat:
        position.kept[owner] += 1
    numbers = position.fields.number[i]
    for column in range(FIELD_WIDTH):
        numbers[column] = 0.0
    numbers[FieldNumber.KEPT] = 1.0 if owner == seat else 0.0
    numbers[FieldNumber.ACTIVE] = 1.0 if seat == state.active else 0.0


@njit
def add_token(params, state, position, token):
    """Add a token by type and place and, if it is on the battleground, also as a unit or battlefield."""
    place = place_of(params, state, token)
    is_placed = state.token_zone[token] == Zone.BATTLEGROUND
    i = position.tokens.count
    position.tokens.count += 1
    position.tokens.row[i] = place * NUM_TYPES + type_row(params, type_of(state, token))
    position.tokens.seat[i] = controller_of(state, token) if is_placed else owner_of(state, token)
    if is_placed and params.type_kind[type_of(state, token)] == Kind.BATTLEFIELD:
        add_field(params, state, position, token)
    elif is_placed:
        add_unit(params, state, position, token)


@njit
def gap_between(places, i, others, j):
    """Return the number of hexes between two places, given by axial coordinates."""
    dq = others[j, 0] - places[i, 0]
    dr = others[j, 1] - places[i, 1]
    return max(abs(dq), abs(dr), abs(dq + dr))


@njit
def compare_units(position, i):
    """Add the numbers of unit `i` that depend on other units."""
    numbers, stats = position.units.number[i], position.units.stat
    nearest, coming = np.int64(NOWHERE), np.int64(0)
    for j in range(position.units.count):
        gap = gap_between(position.units.place, i, position.units.place, j)
        if position.units.seat[j] == position.units.seat[i]:
            numbers[UnitNumber.FRIENDS] += 1.0 if gap <= 1 and i != j else 0.0
            continue
        nearest = min(nearest, gap)
        numbers[UnitNumber.ADJACENT] += 1.0 if gap <= 1 else 0.0
        coming += 1 if gap <= 2 * stats[j, Stat.MOVEMENT] + 1 else 0
        if gap <= position.units.reach[j]:
            beyond = stats[j, Stat.DAMAGE] - stats[i, Stat.ARMOR]
            numbers[UnitNumber.MENACES] += 1.0
            numbers[UnitNumber.LETHAL_MENACES] += 1.0 if beyond >= 0 else 0.0
            numbers[UnitNumber.WORST] = max(numbers[UnitNumber.WORST], np.float32(beyond + 4) / np.float32(4.0))
        if gap <= position.units.reach[i]:
            numbers[UnitNumber.TARGETS] += 1.0
            if stats[i, Stat.DAMAGE] >= stats[j, Stat.ARMOR]:
                numbers[UnitNumber.KILLABLE] += 1.0
                rank = np.float32(position.units.rank[j])
                numbers[UnitNumber.BEST_RANK] = max(numbers[UnitNumber.BEST_RANK], rank)
    numbers[UnitNumber.ENEMY_GAP] = nearest / 8.0
    numbers[UnitNumber.ENEMY_CLOSE] = 1.0 / nearest
    numbers[UnitNumber.CAN_MEET] = 1.0 if nearest <= stats[i, Stat.MOVEMENT] + 1 else 0.0
    numbers[UnitNumber.COMING] = coming / 3.0


@njit
def is_last(position, j):
    """Return whether battlefield `j` alone keeps its owner in the game."""
    return position.fields.owner[j] == position.fields.seat[j] and position.kept[position.fields.owner[j]] == 1


@njit
def compare_prize(position, i, j, gap):
    """Add to the numbers of unit `i` what follows from battlefield `j`, which another General controls."""
    numbers, movement = position.units.number[i], position.units.stat[i, Stat.MOVEMENT]
    occupant = position.fields.unit[j]
    ends_a_general = is_last(position, j) and position.fields.owner[j] != position.units.seat[i]
    if ends_a_general:
        close = np.float32(1.0) / np.float32(max(gap, 1))
        numbers[UnitNumber.LAST_CLOSE] = max(numbers[UnitNumber.LAST_CLOSE], close)
    if gap <= 2 * movement:
        numbers[UnitNumber.TWO_STEP_FIELDS] += 1.0
    if gap > movement:
        return
    numbers[UnitNumber.STEP_FIELDS] += 1.0
    if ends_a_general:
        numbers[UnitNumber.LAST_FIELD] = 1.0
    if occupant == NO_TOKEN:
        numbers[UnitNumber.FREE_FIELDS] += 1.0
        if ends_a_general:
            numbers[UnitNumber.FREE_LAST_FIELD] = 1.0
    elif position.units.stat[i, Stat.DAMAGE] >= position.units.stat[occupant, Stat.ARMOR]:
        numbers[UnitNumber.CAN_CLEAR] = 1.0


@njit
def compare_fields(position, i):
    """Add the numbers of unit `i` that depend on battlefields."""
    numbers, seat = position.units.number[i], position.units.seat[i]
    prize, home, lost = np.int64(NOWHERE), np.int64(NOWHERE), np.int64(NOWHERE)
    for j in range(position.fields.count):
        gap = gap_between(position.units.place, i, position.fields.place, j)
        is_own = position.fields.owner[j] == seat
        if position.fields.seat[j] != seat:
            compare_prize(position, i, j, gap)
            if is_own:
                lost = min(lost, gap)
            else:
                prize = min(prize, gap)
        else:
            if is_own:
                home = min(home, gap)
            if gap == 0:
                numbers[UnitNumber.ON_OWN if is_own else UnitNumber.ON_TAKEN] = 1.0
    numbers[UnitNumber.PRIZE_GAP] = prize / 8.0
    numbers[UnitNumber.HOME_GAP] = home / 8.0
    numbers[UnitNumber.LOST_GAP] = lost / 8.0
    numbers[UnitNumber.PRIZE_CLOSE] = 1.0 / (1.0 + prize)
    numbers[UnitNumber.HOME_CLOSE] = 1.0 / (1.0 + home)
    numbers[UnitNumber.KEPT] = position.kept[seat] / 3.0


@njit
def count_steps(numbers, column, gap, movement):
    """Count a unit in `column` if it is within one move of a battlefield, or in the next column if within two."""
    if gap <= movement:
        numbers[column] += 1.0
    elif gap <= 2 * movement:
        numbers[column + 1] += 1.0


@njit
def compare_guard(position, i, j, gap):
    """Add to the numbers of battlefield `i` what follows from own unit `j`."""
    numbers, stats = position.fields.number[i], position.units.stat[j]
    if gap == 0:
        numbers[FieldNumber.HELD] = 1.0
        numbers[FieldNumber.ARMOR] = stats[Stat.ARMOR] / 3.0
        numbers[FieldNumber.DAMAGE] = stats[Stat.DAMAGE] / 3.0
        numbers[FieldNumber.FACE_UP] = position.units.number[j, UnitNumber.FACE_UP]
        return
    count_steps(numbers, np.int64(FieldNumber.STEP_UNITS), gap, stats[Stat.MOVEMENT])
    if gap <= position.units.reach[j]:
        numbers[FieldNumber.GUARDS] += 1.0


@njit
def compare_attacker(position, i, j, gap):
    """Add to the numbers of battlefield `i` what follows from enemy unit `j`."""
    numbers, stats = position.fields.number[i], position.units.stat[j]
    occupant = position.fields.unit[i]
    count_steps(numbers, np.int64(FieldNumber.STEP_ENEMIES), gap, stats[Stat.MOVEMENT])
    numbers[FieldNumber.ADJACENT] += 1.0 if gap <= 1 else 0.0
    if gap <= position.units.reach[j]:
        numbers[FieldNumber.ATTACKERS] += 1.0
        if occupant != NO_TOKEN and stats[Stat.DAMAGE] >= position.units.stat[occupant, Stat.ARMOR]:
            numbers[FieldNumber.LETHAL_ATTACKERS] += 1.0


@njit
def read_field(position, i):
    """Add the numbers of battlefield `i` that depend on units."""
    numbers = position.fields.number[i]
    own, enemy = np.int64(NOWHERE), np.int64(NOWHERE)
    for j in range(position.units.count):
        gap = gap_between(position.fields.place, i, position.units.place, j)
        if position.units.seat[j] == position.fields.seat[i]:
            own = min(own, gap)
            compare_guard(position, i, j, gap)
        else:
            enemy = min(enemy, gap)
            compare_attacker(position, i, j, gap)
    kept = position.kept[position.fields.owner[i]]
    is_menaced = numbers[FieldNumber.STEP_ENEMIES] > 0
    numbers[FieldNumber.UNIT_GAP] = own / 8.0
    numbers[FieldNumber.UNIT_CLOSE] = 1.0 / (1.0 + own)
    numbers[FieldNumber.ENEMY_GAP] = enemy / 8.0
    numbers[FieldNumber.ENEMY_CLOSE] = 1.0 / (1.0 + enemy)
    numbers[FieldNumber.OWNER_KEEPS] = kept / 3.0
    numbers[FieldNumber.LAST] = 1.0 if kept == 1 else 0.0
    numbers[FieldNumber.LAST_MENACED] = 1.0 if is_last(position, i) and is_menaced else 0.0
    numbers[FieldNumber.LAST_OPEN] = 1.0 if kept == 1 and is_menaced and numbers[FieldNumber.HELD] == 0 else 0.0


@njit
def find_occupants(position):
    """Record which unit stands on each battlefield."""
    for i in range(position.fields.count):
        for j in range(position.units.count):
            if gap_between(position.fields.place, i, position.units.place, j) == 0:
                position.fields.unit[i] = j


@njit
def read_position(params, state, position):
    """Write the inputs of an evaluation.

    Args:
        params: params of the game.
        state: state of a game that is not over.
        position: a record of POSITION_DTYPE, overwritten.
    """
    position.tokens.count = 0
    position.units.count = 0
    position.fields.count = 0
    for player in range(params.num_generals):
        position.kept[player] = 0
    for player in range(params.num_generals):
        rest = owned_tokens(state, player)
        while rest != NO_BITS:
            add_token(params, state, position, first_token(params, player) + lowest_bit(rest))
            rest = without_lowest(rest)
    find_occupants(position)
    for i in range(position.units.count):
        compare_units(position, i)
        compare_fields(position, i)
    for i in range(position.fields.count):
        read_field(position, i)
