"""What the greedy General expects of attacks: his own, those that threaten a place, and those that it promises."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.greedy_board import (
    AMBUSHES,
    AQUATIC,
    CHARGES,
    DEFENDS,
    FAR,
    FAVOURS_AQUATIC,
    FLIES,
    NO_CELL,
    NO_UNIT,
    SCATTERS,
    SWIMS,
    UNKNOWN,
    WINGED,
    armor_at,
    armor_bonus,
    damage_at,
    damage_bonus,
    gap_between,
    is_a,
    is_mine,
    look,
    unit_on,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.constants import Verb
from sackarmies_env.games.sack_armies.layout import Token

HALF = 0.5  # a flip
# Of an attack's chance, by the number of spells and maneuvers under the target, which may be hidden ones.
UNSEEN_SHARES = np.array([0.9**attached for attached in range(4)])

STRIKE, ASSAULT = 1, 2  # what is known of a pair of units: the worth of an own melee, the odds of the enemy's
MOST_ARMOR = 31  # in the table of chances

# CHANCES[damage, armor]: that a progressive flip kills; more damage than MOST_ARMOR is no better there.
CHANCES = np.array(
    [
        [HALF ** -(-max(1, armor) // damage) if damage > 0 else 0.0 for armor in range(MOST_ARMOR + 1)]
        for damage in range(MOST_ARMOR + 1)
    ]
)

# --- chances


@njit(inlined=True)
def progressive_chance(damage, armor):
    """Return the chance that a progressive flip of a damage rating kills."""
    if armor <= MOST_ARMOR:
        return CHANCES[max(np.int64(0), min(np.int64(MOST_ARMOR), damage)), max(np.int64(0), armor)]
    return HALF ** np.float64((armor + damage - 1) // damage) if damage > 0 else 0.0


@njit(inlined=True)
def single_chance(damage, armor):
    """Return the chance that a single flip of a damage rating kills."""
    return HALF if damage > 0 and damage >= armor else 0.0


@njit(inlined=True)
def can_engage(board, attacker, defender, cell):
    """Return whether flying or water do not keep `attacker` from a melee against `defender` on `cell`."""
    if is_a(board, defender, FLIES) and not is_a(board, attacker, WINGED):
        return False
    if not is_a(board, defender, SWIMS) or (board.field_traits[board.cell_field[cell]] & FAVOURS_AQUATIC) == 0:
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
    """Return the chance that `attacker` on `origin` kills `defender` on `cell`."""
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
    """Return what the scatter of a hit on `cell` by `scatterer` is worth to the observer, its flip not counted."""
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
    """Return the share of an attack's chance that hidden spells and maneuvers of the target may leave."""
    return UNSEEN_SHARES[min(np.int64(3), board.unit_attached[unit])]


@njit(inlined=True)
def prize(board, unit, target, ranged):
    """Return what it is worth to kill `target` in an attack that `unit` makes or leads, the advance included."""
    worth = board.unit_value[target]
    if not ranged and board.unit_move[unit] > 0:
        worth += board.cell_want[board.unit_cell[target]]
    return worth


@njit(inlined=True)
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
def study(board, unit):
    """Turn to own `unit`: forget what has been found out about the fights of another."""
    if board.pair_unit == unit:
        return
    board.pair_unit = unit
    for i in range(board.num_enemies):
        board.pair_known[i] = 0


@njit(inlined=True)
def is_plain(board, unit, cell):
    """Return whether the terrain of `cell` does nothing to the stats of `unit`."""
    return armor_bonus(board, unit, cell) == 0 and damage_bonus(board, unit, cell) == 0


@njit
def touch_ground(board, enemy, bit):
    """Count `enemy`, whose bit is given, among those that are near each hex of the ground, see it, can attack there."""
    q = board.cell_q[board.unit_cell[enemy]]
    r = board.cell_r[board.unit_cell[enemy]]
    sight = board.unit_sight[enemy]
    notice = board.unit_notice[enemy]
    for i in range(board.num_ground):
        dq = board.ground_q[i] - q
        dr = board.ground_r[i] - r
        gap = max(abs(dq), abs(dr), abs(dq + dr))
        board.ground_near[i] = min(board.ground_near[i], gap)
        board.ground_seen[i] |= np.int64(gap <= sight)
        board.ground_threat[i] |= bit if gap <= notice else np.int64(0)


@njit
def find_contact(board):
    """Write for each cell how near enemies are, whether they see it and which of them can attack there."""
    for i in range(board.num_ground):
        board.ground_q[i] = board.cell_q[board.ground[i]]
        board.ground_r[i] = board.cell_r[board.ground[i]]
        board.ground_near[i] = FAR
        board.ground_seen[i] = 0
        board.ground_threat[i] = 0
    for i in range(board.num_enemies):
        touch_ground(board, board.enemies[i], np.int64(1) << np.int64(i & 63))
    for i in range(board.num_ground):
        cell = board.ground[i]
        board.cell_near[cell] = board.ground_near[i]
        board.cell_seen[cell] = board.ground_seen[i]
        board.cell_threat[cell] = board.ground_threat[i]


@njit(inlined=True)
def spoils(board, enemy, unit, cell, ranged):
    """Return what it costs the observer if `enemy` kills own `unit` on `cell`, and advances if he can."""
    advances = not ranged and board.unit_move[enemy] > 0
    return board.unit_value[unit] + (board.cell_stake[cell] if advances else 0.0)


@njit(inlined=True)
def enemy_value(board, enemy, origin, unit, cell, ranged):
    """Return what an attack of `enemy` from `origin` on an own unit on `cell` is worth to him."""
    kills = kill_chance(board, enemy, origin, unit, cell, ranged)
    dies = counter_chance(board, enemy, origin, unit, cell, ranged)
    return kills * spoils(board, enemy, unit, cell, ranged) - dies * board.unit_value[enemy]


@njit(inlined=True)
def can_charge(board, unit, gap):
    """Return whether `unit` may move and attack over this distance."""
    return gap - 1 <= board.unit_move[unit] and is_a(board, unit, CHARGES)


@njit
def assault_value(board, i, unit, cell, plain):
    """Return what a melee of enemy number `i`, who stands beside `cell`, on own `unit` there is worth to him.

    `plain`: the terrain does nothing to the unit; then the odds are the same on all such cells.
    """
    enemy = board.enemies[i]
    if not plain or (board.pair_known[i] & ASSAULT) == 0:
        origin = board.unit_cell[enemy]
        board.pair_kills[i] = kill_chance(board, enemy, origin, unit, cell, False)
        board.pair_dies[i] = counter_chance(board, enemy, origin, unit, cell, False)
        lasts = plain and not is_a(board, unit, DEFENDS)
        board.pair_known[i] = (board.pair_known[i] & STRIKE) | (ASSAULT if lasts else 0)
    return board.pair_kills[i] * spoils(board, enemy, unit, cell, False) - board.pair_dies[i] * board.unit_value[enemy]


@njit
def danger(board, unit, cell):
    """Return what the best attack of the enemies on own `unit` on `cell` would be worth to them."""
    worst = 0.0
    threat = board.cell_threat[cell]
    if threat == 0:
        return worst
    plain = is_plain(board, unit, cell)
    seen = board.unit_up[unit] == 1 or board.cell_seen[cell] == 1
    beside = np.int64(0)
    pressers = np.int64(0)
    shots = np.int64(0)
    shooters = np.int64(0)
    for i in range(board.num_enemies):
        if (threat >> np.int64(i & 63)) & 1 == 0:
            continue
        enemy = board.enemies[i]
        origin = board.unit_cell[enemy]
        gap = gap_between(board, origin, cell)
        if (gap == 1 or can_charge(board, enemy, gap)) and can_engage(board, enemy, unit, cell):
            if gap == 1:
                worst = max(worst, assault_value(board, i, unit, cell, plain))
                beside += damage_at(board, enemy, origin)
                pressers += 1
            else:
                worst = max(worst, enemy_value(board, enemy, np.int64(NO_CELL), unit, cell, False))
        if seen and gap <= board.unit_reach[enemy]:
            worst = max(worst, enemy_value(board, enemy, origin, unit, cell, True))
            shots += damage_at(board, enemy, origin)
            shooters += 1
    return max(worst, joint_danger(board, unit, cell, beside if pressers > 1 else 0, shots if shooters > 1 else 0))


@njit(inlined=True)
def joint_danger(board, unit, cell, beside, shots):
    """Return what the better coordinated attack on own `unit` on `cell` would be worth, by damage in melee and shots."""
    armor = armor_at(board, unit, cell)
    melee = HALF * progressive_chance(beside, armor) * (board.unit_value[unit] + board.cell_stake[cell])
    return max(melee, HALF * single_chance(shots, armor) * board.unit_value[unit])


@njit
def find_pressure(board, enemy):
    """Find out how much damage the own units beside `enemy` add up to, and how many they are, once."""
    if board.unit_pressers[enemy] != UNKNOWN:
        return
    board.unit_pressed[enemy] = 0
    board.unit_pressers[enemy] = 0
    for direction in range(6):
        unit = unit_on(board, board.neighbors[board.unit_cell[enemy], direction])
        if unit != NO_UNIT and is_mine(board, unit) and can_engage(board, unit, enemy, board.unit_cell[enemy]):
            board.unit_pressed[enemy] += damage_at(board, unit, board.unit_cell[unit])
            board.unit_pressers[enemy] += 1


@njit(inlined=True)
def joint_value(board, unit, cell, enemy):
    """Return what a coordinated melee on `enemy` is worth with `unit` on `cell` beside it, its check included."""
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
def strike_value(board, unit, cell, i, plain):
    """Return what the best melee of own `unit` on `cell` with enemy number `i`, who stands beside it, is worth.

    `plain`: the terrain does nothing to the unit; then it is worth the same on all such cells.
    """
    if plain and (board.pair_known[i] & STRIKE) != 0:
        return board.pair_strike[i]
    enemy = board.enemies[i]
    value = 0.0
    if can_engage(board, unit, enemy, board.unit_cell[enemy]):
        value = max(attack_value(board, unit, cell, enemy, False), joint_value(board, unit, cell, enemy))
    if plain and not is_a(board, enemy, DEFENDS):
        board.pair_strike[i] = value
        board.pair_known[i] |= STRIKE
    return value


@njit
def prospect(board, unit, cell):
    """Return what the best attack that own `unit` could make from `cell` is worth."""
    best = 0.0
    if board.cell_near[cell] > board.unit_notice[unit]:
        return best
    plain = is_plain(board, unit, cell)
    for i in range(board.num_enemies):
        enemy = board.enemies[i]
        place = board.unit_cell[enemy]
        gap = gap_between(board, place, cell)
        if gap > board.unit_notice[unit]:
            continue
        if gap == 1:
            best = max(best, strike_value(board, unit, cell, i, plain))
            continue
        if board.unit_up[enemy] == 1 and gap <= board.unit_reach[unit]:
            best = max(best, attack_value(board, unit, cell, enemy, True))
        if can_charge(board, unit, gap) and can_engage(board, unit, enemy, place):
            best = max(best, attack_value(board, unit, np.int64(NO_CELL), enemy, False))
    return best


# --- places


@njit(inlined=True)
def lure(board, unit, cell):
    """Return what it is worth to have own `unit` on `cell` at the end of the turn, but for the danger."""
    study(board, unit)
    value = board.cell_want[cell] + board.w_pull * board.cell_pull[cell]
    return value + board.w_prospect * prospect(board, unit, cell)


@njit
def place_value(board, unit, cell):
    """Return what it is worth to have own `unit` on `cell` at the end of the turn."""
    return lure(board, unit, cell) - board.caution * board.w_danger * danger(board, unit, cell)


@njit
def better_place(board, unit, cell, best):
    """Return what own `unit` on `cell` is worth, or `best` if that is more: then danger need not be weighed."""
    value = lure(board, unit, cell)
    if value <= best:
        return best
    return max(best, value - board.caution * board.w_danger * danger(board, unit, cell))


@njit
def is_ranged(verb):
    """Return whether an attack verb declares a ranged attack."""
    return verb == Verb.RANGED or verb == Verb.COORD_RANGED
