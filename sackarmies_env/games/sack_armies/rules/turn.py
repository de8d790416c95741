"""The turn: its menu, and the choices that begin an action (chapter 8, P-TURN)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.flow import ask, clear_chain, extend_chain, get_data, push_frame, set_data, set_step
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow, allow_all
from sackarmies_env.games.sack_armies.rules.abilities import offer_raisable
from sackarmies_env.games.sack_armies.rules.activate import (
    ActivateStep,
    ask_next_choice,
    begin_act,
    can_activate,
    can_aim,
    can_cast,
)
from sackarmies_env.games.sack_armies.rules.attack import declare_attack
from sackarmies_env.games.sack_armies.rules.combat import (
    can_charge,
    can_target,
    find_charge,
    is_ranged,
    may_act,
    may_attack,
    may_charge,
)
from sackarmies_env.games.sack_armies.rules.coordinate import has_coordination
from sackarmies_env.games.sack_armies.rules.deploy import begin_draw, can_draw, deployable_kinds, run_surplus
from sackarmies_env.games.sack_armies.rules.effects import offer_slots
from sackarmies_env.games.sack_armies.rules.movement import (
    find_reach,
    has_any_move,
    has_move,
    move_unit,
    offer_destinations,
)
from sackarmies_env.games.sack_armies.rules.stats import effective_movement, is_as_printed
from sackarmies_env.games.sack_armies.rules.victory import eliminate_player, end_turn
from sackarmies_env.games.sack_armies.rules.window import has_revealable_token, offer_reveal_verbs
from sackarmies_env.games.sack_armies.state.actions import decode_hex, decode_slot, decode_type, hex_action, slot_action
from sackarmies_env.games.sack_armies.state.constants import NO_MATCH, Decision, Frame, Kind, Verb, Victory
from sackarmies_env.games.sack_armies.state.flow import TurnStep, back_to_menu, end_action, open_full_window
from sackarmies_env.games.sack_armies.state.zones import (
    attachment_in_slot,
    count_attachments,
    first_token,
    hex_of,
    is_face_up,
    unit_at,
)

# Verbs that begin an action of one unit, as bits.
UNIT_VERBS = sum(
    1 << verb
    for verb in (
        *(Verb.MELEE, Verb.RANGED, Verb.MOVE_ATTACK, Verb.CAPTURE, Verb.COUNTER_TOKEN),
        *(Verb.DISPEL, Verb.DISMISS, Verb.RAISE, Verb.CAST, Verb.CUSTOM),
    )
)
MOVED = 0  # index in the frame of a Move: number of units moved so far
UNITS_A_MOVE = 2


# --- available verbs


@njit
def can_source(params, state, verb, unit):
    """Return whether `unit` can begin the action that `verb` names."""
    if verb == Verb.MELEE or verb == Verb.RANGED:
        return may_attack(params, state, unit, is_ranged(verb))
    if verb == Verb.MOVE_ATTACK:
        return may_charge(params, state, unit)
    return can_activate(params, state, verb, unit)


@njit
def unit_verbs(params, state, unit, wanted):
    """Return those of the `wanted` verbs with which `unit` can begin an action, as bits.

    What is printed on a unit rules out most of them at once, unless attachments or passing effects may change it.
    """
    if is_as_printed(state, unit):
        wanted &= params.type_verbs[state.token_type[unit]]
    found = np.int64(0)
    rest = np.uint64(wanted)
    while rest != NO_BITS:
        verb = lowest_bit(rest)
        rest = without_lowest(rest)
        if can_source(params, state, verb, unit):
            found |= np.int64(1) << verb
    return found


@njit
def open_unit_verbs(params, state, player):
    """Return the verbs of single-unit actions that some unit of `player` can begin, as bits."""
    found = np.int64(0)
    rest = state.units[player]
    while rest != NO_BITS:
        unit = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if may_act(state, unit):
            found |= unit_verbs(params, state, unit, UNIT_VERBS & ~found)
    return found


@njit
def open_verbs(params, state, player):
    """Return the verbs of all actions that `player` can complete, as bits (R8.0-1)."""
    found = open_unit_verbs(params, state, player)
    if can_draw(state, player):
        found |= np.int64(1) << np.int64(Verb.DRAW)
    if deployable_kinds(params, state, player) != 0:
        found |= np.int64(1) << np.int64(Verb.DEPLOY)
    if has_any_move(params, state, player):
        found |= np.int64(1) << np.int64(Verb.MOVE)
    # A unit that may take part in a coordinated attack may also attack alone.
    if (found >> np.int64(Verb.MELEE)) & 1 and has_coordination(params, state, player, False):
        found |= np.int64(1) << np.int64(Verb.COORD_MELEE)
    if (found >> np.int64(Verb.RANGED)) & 1 and has_coordination(params, state, player, True):
        found |= np.int64(1) << np.int64(Verb.COORD_RANGED)
    return found


@njit
def has_action(params, state, player):
    """Return whether `player` has any action at all."""
    return can_draw(state, player) or open_verbs(params, state, player) != 0


@njit
def has_reveal(params, state, player):
    """Return whether `player` has a face-down unit or a face-down free effect to reveal."""
    rest = state.units[player]
    while rest != NO_BITS:
        unit = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if not is_face_up(state, unit) or has_revealable_token(params, state, unit, player):
            return True
    return False


@njit
def may_stop(params, state, can_act):
    """Return whether the turn may end without an action: after a failed check, or a cancelled attack or activation.

    This requires the switch, or that no action is left (Q-18, Q-91, C-allow_stop_after_failed_check).
    """
    return state.check_failed == 1 and (params.stop_after_failed_check == 1 or not can_act)


@njit
def offer_menu(params, state):
    """Offer the actions of a turn, one of which must be taken, and free reveals (D-03, R8.0-2, C-allow_concede)."""
    player = state.current_player
    verbs = open_verbs(params, state, player)
    allow_all(state, np.int64(0), np.uint64(verbs))
    offer_reveal_verbs(params, state, player)
    if params.allow_concede == 1:
        allow(state, np.int64(Verb.CONCEDE))
    if may_stop(params, state, verbs != 0):
        allow(state, np.int64(Verb.PASS))


# --- the turn


@njit
def start_turn(params, state):
    """Begin a turn: no unit is employed or has moved yet (P-TURN 1)."""
    for token in range(len(state.token_employed)):
        state.token_employed[token] = 0
        state.token_moved[token] = 0
    state.check_failed = 0
    set_step(state, TurnStep.MENU)
    open_full_window(params, state)


@njit
def run_menu(params, state):
    """Ask for the action, or eliminate a General who has neither an action nor a reveal (R8.0-3, R8.4.5-13, Q-17).

    After a failed check the decision is always asked, because hidden tokens may determine whether only PASS is left.
    """
    player = state.active
    if state.check_failed == 1 or has_action(params, state, player) or has_reveal(params, state, player):
        ask(state, player, Decision.MENU)
    else:
        set_step(state, TurnStep.END)
        eliminate_player(params, state, player, Victory.DECISIVE)


@njit
def run_turn(params, state):
    """Advance a turn to its next step or decision (P-TURN)."""
    step = state.frame_step[state.frame_top]
    if step == TurnStep.START:
        start_turn(params, state)
    elif step == TurnStep.MENU:
        run_menu(params, state)
    else:
        run_surplus(params, state)
        if state.decision == Decision.NONE:
            end_turn(params, state)
            set_step(state, TurnStep.START)


# --- the first choice of an action


@njit
def apply_menu(params, state, action):
    """Begin the chosen action (D-29)."""
    player = state.current_player
    if action == Verb.PASS:
        set_step(state, TurnStep.END)
    elif action == Verb.CONCEDE:
        eliminate_player(params, state, player, Victory.CONCESSION)
    elif action == Verb.DRAW:
        begin_draw(params, state, player)
    elif action == Verb.DEPLOY:
        push_frame(state, Frame.DEPLOY, 0)
    elif action == Verb.MOVE:
        push_frame(state, Frame.MOVE, 0)
    else:
        state.chain_verb = action
        ask(state, player, first_decision(action))


@njit
def first_decision(verb):
    """Return the first decision asked after `verb`."""
    if verb == Verb.COORD_MELEE or verb == Verb.COORD_RANGED:
        return Decision.COORD_TARGET
    if verb == Verb.REVEAL_UNIT or verb == Verb.REVEAL_TOKEN:
        return Decision.REVEAL_HEX
    return Decision.CAST_HOST if verb == Verb.CAST else Decision.SOURCE


@njit
def offer_sources(params, state):
    """Offer the units that can begin the chosen action (D-12, D-13)."""
    verb = state.chain_verb
    rest = state.units[state.current_player]
    while rest != NO_BITS:
        unit = first_token(params, state.current_player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if can_source(params, state, verb, unit):
            allow(state, hex_action(params, hex_of(state, unit)))


@njit
def apply_source(params, state, action):
    """Choose the acting unit; the next decision depends on the action."""
    player = state.current_player
    verb = state.chain_verb
    cell = decode_hex(params, action)
    extend_chain(state, cell)
    if verb == Verb.CAST:
        ask(state, player, Decision.CAST_SLOT)
    elif verb == Verb.CUSTOM:
        begin_act(state, verb, unit_at(state, cell))
        ask_next_choice(params, state)
    elif verb == Verb.RAISE:
        ask(state, player, Decision.RAISE_TYPE)
    elif verb == Verb.COUNTER_TOKEN or verb == Verb.DISPEL:
        ask(state, player, Decision.TOKEN_HOST)
    else:
        ask(state, player, Decision.TARGET)


# --- targets of attacks and abilities


@njit
def is_target(params, state, verb, unit, target):
    """Return whether `unit` can carry out `verb` on `target`."""
    if verb == Verb.MELEE or verb == Verb.RANGED:
        return can_target(params, state, unit, target, is_ranged(verb))
    if verb == Verb.MOVE_ATTACK:
        return can_charge(params, state, unit, target)
    return can_aim(params, state, verb, unit, target)


@njit
def offer_targets(params, state):
    """Offer the units that the acting unit can aim at (D-18)."""
    verb = state.chain_verb
    unit = unit_at(state, np.int64(state.chain[0]))
    if verb == Verb.MOVE_ATTACK:
        find_charge(params, state, unit)
    for player in range(params.num_generals):
        rest = state.units[player]
        while rest != NO_BITS:
            target = first_token(params, player) + lowest_bit(rest)
            rest = without_lowest(rest)
            if is_target(params, state, verb, unit, target):
                allow(state, hex_action(params, hex_of(state, target)))


@njit
def apply_target(params, state, action):
    """Announce the attack or ability against the chosen unit."""
    verb = state.chain_verb
    unit = unit_at(state, np.int64(state.chain[0]))
    target = unit_at(state, decode_hex(params, action))
    if verb == Verb.CAPTURE or verb == Verb.DISMISS:
        begin_act(state, verb, unit)
        state.act_target = target
        launch_act(state)
    else:
        declare_attack(state, verb, unit, target)


@njit
def launch_act(state):
    """Announce the chosen ability."""
    clear_chain(state)
    push_frame(state, Frame.ACTIVATE, ActivateStep.ANNOUNCE)


@njit
def apply_token_host(params, state, action):
    """Choose the host of the attachment to aim at."""
    extend_chain(state, decode_hex(params, action))
    ask(state, state.current_player, Decision.TOKEN_SLOT)


@njit
def offer_token_slots(params, state):
    """Offer the attachments of the chosen host that a Counter or Dispel may be aimed at (D-19)."""
    kind = Kind.MANEUVER if state.chain_verb == Verb.COUNTER_TOKEN else Kind.SPELL
    host = unit_at(state, np.int64(state.chain[1]))
    offer_slots(params, state, state.current_player, host, np.int64(kind))


@njit
def apply_token_slot(params, state, action):
    """Announce a Counter or Dispel."""
    verb = state.chain_verb
    unit = unit_at(state, np.int64(state.chain[0]))
    host = unit_at(state, np.int64(state.chain[1]))
    begin_act(state, verb, unit)
    state.act_target = host
    state.act_slot = attachment_in_slot(state, host, decode_slot(params, action))
    launch_act(state)


@njit
def offer_raise_types(params, state):
    """Offer the casualties that the chosen unit can raise."""
    unit = unit_at(state, np.int64(state.chain[0]))
    offer_raisable(params, state, state.current_player, unit, np.int64(NO_MATCH))


@njit
def apply_raise_type(params, state, action):
    """Announce a Raise."""
    begin_act(state, np.int64(Verb.RAISE), unit_at(state, np.int64(state.chain[0])))
    state.act_type = decode_type(params, action)
    launch_act(state)


@njit
def offer_cast_slots(params, state):
    """Offer the spells and maneuvers of the chosen host that can be activated."""
    unit = unit_at(state, np.int64(state.chain[0]))
    for slot in range(count_attachments(state, unit)):
        if can_cast(params, state, unit, attachment_in_slot(state, unit, np.int64(slot))):
            allow(state, slot_action(params, slot))


@njit
def apply_cast_slot(params, state, action):
    """Choose the spell or maneuver; its targets follow."""
    unit = unit_at(state, np.int64(state.chain[0]))
    begin_act(state, np.int64(Verb.CAST), unit)
    state.act_token = attachment_in_slot(state, unit, decode_slot(params, action))
    ask_next_choice(params, state)


# --- Move


@njit
def run_move(params, state):
    """Ask for the first unit to move and, if any can, for a second one (D-08, D-10, R8.3-1, RB-10)."""
    player = state.active
    moved = get_data(state, MOVED)
    if moved < UNITS_A_MOVE and has_any_move(params, state, player):
        ask(state, player, Decision.MOVE_UNIT)
    elif moved > 0:
        end_action(state)
    else:
        back_to_menu(state)  # a General who left has taken the only movement bonus along


@njit
def offer_move_units(params, state):
    """Offer the units that can move, and DONE after the first move."""
    rest = state.units[state.current_player]
    while rest != NO_BITS:
        unit = first_token(params, state.current_player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if has_move(params, state, unit):
            allow(state, hex_action(params, hex_of(state, unit)))
    if get_data(state, MOVED) > 0:
        allow(state, np.int64(Verb.PASS))


@njit
def offer_move_hexes(params, state):
    """Offer the destinations of the chosen unit (D-09, D-11)."""
    unit = unit_at(state, np.int64(state.chain[0]))
    find_reach(params, state, unit, effective_movement(params, state, unit), is_face_up(state, unit))
    offer_destinations(params, state)


@njit
def apply_move_unit(params, state, action):
    """Choose the unit to move, or finish."""
    if action == Verb.PASS:
        end_action(state)
        return
    extend_chain(state, decode_hex(params, action))
    ask(state, state.current_player, Decision.MOVE_TO)


@njit
def apply_move_to(params, state, action):
    """Move the chosen unit."""
    unit = unit_at(state, np.int64(state.chain[0]))
    clear_chain(state)
    move_unit(params, state, unit, decode_hex(params, action))
    set_data(state, MOVED, get_data(state, MOVED) + 1)
    open_full_window(params, state)
