"""Reactions of the greedy General: reveals and surprises in windows, counter-attacks, designations, advances."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.sack_armies.attacks import NEVER
from sackarmies_agents.scripted.sack_armies.board import (
    NO_UNIT,
    armor_at,
    cell_from,
    damage_at,
    fits,
    gap_between,
    has,
    is_mine,
    look,
    see,
)
from sackarmies_agents.scripted.sack_armies.odds import (
    HALF,
    collateral,
    defend_bonus,
    is_ranged,
    prize,
    progressive_chance,
    single_chance,
)
from sackarmies_agents.scripted.sack_armies.places import place_value
from sackarmies_agents.scripted.sack_armies.read import is_spare
from sackarmies_agents.scripted.sack_armies.texts import flip_chance, is_castable, lasting_value, strike_chance, suits
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import Target, Use
from sackarmies_env.games.sack_armies.state.layout import Augmented, Global, Role, Shown, Token

# --- the announced attack


@njit
def attack_target(board):
    """Return the unit under attack, or NO_UNIT."""
    for unit in range(board.num_on_board):
        if look(board, board.unit_row[unit], Token.ATTACK_ROLE) == Role.TARGET:
            return np.int64(unit)
    return np.int64(NO_UNIT)


@njit
def is_attacker(board, unit):
    """Return whether `unit` is an attacker."""
    role = look(board, board.unit_row[unit], Token.ATTACK_ROLE)
    return role == Role.ACTS or role == Role.DESIGNATED


@njit
def first_attacker(board):
    """Return the first attacker, or NO_UNIT."""
    for unit in range(board.num_on_board):
        if is_attacker(board, unit):
            return np.int64(unit)
    return np.int64(NO_UNIT)


@njit
def count_attackers(board):
    """Return the number of attackers."""
    count = np.int64(0)
    for unit in range(board.num_on_board):
        count += is_attacker(board, unit)
    return count


@njit
def hit_chance(board, target, armor, damage):
    """Return the chance that the announced attack kills `target`, with `armor` and `damage` added to the stats.

    In coordinated attacks Defend is approximated, as in `attacks.group_value`: of what it would add against each
    attacker alone, the most is taken. By the rules it adds 1 for each friend next to the target and to any attacker.
    """
    cell = board.unit_cell[target]
    bonus = np.int64(0)
    for unit in range(board.num_on_board):
        if is_attacker(board, unit):
            damage += damage_at(board, unit, board.unit_cell[unit]) - board.unit_spare_damage[unit]
            bonus = max(bonus, defend_bonus(board, target, cell, board.unit_cell[unit]))
    armor += armor_at(board, target, cell) - board.unit_spare_armor[target] + bonus
    if is_ranged(see(board, Global.ATTACK_VERB)):
        return single_chance(damage, armor)
    return progressive_chance(damage, armor)


@njit
def reply_chance(board, target, unit, armor, damage):
    """Return the chance that a counter-attack by `target` kills attacker `unit`, with `armor` and `damage` added."""
    gap = gap_between(board, board.unit_cell[unit], board.unit_cell[target])
    damage += damage_at(board, target, board.unit_cell[target]) - board.unit_spare_damage[target]
    armor += armor_at(board, unit, board.unit_cell[unit]) - board.unit_spare_armor[unit]
    if is_ranged(see(board, Global.ATTACK_VERB)) and board.unit_reach[target] > 0:
        return single_chance(damage, armor) if gap <= board.unit_reach[target] else 0.0
    return progressive_chance(damage, armor) if gap == 1 else 0.0


@njit
def reply_value(board, target, armor, damage):
    """Return the value that the counter-attack takes from the attackers, who choose which of them it hits."""
    least = -NEVER
    for unit in range(board.num_on_board):
        if is_attacker(board, unit):
            least = min(least, reply_chance(board, target, np.int64(unit), armor, damage) * board.unit_value[unit])
    return least if least < -NEVER else 0.0


@njit
def defense_value(board, target, armor, damage):
    """Return the value of the announced attack to the General of `target`, with its stats raised by this much."""
    gain = reply_value(board, target, np.int64(0), damage)
    return gain - hit_chance(board, target, armor, np.int64(0)) * board.unit_value[target]


@njit
def offense_value(board, target, armor, damage):
    """Return the value of the announced attack to the attacker, with their stats raised by this much."""
    ranged = is_ranged(see(board, Global.ATTACK_VERB))
    gain = hit_chance(board, target, np.int64(0), damage) * prize(board, first_attacker(board), target, ranged)
    return gain - board.caution * reply_value(board, target, armor, np.int64(0))


@njit
def raised_value(board, target, armor, damage):
    """Return the value of raising the own side's stats by this much in the announced attack; 0 for bystanders."""
    nothing = np.int64(0)
    if is_mine(board, target):
        return defense_value(board, target, armor, damage) - defense_value(board, target, nothing, nothing)
    if is_mine(board, first_attacker(board)):
        return offense_value(board, target, armor, damage) - offense_value(board, target, nothing, nothing)
    return 0.0


# --- reveals


@njit
def is_in_fight(board, unit, target):
    """Return whether own `unit` takes part in the announced attack."""
    return is_mine(board, unit) and (unit == target or is_attacker(board, unit))


@njit
def unveil_value(board, unit):
    """Return the value of revealing own face-down `unit` in an attack, as an augmenter of those who fight."""
    target = attack_target(board)
    row = board.unit_row[unit]
    amount = look(board, row, Token.AUGMENT_AMOUNT)
    if target == NO_UNIT or amount == 0:
        return NEVER
    armor = amount if look(board, row, Token.AUGMENTED) == Augmented.ARMOR else np.int64(0)
    damage = amount if look(board, row, Token.AUGMENTED) == Augmented.DAMAGE else np.int64(0)
    for fighter in range(board.num_on_board):
        if (
            is_in_fight(board, fighter, target)
            and gap_between(board, board.unit_cell[unit], board.unit_cell[fighter]) == 1
            and fits(board, row, fighter)
        ):
            return raised_value(board, target, armor, damage) - board.w_reveal
    return NEVER


@njit
def unveil_token_value(board, i):
    """Return the value of revealing entry `i` of the spells and maneuvers in an attack."""
    target = attack_target(board)
    row = board.stacked_row[i]
    host = board.stacked_host[i]
    if target == NO_UNIT or not is_spare(board, row) or not is_in_fight(board, host, target):
        return NEVER
    armor = look(board, row, Token.ARMOR)
    if host == target and look(board, row, Token.DEFEND) > 0 and has(board, host, Token.DEFEND) == 0:
        armor += 1
    return raised_value(board, target, armor, look(board, row, Token.DAMAGE)) - HALF * board.w_reveal


@njit
def best_unveiling(board):
    """Return the value of the best reveal of a unit in the announced attack."""
    best = NEVER
    for unit in range(board.num_on_board):
        if is_mine(board, unit) and board.unit_up[unit] == 0:
            best = max(best, unveil_value(board, np.int64(unit)))
    return best


@njit
def best_token_unveiling(board, host):
    """Return the value of the best reveal of a spell or maneuver of `host` (NO_UNIT: of any unit)."""
    best = NEVER
    for i in range(board.num_stacked):
        if host == NO_UNIT or board.stacked_host[i] == host:
            best = max(best, unveil_token_value(board, np.int64(i)))
    return best


# --- surprise maneuvers


@njit
def escape_value(board, row, target):
    """Return the value of the defender leaving its hex."""
    return -defense_value(board, target, np.int64(0), np.int64(0)) * flip_chance(look(board, row, Token.FLIP))


@njit
def swap_value(board, target, cell):
    """Return the value of the unit on `cell` taking the defender's place."""
    other = board.cell_unit[cell]
    if other == NO_UNIT or other == target:
        return NEVER
    damage = np.int64(0)
    for unit in range(board.num_on_board):
        if is_attacker(board, unit):
            damage += damage_at(board, unit, board.unit_cell[unit])
    armor = armor_at(board, other, board.unit_cell[target])
    ranged = is_ranged(see(board, Global.ATTACK_VERB))
    dies = single_chance(damage, armor) if ranged else progressive_chance(damage, armor)
    return -dies * board.unit_value[other] - defense_value(board, target, np.int64(0), np.int64(0))


@njit
def strike_back_value(board, row, target, cell):
    """Return the value of damaging the unit on `cell` with a maneuver."""
    victim = board.cell_unit[cell]
    if victim == NO_UNIT or is_mine(board, victim):
        return NEVER
    worth = board.unit_value[victim]
    if is_attacker(board, victim) and count_attackers(board) == 1:
        worth -= defense_value(board, target, np.int64(0), np.int64(0))
    return strike_chance(board, row, victim) * worth


@njit
def lasting_surprise_value(board, row, target, cell):
    """Return the value of laying a permanent maneuver on the unit on `cell`."""
    unit = board.cell_unit[cell]
    if unit == NO_UNIT:
        return NEVER
    value = HALF * lasting_value(board, row, unit) * (1.0 if is_mine(board, unit) else -1.0)
    armor = look(board, row, Token.ARMOR)
    damage = look(board, row, Token.DAMAGE)
    now = defense_value(board, target, np.int64(0), np.int64(0))
    if unit == target:
        value += defense_value(board, target, armor, damage) - now
    elif is_attacker(board, unit):
        value -= hit_chance(board, target, np.int64(0), damage) * board.unit_value[target]
        value += hit_chance(board, target, np.int64(0), np.int64(0)) * board.unit_value[target]
    return value


@njit
def surprise_on(board, row, target, cell):
    """Return the value of a surprise with the maneuver in `row`, aimed at `cell`."""
    if look(board, row, Token.USE) == Use.PERMANENT:
        return lasting_surprise_value(board, row, target, cell)
    if look(board, row, Token.SWAP) > 0:
        return swap_value(board, target, cell)
    if look(board, row, Token.STRIKE) > 0:
        return strike_back_value(board, row, target, cell)
    if board.cell_unit[cell] != target:
        return 0.0
    if look(board, row, Token.RELOCATE) > 0:
        return escape_value(board, row, target)
    return raised_value(board, target, look(board, row, Token.ARMOR), look(board, row, Token.DAMAGE))


@njit
def surprise_value(board, i):
    """Return the value of a surprise with entry `i` of the spells and maneuvers; NEVER if it is no surprise."""
    target = attack_target(board)
    row = board.stacked_row[i]
    if target == NO_UNIT or board.stacked_host[i] != target or not is_castable(board, i):
        return NEVER
    if look(board, row, Token.KIND) != Shown.MANEUVER:
        return NEVER
    cost = board.w_spend * (HALF if look(board, row, Token.RETAIN) == 1 else 1.0)
    if look(board, row, Token.TARGET) == Target.HOST:
        return surprise_on(board, row, target, board.unit_cell[target]) - cost
    best = NEVER
    for k in range(board.num_ground):
        if suits(board, row, target, board.ground[k]):
            best = max(best, surprise_on(board, row, target, board.ground[k]))
    return best - cost


@njit
def best_surprise(board):
    """Return the value of the best surprise maneuver; NEVER if there is none."""
    best = NEVER
    for i in range(board.num_stacked):
        best = max(best, surprise_value(board, np.int64(i)))
    return best


# --- counter-attack, designation, advance


@njit
def counter_value(board):
    """Return the value of a counter-attack; only its own scatter can make it a bad idea."""
    target = attack_target(board)
    unit = first_attacker(board)
    if target == NO_UNIT or unit == NO_UNIT:
        return 1.0
    gain = reply_chance(board, target, unit, np.int64(0), np.int64(0)) * board.unit_value[unit]
    return 0.01 + gain + HALF * HALF * collateral(board, target, board.unit_cell[unit])


@njit
def designation_value(board, unit):
    """Return the value of `unit` taking the counter-attack."""
    target = attack_target(board)
    if target == NO_UNIT:
        return 0.0
    return -reply_chance(board, target, unit, np.int64(0), np.int64(0)) * board.unit_value[unit]


@njit
def advance_value(board, unit):
    """Return how much `unit` improves its place by advancing to the hex that was attacked."""
    cell = cell_from(board, see(board, Global.ATTACK_Q), see(board, Global.ATTACK_R))
    return place_value(board, unit, cell) - place_value(board, unit, board.unit_cell[unit])
