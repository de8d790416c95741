"""Where in the sequence of play a game stands, as data: every field of the state that a plain position does not show.

`encode` names the fields in which a state differs from the position it shows; `decode` puts them back. Values stand as
in the state, but codes are written as names, and tokens as their numbers in order of appearance (-1 for none). A field
of the tokens is a list of pairs of token and value; of other lists, the end is left out where it is as in the position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.words import listed, suggestion, told
from sackarmies_env.games.sack_armies.constants import (
    MAX_ABILITIES,
    MAX_EFFECTS,
    NO_TOKEN,
    Decision,
    Event,
    Frame,
    Verb,
    Victory,
)
from sackarmies_env.games.sack_armies.state import MAX_CHAIN, MAX_FRAMES, MAX_GHOSTS, MAX_INSTANCES, MAX_MODIFIERS

CHANCE = ("flip_key", "flip_count", "draw_key", "draw_count", "deck_red", "deck_black", "deck_jokers")
SHOWN = (  # by the rest of the scenario
    *("token_type", "token_owner", "token_zone", "token_hex", "token_host", "token_first", "token_next"),
    *("general_alive", "script_flips", "script_flips_end", "script_flips_used"),
    *("script_draws", "script_draws_end", "script_draws_used"),
)
DERIVED = (
    *("cell_unit", "cell_field", "sack_count", "hand_count", "legal", "num_legal", "log_shown"),
    *("zone_tokens", "units", "face_up", "seen", "unit_rows", "field_rows", "legal_rows", "halt_rows"),
    *("board_keys", "num_board"),
)
SCRATCH = (
    *("reach_rows", "reach_edge", "reach_open", "reach_halts", "aided"),
    *("guess_type", "guess_seen", "guess_back", "guess_lax", "guess_done"),
)
ROWS = (  # fields that hold tokens
    *("attack_unit", "attack_target", "attack_designated"),
    *("act_unit", "act_token", "act_target", "act_slot", "modifier_token", "damage_target"),
)
NAMES: dict[str, type[IntEnum]] = {
    "decision": Decision,
    "victory_type": Victory,
    "frame_kind": Frame,
    "chain_verb": Verb,
    "attack_verb": Verb,
    "act_verb": Verb,
    "log_kind": Event,
}
COUNTS = {"chain_length": MAX_CHAIN, "num_modifiers": MAX_MODIFIERS, "num_ghosts": MAX_GHOSTS}
COUNTS |= {"num_damages": MAX_INSTANCES, "frame_top": MAX_FRAMES - 1}
COUNTED = {"modifier": "num_modifiers", "ghost": "num_ghosts", "damage": "num_damages"}  # lists by their first word
SEATS = ("current_player", "active", "winner", "act_player", "token_controller", "ghost_controller", "log_player")
CELLS = ("attack_hex", "act_hex", "act_to", "ghost_hex", "log_hex")
TYPES = ("act_type",)
MIXED = ("chain", "frame_data", "log_value")  # cells, types, small counts


def fields_of(dtype: np.dtype[np.void], group: Sequence[str] | None = None) -> list[str]:
    """Return the fields that a dump writes: those of `group`, or all that stand in none."""
    if group is not None:
        return list(group)
    return [name for name in dtype.names or () if name not in (*CHANCE, *SHOWN, *DERIVED, *SCRATCH)]


# --- writing


def encode(
    states: NDArray[np.void], plain: NDArray[np.void], rows: Sequence[int], group: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the fields in which `states[0]` differs from `plain[0]`, as plain data.

    Args:
        states: the state to write.
        plain: the state of its mere position, with the same rows.
        rows: row of each token, in order of appearance.
        group: fields; left out, those of the procedure.
    """
    number = {row: piece for piece, row in enumerate(rows)}
    encoded: dict[str, Any] = {}
    for name in fields_of(states.dtype, group):
        value, default = np.asarray(states[name][0]), np.asarray(plain[name][0])
        if (counter := COUNTED.get(name.split("_")[0])) is not None:
            value, default = value[: int(states[counter][0])], default[: int(states[counter][0])]
        if np.array_equal(value, default):
            continue
        if name.startswith("token_"):
            changed = sorted((number[int(row)], int(value[row])) for row in np.flatnonzero(value != default))
            encoded[name] = [[piece, _named(name, entry)] for piece, entry in changed]
            continue
        if value.ndim:
            differs = (value != default).reshape(len(value), -1).any(axis=1)
            value = value[: int(np.flatnonzero(differs)[-1]) + 1]
        if name in ROWS:
            value = np.vectorize(lambda row: number.get(int(row), NO_TOKEN), otypes=[np.int64])(value)
        encoded[name] = _named(name, value.tolist())
    return encoded


def _named(name: str, value: Any) -> Any:
    """Return codes as names."""
    if isinstance(value, list):
        return [_named(name, entry) for entry in value]
    return NAMES[name](value).name.lower() if name in NAMES else value


# --- reading


def decode(
    params: NDArray[np.void],
    states: NDArray[np.void],
    rows: Sequence[int],
    data: Mapping[str, Any],
    group: Sequence[str] | None = None,
) -> None:
    """Write `data`, as `encode` gives it, to `states[0]`.

    Raises:
        ValueError: naming an unknown field, or a value that the field cannot hold.
    """
    known = fields_of(states.dtype, group)
    for name, value in data.items():
        if name not in known:
            raise ValueError(f"unknown field {told(name)}{suggestion(name, known)}")
        target = states[name][0]
        if name.startswith("token_"):
            _decode_tokens(params, target, rows, name, value)
        elif target.ndim == 0:
            states[name] = _number(params, states, rows, name, value)
        else:
            _decode_list(params, states, rows, name, value)


def _decode_tokens(params: NDArray[np.void], target: NDArray[Any], rows: Sequence[int], name: str, pairs: Any) -> None:
    """Write pairs of token and value."""
    for pair in _as_list(name, pairs, len(target)):
        piece, value = _as_list(name, pair, 2, exact=True)
        if not _is_whole(piece) or not 0 <= piece < len(rows):
            raise ValueError(f"{name}: {told(piece)} is no token: they are numbered 0 to {len(rows) - 1}")
        target[rows[piece]] = _bounded(name, value, *_bounds(params, name, target.dtype))


def _decode_list(
    params: NDArray[np.void], states: NDArray[np.void], rows: Sequence[int], name: str, value: Any
) -> None:
    """Write a list, or a list of lists."""
    target = states[name][0]
    for index, entry in enumerate(_as_list(name, value, len(target))):
        if target.ndim == 1:
            target[index] = _number(params, states, rows, name, entry)
            continue
        for place, number in enumerate(_as_list(name, entry, target.shape[1])):
            target[index, place] = _number(params, states, rows, name, number)


def _number(params: NDArray[np.void], states: NDArray[np.void], rows: Sequence[int], name: str, value: Any) -> int:
    """Return one value as the state holds it."""
    if name in NAMES:
        codes = {code.name.lower(): int(code) for code in NAMES[name]}
        if not isinstance(value, str) or value not in codes:
            raise ValueError(f"{name}: {told(value)} is not allowed; allowed are {listed(codes)}")
        return codes[value]
    if name in ROWS:
        piece = _bounded(name, value, NO_TOKEN, len(rows) - 1)
        return NO_TOKEN if piece == NO_TOKEN else rows[piece]
    return _bounded(name, value, *_bounds(params, name, states[name].dtype))


def _bounds(params: NDArray[np.void], name: str, dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the least and the greatest value that a field may hold without leading astray."""
    cells, types = int(params["num_cells"][0]), int(params["num_types"][0])
    if name in COUNTS:
        return 0, COUNTS[name]
    if name in SEATS:
        return -1, int(params["num_generals"][0]) - 1
    if name in CELLS:
        return -1, cells - 1
    if name in TYPES:
        return -1, types - 1
    if name in MIXED:
        return -1, max(cells, types) - 1
    if name in ("modifier_effect", "ghost_ability"):
        return -1, (MAX_EFFECTS if name == "modifier_effect" else MAX_ABILITIES) - 1
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _bounded(name: str, value: Any, low: int, high: int) -> int:
    if not _is_whole(value) or not low <= value <= high:
        raise ValueError(f"{name}: {told(value)} is given, but a whole number from {low} to {high} is wanted")
    return int(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _as_list(name: str, value: Any, length: int, exact: bool = False) -> list[Any]:
    if not isinstance(value, list | tuple) or len(value) > length or (exact and len(value) != length):
        wanted = f"a list of {length} values" if exact else f"a list of at most {length} values"
        raise ValueError(f"{name}: {told(value)} is given, but {wanted} is wanted")
    return list(value)
