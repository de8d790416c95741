"""The action space: its layout (digest section 5) and the text form of every action.

An id is a verb, a type of the catalogue, an attachment slot or a hex, in this order:
`verb` 0..23 | `24 + type` | `24 + K + slot` | `32 + K + cell`, where K is the number of types. The id of a verb is the
verb itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.hexgrid import HexGrid
from sackarmies_env.core.jit import njit
from sackarmies_env.core.words import short, suggestion
from sackarmies_env.games.sack_armies.constants import NUM_SLOTS, NUM_VERBS, Verb

TYPE_BASE = NUM_VERBS
OPTION_VERBS = {21: "option_a", 22: "option_b", 23: "option_c"}  # kept free for token texts; never legal today
ALSO_PASS = ("done", "no")  # what verb 0 means at some decisions
HEX_TEXT = re.compile(r"hex ([+-]?[0-9]{1,9}) ?, ?([+-]?[0-9]{1,9})")
SLOT_TEXT = re.compile(r"slot [0-9]+")
MAX_LISTED = 60  # legal texts that an error message lists in full


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
    return TYPE_BASE + np.int64(params.num_types) + np.int64(slot)


@njit
def hex_action(params, cell):
    """Return the id that names the hex `cell`, or the unit on it."""
    return TYPE_BASE + np.int64(params.num_types) + NUM_SLOTS + np.int64(cell)


@njit
def is_verb(params, action):
    """Return whether `action` is a verb."""
    return action < TYPE_BASE


@njit
def is_type(params, action):
    """Return whether `action` names a type."""
    return TYPE_BASE <= action < TYPE_BASE + np.int64(params.num_types)


@njit
def is_slot(params, action):
    """Return whether `action` names an attachment slot."""
    first = TYPE_BASE + np.int64(params.num_types)
    return first <= action < first + NUM_SLOTS


@njit
def is_hex(params, action):
    """Return whether `action` names a hex."""
    return action >= TYPE_BASE + np.int64(params.num_types) + NUM_SLOTS


@njit
def decode_type(params, action):
    """Return the type that `action` names; see `is_type`."""
    return np.int64(action) - TYPE_BASE


@njit
def decode_slot(params, action):
    """Return the slot that `action` names; see `is_slot`."""
    return np.int64(action) - TYPE_BASE - np.int64(params.num_types)


@njit
def decode_hex(params, action):
    """Return the cell that `action` names; see `is_hex`."""
    return np.int64(action) - TYPE_BASE - np.int64(params.num_types) - NUM_SLOTS


def legal_ids(state_legal: NDArray[np.uint64]) -> list[int]:
    """Return the ids whose bits are set in the field `legal` of one state, rising."""
    octets = np.ascontiguousarray(state_legal).view(np.uint8)
    return [int(action) for action in np.flatnonzero(np.unpackbits(octets, bitorder="little"))]


@dataclass(frozen=True, eq=False)
class ActionText:
    """Text forms of the actions of one configuration.

    Attributes:
        type_ids: id of every type, in catalogue order; inline tokens of a scenario last.
        grid: the board.
    """

    type_ids: tuple[str, ...]
    grid: HexGrid

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return num_actions(len(self.type_ids), self.grid.num_cells)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Text of every id."""
        verbs = [OPTION_VERBS[verb] if verb in OPTION_VERBS else Verb(verb).name.lower() for verb in range(NUM_VERBS)]
        types = [f"type {type_id}" for type_id in self.type_ids]
        slots = [f"slot {slot}" for slot in range(NUM_SLOTS)]
        hexes = [f"hex {q},{r}" for q, r in zip(self.grid.q.tolist(), self.grid.r.tolist(), strict=True)]
        return (*verbs, *types, *slots, *hexes)

    @cached_property
    def ids(self) -> dict[str, int]:
        """Id of every text, of the other words for `pass` too."""
        known = {text: action for action, text in enumerate(self.texts)}
        return known | dict.fromkeys(ALSO_PASS, int(Verb.PASS))

    def format(self, action: int) -> str:
        """Return the text of `action`.

        Raises:
            ValueError: `action` is no id of this action space.
        """
        if not 0 <= action < self.num_actions:
            raise ValueError(f"action {action} is out of range: ids run from 0 to {self.num_actions - 1}")
        return self.texts[action]

    def parse(self, text: str, legal: Sequence[int], player: int) -> int:
        """Return the id of the legal action that `text` names.

        Args:
            text: a text form; case and extra blanks do not matter, `done` and `no` are read as `pass`.
            legal: legal ids of the player to act.
            player: seat of that player, for messages.

        Raises:
            ValueError: the text names no action, or one that is not legal now.
        """
        if not isinstance(text, str):
            raise ValueError(f"the text of an action is wanted, not {short(text)}")
        words = " ".join(text.lower().split())
        spelled = HEX_TEXT.fullmatch(words)
        if spelled:
            words = f"hex {int(spelled[1])},{int(spelled[2])}"
        action = self.ids.get(words)
        if action is not None and action in legal:
            return action
        if action is not None:
            fault = f"{short(words)} is not legal for player {player} now"
        else:
            near = suggestion(words, [self.texts[one] for one in legal])
            fault = f"{short(text)} names no action{near}: {self._advice(words)}"
        raise ValueError(f"{fault}; legal {self._listed(legal)}")

    def _advice(self, words: str) -> str:
        """Say what is wrong with a text that names no action."""
        if HEX_TEXT.fullmatch(words):
            return f"the hex is off the board, whose hexes lie within {self.grid.radius} of 0,0"
        if SLOT_TEXT.fullmatch(words):
            return f"slots run from 0 to {NUM_SLOTS - 1}"
        if words.startswith("type "):
            return f"there is no token with the id {short(words.removeprefix('type '))}"
        return "write a verb such as 'draw', or 'type walking_tree', 'slot 0', 'hex 1,-1'"

    def _listed(self, legal: Sequence[int]) -> str:
        """List legal texts for a message."""
        if not legal:
            return "actions: none, the game is over"
        shown = ", ".join(self.texts[action] for action in legal[:MAX_LISTED])
        rest = len(legal) - MAX_LISTED
        return f"are: {shown}" + (f" and {rest} more" if rest > 0 else "")

    def format_action(self, states: NDArray[np.void], action: int) -> str:
        """Return the text of `action` at the decision in `states[0]`; the same at every decision.

        Raises:
            ValueError: `action` is no id of this action space.
        """
        return self.format(int(action))

    def parse_action(self, states: NDArray[np.void], text: str) -> int:
        """Return the id of the action legal in `states[0]` that `text` names; see `parse`.

        Raises:
            ValueError: the text names no action, or one that is not legal now.
        """
        return self.parse(text, legal_ids(states["legal"][0]), int(states["current_player"][0]))

    def legal_texts(self, states: NDArray[np.void]) -> list[str]:
        """Return the texts of the actions legal in `states[0]`, in the order of their ids."""
        return [self.texts[action] for action in legal_ids(states["legal"][0])]
