"""Observation of tokens as objects: the block `tokens` of an observation (V-01 to V-23).

Row numbers of the state never show: tokens come hex by hex and in the public order of their stacks, all others type by
type.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, bit, lowest_bit, without_lowest
from sackarmies_env.core.encode import clamp, relative_seat
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.wide_copy import copy_row
from sackarmies_env.games.sack_armies.rules.stats import (
    NO_ROW,
    ability_row_if_revealed,
    applied_rows,
    current_stats,
    is_as_printed,
    limits_met,
    text_rows,
)
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, NUM_ABILITIES, Ability, Effect, Member, Zone
from sackarmies_env.games.sack_armies.state.encode import write_hex
from sackarmies_env.games.sack_armies.state.knowledge import (
    knows_choice,
    knows_identity,
)
from sackarmies_env.games.sack_armies.state.layout import (
    AUGMENTED_OFFSET,
    FIRST_ATTRIBUTE,
    GENERAL_START,
    GENERAL_WIDTH,
    SHOWN_OFFSET,
    TOKEN_WIDTH,
    General,
    Place,
    Role,
    ShownFace,
    Token,
)
from sackarmies_env.games.sack_armies.state.zones import (
    controller_of,
    count_attachments,
    field_at,
    first_captive,
    first_token,
    hex_of,
    is_in_effect,
    kind_of,
    owner_of,
    tokens_in,
    type_of,
    unit_at,
)

# --- one token


@njit
def raise_value(params, row, out, at):
    """Raise the value of the ability in `row` to what the row gives: the best row counts."""
    column = at + Token.AMBUSH + np.int64(params.ability_kind[row])
    out[column] = max(out[column], params.ability_value[row])


@njit
def raise_granted(params, rows, out, at):
    """Raise the values of the abilities that effects grant."""
    for effect in range(rows[0], rows[1]):
        if params.effect_kind[effect] == Effect.GRANT:
            raise_value(params, np.int64(params.effect_ability[effect]), out, at)


@njit
def write_granted(params, state, unit, out, at):
    """Write the abilities that attachments in effect and passing effects grant."""
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        if is_in_effect(params, state, attachment):
            raise_granted(params, text_rows(params, type_of(state, attachment)), out, at)
        attachment = np.int64(state.token_next[attachment])
    for i in range(state.num_modifiers):
        if state.modifier_token[i] == unit:
            raise_granted(params, applied_rows(params, state.modifier_type[i], state.modifier_rows[i]), out, at)


@njit
def clear_abilities(out, at):
    """Clear the abilities of a unit."""
    for ability in range(NUM_ABILITIES):
        out[at + Token.AMBUSH + ability] = 0
    out[at + Token.AUGMENTED] = 0
    out[at + Token.AUGMENT_AMOUNT] = 0


@njit
def write_granted_augment(params, state, unit, out, at):
    """Write the augment of a unit to which attachments or passing effects may grant one."""
    found = ability_row_if_revealed(params, state, unit, np.int64(Ability.AUGMENT))
    if found != NO_ROW:
        out[at + Token.AUGMENTED] = params.ability_stat[found] + AUGMENTED_OFFSET
        out[at + Token.AUGMENT_AMOUNT] = params.ability_amount[found]


@njit
def write_abilities(params, state, unit, out, at):
    """Replace the printed abilities of a unit where those that it has now, or would have face up, differ."""
    type_id = type_of(state, unit)
    if params.type_limit_end[type_id] > params.type_limit_start[type_id] and not limits_met(params, state, unit):
        clear_abilities(out, at)
    if not is_as_printed(state, unit):
        write_granted(params, state, unit, out, at)
        write_granted_augment(params, state, unit, out, at)


@njit
def write_stats(params, state, unit, out, at):
    """Write the effective stats of a unit."""
    movement, damage, armor = current_stats(params, state, unit)
    out[at + Token.EFFECTIVE_MOVEMENT] = clamp(max(np.int64(0), movement))
    out[at + Token.EFFECTIVE_DAMAGE] = clamp(max(np.int64(0), damage))
    out[at + Token.EFFECTIVE_ARMOR] = clamp(armor)


@njit(inlined=True)
def write_token(params, state, viewer, token, out, at):
    """Overwrite a row with what `viewer` knows of `token`, except for the place (V-03)."""
    for column in range(FIRST_ATTRIBUTE):
        out[at + column] = 0
    out[at + Token.OWNER] = relative_seat(viewer, owner_of(state, token), params.num_generals)
    out[at + Token.CONTROLLER] = relative_seat(viewer, controller_of(state, token), params.num_generals)
    out[at + Token.FACE] = state.token_face[token]
    shown = np.int8(-np.int64(knows_identity(state, viewer, token)))  # all bits or none
    copy_row(params.type_attributes, type_of(state, token), shown, out, at + FIRST_ATTRIBUTE)


@njit
def is_anything_under_way(state):
    """Return whether an attack or an activation is announced, or being chosen."""
    return state.attack_verb != 0 or state.act_verb != 0 or state.chain_verb != 0


@njit
def attack_role(state, viewer, token):
    """Return the role of `token` in the attack, as far as `viewer` knows it."""
    if not knows_choice(state, viewer, state.attack_announced):
        return np.int64(Role.NONE)
    if token == state.attack_target:
        return np.int64(Role.TARGET)
    if token == state.attack_designated:
        return np.int64(Role.DESIGNATED)
    if token == state.attack_unit or state.token_member[token] == Member.ATTACKS:
        return np.int64(Role.ACTS)
    return np.int64(Role.NONE)


@njit
def act_role(state, viewer, token):
    """Return the role of `token` in the activation, as far as `viewer` knows it."""
    if not knows_choice(state, viewer, state.act_announced):
        return np.int64(Role.NONE)
    if token == state.act_unit or token == state.act_token:
        return np.int64(Role.ACTS)
    if token == state.act_target or token == state.act_slot:
        return np.int64(Role.TARGET)
    return np.int64(Role.NONE)


@njit(inlined=True)
def write_on_board(params, state, viewer, token, out, at):
    """Write a unit or battlefield: place and face of all, the rest only of those that are known (V-08, V-19).

    What only units have is 0 for battlefields, so that they need no branch.
    """
    write_token(params, state, viewer, token, out, at)
    out[at + Token.PLACE] = Place.BATTLEGROUND
    out[at + Token.KIND] = kind_of(params, state, token) + SHOWN_OFFSET
    write_hex(params, out, at + Token.Q, hex_of(state, token))
    out[at + Token.EMPLOYED] = state.token_employed[token]
    out[at + Token.MOVED] = state.token_moved[token]
    is_down = 1 - np.int64(state.token_face[token])
    out[at + Token.PUBLIC_MOVEMENT] = is_down * clamp(np.int64(state.token_min_movement[token]))
    out[at + Token.PUBLIC_ARMOR] = is_down * clamp(np.int64(state.token_min_armor[token]))


@njit
def write_beneath(params, state, viewer, token, out, at):
    """Write an attachment or a captive on the hex of the unit above it, or a token removed from play."""
    write_token(params, state, viewer, token, out, at)
    if is_in_effect(params, state, token):
        out[at + Token.FACE] = ShownFace.IN_EFFECT
    if state.token_kind_known[token] == 1:
        out[at + Token.KIND] = kind_of(params, state, token) + SHOWN_OFFSET
    host = np.int64(state.token_host[token])
    write_hex(params, out, at + Token.Q, np.int64(NO_HEX) if host == NO_TOKEN else hex_of(state, host))
    out[at + Token.ACT_ROLE] = act_role(state, viewer, token)


# --- the rows; each function begins at `at` and returns where the next row begins


@njit
def first_by_type(params, state, player, pool):
    """Return the token of `pool`, bits of `player`, that is listed first: by type, face-down copies before others.

    Copies that share both look the same, so that row numbers decide nothing that is seen.
    """
    first = first_token(params, player) + lowest_bit(pool)
    rest = without_lowest(pool)
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if 2 * type_of(state, token) + state.token_face[token] < 2 * type_of(state, first) + state.token_face[first]:
            first = token
    return first


@njit
def write_aside(params, state, viewer, zone, out, at):
    """Write the viewer's own hand or picks, by type."""
    rest = tokens_in(state, viewer, zone)
    while rest != NO_BITS:
        token = first_by_type(params, state, viewer, rest)
        rest &= ~bit(token - first_token(params, viewer))
        write_token(params, state, viewer, token, out, at)
        out[at + Token.PLACE] = Place.HAND if zone == Zone.HAND else Place.PICKED
        write_hex(params, out, at + Token.Q, np.int64(NO_HEX))
        at += TOKEN_WIDTH
    return at


@njit
def write_stack(params, state, viewer, unit, out, at):
    """Write the attachments of `unit` in the order of their stack (V-11)."""
    slot = 0
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        write_beneath(params, state, viewer, attachment, out, at)
        out[at + Token.PLACE] = Place.ATTACHED
        out[at + Token.SLOT] = slot
        slot += 1
        at += TOKEN_WIDTH
        attachment = np.int64(state.token_next[attachment])
    return at


@njit
def write_removed(params, state, viewer, out, at):
    """Write the tokens removed from play, as far as `viewer` knows them: seat by seat, by type."""
    for seat in range(params.num_generals):
        player = (viewer + seat) % params.num_generals
        rest = tokens_in(state, player, Zone.REMOVED)
        if player != viewer:
            rest &= state.face_up[player]
        while rest != NO_BITS:
            token = first_by_type(params, state, player, rest)
            rest &= ~bit(token - first_token(params, player))
            write_beneath(params, state, viewer, token, out, at)
            out[at + Token.PLACE] = Place.REMOVED
            at += TOKEN_WIDTH
    return at


@njit
def is_anything_in(params, out, column):
    """Return whether some General has tokens that `column` of the block of Generals, written before, counts."""
    for seat in range(params.num_generals):
        if out[GENERAL_START + seat * GENERAL_WIDTH + column] != 0:
            return True
    return False


@njit
def write_captives(params, state, viewer, unit, out, at):
    """Write the captives of `unit`, in the order of capture; the unit's row is the last one that is no attachment."""
    above = at - (1 + count_attachments(state, unit)) * TOKEN_WIDTH
    token = first_captive(state, unit)
    while token != NO_TOKEN:
        write_beneath(params, state, viewer, token, out, at)
        out[at + Token.PLACE] = Place.CAPTURED
        out[above + Token.CAPTIVES] += 1
        at += TOKEN_WIDTH
        token = np.int64(state.token_next[token])
    return at


@njit(inlined=True)
def write_unit(params, state, viewer, unit, out, at):
    """Write what only a unit has into the row written last."""
    if knows_identity(state, viewer, unit):
        write_stats(params, state, unit, out, at)
        write_abilities(params, state, unit, out, at)
    if is_anything_under_way(state):
        out[at + Token.ATTACK_ROLE] = attack_role(state, viewer, unit)
        out[at + Token.ACT_ROLE] = act_role(state, viewer, unit)
    if state.token_first[unit] != NO_TOKEN:
        out[at + Token.ATTACHMENTS] = count_attachments(state, unit)


@njit
def write_tokens(params, state, viewer, out, at):
    """Write the block of tokens, which begins at `at`; the block of Generals must have been written.

    Returns:
        Where the unused rows begin; they are left unchanged.
    """
    at = write_aside(params, state, viewer, np.int64(Zone.HAND), out, at)
    at = write_aside(params, state, viewer, np.int64(Zone.PICKED), out, at)
    has_captives = is_anything_in(params, out, General.CAPTURED)
    for i in range(state.num_board):
        key = np.int64(state.board_keys[i])
        unit = unit_at(state, key >> 1)
        token = unit if key & 1 == 1 else field_at(state, key >> 1)
        write_on_board(params, state, viewer, token, out, at)
        at += TOKEN_WIDTH
        if key & 1 == 1:
            write_unit(params, state, viewer, unit, out, at - TOKEN_WIDTH)
            if state.token_first[unit] != NO_TOKEN:
                at = write_stack(params, state, viewer, unit, out, at)
            if has_captives:
                at = write_captives(params, state, viewer, unit, out, at)
    if is_anything_in(params, out, General.REMOVED):
        at = write_removed(params, state, viewer, out, at)
    return at


@njit
def clear_used(out, at):
    """Zero the rows from `at` on that an earlier observation used; after the first unused row there are none."""
    while at < len(out) and out[at + Token.PLACE] != Place.NONE:
        for column in range(np.uint64(TOKEN_WIDTH)):
            out[np.uint64(at) + column] = 0
        at += TOKEN_WIDTH
