"""Movement and sight: where a unit can go and what its arrival reveals (sections 8.2.2 and 8.3)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.constants import NO_TOKEN, Ability, Event, Face, Stat
from sackarmies_env.games.sack_armies.stats import (
    ability_if_revealed,
    ability_value,
    distance,
    effective_movement,
    is_as_printed,
)
from sackarmies_env.games.sack_armies.zones import (
    NUM_DIRECTIONS,
    controller_of,
    field_at,
    first_token,
    hex_of,
    is_face_up,
    is_unit_on_board,
    lift_unit,
    log_event,
    mark_seen,
    owner_of,
    put_unit,
    type_of,
    unit_at,
)

OUT_OF_REACH = -1
DEFAULT_SIGHT = 1


# --- sight


@njit
def reveal(state, token):
    """Turn `token` face up, in public, for as long as it stays in play (R8.2.2-6)."""
    if state.token_face[token] == Face.UP:
        return
    state.token_face[token] = Face.UP
    mark_seen(state, token)
    log_event(state, Event.REVEAL, owner_of(state, token), hex_of(state, token), type_of(state, token))


@njit
def sight_range(params, state, unit):
    """Return how far `unit` sights: 1, or more by a working Sight ability (R8.2.1-2, R8.2.2-5, RA-Sight-1, Q-22)."""
    return max(np.int64(DEFAULT_SIGHT), ability_value(params, state, unit, Ability.SIGHT))


@njit
def may_see_far(params, state, unit):
    """Return whether `unit` can have a Sight ability at all: a cheap test before the exact one."""
    return is_face_up(state, unit) and (
        params.type_ability[state.token_type[unit], Ability.SIGHT] > 0 or not is_as_printed(state, unit)
    )


@njit
def is_sighted(params, state, unit):
    """Return whether an opposing unit has `unit` in its sight range (R8.2.2-4)."""
    cell = hex_of(state, unit)
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[cell, direction])
        if neighbor != NO_HEX and state.cell_unit[neighbor] != NO_TOKEN:
            other = unit_at(state, neighbor)
            if controller_of(state, other) != controller_of(state, unit):
                return True
    for other in range(len(state.token_zone)):
        if (
            is_unit_on_board(params, state, other)
            and controller_of(state, other) != controller_of(state, unit)
            and may_see_far(params, state, other)
            and distance(params, hex_of(state, other), cell) <= sight_range(params, state, other)
        ):
            return True
    return False


@njit
def settle_sight(params, state):
    """Reveal all that opposing units sight, until nothing changes (P-SIGHT, R8.3.1-1, R8.3.1-2, RA-Sight-2, Q-24)."""
    changed = True
    while changed:
        changed = False
        for cell in range(params.num_cells):  # by cell: the order of rows is hidden
            unit = unit_at(state, cell)
            if unit != NO_TOKEN and not is_face_up(state, unit) and is_sighted(params, state, unit):
                reveal(state, unit)
                changed = True


@njit
def reveal_unit(params, state, unit):
    """Turn a unit face up by its General's choice or need, and settle sight (R8.2.2-7, C-sight_on_reveal)."""
    if is_face_up(state, unit):
        return
    reveal(state, unit)
    if params.sight_on_reveal == 1:
        settle_sight(params, state)


# --- reach


@njit
def may_pass(params, state, unit, revealed, cell):
    """Return whether `unit` may enter `cell` in passing (R8.3-7, R8.3-8, R8.3-9, R8.3-13, RA-Flying-1, RA-Flying-2)."""
    if state.cell_legal[cell] == 0:
        return False
    other = unit_at(state, cell)
    if other == NO_TOKEN or controller_of(state, other) == controller_of(state, unit):
        return True
    if ability_value(params, state, other, Ability.FLYING) > 0:
        return True
    if not revealed:
        return False
    if ability_if_revealed(params, state, unit, Ability.FLYING) > 0:
        return True
    return is_water(params, state, cell) and ability_if_revealed(params, state, unit, Ability.AQUATIC) > 0


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
def find_reach(params, state, unit, budget, revealed):
    """Write the steps to each hex that `unit` can enter (P-REACH, R8.3-3, R8.3-6, Q-25, Q-26)."""
    for cell in range(params.num_cells):
        state.reach_steps[cell] = OUT_OF_REACH
    origin = hex_of(state, unit)
    state.reach_steps[origin] = 0
    state.reach_queue[0] = origin
    head = 0
    tail = 1
    while head < tail:
        cell = np.int64(state.reach_queue[head])
        head += 1
        steps = np.int64(state.reach_steps[cell])
        if steps >= budget or (cell != origin and halts_unit(params, state, unit, revealed, cell)):
            continue
        for direction in range(NUM_DIRECTIONS):
            neighbor = np.int64(params.neighbors[cell, direction])
            if (
                neighbor != NO_HEX
                and state.reach_steps[neighbor] == OUT_OF_REACH
                and may_pass(params, state, unit, revealed, neighbor)
            ):
                state.reach_steps[neighbor] = steps + 1
                state.reach_queue[tail] = neighbor
                tail += 1


@njit
def is_destination(state, cell):
    """Return whether a move may end on `cell` after `find_reach`: reached and empty (R8.3-10, Q-20)."""
    return state.reach_steps[cell] > 0 and state.cell_unit[cell] == NO_TOKEN


@njit
def may_move(params, state, unit):
    """Return whether `unit` may still be moved this turn: not employed, not moved before (R8.3-2)."""
    return (
        state.token_employed[unit] == 0 and state.token_moved[unit] == 0 and effective_movement(params, state, unit) > 0
    )


@njit
def has_open_neighbor(params, state, unit):
    """Return whether a hex next to `unit` is legal and empty: then a first step is a move."""
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[hex_of(state, unit), direction])
        if neighbor != NO_HEX and state.cell_legal[neighbor] == 1 and state.cell_unit[neighbor] == NO_TOKEN:
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
    for cell in range(params.num_cells):
        if is_destination(state, cell):
            return True
    return False


@njit
def has_any_move(params, state, player):
    """Return whether some unit of `player` can move."""
    start = first_token(params, player)
    for token in range(start, start + np.int64(params.tokens_per_general)):
        if is_unit_on_board(params, state, token) and has_move(params, state, token):
            return True
    return False


@njit
def greatest_terrain_bonus(params, state, cell, stat):
    """Return the most that the battlefield on `cell` could add to `stat` of a unit that nobody knows."""
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
    """Move `unit` to `cell`, reached just now; what is passed on the way is not sighted (R8.3.1-3, R8.2.2-13)."""
    origin = hex_of(state, unit)
    if not is_face_up(state, unit):
        shown = np.int64(state.reach_steps[cell]) - greatest_terrain_bonus(params, state, origin, Stat.MOVEMENT)
        state.token_min_movement[unit] = max(np.int64(state.token_min_movement[unit]), shown)
    lift_unit(state, unit)
    put_unit(state, unit, cell)
    state.token_moved[unit] = 1
    log_event(state, Event.MOVE, controller_of(state, unit), cell, origin)
    settle_sight(params, state)


@njit
def relocate_unit(params, state, unit, cell):
    """Put `unit` on an empty `cell` by an effect, which is no Move (Q-88)."""
    origin = hex_of(state, unit)
    lift_unit(state, unit)
    put_unit(state, unit, cell)
    log_event(state, Event.MOVE, controller_of(state, unit), cell, origin)
    settle_sight(params, state)
