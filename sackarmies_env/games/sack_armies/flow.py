"""Control flow as data: a stack of procedures, who is asked what, and the partial choice (digest section 4)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.constants import NO_TOKEN, NO_TYPE, Decision, Frame
from sackarmies_env.games.sack_armies.state import FRAME_DATA, MAX_CHAIN

NO_CELL = -1
RESULT = 5  # number of a frame in which a window above it leaves its WindowResult


class TurnStep(IntEnum):
    """Steps of the procedure of a turn (P-TURN)."""

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
    """How a reaction window ended, left in the first number of the frame below it (P-WINDOW)."""

    CLOSED = 0
    CANCEL = 1
    MISS = 2


@njit
def ask(state, player, decision):
    """Let `player` decide next."""
    state.current_player = player
    state.decision = decision


@njit
def push_frame(state, kind, step):
    """Begin a procedure above the present one."""
    state.frame_top += 1
    top = np.int64(state.frame_top)
    state.frame_kind[top] = kind
    state.frame_step[top] = step
    for i in range(FRAME_DATA):
        state.frame_data[top, i] = 0


@njit
def pop_frame(state):
    """Return to the procedure below."""
    top = np.int64(state.frame_top)
    state.frame_kind[top] = 0
    state.frame_step[top] = 0
    for i in range(FRAME_DATA):
        state.frame_data[top, i] = 0
    state.frame_top -= 1


@njit
def set_step(state, step):
    """Let the present procedure go on at `step`."""
    state.frame_step[state.frame_top] = step


@njit
def get_data(state, index):
    """Return a number of the present procedure."""
    return np.int64(state.frame_data[state.frame_top, index])


@njit
def set_data(state, index, value):
    """Set a number of the present procedure."""
    state.frame_data[state.frame_top, index] = value


@njit
def is_in_window(state):
    """Return whether the present procedure is a reaction window."""
    return state.frame_kind[state.frame_top] == Frame.WINDOW


@njit
def open_window(params, state, kind, targeted):
    """Push a reaction window; first asked is the General targeted, or the one after the active General.

    `targeted` is the General whose unit is targeted; NO_PLAYER, or the active General, if no opponent is.
    """
    state.frame_data[state.frame_top, RESULT] = WindowResult.CLOSED
    if params.windows_targeted_only == 1 and (targeted == NO_PLAYER or targeted == state.active):
        return
    push_frame(state, Frame.WINDOW, WindowStep.ASK)
    start = targeted
    if targeted == NO_PLAYER or targeted == state.active:
        start = (np.int64(state.active) + 1) % np.int64(params.num_generals)
    set_data(state, WINDOW_KIND, kind)
    set_data(state, WINDOW_TARGETED, targeted)
    set_data(state, WINDOW_START, start)


@njit
def open_full_window(params, state):
    """Push a window that answers nothing, where reactions are allowed at all times (D-30, Q-46, C-reaction_windows)."""
    if params.windows_full == 1:
        open_window(params, state, WindowKind.FREE, np.int64(NO_PLAYER))


@njit
def clear_chain(state):
    """Forget the partial choice: it is complete."""
    for i in range(MAX_CHAIN):
        state.chain[i] = NO_CELL
    state.chain_length = 0
    state.chain_verb = 0


@njit
def extend_chain(state, value):
    """Add a cell, type or slot to the partial choice."""
    state.chain[state.chain_length] = value
    state.chain_length += 1


@njit
def clear_attack(state):
    """No attack is announced."""
    for token in range(len(state.token_member)):
        state.token_member[token] = 0
    state.attack_verb = 0
    state.attack_unit = NO_TOKEN
    state.attack_target = NO_TOKEN
    state.attack_hex = NO_CELL
    state.attack_announced = 0
    state.attack_ambush = 0
    state.attack_surprised = 0
    state.attack_countered = 0
    state.attack_designated = NO_TOKEN
    state.attack_no_advance = 0
    state.attack_moved = 0
    state.attack_successes = 0
    state.counter_successes = 0
    state.attack_killed = 0
    state.num_damages = 0


@njit
def clear_act(state):
    """No activation is announced."""
    state.act_verb = 0
    state.act_player = NO_PLAYER
    state.act_unit = NO_TOKEN
    state.act_token = NO_TOKEN
    state.act_target = NO_TOKEN
    state.act_hex = NO_CELL
    state.act_slot = NO_TOKEN
    state.act_to = NO_CELL
    state.act_type = NO_TYPE
    state.act_announced = 0
    state.act_effect = 0


@njit
def drop_to_turn(state, step):
    """Leave whatever is going on and continue the turn at `step`."""
    while state.frame_top > 0:
        pop_frame(state)
    state.frame_step[0] = step
    state.decision = Decision.NONE
    clear_chain(state)
    clear_attack(state)
    clear_act(state)


@njit
def end_action(state):
    """The turn's one action is spent (RB-1)."""
    drop_to_turn(state, TurnStep.END)


@njit
def back_to_menu(state):
    """The action is not spent: the active General chooses again (R8.4.5-12)."""
    drop_to_turn(state, TurnStep.MENU)
    state.stumbled = 1
