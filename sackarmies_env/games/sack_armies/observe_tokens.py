"""What a General sees of tokens as objects: the block `tokens` of an observation (digest section 6).

Rows of the state never show: tokens come hex by hex and in the public order of their stacks, the rest type by type.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.constants import MAX_TYPES, NO_TOKEN, NUM_ABILITIES, Ability, Face, Zone
from sackarmies_env.games.sack_armies.knowledge import (
    clamp,
    knows_choice,
    knows_identity,
    seat_from,
    write_hex,
    write_type,
)
from sackarmies_env.games.sack_armies.layout import (
    AUGMENTED_OFFSET,
    FIRST_ATTRIBUTE,
    NUM_ATTRIBUTES,
    SHOWN_OFFSET,
    TOKEN_WIDTH,
    Place,
    Role,
    Shown,
    ShownFace,
    Token,
)
from sackarmies_env.games.sack_armies.stats import (
    NO_ROW,
    ability_row_if_revealed,
    effective_armor,
    effective_damage,
    effective_movement,
)
from sackarmies_env.games.sack_armies.zones import (
    count_attachments,
    field_at,
    first_token,
    hex_of,
    is_face_up,
    is_in_effect,
    kind_of,
    owner_of,
    type_of,
    unit_at,
)

END_OF_PILE = 1 << 40  # above every key of `pile_key`

# --- one token


@njit
def write_abilities(params, state, unit, row):
    """Write the abilities of a unit as they work for it now, or would if it were face up."""
    for ability in range(NUM_ABILITIES):
        found = ability_row_if_revealed(params, state, unit, np.int64(ability))
        row[Token.AMBUSH + ability] = 0 if found == NO_ROW else params.ability_value[found]
    found = ability_row_if_revealed(params, state, unit, np.int64(Ability.AUGMENT))
    if found == NO_ROW:
        row[Token.AUGMENTED] = 0
        row[Token.AUGMENT_AMOUNT] = 0
    else:
        row[Token.AUGMENTED] = params.ability_stat[found] + AUGMENTED_OFFSET
        row[Token.AUGMENT_AMOUNT] = params.ability_amount[found]


@njit
def write_identity(params, state, token, row):
    """Write what is printed on `token` (V-03)."""
    type_id = type_of(state, token)
    row[Token.KIND] = kind_of(params, state, token) + SHOWN_OFFSET
    write_type(row, Token.TYPE_LOW, type_id)
    printed = params.type_attributes[type_id]
    columns = row[FIRST_ATTRIBUTE : FIRST_ATTRIBUTE + NUM_ATTRIBUTES]  # slices first: the loop becomes a block copy
    for i in range(NUM_ATTRIBUTES):
        columns[i] = printed[i]


@njit
def write_unit_stats(params, state, unit, row):
    """Write what a known unit on the board is worth now."""
    type_id = type_of(state, unit)
    limited = params.type_limit_end[type_id] > params.type_limit_start[type_id]
    if limited or state.token_first[unit] != NO_TOKEN or state.num_modifiers > 0:
        write_abilities(params, state, unit, row)
    row[Token.EFFECTIVE_MOVEMENT] = clamp(effective_movement(params, state, unit))
    row[Token.EFFECTIVE_DAMAGE] = clamp(effective_damage(params, state, unit))
    row[Token.EFFECTIVE_ARMOR] = clamp(effective_armor(params, state, unit))


@njit
def write_token(params, state, viewer, token, row):
    """Write what `viewer` knows of `token`, the place apart."""
    row[Token.OWNER] = seat_from(params, viewer, owner_of(state, token))
    row[Token.CONTROLLER] = seat_from(params, viewer, np.int64(state.token_controller[token]))
    if is_face_up(state, token):
        row[Token.FACE] = ShownFace.IN_EFFECT if is_in_effect(params, state, token) else ShownFace.UP
    if knows_identity(params, state, viewer, token):
        write_identity(params, state, token, row)
    elif state.token_kind_known[token] == 1:
        row[Token.KIND] = kind_of(params, state, token) + SHOWN_OFFSET


@njit
def attack_role(state, viewer, token):
    """Return the part of `token` in the attack, as far as `viewer` knows of it."""
    if not knows_choice(state, viewer, state.attack_announced):
        return np.int64(Role.NONE)
    if token == state.attack_target:
        return np.int64(Role.TARGET)
    if token == state.attack_designated:
        return np.int64(Role.DESIGNATED)
    if token == state.attack_unit or state.token_member[token] == 1:
        return np.int64(Role.ACTS)
    return np.int64(Role.NONE)


@njit
def act_role(state, viewer, token):
    """Return the part of `token` in the activation, as far as `viewer` knows of it."""
    if not knows_choice(state, viewer, state.act_announced):
        return np.int64(Role.NONE)
    if token == state.act_unit or token == state.act_token:
        return np.int64(Role.ACTS)
    if token == state.act_target or token == state.act_slot:
        return np.int64(Role.TARGET)
    return np.int64(Role.NONE)


@njit
def write_unit(params, state, viewer, unit, row):
    """Write a unit on the board: place and face of all, the rest of those that are known (V-08, V-19)."""
    write_token(params, state, viewer, unit, row)
    row[Token.PLACE] = Place.BATTLEGROUND
    row[Token.KIND] = Shown.UNIT
    write_hex(params, row, Token.Q, hex_of(state, unit))
    row[Token.EMPLOYED] = state.token_employed[unit]
    row[Token.MOVED] = state.token_moved[unit]
    row[Token.ATTACHMENTS] = count_attachments(state, unit)
    row[Token.ATTACK_ROLE] = attack_role(state, viewer, unit)
    row[Token.ACT_ROLE] = act_role(state, viewer, unit)
    if state.token_face[unit] == Face.DOWN:
        row[Token.PUBLIC_MOVEMENT] = clamp(np.int64(state.token_min_movement[unit]))
        row[Token.PUBLIC_ARMOR] = clamp(np.int64(state.token_min_armor[unit]))
    if knows_identity(params, state, viewer, unit):
        write_unit_stats(params, state, unit, row)


@njit
def write_beneath(params, state, viewer, token, row):
    """Write an attachment or a captive on the hex of the unit above it, or a token removed from play."""
    write_token(params, state, viewer, token, row)
    host = np.int64(state.token_host[token])
    write_hex(params, row, Token.Q, np.int64(NO_HEX) if host == NO_TOKEN else hex_of(state, host))
    row[Token.ACT_ROLE] = act_role(state, viewer, token)


# --- the rows; each function returns how many it has written


@njit
def nth_row(rows, n):
    """Return row `n` of a part of the block of tokens."""
    return rows[n * TOKEN_WIDTH : (n + 1) * TOKEN_WIDTH]


@njit
def write_aside(params, state, viewer, zone, rows):
    """Write the viewer's own hand or picks, in the order of his list."""
    count = np.int64(0)
    start = first_token(params, viewer)
    for token in range(start, start + np.int64(params.tokens_per_general)):
        if state.token_zone[token] == zone:
            row = nth_row(rows, count)
            write_token(params, state, viewer, token, row)
            row[Token.PLACE] = Place.HAND if zone == Zone.HAND else Place.PICKED
            write_hex(params, row, Token.Q, np.int64(NO_HEX))
            count += 1
    return count


@njit
def write_stack(params, state, viewer, unit, rows):
    """Write the attachments of `unit` in the order of their stack (V-11)."""
    count = np.int64(0)
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        row = nth_row(rows, count)
        write_beneath(params, state, viewer, attachment, row)
        row[Token.PLACE] = Place.ATTACHED
        row[Token.SLOT] = count
        count += 1
        attachment = np.int64(state.token_next[attachment])
    return count


@njit
def is_in_pile(params, state, viewer, token, captor):
    """Return whether `token` is held by `captor`, or with NO_TOKEN whether `viewer` knows it as removed from play."""
    if captor == NO_TOKEN:
        return state.token_zone[token] == Zone.REMOVED and knows_identity(params, state, viewer, token)
    return state.token_zone[token] == Zone.CAPTURED and state.token_host[token] == captor


@njit
def pile_key(params, state, viewer, token):
    """Return the place of `token` in a pile: by seat, then by type, unknown ones last; the row settles ties alone."""
    type_id = type_of(state, token) if knows_identity(params, state, viewer, token) else np.int64(MAX_TYPES)
    seat = seat_from(params, viewer, owner_of(state, token))
    return (seat * (MAX_TYPES + 1) + type_id) * len(state.token_zone) + token


@njit
def next_in_pile(params, state, viewer, captor, after):
    """Return the least key above `after` in a pile, or END_OF_PILE."""
    least = np.int64(END_OF_PILE)
    for token in range(len(state.token_zone)):
        if is_in_pile(params, state, viewer, token, captor):
            key = pile_key(params, state, viewer, token)
            if key > after and key < least:
                least = key
    return least


@njit
def write_pile(params, state, viewer, captor, rows):
    """Write the captives of `captor`, or with NO_TOKEN what is removed from play, in an order that all know."""
    count = np.int64(0)
    key = next_in_pile(params, state, viewer, captor, np.int64(-1))
    while key != END_OF_PILE:
        row = nth_row(rows, count)
        write_beneath(params, state, viewer, key % len(state.token_zone), row)
        row[Token.PLACE] = Place.REMOVED if captor == NO_TOKEN else Place.CAPTURED
        count += 1
        key = next_in_pile(params, state, viewer, captor, key)
    return count


@njit
def count_in_zone(state, zone):
    """Return how many tokens are in `zone`, of all Generals."""
    count = np.int64(0)
    for token in range(len(state.token_zone)):
        count += state.token_zone[token] == zone
    return count


@njit
def write_cell(params, state, viewer, cell, has_captives, rows):
    """Write what lies on a hex: battlefield, unit, attachments, captives."""
    count = np.int64(0)
    field = field_at(state, cell)
    if field != NO_TOKEN:
        row = nth_row(rows, count)
        write_token(params, state, viewer, field, row)
        row[Token.PLACE] = Place.BATTLEGROUND
        write_hex(params, row, Token.Q, cell)
        count += 1
    unit = unit_at(state, cell)
    if unit == NO_TOKEN:
        return count
    row = nth_row(rows, count)
    write_unit(params, state, viewer, unit, row)
    count += 1 + write_stack(params, state, viewer, unit, rows[(count + 1) * TOKEN_WIDTH :])
    if has_captives:
        captives = write_pile(params, state, viewer, unit, rows[count * TOKEN_WIDTH :])
        row[Token.CAPTIVES] = captives
        count += captives
    return count


@njit
def write_tokens(params, state, viewer, rows):
    """Write the block of tokens; unused rows stay as they are."""
    count = write_aside(params, state, viewer, Zone.HAND, rows)
    count += write_aside(params, state, viewer, Zone.PICKED, rows[count * TOKEN_WIDTH :])
    has_captives = count_in_zone(state, Zone.CAPTURED) > 0
    for cell in range(params.num_cells):
        if state.cell_field[cell] == NO_TOKEN and state.cell_unit[cell] == NO_TOKEN:
            continue
        count += write_cell(params, state, viewer, np.int64(cell), has_captives, rows[count * TOKEN_WIDTH :])
    if count_in_zone(state, Zone.REMOVED) > 0:
        write_pile(params, state, viewer, np.int64(NO_TOKEN), rows[count * TOKEN_WIDTH :])
