"""Activation of abilities, spells, maneuvers and printed action texts (P-ACTIVATE, sections 9.1 to 9.3)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.flow import ask, clear_chain, get_data, pop_frame, push_frame, set_step
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.rules.abilities import (
    begin_raise,
    can_capture,
    can_dismiss,
    can_reach_tokens,
    capture,
    dismiss,
    has_raisable,
    may_choose_slot,
    raise_unit,
    strip_attachment,
)
from sackarmies_env.games.sack_armies.rules.effects import (
    apply_effect,
    can_use_attachment,
    can_use_text,
    find_effect,
    is_effect_target,
    only_strips,
    running_text,
    stripped_kind,
)
from sackarmies_env.games.sack_armies.rules.movement import reveal, reveal_in_sight, reveal_unit
from sackarmies_env.games.sack_armies.rules.stats import NO_ROW, ability_if_revealed, has_ability_for, limits_met
from sackarmies_env.games.sack_armies.rules.victory import eliminate_without_units
from sackarmies_env.games.sack_armies.state.actions import decode_hex, decode_slot, decode_type
from sackarmies_env.games.sack_armies.state.chance import flip
from sackarmies_env.games.sack_armies.state.constants import (
    NO_MATCH,
    NO_TOKEN,
    NO_TYPE,
    Ability,
    Decision,
    Effect,
    Event,
    Face,
    Frame,
    Kind,
    Target,
    Use,
    Verb,
    Zone,
)
from sackarmies_env.games.sack_armies.state.events import log_event
from sackarmies_env.games.sack_armies.state.flow import (
    RESULT,
    WindowKind,
    WindowResult,
    WindowStep,
    back_to_menu,
    clear_act,
    end_action,
    open_window,
)
from sackarmies_env.games.sack_armies.state.transfer import show_casualty, to_casualties, to_sack
from sackarmies_env.games.sack_armies.state.zones import (
    attach,
    attachment_in_slot,
    controller_of,
    detach,
    first_token,
    hex_of,
    is_unit_on_board,
    outdate_stats,
    owner_of,
    set_face,
    type_of,
)


class ActivateStep(IntEnum):
    """Steps of an activation."""

    ANNOUNCE = 0
    JUDGE = 1
    BEGIN = 2
    EFFECTS = 3
    FINISH = 4


# --- what can be activated


@njit
def is_castable(params, state, token):
    """Return whether `token` is an action or permanent spell or maneuver that is still unused (R9.2-2)."""
    use = params.type_use[state.token_type[token]]
    return use == Use.ACTION or (use == Use.PERMANENT and state.token_active[token] == 0)


@njit
def can_cast(params, state, unit, token):
    """Return whether `unit` may activate the attachment `token` of its own General (R3.2.3-5)."""
    return (
        state.token_owner[token] == state.token_owner[unit]
        and is_castable(params, state, token)
        and can_use_attachment(params, state, unit, token)
    )


@njit
def has_castable(params, state, unit):
    """Return whether some attachment of `unit` can be activated."""
    token = np.int64(state.token_first[unit])
    while token != NO_TOKEN:
        if can_cast(params, state, unit, token):
            return True
        token = np.int64(state.token_next[token])
    return False


@njit
def has_custom(params, state, unit):
    """Return whether `unit` has a printed action text that it can use now; unmet limits bar it (CUSTOM)."""
    type_id = type_of(state, unit)
    return (
        params.type_use[type_id] == Use.ACTION
        and limits_met(params, state, unit)
        and can_use_text(params, state, unit, type_id)
    )


@njit
def ability_of_verb(verb):
    """Return the ability that a verb activates."""
    if verb == Verb.CAPTURE:
        return np.int64(Ability.CAPTURE)
    if verb == Verb.DISMISS:
        return np.int64(Ability.DISMISS)
    if verb == Verb.COUNTER_TOKEN:
        return np.int64(Ability.COUNTER)
    if verb == Verb.DISPEL:
        return np.int64(Ability.DISPEL)
    return np.int64(Ability.RAISE)


@njit
def is_ability(verb):
    """Return whether a verb activates a special ability rather than a text."""
    return verb != Verb.CAST and verb != Verb.CUSTOM and verb != Verb.SURPRISE


@njit
def can_aim(params, state, verb, unit, target):
    """Return whether `unit` may activate the ability of `verb` on `target`."""
    if verb == Verb.CAPTURE:
        return can_capture(params, state, unit, target)
    if verb == Verb.DISMISS:
        return can_dismiss(params, state, unit, target)
    return can_reach_tokens(params, state, unit, target, ability_of_verb(verb))


@njit
def can_activate(params, state, verb, unit):
    """Return whether `unit` can activate what `verb` names (RB-2, R9.1-2)."""
    if state.token_employed[unit] == 1:
        return False
    if verb == Verb.CAST:
        return has_castable(params, state, unit)
    if verb == Verb.CUSTOM:
        return has_custom(params, state, unit)
    if ability_if_revealed(params, state, unit, ability_of_verb(verb)) == 0:
        return False
    if verb == Verb.RAISE:
        return has_raisable(params, state, controller_of(state, unit), unit, np.int64(NO_MATCH))
    for player in range(params.num_generals):
        rest = state.units[player]
        while rest != NO_BITS:
            if can_aim(params, state, verb, unit, first_token(params, player) + lowest_bit(rest)):
                return True
            rest = without_lowest(rest)
    return False


# --- choosing


@njit
def begin_act(state, verb, unit):
    """Record that `unit` begins an activation; the other players do not know of it yet."""
    clear_act(state)
    state.act_verb = verb
    state.act_player = controller_of(state, unit)
    state.act_unit = unit


@njit
def ask_next_choice(params, state):
    """Ask for the next choice that the text requires or, after the last one, announce the activation (D-21)."""
    type_id = running_text(state)
    player = state.act_player
    if params.type_target[type_id] == Target.HOST:
        state.act_target = state.act_unit
    elif state.act_hex == NO_HEX:
        ask(state, player, Decision.EFFECT_TARGET)
        return
    if stripped_kind(params, type_id) != -1 and state.act_slot == NO_TOKEN:
        ask(state, player, Decision.EFFECT_SLOT)
    elif find_effect(params, type_id, Effect.RELOCATE) != NO_ROW and state.act_to == NO_HEX:
        ask(state, player, Decision.EFFECT_HEX)
    elif find_effect(params, type_id, Effect.RAISE) != NO_ROW and state.act_type == NO_TYPE:
        ask(state, player, Decision.EFFECT_TYPE)
    else:
        clear_chain(state)
        push_frame(state, Frame.ACTIVATE, ActivateStep.ANNOUNCE)


@njit
def apply_effect_choice(params, state, action, decision):
    """Record one choice for the running text, then ask for the next."""
    if decision == Decision.EFFECT_TARGET:
        state.act_hex = decode_hex(params, action)
        state.act_target = state.cell_unit[state.act_hex]
    elif decision == Decision.EFFECT_SLOT:
        state.act_slot = attachment_in_slot(state, state.act_target, decode_slot(params, action))
    elif decision == Decision.EFFECT_HEX:
        state.act_to = decode_hex(params, action)
    else:
        state.act_type = decode_type(params, action)
    ask_next_choice(params, state)


# --- announcing


@njit
def targeted_player(state, unit):
    """Return the General whose unit is targeted, or NO_PLAYER."""
    return np.int64(NO_PLAYER) if unit == NO_TOKEN else controller_of(state, unit)


@njit
def announce_act(params, state):
    """Announce the activation to all: reveal the host and the token, and name the target."""
    unit = state.act_unit
    state.act_announced = 1
    log_event(params, state, Event.ANNOUNCE, state.act_player, hex_of(state, unit), state.act_verb)
    if state.act_token != NO_TOKEN:
        reveal(params, state, state.act_token)
    reveal_unit(params, state, unit)
    if state.act_type != NO_TYPE:
        show_casualty(params, state, state.act_player, state.act_type)
    target = state.act_target
    if target == NO_TOKEN or is_ability(state.act_verb):
        return
    type_id = running_text(state)
    if params.type_target[type_id] != Target.HEX and not only_strips(params, type_id):
        reveal_unit(params, state, target)  # a text works only on revealed units; opposing targets already are


@njit
def is_slot_valid(params, state):
    """Return whether the attachment aimed at, if any, may still be chosen.

    A reveal may show the wrong kind, and the attachment leaves with a General who forfeits.
    """
    if state.act_slot == NO_TOKEN:
        return True
    if state.token_zone[state.act_slot] != Zone.ATTACHED:
        return False
    verb = state.act_verb
    if is_ability(verb):
        kind = np.int64(Kind.MANEUVER if verb == Verb.COUNTER_TOKEN else Kind.SPELL)
    else:
        kind = stripped_kind(params, running_text(state))
    return may_choose_slot(params, state, state.act_player, state.act_slot, kind)


@njit
def is_act_valid(params, state):
    """Return whether the announced activation is still legal (Q-66)."""
    unit = state.act_unit
    if not is_unit_on_board(state, unit) or not is_slot_valid(params, state):
        return False
    verb = state.act_verb
    target = state.act_target
    if verb == Verb.RAISE:
        return has_ability_for(params, state, unit, Ability.RAISE, state.act_type)
    if verb == Verb.CAST or verb == Verb.CUSTOM or verb == Verb.SURPRISE:
        return state.act_hex == NO_HEX or is_effect_target(params, state, unit, running_text(state), state.act_hex)
    if ability_if_revealed(params, state, unit, ability_of_verb(verb)) == 0:
        return False  # it was granted by a permanent of a General who has left
    return is_unit_on_board(state, target) and can_aim(params, state, verb, unit, target)


@njit
def cancel_act(params, state):
    """Cancel the announced activation in public; nothing is spent."""
    cell = hex_of(state, state.act_unit)
    log_event(params, state, Event.CANCEL, state.act_player, cell, state.act_verb)
    back_to_menu(state)


# --- resolving


@njit
def spend_token(params, state):
    """Send an activated spell or maneuver to casualties, except a permanent, which is kept for its target (R9.2-12)."""
    token = state.act_token
    if token != NO_TOKEN and params.type_use[state.token_type[token]] == Use.ACTION:
        cell = hex_of(state, state.act_unit)
        log_event(params, state, Event.CASUALTY, owner_of(state, token), cell, type_of(state, token))
        to_casualties(params, state, token)


@njit
def resolve_ability(params, state):
    """Carry out an ability, or ask for the hex that it needs."""
    verb = state.act_verb
    if verb == Verb.CAPTURE:
        capture(params, state, state.act_unit, state.act_target)
    elif verb == Verb.DISMISS:
        dismiss(params, state, state.act_target)
    elif verb == Verb.COUNTER_TOKEN:
        strip_attachment(params, state, state.act_slot, np.int64(Kind.MANEUVER))
    elif verb == Verb.DISPEL:
        strip_attachment(params, state, state.act_slot, np.int64(Kind.SPELL))
    else:
        begin_raise(params, state)


@njit
def run_effects(params, state):
    """Carry out the remaining effects of the running text, up to one that asks for a hex."""
    type_id = running_text(state)
    start = np.int64(params.type_effect_start[type_id])
    while start + state.act_effect < params.type_effect_end[type_id]:
        if state.general_alive[state.act_player] == 0:  # forfeited at the choice that the previous effect left
            return
        row = start + state.act_effect
        state.act_effect += 1
        apply_effect(params, state, row)
        if state.decision != Decision.NONE:
            return
        eliminate_without_units(params, state)
        if state.terminated == 1:
            return


@njit
def lay_permanent(params, state):
    """Lay a permanent face up on its target, or send it to casualties if the target is gone (R9.2-15)."""
    token = state.act_token
    if state.token_zone[token] != Zone.ATTACHED:
        return
    target = state.act_target
    if target == NO_TOKEN or not is_unit_on_board(state, target):
        to_casualties(params, state, token)
        return
    if target != state.act_unit:
        detach(params, state, token)
        attach(state, token, target)
    state.token_active[token] = 1
    outdate_stats(state)
    set_face(params, state, token, Face.UP)
    log_event(params, state, Event.ATTACH, owner_of(state, token), hex_of(state, target), type_of(state, token))


@njit
def retain(params, state):
    """Flip to retain a spent token: heads returns it to its owner's sack; an eliminated General retains nothing.

    (R9.2-14, Q-67)
    """
    token = state.act_token
    owner = owner_of(state, token)
    if state.general_alive[owner] == 0 or state.token_zone[token] != Zone.CASUALTIES:
        return
    if flip(params, state, owner) == 1:
        log_event(params, state, Event.TO_SACK, owner, -1, type_of(state, token))
        to_sack(params, state, token)


@njit
def finish_act(params, state):
    """Finish an activation: settle its token, then resume the window that it interrupted or end the action."""
    token = state.act_token
    if token != NO_TOKEN:
        type_id = type_of(state, token)
        if params.type_use[type_id] == Use.PERMANENT:
            lay_permanent(params, state)
        elif params.type_retain[type_id] == 1:
            retain(params, state)
    reveal_in_sight(params, state)
    if state.act_verb == Verb.SURPRISE:
        pop_frame(state)
        clear_act(state)
        set_step(state, WindowStep.SURPRISED)
    else:
        end_action(state)


@njit
def run_activate(params, state):
    """Advance an activation to its next step or decision (P-ACTIVATE)."""
    step = state.frame_step[state.frame_top]
    if step == ActivateStep.ANNOUNCE:
        announce_act(params, state)
        if state.act_verb == Verb.SURPRISE:
            state.attack_surprised = 1
            set_step(state, ActivateStep.BEGIN)
        else:
            set_step(state, ActivateStep.JUDGE)
            targeted = targeted_player(state, state.act_target)
            open_window(params, state, WindowKind.ACTIVATION, targeted)
    elif step == ActivateStep.JUDGE:
        if get_data(state, RESULT) == WindowResult.CANCEL or not is_act_valid(params, state):
            cancel_act(params, state)
        else:
            set_step(state, ActivateStep.BEGIN)
    elif step == ActivateStep.BEGIN:
        spend_token(params, state)
        set_step(state, ActivateStep.EFFECTS)
        if is_ability(state.act_verb):
            set_step(state, ActivateStep.FINISH)
            resolve_ability(params, state)
    elif step == ActivateStep.EFFECTS:
        run_effects(params, state)
        if state.decision == Decision.NONE:
            set_step(state, ActivateStep.FINISH)
    else:
        finish_act(params, state)


@njit
def apply_raise_hex(params, state, action):
    """Put the raised unit on the chosen hex."""
    raise_unit(params, state, decode_hex(params, action))
