"""The hexagonal board: hexes, names and neighbors."""

import re
from collections import deque

import numpy as np
import pytest

from sackarmies_env.core.hexgrid import DIRECTIONS, NO_HEX, make_hexgrid, num_cells

GRIDS = {radius: make_hexgrid(radius) for radius in (0, 1, 2, 5, 9)}
each = pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)


def places(grid):
    return list(zip(grid.q.tolist(), grid.r.tolist(), strict=True))


def steps_from(grid, start):
    """Return the distances from a cell, by breadth-first search."""
    steps, queue = {start: 0}, deque([start])
    while queue:
        cell = queue.popleft()
        for neighbor in grid.neighbors[cell].tolist():
            if neighbor != NO_HEX and neighbor not in steps:
                steps[neighbor] = steps[cell] + 1
                queue.append(neighbor)
    return [steps[cell] for cell in range(grid.num_cells)]


@each
def test_tables_have_a_row_for_every_cell(grid):
    assert len(grid.names) == len(grid.q) == len(grid.r) == len(grid.neighbors) == grid.num_cells
    assert grid.q.dtype == grid.r.dtype == grid.neighbors.dtype == np.int16
    assert ((grid.neighbors == NO_HEX) | (grid.neighbors >= 0) & (grid.neighbors < grid.num_cells)).all()
    assert not any(table.flags.writeable for table in (grid.q, grid.r, grid.neighbors))


@each
def test_every_cell_is_found_by_its_coordinates(grid):
    assert len(set(places(grid))) == grid.num_cells
    assert [grid.cell(*place) for place in places(grid)] == list(range(grid.num_cells))
    assert list(grid.names) == [f"{q},{r}" for q, r in places(grid)]


@each
def test_neighbors_lie_in_their_direction_and_the_way_back_is_opposite(grid):
    for cell, (q, r) in enumerate(places(grid)):
        for number, (dq, dr) in enumerate(DIRECTIONS):
            assert (dq, dr) == tuple(-step for step in DIRECTIONS[(number + 3) % 6])
            neighbor = grid.neighbors[cell, number]
            if neighbor == NO_HEX:
                with pytest.raises(ValueError, match="off the board"):
                    grid.cell(q + dq, r + dr)
            else:
                assert neighbor == grid.cell(q + dq, r + dr)
                assert grid.neighbors[neighbor, (number + 3) % 6] == cell


@pytest.mark.parametrize("radius", GRIDS)
def test_a_hexagon_has_the_hexes_within_its_radius(radius):
    grid = GRIDS[radius]
    assert grid.num_cells == num_cells(radius)
    assert grid.radius == radius == max(steps_from(grid, grid.cell(0, 0)))
    assert places(grid) == sorted(places(grid), key=lambda place: place[::-1])


def test_distances_on_a_hexagon_follow_from_coordinates():
    grid = make_hexgrid(6)
    q, r = (table.astype(int)[:, None] - table for table in (grid.q, grid.r))
    steps = np.array([steps_from(grid, start) for start in range(grid.num_cells)])
    assert (steps == np.max([abs(q), abs(r), abs(q + r)], axis=0)).all()


@pytest.mark.parametrize(("radius", "place"), [(2, (3, 0)), (2, (-2, -1)), (0, (0, 1))])
def test_hexes_off_the_board_are_refused(radius, place):
    sentence = f"hex {place[0]},{place[1]} is off the board: the distance to 0,0 may be at most {radius}"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        make_hexgrid(radius).cell(*place)
