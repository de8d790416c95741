"""Combat: who may attack and counter-attack whom, and what it does (sections 8.4 and 9.1)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import ERROR_CAPACITY
from sackarmies_env.games.sack_armies.rules.movement import find_reach, is_destination
from sackarmies_env.games.sack_armies.rules.stats import (
    ability_if_revealed,
    ability_value,
    applied_rows,
    distance,
    effective_armor,
    limits_met,
    movement_if_revealed,
    text_rows,
)
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Ability, Effect, Event, Member, Verb, Zone
from sackarmies_env.games.sack_armies.state.events import log_event
from sackarmies_env.games.sack_armies.state.record import PRINTED
from sackarmies_env.games.sack_armies.state.transfer import leave_play, shown_type
from sackarmies_env.games.sack_armies.state.zones import (
    NUM_DIRECTIONS,
    controller_of,
    field_at,
    first_token,
    hex_of,
    is_face_up,
    is_in_effect,
    outdate_stats,
    owner_of,
    type_of,
    unit_at,
)

# --- what kind of attack


@njit
def is_ranged(verb):
    """Return whether an attack verb declares a ranged attack; at range 1, the verb decides between ranged and melee.

    (R8.4.4-3, R8.4.5-3)
    """
    return verb == Verb.RANGED or verb == Verb.COORD_RANGED


@njit
def is_coordinated(verb):
    """Return whether an attack verb declares a coordinated attack, by more than one unit (RB-3)."""
    return verb == Verb.COORD_MELEE or verb == Verb.COORD_RANGED


# --- who may attack whom


@njit
def is_favored_in_water(params, state, unit):
    """Return whether aquatic `unit` stands on a water battlefield that favors it (RA-Aquatic-3)."""
    field = field_at(state, hex_of(state, unit))
    return (
        field != NO_TOKEN
        and params.type_water[state.token_type[field]] == 1
        and params.type_favors_aquatic[state.token_type[field]] == 1
        and ability_value(params, state, unit, Ability.AQUATIC) > 0
    )


@njit
def can_engage(params, state, attacker, defender):
    """Return whether neither flying nor water bars `attacker` from melee against `defender` (RA-Flying-3, Q-78)."""
    if (
        ability_value(params, state, defender, Ability.FLYING) > 0
        and ability_if_revealed(params, state, attacker, Ability.FLYING) == 0
    ):
        return False
    return not (
        is_favored_in_water(params, state, defender)
        and ability_if_revealed(params, state, attacker, Ability.AQUATIC) == 0
    )


@njit
def may_act(state, unit):
    """Return whether `unit` is not employed (RB-6)."""
    return state.token_employed[unit] == 0


@njit
def can_target(params, state, attacker, defender, ranged):
    """Return whether `attacker` may attack `defender` now (P-CANTARGET).

    The defender must be an opposing, revealed unit; a ranged attack needs enough range, and nothing can block it.

    (R8.4.1-1, R8.4.1-2, R8.4.4-1, R8.4.4-4, R8.4.4-5, RA-Ranged-1, Q-27)
    """
    if controller_of(state, defender) == controller_of(state, attacker) or not is_face_up(state, defender):
        return False
    gap = distance(params, hex_of(state, attacker), hex_of(state, defender))
    if ranged:
        return gap <= ability_if_revealed(params, state, attacker, Ability.RANGE)
    return gap == 1 and can_engage(params, state, attacker, defender)


@njit
def has_melee_target(params, state, attacker):
    """Return whether `attacker` can attack an adjacent unit in melee."""
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[hex_of(state, attacker), direction])
        if neighbor == NO_HEX:
            continue
        defender = unit_at(state, neighbor)
        if defender != NO_TOKEN and can_target(params, state, attacker, defender, False):
            return True
    return False


@njit
def has_target(params, state, attacker, ranged):
    """Return whether `attacker` can attack any unit."""
    if not ranged:
        return has_melee_target(params, state, attacker)
    reach = ability_if_revealed(params, state, attacker, Ability.RANGE)
    for player in range(params.num_generals):
        if reach == 0 or player == controller_of(state, attacker):
            continue
        rest = state.units[player] & state.face_up[player]
        while rest != NO_BITS:
            defender = first_token(params, player) + lowest_bit(rest)
            if distance(params, hex_of(state, attacker), hex_of(state, defender)) <= reach:
                return True
            rest = without_lowest(rest)
    return False


@njit
def may_attack(params, state, unit, ranged):
    """Return whether `unit` of the active General may declare an attack by itself."""
    return may_act(state, unit) and has_target(params, state, unit, ranged)


# --- Move and Attack


@njit
def find_charge(params, state, unit):
    """Find the reach of `unit` for a Move and Attack, as if already face up."""
    find_reach(params, state, unit, movement_if_revealed(params, state, unit), True)


@njit
def is_charge_hex(params, state, target, cell):
    """Return whether a Move and Attack may end on `cell`, next to its target, after `find_charge` (RA-MoveAttack-3)."""
    return is_destination(params, state, cell) and distance(params, cell, hex_of(state, target)) == 1


@njit
def can_charge(params, state, unit, target):
    """Return whether `unit` may declare a Move and Attack on `target`, by what its General knows.

    The target may be face down, even a hidden flyer (RA-MoveAttack-1, RA-MoveAttack-2, R8.2.2-3, D-16, Q-61).
    Call `find_charge` first.
    """
    if controller_of(state, target) == controller_of(state, unit):
        return False
    if is_face_up(state, target) and not can_engage(params, state, unit, target):
        return False
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[hex_of(state, target), direction])
        if neighbor != NO_HEX and is_charge_hex(params, state, target, neighbor):
            return True
    return False


@njit
def may_charge(params, state, unit):
    """Return whether `unit` may make a Move and Attack on any target (RA-MoveAttack-7)."""
    if (
        not may_act(state, unit)
        or state.token_moved[unit] == 1
        or ability_if_revealed(params, state, unit, Ability.MOVE_AND_ATTACK) == 0
    ):
        return False
    find_charge(params, state, unit)
    for player in range(params.num_generals):
        rest = state.units[player]
        while rest != NO_BITS:
            if can_charge(params, state, unit, first_token(params, player) + lowest_bit(rest)):
                return True
            rest = without_lowest(rest)
    return False


# --- counter-attack


@njit
def can_counter(params, state, defender, attacker, ranged):
    """Return whether `defender` may counter-attack `attacker` (P-CANCOUNTER).

    Against melee always, regardless of flying and water; against a ranged attack with enough range or, if it has no
    range at all, from an adjacent hex.

    (R8.4.1-3, R8.4.4-7, R8.4.4-8, RA-Flying-4, RA-Aquatic-4)
    """
    gap = distance(params, hex_of(state, defender), hex_of(state, attacker))
    if not ranged:
        return gap == 1
    reach = ability_value(params, state, defender, Ability.RANGE)
    return gap <= reach if reach > 0 else gap == 1


@njit
def is_counter_progressive(params, state, defender, ranged):
    """Return whether the counter flips progressively: in melee, or without range (R8.4.5-20, R8.4.5-23, Q-36)."""
    return not ranged or ability_value(params, state, defender, Ability.RANGE) == 0


# --- armor of a defender


@njit
def touches_attacker(params, state, unit):
    """Return whether `unit` is adjacent to an attacker."""
    cell = hex_of(state, unit)
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[cell, direction])
        if neighbor == NO_HEX:
            continue
        other = unit_at(state, neighbor)
        if other != NO_TOKEN and (other == state.attack_unit or state.token_member[other] == Member.ATTACKS):
            return True
    return False


@njit
def defend_bonus(params, state, defender):
    """Return +1 armor for each owned unit next to both the defender and an attacker (RA-Defend-1, RB-13, Q-56)."""
    if ability_value(params, state, defender, Ability.DEFEND) == 0:
        return np.int64(0)
    bonus = np.int64(0)
    cell = hex_of(state, defender)
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[cell, direction])
        if neighbor == NO_HEX:
            continue
        friend = unit_at(state, neighbor)
        if (
            friend != NO_TOKEN
            and controller_of(state, friend) == controller_of(state, defender)
            and touches_attacker(params, state, friend)
        ):
            bonus += 1
    return bonus


@njit
def defending_armor(params, state, defender):
    """Return the armor of `defender` against the attack."""
    return effective_armor(params, state, defender) + defend_bonus(params, state, defender)


# --- death


@njit
def leave_ghost(state, unit, type_id, rows, first):
    """Keep an augment of a dying unit, printed or granted by a text, working from its hex until the end of the turn.

    The entries of the unit begin at index `first`.
    """
    if state.num_ghosts == len(state.ghost_hex):
        state.error = ERROR_CAPACITY
        return
    i = state.num_ghosts
    state.ghost_hex[i] = hex_of(state, unit)
    state.ghost_type[i] = type_id
    state.ghost_rows[i] = rows
    state.ghost_controller[i] = controller_of(state, unit)
    state.ghost_same[i] = i > first
    state.num_ghosts += 1
    outdate_stats(state)


@njit
def grants_augment(params, rows):
    """Return whether any of the effects in `rows` grants an augment."""
    for effect in range(rows[0], rows[1]):
        if (
            params.effect_kind[effect] == Effect.GRANT
            and params.ability_kind[params.effect_ability[effect]] == Ability.AUGMENT
        ):
            return True
    return False


@njit
def leave_ghosts(params, state, unit):
    """Keep the augments of a killed unit working for the rest of the turn."""
    type_id = type_of(state, unit)
    first = state.num_ghosts
    if params.type_ability[type_id, Ability.AUGMENT] > 0 and limits_met(params, state, unit):
        leave_ghost(state, unit, type_id, PRINTED, first)
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        rows = text_rows(params, type_of(state, attachment))
        if is_in_effect(params, state, attachment) and grants_augment(params, rows):
            leave_ghost(state, unit, type_of(state, attachment), rows[1] - rows[0], first)
        attachment = np.int64(state.token_next[attachment])
    for i in range(state.num_modifiers):
        applied = applied_rows(params, state.modifier_type[i], state.modifier_rows[i])
        if state.modifier_token[i] == unit and grants_augment(params, applied):
            leave_ghost(state, unit, np.int64(state.modifier_type[i]), applied[1] - applied[0], first)


@njit
def kill(params, state, unit):
    """Send a killed unit to the casualties pile (R3.2.2-4)."""
    shown = shown_type(state, unit, params.casualties_public == 1)
    log_event(params, state, Event.CASUALTY, owner_of(state, unit), hex_of(state, unit), shown)
    if is_face_up(state, unit):
        leave_ghosts(params, state, unit)
    leave_play(params, state, unit, Zone.CASUALTIES, Zone.CASUALTIES)
    state.last_progress_turn = state.turn


@njit
def is_lethal(amount, armor):
    """Return whether damage kills: it is above 0 and at least the armor (R8.4.2-2, R8.4.2-3, R8.4.4-10)."""
    return amount > 0 and amount >= armor
