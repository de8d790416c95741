"""Grids: boards of cells with neighbors, distances and names, as plain tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.messages import short_repr, suggestion

NO_CELL = -1
NO_PATH = -1  # distance between cells that no path joins
SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))  # (columns, rows): neighbors that share a side
SIDES_AND_CORNERS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, eq=False)
class Grid:
    """A board of cells, numbered from 0 on.

    Attributes:
        names: how each cell is written, such as `1,-2` or `c3`; unique.
        coordinates: `(cells, axes)`; a graph has no axes.
        neighbors: `(cells, directions)`, the cell in each direction; NO_CELL where there is none.
        noun: what a cell is called in messages.
        extent: the extent of the board in words, for messages.
    """

    names: tuple[str, ...]
    coordinates: NDArray[np.int16]
    neighbors: NDArray[np.int16]
    noun: str = "cell"
    extent: str = ""

    @property
    def num_cells(self) -> int:
        """Number of cells."""
        return len(self.names)

    @cached_property
    def distances(self) -> NDArray[np.int16]:
        """Steps from each cell to each other, `(cells, cells)`; NO_PATH where there is no path."""
        distances = np.full((self.num_cells, self.num_cells), NO_PATH, np.int16)
        np.fill_diagonal(distances, 0)
        reached = np.append(distances == 0, np.zeros((1, self.num_cells), np.bool_), axis=0)  # the last row: NO_CELL
        step = 0
        while True:
            step += 1
            spread = reached[self.neighbors].any(axis=1) & (distances == NO_PATH)
            if not spread.any():
                return distances
            distances[spread] = step
            reached[:-1] |= spread

    def cell(self, *coordinates: int) -> int:
        """Return the number of the cell at `coordinates`.

        Raises:
            ValueError: there is none.
        """
        cell = self._cells.get(coordinates)
        if cell is None:
            place = ",".join(str(number) for number in coordinates)
            raise ValueError(f"{self.noun} {place} is off the board: {self.extent}")
        return cell

    def named(self, name: str) -> int:
        """Return the number of the cell with this name.

        Raises:
            ValueError: there is none.
        """
        if name not in self._numbers:
            raise ValueError(f"unknown {self.noun} {short_repr(name)}{suggestion(name, self.names)}: {self.extent}")
        return self._numbers[name]

    @cached_property
    def _cells(self) -> dict[tuple[int, ...], int]:
        return {tuple(place): cell for cell, place in enumerate(self.coordinates.tolist())}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: cell for cell, name in enumerate(self.names)}


Tables = tuple[NDArray[np.int16], NDArray[np.int16]]


def tables_of(places: Iterable[tuple[int, ...]], directions: Sequence[tuple[int, ...]]) -> Tables:
    """Return `coordinates` and `neighbors` of a `Grid`: neighbors are the places one of `directions` away.

    Args:
        places: coordinates of the cells, in the order of their numbers; at least one.
        directions: differences of coordinates.

    Raises:
        ValueError: a place is given twice, or no place is given.
    """
    cells: dict[tuple[int, ...], int] = {}
    for place in places:
        if place in cells:
            raise ValueError(f"the place {short_repr(place)} is given twice: a grid has one cell per place")
        cells[place] = len(cells)
    if not cells:
        raise ValueError("no place is given: a grid has at least one cell")
    steps = [[tuple(map(sum, zip(place, way, strict=True))) for way in directions] for place in cells]
    neighbors = [[cells.get(place, NO_CELL) for place in row] for row in steps]
    tables = np.array(list(cells), np.int16), np.array(neighbors, np.int16)
    for table in tables:
        table.setflags(write=False)  # grids are shared
    return tables


def make_square_grid(columns: int, rows: int, directions: Sequence[tuple[int, int]] = SIDES_AND_CORNERS) -> Grid:
    """Return a board of squares, row by row; the square `c2` has the coordinates 2,1: column, then row.

    Args:
        columns: 1 to 26, named by letters.
        rows: at least 1, named by numbers from 1 on.
        directions: `SIDES_AND_CORNERS`, `SIDES` or others, as (columns, rows).

    Raises:
        ValueError: the squares of a board of this size cannot be named.
    """
    if not 1 <= columns <= len(LETTERS) or rows < 1:
        raise ValueError(
            f"a board cannot have {columns} columns and {rows} rows: allowed are 1 to 26 columns and at least 1 row"
        )
    places = [(column, row) for row in range(rows) for column in range(columns)]
    extent = f"columns are a to {LETTERS[columns - 1]}, rows 1 to {rows}"
    return Grid(
        tuple(f"{LETTERS[column]}{row + 1}" for column, row in places),
        *tables_of(places, directions),
        noun="square",
        extent=extent,
    )


def make_graph(neighbors: Mapping[str, Sequence[str]]) -> Grid:
    """Return a board of named cells that are joined as listed: its directions are positions in these lists.

    Args:
        neighbors: cell name -> names of the cells next to it. A path that can be taken both ways is listed at both of
            its ends.

    Raises:
        ValueError: there is no cell, or a list names a cell that is not there.
    """
    if not neighbors:
        raise ValueError("no cell is given: a grid has at least one")
    numbers = {name: cell for cell, name in enumerate(neighbors)}
    table = np.full((len(numbers), max(map(len, neighbors.values()))), NO_CELL, np.int16)
    for name, others in neighbors.items():
        for direction, other in enumerate(others):
            if other not in numbers:
                near = suggestion(other, numbers)
                raise ValueError(f"unknown cell {short_repr(other)}{near} among the neighbors of {short_repr(name)}")
            table[numbers[name], direction] = numbers[other]
    return Grid(tuple(numbers), np.zeros((len(numbers), 0), np.int16), table, extent=f"there are {len(numbers)} cells")
