"""Grids: cells, names, neighbors and distances, for boards of all kinds."""

import random
import re
from collections import deque

import numpy as np
import pytest

from sackarmies_env.core.grid import NO_CELL, NO_PATH, SIDES, SIDES_AND_CORNERS, make_graph, make_square_grid
from sackarmies_env.core.hexgrid import DIRECTIONS, make_hexes, make_hexgrid, num_cells

RING = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
ISLANDS = [(0, 0), (1, 0), (5, 5), (5, 6), (-3, 2)]


def random_graph(seed):
    chance = random.Random(seed)
    names = [f"town_{number}" for number in range(12)]
    return {name: chance.sample([other for other in names if other != name], chance.randint(0, 3)) for name in names}


GRIDS = {
    **{f"hexagon {radius}": make_hexgrid(radius) for radius in (0, 1, 2, 5, 9)},
    "ring": make_hexes(RING),
    "islands": make_hexes(ISLANDS),
    "chessboard": make_square_grid(8, 8),
    "corridor": make_square_grid(7, 1),
    "rectangle": make_square_grid(3, 5, SIDES),
    **{f"graph {seed}": make_graph(random_graph(seed)) for seed in range(4)},
    "one cell": make_graph({"home": []}),
}
REGULAR = {name: grid for name, grid in GRIDS.items() if grid.coordinates.shape[1] == 2}
each = pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
each_regular = pytest.mark.parametrize("grid", REGULAR.values(), ids=REGULAR)


def steps_from(grid, start):
    """Return the distances from a cell, by breadth-first search."""
    steps, queue = {start: 0}, deque([start])
    while queue:
        cell = queue.popleft()
        for neighbor in grid.neighbors[cell].tolist():
            if neighbor != NO_CELL and neighbor not in steps:
                steps[neighbor] = steps[cell] + 1
                queue.append(neighbor)
    return [steps.get(cell, NO_PATH) for cell in range(grid.num_cells)]


# --- every grid


@each
def test_tables_have_a_row_for_every_cell(grid):
    assert len(grid.names) == len(grid.coordinates) == len(grid.neighbors) == grid.num_cells
    assert grid.neighbors.dtype == grid.distances.dtype == np.int16
    assert ((grid.neighbors == NO_CELL) | (grid.neighbors >= 0) & (grid.neighbors < grid.num_cells)).all()


@each
def test_every_cell_is_found_by_its_name(grid):
    assert len(set(grid.names)) == grid.num_cells
    assert [grid.named(name) for name in grid.names] == list(range(grid.num_cells))


@each
def test_distances_are_the_fewest_steps_over_neighbors(grid):
    assert grid.distances.tolist() == [steps_from(grid, start) for start in range(grid.num_cells)]


# --- grids of coordinates


@each_regular
def test_every_cell_is_found_by_its_coordinates(grid):
    places = [tuple(place) for place in grid.coordinates.tolist()]
    assert len(set(places)) == grid.num_cells
    assert [grid.cell(*place) for place in places] == list(range(grid.num_cells))


@each_regular
def test_neighbors_lie_in_their_direction_and_the_way_back_is_opposite(grid):
    directions = DIRECTIONS if grid.noun == "hex" else {4: SIDES, 8: SIDES_AND_CORNERS}[grid.neighbors.shape[1]]
    half = len(directions) // 2
    for cell, place in enumerate(grid.coordinates.tolist()):
        for number, (dx, dy) in enumerate(directions):
            assert (dx, dy) == tuple(-step for step in directions[(number + half) % len(directions)])
            neighbor = grid.neighbors[cell, number]
            if neighbor == NO_CELL:
                with pytest.raises(ValueError, match="off the board"):
                    grid.cell(place[0] + dx, place[1] + dy)
            else:
                assert neighbor == grid.cell(place[0] + dx, place[1] + dy)
                assert grid.neighbors[neighbor, (number + half) % len(directions)] == cell


@each_regular
def test_distances_are_the_same_both_ways(grid):
    assert (grid.distances == grid.distances.T).all()


# --- hexes


@pytest.mark.parametrize("radius", [0, 1, 2, 5, 9])
def test_a_hexagon_has_the_hexes_within_its_radius(radius):
    grid = make_hexgrid(radius)
    assert grid.num_cells == num_cells(radius)
    assert grid.radius == radius
    assert grid.distances[grid.cell(0, 0)].max() == radius
    assert grid.coordinates.tolist() == sorted(grid.coordinates.tolist(), key=lambda place: place[::-1])


def test_distances_on_a_hexagon_follow_from_coordinates():
    grid = make_hexgrid(6)
    q, r = (grid.coordinates[:, axis, None] - grid.coordinates[:, axis] for axis in (0, 1))
    assert (grid.distances == np.max([abs(q), abs(r), abs(q + r)], axis=0)).all()


def test_a_board_of_any_hexes_keeps_their_order_and_holes():
    ring = make_hexes(RING)
    assert ring.coordinates.tolist() == [list(place) for place in RING]
    assert ring.names == ("1,0", "0,1", "-1,1", "-1,0", "0,-1", "1,-1")
    assert ring.distances[0].tolist() == [0, 1, 2, 3, 2, 1]
    islands = make_hexes(ISLANDS)
    assert islands.distances[0].tolist() == [0, 1, NO_PATH, NO_PATH, NO_PATH]
    assert islands.radius == 11


# --- squares and graphs


def test_squares_are_named_like_those_of_a_chessboard():
    board = make_square_grid(8, 8)
    assert (board.names[0], board.names[7], board.names[8], board.names[63]) == ("a1", "h1", "a2", "h8")
    assert board.cell(2, 1) == board.named("c2")
    neighbors = {board.names[cell] for cell in board.neighbors[board.named("a1")] if cell != NO_CELL}
    assert neighbors == {"a2", "b1", "b2"}


@pytest.mark.parametrize(("directions", "norm"), [(SIDES_AND_CORNERS, np.max), (SIDES, np.sum)])
def test_distances_on_squares_follow_from_coordinates(directions, norm):
    board = make_square_grid(6, 4, directions)
    offsets = abs(board.coordinates[:, None] - board.coordinates)
    assert (board.distances == norm(offsets, axis=2)).all()


def test_a_graph_is_joined_as_it_is_listed():
    graph = make_graph({"port": ["hill", "sea"], "hill": ["port"], "sea": []})
    assert graph.neighbors.tolist() == [[1, 2], [0, NO_CELL], [NO_CELL, NO_CELL]]
    assert graph.distances.tolist() == [[0, 1, 1], [1, 0, 2], [NO_PATH, NO_PATH, 0]]
    assert graph.coordinates.shape == (3, 0)


# --- what is refused


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_hexgrid(2).cell(3, 0), "hex 3,0 is off the board: the distance to 0,0 may be at most 2"),
        (lambda: make_hexes(RING).cell(0, 0), "hex 0,0 is off the board: it has 6 hexes"),
        (lambda: make_square_grid(8, 8).cell(8, 0), "square 8,0 is off the board: columns are a to h, rows 1 to 8"),
        (lambda: make_square_grid(8, 8).named("i1"), "unknown square 'i1'"),
        (lambda: make_graph({"port": []}).named("prot"), "'prot' (did you mean \"port\"?): there are 1 cells"),
        (lambda: make_graph({"port": ["hil"], "hill": []}), "unknown cell 'hil' (did you mean \"hill\"?) among"),
        (lambda: make_graph({}), "no cell is given"),
        (lambda: make_hexes([]), "no place is given"),
        (lambda: make_hexes([(0, 0), (1, 0), (0, 0)]), "the place (0, 0) is given twice"),
        (lambda: make_square_grid(27, 2), "27 columns and 2 rows"),
        (lambda: make_square_grid(2, 0), "2 columns and 0 rows"),
    ],
)
def test_invalid_cells_and_boards_are_refused(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()
