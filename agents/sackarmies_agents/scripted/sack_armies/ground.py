"""Ground of the greedy General: reach of units, worth of hexes, and what pulls units toward them."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.sack_armies.board import (
    AQUATIC,
    FLIES,
    HALTS,
    LAST_PLACE,
    NO_UNIT,
    NOBODY,
    SELF,
    SPARES_AQUATIC,
    SPARES_WINGED,
    UNREACHED,
    WINGED,
    gap_between,
    is_a,
    is_mine,
    look,
    look_general,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.layout import General, Token

MOVES_A_TURN = 2  # units that one Move action can move
PULL_CAP = 60.0  # decisive battlefields do not pull from across the board

# --- who can go where


@njit(inlined=True)
def is_halted(board, unit, cell):
    """Return whether entering `cell` ends the move of `unit`."""
    traits = board.field_traits[board.cell_field[cell]]
    if (traits & HALTS) == 0:
        return False
    if board.unit_up[unit] == 0:
        return True
    if (traits & SPARES_AQUATIC) != 0 and is_a(board, unit, AQUATIC):
        return False
    return not ((traits & SPARES_WINGED) != 0 and is_a(board, unit, WINGED))


@njit(inlined=True)
def is_barred(board, unit, cell):
    """Return whether an opposing unit on `cell` bars the way."""
    guard = board.cell_guard[cell]
    return guard != NOBODY and guard != board.unit_seat[unit] and not is_a(board, unit, FLIES)


@njit
def find_reach(board, unit, menacing):
    """Write the steps to every cell that `unit` can enter, and these cells into `queue`; return their number.

    `menacing`: 1 to count it as a menace to units in its way. Call `clear_reach` afterwards.
    """
    origin = board.unit_cell[unit]
    seat = board.unit_seat[unit]
    flies = is_a(board, unit, FLIES)
    board.cell_steps[origin] = 0
    board.queue[0] = origin
    head = np.int64(0)
    tail = np.int64(1)
    while head < tail:
        cell = board.queue[head]
        head += 1
        steps = board.cell_steps[cell]
        if steps >= board.unit_move[unit]:
            break
        if is_halted(board, unit, cell) and cell != origin:
            continue
        # No branches here: they would be mispredicted half of the time.
        for direction in range(6):
            neighbor = np.uint64(board.neighbors[np.uint64(cell), direction])
            before = board.cell_steps[neighbor]
            guard = board.cell_guard[neighbor]
            is_new = before == UNREACHED
            is_barred = (guard != NOBODY) & (guard != seat) & (not flies)
            board.cell_menace[neighbor] += menacing & np.int64(is_new & is_barred)
            enters = is_new & (not is_barred)
            board.cell_steps[neighbor] = steps + 1 if enters else before
            board.queue[tail] = neighbor
            tail += np.int64(enters)
    return tail


@njit
def clear_reach(board, count):
    """Clear the steps to the `count` cells in `queue`."""
    for i in range(count):
        board.cell_steps[board.queue[i]] = UNREACHED


@njit(inlined=True)
def may_move(board, unit):
    """Return whether `unit`, the observer's own, may still be moved this turn."""
    return (
        board.unit_idle[unit] == 1 and board.unit_move[unit] > 0 and look(board, board.unit_row[unit], Token.MOVED) == 0
    )


@njit
def count_reach(board, unit, menacing, table):
    """Count `unit` in `table` at each empty cell that it can enter."""
    count = find_reach(board, unit, menacing)
    for i in range(1, count):
        table[board.queue[i]] += board.cell_unit[board.queue[i]] == NO_UNIT
    clear_reach(board, count)


@njit
def has_goal(board, enemy):
    """Return whether a watched battlefield that is not menaced yet is near enough for `enemy` to move there.

    A battlefield next to `enemy` is settled at once: it is menaced if `enemy` can enter it or is barred there.
    """
    result = False
    for i in range(board.num_watched):
        cell = board.watched[i]
        gap = gap_between(board, board.unit_cell[enemy], cell)
        if board.cell_menace[cell] != 0 or gap > board.unit_move[enemy]:
            continue
        if gap == 1:
            board.cell_menace[cell] = board.cell_unit[cell] == NO_UNIT or is_barred(board, enemy, cell)
        else:
            result = True
    return result


@njit
def find_menaces(board):
    """Write for each battlefield that the observer controls whether an enemy could enter it, or is barred there.

    An enemy that the unit on a battlefield does not bar does not count: it cannot end a move on that unit's hex.
    """
    for i in range(board.num_ground):
        board.cell_menace[board.ground[i]] = 0
    board.num_watched = 0
    for field in range(board.num_fields):
        board.watched[board.num_watched] = board.field_cell[field]
        board.num_watched += board.field_controller[field] == SELF
    for i in range(board.num_enemies):
        if has_goal(board, board.enemies[i]):
            count_reach(board, board.enemies[i], np.int64(1), board.cell_menace)


@njit
def find_grasps(board):
    """Count for each cell the own units that could end a move there, once per observation."""
    if board.has_grasps == 1:
        return
    board.has_grasps = 1
    for i in range(board.num_ground):
        board.cell_grasp[board.ground[i]] = 0
    for unit in range(board.num_on_board):
        if is_mine(board, unit) and may_move(board, np.int64(unit)):
            count_reach(board, np.int64(unit), np.int64(0), board.cell_grasp)


# --- which hexes are worth standing on


@njit(inlined=True)
def has_own_unit(board, cell):
    """Return whether a unit of the observer stands on `cell`."""
    return board.cell_unit[cell] != NO_UNIT and is_mine(board, board.cell_unit[cell])


@njit
def count_exposed(board):
    """Return how many of the observer's own battlefields an enemy could enter now."""
    exposed = np.int64(0)
    for field in range(board.num_fields):
        cell = board.field_cell[field]
        if (
            board.field_owner[field] == SELF
            and board.field_controller[field] == SELF
            and board.cell_menace[cell] > 0
            and not has_own_unit(board, cell)
        ):
            exposed += 1
    return exposed


@njit
def can_lose_all(board, exposed):
    """Return whether enemies could take all of the observer's battlefields before their next turn."""
    enemies = np.int64(0)
    for seat in range(1, board.num_players):
        enemies += look_general(board, np.int64(seat), General.ALIVE)
    return look_general(board, np.int64(SELF), General.FIELDS_KEPT) <= min(exposed, MOVES_A_TURN * enemies)


@njit(inlined=True)
def is_left_to_take(board, field, seat):
    """Return whether `seat` put `field` down, controls it, and no own unit stands there yet."""
    return (
        board.field_owner[field] == seat
        and board.field_controller[field] == seat
        and not has_own_unit(board, board.field_cell[field])
    )


@njit
def are_within_grasp(board, seat):
    """Return whether own units could enter each battlefield that is left to take from `seat`."""
    find_grasps(board)
    for field in range(board.num_fields):
        if is_left_to_take(board, np.int64(field), seat) and board.cell_grasp[board.field_cell[field]] == 0:
            return False
    return True


@njit
def want_of_enemy_field(board, seat):
    """Return the value of entering a battlefield that `seat` put down and controls."""
    left = np.int64(0)
    for field in range(board.num_fields):
        left += is_left_to_take(board, np.int64(field), seat)
    if left <= 1:
        return board.w_win
    if left <= MOVES_A_TURN and are_within_grasp(board, seat):
        return 0.5 * board.w_win
    lost = look_general(board, seat, General.FIELDS_OWNED) - left
    return (board.w_take + board.w_take_more * min(np.int64(4), max(np.int64(0), lost))) * (1.0 - 0.7 * board.haste)


@njit
def want_of_field(board, field, exposed):
    """Return the value of standing on a battlefield at the end of the turn."""
    owner = board.field_owner[field]
    controller = board.field_controller[field]
    cell = board.field_cell[field]
    menaced = board.cell_menace[cell] > 0
    if owner == SELF:
        if controller != SELF:
            calm = board.w_regain * (1.0 - 0.7 * board.haste)
            return calm + (board.w_alarm if can_lose_all(board, exposed) else 0.0)
        if not menaced:
            return 0.0
        at_risk = exposed + (1 if has_own_unit(board, cell) else 0)
        return board.w_guard + (board.w_alarm if can_lose_all(board, at_risk) else 0.0)
    if look_general(board, owner, General.ALIVE) == 1 and controller == owner:
        return board.seat_want[owner]
    if controller != SELF:
        return board.w_third
    return board.w_keep if menaced else 0.0


@njit
def stake_of_field(board, field):
    """Return the cost of an enemy killing the unit on a battlefield and advancing."""
    if board.field_controller[field] != SELF:
        return 0.0
    if board.field_owner[field] != SELF:
        return board.w_keep
    kept = look_general(board, np.int64(SELF), General.FIELDS_KEPT)
    if kept <= 1:
        return board.w_alarm
    lost = look_general(board, np.int64(SELF), General.FIELDS_OWNED) - kept
    return board.w_guard + board.w_take_more * min(np.int64(3), lost)


@njit
def find_wants(board):
    """Write the value of standing on each hex at the end of the turn, and what is at stake there."""
    find_menaces(board)
    board.has_grasps = 0
    for i in range(board.num_ground):
        board.cell_want[board.ground[i]] = 0.0
        board.cell_stake[board.ground[i]] = 0.0
    exposed = count_exposed(board)
    for seat in range(1, board.num_players):
        if look_general(board, np.int64(seat), General.ALIVE) == 1:
            board.seat_want[seat] = want_of_enemy_field(board, np.int64(seat))
    for field in range(board.num_fields):
        board.cell_want[board.field_cell[field]] = want_of_field(board, np.int64(field), exposed)
        board.cell_stake[board.field_cell[field]] = stake_of_field(board, np.int64(field))


# --- what pulls


@njit(inlined=True)
def add_source(board, cell, pull, count):
    """Raise the pull of `cell` to at least `pull`, queue it if that changes it, and return the new end of `queue`."""
    place = np.uint64(cell)
    before = board.cell_pull[place]
    steps = board.cell_steps[place]
    # No branches here: they would be mispredicted half of the time. Cells in the queue have 0 steps.
    is_more = pull > before
    board.cell_pull[place] = pull if is_more else before
    board.cell_steps[place] = 0 if is_more else steps
    board.queue[count & LAST_PLACE] = cell
    return count + np.int64(is_more & (steps == UNREACHED))


@njit
def find_pull(board):
    """Write for each hex its pull: how near it is to wanted battlefields and to enemies."""
    for i in range(board.num_ground):
        board.cell_pull[board.ground[i]] = 0.0
    tail = np.int64(0)
    for field in range(board.num_fields):
        cell = board.field_cell[field]
        if not has_own_unit(board, cell):
            tail = add_source(board, cell, min(PULL_CAP, board.cell_want[cell]), tail)
    for i in range(board.num_enemies):
        enemy = board.enemies[i]
        tail = add_source(board, board.unit_cell[enemy], board.w_hunt * board.unit_value[enemy], tail)
    head = np.int64(0)
    while head < tail:
        cell = board.queue[head & LAST_PLACE]
        head += 1
        board.cell_steps[cell] = UNREACHED
        pull = board.w_decay * board.cell_pull[cell]
        for direction in range(6):
            tail = add_source(board, board.neighbors[cell, direction], pull, tail)
