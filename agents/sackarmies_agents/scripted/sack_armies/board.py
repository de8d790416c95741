"""Board of the greedy General: units, battlefields and hexes read from one observation, in tables.

Nothing here knows a rule. Units on the board and units in hand are entries of one table, so that "what would this unit
be worth there" is the same question for moves and for deployments. An unknown unit is assumed to be a plain soldier.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.sack_armies.weights import Weights
from sackarmies_env.core.hexgrid import NO_HEX, make_hexgrid, num_cells
from sackarmies_env.core.jit import njit
from sackarmies_env.core.observation import DIGIT_BASE
from sackarmies_env.core.state import alloc, record_dtype
from sackarmies_env.games.sack_armies.state.constants import MAX_TYPES, NUM_SLOTS, NUM_VERBS
from sackarmies_env.games.sack_armies.state.layout import (
    GENERAL_START,
    GENERAL_WIDTH,
    OFF_BOARD,
    TOKEN_WIDTH,
    Token,
    make_observation_spec,
)
from sackarmies_env.games.sack_armies.state.record import LARGE

SELF = 0  # the observer's seat
REACH = -OFF_BOARD  # coordinates run from -REACH to REACH
MAX_CELLS = num_cells(REACH - 1)
MAX_TOKENS = LARGE.generals * LARGE.tokens
MAX_SIZE = make_observation_spec(LARGE.generals, MAX_TYPES, LARGE.tokens).size
FAR = 99
# A missing cell or battlefield has a row of its own after all others, so that lookups need no test.
NO_CELL = MAX_CELLS
NO_FIELD = MAX_TOKENS
NO_UNIT = -1
NOBODY = -1
UNKNOWN = -1  # not counted yet
UNWEIGHED = 1e18  # in place of a value: not computed yet
WANTS, PLACES = 1, 2  # surveyed: the worth of hexes; also their pull and their contact with enemies
MOVE_UNKNOWN, MOVE_BOUNDED, MOVE_FOUND = range(3)  # what is known of a unit's best move
UNREACHED = -1
CLOSED = -2  # in place of steps: a cell that no unit can enter
SEALED = np.inf  # in place of pull: such a cell, which no pull exceeds
LAST_PLACE = (1 << MAX_CELLS.bit_length()) - 1  # of the queue, which holds each cell at most once; also its mask

# Traits of units, as they work once the unit is face up; FLIES, SWIMS and DEFENDS as they work now.
WINGED, AQUATIC, AMBUSHES, LEADS, CHARGES, SCATTERS, FLIES, SWIMS, DEFENDS = (1 << i for i in range(9))
# Traits of battlefields.
HALTS, SPARES_WINGED, SPARES_AQUATIC, WATER, FAVORS_AQUATIC, CHANGES_STATS = (1 << i for i in range(6))
# What a text may demand of units, as the bytes of one number: class, homeland, keyword.
LABEL_BYTE, LABEL_BITS = 255, 8

_PER_UNIT = ["cell", "row", "seat", "known", "up", "move", "reach", "attached", "idle", "traits", "label"]
_PER_UNIT += ["sight", "notice", "damage", "armor", "spare_damage", "spare_armor"]
_PER_FIELD = ["cell", "row", "owner", "controller", "traits", "damage", "armor", "label", "mask"]
_PER_STACKED = ["row", "host"]

BOARD_DTYPE = record_dtype(
    [(f"w_{name}", np.float64) for name in Weights.model_fields],
    [(name, np.int64) for name in ("num_players", "num_types", "seed", "checksum")],
    [(name, np.int64) for name in ("rows_start", "rows_end", "last_row", "types_start", "types_width")],
    [
        ("cell_q", np.int64, (MAX_CELLS + 1,)),
        ("cell_r", np.int64, (MAX_CELLS + 1,)),
        ("cell_at", np.int64, (2 * REACH + 1, 2 * REACH + 1)),  # by q and r, each plus REACH
        ("neighbors", np.int64, (MAX_CELLS + 1, 6)),
        ("seen", np.int8, (MAX_SIZE,)),  # the observation, up to its last token
        ("lasting", np.int8, (MAX_SIZE,)),  # all bits, or 0 where a number says what is going on in the position
    ],
    # Tokens are known by where their row begins in the observation; the rows in use end at `rows_end`.
    # Units: those on the board, then those in hand. `idle`: may act. `armor` and `damage` leave out terrain, but
    # include what own free spells and maneuvers will add once revealed; that share is `spare`. `notice`: from how many
    # hexes away it can attack next turn. `label`: class, homeland and keyword; 0 if unknown.
    [(name, np.int64) for name in ("num_units", "num_on_board", "num_enemies")],
    [("enemies", np.int64, (MAX_TOKENS,))],  # opposing units on the board
    [(f"unit_{name}", np.int64, (MAX_TOKENS,)) for name in _PER_UNIT],
    [("unit_value", np.float64, (MAX_TOKENS,)), ("unit_named", np.int64, (MAX_TOKENS,))],
    [("unit_pressed", np.int64, (MAX_TOKENS,)), ("unit_pressers", np.int64, (MAX_TOKENS,))],
    # Of each enemy, by number: where it stands; `leap`: from how many hexes away it can charge, or 1; `share`: the part
    # of an attack's chance that its hidden spells and maneuvers leave; `advances`: 1 if it can advance after a melee.
    # `defenders`: those that defend, as bits like in `cell_threat`.
    [(f"enemy_{name}", np.int64, (MAX_TOKENS,)) for name in ("q", "r", "reach", "leap", "damage", "armor")],
    [(f"enemy_{name}", np.float64, (MAX_TOKENS,)) for name in ("worth", "share", "want", "advances")],
    [("defenders", np.uint64)],
    # Fights of one own unit, where terrain has no effect on it, with each enemy that it can meet within a radius of its
    # place: values of its own attacks and of the best of them; chances and costs of the enemy's attacks, and what the
    # enemy's shots are worth to the enemy.
    [("pair_unit", np.int64), ("pair_radius", np.int64), ("pair_best", np.float64)],
    [(f"pair_{name}", np.float64, (MAX_TOKENS,)) for name in ("attack", "strike", "shot", "free_shot")],
    [(f"pair_{name}", np.float64, (MAX_TOKENS,)) for name in ("kills", "loss", "charge_kills", "charge_loss")],
    [(f"pair_{name}", np.float64, (MAX_TOKENS,)) for name in ("hit", "free_hit")],
    [(f"pair_{name}", np.int64, (MAX_TOKENS,)) for name in ("damage", "presses")],
    [("num_fields", np.int64)],
    [(f"field_{name}", np.int64, (MAX_TOKENS + 1,)) for name in _PER_FIELD],
    # Spells and maneuvers under or on units, in stack order.
    [("num_stacked", np.int64)],
    [(f"stacked_{name}", np.int64, (MAX_TOKENS,)) for name in _PER_STACKED],
    [("num_hand", np.int64), ("hand_row", np.int64, (MAX_TOKENS,)), ("hand_unit", np.int64, (MAX_TOKENS,))],
    [("hand_worth", np.float64, (MAX_TOKENS,))],  # the value of deploying it, or UNWEIGHED
    # `guard`: seat of a unit that bars the way of others. `threat`: one bit for each enemy that can attack there next
    # turn, bit i % 64 for enemy number i; `touch`: likewise for enemies there or next to it.
    [
        (f"cell_{name}", np.int64, (MAX_CELLS + 1,))
        for name in ("unit", "guard", "field", "steps", "menace", "grasp", "near", "seen")
    ],
    [(f"cell_{name}", np.uint64, (MAX_CELLS + 1,)) for name in ("threat", "touch")],
    [(f"cell_{name}", np.float64, (MAX_CELLS + 1,)) for name in ("want", "stake", "pull")],
    # The ground: cells that units can stand on, and what one sweep finds for all of them.
    [("num_ground", np.int64)],
    [(f"ground{name}", np.int64, (MAX_CELLS,)) for name in ("", "_q", "_r", "_near", "_seen")],
    [(f"ground_{name}", np.uint64, (MAX_CELLS,)) for name in ("threat", "touch")],
    [("num_watched", np.int64), ("watched", np.int64, (MAX_TOKENS + 1,))],  # battlefields that the observer controls
    [("seat_scarcity", np.float64, (LARGE.generals,))],  # factor of the value of this General's units
    [("seat_want", np.float64, (LARGE.generals,))],  # of a battlefield that this enemy put down and controls
    [("queue", np.int64, (LAST_PLACE + 1,)), ("has_grasps", np.int64)],
    [("num_legal", np.int64), ("legal", np.int64, (NUM_VERBS + MAX_TYPES + NUM_SLOTS + MAX_CELLS + 1,))],
    # What has been worked out for the current position. `surveyed`: how much of the ground, see `survey`. `move`:
    # whether the best move of a unit is known, where it ends, whether no other comes close; the value of its place
    # before and after; or the most by which a move can improve it. `entry`: likewise the best hex for a unit in hand.
    [("surveyed", np.int64), ("has_position", np.int64)],
    [("is_light", np.int64)],  # 1: prospects and dangers have no weight, and choices do not ask for them
    [(f"move_{name}", np.int64, (MAX_TOKENS,)) for name in ("known", "end", "clear")],
    [(f"move_{name}", np.float64, (MAX_TOKENS,)) for name in ("now", "best", "bound")],
    [(f"entry_{name}", np.int64, (MAX_TOKENS,)) for name in ("end", "clear")],
    [("floor", np.float64)],  # values not above it are not chosen and need not be computed
    [("is_usual", np.int64)],  # 1: no weight except `site_far` is below 0, so that losses and costs are never gains
    [("caution", np.float64), ("haste", np.float64)],  # weight of own losses; 0 to 1 as the turn limit approaches
)


def make_board(info: GameInfo, weights: Weights) -> NDArray[np.void]:
    """Return `(1,)` of BOARD_DTYPE, ready to read observations of a game.

    Args:
        info: the game.
        weights: the General's weights.

    Raises:
        ValueError: the game's observations are not those of Sack Armies.
    """
    is_ours = info.game_id == "sack_armies"
    rows = sum(block.rows for block in info.observation_spec.blocks if is_ours and block.name == "tokens")
    spec = make_observation_spec(info.num_players, info.num_types, rows // info.num_players) if rows else None
    if info.observation_spec != spec:
        given = "planes" if is_ours else f"those of {info.game_id!r}"
        raise ValueError(
            f"greedy and search need compact observations of 'sack_armies' (observation='flat' or 'dict'), not {given}"
        )
    board = alloc(BOARD_DTYPE, 1)
    write_weights(board, weights)
    grid = make_hexgrid(info.radius)
    values: dict[str, Any] = {
        "num_players": info.num_players,
        "num_types": info.num_types,
        "rows_start": spec.slice("tokens").start,
        "last_row": spec.slice("tokens").stop - TOKEN_WIDTH,
        "types_start": spec.slice("types").start,
        "types_width": len(spec.block("types").features),
        "lasting": -1,
        "cell_at": NO_CELL,
        "cell_q": FAR,
        "cell_r": FAR,
        "neighbors": NO_CELL,
        "cell_unit": NO_UNIT,
        "cell_field": NO_FIELD,
        "cell_guard": NOBODY,
        "cell_steps": CLOSED,
        "cell_pull": SEALED,
        "field_owner": NOBODY,
        "field_controller": NOBODY,
    }
    for name, value in values.items():
        board[name][0] = value
    tokens = board["lasting"][0, spec.slice("tokens")].reshape(-1, TOKEN_WIDTH)
    tokens[:, [Token.ATTACK_ROLE, Token.ACT_ROLE]] = 0
    board["cell_at"][0, grid.q.astype(int) + REACH, grid.r.astype(int) + REACH] = np.arange(grid.num_cells)
    neighbors = np.where(grid.neighbors == NO_HEX, NO_CELL, grid.neighbors)
    for name, table in (("cell_q", grid.q), ("cell_r", grid.r), ("neighbors", neighbors)):
        board[name][0, : grid.num_cells] = table
    return board


def write_weights(board: NDArray[np.void], weights: Weights) -> None:
    """Give a board other weights, and make it forget what it has worked out with those before.

    Args:
        board: (1,) BOARD_DTYPE, changed in place.
        weights: the new weights.
    """
    values = weights.model_dump()
    for name, weight in values.items():
        board[f"w_{name}"][0] = weight
    board["is_usual"][0] = all(weight >= 0.0 for name, weight in values.items() if name != "site_far")
    board["has_position"][0] = 0


# --- lookups; np.uint64 avoids the code that numba adds for negative indexes


@njit(inlined=True)
def see(board, place):
    """Return number `place` of the observation."""
    return np.int64(board.seen[np.uint64(place)])


@njit(inlined=True)
def look(board, row, column):
    """Return a feature of the token whose row begins at index `row` of the observation."""
    return np.int64(board.seen[np.uint64(row + column)])


@njit(inlined=True)
def look_general(board, seat, column):
    """Return a feature of the General in `seat`."""
    return np.int64(board.seen[np.uint64(GENERAL_START + seat * GENERAL_WIDTH + column)])


@njit(inlined=True)
def cell_from(board, q, r):
    """Return the cell at (q, r), or NO_CELL."""
    return board.cell_at[q + REACH, r + REACH]


@njit
def type_at(board, place):
    """Return the type written at `place` and the place after it, or -1."""
    return see(board, place) + DIGIT_BASE * see(board, place + 1) - 1


@njit(inlined=True)
def type_of_row(board, row):
    """Return the type of a token, or -1."""
    return look(board, row, Token.TYPE_LOW) + DIGIT_BASE * look(board, row, Token.TYPE_HIGH) - 1


@njit(inlined=True)
def gap_between(board, one, other):
    """Return the number of hexes from one cell to another; at least FAR if one of them is NO_CELL."""
    dq = board.cell_q[np.uint64(one)] - board.cell_q[np.uint64(other)]
    dr = board.cell_r[np.uint64(one)] - board.cell_r[np.uint64(other)]
    return max(abs(dq), abs(dr), abs(dq + dr))


@njit(inlined=True)
def unit_on(board, cell):
    """Return the unit on `cell`, or NO_UNIT."""
    return board.cell_unit[cell]


@njit(inlined=True)
def is_mine(board, unit):
    """Return whether the observer controls `unit`."""
    return board.unit_seat[unit] == SELF


@njit(inlined=True)
def is_a(board, unit, trait):
    """Return whether `unit` has a trait (constants above)."""
    return (board.unit_traits[unit] & trait) != 0


@njit(inlined=True)
def has(board, unit, column):
    """Return the value of an ability of `unit` once it is face up; 0 if it lacks the ability or is unknown."""
    return look(board, board.unit_row[unit], column) if board.unit_known[unit] == 1 else np.int64(0)


# --- which units fit what a token says


@njit(inlined=True)
def read_label(board, row):
    """Return what the text of a token demands of units, as a label; a byte is 0 where it demands nothing.

    Of alternatives, such as "missile or artillery", observations show the first, so that this is missile.
    """
    label = look(board, row, Token.MATCH_KEYWORD)
    label = (label << LABEL_BITS) | look(board, row, Token.MATCH_HOMELAND)
    return (label << LABEL_BITS) | look(board, row, Token.MATCH_CLASS)


@njit(inlined=True)
def mask_of(label):
    """Return a mask of the bytes in which a label, of what a text demands, does demand something."""
    mask = np.int64(0)
    for i in range(3):
        byte = np.int64(LABEL_BYTE) << np.int64(i * LABEL_BITS)
        mask |= byte if label & byte != 0 else np.int64(0)
    return mask


@njit
def fits(board, row, unit):
    """Return whether `unit` meets what the text of `row` demands; an unknown unit fits only "all"."""
    label = read_label(board, row)
    return (board.unit_label[unit] & mask_of(label)) == label


@njit(inlined=True)
def concerns(board, field, unit):
    """Return whether battlefield `field` may change stats of `unit`."""
    fits_unit = (board.unit_label[unit] & board.field_mask[field]) == board.field_label[field]
    return ((board.field_traits[field] & CHANGES_STATS) != 0) & fits_unit


@njit(inlined=True)
def terrain_bonus(board, unit, field, amount):
    """Return how much `unit` gets of `amount`, which battlefield `field` adds to a stat."""
    if amount == 0 or not concerns(board, field, unit):
        return np.int64(0)
    if amount < 0 and (board.field_traits[field] & WATER) != 0 and is_a(board, unit, AQUATIC):
        return np.int64(0)
    return amount


@njit(inlined=True)
def armor_bonus(board, unit, cell):
    """Return what the battlefield on `cell` adds to the armor of `unit`."""
    field = board.cell_field[np.uint64(cell)]
    return terrain_bonus(board, unit, field, board.field_armor[field])


@njit(inlined=True)
def damage_bonus(board, unit, cell):
    """Return what the battlefield on `cell` adds to the damage rating of `unit`."""
    field = board.cell_field[np.uint64(cell)]
    return terrain_bonus(board, unit, field, board.field_damage[field])


@njit(inlined=True)
def armor_at(board, unit, cell):
    """Return the armor that `unit` has, or would have, on `cell`."""
    return board.unit_armor[unit] + armor_bonus(board, unit, cell)


@njit(inlined=True)
def damage_at(board, unit, cell):
    """Return the damage rating that `unit` has, or would have, on `cell`."""
    return max(np.int64(0), board.unit_damage[unit] + damage_bonus(board, unit, cell))
