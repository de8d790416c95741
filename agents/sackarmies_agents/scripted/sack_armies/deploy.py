"""Values of drawing, deploying, discarding and moving for the greedy General."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.sack_armies.attacks import NEVER
from sackarmies_agents.scripted.sack_armies.board import (
    FAR,
    MOVE_BOUNDED,
    MOVE_FOUND,
    MOVE_UNKNOWN,
    NO_CELL,
    NO_FIELD,
    NO_UNIT,
    SELF,
    UNWEIGHED,
    gap_between,
    is_mine,
    look,
    look_general,
)
from sackarmies_agents.scripted.sack_armies.ground import clear_reach, find_reach, may_move
from sackarmies_agents.scripted.sack_armies.places import better_place, place_value
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import NUM_SLOTS, NUM_VERBS, OWNED_LIMIT, Band
from sackarmies_env.games.sack_armies.state.layout import General, Shown, Token

HAND = 3  # tokens that a Draw of full value adds to the hand
SAME = 3e-6  # values this close to each other are left to tie-breaking

# --- moves


@njit
def best_move(board, unit, floor):
    """Return how much the best move of own `unit` improves its place; NEVER if none does by more than `floor`."""
    known = board.move_known[unit]
    if known == MOVE_UNKNOWN or (known == MOVE_BOUNDED and floor < board.move_bound[unit]):
        find_move(board, unit, floor)
    elif known == MOVE_BOUNDED:
        return NEVER
    now = board.move_now[unit]
    best = board.move_best[unit]
    return best - now if best > now + floor else NEVER


@njit
def find_move(board, unit, floor):
    """Find the best move of own `unit`, if it improves its place by more than `floor`."""
    board.move_known[unit] = MOVE_FOUND
    board.move_now[unit] = 0.0
    board.move_best[unit] = NEVER
    if not may_move(board, unit):
        return
    now = place_value(board, unit, board.unit_cell[unit])
    least = now + floor
    best = least
    end = np.int64(NO_CELL)
    clear = np.int64(1)
    count = find_reach(board, unit, np.int64(0))
    for i in range(1, count):
        cell = board.queue[i]
        if board.cell_unit[cell] != NO_UNIT:
            continue
        value = better_place(board, unit, cell, best - SAME)
        if value > best:
            clear = np.int64(value > best + SAME)
            best = value
            end = cell
        elif value > best - SAME:
            clear = np.int64(0)
    clear_reach(board, count)
    board.move_now[unit] = now
    board.move_best[unit] = best
    board.move_bound[unit] = floor
    board.move_end[unit] = end
    board.move_clear[unit] = clear
    if best == least:
        board.move_known[unit] = MOVE_BOUNDED


@njit(inlined=True)
def legal_cell(board, i):
    """Return the cell that legal id number `i` names; NO_CELL if it names none."""
    cell = board.legal[i] - (NUM_VERBS + board.num_types + NUM_SLOTS)
    return cell if cell >= 0 else np.int64(NO_CELL)


@njit
def planned_move(board, unit):
    """Return where the best move of own `unit` ends, if it has been found and no other comes close; else NO_CELL."""
    if unit == NO_UNIT or board.move_known[unit] != MOVE_FOUND or board.move_best[unit] == NEVER:
        return np.int64(NO_CELL)
    if board.move_clear[unit] == 0:
        return np.int64(NO_CELL)
    is_legal = False
    all_known = True
    count = find_reach(board, unit, np.int64(0))
    for i in range(board.num_legal):
        cell = legal_cell(board, i)
        is_legal |= cell == board.move_end[unit]
        all_known &= board.cell_steps[cell] > 0 and board.cell_unit[cell] == NO_UNIT
    clear_reach(board, count)
    return board.move_end[unit] if is_legal and all_known else np.int64(NO_CELL)


@njit(inlined=True)
def least_first(board, least):
    """Return the value that the better of a Move's two moves must exceed for the Move to exceed `least`."""
    return least / (1.0 + max(0.0, board.w_second_move)) if least > 0.0 else least


@njit
def any_move_above(board, floor):
    """Return how much the best move of some own unit improves its place, if by more than `floor`; NEVER if none."""
    for unit in range(board.num_on_board):
        if is_mine(board, unit):
            value = best_move(board, np.int64(unit), floor)
            if value > NEVER:
                return value
    return NEVER


@njit
def move_value(board, least):
    """Return the value of the best Move of one or two units; NEVER if it is not above `least`.

    Most Moves are worth less than something else. Bounds show this in less time than it takes to find their value.
    """
    sure = any_move_above(board, least_first(board, least)) if least > NEVER else 0.0
    if sure == NEVER:
        return NEVER
    sure = sure if sure > 0.0 else NEVER  # then floors lie below it, so that the move that it stands for is found
    first = NEVER
    second = NEVER
    for unit in range(board.num_on_board):
        if not is_mine(board, unit):
            continue
        # A value changes nothing unless it is above the first, or positive and above the second.
        value = best_move(board, np.int64(unit), min(max(first, sure), max(0.0, second)))
        if value > first:
            second = first
            first = value
        elif value > second:
            second = value
    return first + board.w_second_move * max(0.0, second)


# --- deployments


@njit
def controls_field_beside(board, cell):
    """Return whether the observer controls a battlefield next to `cell`."""
    for direction in range(6):
        if board.field_controller[board.cell_field[board.neighbors[cell, direction]]] == SELF:
            return True
    return False


@njit
def can_enter(board, cell):
    """Return whether the observer may deploy a unit on `cell`."""
    if board.cell_unit[cell] != NO_UNIT:
        return False
    field = board.cell_field[cell]
    if field != NO_FIELD:
        return board.field_controller[field] == SELF
    return controls_field_beside(board, cell)


@njit
def best_entry(board, unit):
    """Return the value of the best place to deploy `unit`; NEVER if there is none."""
    best = NEVER
    board.entry_end[unit] = NO_CELL
    for i in range(board.num_ground):
        cell = board.ground[i]
        if not can_enter(board, cell):
            continue
        value = better_place(board, unit, cell, best - SAME)
        if value > best:
            board.entry_clear[unit] = value > best + SAME
            board.entry_end[unit] = cell
            best = value
        elif value > best - SAME:
            board.entry_clear[unit] = 0
    return best


@njit
def planned_entry(board, i):
    """Return where token `i` of the hand is best deployed, if it has been found and is clear; else NO_CELL."""
    if i < 0 or board.hand_unit[i] == NO_UNIT or board.hand_worth[i] == UNWEIGHED:
        return np.int64(NO_CELL)
    end = board.entry_end[board.hand_unit[i]]
    if end == NO_CELL or board.entry_clear[board.hand_unit[i]] == 0:
        return np.int64(NO_CELL)
    is_legal = False
    for k in range(board.num_legal):
        cell = legal_cell(board, k)
        is_legal |= cell == end
        if cell == NO_CELL or not can_enter(board, cell):
            return np.int64(NO_CELL)
    return end if is_legal else np.int64(NO_CELL)


@njit
def band_takes(band, kind):
    """Return whether a unit with this name band takes attachments of `kind`, spells or maneuvers."""
    if band == Band.GREEN:
        return True
    return (band == Band.BLUE and kind == Shown.SPELL) or (band == Band.RED and kind == Shown.MANEUVER)


@njit
def can_host(board, unit, row):
    """Return whether own `unit` can take the spell or maneuver in `row`."""
    band = look(board, board.unit_row[unit], Token.BAND)
    return band_takes(band, look(board, row, Token.KIND)) and board.unit_attached[unit] < OWNED_LIMIT


@njit
def host_value(board, unit):
    """Return the value of a spell or maneuver under own `unit`: higher near the front and under valuable units."""
    front = min(10.0, board.cell_pull[board.unit_cell[unit]])
    return board.w_attach + 0.1 * board.unit_value[unit] + 0.1 * front - 0.5 * board.unit_attached[unit]


@njit
def best_host(board, row):
    """Return the value of the best host for a spell or maneuver; NEVER if there is none."""
    best = NEVER
    for unit in range(board.num_on_board):
        if is_mine(board, unit) and can_host(board, np.int64(unit), row):
            best = max(best, host_value(board, np.int64(unit)))
    return best


@njit
def hand_value(board, i):
    """Return the value of deploying token `i` of the hand now; NEVER if it cannot be deployed."""
    if board.hand_worth[i] == UNWEIGHED:
        board.hand_worth[i] = weigh_hand(board, i)
    return board.hand_worth[i]


@njit
def weigh_hand(board, i):
    """Compute what `hand_value` returns."""
    unit = board.hand_unit[i]
    if unit != NO_UNIT:
        entry = best_entry(board, unit)
        return entry + board.w_deploy * board.unit_value[unit] if entry > NEVER else NEVER
    if look(board, board.hand_row[i], Token.KIND) == Shown.BATTLEFIELD:
        return board.w_field
    return best_host(board, board.hand_row[i])


@njit
def deploy_value(board):
    """Return the value of a Deploy of all tokens that are worth deploying."""
    total = 0.0
    for i in range(board.num_hand):
        total += max(0.0, hand_value(board, i))
    return total


@njit
def field_site_value(board, cell):
    """Return the value of a battlefield on `cell`, by the distance to enemies and the own battlefields beside it."""
    nearest = np.int64(FAR)
    beside = 0.0
    for field in range(board.num_fields):
        gap = gap_between(board, cell, board.field_cell[field])
        if board.field_controller[field] != SELF:
            nearest = min(nearest, gap)
        elif gap == 1:
            beside += 1.0
    for i in range(board.num_enemies):
        nearest = min(nearest, gap_between(board, cell, board.unit_cell[board.enemies[i]]))
    return board.w_site_far * nearest + board.w_site_close * beside


# --- draws and discards


@njit
def keep_value(board, i):
    """Return the value of keeping token `i` of the hand."""
    unit = board.hand_unit[i]
    row = board.hand_row[i]
    if unit != NO_UNIT:
        return board.unit_value[unit]
    if look(board, row, Token.KIND) == Shown.BATTLEFIELD:
        return board.w_field
    for unit in range(board.num_units):
        if is_mine(board, unit) and can_host(board, np.int64(unit), row):
            return 2.0 * board.w_attach if unit < board.num_on_board else board.w_attach
    return 1.0


@njit
def draw_value(board):
    """Return the value of a Draw: the emptier the hand and the fewer the units on the board, the higher."""
    room = board.w_hand
    for i in range(board.num_hand):
        if hand_value(board, i) > 0.0:
            room -= board.w_held
    sack = look_general(board, np.int64(SELF), General.SACK)
    share = max(0.0, min(room, np.float64(sack))) / HAND
    units = look_general(board, np.int64(SELF), General.UNITS)
    need = min(board.w_need_most, max(board.w_need_least, board.w_need - board.w_enough * units))
    return board.w_draw * share * need
