"""Control flow as data: a stack of procedures, the current decision, and a choice made in parts.

A rule that stops halfway to ask a player leaves in the state all that it needs to continue: each procedure is a frame
with its kind, its step and a few numbers, and the procedure on top continues first. A choice that takes several
actions, such as a verb, a unit and a target, is a chain of the parts chosen so far.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import CODE, COUNT, NUMBER, StateField, array, part_of_state, scalar

NO_FRAME = -1  # frame_top of an empty stack
NO_CHOICE = -1  # an unused part of the chain


def flow_fields(
    max_frames: int,
    frame_data: int,
    max_chain: int,
    decisions: type[IntEnum] | None = None,
    frames: type[IntEnum] | None = None,
    verbs: type[IntEnum] | None = None,
) -> list[StateField]:
    """Return the fields of a state that the functions of this module use.

    Args:
        max_frames: greatest height of the stack of procedures.
        frame_data: numbers that a procedure can keep.
        max_chain: parts of the longest choice.
        decisions: what players are asked, 0 for nothing; None leaves the codes open, here and below.
        frames: the kinds of procedures, 0 for none.
        verbs: what a choice can begin with, 0 for none.
    """
    top = "place of the procedure that continues first; NO_FRAME if there is none"
    return (
        part_of_state("the game", scalar("decision", CODE, "what current_player is asked", codes=decisions))
        + part_of_state(
            "control flow",
            scalar("frame_top", COUNT, top, empty=NO_FRAME, limits=(NO_FRAME, max_frames - 1)),
            array("frame_kind", np.int8, (max_frames,), CODE, "which procedure; 0 above the top", codes=frames),
            array("frame_step", np.int8, (max_frames,), COUNT, "step of that procedure"),
            array("frame_data", np.int16, (max_frames, frame_data), NUMBER, "its few numbers; see each procedure"),
        )
        + part_of_state(
            "chain",
            array("chain", np.int16, (max_chain,), NUMBER, "parts chosen so far, then NO_CHOICE", empty=NO_CHOICE),
            scalar("chain_length", COUNT, "how many they are", limits=(0, max_chain)),
            scalar("chain_verb", CODE, "what it began with; known to current_player only", codes=verbs),
        )
    )


@njit
def ask(state, player, decision):
    """Make `player` the current player, with `decision` to make."""
    state.current_player = player
    state.decision = decision


# --- procedures


@njit
def push_frame(state, kind, step):
    """Begin a procedure on top of the current one; its numbers are 0."""
    state.frame_top += 1
    top = state.frame_top
    state.frame_kind[top] = kind
    state.frame_step[top] = step
    for i in range(state.frame_data.shape[1]):
        state.frame_data[top, i] = 0


@njit
def pop_frame(state):
    """End the current procedure and return to the one below."""
    top = state.frame_top
    state.frame_kind[top] = 0
    state.frame_step[top] = 0
    for i in range(state.frame_data.shape[1]):
        state.frame_data[top, i] = 0
    state.frame_top -= 1


@njit
def clear_frames(state):
    """Clear the stack of procedures."""
    state.frame_top = NO_FRAME
    for i in range(len(state.frame_kind)):
        state.frame_kind[i] = 0
        state.frame_step[i] = 0
        for j in range(state.frame_data.shape[1]):
            state.frame_data[i, j] = 0


@njit
def set_step(state, step):
    """Make the current procedure continue at `step`."""
    state.frame_step[state.frame_top] = step


@njit
def get_data(state, index):
    """Return a number of the current procedure."""
    return np.int64(state.frame_data[state.frame_top, index])


@njit
def set_data(state, index, value):
    """Set a number of the current procedure."""
    state.frame_data[state.frame_top, index] = value


# --- choices in parts


@njit
def clear_chain(state):
    """Clear the choice so far: it is complete, or taken back."""
    for i in range(len(state.chain)):
        state.chain[i] = NO_CHOICE
    state.chain_length = 0
    state.chain_verb = 0


@njit
def extend_chain(state, value):
    """Add a part to the choice."""
    state.chain[state.chain_length] = value
    state.chain_length += 1
