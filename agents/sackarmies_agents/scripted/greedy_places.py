"""What hexes are worth to the units of the greedy General: what they want there, promise there and risk there.

Most hexes do nothing to the stats of most units. There the fights of one unit do not depend on the hex, so that `study`
works them out once, and every such hex sums them up over the enemies beside it without a branch.
"""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.greedy_board import (
    DEFENDS,
    FAR,
    FAVOURS_AQUATIC,
    NO_CELL,
    NO_FIELD,
    SWIMS,
    armor_at,
    damage_at,
    gap_between,
    is_a,
    terrain_bonus,
)
from sackarmies_agents.scripted.greedy_odds import (
    HALF,
    attack_value,
    can_charge,
    can_engage,
    counter_chance,
    joint_value,
    kill_chance,
    progressive_chance,
    single_chance,
)
from sackarmies_env.core.jit import njit

# --- contact


@njit
def touch_ground(board, enemy, bit):
    """Count `enemy`, whose bit is given, among those that are near each hex of the ground, see it, can attack there."""
    q = board.cell_q[board.unit_cell[enemy]]
    r = board.cell_r[board.unit_cell[enemy]]
    sight = board.unit_sight[enemy]
    notice = board.unit_notice[enemy]
    if notice > 1 or board.unit_reach[enemy] > 0:
        board.shooters |= bit
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
    board.shooters = 0
    for i in range(board.num_enemies):
        touch_ground(board, board.enemies[i], np.int64(1) << np.int64(i & 63))
    for i in range(board.num_ground):
        cell = board.ground[i]
        board.cell_near[cell] = board.ground_near[i]
        board.cell_seen[cell] = board.ground_seen[i]
        board.cell_threat[cell] = board.ground_threat[i]


# --- the fights of one unit on plain ground


@njit
def study(board, unit, cell):
    """Work out the melees of own `unit` with the enemies that it can meet on its way to `cell`, unless that is done."""
    radius = gap_between(board, board.unit_cell[unit], cell)
    if board.pair_unit == unit and radius <= board.pair_radius:
        return
    radius = max(radius, board.unit_move[unit])
    board.pair_unit = unit
    board.pair_radius = radius
    board.pair_defends = 0
    for i in range(board.num_enemies):
        board.pair_strike[i] = 0.0
        board.pair_kills[i] = 0.0
        board.pair_loss[i] = 0.0
        board.pair_damage[i] = 0
        board.pair_presses[i] = 0
        if gap_between(board, board.unit_cell[unit], board.unit_cell[board.enemies[i]]) <= radius + 1:
            study_strike(board, unit, i)
            study_assault(board, unit, i)


@njit
def study_strike(board, unit, i):
    """Work out what the best melee of own `unit` with enemy number `i` is worth."""
    enemy = board.enemies[i]
    board.pair_defends |= is_a(board, enemy, DEFENDS)
    if can_engage(board, unit, enemy, board.unit_cell[enemy]):
        value = max(
            attack_value(board, unit, np.int64(NO_CELL), enemy, False),
            joint_value(board, unit, np.int64(NO_CELL), enemy),
        )
        board.pair_strike[i] = max(0.0, value)


@njit
def study_assault(board, unit, i):
    """Work out the odds of a melee of enemy number `i` with own `unit`."""
    enemy = board.enemies[i]
    if can_engage(board, enemy, unit, np.int64(NO_CELL)):
        origin = board.unit_cell[enemy]
        board.pair_kills[i] = kill_chance(board, enemy, origin, unit, np.int64(NO_CELL), False)
        dies = counter_chance(board, enemy, origin, unit, np.int64(NO_CELL), False)
        board.pair_loss[i] = dies * board.unit_value[enemy]
        board.pair_damage[i] = damage_at(board, enemy, origin)
        board.pair_presses[i] = 1


@njit(inlined=True)
def is_plain(board, unit, cell):
    """Return whether the terrain of `cell` changes nothing for `unit`."""
    field = board.cell_field[cell]
    if field == NO_FIELD:
        return True
    if (board.field_traits[field] & FAVOURS_AQUATIC) != 0 and is_a(board, unit, SWIMS):
        return False
    return (
        armor_at(board, unit, cell) == board.unit_armor[unit]
        and terrain_bonus(board, unit, field, board.field_damage[field]) == 0
    )


@njit(inlined=True)
def gap_to_enemy(board, i, cell):
    """Return the number of hexes between enemy number `i` and `cell`."""
    dq = board.enemy_q[i] - board.cell_q[cell]
    dr = board.enemy_r[i] - board.cell_r[cell]
    return max(abs(dq), abs(dr), abs(dq + dr))


# --- what a place threatens


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
def joint_danger(board, unit, cell, beside, shots):
    """Return what the better coordinated attack on own `unit` on `cell` would be worth, by damage in melee and shots."""
    armor = armor_at(board, unit, cell)
    melee = HALF * progressive_chance(beside, armor) * (board.unit_value[unit] + board.cell_stake[cell])
    return max(melee, HALF * single_chance(shots, armor) * board.unit_value[unit])


@njit
def danger(board, unit, cell):
    """Return what the best attack of the enemies on own `unit` on `cell` would be worth to them."""
    threat = board.cell_threat[cell]
    if threat == 0:
        return 0.0
    if (threat & board.shooters) != 0 or is_a(board, unit, DEFENDS) or not is_plain(board, unit, cell):
        return special_danger(board, unit, cell)
    stake = board.cell_stake[cell]
    worst = 0.0
    beside = np.int64(0)
    pressers = np.int64(0)
    for i in range(board.num_enemies):
        touches = np.int64(gap_to_enemy(board, i, cell) == 1)
        value = board.pair_kills[i] * (board.unit_value[unit] + stake * board.enemy_advances[i]) - board.pair_loss[i]
        worst = max(worst, value if touches == 1 else 0.0)
        beside += board.pair_damage[i] * touches
        pressers += board.pair_presses[i] * touches
    return max(worst, joint_danger(board, unit, cell, beside, np.int64(0))) if pressers > 1 else worst


@njit
def special_danger(board, unit, cell):
    """Return the same where the terrain, shots or charges need to be looked at."""
    worst = 0.0
    threat = board.cell_threat[cell]
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
            start = origin if gap == 1 else np.int64(NO_CELL)
            worst = max(worst, enemy_value(board, enemy, start, unit, cell, False))
            if gap == 1:
                beside += damage_at(board, enemy, origin)
                pressers += 1
        if seen and gap <= board.unit_reach[enemy]:
            worst = max(worst, enemy_value(board, enemy, origin, unit, cell, True))
            shots += damage_at(board, enemy, origin)
            shooters += 1
    return max(worst, joint_danger(board, unit, cell, beside if pressers > 1 else 0, shots if shooters > 1 else 0))


# --- what a place promises


@njit
def prospect(board, unit, cell):
    """Return what the best attack that own `unit` could make from `cell` is worth."""
    best = 0.0
    if board.cell_near[cell] > board.unit_notice[unit]:
        return best
    if board.unit_notice[unit] > 1 or board.pair_defends != 0 or not is_plain(board, unit, cell):
        return special_prospect(board, unit, cell)
    for i in range(board.num_enemies):
        best = max(best, board.pair_strike[i] if gap_to_enemy(board, i, cell) == 1 else 0.0)
    return best


@njit
def special_prospect(board, unit, cell):
    """Return the same where the terrain, shots or charges need to be looked at."""
    best = 0.0
    for i in range(board.num_enemies):
        enemy = board.enemies[i]
        place = board.unit_cell[enemy]
        gap = gap_between(board, place, cell)
        if gap > board.unit_notice[unit]:
            continue
        if gap == 1:
            if can_engage(board, unit, enemy, place):
                best = max(best, attack_value(board, unit, cell, enemy, False), joint_value(board, unit, cell, enemy))
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
    study(board, unit, cell)
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
