"""Layouts of observations, declared once: named features in blocks of equal rows, stored as an int8 vector."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

INT8_LOW = -128
INT8_HIGH = 127
NOBODY = -1  # in a feature that names a seat
DIGIT_BASE = 128  # a code that does not fit into a feature stands as code + 1 = low + DIGIT_BASE * high
PERCENT = 100


@dataclass(frozen=True)
class Feature:
    """One named number of a row.

    Attributes:
        name: unique in its block.
        low: smallest value, at least -128.
        high: greatest value, at most 127.
        doc: a sentence on its meaning.
        categorical: the value is a code without order, to be embedded or one-hot encoded.
    """

    name: str
    low: int
    high: int
    doc: str
    categorical: bool = False

    def __post_init__(self) -> None:
        if not INT8_LOW <= self.low <= self.high <= INT8_HIGH:
            raise ValueError(
                f"feature {self.name!r} has the range {self.low} to {self.high}: "
                f"low must not exceed high, and both must be from {INT8_LOW} to {INT8_HIGH}"
            )


# --- common kinds of features


def flag(name: str, doc: str) -> Feature:
    """Return a feature that is 1 where the statement `doc` holds."""
    return Feature(name, 0, 1, f"1: {doc}")


def number(name: str, doc: str, low: int = 0, high: int = INT8_HIGH) -> Feature:
    """Return a feature that counts or measures."""
    return Feature(name, low, high, doc)


def code(name: str, codes: type[IntEnum], doc: str) -> Feature:
    """Return a feature that holds one of `codes`, which its `doc` lists."""
    listed = ", ".join(f"{one.value} {one.name.lower().replace('_', ' ')}" for one in codes)
    return Feature(name, 0, max(codes), f"{doc}: {listed}.", categorical=True)


def seat(name: str, doc: str, num_seats: int, *, may_be_nobody: bool = True) -> Feature:
    """Return a feature that names a seat, counted from the observer."""
    nobody = " -1: nobody." if may_be_nobody else ""
    return Feature(name, NOBODY if may_be_nobody else 0, num_seats - 1, doc + nobody, categorical=True)


def coordinates(prefix: str, axes: str, doc: str, nowhere: int, high: int) -> tuple[Feature, ...]:
    """Return a feature per letter of `axes`: the coordinates of a cell, up to `high`; `nowhere`, below them: none."""
    where = f"of {doc}; {nowhere}: none."
    return tuple(Feature(f"{prefix}{axis}", nowhere, high, f"Coordinate {axis} {where}") for axis in axes)


def digits(name: str, doc: str, most: int) -> tuple[Feature, Feature]:
    """Return two features for a code up to `most`, too large for one; see `core.encode.write_digits`."""
    return (
        Feature(f"{name}_low", 0, DIGIT_BASE - 1, f"{doc}, plus 1: low digit, base {DIGIT_BASE}; 0: none.", True),
        Feature(f"{name}_high", 0, (most + 1) // DIGIT_BASE, f"{doc}, plus 1: high digit, base {DIGIT_BASE}.", True),
    )


def columns(name: str, features: Sequence[Feature]) -> Any:
    """Return a named tuple of the columns of `features`, by names in capitals, for use in kernels."""
    return namedtuple(name, [feature.name.upper() for feature in features])(*range(len(features)))


@dataclass(frozen=True)
class Block:
    """Rows with the same features, one after the other in memory.

    Attributes:
        name: unique in the observation.
        rows: number of rows, at least 1.
        features: columns.
        doc: what a row stands for, in which order the rows come, what unused rows hold.
        is_plane: the block is a picture of the board, one number per place: its rows and features are rows and columns
            of the board.
    """

    name: str
    rows: int
    features: tuple[Feature, ...]
    doc: str
    is_plane: bool = False

    def __post_init__(self) -> None:
        if self.rows < 1 or not self.features:
            raise ValueError(
                f"block {self.name!r} has {self.rows} rows of {len(self.features)} features: both must be at least 1"
            )
        _refuse_duplicates(f"block {self.name!r}", [feature.name for feature in self.features])

    @property
    def size(self) -> int:
        """Numbers in the block."""
        return self.rows * len(self.features)

    def column(self, feature: str) -> int:
        """Return the column of a feature.

        Raises:
            ValueError: the block has no such feature.
        """
        for column, candidate in enumerate(self.features):
            if candidate.name == feature:
                return column
        known = ", ".join(candidate.name for candidate in self.features)
        raise ValueError(f"block {self.name!r} has no feature {feature!r}: it has {known}")


class ObservationSpec:
    """The layout of an observation: an int8 vector made of blocks, each stored row by row.

    Attributes:
        blocks: in their order.
        size: length of the vector.
        planes: the blocks that are planes, always the last ones; may be empty.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        """Lay `blocks` out one after the other.

        Raises:
            ValueError: two blocks share a name, or planes do not come last or differ in shape.
        """
        _refuse_duplicates("observation", [block.name for block in blocks])
        self.blocks = tuple(blocks)
        self.planes = tuple(block for block in blocks if block.is_plane)
        shapes = {(block.rows, len(block.features)) for block in self.planes}
        if len(shapes) > 1 or self.planes != self.blocks[len(self.blocks) - len(self.planes) :]:
            raise ValueError("the planes of an observation must be its last blocks, and of one shape")
        self._blocks = {block.name: block for block in self.blocks}
        ends = np.cumsum([block.size for block in self.blocks]).tolist()
        self._slices = {block.name: slice(end - block.size, end) for block, end in zip(self.blocks, ends, strict=True)}
        self.size: int = ends[-1] if ends else 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObservationSpec) and self.blocks == other.blocks

    def __hash__(self) -> int:
        return hash(self.blocks)

    @cached_property
    def low(self) -> NDArray[np.int8]:
        """Smallest values, `(size,)` int8, read only."""
        return self._bounds("low")

    @cached_property
    def high(self) -> NDArray[np.int8]:
        """Greatest values, `(size,)` int8, read only."""
        return self._bounds("high")

    def _bounds(self, side: str) -> NDArray[np.int8]:
        rows = [[getattr(feature, side) for feature in block.features] * block.rows for block in self.blocks]
        bounds = np.array([value for row in rows for value in row], np.int8)
        bounds.flags.writeable = False
        return bounds

    def block(self, name: str) -> Block:
        """Return the block with this name.

        Raises:
            ValueError: there is none.
        """
        if name not in self._blocks:
            raise ValueError(f"the observation has no block {name!r}: it has {', '.join(self._blocks)}")
        return self._blocks[name]

    def slice(self, block: str) -> slice:
        """Return where a block lies in the vector."""
        self.block(block)
        return self._slices[block]

    def view(self, observation: NDArray[Any], block: str) -> NDArray[Any]:
        """Return a block as a table, without a copy.

        Args:
            observation: `(..., size)`, any dtype.
            block: name of the block.

        Returns:
            `(..., rows, features)`, a view that writes through.

        Raises:
            ValueError: no such block, or the last axis has another length.
        """
        shape = self.block(block)
        self._check_size(observation)
        part = observation[..., self._slices[block]]
        return part.reshape(*part.shape[:-1], shape.rows, len(shape.features))  # splitting an axis never copies

    def planes_view(self, observation: NDArray[Any]) -> NDArray[Any]:
        """Return all planes as one array, without a copy.

        Args:
            observation: `(..., size)`, any dtype.

        Returns:
            `(..., planes, rows, columns)`, a view that writes through.

        Raises:
            ValueError: the layout has no planes, or the last axis has another length.
        """
        if not self.planes:
            raise ValueError(f"the observation has no planes: it has {', '.join(self._blocks)}")
        self._check_size(observation)
        one = self.planes[0]
        part = observation[..., self.size - len(self.planes) * one.size :]
        return part.reshape(*part.shape[:-1], len(self.planes), one.rows, len(one.features))

    def _check_size(self, observation: NDArray[Any]) -> None:
        if observation.shape[-1] != self.size:
            raise ValueError(f"the observation has {observation.shape[-1]} numbers: this layout has {self.size}")

    def index(self, block: str, row: int, feature: str) -> int:
        """Return the index of one number in the vector.

        Raises:
            ValueError: no such block, row or feature.
        """
        shape = self.block(block)
        if not 0 <= row < shape.rows:
            raise ValueError(f"block {block!r} has no row {row}: rows go from 0 to {shape.rows - 1}")
        start: int = self._slices[block].start
        return start + row * len(shape.features) + shape.column(feature)

    def names(self) -> list[str]:
        """Return `block[row].feature` for each number, in order."""
        return list(self._names())

    def _names(self) -> Iterator[str]:
        for block in self.blocks:
            for row in range(block.rows):
                for feature in block.features:
                    yield f"{block.name}[{row}].{feature.name}"

    def to_markdown(self) -> str:
        """Return the layout as a page section: a table of blocks, then one table of features per block."""
        lines = [
            f"{self.size} numbers (int8) in {len(self.blocks)} blocks. Number `start + row * width + column` of the "
            "vector is a feature of a row.",
            "",
            "| block | start | rows | width | size |",
            "| --- | ---: | ---: | ---: | ---: |",
        ]
        for block in self.blocks:
            start = self._slices[block.name].start
            lines.append(f"| `{block.name}` | {start} | {block.rows} | {len(block.features)} | {block.size} |")
        for block in self.blocks:
            lines += ["", f"### `{block.name}`", "", block.doc, ""]
            lines += ["| column | feature | range | meaning |", "| ---: | --- | --- | --- |"]
            for column, feature in enumerate(block.features):
                kind = ", code" if feature.categorical else ""
                lines.append(f"| {column} | `{feature.name}` | {feature.low} to {feature.high}{kind} | {feature.doc} |")
        return "\n".join(lines) + "\n"


def _refuse_duplicates(where: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{where} has the name {name!r} twice")
