"""The course of an attack, single or coordinated, from the announcement to the advance (P-ATTACK, P-COORD)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.flow import ask, clear_chain, get_data, push_frame, set_step
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.sack_armies.rules.combat import (
    can_counter,
    can_target,
    find_charge,
    is_charge_hex,
    is_coordinated,
    is_counter_progressive,
    is_ranged,
)
from sackarmies_env.games.sack_armies.rules.damage import build_damage, next_save, resolve_damage
from sackarmies_env.games.sack_armies.rules.movement import (
    halts_unit,
    move_unit,
    relocate_unit,
    reveal_in_sight,
    reveal_unit,
)
from sackarmies_env.games.sack_armies.rules.stats import ability_value, effective_movement
from sackarmies_env.games.sack_armies.rules.window import is_attack_valid, is_charge_valid
from sackarmies_env.games.sack_armies.state.actions import decode_hex, hex_action
from sackarmies_env.games.sack_armies.state.chance import flip, flip_progressive
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Ability, Decision, Event, Frame, Member, Verb
from sackarmies_env.games.sack_armies.state.events import log_event
from sackarmies_env.games.sack_armies.state.flow import (
    RESULT,
    WindowKind,
    WindowResult,
    back_to_menu,
    end_action,
    open_window,
)
from sackarmies_env.games.sack_armies.state.zones import (
    NUM_DIRECTIONS,
    controller_of,
    first_token,
    hex_of,
    is_face_up,
    is_unit_on_board,
    unit_at,
)


class AttackStep(IntEnum):
    """Steps of an attack, in order; not every kind of attack has all of them."""

    ANNOUNCE = 0
    JUDGE_EARLY = 1  # after the window before a coordination check
    CHECK = 2
    JUDGE_CHARGE = 3  # after the first window of a Move and Attack
    CHARGE = 4
    CHARGED = 5
    JUDGE = 6  # after the main window
    AMBUSH = 7
    EARLY_COUNTER = 8
    FLIPS = 9
    LATE_COUNTER = 10
    DESIGNATE = 11
    COUNTER_FLIPS = 12
    SAVES = 13
    RESOLVE = 14
    ADVANCE = 15
    END = 16


# --- declaring


@njit
def declare_attack(state, verb, unit, target):
    """Begin an attack by `unit`, or a coordinated attack if that is NO_TOKEN (R8.4.5-1, R8.4.5-2)."""
    state.attack_verb = verb
    state.attack_unit = unit
    state.attack_target = target
    state.attack_hex = hex_of(state, target)
    clear_chain(state)
    push_frame(state, Frame.ATTACK, AttackStep.ANNOUNCE)


@njit
def is_attacker(state, unit):
    """Return whether `unit` is the attacker or one of several attackers."""
    return unit == state.attack_unit or state.token_member[unit] == Member.ATTACKS


@njit
def log_attack(params, state, event):
    """Log an event of the attack."""
    log_event(params, state, event, state.active, state.attack_hex, state.attack_verb)


@njit
def announce_attack(params, state):
    """Announce the attack to all and reveal the attackers."""
    state.attack_announced = 1
    log_attack(params, state, Event.ANNOUNCE)
    if state.attack_unit != NO_TOKEN:
        reveal_unit(params, state, state.attack_unit)
        return
    for cell in range(params.num_cells):  # by hex: the order of rows is hidden
        unit = unit_at(state, cell)
        if unit != NO_TOKEN and is_attacker(state, unit):
            reveal_unit(params, state, unit)


@njit
def open_attack_window(params, state, kind, step):
    """Open a reaction window, after which the attack continues at `step`."""
    set_step(state, step)
    open_window(params, state, kind, controller_of(state, state.attack_target))


@njit
def run_announcement(params, state):
    """Announce the attack and open its first window, or go to the check (P-ATTACK 1 and 2)."""
    announce_attack(params, state)
    verb = state.attack_verb
    if is_coordinated(verb):
        if params.coord_window_before == 1:
            open_attack_window(params, state, WindowKind.ATTACK, AttackStep.JUDGE_EARLY)
        else:
            set_step(state, AttackStep.CHECK)
    elif verb == Verb.MOVE_ATTACK:
        open_attack_window(params, state, WindowKind.CHARGE, AttackStep.JUDGE_CHARGE)
    else:
        open_attack_window(params, state, WindowKind.ATTACK, AttackStep.JUDGE)


# --- coordinated attacks


@njit
def is_led(params, state, unit):
    """Return whether `unit` leads or stands next to a friendly leader (RA-Leadership-2, Q-30)."""
    if ability_value(params, state, unit, Ability.LEADERSHIP) > 0:
        return True
    cell = hex_of(state, unit)
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[cell, direction])
        if neighbor == NO_HEX:
            continue
        leader = unit_at(state, neighbor)
        if (
            leader != NO_TOKEN
            and controller_of(state, leader) == controller_of(state, unit)
            and ability_value(params, state, leader, Ability.LEADERSHIP) > 0
            and (params.leadership_must_attack == 0 or state.token_member[leader] == Member.ATTACKS)
        ):
            return True
    return False


@njit
def is_led_throughout(params, state):
    """Return whether Leadership covers every participant (RA-Leadership-1, C-leadership_must_attack)."""
    for unit in range(len(state.token_member)):
        if state.token_member[unit] == Member.ATTACKS and not is_led(params, state, unit):
            return False
    return True


@njit
def employ_members(state):
    """Mark all units declared as employed: barred from all actions for the rest of the turn (R8.4.5-11)."""
    for unit in range(len(state.token_member)):
        if state.token_member[unit] != Member.NONE:
            state.token_employed[unit] = 1


@njit
def run_check(params, state):
    """Make the coordination check; if it fails, the participants are employed but the action is not spent.

    (R8.4.5-9, R8.4.5-10, R8.4.5-14, RB-17, Q-47, C-coord_window)
    """
    if not is_led_throughout(params, state) and flip(params, state, state.active) == 0:
        employ_members(state)
        back_to_menu(state)
        return
    if params.coord_window_after == 1:
        open_attack_window(params, state, WindowKind.ATTACK, AttackStep.JUDGE)
    else:
        set_step(state, AttackStep.AMBUSH)


# --- windows


@njit
def cancel_attack(params, state):
    """Cancel the announced attack; nothing is spent unless a Move and Attack has already moved.

    (R9.1-12, R9.1-13, RA-MoveAttack-5)
    """
    log_attack(params, state, Event.CANCEL)
    if state.attack_moved == 1:
        state.token_employed[state.attack_unit] = 1
        end_attack(params, state)
    else:
        back_to_menu(state)


@njit
def end_attack(params, state):
    """End the attack: update sight and spend the action (P-ATTACK 10)."""
    reveal_in_sight(params, state)
    end_action(state)


@njit
def judge_window(params, state, step):
    """After a window, continue at `step`, cancel the attack or make it miss, as the result says (Q-44)."""
    result = get_data(state, RESULT)
    if result == WindowResult.CANCEL:
        cancel_attack(params, state)
    elif result == WindowResult.MISS:
        log_attack(params, state, Event.MISS)
        end_attack(params, state)
    else:
        set_step(state, step)


@njit
def judge_attack(params, state, step):
    """Continue at `step` after a window, or cancel the attack if it has become illegal since the last reveal.

    That happens only if a General leaves the game and takes along a permanent on one of the units.
    """
    if get_data(state, RESULT) == WindowResult.CLOSED and not is_attack_valid(params, state):
        cancel_attack(params, state)
    else:
        judge_window(params, state, step)


# --- Move and Attack


@njit
def offer_charge_hexes(params, state):
    """Offer the hexes next to the target to which the attacker can move (D-17)."""
    find_charge(params, state, state.attack_unit)
    target = state.attack_target
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[hex_of(state, target), direction])
        if neighbor != NO_HEX and is_charge_hex(params, state, target, neighbor):
            allow(state, hex_action(params, neighbor))


@njit
def apply_charge(params, state, action):
    """Move the attacker next to its target (P-MOVEATTACK, RA-MoveAttack-6)."""
    unit = state.attack_unit
    cell = decode_hex(params, action)
    move_unit(params, state, unit, cell)
    state.attack_moved = 1
    state.attack_no_advance = halts_unit(params, state, unit, is_face_up(state, unit), cell)
    set_step(state, AttackStep.CHARGED)


@njit
def run_charge(params, state):
    """Ask where to move, or cancel at no cost if sight or the loss of a movement bonus has made the attack illegal."""
    if is_charge_valid(params, state):
        ask(state, state.active, Decision.CHARGE_TO)
    else:
        cancel_attack(params, state)


@njit
def run_charged(params, state):
    """After the move, open a window, or cancel the attack if sight has shown it to be illegal (RA-MoveAttack-4)."""
    if can_target(params, state, state.attack_unit, state.attack_target, False):
        open_attack_window(params, state, WindowKind.ATTACK, AttackStep.JUDGE)
    else:
        cancel_attack(params, state)


# --- Ambush


@njit
def may_ambush(params, state):
    """Return whether the attacker may flip for an ambush (RA-Ambush-1, RA-Ambush-4, R9.1-5, Q-60, Q-81)."""
    verb = state.attack_verb
    return (verb == Verb.MELEE or verb == Verb.MOVE_ATTACK) and ability_value(
        params, state, state.attack_unit, Ability.AMBUSH
    ) > 0


@njit
def flip_ambush(params, state):
    """Flip for an ambush: heads bars the counter-attack (RA-Ambush-2, RA-Ambush-3)."""
    state.attack_ambush = flip(params, state, state.active)


@njit
def run_ambush(params, state):
    """Ask whether to flip for an ambush, if possible; with the switch, flip without asking (D-23, C-auto_ambush)."""
    set_step(state, AttackStep.EARLY_COUNTER)
    if not may_ambush(params, state):
        return
    if params.auto_ambush == 1:
        flip_ambush(params, state)
    else:
        ask(state, state.active, Decision.AMBUSH)


@njit
def apply_ambush(params, state, action):
    """Flip for the ambush if chosen."""
    state.window_closed = 0  # all have seen that another decision has been asked since
    if action == Verb.YES:
        flip_ambush(params, state)


# --- counter-attack


@njit
def has_counter_target(params, state):
    """Return whether the defender may counter-attack at least one attacker (R8.4.5-19)."""
    defender = state.attack_target
    ranged = is_ranged(state.attack_verb)
    rest = state.units[state.active]
    while rest != NO_BITS:
        unit = first_token(params, state.active) + lowest_bit(rest)
        rest = without_lowest(rest)
        if is_attacker(state, unit) and can_counter(params, state, defender, unit, ranged):
            return True
    return False


@njit
def may_ask_counter(params, state):
    """Return whether the defender's General has a counter-attack to decide on.

    (RB-18, Q-40, C-surprise_precludes_counter)
    """
    if state.attack_ambush == 1 or (params.surprise_precludes_counter == 1 and state.attack_surprised == 1):
        return False
    return has_counter_target(params, state)


@njit
def is_counter_early(params, state):
    """Return whether the counter-attack is decided before the flips of the attack.

    (Q-31, C-counter_timing_single, C-counter_timing_coord)
    """
    if is_coordinated(state.attack_verb):
        return params.coord_counter_early == 1
    return params.single_counter_late == 0


@njit
def run_counter(params, state, early):
    """Ask the defender's General whether to counter-attack, if it is decided now (D-24, D-25)."""
    set_step(state, AttackStep.FLIPS if early else AttackStep.DESIGNATE)
    if is_counter_early(params, state) == early and may_ask_counter(params, state):
        ask(state, controller_of(state, state.attack_target), Decision.COUNTER)


@njit
def apply_counter(state, action):
    """Record whether the defender counter-attacks."""
    state.attack_countered = 1 if action == Verb.YES else 0


@njit
def run_designation(state):
    """Determine which attacker takes the counter-attack; in a coordinated attack, ask the attacking General.

    (D-26, R8.4.5-21, Q-32)
    """
    set_step(state, AttackStep.COUNTER_FLIPS)
    if state.attack_countered == 0:
        return
    if state.attack_unit != NO_TOKEN:
        state.attack_designated = state.attack_unit
    else:
        ask(state, state.active, Decision.DESIGNATE)


@njit
def offer_designations(params, state):
    """Offer the attackers that the defender can counter-attack (R8.4.5-22)."""
    defender = state.attack_target
    ranged = is_ranged(state.attack_verb)
    for unit in range(len(state.token_member)):
        if state.token_member[unit] == Member.ATTACKS and can_counter(params, state, defender, unit, ranged):
            allow(state, hex_action(params, hex_of(state, unit)))


@njit
def apply_designation(params, state, action):
    """Designate the attacker that takes the counter-attack."""
    state.attack_designated = unit_at(state, decode_hex(params, action))


# --- flips


@njit
def flip_attack(params, state):
    """Flip for the attack: progressively in melee, once at range.

    (R8.4.1-8, R8.4.4-6, R8.4.5-16, R8.4.5-17, R8.4.5-18)
    """
    player = state.active
    if is_ranged(state.attack_verb):
        state.attack_successes = flip(params, state, player)
    else:
        state.attack_successes = flip_progressive(params, state, player)


@njit
def flip_counter(params, state):
    """Flip for the counter-attack, even if the defender will die (Q-33, R8.4.5-24)."""
    if state.attack_designated == NO_TOKEN:
        state.attack_countered = 0  # a General who left may have taken the defender's range along
    if state.attack_countered == 0:
        return
    defender = state.attack_target
    player = controller_of(state, defender)
    if is_counter_progressive(params, state, defender, is_ranged(state.attack_verb)):
        state.counter_successes = flip_progressive(params, state, player)
    else:
        state.counter_successes = flip(params, state, player)


# --- advance


@njit
def may_advance(params, state, unit):
    """Return whether `unit` may move into the vacated hex after a melee: it attacked, survived and can move.

    (R8.4.3-1, R8.4.3-2, R8.4.3-3)
    """
    return is_unit_on_board(state, unit) and is_attacker(state, unit) and effective_movement(params, state, unit) > 0


@njit
def has_advance(params, state):
    """Return whether an attacker may advance after this combat (Q-37, Q-38, Q-39, C-advance_after_coord)."""
    verb = state.attack_verb
    if (
        is_ranged(verb)
        or state.attack_killed == 0
        or state.attack_no_advance == 1
        or state.cell_unit[state.attack_hex] != NO_TOKEN
        or (is_coordinated(verb) and params.advance_after_coord == 0)
    ):
        return False
    rest = state.units[state.active]
    while rest != NO_BITS:
        if may_advance(params, state, first_token(params, state.active) + lowest_bit(rest)):
            return True
        rest = without_lowest(rest)
    return False


@njit
def run_advance(params, state):
    """Ask whether to advance and, after a coordinated attack, with which attacker, if any may (D-27)."""
    set_step(state, AttackStep.END)
    if has_advance(params, state):
        ask(state, state.active, Decision.ADVANCE)


@njit
def offer_advance(params, state):
    """Offer to stay, and to advance with the attacker or with one of several."""
    allow(state, np.int64(Verb.PASS))
    if state.attack_unit != NO_TOKEN:
        allow(state, np.int64(Verb.YES))
        return
    rest = state.units[state.active]
    while rest != NO_BITS:
        unit = first_token(params, state.active) + lowest_bit(rest)
        rest = without_lowest(rest)
        if may_advance(params, state, unit):
            allow(state, hex_action(params, hex_of(state, unit)))


@njit
def apply_advance(params, state, action):
    """Move the chosen attacker into the vacated hex, or stay."""
    if action == Verb.PASS:
        return
    unit = state.attack_unit
    if unit == NO_TOKEN:
        unit = unit_at(state, decode_hex(params, action))
    relocate_unit(params, state, unit, state.attack_hex)


# --- the course


@njit
def is_attack_alive(state):
    """Return whether the defender and a single attacker are still on the board; a forfeit can remove them (Q-98)."""
    if not is_unit_on_board(state, state.attack_target):
        return False
    return state.attack_unit == NO_TOKEN or is_unit_on_board(state, state.attack_unit)


@njit
def is_choice_left(params, state):
    """Return whether the decision asked in an attack can still be answered; a forfeit can remove permanents."""
    if state.decision == Decision.CHARGE_TO:
        return is_charge_valid(params, state)
    if state.decision == Decision.AMBUSH:
        return may_ambush(params, state)
    if state.decision == Decision.COUNTER:
        return may_ask_counter(params, state)
    if state.decision == Decision.DESIGNATE:
        return has_counter_target(params, state)
    return state.decision != Decision.ADVANCE or has_advance(params, state)


@njit
def run_before_flips(params, state, step):
    """Advance an attack, before its flips, to its next step or decision."""
    if step == AttackStep.ANNOUNCE:
        run_announcement(params, state)
    elif step == AttackStep.JUDGE_EARLY:
        judge_attack(params, state, AttackStep.CHECK)
    elif step == AttackStep.CHECK:
        run_check(params, state)
    elif step == AttackStep.JUDGE_CHARGE:
        judge_window(params, state, AttackStep.CHARGE)
    elif step == AttackStep.CHARGE:
        run_charge(params, state)
    elif step == AttackStep.CHARGED:
        run_charged(params, state)
    elif step == AttackStep.JUDGE:
        judge_attack(params, state, AttackStep.AMBUSH)
    elif step == AttackStep.AMBUSH:
        run_ambush(params, state)
    else:
        run_counter(params, state, True)


@njit
def run_attack(params, state):
    """Advance an attack to its next step or decision (P-ATTACK, P-COORD, Q-69)."""
    step = np.int64(state.frame_step[state.frame_top])
    if step <= AttackStep.COUNTER_FLIPS and not is_attack_alive(state):
        end_attack(params, state)
    elif step < AttackStep.FLIPS:
        run_before_flips(params, state, step)
    elif step == AttackStep.FLIPS:
        flip_attack(params, state)
        set_step(state, AttackStep.LATE_COUNTER)
    elif step == AttackStep.LATE_COUNTER:
        run_counter(params, state, False)
    elif step == AttackStep.DESIGNATE:
        run_designation(state)
    elif step == AttackStep.COUNTER_FLIPS:
        flip_counter(params, state)
        build_damage(params, state)
        set_step(state, AttackStep.SAVES)
    elif step == AttackStep.SAVES:
        next_save(params, state)
        if state.decision == Decision.NONE:
            set_step(state, AttackStep.RESOLVE)
    elif step == AttackStep.RESOLVE:
        set_step(state, AttackStep.ADVANCE)
        resolve_damage(params, state)
    elif step == AttackStep.ADVANCE:
        run_advance(params, state)
    else:
        end_attack(params, state)
