"""Odds of attacks for the greedy General: its own, those that threaten a place and those that a place allows."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.sack_armies.board import (
    AMBUSHES,
    AQUATIC,
    CHARGES,
    DEFENDS,
    FAVORS_AQUATIC,
    FLIES,
    NO_CELL,
    NO_UNIT,
    SCATTERS,
    SWIMS,
    UNKNOWN,
    WINGED,
    armor_at,
    damage_at,
    gap_between,
    is_a,
    is_mine,
    look,
    unit_on,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import Verb
from sackarmies_env.games.sack_armies.state.layout import Token

HALF = 0.5  # a flip
# Share of an attack's chance that remains, by the number of attachments under the target, which may be hidden.
UNSEEN_SHARES = np.array([0.9**attached for attached in range(4)])

MOST_ARMOR = 31  # in the table of chances

# CHANCES[damage, armor]: chance that progressive flips kill; damage beyond MOST_ARMOR makes no difference.
CHANCES = np.array(
    [
        [HALF ** -(-max(1, armor) // damage) if damage > 0 else 0.0 for armor in range(MOST_ARMOR + 1)]
        for damage in range(MOST_ARMOR + 1)
    ]
)

# --- chances


@njit(inlined=True)
def progressive_chance(damage, armor):
    """Return the chance that progressive flips with a damage rating kill a unit."""
    if armor <= MOST_ARMOR:
        return CHANCES[max(np.int64(0), min(np.int64(MOST_ARMOR), damage)), max(np.int64(0), armor)]
    return HALF ** np.float64((armor + damage - 1) // damage) if damage > 0 else 0.0


@njit(inlined=True)
def single_chance(damage, armor):
    """Return the chance that a single flip with a damage rating kills a unit."""
    return HALF if damage > 0 and damage >= armor else 0.0


@njit(inlined=True)
def can_engage(board, attacker, defender, cell):
    """Return whether neither flying nor water bars `attacker` from melee against `defender` on `cell`."""
    if is_a(board, defender, FLIES) and not is_a(board, attacker, WINGED):
        return False
    if not is_a(board, defender, SWIMS) or (board.field_traits[board.cell_field[cell]] & FAVORS_AQUATIC) == 0:
        return True
    return is_a(board, attacker, AQUATIC)


@njit
def defend_bonus(board, defender, cell, origin):
    """Return what Defend adds to the armor of `defender` on `cell` against an attack from `origin`."""
    bonus = np.int64(0)
    if not is_a(board, defender, DEFENDS) or origin == NO_CELL:
        return bonus
    for direction in range(6):
        neighbor = board.neighbors[cell, direction]
        friend = board.cell_unit[neighbor]
        if friend != NO_UNIT and board.unit_seat[friend] == board.unit_seat[defender]:
            bonus += gap_between(board, neighbor, origin) == 1
    return bonus


@njit(inlined=True)
def kill_chance(board, attacker, origin, defender, cell, ranged):
    """Return the chance that `attacker` on `origin` kills `defender` on `cell`.

    Stats are those that units have now. A face-down attacker is revealed by its attack, and then also has what face-up
    units next to it add with Augment; that is left out here.
    """
    damage = damage_at(board, attacker, origin)
    armor = armor_at(board, defender, cell) + defend_bonus(board, defender, cell, origin)
    return single_chance(damage, armor) if ranged else progressive_chance(damage, armor)


@njit(inlined=True)
def counter_chance(board, attacker, origin, defender, cell, ranged):
    """Return the chance that the counter-attack kills `attacker`."""
    damage = damage_at(board, defender, cell)
    armor = armor_at(board, attacker, origin)
    if not ranged:
        chance = progressive_chance(damage, armor)
        return HALF * chance if is_a(board, attacker, AMBUSHES) else chance
    gap = gap_between(board, origin, cell)
    if board.unit_reach[defender] > 0:
        return single_chance(damage, armor) if gap <= board.unit_reach[defender] else 0.0
    return progressive_chance(damage, armor) if gap == 1 else 0.0


# --- own attacks


@njit
def collateral(board, scatterer, cell):
    """Return the value to the observer of the scatter of a hit on `cell` by `scatterer`, not counting its flip."""
    total = 0.0
    if not is_a(board, scatterer, SCATTERS):
        return total
    amount = look(board, board.unit_row[scatterer], Token.SCATTER)
    for direction in range(6):
        neighbor = board.neighbors[cell, direction]
        victim = unit_on(board, neighbor)
        if victim != NO_UNIT and armor_at(board, victim, neighbor) <= amount:
            worth = board.unit_value[victim]
            total += -board.caution * worth if is_mine(board, victim) else worth
    return total


@njit(inlined=True)
def hidden_below(board, unit):
    """Return the share of an attack's chance that remains, given the target's attachments, which may be hidden."""
    return UNSEEN_SHARES[min(np.int64(3), board.unit_attached[unit])]


@njit(inlined=True)
def prize(board, unit, target, ranged):
    """Return the value of killing `target` in an attack that `unit` makes or leads, including the advance."""
    worth = board.unit_value[target]
    if not ranged and board.unit_move[unit] > 0:
        worth += board.cell_want[board.unit_cell[target]]
    return worth


@njit
def attack_value(board, unit, origin, target, ranged):
    """Return the value of an attack by `unit` on `target` from `origin` (NO_CELL: somewhere next to the target)."""
    cell = board.unit_cell[target]
    kills = kill_chance(board, unit, origin, target, cell, ranged) * hidden_below(board, target)
    dies = counter_chance(board, unit, origin, target, cell, ranged)
    value = kills * prize(board, unit, target, ranged) - board.caution * dies * board.unit_value[unit]
    if board.unit_up[unit] == 0:
        value -= board.w_reveal
    return value + HALF * HALF * collateral(board, unit, cell)


# --- coordinated attacks


@njit(inlined=True)
def can_charge(board, unit, gap):
    """Return whether `unit` can make a Move and Attack on a target `gap` hexes away."""
    return gap - 1 <= board.unit_move[unit] and is_a(board, unit, CHARGES)


@njit
def find_pressure(board, enemy):
    """Find the total damage and the number of own units next to `enemy` that can engage it, unless already known."""
    if board.unit_pressers[enemy] != UNKNOWN:
        return
    board.unit_pressed[enemy] = 0
    board.unit_pressers[enemy] = 0
    for direction in range(6):
        unit = unit_on(board, board.neighbors[board.unit_cell[enemy], direction])
        if unit != NO_UNIT and is_mine(board, unit) and can_engage(board, unit, enemy, board.unit_cell[enemy]):
            board.unit_pressed[enemy] += damage_at(board, unit, board.unit_cell[unit])
            board.unit_pressers[enemy] += 1


@njit
def joint_value(board, unit, cell, enemy):
    """Return the value of a coordinated melee on `enemy` with `unit` on `cell` next to it, including the check."""
    find_pressure(board, enemy)
    damage = board.unit_pressed[enemy]
    others = board.unit_pressers[enemy]
    if gap_between(board, board.unit_cell[unit], board.unit_cell[enemy]) == 1:
        damage -= damage_at(board, unit, board.unit_cell[unit])
        others -= 1
    if others < 1:
        return 0.0
    armor = armor_at(board, enemy, board.unit_cell[enemy])
    kills = progressive_chance(damage + damage_at(board, unit, cell), armor) * hidden_below(board, enemy)
    dies = counter_chance(board, unit, cell, enemy, board.unit_cell[enemy], False)
    return HALF * (kills * prize(board, unit, enemy, False) - board.caution * dies * board.unit_value[unit])


@njit
def is_ranged(verb):
    """Return whether an attack verb declares a ranged attack."""
    return verb == Verb.RANGED or verb == Verb.COORD_RANGED
