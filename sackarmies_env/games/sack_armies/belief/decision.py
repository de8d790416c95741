"""The decision of another General, as far as others can tell.

Others see who the current player is and what happens in public, but neither what a General is asked nor how often. A
General may pass in a reaction window and next be asked where to move. To others, that looks the same as being asked
only in the window or, if the pass was taken silently, only where to move. So a sample goes back to the first decision
that the current player may have been asked since the last public event, or since another General was visibly asked.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.flow import get_data, pop_frame, set_data, set_step
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.rules.attack import AttackStep
from sackarmies_env.games.sack_armies.rules.combat import is_coordinated
from sackarmies_env.games.sack_armies.rules.damage import Save
from sackarmies_env.games.sack_armies.rules.deploy import DEPLOYED
from sackarmies_env.games.sack_armies.rules.turn import MOVED
from sackarmies_env.games.sack_armies.rules.window import takes_part, window_player
from sackarmies_env.games.sack_armies.state.constants import Decision, Frame, Zone
from sackarmies_env.games.sack_armies.state.flow import (
    WINDOW_PASSES,
    WINDOW_POSITION,
    WindowKind,
    begin_window,
    end_action,
    is_in_window,
    retract_choice,
)
from sackarmies_env.games.sack_armies.state.knowledge import is_picking
from sackarmies_env.games.sack_armies.state.zones import controller_of, rows_per_general, set_zone, tokens_in

# --- parts of a choice


@njit
def return_to(state, decision, has_begun):
    """Ask again for the next part of an action, or for the action itself if nothing of it is public yet."""
    if has_begun:
        state.decision = decision
    else:
        pop_frame(state)
        state.decision = Decision.MENU


@njit
def return_picks(state):
    """Return the battlefields that the current player has picked so far to the sack: others cannot tell how many."""
    player = state.current_player
    rest = tokens_in(state, player, Zone.PICKED)
    while rest != NO_BITS:
        set_zone(state, player * rows_per_general(state) + lowest_bit(rest), Zone.SACK)
        state.sack_count[player] += 1
        rest = without_lowest(rest)


@njit
def retract_saves(state):
    """Ask the current player again for the saves that they have declined since another General was asked."""
    for i in range(state.num_damages - 1, -1, -1):
        if state.damage_saved[i] == Save.DECLINED:
            if controller_of(state, np.int64(state.damage_target[i])) != state.current_player:
                return
            state.damage_saved[i] = Save.UNASKED


@njit
def retract_parts(state):
    """Take back the part of the current player's choice that has not been announced."""
    kind = state.frame_kind[state.frame_top]
    if is_picking(state):
        return_picks(state)
    retract_choice(state)
    if kind == Frame.TURN:
        state.decision = Decision.MENU
    elif kind == Frame.DEPLOY:
        return_to(state, Decision.DEPLOY_TYPE, get_data(state, DEPLOYED) > 0)
    elif kind == Frame.MOVE:
        return_to(state, Decision.MOVE_UNIT, get_data(state, MOVED) > 0)
    elif kind == Frame.WINDOW:
        state.decision = Decision.WINDOW
    elif state.decision == Decision.SETUP_HEX:
        state.decision = Decision.SETUP_TYPE
    elif state.decision == Decision.SAVE:
        retract_saves(state)


# --- ends of actions


@njit
def may_be_over(state):
    """Return whether the current player may be done with an action already: they are asked whether to go on with it."""
    decision = state.decision
    return decision == Decision.DEPLOY_TYPE or decision == Decision.MOVE_UNIT or decision == Decision.ADVANCE


@njit
def end_before_discards(params, state):
    """End an action that may be over if its General's hand exceeds the limit: they may be discarding already."""
    if may_be_over(state) and state.hand_count[state.current_player] > params.hand_limit:
        end_action(state)
        state.decision = Decision.DISCARD


# --- windows


@njit
def judging_step(params, state):
    """Return the step of an attack that follows the last window before the current decision."""
    if state.decision == Decision.CHARGE_TO:
        return AttackStep.JUDGE_CHARGE
    if is_coordinated(state.attack_verb) and params.coord_window_after == 0:
        return AttackStep.JUDGE_EARLY
    return AttackStep.JUDGE


@njit
def open_last_window(params, state):
    """Reopen the window that closed last."""
    if state.frame_kind[state.frame_top] == Frame.ATTACK:
        set_step(state, judging_step(params, state))
        kind = WindowKind.CHARGE if state.decision == Decision.CHARGE_TO else WindowKind.ATTACK
        begin_window(params, state, kind, controller_of(state, state.attack_target))
    else:
        begin_window(params, state, WindowKind.FREE, np.int64(NO_PLAYER))


@njit
def find_position(params, state):
    """Return the position of the current player in the open window."""
    position = np.int64(0)
    while window_player(params, state, position) != state.current_player:
        position += 1
    return position


@njit
def return_to_window(params, state):
    """Ask the current player in the window that has just closed, unless others were visibly asked after them."""
    closed, heard = np.int64(state.window_closed), np.int64(state.window_heard)
    step = state.frame_step[state.frame_top]
    open_last_window(params, state)
    position = find_position(params, state)
    passes = (position - (closed - 1)) % params.num_generals
    if takes_part(params, state, state.current_player) and heard <= passes + 1:
        set_data(state, WINDOW_POSITION, position)
        set_data(state, WINDOW_PASSES, passes)
        state.decision = Decision.WINDOW
    else:
        pop_frame(state)
        set_step(state, step)


# --- all of it


@njit
def hide_choice(params, state):
    """Go back to the first decision that the current player may have been asked, for all that others know."""
    if state.decision != Decision.DISCARD:
        retract_parts(state)
        end_before_discards(params, state)
    if state.window_closed > 0:
        return_to_window(params, state)


@njit
def erase_passes(state):
    """Erase who has passed, except what others know: in a window, that its current player is asked; else nothing."""
    state.window_closed = 0
    if is_in_window(state):
        state.window_heard = max(np.int64(state.window_heard), get_data(state, WINDOW_PASSES) + 1)
    else:
        state.window_heard = 0
