"""Hexes: axial coordinates (q, r) on a hexagonal board, cells numbered row by row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NO_HEX = -1
DIRECTIONS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))


class HexGrid(NamedTuple):
    """Tables of a board of radius R with 3R(R+1)+1 cells, rows of rising r, in a row rising q."""

    radius: int
    q: NDArray[np.int8]  # (cells,)
    r: NDArray[np.int8]  # (cells,)
    neighbors: NDArray[np.int16]  # (cells, 6), in the order of DIRECTIONS; NO_HEX off the board

    @property
    def num_cells(self) -> int:
        """Number of cells."""
        return len(self.q)

    def cell(self, q: int, r: int) -> int:
        """Return the number of the cell at axial (q, r).

        Raises:
            ValueError: the hex lies off the board.
        """
        radius = self.radius
        if max(abs(q), abs(r), abs(q + r)) > radius:
            raise ValueError(f"hex {q},{r} is off the board: the distance to 0,0 may be at most {radius}")
        before = sum(2 * radius + 1 - abs(row) for row in range(-radius, r))
        return before + q - max(-radius, -radius - r)


def num_cells(radius: int) -> int:
    """Return the number of cells of a board of this radius."""
    return 3 * radius * (radius + 1) + 1


def make_hexgrid(radius: int) -> HexGrid:
    """Build the tables of a board; `radius` is at least 0."""
    coordinates = [
        (q, r)
        for r in range(-radius, radius + 1)
        for q in range(max(-radius, -radius - r), min(radius, radius - r) + 1)
    ]
    index = {hex_: cell for cell, hex_ in enumerate(coordinates)}
    neighbors = [[index.get((q + dq, r + dr), NO_HEX) for dq, dr in DIRECTIONS] for q, r in coordinates]
    return HexGrid(
        radius,
        np.array([q for q, _ in coordinates], np.int8),
        np.array([r for _, r in coordinates], np.int8),
        np.array(neighbors, np.int16).reshape(-1, 6),
    )
