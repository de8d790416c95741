"""The action space: its layout and the text form of every action.

An id is a verb, a type of the catalogue, an attachment slot or a hex, in this order:
`verb` 0..23 | `24 + type` | `24 + K + slot` | `32 + K + cell`, where K is the number of types. The id of a verb is the
verb itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sackarmies_env.core.actions import ActionSpace, Segment, cell_segment, named_segment, numbered_segment
from sackarmies_env.core.hexgrid import HexGrid
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import NUM_SLOTS, NUM_VERBS, Verb

TYPE_BASE = NUM_VERBS
OPTION_VERBS = {21: "option_a", 22: "option_b", 23: "option_c"}  # reserved for token texts; never legal today
ALSO_PASS = ("done", "no")  # what verb 0 means at some decisions


def num_actions(num_types: int, num_cells: int) -> int:
    """Return the size of the action space for a catalogue and a board."""
    return TYPE_BASE + num_types + NUM_SLOTS + num_cells


@njit
def type_action(params, token_type):
    """Return the id that names `token_type`."""
    return TYPE_BASE + np.int64(token_type)


@njit
def slot_action(params, slot):
    """Return the id that names attachment `slot`, 0 being the first of the stack."""
    return TYPE_BASE + params.num_types + np.int64(slot)


@njit
def hex_action(params, cell):
    """Return the id that names the hex `cell`, or the unit on it."""
    return TYPE_BASE + params.num_types + NUM_SLOTS + np.int64(cell)


@njit
def is_type(params, action):
    """Return whether `action` names a type."""
    return TYPE_BASE <= action < TYPE_BASE + params.num_types


@njit
def is_slot(params, action):
    """Return whether `action` names an attachment slot."""
    first = TYPE_BASE + params.num_types
    return first <= action < first + NUM_SLOTS


@njit
def is_hex(params, action):
    """Return whether `action` names a hex."""
    return action >= TYPE_BASE + params.num_types + NUM_SLOTS


@njit
def decode_type(params, action):
    """Return the type that `action` names; `is_type` must hold."""
    return np.int64(action) - TYPE_BASE


@njit
def decode_slot(params, action):
    """Return the slot that `action` names; `is_slot` must hold."""
    return np.int64(action) - TYPE_BASE - params.num_types


@njit
def decode_hex(params, action):
    """Return the cell that `action` names; `is_hex` must hold."""
    return np.int64(action) - TYPE_BASE - params.num_types - NUM_SLOTS


def make_action_space(type_ids: Sequence[str], grid: HexGrid) -> ActionSpace:
    """Return the text forms of the actions of one configuration.

    Args:
        type_ids: id of every type, in catalogue order; inline tokens of a scenario last.
        grid: the board.
    """
    verbs = [OPTION_VERBS[verb] if verb in OPTION_VERBS else Verb(verb).name.lower() for verb in range(NUM_VERBS)]
    segments = (
        Segment("verb", tuple(verbs)),
        named_segment("type", type_ids, "there is no token with the id {}"),
        numbered_segment("slot", NUM_SLOTS),
        cell_segment("hex", grid.names, f"the hex is off the board, whose hexes lie within {grid.radius} of 0,0"),
    )
    advice = "write a verb such as 'draw', or 'type walking_tree', 'slot 0', 'hex 1,-1'"
    return ActionSpace(segments, advice, aliases=dict.fromkeys(ALSO_PASS, "pass"))
