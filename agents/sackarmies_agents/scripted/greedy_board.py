"""The board as the greedy General reads it out of one observation: units, battlefields, hexes, in tables of his own.

Nothing here knows a rule. Units on the board and units in hand are entries of one table, so that "what would this unit
be worth there" is one question for moves and for deployments. Of unknown units a plain soldier is assumed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.greedy_weights import WEIGHTS
from sackarmies_env.core.hexgrid import make_hexgrid, num_cells
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import alloc, record_dtype
from sackarmies_env.games.sack_armies.constants import MAX_TYPES, Use
from sackarmies_env.games.sack_armies.layout import (
    GENERAL_START,
    GENERAL_WIDTH,
    OFF_BOARD,
    TOKEN_WIDTH,
    TYPE_DIGIT,
    General,
    Global,
    Place,
    Shown,
    ShownFace,
    Token,
    make_observation_spec,
)
from sackarmies_env.games.sack_armies.state import LARGE

NO_CELL = -1
NO_UNIT = -1
NO_FIELD = -1
UNREACHED = -1
SELF = 0  # the observer's seat
REACH = -OFF_BOARD  # coordinates run from -REACH to REACH
MAX_CELLS = num_cells(REACH - 1)
MAX_TOKENS = LARGE.generals * LARGE.tokens
MAX_SIZE = make_observation_spec(LARGE.generals, MAX_TYPES, LARGE.tokens).size
FAR = 99
LATE = 30.0  # percent of the turns that a game may take, before haste sets in

_PER_UNIT = ["cell", "row", "seat", "known", "up", "move", "reach", "attached", "idle"]
_PER_UNIT += ["sight", "notice", "damage", "armor", "spare_damage", "spare_armor"]
_PER_FIELD = ["cell", "row", "owner", "controller"]
_PER_STACKED = ["row", "host"]

BOARD_DTYPE = record_dtype(
    [(f"w_{name}", np.float64) for name in WEIGHTS],
    [(name, np.int64) for name in ("num_players", "num_types", "num_cells", "seed", "checksum")],
    [(name, np.int64) for name in ("token_rows", "tokens_start", "types_start", "types_width")],
    [
        ("cell_q", np.int64, (MAX_CELLS,)),
        ("cell_r", np.int64, (MAX_CELLS,)),
        ("cell_at", np.int64, (2 * REACH + 1, 2 * REACH + 1)),  # by q and r, each plus REACH
        ("neighbors", np.int64, (MAX_CELLS, 6)),
        ("seen", np.int8, (MAX_SIZE,)),  # the observation
    ],
    # Units: those on the board, then those in hand. `idle`: may act; `armor` and `damage` are without terrain, but with
    # what own free spells and maneuvers will add once they are revealed: this share is `spare`. `notice`: over how many
    # hexes it can attack next turn.
    [(name, np.int64) for name in ("num_units", "num_on_board", "num_enemies")],
    [("enemies", np.int64, (MAX_TOKENS,))],  # opposing units on the board
    [(f"unit_{name}", np.int64, (MAX_TOKENS,)) for name in _PER_UNIT],
    [("unit_value", np.float64, (MAX_TOKENS,)), ("unit_best", np.float64, (MAX_TOKENS,))],
    [("unit_pressed", np.int64, (MAX_TOKENS,)), ("unit_pressers", np.int64, (MAX_TOKENS,))],
    [("unit_named", np.int64, (MAX_TOKENS,))],
    [("num_fields", np.int64)],
    [(f"field_{name}", np.int64, (MAX_TOKENS,)) for name in _PER_FIELD],
    # Spells and maneuvers under or on units, in stack order.
    [("num_stacked", np.int64)],
    [(f"stacked_{name}", np.int64, (MAX_TOKENS,)) for name in _PER_STACKED],
    [("num_hand", np.int64), ("hand_row", np.int64, (MAX_TOKENS,)), ("hand_unit", np.int64, (MAX_TOKENS,))],
    [
        (f"cell_{name}", np.int64, (MAX_CELLS,))
        for name in ("unit", "field", "open", "steps", "menace", "grasp", "near", "seen", "threat")
    ],
    [(f"cell_{name}", np.float64, (MAX_CELLS,)) for name in ("want", "stake", "pull")],
    [("num_ground", np.int64), ("ground", np.int64, (MAX_CELLS,)), ("queue", np.int64, (MAX_CELLS,))],
    [("caution", np.float64), ("haste", np.float64)],  # of own losses; 0 to 1 as the turn limit comes near
)


def make_board(info: GameInfo) -> NDArray[np.void]:
    """Return `(1,)` of BOARD_DTYPE, ready to read observations of a game.

    Raises:
        ValueError: the game's observations are not those of Sack Armies.
    """
    rows = info.observation_spec.block("tokens").rows if info.game_id == "sack_armies" else 0
    spec = make_observation_spec(info.num_players, info.num_types, rows // info.num_players) if rows else None
    if info.observation_spec != spec:
        raise ValueError(f"the greedy General plays 'sack_armies' with compact observations, not {info.game_id!r}")
    board = alloc(BOARD_DTYPE, 1)
    grid = make_hexgrid(info.radius)
    values: dict[str, Any] = {f"w_{name}": weight for name, weight in WEIGHTS.items()} | {
        "num_players": info.num_players,
        "num_types": info.num_types,
        "num_cells": grid.num_cells,
        "token_rows": rows,
        "tokens_start": spec.slice("tokens").start,
        "types_start": spec.slice("types").start,
        "types_width": len(spec.block("types").features),
    }
    for name, value in values.items():
        board[name][0] = value
    board["cell_at"][0] = NO_CELL
    board["cell_at"][0, grid.q.astype(int) + REACH, grid.r.astype(int) + REACH] = np.arange(grid.num_cells)
    for name, table in (("cell_q", grid.q), ("cell_r", grid.r), ("neighbors", grid.neighbors)):
        board[name][0, : grid.num_cells] = table
    return board


# --- looking things up


@njit
def see(board, place):
    """Return number `place` of the observation."""
    return np.int64(board.seen[place])


@njit
def look(board, row, column):
    """Return a feature of row `row` of the block of tokens."""
    return np.int64(board.seen[board.tokens_start + row * TOKEN_WIDTH + column])


@njit
def look_general(board, seat, column):
    """Return a feature of the General in `seat`."""
    return np.int64(board.seen[GENERAL_START + seat * GENERAL_WIDTH + column])


@njit
def cell_from(board, q, r):
    """Return the cell at (q, r), or NO_CELL."""
    return NO_CELL if q == OFF_BOARD else board.cell_at[q + REACH, r + REACH]


@njit
def type_at(board, place):
    """Return the type written at `place` and the next, or -1."""
    return see(board, place) + TYPE_DIGIT * see(board, place + 1) - 1


@njit
def type_of_row(board, row):
    """Return the type of a token, or -1."""
    return look(board, row, Token.TYPE_LOW) + TYPE_DIGIT * look(board, row, Token.TYPE_HIGH) - 1


@njit
def gap_between(board, one, other):
    """Return the number of hexes from one cell to another; FAR if one of them is none."""
    if one == NO_CELL or other == NO_CELL:
        return np.int64(FAR)
    dq = board.cell_q[one] - board.cell_q[other]
    dr = board.cell_r[one] - board.cell_r[other]
    return max(abs(dq), abs(dr), abs(dq + dr))


@njit
def unit_on(board, cell):
    """Return the unit on `cell`, or NO_UNIT."""
    return np.int64(NO_UNIT) if cell == NO_CELL else board.cell_unit[cell]


@njit
def is_mine(board, unit):
    """Return whether the observer controls `unit`."""
    return board.unit_seat[unit] == SELF


@njit
def has(board, unit, column):
    """Return the value of an ability of a known unit as it works once it is face up; 0 if it has not."""
    return look(board, board.unit_row[unit], column) if board.unit_known[unit] == 1 else np.int64(0)


# --- what a token says of units that fit it


@njit
def fits(board, row, unit):
    """Return whether `unit` is of the class that the text of `row` names; an unknown unit fits only "all"."""
    wanted_class = look(board, row, Token.MATCH_CLASS)
    wanted_homeland = look(board, row, Token.MATCH_HOMELAND)
    wanted_keyword = look(board, row, Token.MATCH_KEYWORD)
    if board.unit_known[unit] == 0:
        return wanted_class == 0 and wanted_homeland == 0 and wanted_keyword == 0
    own = board.unit_row[unit]
    return (
        (wanted_class == 0 or wanted_class == look(board, own, Token.CLASS) + 1)
        and (wanted_homeland == 0 or wanted_homeland == look(board, own, Token.HOMELAND) + 1)
        and (wanted_keyword == 0 or wanted_keyword == look(board, own, Token.KEYWORD))
    )


@njit
def terrain_bonus(board, unit, cell, column):
    """Return what the battlefield on `cell` adds to a stat (a column of printed stats) of `unit`."""
    if cell == NO_CELL or board.cell_field[cell] == NO_FIELD:
        return np.int64(0)
    row = board.field_row[board.cell_field[cell]]
    amount = look(board, row, column)
    if amount == 0 or not fits(board, row, unit):
        return np.int64(0)
    if amount < 0 and look(board, row, Token.WATER) == 1 and has(board, unit, Token.AQUATIC) > 0:
        return np.int64(0)
    return amount


@njit
def armor_at(board, unit, cell):
    """Return the armor that `unit` has, or would have, on `cell`."""
    return board.unit_armor[unit] + terrain_bonus(board, unit, cell, Token.ARMOR)


@njit
def damage_at(board, unit, cell):
    """Return the damage rating that `unit` has, or would have, on `cell`."""
    return max(np.int64(0), board.unit_damage[unit] + terrain_bonus(board, unit, cell, Token.DAMAGE))


# --- reading


@njit
def read_known_unit(board, unit, row):
    """Read the stats of a unit that is known; in hand the printed ones."""
    on_board = look(board, row, Token.PLACE) == Place.BATTLEGROUND
    board.unit_move[unit] = look(board, row, Token.EFFECTIVE_MOVEMENT if on_board else Token.MOVEMENT)
    board.unit_damage[unit] = look(board, row, Token.EFFECTIVE_DAMAGE if on_board else Token.DAMAGE)
    board.unit_armor[unit] = look(board, row, Token.EFFECTIVE_ARMOR if on_board else Token.ARMOR)
    board.unit_reach[unit] = look(board, row, Token.RANGE)
    board.unit_sight[unit] = max(np.int64(1), look(board, row, Token.SIGHT) * board.unit_up[unit])
    charge = board.unit_move[unit] + 1 if look(board, row, Token.MOVE_AND_ATTACK) > 0 else np.int64(1)
    board.unit_notice[unit] = max(board.unit_reach[unit], charge)
    board.unit_value[unit] = board.w_body + board.w_rank * look(board, row, Token.RANK)


@njit
def guess_unit(board, unit, row):
    """Assume a plain soldier where a unit is not known, at least as good as it has shown itself."""
    board.unit_move[unit] = max(np.int64(1), look(board, row, Token.PUBLIC_MOVEMENT))
    board.unit_damage[unit] = 2
    board.unit_armor[unit] = max(np.int64(2), look(board, row, Token.PUBLIC_ARMOR))
    board.unit_reach[unit] = 0
    board.unit_sight[unit] = 1
    board.unit_notice[unit] = 1
    board.unit_value[unit] = board.w_body + board.w_rank * board.w_guessed_rank


@njit
def read_unit(board, row, cell):
    """Add a unit on the board or in hand (`cell` NO_CELL) to the table."""
    unit = board.num_units
    board.num_units += 1
    board.unit_cell[unit] = cell
    board.unit_row[unit] = row
    board.unit_seat[unit] = look(board, row, Token.CONTROLLER)
    board.unit_up[unit] = look(board, row, Token.FACE) != ShownFace.DOWN
    board.unit_known[unit] = look(board, row, Token.TYPE_LOW) != 0 or look(board, row, Token.TYPE_HIGH) != 0
    board.unit_attached[unit] = look(board, row, Token.ATTACHMENTS)
    board.unit_idle[unit] = look(board, row, Token.EMPLOYED) == 0
    board.unit_spare_armor[unit] = 0
    board.unit_spare_damage[unit] = 0
    if board.unit_known[unit] == 1:
        read_known_unit(board, unit, row)
    else:
        guess_unit(board, unit, row)
    board.unit_value[unit] += board.w_attached * board.unit_attached[unit]
    if cell != NO_CELL:
        board.cell_unit[cell] = unit
        if board.unit_seat[unit] != SELF:
            board.enemies[board.num_enemies] = unit
            board.num_enemies += 1
    return unit


@njit
def read_field(board, row, cell):
    """Add a battlefield, and its hex and those around it to the ground."""
    field = board.num_fields
    board.num_fields += 1
    board.field_cell[field] = cell
    board.field_row[field] = row
    board.field_owner[field] = look(board, row, Token.OWNER)
    board.field_controller[field] = look(board, row, Token.CONTROLLER)
    board.cell_field[cell] = field
    open_cell(board, cell)
    for direction in range(6):
        neighbor = board.neighbors[cell, direction]
        if neighbor != NO_CELL:
            open_cell(board, neighbor)


@njit
def open_cell(board, cell):
    """Add a cell to the ground that units can stand on."""
    if board.cell_open[cell] == 0:
        board.cell_open[cell] = 1
        board.ground[board.num_ground] = cell
        board.num_ground += 1


@njit
def clear_board(board):
    """Forget the last observation."""
    for cell in range(board.num_cells):
        board.cell_unit[cell] = NO_UNIT
        board.cell_field[cell] = NO_FIELD
        board.cell_open[cell] = 0
        board.cell_steps[cell] = UNREACHED
    board.num_units = 0
    board.num_on_board = 0
    board.num_enemies = 0
    board.num_fields = 0
    board.num_stacked = 0
    board.num_hand = 0
    board.num_ground = 0


@njit
def read_row(board, row, place):
    """Read one token."""
    cell = cell_from(board, look(board, row, Token.Q), look(board, row, Token.R))
    kind = look(board, row, Token.KIND)
    if place == Place.HAND:
        board.hand_row[board.num_hand] = row
        board.num_hand += 1
    elif place == Place.ATTACHED:
        board.stacked_row[board.num_stacked] = row
        board.stacked_host[board.num_stacked] = board.cell_unit[cell]
        board.num_stacked += 1
    elif place == Place.BATTLEGROUND:
        if kind == Shown.BATTLEFIELD:
            read_field(board, row, cell)
        else:
            read_unit(board, row, cell)


@njit
def read_hand(board):
    """Add the units in hand to the table, after those on the board."""
    for i in range(board.num_hand):
        row = board.hand_row[i]
        is_unit = look(board, row, Token.KIND) == Shown.UNIT
        board.hand_unit[i] = read_unit(board, row, np.int64(NO_CELL)) if is_unit else np.int64(NO_UNIT)


@njit
def bare_stats(board):
    """Take the terrain that each unit stands on out of its armor and damage."""
    for unit in range(board.num_on_board):
        cell = board.unit_cell[unit]
        if board.unit_known[unit] == 1:
            board.unit_armor[unit] -= terrain_bonus(board, unit, cell, Token.ARMOR)
            board.unit_damage[unit] -= terrain_bonus(board, unit, cell, Token.DAMAGE)


@njit
def strength(board, seat):
    """Return how much of an army a General has left: tokens on the board and still to come."""
    total = 2.0 + look_general(board, seat, General.UNITS) + 0.7 * look_general(board, seat, General.HAND)
    return total + 0.7 * max(np.int64(0), look_general(board, seat, General.SACK))


@njit
def is_spare(board, row):
    """Return whether `row` is a free spell or maneuver of the observer's that is not revealed yet."""
    return (
        look(board, row, Token.OWNER) == SELF
        and look(board, row, Token.USE) == Use.FREE
        and look(board, row, Token.FACE) == ShownFace.DOWN
    )


@njit
def count_spares(board):
    """Add to own units what their unrevealed free spells and maneuvers will add."""
    for i in range(board.num_stacked):
        row = board.stacked_row[i]
        if is_spare(board, row):
            unit = board.stacked_host[i]
            board.unit_spare_armor[unit] += look(board, row, Token.ARMOR)
            board.unit_spare_damage[unit] += look(board, row, Token.DAMAGE)
    for unit in range(board.num_on_board):
        board.unit_armor[unit] += board.unit_spare_armor[unit]
        board.unit_damage[unit] += board.unit_spare_damage[unit]


@njit
def weigh_caution(board):
    """Value own losses less the stronger one is, and the longer nothing has happened."""
    others = 0.0
    count = 0.0
    for seat in range(1, board.num_players):
        if look_general(board, seat, General.ALIVE) == 1:
            others += strength(board, np.int64(seat))
            count += 1.0
    ratio = others / max(1.0, count) / strength(board, np.int64(SELF))
    board.haste = max(0.0, (see(board, Global.TURN_PERCENT) - LATE) / (100.0 - LATE))
    board.caution = min(1.25, max(0.6, ratio)) * (1.0 - 0.006 * see(board, Global.IDLE_PERCENT))
    board.caution *= 1.0 - 0.5 * board.haste


@njit
def weigh_scarcity(board):
    """Value units more, the fewer tokens their General has left: the last ones decide the game."""
    for unit in range(board.num_units):
        seat = board.unit_seat[unit]
        left = look_general(board, seat, General.UNITS) + look_general(board, seat, General.HAND)
        left += max(np.int64(0), look_general(board, seat, General.SACK))
        board.unit_value[unit] *= min(4.0, max(1.0, board.w_scarce / max(np.int64(1), left)))


@njit
def read_board(board, observation):
    """Read an observation, `(size,)` int8, into the tables."""
    checksum = np.int64(0)
    for i in range(len(observation)):
        board.seen[i] = observation[i]
        checksum += observation[i]
    board.checksum = checksum
    clear_board(board)
    for row in range(board.token_rows):
        place = look(board, row, Token.PLACE)
        if place == Place.NONE:
            break
        read_row(board, row, place)
    board.num_on_board = board.num_units
    read_hand(board)
    bare_stats(board)
    count_spares(board)
    weigh_scarcity(board)
    weigh_caution(board)
