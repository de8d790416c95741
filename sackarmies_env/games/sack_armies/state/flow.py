"""Steps of the turn, reaction windows and announcements; `core.flow` keeps the stack of procedures."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.flow import clear_chain, pop_frame, push_frame, set_data
from sackarmies_env.core.jit import literal_unroll, njit
from sackarmies_env.core.state import NO_PLAYER, NONE, names_of
from sackarmies_env.games.sack_armies.state.constants import Decision, Frame
from sackarmies_env.games.sack_armies.state.record import STATE_FIELDS

ATTACK_NUMBERS, ATTACK_INDEXES = (names_of(STATE_FIELDS, part="attack", empty=value) for value in (0, NONE))
ACT_NUMBERS, ACT_INDEXES = (names_of(STATE_FIELDS, part="activation", empty=value) for value in (0, NONE))
RESULT = 5  # index in a frame's data where the window above it leaves its WindowResult


class TurnStep(IntEnum):
    """Steps of a turn (P-TURN)."""

    START = 0
    MENU = 1
    END = 2


class WindowKind(IntEnum):
    """What a reaction window answers."""

    FREE = 0  # nothing announced: C-reaction_windows full (D-30)
    ACTIVATION = 1
    CHARGE = 2  # a Move and Attack before its move: no surprise yet
    ATTACK = 3


class WindowStep(IntEnum):
    """Steps of a reaction window; its frame holds (kind, General targeted, first seat asked, position, passes)."""

    ASK = 0
    SURPRISED = 1  # a surprise maneuver has just been carried out


WINDOW_KIND, WINDOW_TARGETED, WINDOW_START, WINDOW_POSITION, WINDOW_PASSES = 0, 1, 2, 3, 4


class WindowResult(IntEnum):
    """How a reaction window ended; left in number RESULT of the frame below it (P-WINDOW)."""

    CLOSED = 0
    CANCEL = 1
    MISS = 2


@njit
def is_in_window(state):
    """Return whether the current procedure is a reaction window."""
    return state.frame_kind[state.frame_top] == Frame.WINDOW


@njit
def open_window(params, state, kind, targeted):
    """Push a reaction window; the targeted General is asked first, or else the one after the active General.

    `targeted` is the General whose unit is targeted; NO_PLAYER or the active General if no opponent is.
    """
    state.frame_data[state.frame_top, RESULT] = WindowResult.CLOSED
    if params.windows_targeted_only == 1 and (targeted == NO_PLAYER or targeted == state.active):
        return
    begin_window(params, state, kind, targeted)


@njit
def begin_window(params, state, kind, targeted):
    """Push a reaction window in which nobody has been asked yet."""
    push_frame(state, Frame.WINDOW, WindowStep.ASK)
    start = targeted
    if targeted == NO_PLAYER or targeted == state.active:
        start = (state.active + 1) % params.num_generals
    set_data(state, WINDOW_KIND, kind)
    set_data(state, WINDOW_TARGETED, targeted)
    set_data(state, WINDOW_START, start)
    state.window_closed = 0
    state.window_heard = 0


@njit
def open_full_window(params, state):
    """Push a window that answers no announcement, if reactions are always allowed (D-30, Q-46, C-reaction_windows)."""
    if params.windows_full == 1:
        open_window(params, state, WindowKind.FREE, np.int64(NO_PLAYER))


@njit
def clear_attack(state):
    """Clear the attack: none is announced."""
    for token in range(len(state.token_member)):
        state.token_member[token] = 0
    for name in literal_unroll(ATTACK_NUMBERS):
        state[name] = 0
    for name in literal_unroll(ATTACK_INDEXES):
        state[name] = NONE
    state.num_damages = 0


@njit
def clear_act(state):
    """Clear the activation: none is announced."""
    for name in literal_unroll(ACT_NUMBERS):
        state[name] = 0
    for name in literal_unroll(ACT_INDEXES):
        state[name] = NONE


@njit
def retract_choice(state):
    """Take back the choices that have not been announced."""
    clear_chain(state)
    if state.attack_announced == 0:
        clear_attack(state)
    if state.act_announced == 0:
        clear_act(state)


@njit
def drop_to_turn(state, step):
    """Abandon everything in progress and continue the turn at `step`."""
    while state.frame_top > 0:
        pop_frame(state)
    state.frame_step[0] = step
    state.decision = Decision.NONE
    state.window_closed = 0
    clear_chain(state)
    clear_attack(state)
    clear_act(state)


@njit
def end_action(state):
    """Spend the turn's one action and continue with the end of the turn (RB-1)."""
    drop_to_turn(state, TurnStep.END)


@njit
def back_to_menu(state):
    """Return to the menu with the action unspent: the active General chooses again (R8.4.5-12)."""
    drop_to_turn(state, TurnStep.MENU)
    state.check_failed = 1
