"""Attacks and abilities of the greedy General: the values of the choices that lead to them."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.sack_armies.board import (
    AMBUSHES,
    CHARGES,
    LEADS,
    NO_CELL,
    NO_UNIT,
    PLACES,
    SCATTERS,
    SELF,
    armor_at,
    damage_at,
    gap_between,
    has,
    is_a,
    is_mine,
    look,
    unit_on,
)
from sackarmies_agents.scripted.sack_armies.odds import (
    HALF,
    attack_value,
    can_charge,
    can_engage,
    counter_chance,
    defend_bonus,
    find_pressure,
    hidden_below,
    is_ranged,
    prize,
    progressive_chance,
    single_chance,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import Verb
from sackarmies_env.games.sack_armies.state.layout import Shown, ShownFace, Token

NEVER = -1e9  # below the value of anything possible
FEWEST = 2  # attackers in a coordinated attack

# --- bounds


@njit(inlined=True)
def may_pay(board, target):
    """Return whether an attack on `target` without scatter may be worth more than the floor of values.

    No attack kills with a greater chance than that of a flip. If the check of a coordinated attack fails, what is left
    is the floor itself.
    """
    most = HALF * (board.unit_value[target] + board.cell_want[board.unit_cell[target]])
    return board.is_usual == 0 or board.floor < 0.0 or most > board.floor


# --- attacks of one unit


@njit
def may_attack(board, unit, target, verb):
    """Return whether own `unit` can attack `target` in the way that `verb` names, as far as the observer knows."""
    if is_mine(board, target) or board.unit_idle[unit] == 0:
        return False
    gap = gap_between(board, board.unit_cell[unit], board.unit_cell[target])
    if gap > board.unit_notice[unit]:
        return False
    if verb == Verb.MOVE_ATTACK:
        return can_charge(board, unit, gap) and can_engage(board, unit, target, board.unit_cell[target])
    if board.unit_up[target] == 0:
        return False
    if verb == Verb.RANGED:
        return gap <= board.unit_reach[unit]
    return gap == 1 and can_engage(board, unit, target, board.unit_cell[target])


@njit
def single_value(board, unit, target, verb):
    """Return the value of an attack by `unit` on `target`."""
    origin = np.int64(NO_CELL) if verb == Verb.MOVE_ATTACK else board.unit_cell[unit]
    return attack_value(board, unit, origin, target, verb == Verb.RANGED)


# --- coordinated attacks


@njit
def is_candidate(board, unit, target, ranged):
    """Return whether `unit` can take part in a coordinated attack on `target`."""
    return is_mine(board, unit) and may_attack(
        board, unit, target, np.int64(Verb.RANGED) if ranged else np.int64(Verb.MELEE)
    )


@njit
def has_candidate_beside(board, unit, target):
    """Return whether another candidate for a ranged attack stands next to `unit`."""
    for direction in range(6):
        other = unit_on(board, board.neighbors[board.unit_cell[unit], direction])
        if other != NO_UNIT and is_candidate(board, other, target, True):
            return True
    return False


@njit(inlined=True)
def add_candidate(board, unit, count):
    """Insert `unit` among the `count` candidates in `queue`, the hardest hitting first, then in order of units."""
    damage = damage_at(board, unit, board.unit_cell[unit])
    place = count
    while place > 0:
        other = board.queue[place - 1]
        gain = damage - damage_at(board, other, board.unit_cell[other])
        if gain < 0 or (gain == 0 and unit > other):
            break
        board.queue[place] = other
        place -= 1
    board.queue[place] = unit


@njit
def list_candidates(board, target, ranged):
    """Write the candidates into `queue`, the hardest hitting first, and return their number."""
    for unit in range(board.num_on_board):
        board.unit_named[unit] = 0
    count = np.int64(0)
    if not ranged:
        for direction in range(6):
            unit = unit_on(board, board.neighbors[board.unit_cell[target], direction])
            if unit != NO_UNIT and is_candidate(board, unit, target, False):
                add_candidate(board, unit, count)
                count += 1
        return count
    for unit in range(board.num_on_board):
        if is_candidate(board, unit, target, True) and has_candidate_beside(board, unit, target):
            add_candidate(board, np.int64(unit), count)
            count += 1
    return count


@njit
def is_led(board, unit):
    """Return whether `unit` leads, or a face-up leader of the observer stands beside it."""
    if is_a(board, unit, LEADS):
        return True
    for direction in range(6):
        leader = unit_on(board, board.neighbors[board.unit_cell[unit], direction])
        if leader != NO_UNIT and is_mine(board, leader) and board.unit_up[leader] == 1 and is_a(board, leader, LEADS):
            return True
    return False


@njit
def group_value(board, target, ranged, size, fallback):
    """Return the value of an attack by the first `size` candidates; a failed check leaves `fallback`.

    Defend is approximated: of what it would add against each attacker alone, the most is taken. By the rules it adds 1
    for each friend that is next to the target and to any of the attackers, which may be more.
    """
    cell = board.unit_cell[target]
    damage = np.int64(0)
    armor = armor_at(board, target, cell)
    loss = 1e9
    led = True
    for i in range(size):
        unit = board.queue[i]
        origin = board.unit_cell[unit]
        damage += damage_at(board, unit, origin)
        armor = max(armor, armor_at(board, target, cell) + defend_bonus(board, target, cell, origin))
        dies = counter_chance(board, unit, origin, target, cell, ranged)
        if is_a(board, unit, AMBUSHES) and not ranged:
            dies *= 2.0  # there is no ambush in a coordinated attack
        loss = min(loss, dies * board.unit_value[unit])
        led = led and is_led(board, unit)
    kills = single_chance(damage, armor) if ranged else progressive_chance(damage, armor)
    value = kills * hidden_below(board, target) * prize(board, board.queue[0], target, ranged) - board.caution * loss
    if led:
        return value
    return HALF * value + HALF * (fallback - board.w_employ * size)


@njit
def joint_attack(board, target, ranged, fallback):
    """Choose attackers for a coordinated attack on `target`, mark them in `unit_named`, and return its value.

    If there are too few candidates, none is marked and NEVER is returned.
    """
    count = list_candidates(board, target, ranged)
    best = NEVER
    best_size = np.int64(0)
    for size in range(count if ranged else np.int64(FEWEST), count + 1):
        if size < FEWEST:
            continue
        value = group_value(board, target, ranged, np.int64(size), fallback)
        if value > best:
            best = value
            best_size = np.int64(size)
    for i in range(best_size):
        board.unit_named[board.queue[i]] = 1
    return best


# --- abilities


@njit
def stack_value(board, i):
    """Return the value of destroying entry `i` of the spells and maneuvers."""
    row = board.stacked_row[i]
    is_own = look(board, row, Token.OWNER) == SELF
    if look(board, row, Token.FACE) == ShownFace.DOWN:
        if is_own:
            return -board.w_strip
        return HALF * board.w_strip if look(board, row, Token.KIND) == Shown.UNKNOWN else board.w_strip
    return -board.w_strip if is_own else 1.5 * board.w_strip


@njit
def best_stack_value(board, host):
    """Return the value of the best target among the spells and maneuvers of `host`; NEVER if it has none."""
    best = NEVER
    for i in range(board.num_stacked):
        if board.stacked_host[i] == host:
            best = max(best, stack_value(board, np.int64(i)))
    return best


@njit
def ability_value(board, verb, target):
    """Return the value of a Capture, Dismiss, Counter or Dispel aimed at `target`."""
    if verb == Verb.COUNTER_TOKEN or verb == Verb.DISPEL:
        return best_stack_value(board, target)
    if is_mine(board, target):
        return NEVER
    worth = board.unit_value[target]
    if verb == Verb.CAPTURE:
        return HALF * worth
    return board.w_dismiss * worth + board.w_attached * board.unit_attached[target]


@njit
def ability_column(verb):
    """Return the column of the ability that a verb activates."""
    if verb == Verb.CAPTURE:
        return Token.CAPTURE
    if verb == Verb.DISMISS:
        return Token.DISMISS
    if verb == Verb.COUNTER_TOKEN:
        return Token.COUNTER
    return Token.DISPEL


@njit
def can_aim(board, verb, unit, target):
    """Return whether own `unit` can aim the ability of `verb` at `target`."""
    if board.unit_idle[unit] == 0 or (unit == target and verb != Verb.COUNTER_TOKEN and verb != Verb.DISPEL):
        return False
    reach = has(board, unit, ability_column(verb))
    if reach == 0 or gap_between(board, board.unit_cell[unit], board.unit_cell[target]) > reach:
        return False
    if verb == Verb.COUNTER_TOKEN or verb == Verb.DISPEL:
        return board.unit_attached[target] > 0
    return not is_mine(board, target) and board.unit_up[target] == 1


# --- any of them


@njit
def is_attack(verb):
    """Return whether `verb` declares an attack by one unit."""
    return verb == Verb.MELEE or verb == Verb.RANGED or verb == Verb.MOVE_ATTACK


@njit
def aim_value(board, verb, unit, target):
    """Return the value of `unit` doing what `verb` names to `target`."""
    value = single_value(board, unit, target, verb) if is_attack(verb) else ability_value(board, verb, target)
    if not is_attack(verb) and board.unit_up[unit] == 0:
        value -= board.w_reveal
    return value


@njit
def best_strike(board, verb, unit):
    """Return the value of the best attack by `unit`; NEVER if it has no target, or none above the floor."""
    best = NEVER
    scatters = is_a(board, unit, SCATTERS)
    if board.unit_idle[unit] == 0 or (verb == Verb.RANGED and board.unit_reach[unit] == 0):
        return best
    if verb == Verb.MOVE_ATTACK and not is_a(board, unit, CHARGES):
        return best
    if verb == Verb.MELEE:
        for direction in range(6):
            target = unit_on(board, board.neighbors[board.unit_cell[unit], direction])
            if target != NO_UNIT and (scatters or may_pay(board, target)) and may_attack(board, unit, target, verb):
                best = max(best, single_value(board, unit, target, verb))
        return best
    has_contact = board.surveyed == PLACES and board.is_light == 0
    if has_contact and board.cell_near[board.unit_cell[unit]] > board.unit_notice[unit]:
        return best
    for i in range(board.num_enemies):
        target = board.enemies[i]
        if (scatters or may_pay(board, target)) and may_attack(board, unit, target, verb):
            best = max(best, single_value(board, unit, target, verb))
    return best


@njit
def best_aim(board, verb, unit):
    """Return the value of the best target of `unit`; NEVER if it has none."""
    if is_attack(verb):
        return best_strike(board, verb, unit)
    best = NEVER
    if has(board, unit, ability_column(verb)) == 0:
        return best
    for target in range(board.num_on_board):
        if can_aim(board, verb, unit, np.int64(target)):
            best = max(best, aim_value(board, verb, unit, np.int64(target)))
    return best


@njit
def best_joint_attack(board, ranged, fallback):
    """Return the value of the best coordinated attack; NEVER if there is none, or none above the floor."""
    best = NEVER
    for i in range(board.num_enemies):
        enemy = board.enemies[i]
        if not may_pay(board, enemy):
            continue
        if not ranged:
            find_pressure(board, enemy)
        if board.unit_up[enemy] == 1 and (ranged or board.unit_pressers[enemy] >= FEWEST):
            best = max(best, joint_attack(board, enemy, ranged, fallback))
    return best


@njit
def verb_value(board, verb, fallback):
    """Return the value of the best attack or aimed ability of this verb."""
    if verb == Verb.COORD_MELEE or verb == Verb.COORD_RANGED:
        return best_joint_attack(board, is_ranged(verb), fallback)
    best = NEVER
    for unit in range(board.num_on_board):
        if is_mine(board, unit):
            best = max(best, best_aim(board, verb, np.int64(unit)))
    return best
