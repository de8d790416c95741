"""What the greedy General expects of attacks: his own, those that threaten a place, and those that it promises."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.greedy_board import (
    FAR,
    NO_CELL,
    NO_FIELD,
    NO_UNIT,
    armor_at,
    damage_at,
    gap_between,
    has,
    is_mine,
    look,
    unit_on,
)
from sackarmies_agents.scripted.greedy_ground import flies
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.constants import Verb
from sackarmies_env.games.sack_armies.layout import Token

HALF = 0.5  # a flip
UNSEEN_ATTACHMENT = 0.9  # of an attack's chance, for each hidden spell or maneuver under the target

# --- chances


@njit
def progressive_chance(damage, armor):
    """Return the chance that a progressive flip of a damage rating kills."""
    if damage <= 0:
        return 0.0
    chance = HALF
    total = damage
    while total < armor:
        total += damage
        chance *= HALF
    return chance


@njit
def single_chance(damage, armor):
    """Return the chance that a single flip of a damage rating kills."""
    return HALF if damage > 0 and damage >= armor else 0.0


@njit
def can_engage(board, attacker, defender, cell):
    """Return whether flying or water do not keep `attacker` from a melee against `defender` on `cell`."""
    if flies(board, defender) and has(board, attacker, Token.FLYING) == 0:
        return False
    if board.unit_up[defender] == 0 or has(board, defender, Token.AQUATIC) == 0 or cell == NO_CELL:
        return True
    field = board.cell_field[cell]
    if field == NO_FIELD or look(board, board.field_row[field], Token.FAVOURS_AQUATIC) == 0:
        return True
    return has(board, attacker, Token.AQUATIC) > 0


@njit
def defend_bonus(board, defender, cell, origin):
    """Return what Defend adds to the armor of `defender` on `cell` against an attack from `origin`."""
    if board.unit_up[defender] == 0 or has(board, defender, Token.DEFEND) == 0 or cell == NO_CELL:
        return np.int64(0)
    bonus = np.int64(0)
    for direction in range(6):
        neighbor = board.neighbors[cell, direction]
        friend = unit_on(board, neighbor)
        if friend != NO_UNIT and board.unit_seat[friend] == board.unit_seat[defender]:
            bonus += gap_between(board, neighbor, origin) == 1
    return bonus


@njit
def kill_chance(board, attacker, origin, defender, cell, ranged):
    """Return the chance that `attacker` on `origin` kills `defender` on `cell`."""
    damage = damage_at(board, attacker, origin)
    armor = armor_at(board, defender, cell) + defend_bonus(board, defender, cell, origin)
    return single_chance(damage, armor) if ranged else progressive_chance(damage, armor)


@njit
def counter_chance(board, attacker, origin, defender, cell, ranged):
    """Return the chance that the counter-attack kills `attacker`."""
    damage = damage_at(board, defender, cell)
    armor = armor_at(board, attacker, origin)
    if not ranged:
        chance = progressive_chance(damage, armor)
        return HALF * chance if has(board, attacker, Token.AMBUSH) > 0 else chance
    gap = gap_between(board, origin, cell)
    if board.unit_reach[defender] > 0:
        return single_chance(damage, armor) if gap <= board.unit_reach[defender] else 0.0
    return progressive_chance(damage, armor) if gap == 1 else 0.0


# --- own attacks


@njit
def collateral(board, scatterer, cell):
    """Return what the scatter of a hit on `cell` by `scatterer` is worth to the observer, its flip not counted."""
    amount = has(board, scatterer, Token.SCATTER)
    total = 0.0
    if amount == 0:
        return total
    for direction in range(6):
        neighbor = board.neighbors[cell, direction]
        victim = unit_on(board, neighbor)
        if victim != NO_UNIT and armor_at(board, victim, neighbor) <= amount:
            worth = board.unit_value[victim]
            total += -board.caution * worth if is_mine(board, victim) else worth
    return total


@njit
def hidden_below(board, unit):
    """Return the share of an attack's chance that hidden spells and maneuvers of the target may leave."""
    share = 1.0
    for _ in range(min(np.int64(3), board.unit_attached[unit])):
        share *= UNSEEN_ATTACHMENT
    return share


@njit
def prize(board, unit, target, ranged):
    """Return what it is worth to kill `target` in an attack that `unit` makes or leads, the advance included."""
    worth = board.unit_value[target]
    if not ranged and board.unit_move[unit] > 0:
        worth += board.cell_want[board.unit_cell[target]]
    return worth


@njit
def attack_value(board, unit, origin, target, ranged):
    """Return what an attack of `unit` from `origin` (NO_CELL: from somewhere beside it) on `target` is worth."""
    cell = board.unit_cell[target]
    kills = kill_chance(board, unit, origin, target, cell, ranged) * hidden_below(board, target)
    dies = counter_chance(board, unit, origin, target, cell, ranged)
    value = kills * prize(board, unit, target, ranged) - board.caution * dies * board.unit_value[unit]
    if board.unit_up[unit] == 0:
        value -= board.w_reveal
    return value + HALF * HALF * collateral(board, unit, cell)


# --- what a place threatens and promises


@njit
def find_contact(board):
    """Write for each cell how near enemies are, whether they see it and whether they can attack there."""
    for i in range(board.num_ground):
        cell = board.ground[i]
        near = np.int64(FAR)
        board.cell_seen[cell] = 0
        board.cell_threat[cell] = 0
        for j in range(board.num_enemies):
            enemy = board.enemies[j]
            gap = gap_between(board, board.unit_cell[enemy], cell)
            near = min(near, gap)
            if gap <= board.unit_sight[enemy]:
                board.cell_seen[cell] = 1
            if gap <= board.unit_notice[enemy]:
                board.cell_threat[cell] = 1
        board.cell_near[cell] = near


@njit
def spoils(board, enemy, unit, cell, ranged):
    """Return what it costs the observer if `enemy` kills own `unit` on `cell`, and advances if he can."""
    advances = not ranged and board.unit_move[enemy] > 0
    return board.unit_value[unit] + (board.cell_stake[cell] if advances else 0.0)


@njit
def enemy_value(board, enemy, unit, cell, ranged):
    """Return what an attack of `enemy` on an own unit on `cell` is worth to him."""
    origin = board.unit_cell[enemy] if ranged or gap_between(board, board.unit_cell[enemy], cell) == 1 else NO_CELL
    kills = kill_chance(board, enemy, origin, unit, cell, ranged)
    dies = counter_chance(board, enemy, origin, unit, cell, ranged)
    return kills * spoils(board, enemy, unit, cell, ranged) - dies * board.unit_value[enemy]


@njit
def can_charge(board, unit, gap):
    """Return whether `unit` may move and attack over this distance."""
    return gap - 1 <= board.unit_move[unit] and has(board, unit, Token.MOVE_AND_ATTACK) > 0


@njit
def danger(board, unit, cell):
    """Return what the best attack of the enemies on own `unit` on `cell` would be worth to them."""
    worst = 0.0
    if board.cell_threat[cell] == 0:
        return worst
    seen = board.unit_up[unit] == 1 or board.cell_seen[cell] == 1
    beside = np.int64(0)
    pressers = np.int64(0)
    shots = np.int64(0)
    shooters = np.int64(0)
    for i in range(board.num_enemies):
        enemy = board.enemies[i]
        gap = gap_between(board, board.unit_cell[enemy], cell)
        if (gap == 1 or can_charge(board, enemy, gap)) and can_engage(board, enemy, unit, cell):
            worst = max(worst, enemy_value(board, enemy, unit, cell, False))
            if gap == 1:
                beside += damage_at(board, enemy, board.unit_cell[enemy])
                pressers += 1
        if seen and gap <= board.unit_reach[enemy]:
            worst = max(worst, enemy_value(board, enemy, unit, cell, True))
            shots += damage_at(board, enemy, board.unit_cell[enemy])
            shooters += 1
    armor = armor_at(board, unit, cell)
    if pressers > 1:
        worst = max(worst, HALF * progressive_chance(beside, armor) * (board.unit_value[unit] + board.cell_stake[cell]))
    if shooters > 1:
        worst = max(worst, HALF * single_chance(shots, armor) * board.unit_value[unit])
    return worst


@njit
def find_pressure(board):
    """Write for each enemy how much damage the own units beside it add up to, and how many they are."""
    for i in range(board.num_enemies):
        enemy = board.enemies[i]
        board.unit_pressed[enemy] = 0
        board.unit_pressers[enemy] = 0
        for direction in range(6):
            unit = unit_on(board, board.neighbors[board.unit_cell[enemy], direction])
            if unit != NO_UNIT and is_mine(board, unit) and can_engage(board, unit, enemy, board.unit_cell[enemy]):
                board.unit_pressed[enemy] += damage_at(board, unit, board.unit_cell[unit])
                board.unit_pressers[enemy] += 1


@njit
def joint_value(board, unit, cell, enemy):
    """Return what a coordinated melee on `enemy` is worth with `unit` on `cell` beside it, its check included."""
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
def prospect(board, unit, cell):
    """Return what the best attack that own `unit` could make from `cell` is worth."""
    best = 0.0
    if board.cell_near[cell] > board.unit_notice[unit]:
        return best
    for i in range(board.num_enemies):
        enemy = board.enemies[i]
        gap = gap_between(board, board.unit_cell[enemy], cell)
        if board.unit_up[enemy] == 1 and 1 < gap <= board.unit_reach[unit]:
            best = max(best, attack_value(board, unit, cell, enemy, True))
        if (gap != 1 and not can_charge(board, unit, gap)) or not can_engage(
            board, unit, enemy, board.unit_cell[enemy]
        ):
            continue
        if gap == 1:
            best = max(best, attack_value(board, unit, cell, enemy, False), joint_value(board, unit, cell, enemy))
        else:
            best = max(best, attack_value(board, unit, np.int64(NO_CELL), enemy, False))
    return best


# --- places


@njit
def place_value(board, unit, cell):
    """Return what it is worth to have own `unit` on `cell` at the end of the turn."""
    value = board.cell_want[cell] + board.w_pull * board.cell_pull[cell]
    value += board.w_prospect * prospect(board, unit, cell)
    return value - board.caution * board.w_danger * danger(board, unit, cell)


@njit
def is_ranged(verb):
    """Return whether an attack verb declares a ranged attack."""
    return verb == Verb.RANGED or verb == Verb.COORD_RANGED
