"""Effective stats and abilities of units: printed values, terrain, attachments, augments (sections 3.2.2 and 9.1)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, WORD_BITS, bit, has_bit, lowest_bit, without_lowest
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import (
    NO_MATCH,
    NO_TOKEN,
    Ability,
    Effect,
    Flip,
    Stat,
)
from sackarmies_env.games.sack_armies.state.record import PRINTED
from sackarmies_env.games.sack_armies.state.zones import (
    NUM_DIRECTIONS,
    controller_of,
    field_at,
    first_token,
    hex_of,
    is_face_up,
    is_in_effect,
    owner_of,
    type_of,
    unit_at,
)

NO_ROW = -1


@njit
def distance(params, origin, target):
    """Return the distance in hexes from `origin` to `target`: 1 if adjacent, 2 in the next ring (R8.4.4-2, Q-74)."""
    dq = np.int64(params.cell_q[target]) - np.int64(params.cell_q[origin])
    dr = np.int64(params.cell_r[target]) - np.int64(params.cell_r[origin])
    return max(abs(dq), abs(dr), abs(dq + dr))


@njit
def matches(params, match, type_id):
    """Return whether a type is in the class that a text names (RA-Augment-2, RA-Augment-3, RA-Augment-4, Q-59)."""
    return match == NO_MATCH or has_bit(params.match_types[match, type_id // WORD_BITS], type_id % WORD_BITS)


@njit
def has_revealed_unit(params, state, unit, match):
    """Return whether the owner of `unit` has another revealed unit in play that fits `match`."""
    owner = owner_of(state, unit)
    start = first_token(params, owner)
    rest = state.units[owner] & state.face_up[owner] & ~bit(unit - start)
    while rest != NO_BITS:
        if matches(params, match, type_of(state, start + lowest_bit(rest))):
            return True
        rest = without_lowest(rest)
    return False


@njit
def limits_met(params, state, unit):
    """Return whether the printed limits of `unit` let its special abilities work (R3.2.2-13)."""
    type_id = type_of(state, unit)
    for row in range(params.type_limit_start[type_id], params.type_limit_end[type_id]):
        if not has_revealed_unit(params, state, unit, np.int64(params.limit_match[row])):
            return False
    return True


@njit
def is_wider(params, row):
    """Return whether ability `row` is as good as any of its value: progressive if a Scatter, else for all units."""
    if params.ability_kind[row] == Ability.SCATTER:
        return params.ability_flip[row] == Flip.PROGRESSIVE
    return params.ability_match[row] == NO_MATCH


@njit
def better_row(params, ability, best, row):
    """Return `row` if it is of `ability` and better than `best`: greater in value or, if equal, `is_wider`.

    What a text grants never replaces an equal printed ability by a weaker one.
    """
    if params.ability_kind[row] != ability:
        return best
    if best == NO_ROW or params.ability_value[row] > params.ability_value[best]:
        return np.int64(row)
    if params.ability_value[row] == params.ability_value[best] and is_wider(params, row):
        return np.int64(row)
    return best


@njit
def text_rows(params, type_id):
    """Return the rows of a text in the effect table as (start, end), end exclusive."""
    return np.int64(params.type_effect_start[type_id]), np.int64(params.type_effect_end[type_id])


@njit
def applied_rows(params, type_id, count):
    """Return the rows of the first `count` effects of a text in the effect table as (start, end), end exclusive."""
    start = np.int64(params.type_effect_start[type_id])
    return start, start + np.int64(count)


@njit
def best_granted(params, rows, ability, best):
    """Return the best row of `ability` among `best` and those that the effects in `rows` grant."""
    for effect in range(rows[0], rows[1]):
        if params.effect_kind[effect] == Effect.GRANT:
            best = better_row(params, ability, best, np.int64(params.effect_ability[effect]))
    return best


@njit
def granted_row(params, state, unit, ability, best):
    """Return the best row of `ability` among `best` and those granted by attachments and passing effects (RA-0-1)."""
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        if is_in_effect(params, state, attachment):
            best = best_granted(params, text_rows(params, type_of(state, attachment)), ability, best)
        attachment = np.int64(state.token_next[attachment])
    for i in range(state.num_modifiers):
        if state.modifier_token[i] == unit:
            rows = applied_rows(params, state.modifier_type[i], state.modifier_rows[i])
            best = best_granted(params, rows, ability, best)
    return best


@njit
def is_as_printed(state, unit):
    """Return whether no attachment or passing effect can change `unit`."""
    return state.token_first[unit] == NO_TOKEN and state.num_modifiers == 0


@njit
def ability_row_if_revealed(params, state, unit, ability):
    """Return the ability-table row of `ability` that `unit` would have if face up; NO_ROW if none (R9.1-1)."""
    best = np.int64(NO_ROW)
    type_id = type_of(state, unit)
    if params.type_ability[type_id, ability] > 0 and limits_met(params, state, unit):
        for row in range(params.type_ability_start[type_id], params.type_ability_end[type_id]):
            best = better_row(params, ability, best, np.int64(row))
    if not is_as_printed(state, unit):
        best = granted_row(params, state, unit, ability, best)
    return best


@njit
def nth_granted(params, rows, place):
    """Return the row of the granted ability number `place`, or NO_ROW, and how many abilities are left to skip."""
    for effect in range(rows[0], rows[1]):
        if params.effect_kind[effect] == Effect.GRANT:
            if place == 0:
                return np.int64(params.effect_ability[effect]), place
            place -= 1
    return np.int64(NO_ROW), place


@njit
def nth_ability(params, state, unit, place):
    """Return the row of ability number `place` that `unit` would have if face up: printed ones first, then granted.

    Past the last one, return NO_ROW.
    """
    own_type = type_of(state, unit)
    if limits_met(params, state, unit):
        start, end = np.int64(params.type_ability_start[own_type]), np.int64(params.type_ability_end[own_type])
        if place < end - start:
            return start + place
        place -= end - start
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        if is_in_effect(params, state, attachment):
            row, place = nth_granted(params, text_rows(params, type_of(state, attachment)), place)
            if row != NO_ROW:
                return row
        attachment = np.int64(state.token_next[attachment])
    for i in range(state.num_modifiers):
        if state.modifier_token[i] == unit:
            rows = applied_rows(params, state.modifier_type[i], state.modifier_rows[i])
            row, place = nth_granted(params, rows, place)
            if row != NO_ROW:
                return row
    return np.int64(NO_ROW)


@njit
def has_ability_for(params, state, unit, ability, type_id):
    """Return whether `unit` would, if face up, have `ability` in a form that applies to `type_id`."""
    place = np.int64(0)
    row = nth_ability(params, state, unit, place)
    while row != NO_ROW:
        if params.ability_kind[row] == ability and matches(params, np.int64(params.ability_match[row]), type_id):
            return True
        place += 1
        row = nth_ability(params, state, unit, place)
    return False


@njit
def ability_row(params, state, unit, ability):
    """Return the row of `ability` that `unit` has now; NO_ROW while it is face down (R9.1-6, R9.1-7, R9.1-8)."""
    if not is_face_up(state, unit):
        return np.int64(NO_ROW)
    return ability_row_if_revealed(params, state, unit, ability)


@njit
def ability_if_revealed(params, state, unit, ability):
    """Return the value of `ability` that `unit` would have if face up; 0 if none."""
    row = ability_row_if_revealed(params, state, unit, ability)
    return np.int64(0) if row == NO_ROW else np.int64(params.ability_value[row])


@njit
def ability_value(params, state, unit, ability):
    """Return the value of `ability` that `unit` has now: a range, a damage or 1; 0 if it lacks the ability."""
    row = ability_row(params, state, unit, ability)
    return np.int64(0) if row == NO_ROW else np.int64(params.ability_value[row])


# --- modifiers of movement, damage and armor, as one tuple in the order of Stat


@njit
def nothing():
    """Return a change of zero for every stat."""
    return np.int64(0), np.int64(0), np.int64(0)


@njit
def added(stats, stat, amount):
    """Return `stats` with `amount` added to `stat`."""
    movement, damage, armor = stats
    if stat == Stat.MOVEMENT:
        return movement + amount, damage, armor
    if stat == Stat.DAMAGE:
        return movement, damage + amount, armor
    return movement, damage, armor + amount


@njit
def summed(stats, others):
    """Return the sum of two tuples, stat by stat."""
    return stats[0] + others[0], stats[1] + others[1], stats[2] + others[2]


@njit
def combined(params, stats, others):
    """Return the sum of two sets of bonuses or, if they do not stack, the greater of each stat (C-augment_stacks)."""
    if params.augment_stacks == 1:
        return summed(stats, others)
    return max(stats[0], others[0]), max(stats[1], others[1]), max(stats[2], others[2])


@njit
def with_effects(params, rows, stats):
    """Return `stats` plus all modifiers among the effects in `rows`."""
    for effect in range(rows[0], rows[1]):
        if params.effect_kind[effect] == Effect.MODIFY:
            stats = added(stats, params.effect_stat[effect], np.int64(params.effect_amount[effect]))
    return stats


@njit
def with_attachments(params, state, unit, stats):
    """Return `stats` plus the modifiers of attachments in effect and of passing effects (R9.2-16, R9.3-10)."""
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        if is_in_effect(params, state, attachment):
            stats = with_effects(params, text_rows(params, type_of(state, attachment)), stats)
        attachment = np.int64(state.token_next[attachment])
    for i in range(state.num_modifiers):
        if state.modifier_token[i] == unit:
            stats = with_effects(params, applied_rows(params, state.modifier_type[i], state.modifier_rows[i]), stats)
    return stats


@njit
def is_harmless(params, state, unit, revealed, field_type, amount):
    """Return whether `unit`, being aquatic, ignores a negative modifier of the water under it (RA-Aquatic-1, Q-93)."""
    return (
        amount < 0
        and params.type_water[field_type] == 1
        and revealed
        and ability_if_revealed(params, state, unit, Ability.AQUATIC) > 0
    )


@njit
def with_terrain(params, state, unit, revealed, stats):
    """Return `stats` plus the modifiers of the battlefield under `unit`, no matter who controls it (R3.2.1-7)."""
    field = field_at(state, hex_of(state, unit))
    if field == NO_TOKEN:
        return stats
    field_type = type_of(state, field)
    for effect in range(params.type_effect_start[field_type], params.type_effect_end[field_type]):
        if params.effect_kind[effect] == Effect.MODIFY and matches(
            params, np.int64(params.effect_match[effect]), type_of(state, unit)
        ):
            amount = np.int64(params.effect_amount[effect])
            if not is_harmless(params, state, unit, revealed, field_type, amount):
                stats = added(stats, params.effect_stat[effect], amount)
    return stats


@njit
def with_augment(params, row, type_id, stats):
    """Return `stats` plus the bonus that ability `row`, if it is an augment, gives to a unit of this type."""
    if params.ability_kind[row] == Ability.AUGMENT and matches(params, np.int64(params.ability_match[row]), type_id):
        return added(stats, params.ability_stat[row], np.int64(params.ability_amount[row]))
    return stats


@njit
def with_printed_augments(params, augmenter_type, type_id, stats):
    """Return `stats` plus the augments printed on `augmenter_type`, for a unit of type `type_id`."""
    start, end = params.type_ability_start[augmenter_type], params.type_ability_end[augmenter_type]
    for row in range(start, end):
        stats = with_augment(params, np.int64(row), type_id, stats)
    return stats


@njit
def with_granted_augments(params, rows, type_id, stats):
    """Return `stats` plus the augments granted by the effects in `rows`, for a unit of type `type_id`."""
    for effect in range(rows[0], rows[1]):
        if params.effect_kind[effect] == Effect.GRANT:
            stats = with_augment(params, np.int64(params.effect_ability[effect]), type_id, stats)
    return stats


@njit
def augments_by(params, state, augmenter, type_id):
    """Return the bonuses that face-up `augmenter` gives to an adjacent unit of this type (RA-Augment-1)."""
    stats = nothing()
    if is_as_printed(state, augmenter) and params.type_ability[state.token_type[augmenter], Ability.AUGMENT] == 0:
        return stats
    own_type = type_of(state, augmenter)
    if params.type_ability[own_type, Ability.AUGMENT] > 0 and limits_met(params, state, augmenter):
        stats = with_printed_augments(params, own_type, type_id, stats)
    attachment = np.int64(state.token_first[augmenter])
    while attachment != NO_TOKEN:
        if is_in_effect(params, state, attachment):
            stats = with_granted_augments(params, text_rows(params, type_of(state, attachment)), type_id, stats)
        attachment = np.int64(state.token_next[attachment])
    for i in range(state.num_modifiers):
        if state.modifier_token[i] == augmenter:
            rows = applied_rows(params, state.modifier_type[i], state.modifier_rows[i])
            stats = with_granted_augments(params, rows, type_id, stats)
    return stats


@njit
def with_ghost(params, state, i, type_id, stats):
    """Return `stats` plus the bonuses that entry `i` of the dead augmenters gives to a unit of this type."""
    if state.ghost_rows[i] == PRINTED:
        return with_printed_augments(params, state.ghost_type[i], type_id, stats)
    rows = applied_rows(params, state.ghost_type[i], state.ghost_rows[i])
    return with_granted_augments(params, rows, type_id, stats)


@njit
def with_ghosts(params, state, unit, stats):
    """Return `stats` combined with the bonuses of dead augmenters next to `unit`, for this turn (RA-Augment-6)."""
    given = nothing()  # by the same dead unit
    for i in range(state.num_ghosts):
        if state.ghost_same[i] == 0:
            stats = combined(params, stats, given)
            given = nothing()
        if (
            state.ghost_controller[i] == state.token_controller[unit]
            and distance(params, np.int64(state.ghost_hex[i]), hex_of(state, unit)) == 1
        ):
            given = with_ghost(params, state, i, type_of(state, unit), given)
    return combined(params, stats, given)


@njit
def augments(params, state, unit):
    """Return the bonuses to `unit` from adjacent augmenters of its controller (RA-Augment-5, Q-57, Q-77, Q-87)."""
    stats = nothing()
    cell = hex_of(state, unit)
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[cell, direction])
        if neighbor == NO_HEX:
            continue
        other = unit_at(state, neighbor)
        if other != NO_TOKEN and is_face_up(state, other) and controller_of(state, other) == controller_of(state, unit):
            stats = combined(params, stats, augments_by(params, state, other, type_of(state, unit)))
    return with_ghosts(params, state, unit, stats)


# --- effective stats


@njit
def unaided_stats(params, state, unit, revealed):
    """Return the stats of `unit` when face up (if `revealed`) or face down, without the augments of other units."""
    type_id = type_of(state, unit)
    stats = (
        np.int64(params.type_movement[type_id]),
        np.int64(params.type_damage[type_id]),
        np.int64(params.type_armor[type_id]),
    )
    stats = with_terrain(params, state, unit, revealed, stats)
    if revealed:
        stats = with_attachments(params, state, unit, stats)
    return stats


@njit
def stats_if(params, state, unit, revealed):
    """Return the effective stats of `unit` when face up (if `revealed`) or face down; they may be negative.

    Face down, only printed values and terrain count; any other effect requires the unit and its source to be revealed
    (R8.2.2-8).
    """
    stats = unaided_stats(params, state, unit, revealed)
    return summed(stats, augments(params, state, unit)) if revealed else stats


@njit
def stat_if(params, state, unit, stat, revealed):
    """Return one effective stat of `unit`; see `stats_if`."""
    movement, damage, armor = stats_if(params, state, unit, revealed)
    if stat == Stat.MOVEMENT:
        return movement
    return damage if stat == Stat.DAMAGE else armor


@njit
def refresh_stats(params, state):
    """Bring `token_stats` up to date."""
    for player in range(params.num_generals):
        rest = state.units[player] & ~state.fresh_stats[player]
        while rest != NO_BITS:
            unit = first_token(params, player) + lowest_bit(rest)
            rest = without_lowest(rest)
            stats = stats_if(params, state, unit, is_face_up(state, unit))
            state.token_stats[unit, Stat.MOVEMENT] = stats[0]
            state.token_stats[unit, Stat.DAMAGE] = stats[1]
            state.token_stats[unit, Stat.ARMOR] = stats[2]
        state.fresh_stats[player] = state.units[player]


@njit
def current_stats(params, state, unit):
    """Return the current effective stats of `unit`, which is on the board."""
    owner = owner_of(state, unit)
    if has_bit(state.fresh_stats[owner], unit - first_token(params, owner)):
        return (
            np.int64(state.token_stats[unit, Stat.MOVEMENT]),
            np.int64(state.token_stats[unit, Stat.DAMAGE]),
            np.int64(state.token_stats[unit, Stat.ARMOR]),
        )
    return stats_if(params, state, unit, is_face_up(state, unit))


@njit
def effective_movement(params, state, unit):
    """Return the movement of `unit` after modifiers, at least 0 (R3.2.2-1, R8.3-11, RB-11)."""
    return max(np.int64(0), current_stats(params, state, unit)[0])


@njit
def effective_damage(params, state, unit):
    """Return the damage rating of `unit` after modifiers, at least 0 (R3.2.2-2)."""
    return max(np.int64(0), current_stats(params, state, unit)[1])


@njit
def effective_armor(params, state, unit):
    """Return the armor of `unit` after modifiers; zero or less does not kill (R3.2.2-5, R9.2-17)."""
    return current_stats(params, state, unit)[2]


@njit
def movement_if_revealed(params, state, unit):
    """Return the movement that `unit` would have if face up, at least 0."""
    return max(np.int64(0), stat_if(params, state, unit, Stat.MOVEMENT, True))
