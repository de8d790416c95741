"""Values of spells, maneuvers and printed texts for the greedy General, on its own turn."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.sack_armies.attacks import NEVER, best_stack_value
from sackarmies_agents.scripted.sack_armies.board import (
    NO_UNIT,
    SELF,
    armor_at,
    gap_between,
    is_mine,
    look,
    unit_on,
)
from sackarmies_agents.scripted.sack_armies.odds import HALF, progressive_chance
from sackarmies_agents.scripted.sack_armies.places import place_value
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import Flip, Target, Use, Verb
from sackarmies_env.games.sack_armies.state.layout import Role, Shown, ShownFace, Token

FREE_HAND = 2  # extra tokens that a hand has room for, on average

# --- parts of a text


@njit
def flip_chance(mode):
    """Return the chance that an effect succeeds; progressive flips are handled elsewhere."""
    return HALF if mode == Flip.SINGLE else 1.0


@njit
def strike_chance(board, row, unit):
    """Return the chance that the damage of the text in `row` kills `unit`."""
    amount = look(board, row, Token.STRIKE)
    armor = max(np.int64(1), armor_at(board, unit, board.unit_cell[unit]))
    if amount == 0:
        return 0.0
    if look(board, row, Token.FLIP) == Flip.PROGRESSIVE:
        return progressive_chance(amount, armor)
    return flip_chance(look(board, row, Token.FLIP)) if amount >= armor else 0.0


@njit
def lasting_value(board, row, unit):
    """Return the value of a permanent text on `unit` to the General of `unit`."""
    change = look(board, row, Token.ARMOR) + look(board, row, Token.DAMAGE) + HALF * look(board, row, Token.MOVEMENT)
    grants = look(board, row, Token.FLYING) + look(board, row, Token.LEADERSHIP)
    return (change + grants) * (1.0 + 0.2 * board.unit_value[unit])


@njit
def is_relocation_end(board, unit, reach, cell):
    """Return whether a text could put `unit` on `cell`."""
    return board.cell_unit[cell] == NO_UNIT and gap_between(board, board.unit_cell[unit], cell) <= reach


@njit
def relocation_value(board, row, unit):
    """Return how much the text in `row` can improve the place of own `unit`; NEVER if it cannot relocate it."""
    best = NEVER
    reach = look(board, row, Token.RELOCATE)
    for i in range(board.num_ground):
        if is_relocation_end(board, unit, reach, board.ground[i]):
            best = max(best, place_value(board, unit, board.ground[i]))
    if best == NEVER:
        return NEVER
    better = best - place_value(board, unit, board.unit_cell[unit])
    return better * flip_chance(look(board, row, Token.FLIP))


@njit
def count_hidden(board, cell, reach):
    """Return how many enemy units are face down within `reach` of `cell`."""
    count = 0.0
    for i in range(board.num_enemies):
        unit = board.enemies[i]
        if board.unit_up[unit] == 0:
            count += gap_between(board, board.unit_cell[unit], cell) <= reach
    return count


@njit
def harm_value(board, row, unit):
    """Return the value of a text that kills, dismisses or removes `unit`."""
    worth = board.unit_value[unit]
    value = strike_chance(board, row, unit) * worth
    if look(board, row, Token.KIND) != Shown.UNIT:
        if look(board, row, Token.DISMISS) > 0:
            value += board.w_dismiss * worth
        if look(board, row, Token.REMOVE) > 0:
            value += worth
    return -value if is_mine(board, unit) else value


# --- a text as a whole


@njit
def spell_value(board, row, cell):
    """Return the value of the parts of a spell or maneuver that texts of units do not have."""
    value = board.w_raising * (look(board, row, Token.RAISE) > 0)
    value += board.w_draw * min(np.int64(FREE_HAND), look(board, row, Token.DRAW)) / 4.0
    unit = unit_on(board, cell)
    if unit == NO_UNIT:
        return value
    if look(board, row, Token.USE) == Use.PERMANENT:
        value += lasting_value(board, row, unit) * (1.0 if is_mine(board, unit) else -1.0)
    if look(board, row, Token.DISPEL) > 0 or look(board, row, Token.COUNTER) > 0:
        value += best_stack_value(board, unit)
    return value


@njit
def text_value(board, row, host, cell):
    """Return the value of `host` using the text in `row`, aimed at `cell`."""
    unit = unit_on(board, cell)
    value = 0.0
    if unit != NO_UNIT:
        value += harm_value(board, row, unit)
        if look(board, row, Token.RELOCATE) > 0:
            value += relocation_value(board, row, unit) if is_mine(board, unit) else 0.0
    is_unit = look(board, row, Token.KIND) == Shown.UNIT
    reveals = look(board, row, Token.SIGHT) if not is_unit or look(board, row, Token.STRIKE) == 0 else np.int64(0)
    value += board.w_uncover * count_hidden(board, cell, reveals) * (reveals > 0)
    if not is_unit:
        value += spell_value(board, row, cell)
        value -= board.w_spend * (HALF if look(board, row, Token.RETAIN) == 1 else 1.0)
    return value - board.w_reveal * (1 - board.unit_up[host])


@njit
def suits(board, row, host, cell):
    """Return whether, roughly, the text in `row` may be aimed at `cell`; the mask has the last word."""
    if gap_between(board, board.unit_cell[host], cell) > look(board, row, Token.TARGET_RANGE):
        return False
    wanted = look(board, row, Token.TARGET)
    if wanted == Target.HEX:
        return True
    unit = unit_on(board, cell)
    if unit == NO_UNIT:
        return False
    if is_mine(board, unit):
        return wanted == Target.OWN_UNIT or wanted == Target.ANY_UNIT
    return board.unit_up[unit] == 1 and (wanted == Target.ENEMY_UNIT or wanted == Target.ANY_UNIT)


@njit
def best_text_value(board, row, host):
    """Return the value of the text in `row` with its best target; NEVER if it has none."""
    if look(board, row, Token.TARGET) == Target.HOST:
        return text_value(board, row, host, board.unit_cell[host])
    best = NEVER
    for i in range(board.num_ground):
        if suits(board, row, host, board.ground[i]):
            best = max(best, text_value(board, row, host, board.ground[i]))
    return best


@njit
def is_castable(board, i):
    """Return whether entry `i` of the spells and maneuvers is the observer's, and an own host can still activate it."""
    row = board.stacked_row[i]
    use = look(board, row, Token.USE)
    if look(board, row, Token.OWNER) != SELF or not is_mine(board, board.stacked_host[i]):
        return False
    return use == Use.ACTION or (use == Use.PERMANENT and look(board, row, Token.FACE) != ShownFace.IN_EFFECT)


@njit
def best_cast_of(board, host):
    """Return the value of the best spell or maneuver of `host` now; NEVER if there is none."""
    best = NEVER
    for i in range(board.num_stacked):
        if board.stacked_host[i] == host and is_castable(board, np.int64(i)):
            best = max(best, best_text_value(board, board.stacked_row[i], host))
    return best


@njit
def best_custom_of(board, host):
    """Return the value of the printed action of `host` now; NEVER if it has none."""
    row = board.unit_row[host]
    return best_text_value(board, row, host) if look(board, row, Token.USE) == Use.ACTION else NEVER


@njit
def activation_value(board, verb):
    """Return the value of the best CAST or CUSTOM."""
    best = NEVER
    for host in range(board.num_on_board):
        if is_mine(board, host) and board.unit_idle[host] == 1:
            cast = verb == Verb.CAST
            best = max(best, best_cast_of(board, np.int64(host)) if cast else best_custom_of(board, np.int64(host)))
    return best


# --- the text that is being used


@njit
def acting_unit(board):
    """Return the unit that is activating something, or NO_UNIT."""
    for unit in range(board.num_on_board):
        if look(board, board.unit_row[unit], Token.ACT_ROLE) == Role.ACTS:
            return np.int64(unit)
    return np.int64(NO_UNIT)


@njit
def running_row(board, host):
    """Return the row of the text that `host` is using: a spell's, a maneuver's, or its own."""
    for i in range(board.num_stacked):
        if look(board, board.stacked_row[i], Token.ACT_ROLE) == Role.ACTS:
            return board.stacked_row[i]
    return board.unit_row[host]
