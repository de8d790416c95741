"""Hexes: axial coordinates (q, r), a board of any hexes, and the hexagonal board, numbered row by row."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.grid import NO_CELL, Grid, tables_of

NO_HEX = NO_CELL  # kept: rules on hexes read `token_hex[token] == NO_HEX`, in 80 places
DIRECTIONS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))


class HexGrid(Grid):
    """A board of hexes; neighbors in the order of DIRECTIONS."""

    @property
    def q(self) -> NDArray[np.int16]:
        """First coordinate of each hex."""
        return self.coordinates[:, 0]

    @property
    def r(self) -> NDArray[np.int16]:
        """Second coordinate of each hex."""
        return self.coordinates[:, 1]

    @property
    def radius(self) -> int:
        """Greatest distance of a hex from 0,0."""
        return int(np.max([abs(self.q), abs(self.r), abs(self.q + self.r)]))


def num_cells(radius: int) -> int:
    """Return the number of cells of a hexagonal board of this radius."""
    return 3 * radius * (radius + 1) + 1


def make_hexes(hexes: Iterable[tuple[int, int]], extent: str = "") -> HexGrid:
    """Return a board of any hexes, in the order of their numbers.

    Args:
        hexes: axial coordinates.
        extent: the extent of the board in words, for messages; defaults to the number of hexes.

    Raises:
        ValueError: a hex is given twice, or no hex is given.
    """
    coordinates, neighbors = tables_of(hexes, DIRECTIONS)
    names = tuple(f"{q},{r}" for q, r in coordinates.tolist())
    return HexGrid(names, coordinates, neighbors, "hex", extent or f"it has {len(names)} hexes")


@functools.lru_cache(maxsize=32)
def make_hexgrid(radius: int) -> HexGrid:
    """Return the hexagonal board of a radius of at least 0, numbered by rising r and, in a row, by rising q."""
    hexes = [
        (q, r)
        for r in range(-radius, radius + 1)
        for q in range(max(-radius, -radius - r), min(radius, radius - r) + 1)
    ]
    return make_hexes(hexes, f"the distance to 0,0 may be at most {radius}")
