"""Declaration of a coordinated attack: one target, one type, any number of attackers (section 8.4.5)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, bit, count_bits, has_bit, lowest_bit, without_lowest
from sackarmies_env.core.flow import ask, extend_chain
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.sack_armies.rules.attack import declare_attack
from sackarmies_env.games.sack_armies.rules.combat import can_target, is_ranged, may_act
from sackarmies_env.games.sack_armies.rules.stats import ability_if_revealed
from sackarmies_env.games.sack_armies.state.actions import decode_hex, hex_action
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Ability, Decision, Member, Verb
from sackarmies_env.games.sack_armies.state.zones import (
    NUM_DIRECTIONS,
    controller_of,
    first_token,
    hex_of,
    unit_at,
)

MIN_ATTACKERS = 2


@njit
def is_candidate(params, state, unit, target, ranged):
    """Return whether `unit` may take part: not employed and able to attack this way (R8.4.5-5, R8.4.5-6, R8.4.5-7)."""
    return may_act(state, unit) and can_target(params, state, unit, target, ranged)


@njit
def melee_candidates(params, state, player, target):
    """Return the units of `player` that may attack `target` in melee, as bits."""
    found = NO_BITS
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[hex_of(state, target), direction])
        if neighbor == NO_HEX or state.cell_unit[neighbor] == NO_TOKEN:
            continue
        unit = unit_at(state, neighbor)
        if controller_of(state, unit) == player and is_candidate(params, state, unit, target, False):
            found |= bit(unit - first_token(params, player))
    return found


@njit
def ranged_candidates(params, state, player, target):
    """Return the units of `player` that may attack `target` at range, as bits."""
    found = NO_BITS
    rest = state.units[player]
    while rest != NO_BITS:
        following = without_lowest(rest)
        if is_candidate(params, state, first_token(params, player) + lowest_bit(rest), target, True):
            found |= rest & ~following
        rest = following
    return found


@njit
def candidates(params, state, player, target, ranged):
    """Return the units of `player` that may take part in an attack on `target`, as bits."""
    if ranged:
        return ranged_candidates(params, state, player, target)
    return melee_candidates(params, state, player, target)


@njit
def touches_any(params, state, player, unit, group):
    """Return whether a unit of `player` in `group`, given as bits, is adjacent to `unit`."""
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[hex_of(state, unit), direction])
        if neighbor == NO_HEX or state.cell_unit[neighbor] == NO_TOKEN:
            continue
        other = unit_at(state, neighbor)
        if controller_of(state, other) == player and has_bit(group, other - first_token(params, player)):
            return True
    return False


@njit
def has_pair(params, state, player, group):
    """Return whether two units in `group`, given as bits, are adjacent to each other."""
    rest = group
    while rest != NO_BITS:
        unit = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if touches_any(params, state, player, unit, group):
            return True
    return False


@njit
def connected_part(params, state, player, seed, group):
    """Return the units in `group` connected to those in `seed` through adjacent units of the group, all as bits."""
    part, grown = NO_BITS, seed
    while part != grown:
        part = grown
        rest = group & ~part
        while rest != NO_BITS:
            row = lowest_bit(rest)
            rest = without_lowest(rest)
            if touches_any(params, state, player, first_token(params, player) + row, part):
                grown |= bit(row)
    return part


@njit
def members(params, state, player):
    """Return the attackers named so far, as bits."""
    named = NO_BITS
    for row in range(params.tokens_per_general):
        if state.token_member[first_token(params, player) + row] == Member.ATTACKS:
            named |= bit(row)
    return named


@njit
def may_name(params, state, player, unit, group, ranged):
    """Return whether candidate `unit` of `group` may be named next: the attack can still be completed (D-15).

    A ranged participant needs another candidate next to it; where the group must be connected, candidates must connect
    it to those named before.

    (R8.4.5-8, Q-29, C-ranged_coord_connected)
    """
    if state.token_member[unit] == Member.ATTACKS:
        return False
    if not ranged:
        return True
    named = members(params, state, player)
    if params.ranged_coord_connected == 1 and named != NO_BITS:
        return has_bit(connected_part(params, state, player, named, group), unit - first_token(params, player))
    return touches_any(params, state, player, unit, group)


@njit
def shooters(params, state, player):
    """Return the units of `player` that would have a range if face up, as bits."""
    found = NO_BITS
    rest = state.units[player]
    while rest != NO_BITS:
        following = without_lowest(rest)
        unit = first_token(params, player) + lowest_bit(rest)
        if ability_if_revealed(params, state, unit, Ability.RANGE) > 0:
            found |= rest & ~following
        rest = following
    return found


@njit
def can_coordinate(params, state, player, target, ranged):
    """Return whether two or more units of `player` can together attack `target`, an opposing face-up unit.

    (R8.4.5-4, Q-28)
    """
    group = candidates(params, state, player, target, ranged)
    if count_bits(group) < MIN_ATTACKERS:
        return False
    return not ranged or has_pair(params, state, player, group)


@njit
def has_coordination(params, state, player, ranged):
    """Return whether `player` can declare a coordinated attack of this type."""
    if ranged and not has_pair(params, state, player, shooters(params, state, player)):
        return False
    for opponent in range(params.num_generals):
        if opponent == player:
            continue
        rest = state.units[opponent] & state.face_up[opponent]
        while rest != NO_BITS:
            if can_coordinate(params, state, player, first_token(params, opponent) + lowest_bit(rest), ranged):
                return True
            rest = without_lowest(rest)
    return False


@njit
def offer_coord_targets(params, state):
    """Offer the targets of a coordinated attack (D-14)."""
    player = state.current_player
    ranged = is_ranged(state.chain_verb)
    for opponent in range(params.num_generals):
        if opponent == player:
            continue
        rest = state.units[opponent] & state.face_up[opponent]
        while rest != NO_BITS:
            target = first_token(params, opponent) + lowest_bit(rest)
            rest = without_lowest(rest)
            if can_coordinate(params, state, player, target, ranged):
                allow(state, hex_action(params, hex_of(state, target)))


@njit
def apply_coord_target(params, state, action):
    """Choose the target; the attackers follow."""
    extend_chain(state, decode_hex(params, action))
    ask(state, state.current_player, Decision.COORD_MEMBER)


@njit
def is_group_complete(params, state, player, ranged):
    """Return whether the named units can attack: there are two or more and, at range, none is isolated."""
    named = members(params, state, player)
    if count_bits(named) < MIN_ATTACKERS:
        return False
    if not ranged:
        return True
    if params.ranged_coord_connected == 1:
        first = named & ~without_lowest(named)
        return connected_part(params, state, player, first, named) == named
    rest = named
    while rest != NO_BITS:
        unit = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if not touches_any(params, state, player, unit, named):
            return False
    return True


@njit
def offer_coord_members(params, state):
    """Offer further attackers, and DONE when the group is complete."""
    player = state.current_player
    ranged = is_ranged(state.chain_verb)
    target = unit_at(state, np.int64(state.chain[0]))
    group = candidates(params, state, player, target, ranged)
    rest = group
    while rest != NO_BITS:
        unit = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if may_name(params, state, player, unit, group, ranged):
            allow(state, hex_action(params, hex_of(state, unit)))
    if is_group_complete(params, state, player, ranged):
        allow(state, np.int64(Verb.PASS))


@njit
def apply_coord_member(params, state, action):
    """Name one more attacker, or declare the attack."""
    if action != Verb.PASS:
        state.token_member[unit_at(state, decode_hex(params, action))] = Member.ATTACKS
        ask(state, state.current_player, Decision.COORD_MEMBER)
        return
    target = unit_at(state, np.int64(state.chain[0]))
    declare_attack(state, state.chain_verb, np.int64(NO_TOKEN), target)
