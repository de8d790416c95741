"""Where in the sequence of play a game stands, as data: every field of the state that a plain position does not show.

`encode` names the fields in which a state differs from the position it shows; `decode` puts them back. Nothing is a
number that catalogue, armies or the order of tokens give: codes, tokens, types and hexes are written as names. A field
of the tokens is a list of pairs of token and value; of other lists, the end is left out where it is as in the position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.words import listed, suggestion, told
from sackarmies_env.games.sack_armies.constants import NO_TOKEN, Decision, Event, Frame, Kind, Verb, Victory
from sackarmies_env.games.sack_armies.scenario_names import Names
from sackarmies_env.games.sack_armies.state import MAX_CHAIN, MAX_FRAMES

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
TOKENS = (  # fields that hold tokens
    *("attack_unit", "attack_target", "attack_designated"),
    *("act_unit", "act_token", "act_target", "act_slot", "modifier_token", "damage_target"),
)
TYPES = ("act_type", "modifier_type", "ghost_type")
HEXES = ("attack_hex", "act_hex", "act_to", "ghost_hex", "log_hex")
CODES: dict[str, type[IntEnum]] = {
    "decision": Decision,
    "victory_type": Victory,
    "frame_kind": Frame,
    "chain_verb": Verb,
    "attack_verb": Verb,
    "act_verb": Verb,
    "log_kind": Event,
}
COUNTED = {"modifier": "num_modifiers", "ghost": "num_ghosts", "damage": "num_damages"}  # lists by their first word
SEATS = ("current_player", "active", "winner", "act_player", "token_controller", "ghost_controller", "log_player")
LENGTHS = {"chain_length": MAX_CHAIN, "frame_top": MAX_FRAMES - 1}
TYPE, HEX = "type", "hex"
BEGUN_WITH_TYPE = (Decision.SETUP_HEX, Decision.DEPLOY_HEX)  # whose choice begins with a type; all else of it are hexes
VALUES: dict[Event, str | type[IntEnum]] = {  # what the value of an event is, where it is no plain number
    **dict.fromkeys((Event.PLACE, Event.REVEAL, Event.CASUALTY, Event.CAPTURE, Event.TO_SACK, Event.REMOVE), TYPE),
    **dict.fromkeys((Event.CONTROL, Event.RAISE, Event.ATTACH), TYPE),
    **dict.fromkeys((Event.ANNOUNCE, Event.CANCEL, Event.MISS), Verb),
    Event.MOVE: HEX,
    Event.ELIMINATE: Victory,
    Event.WRONG_KIND: Kind,
}


def fields_of(dtype: np.dtype[np.void], group: Sequence[str] | None = None) -> list[str]:
    """Return the fields that a dump writes: those of `group`, or all that stand in none."""
    if group is not None:
        return list(group)
    return [name for name in dtype.names or () if name not in (*CHANCE, *SHOWN, *DERIVED, *SCRATCH)]


def meaning(states: NDArray[np.void], name: str, place: int) -> str | type[IntEnum] | None:
    """Return what the number in a field of `states[0]`, at a place of a list, stands for; None for a plain number."""
    if name in CODES:
        return CODES[name]
    if name == "chain":
        return TYPE if place == 0 and int(states["decision"][0]) in BEGUN_WITH_TYPE else HEX
    if name == "log_value":
        return VALUES.get(Event(int(states["log_kind"][0][place])))
    if name in TYPES:
        return TYPE
    return HEX if name in HEXES else name if name in TOKENS else None


# --- writing


def encode(
    states: NDArray[np.void], plain: NDArray[np.void], names: Names, group: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the fields in which `states[0]` differs from `plain[0]`, as plain data.

    Args:
        states: the state to write.
        plain: the state of its mere position, with the same rows.
        names: of what the state holds.
        group: fields; left out, those of the procedure.
    """
    encoded: dict[str, Any] = {}
    for name in fields_of(states.dtype, group):
        value, default = np.asarray(states[name][0]), np.asarray(plain[name][0])
        if name.startswith("token_"):
            changed = np.flatnonzero(value != default).tolist()
            entry: Any = sorted([names.token_name(row), int(value[row])] for row in changed)
        elif (counter := COUNTED.get(name.split("_")[0])) is not None:
            entry = _named(states, names, name, value.tolist()[: int(states[counter][0])])
        else:
            entry = _changed(_named(states, names, name, value.tolist()), _named(plain, names, name, default.tolist()))
        if entry is not None and entry != []:
            encoded[name] = entry
    return encoded


def _changed(entry: Any, default: Any) -> Any:
    """Return an entry, or a list up to the last one that differs from the default; None or nothing if none does."""
    if not isinstance(entry, list):
        return None if entry == default else entry
    last = max((place for place, value in enumerate(entry) if value != default[place]), default=-1)
    return entry[: last + 1]


def _named(states: NDArray[np.void], names: Names, name: str, value: Any, place: int = 0) -> Any:
    """Return a number, or lists of them, with names for what the numbers stand for."""
    if isinstance(value, list):
        return [_named(states, names, name, entry, index) for index, entry in enumerate(value)]
    kind = meaning(states, name, place)
    if kind is None:
        return value
    if not isinstance(kind, str):
        return kind(value).name.lower()
    if kind == TYPE:
        return names.type_name(value)
    return names.hex_name(value) if kind == HEX else names.token_name(value)


# --- reading


def decode(
    params: NDArray[np.void],
    states: NDArray[np.void],
    names: Names,
    data: Mapping[str, Any],
    group: Sequence[str] | None = None,
) -> None:
    """Write `data`, as `encode` gives it, to `states[0]`.

    Raises:
        ValueError: naming an unknown field, or a value that the field cannot hold.
    """
    known = fields_of(states.dtype, group)
    for name in sorted(data, key=lambda name: name not in CODES):  # codes say what other fields mean
        if name not in known:
            raise ValueError(f"unknown field {told(name)}{suggestion(name, known)}")
        value, target = data[name], states[name][0]
        if name.startswith("token_"):
            _decode_tokens(params, target, names, name, value)
        elif target.ndim == 0:
            states[name] = _number(params, states, names, name, value)
        else:
            _decode_list(params, states, names, name, value)


def _decode_tokens(params: NDArray[np.void], target: NDArray[Any], names: Names, name: str, pairs: Any) -> None:
    """Write pairs of token and value."""
    for pair in _as_list(name, pairs, len(target)):
        token, value = _as_list(name, pair, 2, exact=True)
        row = names.token(name, token)
        if row == NO_TOKEN:
            raise ValueError(f"{name}: {told(token)} is no token")
        target[row] = _bounded(name, value, *_bounds(params, name, target.dtype))


def _decode_list(params: NDArray[np.void], states: NDArray[np.void], names: Names, name: str, value: Any) -> None:
    """Write a list, or a list of lists."""
    target = states[name][0]
    for index, entry in enumerate(_as_list(name, value, len(target))):
        if target.ndim == 1:
            target[index] = _number(params, states, names, name, entry, index)
            continue
        for place, number in enumerate(_as_list(name, entry, target.shape[1])):
            target[index, place] = _number(params, states, names, name, number)


def _number(
    params: NDArray[np.void], states: NDArray[np.void], names: Names, name: str, value: Any, place: int = 0
) -> int:
    """Return one value as the state holds it."""
    kind = meaning(states, name, place)
    if kind is None:
        if name in COUNTED.values():
            first = next(field for field in states.dtype.names or () if COUNTED.get(field.split("_")[0]) == name)
            return _bounded(name, value, 0, len(states[first][0]))
        return _bounded(name, value, *_bounds(params, name, states[name].dtype))
    if not isinstance(kind, str):
        codes = {code.name.lower(): int(code) for code in kind}
        if not isinstance(value, str) or value not in codes:
            raise ValueError(
                f"{name}: {told(value)} is not allowed{suggestion(value, codes)}; allowed are {listed(codes)}"
            )
        return codes[value]
    if kind == TYPE:
        return names.type(name, value)
    return names.hex(name, value) if kind == HEX else names.token(name, value)


def _bounds(params: NDArray[np.void], name: str, dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the least and the greatest number that a field may hold without leading astray."""
    if name in LENGTHS:
        return 0, LENGTHS[name]
    if name in SEATS:
        return -1, int(params["num_generals"][0]) - 1
    limits = np.iinfo(dtype.base)
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
