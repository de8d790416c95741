"""Records as plain data and back: a lossless dump for every game, made from the declarations of its fields.

Derived fields and scratch are left out, and so are fields that equal those of a base record; lists omit an equal tail.
Codes are written as names. A game that writes names for other numbers too derives a class from `RecordDump`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.messages import join, quote, suggestion
from sackarmies_env.core.state import KEPT, StateField, StateLayout, alloc, copy_records, select

Meaning = str | type[IntEnum]  # what a number stands for: as in `StateField.holds`, or its enumeration


class RecordDump:
    """Writer and reader of fields of records as plain data (JSON types).

    Args:
        layout: of the records.
        sizes: how much of each size is in use, as in `StateLayout.limits`.
    """

    def __init__(self, layout: StateLayout, sizes: Mapping[str, int]) -> None:
        self.layout = layout
        self.sizes = sizes

    # --- methods that a game may override

    def meaning(self, states: NDArray[np.void], field: StateField, place: int) -> Meaning:
        """Return what the number at a place in a field of `states[0]` stands for."""
        return field.codes or field.holds

    def written(self, meaning: Meaning, number: int) -> Any:
        """Return the written form of a number."""
        return number if isinstance(meaning, str) else meaning(number).name.lower()

    def number(self, field: StateField, meaning: Meaning, value: Any) -> int:
        """Return the number that a value stands for.

        Raises:
            ValueError: the field may not hold it.
        """
        if isinstance(meaning, str):
            return self.bounded(field, value)
        codes = {code.name.lower(): int(code) for code in meaning}
        if not isinstance(value, str) or value not in codes:
            near = suggestion(value, codes) if isinstance(value, str) else ""
            raise ValueError(f"{field.name}: {quote(value)} is not allowed{near}; allowed are {join(codes)}")
        return codes[value]

    # --- writing

    def encode(self, states: NDArray[np.void], base: NDArray[np.void], fields: Sequence[StateField]) -> dict[str, Any]:
        """Return the `fields` in which `states[0]` differs from `base[0]`, by name."""
        entries = {field.name: self.encode_field(states, base, field) for field in fields}
        return {name: entry for name, entry in entries.items() if entry is not None and entry != []}

    def encode_field(self, states: NDArray[np.void], base: NDArray[np.void], field: StateField) -> Any:
        """Return one field; None or an empty list if it equals that of the base."""
        if not field.counted_by and np.array_equal(states[field.name][0], base[field.name][0]):
            return None
        entry = self._named(states, field, np.asarray(states[field.name][0]).tolist())
        if field.counted_by:
            return entry[: int(states[field.counted_by][0])]
        default = self._named(base, field, np.asarray(base[field.name][0]).tolist())
        if not isinstance(entry, list):
            return None if entry == default else entry
        last = max((place for place, value in enumerate(entry) if value != default[place]), default=-1)
        return entry[: last + 1]

    def _named(self, states: NDArray[np.void], field: StateField, value: Any, place: int = 0) -> Any:
        if isinstance(value, list):
            return [self._named(states, field, entry, index) for index, entry in enumerate(value)]
        return self.written(self.meaning(states, field, place), value)

    # --- reading

    def decode(self, states: NDArray[np.void], data: Mapping[str, Any], fields: Sequence[StateField]) -> None:
        """Write `data`, as `encode` returns it, over `states[0]`.

        Raises:
            ValueError: naming an unknown field, or a value that the field may not hold.
        """
        known = {field.name: field for field in fields}
        for name in data:
            if name not in known:
                raise ValueError(f"unknown field {quote(name)}{suggestion(name, known)}")
        for field in sorted(fields, key=lambda field: field.codes is None):  # codes say what other fields mean
            if field.name in data:
                self.decode_field(states, field, data[field.name])

    def decode_field(self, states: NDArray[np.void], field: StateField, value: Any) -> None:
        """Write one field."""
        shape = self.layout.shape(field)
        if not shape:
            states[field.name] = self.number(field, self.meaning(states, field, 0), value)
            return
        target = states[field.name][0]
        for index, entry in enumerate(as_list(field.name, value, shape[0])):
            if len(shape) == 1:
                target[index] = self.number(field, self.meaning(states, field, index), entry)
                continue
            for place, number in enumerate(as_list(field.name, entry, shape[1])):
                target[index, place] = self.number(field, self.meaning(states, field, place), number)

    def bounded(self, field: StateField, value: Any) -> int:
        """Return `value` if it is an integer that the field may hold.

        Raises:
            ValueError: it is not.
        """
        least, greatest = self.layout.limits(field, self.sizes)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= greatest:
            raise ValueError(f"{field.name}: must be an integer from {least} to {greatest}, not {quote(value)}")
        return value


def as_list(name: str, value: Any, length: int, exact: bool = False) -> list[Any]:
    """Return a list of at most `length` values; of exactly `length` values if `exact`.

    Raises:
        ValueError: `value` is not such a list.
    """
    if not isinstance(value, list | tuple) or len(value) > length or (exact and len(value) != length):
        size = f"{length}" if exact else f"at most {length}"
        raise ValueError(f"{name}: must be a list of {size} values, not {quote(value)}")
    return list(value)


def dump_record(game_id: str, layout: StateLayout, states: NDArray[np.void]) -> dict[str, Any]:
    """Return `states[0]` as plain data that `load_record` reads back: the default of `Game.to_scenario`."""
    fields = select(layout.fields, role=KEPT)
    return {"game": game_id, "state": RecordDump(layout, {}).encode(states, layout.empty, fields)}


def load_record(
    game_id: str, layout: StateLayout, data: Mapping[str, Any], sizes: Mapping[str, int]
) -> NDArray[np.void]:
    """Return the record `(1,)` of a dump; derived fields are empty, for the game to fill in.

    Each number is one that its field may hold. The game must check whether they are consistent.

    Args:
        game_id: of the game.
        layout: of its records.
        data: as `dump_record` returns it.
        sizes: how much of each size is in use, as in `StateLayout.limits`.

    Raises:
        ValueError: it is not a dump of this game, or a field is invalid, which the message names.
    """
    if data.keys() != {"game", "state"} or data["game"] != game_id or not isinstance(data["state"], Mapping):
        raise ValueError(f"{quote(dict(data))} is not a dump of {game_id}: it must have the keys 'game' and 'state'")
    states = alloc(layout.dtype, 1)
    copy_records(layout.empty, states)
    RecordDump(layout, sizes).decode(states, data["state"], select(layout.fields, role=KEPT))
    return states
