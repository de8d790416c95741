"""Damage of an exchange: instances, scatter, saves, deaths (P-DAMAGE, sections 8.4.2 and 8.4.5)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.flow import ask
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.core.state import ERROR_CAPACITY
from sackarmies_env.games.sack_armies.rules.combat import defending_armor, is_lethal, kill
from sackarmies_env.games.sack_armies.rules.movement import greatest_terrain_bonus, reveal
from sackarmies_env.games.sack_armies.rules.stats import (
    NO_ROW,
    ability_row,
    effective_armor,
    effective_damage,
    stat_if,
)
from sackarmies_env.games.sack_armies.rules.victory import eliminate_without_units
from sackarmies_env.games.sack_armies.state.actions import decode_slot, slot_action
from sackarmies_env.games.sack_armies.state.chance import flip, flip_progressive
from sackarmies_env.games.sack_armies.state.constants import (
    NO_TOKEN,
    Ability,
    Decision,
    Face,
    Flip,
    Member,
    Stat,
    Use,
    Verb,
)
from sackarmies_env.games.sack_armies.state.record import MAX_INSTANCES
from sackarmies_env.games.sack_armies.state.zones import (
    NUM_DIRECTIONS,
    attachment_in_slot,
    controller_of,
    count_attachments,
    hex_of,
    is_face_up,
    is_unit_on_board,
    unit_at,
)

MAX_DAMAGE = 2**31 - 1  # fits the record, and no armor comes near it
NO_INSTANCE = -1


class Save(IntEnum):
    """Progress of the decision whether to save a unit (D-28)."""

    UNASKED = 0
    BEGUN = 1
    DECLINED = 2


# --- instances


@njit
def add_damage(state, target, amount, armor, scatter):
    """Add one instance of damage with the armor that it meets now; only a save changes that armor afterward."""
    if state.num_damages == MAX_INSTANCES:
        state.error = ERROR_CAPACITY
        return
    i = state.num_damages
    state.damage_target[i] = target
    state.damage_amount[i] = min(np.int64(amount), np.int64(MAX_DAMAGE))
    state.damage_armor[i] = armor
    state.damage_scatter[i] = scatter
    state.damage_saved[i] = Save.UNASKED
    state.num_damages += 1


@njit
def attack_rating(params, state):
    """Return the damage rating of the attack: of one unit, or the sum over a coordinated one (R8.4.5-15, R8.4.4-9)."""
    if state.attack_unit != NO_TOKEN:
        return effective_damage(params, state, state.attack_unit)
    total = np.int64(0)
    for unit in range(len(state.token_member)):
        if state.token_member[unit] == Member.ATTACKS:
            total += effective_damage(params, state, unit)
    return total


@njit
def scatter_amount(params, state, unit):
    """Flip for the scatter of `unit` and return the damage to each neighbor (RA-Scatter-3, RA-Scatter-4)."""
    row = ability_row(params, state, unit, Ability.SCATTER)
    player = controller_of(state, unit)
    if params.ability_flip[row] == Flip.PROGRESSIVE:
        return np.int64(flip_progressive(params, state, player)) * np.int64(params.ability_value[row])
    return np.int64(flip(params, state, player)) * np.int64(params.ability_value[row])


@njit
def scatter(params, state, unit, target):
    """Flip for the scatter of `unit`, whose hit on `target` did damage; it hits all units around, friend and foe.

    (RA-Scatter-1, RA-Scatter-2, RA-Scatter-6, RA-Scatter-9, Q-54)
    """
    if ability_row(params, state, unit, Ability.SCATTER) == NO_ROW:
        return
    amount = scatter_amount(params, state, unit)
    if amount == 0:
        return
    cell = hex_of(state, target)
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[cell, direction])
        if neighbor == NO_HEX:
            continue
        victim = unit_at(state, neighbor)
        if victim != NO_TOKEN:
            add_damage(state, victim, amount, effective_armor(params, state, victim), 1)


@njit
def build_damage(params, state):
    """List all damage of the exchange: main hit, counter-attack, scatter (R8.4.2-1, RA-Scatter-5, Q-99)."""
    state.num_damages = 0
    defender = state.attack_target
    attacker = state.attack_designated
    hit = state.attack_successes * attack_rating(params, state)
    add_damage(state, defender, hit, defending_armor(params, state, defender), 0)
    counter = np.int64(0)
    if state.attack_countered == 1:
        counter = state.counter_successes * effective_damage(params, state, defender)
        add_damage(state, attacker, counter, effective_armor(params, state, attacker), 0)
    if state.attack_unit != NO_TOKEN and hit > 0:
        scatter(params, state, state.attack_unit, defender)
    if counter > 0:
        scatter(params, state, defender, attacker)


# --- lethality


@njit
def is_instance_lethal(params, state, i):
    """Return whether instance `i` kills its target, alone or, by the switch, with the others that hit it.

    (Q-34, Q-35, C-sum_simultaneous_damage)
    """
    if params.sum_simultaneous_damage == 0:
        return is_lethal(np.int64(state.damage_amount[i]), np.int64(state.damage_armor[i]))
    total = np.int64(0)
    armor = np.int64(state.damage_armor[i])
    for j in range(state.num_damages):
        if state.damage_target[j] == state.damage_target[i]:
            total += np.int64(state.damage_amount[j])
            armor = max(armor, np.int64(state.damage_armor[j]))
    return is_lethal(total, armor)


# --- saves


@njit
def armor_with(params, state, unit, attachment):
    """Return the armor that `unit` would have face up, with `attachment` revealed as well unless that is NO_TOKEN."""
    if attachment == NO_TOKEN:
        return stat_if(params, state, unit, Stat.ARMOR, True)
    face = state.token_face[attachment]
    state.token_face[attachment] = Face.UP
    armor = stat_if(params, state, unit, Stat.ARMOR, True)
    state.token_face[attachment] = face
    return armor


@njit
def is_saving(params, state, unit, attachment):
    """Return whether `attachment` is a face-down free effect that would raise the armor of `unit` if revealed."""
    if params.type_use[state.token_type[attachment]] != Use.FREE or is_face_up(state, attachment):
        return False
    return armor_with(params, state, unit, attachment) > armor_with(params, state, unit, np.int64(NO_TOKEN))


@njit
def count_saving(params, state, unit):
    """Return how many face-down attachments of `unit` would raise its armor if revealed."""
    count = 0
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        if is_saving(params, state, unit, attachment):
            count += 1
        attachment = np.int64(state.token_next[attachment])
    return count


@njit
def greatest_armor(params, state, unit):
    """Return the armor that `unit` would have face up, with every attachment that raises it revealed in turn."""
    revealed = np.int64(0)  # bits of the slots turned face up for this calculation
    slot = 0
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        if is_saving(params, state, unit, attachment):
            state.token_face[attachment] = Face.UP
            revealed |= np.int64(1) << slot
        slot += 1
        attachment = np.int64(state.token_next[attachment])
    armor = armor_with(params, state, unit, np.int64(NO_TOKEN))
    for i in range(slot):
        if (revealed >> i) & 1:
            state.token_face[attachment_in_slot(state, unit, np.int64(i))] = Face.DOWN
    return armor


@njit
def lock_armor_again(params, state, unit):
    """Lock the armor that `unit` has now, after a reveal, against all damage to it."""
    for i in range(state.num_damages):
        if state.damage_target[i] == unit:
            state.damage_armor[i] = effective_armor(params, state, unit)


@njit
def can_be_saved(params, state, i):
    """Return whether revealing the target of instance `i` and its effects would make it survive.

    (RA-Scatter-8, Q-55)
    """
    unit = np.int64(state.damage_target[i])
    before = np.int64(state.damage_armor[i])
    armor = greatest_armor(params, state, unit)
    for j in range(state.num_damages):
        if state.damage_target[j] == unit:
            state.damage_armor[j] = armor
    saved = not is_instance_lethal(params, state, i)
    for j in range(state.num_damages):
        if state.damage_target[j] == unit:
            state.damage_armor[j] = before
    return saved


@njit
def is_deadly_scatter(params, state, i):
    """Return whether instance `i` is scatter that kills a unit still on the board."""
    return (
        state.damage_scatter[i] == 1
        and is_unit_on_board(state, np.int64(state.damage_target[i]))  # if not, its General has left the game
        and is_instance_lethal(params, state, i)
    )


@njit
def begun_save(params, state):
    """Return the instance whose target was revealed to save it but still needs an attachment; NO_INSTANCE if none."""
    for i in range(state.num_damages):
        if (
            state.damage_saved[i] == Save.BEGUN
            and is_deadly_scatter(params, state, i)
            and count_saving(params, state, np.int64(state.damage_target[i])) > 0
        ):
            return np.int64(i)
    return np.int64(NO_INSTANCE)


@njit
def possible_save(params, state):
    """Return the next instance whose face-down target can be saved; NO_INSTANCE if none (C-scatter_save)."""
    if params.scatter_save == 0:
        return np.int64(NO_INSTANCE)
    for i in range(state.num_damages):
        if (
            state.damage_saved[i] == Save.UNASKED
            and is_deadly_scatter(params, state, i)
            and not is_face_up(state, np.int64(state.damage_target[i]))
            and can_be_saved(params, state, i)
        ):
            return np.int64(i)
    return np.int64(NO_INSTANCE)


@njit
def next_save(params, state):
    """Ask the General of a face-down unit lethally hit by scatter whether to save it, one unit after the other.

    (D-28, RA-Scatter-7)
    """
    i = begun_save(params, state)
    if i != NO_INSTANCE:
        ask(state, controller_of(state, np.int64(state.damage_target[i])), Decision.SAVE_SLOT)
        return
    i = possible_save(params, state)
    if i != NO_INSTANCE:
        ask(state, controller_of(state, np.int64(state.damage_target[i])), Decision.SAVE)


@njit
def apply_save(params, state, action):
    """Reveal the unit to save it, or let it die; in a sampled state there may be none to save."""
    i = possible_save(params, state)
    if i == NO_INSTANCE:
        return
    unit = np.int64(state.damage_target[i])
    saved = Save.BEGUN if action == Verb.YES else Save.DECLINED
    for j in range(state.num_damages):
        if state.damage_target[j] == unit:
            state.damage_saved[j] = saved
    if action == Verb.YES:
        reveal(params, state, unit)
        lock_armor_again(params, state, unit)


@njit
def offer_save_slots(params, state):
    """Offer the face-down free effects that add armor to the unit being saved; in a sampled state there may be none."""
    i = begun_save(params, state)
    if i == NO_INSTANCE:
        return
    unit = np.int64(state.damage_target[i])
    for slot in range(count_attachments(state, unit)):
        if is_saving(params, state, unit, attachment_in_slot(state, unit, np.int64(slot))):
            allow(state, slot_action(params, slot))


@njit
def apply_save_slot(params, state, action):
    """Reveal the chosen attachment to save the unit."""
    unit = np.int64(state.damage_target[begun_save(params, state)])
    reveal(params, state, attachment_in_slot(state, unit, decode_slot(params, action)))
    lock_armor_again(params, state, unit)


# --- deaths


@njit
def note_survival(params, state, unit, amount):
    """Record the public lower bound on a face-down unit's printed armor after it survives `amount` damage."""
    if not is_face_up(state, unit):
        shown = amount + 1 - greatest_terrain_bonus(params, state, hex_of(state, unit), Stat.ARMOR)
        state.token_min_armor[unit] = max(np.int64(state.token_min_armor[unit]), shown)


@njit
def resolve_damage(params, state):
    """Apply all instances at once and kill the units lethally hit (P-DAMAGE).

    `attack_killed` says whether the attacker's own hit was lethal by itself, see `has_advance`.
    """
    state.attack_killed = np.int64(is_lethal(np.int64(state.damage_amount[0]), np.int64(state.damage_armor[0])))
    for i in range(state.num_damages):
        unit = np.int64(state.damage_target[i])
        if not is_unit_on_board(state, unit):
            continue
        if is_instance_lethal(params, state, i):
            kill(params, state, unit)
        else:
            note_survival(params, state, unit, np.int64(state.damage_amount[i]))
    eliminate_without_units(params, state)
