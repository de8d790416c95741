"""Movement and sight: where a unit can go and what its arrival reveals (sections 8.2.2 and 8.3)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, ONE, WORD_BITS, lowest_bit, without_lowest
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow_all
from sackarmies_env.games.sack_armies.rules.stats import (
    ability_if_revealed,
    ability_value,
    distance,
    effective_movement,
    is_as_printed,
)
from sackarmies_env.games.sack_armies.state.actions import hex_action
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Ability, Event, Face, Stat
from sackarmies_env.games.sack_armies.state.events import log_event
from sackarmies_env.games.sack_armies.state.memory import mark_seen
from sackarmies_env.games.sack_armies.state.transfer import lift_unit, put_unit
from sackarmies_env.games.sack_armies.state.zones import (
    NUM_DIRECTIONS,
    clear_hex,
    controller_of,
    field_at,
    first_token,
    has_hex,
    hex_of,
    is_face_up,
    is_legal_hex,
    owner_of,
    set_face,
    set_hex,
    type_of,
    unit_at,
)

DEFAULT_SIGHT = 1


# --- sight


@njit
def reveal(params, state, token):
    """Reveal `token` to all, for as long as it stays in play (R8.2.2-6)."""
    if state.token_face[token] == Face.UP:
        return
    set_face(params, state, token, Face.UP)
    mark_seen(state, token)
    log_event(params, state, Event.REVEAL, owner_of(state, token), hex_of(state, token), type_of(state, token))


@njit
def sight_range(params, state, unit):
    """Return the sight range of `unit`: 1, or more by a working Sight (R8.2.1-2, R8.2.2-5, RA-Sight-1, Q-22)."""
    return max(np.int64(DEFAULT_SIGHT), ability_value(params, state, unit, Ability.SIGHT))


@njit
def may_see_far(params, state, unit):
    """Return whether `unit`, which is face up, can have a Sight ability at all: a cheap test before the exact one."""
    return params.type_ability[state.token_type[unit], Ability.SIGHT] > 0 or not is_as_printed(state, unit)


@njit
def has_adjacent_enemy(params, state, unit):
    """Return whether an opposing unit stands next to `unit`."""
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[hex_of(state, unit), direction])
        if neighbor != NO_HEX and state.cell_unit[neighbor] != NO_TOKEN:
            other = unit_at(state, neighbor)
            if controller_of(state, other) != controller_of(state, unit):
                return True
    return False


@njit
def far_sighted(params, state, player):
    """Return the units of `player` that may see beyond adjacent hexes, as bits."""
    found = NO_BITS
    rest = state.units[player] & state.face_up[player]
    while rest != NO_BITS:
        unit = first_token(params, player) + lowest_bit(rest)
        if may_see_far(params, state, unit):
            found |= rest & ~without_lowest(rest)
        rest = without_lowest(rest)
    return found


@njit
def is_sighted(params, state, unit):
    """Return whether an opposing unit has `unit` in its sight range (R8.2.2-4)."""
    if has_adjacent_enemy(params, state, unit):
        return True
    for player in range(params.num_generals):
        if player == controller_of(state, unit):
            continue
        rest = far_sighted(params, state, player)
        while rest != NO_BITS:
            other = first_token(params, player) + lowest_bit(rest)
            rest = without_lowest(rest)
            if distance(params, hex_of(state, other), hex_of(state, unit)) <= sight_range(params, state, other):
                return True
    return False


@njit
def next_sighted(params, state):
    """Return the first face-down unit, in order of hexes, that an opposing unit sights, or NO_TOKEN.

    The order is by hex because the order of rows is hidden.
    """
    found = np.int64(NO_TOKEN)
    for player in range(params.num_generals):
        rest = state.units[player] & ~state.face_up[player]
        while rest != NO_BITS:
            unit = first_token(params, player) + lowest_bit(rest)
            rest = without_lowest(rest)
            is_first = found == NO_TOKEN or hex_of(state, unit) < hex_of(state, found)
            if is_first and is_sighted(params, state, unit):
                found = unit
    return found


@njit
def reveal_in_sight(params, state):
    """Reveal all sighted units, until nothing changes (P-SIGHT, R8.3.1-1, R8.3.1-2, RA-Sight-2, Q-24)."""
    unit = next_sighted(params, state)
    while unit != NO_TOKEN:
        reveal(params, state, unit)
        unit = next_sighted(params, state)


@njit
def reveal_unit(params, state, unit):
    """Reveal a unit because its General chooses to or must, and update sight (R8.2.2-7, C-sight_on_reveal)."""
    if is_face_up(state, unit):
        return
    reveal(params, state, unit)
    if params.sight_on_reveal == 1:
        reveal_in_sight(params, state)


# --- reach


@njit
def may_pass(params, state, unit, revealed, other):
    """Return whether `unit` may move through the hex of `other`, an opposing unit.

    (R8.3-8, R8.3-9, R8.3-13, RA-Flying-1, RA-Flying-2)
    """
    if ability_value(params, state, other, Ability.FLYING) > 0:
        return True
    if not revealed:
        return False
    if ability_if_revealed(params, state, unit, Ability.FLYING) > 0:
        return True
    return is_water(params, state, hex_of(state, other)) and (
        ability_if_revealed(params, state, unit, Ability.AQUATIC) > 0
    )


@njit
def is_water(params, state, cell):
    """Return whether `cell` holds a battlefield with water effects."""
    field = field_at(state, cell)
    return field != NO_TOKEN and params.type_water[state.token_type[field]] == 1


@njit
def halts_unit(params, state, unit, revealed, cell):
    """Return whether entering `cell` ends the move of `unit`.

    (R8.3-12, RA-Flying-5, RA-Aquatic-2, RA-Aquatic-5, Q-63)
    """
    field = field_at(state, cell)
    if field == NO_TOKEN:
        return False
    field_type = type_of(state, field)
    if params.type_halts[field_type] == 0:
        return False
    if not revealed:
        return True
    exempts_aquatic = params.type_exempts_aquatic[field_type] == 1 or params.type_water[field_type] == 1
    if exempts_aquatic and ability_if_revealed(params, state, unit, Ability.AQUATIC) > 0:
        return False
    return not (
        params.type_exempts_flying[field_type] == 1 and ability_if_revealed(params, state, unit, Ability.FLYING) > 0
    )


@njit
def bits_around(column, reach):
    """Return the bits of a row from `reach` before `column` to `reach` after it."""
    if 2 * reach + 1 >= WORD_BITS:
        return ~NO_BITS
    width = (ONE << np.uint64(2 * reach + 1)) - ONE
    shift = column - reach
    return width << np.uint64(shift) if shift >= 0 else width >> np.uint64(-shift)


@njit
def block_row(params, state, unit, revealed, row, near):
    """Close the hexes of `row`, among the bits `near`, that `unit` may not move through (R8.3-7)."""
    first = np.int64(params.row_cell[row]) - np.int64(params.row_column[row])
    rest = state.unit_rows[row] & near
    while rest != NO_BITS:
        following = without_lowest(rest)
        other = unit_at(state, first + lowest_bit(rest))
        if controller_of(state, other) != controller_of(state, unit) and not may_pass(
            params, state, unit, revealed, other
        ):
            state.reach_open[row] &= ~(rest & ~following)
        rest = following


@njit
def halt_row(params, state, unit, revealed, row, near):
    """Mark the hexes of `row`, among the bits `near`, that end a move of `unit`."""
    first = np.int64(params.row_cell[row]) - np.int64(params.row_column[row])
    rest = state.halt_rows[row] & near
    while rest != NO_BITS:
        following = without_lowest(rest)
        if halts_unit(params, state, unit, revealed, first + lowest_bit(rest)):
            state.reach_halts[row] |= rest & ~following
        rest = following


@njit
def open_ground(params, state, unit, budget, revealed):
    """Prepare the search for reach: the hexes that `unit` may pass, and those that end its move (R8.3-6, Q-25)."""
    for row in range(len(state.reach_open)):
        state.reach_open[row] = state.legal_rows[row]
        state.reach_halts[row] = NO_BITS
        state.reach_rows[row] = NO_BITS
        state.reach_edge[row] = NO_BITS
    origin = hex_of(state, unit)
    center = np.int64(params.cell_r[origin]) + params.radius
    reach = min(budget, np.int64(len(state.reach_rows)))
    near = bits_around(np.int64(params.cell_q[origin]) + params.radius, reach)
    last = min(np.int64(len(state.reach_rows)) - 1, center + reach)
    for row in range(max(np.int64(0), center - reach), last + 1):
        block_row(params, state, unit, revealed, row, near)
        halt_row(params, state, unit, revealed, row, near)
    set_hex(params, state.reach_edge, origin)
    clear_hex(params, state.reach_open, origin)


@njit
def take_step(state, first, last):
    """Enter all open hexes next to the edge in rows `first` to `last`; those that do not halt form the new edge.

    Each word is a row of hexes: neighbors are the bits on either side, and two bits each in the rows above and below.
    """
    above = NO_BITS if first == 0 else state.reach_edge[first - 1]
    for row in range(first, last + 1):
        here = state.reach_edge[row]
        below = NO_BITS if row + 1 == len(state.reach_edge) else state.reach_edge[row + 1]
        entered = (here << ONE) | (here >> ONE) | above | (above >> ONE) | below | (below << ONE)
        entered &= state.reach_open[row]
        state.reach_open[row] &= ~entered
        state.reach_rows[row] |= entered
        state.reach_edge[row] = entered & ~state.reach_halts[row]
        above = here


@njit
def find_reach(params, state, unit, budget, revealed):
    """Mark each hex that `unit` can enter within `budget` steps (P-REACH, R8.3-3, Q-26)."""
    open_ground(params, state, unit, budget, revealed)
    row = np.int64(params.cell_r[hex_of(state, unit)]) + params.radius
    for steps in range(1, budget + 1):
        take_step(state, max(np.int64(0), row - steps), min(np.int64(len(state.reach_rows)) - 1, row + steps))


@njit
def count_steps(params, state, unit, budget, cell):
    """Return how many steps face-down `unit` needs to enter `cell`, which must be possible within `budget` steps."""
    open_ground(params, state, unit, budget, False)
    row = np.int64(params.cell_r[hex_of(state, unit)]) + params.radius
    steps = np.int64(0)
    while steps < budget and not has_hex(params, state.reach_rows, cell):
        steps += 1
        take_step(state, max(np.int64(0), row - steps), min(np.int64(len(state.reach_rows)) - 1, row + steps))
    return steps


@njit
def is_destination(params, state, cell):
    """Return whether a move may end on `cell`: reached and empty; call `find_reach` first (R8.3-10, Q-20)."""
    return state.cell_unit[cell] == NO_TOKEN and has_hex(params, state.reach_rows, cell)


@njit
def offer_destinations(params, state):
    """Offer all hexes on which a move may end, row by row; call `find_reach` first."""
    for row in range(2 * params.radius + 1):
        ends = state.reach_rows[row] & ~state.unit_rows[row]
        if ends != NO_BITS:
            first = hex_action(params, np.int64(params.row_cell[row]))
            allow_all(state, first, ends >> np.uint64(params.row_column[row]))


@njit
def has_destination(state):
    """Return whether there is a hex on which a move may end; call `find_reach` first."""
    for row in range(len(state.reach_rows)):
        if state.reach_rows[row] & ~state.unit_rows[row] != NO_BITS:
            return True
    return False


@njit
def may_move(params, state, unit):
    """Return whether `unit` may still move this turn: not employed, not moved yet, and movement above 0 (R8.3-2)."""
    return (
        state.token_employed[unit] == 0 and state.token_moved[unit] == 0 and effective_movement(params, state, unit) > 0
    )


@njit
def has_open_neighbor(params, state, unit):
    """Return whether a hex next to `unit` is legal and empty, so that a single step is a move."""
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[hex_of(state, unit), direction])
        if neighbor != NO_HEX and is_legal_hex(params, state, neighbor) and state.cell_unit[neighbor] == NO_TOKEN:
            return True
    return False


@njit
def has_move(params, state, unit):
    """Return whether `unit` may move and has a destination."""
    if not may_move(params, state, unit):
        return False
    if has_open_neighbor(params, state, unit):
        return True
    find_reach(params, state, unit, effective_movement(params, state, unit), is_face_up(state, unit))
    return has_destination(state)


@njit
def has_any_move(params, state, player):
    """Return whether some unit of `player` can move."""
    rest = state.units[player]
    while rest != NO_BITS:
        if has_move(params, state, first_token(params, player) + lowest_bit(rest)):
            return True
        rest = without_lowest(rest)
    return False


@njit
def greatest_terrain_bonus(params, state, cell, stat):
    """Return the most that the battlefield on `cell` could add to `stat` of an unknown unit."""
    total = np.int64(0)
    field = field_at(state, cell)
    if field != NO_TOKEN:
        field_type = type_of(state, field)
        for effect in range(params.type_effect_start[field_type], params.type_effect_end[field_type]):
            if params.effect_stat[effect] == stat:
                total += max(np.int64(0), np.int64(params.effect_amount[effect]))
    return total


@njit
def move_unit(params, state, unit, cell):
    """Move `unit` to `cell`, which it can reach; nothing is sighted along the way (R8.3.1-3, R8.2.2-13)."""
    origin = hex_of(state, unit)
    if not is_face_up(state, unit):
        steps = count_steps(params, state, unit, effective_movement(params, state, unit), cell)
        shown = steps - greatest_terrain_bonus(params, state, origin, Stat.MOVEMENT)
        state.token_min_movement[unit] = max(np.int64(state.token_min_movement[unit]), shown)
    lift_unit(params, state, unit)
    put_unit(params, state, unit, cell)
    state.token_moved[unit] = 1
    log_event(params, state, Event.MOVE, controller_of(state, unit), cell, origin)
    reveal_in_sight(params, state)


@njit
def relocate_unit(params, state, unit, cell):
    """Put `unit` on an empty `cell` by an effect or an advance, which does not count as a Move (Q-88)."""
    origin = hex_of(state, unit)
    lift_unit(params, state, unit)
    put_unit(params, state, unit, cell)
    log_event(params, state, Event.MOVE, controller_of(state, unit), cell, origin)
    reveal_in_sight(params, state)
