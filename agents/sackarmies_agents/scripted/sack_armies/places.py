"""Worth of hexes to the units of the greedy General: gains, prospects and dangers there.

Most hexes do not change the stats of most units. There the odds of a fight depend only on the distance to the enemy,
not on the hex: `study` works them out once for a unit, and each such hex looks them up, without a branch.
"""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.sack_armies.board import (
    AMBUSHES,
    CHARGES,
    DEFENDS,
    FAR,
    FAVORS_AQUATIC,
    NO_CELL,
    SCATTERS,
    SWIMS,
    UNKNOWN,
    armor_at,
    concerns,
    damage_at,
    gap_between,
    is_a,
)
from sackarmies_agents.scripted.sack_armies.odds import (
    HALF,
    attack_value,
    can_charge,
    can_engage,
    collateral,
    counter_chance,
    find_pressure,
    hidden_below,
    joint_value,
    kill_chance,
    progressive_chance,
    single_chance,
)
from sackarmies_env.core.bits import NO_BITS, WORD_BITS, bit, has_bit, lowest_bit, without_lowest
from sackarmies_env.core.jit import njit

FEWEST = 2  # attackers in a coordinated attack
ALL_BITS = ~NO_BITS

# --- contact


@njit(inlined=True)
def touch_ground(board, enemy, member):
    """Register `enemy`, whose bit is `member`, at each hex of the ground that it is near, sees or can attack."""
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
        board.ground_threat[i] |= member if gap <= notice else NO_BITS
        board.ground_touch[i] |= member if gap <= 1 else NO_BITS


@njit
def find_contact(board):
    """Write for each cell how near enemies are, whether they see it and which of them can attack there."""
    board.defenders = NO_BITS
    for i in range(board.num_ground):
        board.ground_q[i] = board.cell_q[board.ground[i]]
        board.ground_r[i] = board.cell_r[board.ground[i]]
        board.ground_near[i] = FAR
        board.ground_seen[i] = 0
        board.ground_threat[i] = NO_BITS
        board.ground_touch[i] = NO_BITS
    for i in range(board.num_enemies):
        member = bit(i % WORD_BITS)
        touch_ground(board, board.enemies[i], member)
        muster(board, i, board.enemies[i], member)
    for i in range(board.num_ground):
        cell = board.ground[i]
        board.cell_near[cell] = board.ground_near[i]
        board.cell_seen[cell] = board.ground_seen[i]
        board.cell_threat[cell] = board.ground_threat[i]
        board.cell_touch[cell] = board.ground_touch[i]


@njit(inlined=True)
def muster(board, i, enemy, member):
    """Write what matters in fights with `enemy`, number `i`, whose bit is `member`."""
    cell = board.unit_cell[enemy]
    board.enemy_q[i] = board.cell_q[cell]
    board.enemy_r[i] = board.cell_r[cell]
    board.enemy_reach[i] = board.unit_reach[enemy]
    board.enemy_leap[i] = board.unit_move[enemy] + 1 if is_a(board, enemy, CHARGES) else np.int64(1)
    board.enemy_damage[i] = damage_at(board, enemy, cell)
    board.enemy_armor[i] = armor_at(board, enemy, cell)
    board.enemy_worth[i] = board.unit_value[enemy]
    board.enemy_share[i] = hidden_below(board, enemy)
    board.enemy_want[i] = board.cell_want[cell]
    board.enemy_advances[i] = 1.0 if board.unit_move[enemy] > 0 else 0.0
    if is_a(board, enemy, DEFENDS):
        board.defenders |= member


# --- the fights of one unit on plain ground


@njit(inlined=True)
def study(board, unit, cell):
    """Work out the fights of own `unit` with the enemies that it can meet on its way to `cell`, unless already done."""
    radius = gap_between(board, board.unit_cell[unit], cell)
    if board.pair_unit != unit or radius > board.pair_radius:
        study_all(board, unit, max(radius, board.unit_move[unit]))


@njit
def study_all(board, unit, radius):
    """Work out the fights of own `unit` with the enemies that it can meet within `radius` hexes of its place."""
    board.pair_unit = unit
    board.pair_radius = radius
    board.pair_best = 0.0
    for i in range(board.num_enemies):
        enemy = board.enemies[i]
        contact = max(board.unit_notice[unit], board.unit_notice[enemy])
        if gap_to_enemy(board, i, board.unit_cell[unit]) <= radius + contact:
            study_melee(board, unit, i)
            study_assault(board, unit, i)
            if board.unit_reach[unit] > 0 or board.enemy_reach[i] > 0:
                study_shots(board, unit, i)


@njit(inlined=True)
def extras(board, unit, enemy):
    """Return the gains and costs of an attack by own `unit` on `enemy` apart from the odds."""
    value = -board.w_reveal if board.unit_up[unit] == 0 else 0.0
    if is_a(board, unit, SCATTERS):
        value += HALF * HALF * collateral(board, unit, board.unit_cell[enemy])
    return value


@njit(inlined=True)
def study_melee(board, unit, i):
    """Work out the values of melees by own `unit` on enemy number `i`: alone, and with others already next to it."""
    enemy = board.enemies[i]
    board.pair_attack[i] = 0.0
    board.pair_strike[i] = 0.0
    if not can_engage(board, unit, enemy, board.unit_cell[enemy]):
        return
    armor = board.enemy_armor[i]
    damage = max(np.int64(0), board.unit_damage[unit])
    dies = progressive_chance(board.enemy_damage[i], board.unit_armor[unit])
    dies = HALF * dies if is_a(board, unit, AMBUSHES) else dies
    risk = board.caution * dies * board.unit_value[unit]
    prize = board.enemy_worth[i] + board.enemy_want[i] if board.unit_move[unit] > 0 else board.enemy_worth[i]
    kills = progressive_chance(damage, armor) * board.enemy_share[i]
    board.pair_attack[i] = kills * prize - risk + extras(board, unit, enemy)
    if board.unit_pressers[enemy] == UNKNOWN:
        find_pressure(board, enemy)
    others = board.unit_pressers[enemy]
    joined = board.unit_pressed[enemy] + damage
    if gap_to_enemy(board, i, board.unit_cell[unit]) == 1:
        others -= 1
        joined -= damage_at(board, unit, board.unit_cell[unit])
    kills = progressive_chance(joined, armor) * board.enemy_share[i]
    joint = HALF * (kills * prize - risk) if others > 0 else 0.0
    board.pair_strike[i] = max(board.pair_attack[i], joint)
    board.pair_best = max(board.pair_best, board.pair_strike[i])


@njit(inlined=True)
def study_assault(board, unit, i):
    """Work out the odds of melees by enemy number `i` on own `unit`: from where it stands, and after a charge."""
    enemy = board.enemies[i]
    engages = can_engage(board, enemy, unit, np.int64(NO_CELL))
    armor = board.unit_armor[unit]
    damage = max(np.int64(0), board.unit_damage[unit]) if engages else np.int64(0)
    worth = HALF * board.enemy_worth[i] if is_a(board, enemy, AMBUSHES) else board.enemy_worth[i]
    beside = board.enemy_damage[i] if engages else np.int64(0)
    charging = max(np.int64(0), board.unit_damage[enemy]) if engages else np.int64(0)
    board.pair_kills[i] = progressive_chance(beside, armor)
    board.pair_loss[i] = progressive_chance(damage, board.enemy_armor[i]) * worth
    board.pair_charge_kills[i] = progressive_chance(charging, armor)
    board.pair_charge_loss[i] = progressive_chance(damage, board.unit_armor[enemy]) * worth
    board.pair_damage[i] = beside
    board.pair_presses[i] = engages


@njit(inlined=True)
def study_shots(board, unit, i):
    """Work out the values of shots between own `unit` and enemy number `i`, answered and unanswered."""
    enemy = board.enemies[i]
    damage = max(np.int64(0), board.unit_damage[unit])
    armor = board.unit_armor[unit]
    kills = single_chance(damage, board.enemy_armor[i]) * board.enemy_share[i]
    dies = single_chance(board.enemy_damage[i], armor)
    risk = board.caution * dies * board.unit_value[unit]
    extra = extras(board, unit, enemy)
    is_up = board.unit_up[enemy] == 1
    board.pair_free_shot[i] = kills * board.enemy_worth[i] + extra if is_up else 0.0
    board.pair_shot[i] = kills * board.enemy_worth[i] - risk + extra if is_up else 0.0
    board.pair_best = max(board.pair_best, board.pair_free_shot[i])
    hit = dies * board.unit_value[unit]
    shoots = board.unit_reach[unit] > 0
    answer = single_chance(damage, board.enemy_armor[i]) if shoots else progressive_chance(damage, board.enemy_armor[i])
    board.pair_free_hit[i] = hit
    board.pair_hit[i] = hit - answer * board.enemy_worth[i]


@njit(inlined=True)
def is_plain(board, unit, cell):
    """Return whether the terrain of `cell` changes nothing for `unit`."""
    field = board.cell_field[cell]
    if (board.field_traits[field] & FAVORS_AQUATIC) != 0 and is_a(board, unit, SWIMS):
        return False
    return not concerns(board, field, unit)


@njit(inlined=True)
def gap_to_enemy(board, i, cell):
    """Return the number of hexes between enemy number `i` and `cell`."""
    dq = board.enemy_q[np.uint64(i)] - board.cell_q[np.uint64(cell)]
    dr = board.enemy_r[np.uint64(i)] - board.cell_r[np.uint64(cell)]
    return max(abs(dq), abs(dr), abs(dq + dr))


# --- what a place threatens


@njit(inlined=True)
def spoils(board, enemy, unit, cell, ranged):
    """Return the observer's loss if `enemy` kills own `unit` on `cell`, and advances if it can."""
    advances = not ranged and board.unit_move[enemy] > 0
    return board.unit_value[unit] + (board.cell_stake[cell] if advances else 0.0)


@njit
def enemy_value(board, enemy, origin, unit, cell, ranged):
    """Return the value to `enemy` of its attack from `origin` on own `unit` on `cell`."""
    kills = kill_chance(board, enemy, origin, unit, cell, ranged)
    dies = counter_chance(board, enemy, origin, unit, cell, ranged)
    return kills * spoils(board, enemy, unit, cell, ranged) - dies * board.unit_value[enemy]


@njit(inlined=True)
def joint_danger(board, unit, cell, beside, shots):
    """Return the value of the best coordinated attack on own `unit` on `cell`, by damage of melees and of shots."""
    armor = armor_at(board, unit, cell)
    melee = HALF * progressive_chance(beside, armor) * (board.unit_value[unit] + board.cell_stake[cell])
    return max(melee, HALF * single_chance(shots, armor) * board.unit_value[unit])


@njit(inlined=True)
def assault_value(board, i, worth, stake, gap):
    """Return the value to enemy number `i` of a melee over this distance, by what it may win."""
    kills = board.pair_kills[i]
    loss = board.pair_loss[i]
    charge_kills = board.pair_charge_kills[i]
    charge_loss = board.pair_charge_loss[i]
    chance = kills if gap == 1 else charge_kills
    cost = loss if gap == 1 else charge_loss
    value = chance * (worth + stake * board.enemy_advances[i]) - cost
    return value if gap <= board.enemy_leap[i] else 0.0


@njit(inlined=True)
def hit_value(board, i, gap, answered):
    """Return the value to enemy number `i` of a shot over this distance; it is answered up to `answered` hexes."""
    hit = board.pair_hit[i]
    free_hit = board.pair_free_hit[i]
    value = hit if gap <= answered else free_hit
    return value if gap <= board.enemy_reach[i] else 0.0


@njit
def danger(board, unit, cell):
    """Return the value to the enemies of their best attack on own `unit` on `cell`.

    An enemy may stand there now, as where a melee would end. It does not shoot at its own hex. It counts as charging,
    even without Move and Attack; only `special_danger` asks for that.
    """
    if board.cell_threat[cell] == NO_BITS:
        return 0.0
    if is_a(board, unit, DEFENDS) or not is_plain(board, unit, cell):
        return special_danger(board, unit, cell)
    stake = board.cell_stake[cell]
    worth = board.unit_value[unit]
    seen = board.unit_up[unit] == 1 or board.cell_seen[cell] == 1
    answered = max(np.int64(1), board.unit_reach[unit])
    worst = 0.0
    beside = np.int64(0)
    pressers = np.int64(0)
    shots = np.int64(0)
    shooters = np.int64(0)
    rest = board.cell_threat[cell]
    while rest != NO_BITS:
        for i in range(lowest_bit(rest), board.num_enemies, WORD_BITS):
            gap = gap_to_enemy(board, i, cell)
            worst = max(worst, assault_value(board, i, worth, stake, gap))
            touches = np.int64(gap == 1)
            beside += board.pair_damage[i] * touches
            pressers += board.pair_presses[i] * touches
            if seen and 0 < gap <= board.enemy_reach[i]:
                worst = max(worst, hit_value(board, i, gap, answered))
                shots += board.enemy_damage[i]
                shooters += 1
        rest = without_lowest(rest)
    if pressers < FEWEST and shooters < FEWEST:
        return worst
    beside = beside if pressers >= FEWEST else np.int64(0)
    return max(worst, joint_danger(board, unit, cell, beside, shots if shooters >= FEWEST else np.int64(0)))


@njit
def special_danger(board, unit, cell):
    """Return the danger where Defend or the terrain may change the odds.

    Unlike in `danger`, an enemy on `cell` itself counts only if it has Move and Attack. Trained Generals have learned
    from both numbers, so neither changes.
    """
    worst = 0.0
    threat = board.cell_threat[cell]
    seen = board.unit_up[unit] == 1 or board.cell_seen[cell] == 1
    beside = np.int64(0)
    pressers = np.int64(0)
    shots = np.int64(0)
    shooters = np.int64(0)
    for i in range(board.num_enemies):
        if not has_bit(threat, i % WORD_BITS):
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
        if seen and 0 < gap <= board.unit_reach[enemy]:
            worst = max(worst, enemy_value(board, enemy, origin, unit, cell, True))
            shots += damage_at(board, enemy, origin)
            shooters += 1
    return max(worst, joint_danger(board, unit, cell, beside if pressers > 1 else 0, shots if shooters > 1 else 0))


# --- what a place promises


@njit
def prospect(board, unit, cell):
    """Return the value of the best attack that own `unit` could make from `cell`."""
    best = 0.0
    notice = board.unit_notice[unit]
    if board.cell_near[cell] > notice:
        return best
    # For these enemies, the terrain or friends next to them may change the odds.
    special = board.defenders if is_plain(board, unit, cell) else ALL_BITS
    rest = board.cell_touch[cell] if notice == 1 else ALL_BITS
    leap = board.unit_move[unit] + 1 if is_a(board, unit, CHARGES) else np.int64(1)
    while rest != NO_BITS and lowest_bit(rest) < board.num_enemies:
        for i in range(lowest_bit(rest), board.num_enemies, WORD_BITS):
            gap = gap_to_enemy(board, i, cell)
            if gap > notice:
                continue
            if has_bit(special, i % WORD_BITS):
                best = max(best, fight_value(board, unit, cell, board.enemies[i], gap))
            else:
                best = max(best, plain_fight_value(board, i, gap, leap, board.unit_reach[unit]))
        rest = without_lowest(rest)
    return best


@njit(inlined=True)
def plain_fight_value(board, i, gap, leap, reach):
    """Return the value of the best attack on enemy number `i` over this distance, by the odds that `study` found.

    `leap`, `reach`: from how many hexes away the own unit can attack in melee and with shots.
    """
    value = board.pair_strike[i] if gap == 1 else board.pair_attack[i]
    value = value if gap <= leap else 0.0
    if 1 < gap <= reach:
        value = max(value, board.pair_shot[i] if gap <= board.enemy_reach[i] else board.pair_free_shot[i])
    return value


@njit
def fight_value(board, unit, cell, enemy, gap):
    """Return the value of the best attack by own `unit` from `cell` on `enemy` over this distance, at least 0."""
    best = 0.0
    engages = can_engage(board, unit, enemy, board.unit_cell[enemy])
    if gap == 1:
        if engages:
            best = max(best, attack_value(board, unit, cell, enemy, False), joint_value(board, unit, cell, enemy))
        return best
    if board.unit_up[enemy] == 1 and gap <= board.unit_reach[unit]:
        best = max(best, attack_value(board, unit, cell, enemy, True))
    if engages and can_charge(board, unit, gap):
        best = max(best, attack_value(board, unit, np.int64(NO_CELL), enemy, False))
    return best


# --- places


@njit(inlined=True)
def attraction(board, cell):
    """Return the value of standing on `cell` at the end of the turn, for either side."""
    return board.cell_want[cell] + board.w_pull * board.cell_pull[cell]


@njit
def place_value(board, unit, cell):
    """Return the value of having own `unit` on `cell` at the end of the turn."""
    if board.is_light == 1:
        return attraction(board, cell)
    study(board, unit, cell)
    value = attraction(board, cell) + board.w_prospect * prospect(board, unit, cell)
    return value - board.caution * board.w_danger * danger(board, unit, cell)


@njit
def better_place(board, unit, cell, best):
    """Return the value of own `unit` on `cell`, or `best` if that is higher, without computing what cannot matter."""
    value = attraction(board, cell)
    if board.is_light == 1:
        return max(best, value)
    if board.is_usual == 0:  # the bounds below do not hold for negative weights
        return max(best, place_value(board, unit, cell))
    study(board, unit, cell)
    if value + board.w_prospect * board.pair_best <= best and is_plain(board, unit, cell):
        return best
    value += board.w_prospect * prospect(board, unit, cell)
    if value <= best:
        return best
    return max(best, value - board.caution * board.w_danger * danger(board, unit, cell))
