"""Records as plain data and back: a lossless dump that every game has, made from the declarations of its fields.

Derived fields and scratch are left out, and so is what is as in a base record; of lists, the end that is as there.
Codes are written as names. A game that writes names for its other numbers, too, derives a class from `RecordDump`.
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
    """Writes fields of records as plain data (JSON types) and reads them.

    Args:
        layout: of the records.
        sizes: what is in use of each size, as in `StateLayout.limits`.
    """

    def __init__(self, layout: StateLayout, sizes: Mapping[str, int]) -> None:
        self.layout = layout
        self.sizes = sizes

    # --- what a game may put in place of these

    def meaning(self, states: NDArray[np.void], field: StateField, place: int) -> Meaning:
        """Return what a number of a field of `states[0]`, at a place of a list, stands for."""
        return field.codes or field.holds

    def written(self, meaning: Meaning, number: int) -> Any:
        """Return a number as it is written."""
        return number if isinstance(meaning, str) else meaning(number).name.lower()

    def number(self, field: StateField, meaning: Meaning, value: Any) -> int:
        """Return the number that a value stands for.

        Raises:
            ValueError: it is none that the field may hold.
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
        """Return those of `fields` in which `states[0]` differs from `base[0]`, by name."""
        entries = {field.name: self.encode_field(states, base, field) for field in fields}
        return {name: entry for name, entry in entries.items() if entry is not None and entry != []}

    def encode_field(self, states: NDArray[np.void], base: NDArray[np.void], field: StateField) -> Any:
        """Return one field; None or an empty list if it is as in the base."""
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
        """Write `data`, as `encode` gives it, over `states[0]`.

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
        """Return an integer that a field may hold.

        Raises:
            ValueError: it is none.
        """
        least, greatest = self.layout.limits(field, self.sizes)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= greatest:
            wanted = f"an integer from {least} to {greatest} is wanted"
            raise ValueError(f"{field.name}: {quote(value)} is given, but {wanted}")
        return value


def as_list(name: str, value: Any, length: int, exact: bool = False) -> list[Any]:
    """Return a list of at most `length` values; exactly so many if `exact`.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, list | tuple) or len(value) > length or (exact and len(value) != length):
        wanted = f"a list of {length} values" if exact else f"a list of at most {length} values"
        raise ValueError(f"{name}: {quote(value)} is given, but {wanted} is wanted")
    return list(value)


def dump_record(game_id: str, layout: StateLayout, states: NDArray[np.void]) -> dict[str, Any]:
    """Return `states[0]` as plain data from which `load_record` makes it again: the `Game.to_scenario` of any game."""
    fields = select(layout.fields, role=KEPT)
    return {"game": game_id, "state": RecordDump(layout, {}).encode(states, layout.empty, fields)}


def load_record(
    game_id: str, layout: StateLayout, data: Mapping[str, Any], sizes: Mapping[str, int]
) -> NDArray[np.void]:
    """Return the record `(1,)` of a dump; derived fields are empty and remain for the game to derive.

    Each number is one that its field may hold. Whether they fit each other is the game's to check.

    Args:
        game_id: of the game.
        layout: of its records.
        data: as `dump_record` gives it.
        sizes: what is in use of each size, as in `StateLayout.limits`.

    Raises:
        ValueError: it is the dump of another game, or naming the field that cannot be.
    """
    if data.keys() != {"game", "state"} or data["game"] != game_id or not isinstance(data["state"], Mapping):
        raise ValueError(f"{quote(dict(data))} is no dump of {game_id}: it must have the keys 'game' and 'state'")
    states = alloc(layout.dtype, 1)
    copy_records(layout.empty, states)
    RecordDump(layout, sizes).decode(states, data["state"], select(layout.fields, role=KEPT))
    return states
