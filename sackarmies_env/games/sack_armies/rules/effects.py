"""Texts of spells, maneuvers and printed actions: their targets and effects (sections 9.1 to 9.3)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.core.state import ERROR_CAPACITY
from sackarmies_env.games.sack_armies.rules.abilities import (
    begin_raise,
    dismiss,
    has_raisable,
    has_slot_for,
    may_choose_slot,
    offer_raisable,
    strip_attachment,
)
from sackarmies_env.games.sack_armies.rules.combat import is_lethal, kill
from sackarmies_env.games.sack_armies.rules.movement import (
    relocate_unit,
    reveal,
    reveal_in_sight,
)
from sackarmies_env.games.sack_armies.rules.stats import NO_ROW, distance, effective_armor
from sackarmies_env.games.sack_armies.state.actions import hex_action, slot_action
from sackarmies_env.games.sack_armies.state.chance import draw_tokens, flip, flip_progressive
from sackarmies_env.games.sack_armies.state.constants import (
    NO_MATCH,
    NO_TOKEN,
    OWNED_LIMIT,
    Effect,
    Event,
    Flip,
    Kind,
    Target,
    Use,
    Who,
    Zone,
)
from sackarmies_env.games.sack_armies.state.events import log_event
from sackarmies_env.games.sack_armies.state.transfer import leave_play, lift_unit, put_unit, shown_type
from sackarmies_env.games.sack_armies.state.zones import (
    attachment_in_slot,
    controller_of,
    count_attachments,
    count_owned_attachments,
    first_token,
    has_free_slot,
    hex_of,
    is_face_up,
    is_legal_hex,
    is_unit_on_board,
    outdate_stats,
    owner_of,
    type_of,
    unit_at,
)

# --- reading a text


@njit
def find_effect(params, type_id, kind):
    """Return the first effect row of this kind in the text of a type, or NO_ROW."""
    for row in range(params.type_effect_start[type_id], params.type_effect_end[type_id]):
        if params.effect_kind[row] == kind:
            return np.int64(row)
    return np.int64(NO_ROW)


@njit
def stripped_kind(params, type_id):
    """Return the kind of token that a text removes from a unit: spell for Dispel, maneuver for Counter; else -1."""
    if find_effect(params, type_id, Effect.DISPEL) != NO_ROW:
        return np.int64(Kind.SPELL)
    if find_effect(params, type_id, Effect.COUNTER) != NO_ROW:
        return np.int64(Kind.MANEUVER)
    return np.int64(-1)


@njit
def only_strips(params, type_id):
    """Return whether all that a text does is to remove an attachment, as the abilities Counter and Dispel do.

    Such a text does nothing to the unit itself, which may be face down (R8.2.2-3) and stays so.
    """
    single = params.type_effect_end[type_id] - params.type_effect_start[type_id] == 1
    return single and stripped_kind(params, type_id) != -1


@njit
def running_text(state):
    """Return the type whose text is being activated: that of the spell or maneuver, or of the unit itself."""
    if state.act_token != NO_TOKEN:
        return type_of(state, state.act_token)
    return type_of(state, state.act_unit)


# --- targets


@njit
def is_target_of_kind(params, state, host, type_id, cell):
    """Return whether `cell` is in range and is, or holds, the kind of target that the text requires.

    Enemies must be revealed, unless only an attachment is affected; own units need not be. Bands do not matter.

    (R8.2.1-16, R8.2.2-2, R9.2-13)
    """
    if distance(params, hex_of(state, host), cell) > params.type_target_range[type_id]:
        return False
    wanted = params.type_target[type_id]
    if wanted == Target.HEX:
        return is_legal_hex(params, state, cell)
    unit = unit_at(state, cell)
    if unit == NO_TOKEN:
        return False
    if controller_of(state, unit) == controller_of(state, host):
        return wanted == Target.OWN_UNIT or wanted == Target.ANY_UNIT
    if not is_face_up(state, unit) and not only_strips(params, type_id):
        return False
    return wanted == Target.ENEMY_UNIT or wanted == Target.ANY_UNIT


@njit
def has_room_for_permanent(params, state, host, type_id, unit):
    """Return whether a permanent still fits on `unit`; only tokens of its own General count toward its three."""
    if params.type_use[type_id] != Use.PERMANENT or unit == host:
        return True
    if not has_free_slot(state, unit):
        return False
    return (
        controller_of(state, unit) != controller_of(state, host) or count_owned_attachments(state, unit) < OWNED_LIMIT
    )


@njit
def can_relocate_to(params, state, unit, reach, cell):
    """Return whether an effect may put `unit` on `cell`: an empty legal hex within `reach`."""
    return (
        is_legal_hex(params, state, cell)
        and state.cell_unit[cell] == NO_TOKEN
        and distance(params, hex_of(state, unit), cell) <= reach
    )


@njit
def relocated_unit(params, row, host, target):
    """Return the unit that relocation `row` moves: the target or the host."""
    return target if params.effect_who[row] == Who.TARGET else host


@njit
def has_relocation(params, state, row, host, target):
    """Return whether relocation `row` has a possible destination."""
    unit = relocated_unit(params, row, host, target)
    if unit == NO_TOKEN:
        return False
    for cell in range(params.num_cells):
        if can_relocate_to(params, state, unit, np.int64(params.effect_distance[row]), np.int64(cell)):
            return True
    return False


@njit
def can_complete(params, state, host, type_id, target):
    """Return whether all further choices of a text can be made once `target` (a unit or NO_TOKEN) is chosen."""
    player = controller_of(state, host)
    kind = stripped_kind(params, type_id)
    if kind != -1 and (target == NO_TOKEN or not has_slot_for(params, state, player, target, kind)):
        return False
    row = find_effect(params, type_id, Effect.RELOCATE)
    if row != NO_ROW and not has_relocation(params, state, row, host, target):
        return False
    row = find_effect(params, type_id, Effect.RAISE)
    return row == NO_ROW or has_raisable(params, state, player, np.int64(NO_TOKEN), np.int64(params.effect_match[row]))


@njit
def is_effect_target(params, state, host, type_id, cell):
    """Return whether the text may be aimed at `cell`; employed units are valid targets, too (Q-95)."""
    if not is_target_of_kind(params, state, host, type_id, cell):
        return False
    unit = unit_at(state, cell)
    if params.type_target[type_id] != Target.HEX and not has_room_for_permanent(params, state, host, type_id, unit):
        return False
    row = find_effect(params, type_id, Effect.SWAP)
    if row != NO_ROW and (unit == host or distance(params, hex_of(state, host), cell) > params.effect_distance[row]):
        return False
    if unit == host and find_effect(params, type_id, Effect.DISMISS) != NO_ROW:
        return False
    return can_complete(params, state, host, type_id, unit)


@njit
def can_use_text(params, state, host, type_id):
    """Return whether `host` can activate the text of a type with some choice of targets."""
    wanted = params.type_target[type_id]
    if wanted == Target.HOST:
        return can_complete(params, state, host, type_id, host)
    if wanted == Target.HEX:
        for cell in range(params.num_cells):
            if is_effect_target(params, state, host, type_id, np.int64(cell)):
                return True
        return False
    for player in range(params.num_generals):
        rest = state.units[player]
        while rest != NO_BITS:
            cell = hex_of(state, first_token(params, player) + lowest_bit(rest))
            if is_effect_target(params, state, host, type_id, cell):
                return True
            rest = without_lowest(rest)
    return False


@njit
def can_use_attachment(params, state, host, token):
    """Return whether `host` can activate the text of the attachment `token`.

    The test treats `token` as being activated already: it has then left its stack and cannot be aimed at.
    """
    before = state.act_token
    state.act_token = token
    usable = can_use_text(params, state, host, type_of(state, token))
    state.act_token = before
    return usable


# --- choices


@njit
def offer_effect_targets(params, state):
    """Offer the hexes that the running text may be aimed at."""
    host = state.act_unit
    type_id = running_text(state)
    for cell in range(params.num_cells):
        if is_effect_target(params, state, host, type_id, np.int64(cell)):
            allow(state, hex_action(params, cell))


@njit
def offer_slots(params, state, player, unit, kind):
    """Offer the attachment slots of `unit` that `player` may aim at."""
    for slot in range(count_attachments(state, unit)):
        if may_choose_slot(params, state, player, attachment_in_slot(state, unit, np.int64(slot)), kind):
            allow(state, slot_action(params, slot))


@njit
def offer_effect_hexes(params, state):
    """Offer the hexes where the relocation of the running text may end."""
    row = find_effect(params, running_text(state), Effect.RELOCATE)
    unit = relocated_unit(params, row, state.act_unit, state.act_target)
    for cell in range(params.num_cells):
        if can_relocate_to(params, state, unit, np.int64(params.effect_distance[row]), np.int64(cell)):
            allow(state, hex_action(params, cell))


@njit
def raised_match(params, state):
    """Return the match of the running text's Raise effect; NO_MATCH if it has none."""
    row = find_effect(params, running_text(state), Effect.RAISE)
    return np.int64(NO_MATCH) if row == NO_ROW else np.int64(params.effect_match[row])


@njit
def offer_effect_types(params, state):
    """Offer the casualties that the running text may raise."""
    offer_raisable(params, state, state.act_player, np.int64(NO_TOKEN), raised_match(params, state))


# --- effects


@njit
def add_modifier(params, state, unit, type_id, row):
    """Apply effect `row` of a text, with those before it, to `unit` until the end of the turn."""
    place = row - np.int64(params.type_effect_start[type_id])
    outdate_stats(state)
    last = state.num_modifiers - 1
    if (
        last >= 0
        and state.modifier_token[last] == unit
        and state.modifier_type[last] == type_id
        and state.modifier_rows[last] <= place  # otherwise the entry is of an earlier copy of the text
    ):
        state.modifier_rows[last] = place + 1
        return
    if state.num_modifiers == len(state.modifier_token):
        state.error = ERROR_CAPACITY
        return
    state.modifier_token[last + 1] = unit
    state.modifier_type[last + 1] = type_id
    state.modifier_rows[last + 1] = place + 1
    state.num_modifiers += 1


@njit
def count_successes(params, state, mode):
    """Flip as an effect requires and return the successes; an effect without a flip has one success."""
    player = state.act_player
    if mode == Flip.SINGLE:
        return np.int64(flip(params, state, player))
    if mode == Flip.PROGRESSIVE:
        return np.int64(flip_progressive(params, state, player))
    return np.int64(1)


@njit
def inflict(params, state, unit, amount):
    """Inflict a text's damage on `unit`, which the text has revealed; if lethal, the unit is killed (R3.2.2-3)."""
    if is_lethal(amount, effective_armor(params, state, unit)):
        kill(params, state, unit)


@njit
def swap_units(params, state, host, target):
    """Swap the places of two units; both end up face up (Q-43)."""
    here = hex_of(state, host)
    there = hex_of(state, target)
    lift_unit(params, state, host)
    lift_unit(params, state, target)
    put_unit(params, state, host, there)
    put_unit(params, state, target, here)
    log_event(params, state, Event.MOVE, controller_of(state, host), there, here)
    log_event(params, state, Event.MOVE, controller_of(state, target), here, there)
    reveal(params, state, target)
    reveal_in_sight(params, state)


@njit
def reveal_around(params, state, center, reach):
    """Reveal the face-down units within `reach` of `center` that oppose the activating General."""
    for cell in range(params.num_cells):
        unit = unit_at(state, cell)
        if (
            unit != NO_TOKEN
            and not is_face_up(state, unit)
            and controller_of(state, unit) != state.act_player
            and distance(params, center, np.int64(cell)) <= reach
        ):
            reveal(params, state, unit)
    reveal_in_sight(params, state)


@njit
def act_center(params, state):
    """Return the hex that the running text is aimed at; where its target is now, if that is on the battleground."""
    if state.act_hex == NO_HEX:
        return hex_of(state, state.act_unit)
    unit = state.act_target
    if params.type_target[running_text(state)] != Target.HEX and unit != NO_TOKEN and is_unit_on_board(state, unit):
        return hex_of(state, unit)
    return state.act_hex


@njit
def aimed_unit(params, state):
    """Return the unit that the running text affects now, or NO_TOKEN."""
    if params.type_target[running_text(state)] == Target.HEX:
        return unit_at(state, state.act_hex)
    return state.act_target


@njit
def apply_to_unit(params, state, row, unit):
    """Carry out an effect on a unit that is on the battleground."""
    kind = params.effect_kind[row]
    if kind == Effect.DAMAGE:
        successes = count_successes(params, state, params.effect_flip[row])
        inflict(params, state, unit, successes * np.int64(params.effect_amount[row]))
    elif kind == Effect.MODIFY or kind == Effect.GRANT:
        if params.type_use[running_text(state)] == Use.ACTION:
            add_modifier(params, state, unit, running_text(state), row)
    elif kind == Effect.SWAP:
        host = state.act_unit
        if is_unit_on_board(state, host):
            swap_units(params, state, host, unit)
    elif kind == Effect.DISMISS:
        dismiss(params, state, unit)
    elif kind == Effect.DISPEL or kind == Effect.COUNTER:
        strip_chosen(params, state, np.int64(Kind.SPELL if kind == Effect.DISPEL else Kind.MANEUVER))
    elif kind == Effect.REMOVE:
        shown = shown_type(state, unit, params.casualties_public == 1)
        log_event(params, state, Event.REMOVE, owner_of(state, unit), hex_of(state, unit), shown)
        leave_play(params, state, unit, Zone.REMOVED, Zone.REMOVED)


@njit
def strip_chosen(params, state, kind):
    """Remove the chosen attachment if it is still attached."""
    attachment = state.act_slot
    if state.token_zone[attachment] == Zone.ATTACHED:
        strip_attachment(params, state, attachment, kind)


@njit
def apply_relocation(params, state, row):
    """Carry out a relocation, unless its flip fails."""
    if count_successes(params, state, params.effect_flip[row]) == 0:
        return
    unit = relocated_unit(params, row, state.act_unit, state.act_target)
    cell = state.act_to
    if unit != NO_TOKEN and is_unit_on_board(state, unit) and state.cell_unit[cell] == NO_TOKEN:
        relocate_unit(params, state, unit, cell)


@njit
def apply_effect(params, state, row):
    """Carry out one effect of the running text, or ask for the hex that it needs (R3.2.2-11)."""
    kind = params.effect_kind[row]
    if kind == Effect.RELOCATE:
        apply_relocation(params, state, row)
    elif kind == Effect.DRAW:
        draw_tokens(params, state, state.act_player, np.int64(params.effect_amount[row]))
    elif kind == Effect.REVEAL:
        center = act_center(params, state)
        if center != NO_HEX:
            reveal_around(params, state, center, np.int64(params.effect_amount[row]))
    elif kind == Effect.RAISE:
        begin_raise(params, state)
    else:
        unit = aimed_unit(params, state)
        if unit != NO_TOKEN and is_unit_on_board(state, unit):
            apply_to_unit(params, state, row, unit)
