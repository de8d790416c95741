"""Hexes: axial coordinates (q, r), and the hexagonal board, numbered row by row, as plain tables."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

NO_HEX = -1
DIRECTIONS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))


@dataclass(frozen=True, eq=False)
class HexGrid:
    """The hexes within a radius of 0,0, numbered by rising r and, in a row, by rising q.

    Attributes:
        radius: greatest distance of a hex from 0,0.
        names: how each hex is written, such as `1,-2`.
        q: first coordinate of each hex, `(cells,)` int16.
        r: second coordinate of each hex, `(cells,)` int16.
        neighbors: `(cells, 6)` int16, the hex in each of DIRECTIONS; NO_HEX where there is none.
    """

    radius: int
    names: tuple[str, ...]
    q: NDArray[np.int16]
    r: NDArray[np.int16]
    neighbors: NDArray[np.int16]

    @property
    def num_cells(self) -> int:
        """Number of hexes."""
        return len(self.names)

    def cell(self, q: int, r: int) -> int:
        """Return the number of the hex at q,r.

        Raises:
            ValueError: there is none.
        """
        if (q, r) not in self._cells:
            raise ValueError(f"hex {q},{r} is off the board: the distance to 0,0 may be at most {self.radius}")
        return self._cells[q, r]

    @cached_property
    def _cells(self) -> dict[tuple[int, int], int]:
        return {place: cell for cell, place in enumerate(zip(self.q.tolist(), self.r.tolist(), strict=True))}


def num_cells(radius: int) -> int:
    """Return the number of cells of a hexagonal board of this radius."""
    return 3 * radius * (radius + 1) + 1


@functools.lru_cache(maxsize=32)
def make_hexgrid(radius: int) -> HexGrid:
    """Return the hexagonal board of a radius of at least 0; its tables are read-only, since it is shared."""
    places = [
        (q, r)
        for r in range(-radius, radius + 1)
        for q in range(max(-radius, -radius - r), min(radius, radius - r) + 1)
    ]
    cells = {place: cell for cell, place in enumerate(places)}
    neighbors = [[cells.get((q + dq, r + dr), NO_HEX) for dq, dr in DIRECTIONS] for q, r in places]
    tables = [np.array(numbers, np.int16) for numbers in (*zip(*places, strict=True), neighbors)]
    for table in tables:
        table.setflags(write=False)
    return HexGrid(radius, tuple(f"{q},{r}" for q, r in places), *tables)
