"""Reactions: free reveals, surprise maneuvers and the windows in which they are allowed (P-WINDOW, D-07, D-22)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.flow import ask, clear_chain, extend_chain, get_data, pop_frame, set_data, set_step
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.sack_armies.rules.activate import (
    ask_next_choice,
    begin_act,
    can_cast,
    is_act_valid,
)
from sackarmies_env.games.sack_armies.rules.combat import can_charge, can_engage, can_target, find_charge, is_ranged
from sackarmies_env.games.sack_armies.rules.movement import reveal, reveal_in_sight, reveal_unit
from sackarmies_env.games.sack_armies.state.actions import decode_hex, decode_slot, hex_action, slot_action
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Decision, Kind, Member, Use, Verb
from sackarmies_env.games.sack_armies.state.flow import (
    RESULT,
    WINDOW_KIND,
    WINDOW_PASSES,
    WINDOW_POSITION,
    WINDOW_START,
    WINDOW_TARGETED,
    WindowKind,
    WindowResult,
    WindowStep,
    is_in_window,
)
from sackarmies_env.games.sack_armies.state.zones import (
    attachment_in_slot,
    controller_of,
    count_attachments,
    first_token,
    hex_of,
    is_face_up,
    is_unit_on_board,
    unit_at,
)

# --- free reveals


@njit
def can_reveal_token(params, state, attachment, player):
    """Return whether `player` may reveal `attachment`: their own, face down, with a free effect.

    (R9.2-6, R9.2-8, R8.2.2-12)
    """
    return (
        state.token_owner[attachment] == player
        and not is_face_up(state, attachment)
        and params.type_use[state.token_type[attachment]] == Use.FREE
    )


@njit
def has_revealable_token(params, state, unit, player):
    """Return whether `player` may reveal some attachment of their `unit`."""
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        if can_reveal_token(params, state, attachment, player):
            return True
        attachment = np.int64(state.token_next[attachment])
    return False


@njit
def can_reveal_by(params, state, player, verb, unit):
    """Return whether `player` may reveal their `unit` or, if `verb` says so, one of its attachments."""
    if verb == Verb.REVEAL_UNIT:
        return not is_face_up(state, unit)
    return has_revealable_token(params, state, unit, player)


@njit
def offer_reveal_verbs(params, state, player):
    """Offer the free reveals: of units, and of attached free effects (RB-7, R8.2.2-9, R8.2.2-10, R9.1-10, Q-80)."""
    rest = state.units[player]
    while rest != NO_BITS:
        unit = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if not is_face_up(state, unit):
            allow(state, np.int64(Verb.REVEAL_UNIT))
        if has_revealable_token(params, state, unit, player):
            allow(state, np.int64(Verb.REVEAL_TOKEN))


@njit
def offer_reveal_hexes(params, state):
    """Offer the units to reveal, or the hosts of tokens to reveal (D-07)."""
    player = state.current_player
    rest = state.units[player]
    while rest != NO_BITS:
        unit = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if can_reveal_by(params, state, player, state.chain_verb, unit):
            allow(state, hex_action(params, hex_of(state, unit)))


@njit
def offer_reveal_slots(params, state):
    """Offer the attachments of the chosen host that may be revealed."""
    host = unit_at(state, np.int64(state.chain[0]))
    for slot in range(count_attachments(state, host)):
        attachment = attachment_in_slot(state, host, np.int64(slot))
        if can_reveal_token(params, state, attachment, state.current_player):
            allow(state, slot_action(params, slot))


@njit
def apply_reveal_hex(params, state, action):
    """Reveal the chosen unit, or ask for the slot of the attachment to reveal."""
    cell = decode_hex(params, action)
    if state.chain_verb == Verb.REVEAL_TOKEN:
        extend_chain(state, cell)
        ask(state, state.current_player, Decision.REVEAL_SLOT)
        return
    reveal_unit(params, state, unit_at(state, cell))
    after_reveal(params, state)


@njit
def apply_reveal_slot(params, state, action):
    """Reveal the chosen attachment and, if face down, its host; either may sight (R9.2-9, R8.2.2-11, Q-48)."""
    host = unit_at(state, np.int64(state.chain[0]))
    reveal(params, state, attachment_in_slot(state, host, decode_slot(params, action)))
    reveal(params, state, host)
    if params.sight_on_reveal == 1:
        reveal_in_sight(params, state)
    after_reveal(params, state)


@njit
def after_reveal(params, state):
    """Continue after a free reveal; in a window, test again whether the announcement is legal."""
    clear_chain(state)
    state.decision = Decision.NONE
    if not is_in_window(state):
        return
    ask_all_again(params, state)
    if not is_announcement_valid(params, state):
        close_window(state, WindowResult.CANCEL)


# --- whether the announcement is still legal


@njit
def is_coordinated_valid(params, state):
    """Return whether every participant may still attack; otherwise the whole attack is cancelled (Q-45)."""
    target = state.attack_target
    for unit in range(len(state.token_member)):
        if state.token_member[unit] == Member.ATTACKS and not can_target(
            params, state, unit, target, is_ranged(state.attack_verb)
        ):
            return False
    return True


@njit
def is_charge_valid(params, state):
    """Return whether an announced Move and Attack may still be made (Q-62)."""
    unit = state.attack_unit
    target = state.attack_target
    if not is_unit_on_board(state, target):
        return False
    if is_face_up(state, target) and not can_engage(params, state, unit, target):
        return False
    find_charge(params, state, unit)
    return can_charge(params, state, unit, target)


@njit
def is_attack_valid(params, state):
    """Return whether the announced attack is still legal as declared."""
    if not is_unit_on_board(state, state.attack_target):
        return False
    if state.attack_unit == NO_TOKEN:
        return is_coordinated_valid(params, state)
    ranged = is_ranged(state.attack_verb)
    return can_target(params, state, state.attack_unit, state.attack_target, ranged)


@njit
def is_announcement_valid(params, state):
    """Return whether the announcement is still legal after a reveal (R9.1-11)."""
    kind = get_data(state, WINDOW_KIND)
    if kind == WindowKind.ATTACK:
        return is_attack_valid(params, state)
    if kind == WindowKind.CHARGE:
        return is_charge_valid(params, state)
    if kind == WindowKind.ACTIVATION:
        return is_act_valid(params, state)
    return True


# --- the window


@njit
def next_position(params, state):
    """Move on to the next General to ask."""
    set_data(state, WINDOW_POSITION, (get_data(state, WINDOW_POSITION) + 1) % params.num_generals)


@njit
def ask_all_again(params, state):
    """Begin a new round of passes with the General after the one who has reacted."""
    set_data(state, WINDOW_PASSES, 0)
    next_position(params, state)


@njit
def window_player(params, state, position):
    """Return the player asked at `position`: counter-clockwise from the first seat, the active General last."""
    count = params.num_generals
    if position == count - 1:
        return state.active
    player = get_data(state, WINDOW_START)
    while True:
        if player != state.active:
            if position == 0:
                return player
            position -= 1
        player = (player + 1) % count


@njit
def takes_part(params, state, player):
    """Return whether `player` is asked in this window: any General in play or, by the switch, only the targeted one."""
    if state.general_alive[player] == 0:
        return False
    return params.windows_targeted_only == 0 or player == get_data(state, WINDOW_TARGETED)


@njit
def close_window(state, result):
    """End the window and store its result for the procedure below."""
    pop_frame(state)
    state.frame_data[state.frame_top, RESULT] = result


@njit
def run_window(params, state):
    """Ask the Generals in turn until all of them have passed in a row (P-WINDOW, D-22)."""
    if state.frame_step[state.frame_top] == WindowStep.SURPRISED:
        set_step(state, WindowStep.ASK)
        ask_all_again(params, state)
        if not judge_surprise(params, state):
            close_window(state, WindowResult.MISS)
            return
    while get_data(state, WINDOW_PASSES) < params.num_generals:
        player = window_player(params, state, get_data(state, WINDOW_POSITION))
        if takes_part(params, state, player):
            ask(state, player, Decision.WINDOW)
            return
        set_data(state, WINDOW_PASSES, get_data(state, WINDOW_PASSES) + 1)
        next_position(params, state)
    position = get_data(state, WINDOW_POSITION)
    close_window(state, WindowResult.CLOSED)
    state.window_closed = 1 + position


@njit
def offer_window(params, state):
    """Offer PASS, free reveals and, to the defender's General in an attack, surprise maneuvers; no actions.

    (RA-0-2, R9.3-8, Q-42)
    """
    player = state.current_player
    allow(state, np.int64(Verb.PASS))
    offer_reveal_verbs(params, state, player)
    if get_data(state, WINDOW_KIND) == WindowKind.ATTACK:
        defender = state.attack_target
        if controller_of(state, defender) == player and has_surprise(params, state, defender):
            allow(state, np.int64(Verb.SURPRISE))


@njit
def apply_window(params, state, action):
    """Pass, or begin a reaction."""
    player = state.current_player
    if action == Verb.PASS:
        set_data(state, WINDOW_PASSES, get_data(state, WINDOW_PASSES) + 1)
        next_position(params, state)
        if params.auto_forced == 0 or state.num_legal > 1:
            state.window_heard = get_data(state, WINDOW_PASSES)
        return
    state.chain_verb = action
    ask(state, player, Decision.SURPRISE_SLOT if action == Verb.SURPRISE else Decision.REVEAL_HEX)


# --- surprise maneuvers


@njit
def can_surprise(params, state, defender, attachment):
    """Return whether `attachment` may be used as a surprise maneuver of `defender` (R9.3-3, R9.3-9, Q-41, Q-94)."""
    return params.type_kind[state.token_type[attachment]] == Kind.MANEUVER and can_cast(
        params, state, defender, attachment
    )


@njit
def has_surprise(params, state, defender):
    """Return whether `defender` has a usable surprise maneuver (R8.4.1-4, R8.4.1-5)."""
    attachment = np.int64(state.token_first[defender])
    while attachment != NO_TOKEN:
        if can_surprise(params, state, defender, attachment):
            return True
        attachment = np.int64(state.token_next[attachment])
    return False


@njit
def offer_surprise_slots(params, state):
    """Offer the surprise maneuvers of the defender (D-22b)."""
    defender = state.attack_target
    for slot in range(count_attachments(state, defender)):
        if can_surprise(params, state, defender, attachment_in_slot(state, defender, np.int64(slot))):
            allow(state, slot_action(params, slot))


@njit
def apply_surprise_slot(params, state, action):
    """Choose the surprise maneuver; its other choices follow."""
    defender = state.attack_target
    begin_act(state, np.int64(Verb.SURPRISE), defender)
    state.act_token = attachment_in_slot(state, defender, decode_slot(params, action))
    ask_next_choice(params, state)


@njit
def drop_members(params, state, target):
    """Drop the participants that can no longer attack, and return whether any are left (Q-84)."""
    left = False
    for unit in range(len(state.token_member)):
        if state.token_member[unit] == Member.ATTACKS:
            if is_unit_on_board(state, unit) and can_target(params, state, unit, target, is_ranged(state.attack_verb)):
                left = True
            else:
                state.token_member[unit] = Member.DROPPED
    return left


@njit
def judge_surprise(params, state):
    """Return whether the attack continues after a surprise maneuver, possibly against another unit on the hex.

    (R9.3-4, R9.3-5, R9.3-6, R9.3-7, Q-83)
    """
    attacker = state.attack_unit
    if attacker != NO_TOKEN and not is_unit_on_board(state, attacker):
        return False
    defender = unit_at(state, state.attack_hex)
    if defender == NO_TOKEN:
        return False
    reveal_unit(params, state, defender)
    if defender != state.attack_target:
        state.attack_surprised = 0  # the surprise was another unit's
    state.attack_target = defender
    if attacker == NO_TOKEN:
        return drop_members(params, state, defender)
    return can_target(params, state, attacker, defender, is_ranged(state.attack_verb))
