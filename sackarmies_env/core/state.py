"""State records: declared fields, what follows from the declarations, and allocation.

A field is declared once, as a `StateField`: its name, its type, what its numbers stand for, its meaning and its role.
The record's dtype, an empty record, the ranges of values, what a dump holds and the page on the state follow from that.
State is read the same way with and without the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache, cached_property
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.jit import INTERPRETED

NO_PLAYER = -1
NONE = -1  # in a field of seats, cells, rows or types: none of them

# What the numbers of a field are. SEAT, CELL, ROW, TYPE and any name that a game adds are indexes below the size of
# that name, or NONE.
FLAG = "flag"  # 0 or 1
COUNT = "count"  # 0 or more
NUMBER = "number"  # anything that the field holds
BITS = "bits"  # unsigned: a set, or a key
CODE = "code"  # of an IntEnum
SEAT = "seat"
CELL = "cell"  # of the board
ROW = "row"  # of the tokens
TYPE = "type"  # of the catalogue


class Role(StrEnum):
    """What a field is to the game: who may see it, and whether it must be kept."""

    SHOWN = "shown"
    HIDDEN = "hidden"
    DERIVED = "derived"
    SCRATCH = "scratch"


ROLES = {
    Role.SHOWN: "part of the position; what players receive may depend on it",
    Role.HIDDEN: "part of the position; nothing that a player receives depends on it until it is used",
    Role.DERIVED: "follows from shown and hidden fields at every decision",
    Role.SCRATCH: "for use within one call; it carries nothing from one decision to the next",
}
KEPT = frozenset({Role.SHOWN, Role.HIDDEN})  # what makes up a position; the rest follows


class StateField(NamedTuple):
    """A field of a state record.

    Attributes:
        name: as kernels read it; must not be the name of an attribute of arrays.
        dtype: of one number.
        shape: lengths; a text is the name of a size, such as SEAT in a list of one number per seat.
        holds: what the numbers are: FLAG, COUNT, NUMBER, BITS, CODE, or the name of a size, for indexes below it.
        meaning: a phrase.
        role: see `Role`.
        empty: the number while nothing is under way; `scalar` and `array` default to NONE for indexes, 0 for the rest.
        codes: the enumeration, where `holds` is CODE.
        limits: the least and greatest number, if they do not follow from `holds`. By default counts and numbers have
            the range of `dtype` in lists, and 16 bits on their own.
        counted_by: for lists, the field that says how many entries are in use; the others mean nothing.
        part: the heading it belongs under; see `part_of_state`.
    """

    name: str
    dtype: type[np.integer[Any]]
    shape: tuple[int | str, ...]
    holds: str
    meaning: str
    role: Role = Role.SHOWN
    empty: int = 0
    codes: type[IntEnum] | None = None
    limits: tuple[int, int] | None = None
    counted_by: str = ""
    part: str = ""


def scalar(name: str, holds: str, meaning: str, dtype: type[np.integer[Any]] = np.int64, **others: Any) -> StateField:
    """Declare one number; `others` are attributes of `StateField`.

    It has 64 bits by default, so that kernels compute with it as it is: narrower ones would save little of a record.
    """
    return array(name, dtype, (), holds, meaning, **others)


def array(
    name: str, dtype: type[np.integer[Any]], shape: tuple[int | str, ...], holds: str, meaning: str, **others: Any
) -> StateField:
    """Declare a list, or a list of lists; `empty` defaults to NONE for indexes and to 0 for the rest."""
    empty = 0 if holds in {FLAG, COUNT, NUMBER, BITS, CODE} else NONE
    return StateField(name, dtype, shape, holds, meaning, **{"empty": empty, **others})


def part_of_state(part: str, *fields: StateField, **common: Any) -> list[StateField]:
    """Return fields under one heading; `common` are attributes that all of them get."""
    return [field._replace(part=part, **common) for field in fields]


def select(fields: Sequence[StateField], **wanted: Any) -> list[StateField]:
    """Return the fields whose attributes have the `wanted` values; a frozenset lists several that are allowed."""
    choices = {key: value if isinstance(value, frozenset) else {value} for key, value in wanted.items()}
    return [field for field in fields if all(getattr(field, key) in choice for key, choice in choices.items())]


def names_of(fields: Sequence[StateField], **wanted: Any) -> tuple[str, ...]:
    """Return the names of the fields that `select` chooses; kernels loop over them with `literal_unroll`."""
    return tuple(field.name for field in select(fields, **wanted))


@dataclass(frozen=True, eq=False)
class StateLayout:
    """The layout of a game's records: the fields, and the sizes that their shapes name."""

    fields: tuple[StateField, ...]
    sizes: Mapping[str, int]

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """The dtype of records; always the same object, which numba compares fastest."""
        return record_dtype([(field.name, field.dtype, self.shape(field)) for field in self.fields])

    def shape(self, field: StateField) -> tuple[int, ...]:
        """Return the shape of a field."""
        return tuple(self.sizes[length] if isinstance(length, str) else length for length in field.shape)

    @cached_property
    def empty(self) -> NDArray[np.void]:
        """A record `(1,)` in which nothing is under way, with zeros between fields; read-only."""
        record = np.zeros(1, self.dtype)
        for field in self.fields:
            record[field.name] = field.empty
        record.flags.writeable = False
        return record

    def clear(self, states: NDArray[np.void]) -> None:
        """Make every record of `states` empty."""
        as_bytes(states)[...] = self.empty.view(np.uint8)

    @cached_property
    def _counted(self) -> dict[str, StateField]:
        """The first list that a field counts, by the name of the counting field."""
        return {field.counted_by: field for field in reversed(self.fields) if field.counted_by}

    def limits(self, field: StateField, sizes: Mapping[str, int]) -> tuple[int, int]:
        """Return the least and the greatest number that a field may hold.

        Args:
            field: one of the layout.
            sizes: how much of each size is in use, such as the seats of a game; defaults to all that the layout has.
        """
        if field.name in self._counted:
            return 0, self.shape(self._counted[field.name])[0]
        if field.limits is not None:
            return field.limits
        if field.codes is not None:
            return int(min(field.codes)), int(max(field.codes))
        if field.holds == FLAG:
            return 0, 1
        size = sizes.get(field.holds, self.sizes.get(field.holds))
        if size is not None:
            return min(0, field.empty), size - 1
        widest = np.iinfo(field.dtype)
        least, greatest = 0 if field.holds in {COUNT, BITS} else int(widest.min), int(widest.max)
        if field.shape or field.holds == BITS:
            return least, greatest
        return max(least, int(np.iinfo(np.int16).min)), min(greatest, int(np.iinfo(np.int16).max))

    def faults(self, states: NDArray[np.void], sizes: Mapping[str, int]) -> Iterator[str]:
        """Yield a sentence for each field of `states[0]` with a number that it may not hold.

        Args:
            states: `(n,)`.
            sizes: as in `limits`.
        """
        for field in self.fields:
            values = np.asarray(states[field.name][0])
            if field.counted_by:
                values = values[: int(states[field.counted_by][0])]
            least, greatest = self.limits(field, sizes)
            wrong = values[(values < least) | (values > greatest)]
            if len(wrong):
                yield f"{field.name} contains {wrong[0]}: it must be from {least} to {greatest}"


COMMON_FIELDS = part_of_state(
    "the game",
    scalar("current_player", SEAT, "NO_PLAYER once the game is over"),
    scalar("turn", COUNT, "turns begun so far, over all players"),
    scalar(
        "decisions",
        COUNT,
        "actions applied so far, over all players; counted and cleared by core.step_batch",
        limits=(0, 2**31 - 1),
        role=Role.HIDDEN,
    ),
    scalar("terminated", FLAG, "1: ended by the rules"),
    scalar("truncated", FLAG, "1: ended by a limit, of turns or of decisions"),
    scalar("winner", SEAT, "seat; NO_PLAYER while open or drawn"),
    scalar("error", COUNT, "core.state.ERROR_*; a fault of the engine or of forced results, never of play"),
) + part_of_state(
    "streams of chance",
    array("flip_key", np.uint32, (2,), BITS, "core.rng: key of the stream of flips"),
    scalar("flip_count", COUNT, "words of it that have been used", limits=(0, 2**31 - 1)),
    array("draw_key", np.uint32, (2,), BITS, "core.rng: key of the stream of draws"),
    scalar("draw_count", COUNT, "words of it that have been used", limits=(0, 2**31 - 1)),
    role=Role.HIDDEN,
)

ERROR_NONE = 0
ERROR_SCRIPT_EXHAUSTED = 1  # forced results are used up where nothing else decides
ERROR_CAPACITY = 2  # a fixed-size table of the state overflowed
ERROR_STUCK = 3  # a decision without a legal action was reached


def record_dtype(*parts: Sequence[StateField | tuple[Any, ...]]) -> np.dtype[np.void]:
    """Return the aligned structured dtype with the fields of all `parts`, in order.

    Shapes of declared fields must be numbers here; `StateLayout.dtype` knows the sizes that shapes name.
    """
    columns = [field for part in parts for field in part]
    plain = [(c.name, c.dtype, c.shape) if isinstance(c, StateField) else c for c in columns]
    return np.dtype(plain, align=True)


class Record(np.void):  # type: ignore[misc]  # final in the stubs of NumPy only
    """A record whose fields are attributes, as kernels need them in interpreted mode; faster than `np.record`."""

    def __getattr__(self, name: str) -> Any:
        if name not in (self.dtype.names or ()):
            raise AttributeError(f"the record has no field {name!r}")
        setattr(Record, name, property(itemgetter(name)))  # found directly from now on, in half the time
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def alloc(dtype: np.dtype[np.void], n: int) -> NDArray[np.void]:
    """Return `(n,)` zeroed records; in interpreted mode their fields are attributes, as kernels need them."""
    return np.zeros(n, dtype=(Record, dtype) if INTERPRETED else dtype)


def as_records(array: NDArray[np.void]) -> NDArray[np.void]:
    """Return `array` in the form that kernels take in this mode (see `alloc`)."""
    return array.view((Record, array.dtype)) if INTERPRETED else array.view(np.ndarray)


def copy_records(source: NDArray[np.void], target: NDArray[np.void], rows: NDArray[np.int64] | None = None) -> None:
    """Copy `source` over `target` or its `rows` as bytes, several times faster than a field-wise structured copy."""
    if rows is None:
        target.view(np.uint8)[...] = source.view(np.uint8)
    else:
        as_bytes(target)[rows] = as_bytes(source)


def copies_of(states: NDArray[np.void], rows: NDArray[np.int64]) -> NDArray[np.void]:
    """Return copies of some of the states; copied as bytes, since field by field would take far longer."""
    raw = states.view(np.ndarray)
    return as_records(as_bytes(raw)[rows].view(raw.dtype)[:, 0])


def as_bytes(states: NDArray[np.void]) -> NDArray[np.uint8]:
    """Return states as a view of their bytes, `(n, bytes of a state)`."""
    raw = states.view(np.ndarray)
    return raw.view(np.uint8).reshape(len(raw), raw.dtype.itemsize)


@cache
def padding_of(dtype: np.dtype[np.void]) -> NDArray[np.int64]:
    """Return the offsets of the bytes of a record that belong to none of its fields, `(k,)`."""
    is_padding = np.ones(dtype.itemsize, bool)
    for part, offset, *_ in (dtype.fields or {}).values():
        is_padding[offset : offset + part.itemsize] = False
    return np.flatnonzero(is_padding)


def clear_padding(states: NDArray[np.void]) -> None:
    """Zero the bytes between the fields of states `(n,)`, so that equal states have equal bytes.

    `ndarray.copy` leaves them undefined.
    """
    as_bytes(states)[:, padding_of(states.dtype)] = 0


def engine_error(code: int, where: str = "") -> Exception:
    """Return the exception for a fault that a state reports; `where` says in which game."""
    place = f" {where}" if where else ""
    if code == ERROR_SCRIPT_EXHAUSTED:
        return ValueError(
            f"the forced results are used up{place}, and this configuration has no other source of chance: "
            "give more of them"
        )
    return RuntimeError(
        f"the rules engine reports fault {code}{place} (see ERROR_ in core/state.py): please report this game"
    )
