"""What `BoardNetwork` is built for: the board, action space and features of a game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.feature_columns import FeatureColumns, columns_of
from sackarmies_env.core.hexgrid import HexGrid, make_hexgrid
from sackarmies_env.core.observation import ObservationSpec

BOARD = "board"  # `GameInfo.network` of games with a board
# The action space: verbs, types, slots, hexes.
NUM_VERBS = 24
NUM_SLOTS = 8
# The block `tokens`.
HAND, PICKED, BATTLEGROUND, ATTACHED = 1, 2, 3, 4  # codes of `place`
FIELD = 2  # code of `kind`
NUM_GROUPS = 7 * 2 * 2  # by place, battlefield or not, own or not
TYPE_DIGIT = 128  # a type t is encoded as t + 1 = low + 128 * high
POINTED_HEXES = ("chain_", "chain_second_", "attack_", "act_")  # named by the block `globals`
POINTED_TYPES = ("chain_", "act_")
NUM_POINTED = len(POINTED_HEXES) + len(POINTED_TYPES)
COORDINATES = 18  # coordinates lie between -18 ("no hex") and 17
FLAT_BLOCKS = ("globals", "generals", "types")
FARTHEST = 12  # greater distances count as this


@dataclass(frozen=True, eq=False)
class BoardForm:
    """What a network knows of a game before it learns.

    Attributes:
        spec: layout of observations.
        num_actions: number of ids: verbs, types, slots and hexes.
        first_slot: the id of the first slot.
        first_hex: the id of the first hex.
        hex_id: `(36, 36)` int64, ids of hexes by their coordinates plus 18; `num_actions` off the board.
        around: `(num_actions, hexes of a patch)` int64, each id and the ids around it; `num_actions` for none.
        hex_q: `(num_actions,)` int64, q coordinate of each hex; 0 for ids that are not hexes.
        hex_r: r coordinate, likewise.
        column: columns of the features of a token, by name.
        pointed_hexes: columns of coordinates in the block `globals`, two for each hex that it names.
        pointed_types: likewise for the digits of types.
        token: features of a token, without coordinates and types.
        flat: likewise features of each of `FLAT_BLOCKS`.
        loss: what a loser earns, see `GameInfo.loss`.
    """

    spec: ObservationSpec
    num_actions: int
    first_slot: int
    first_hex: int
    hex_id: NDArray[np.int64]
    around: NDArray[np.int64]
    hex_q: NDArray[np.int64]
    hex_r: NDArray[np.int64]
    column: dict[str, int]
    pointed_hexes: list[list[int]]
    pointed_types: list[list[int]]
    token: FeatureColumns
    flat: tuple[FeatureColumns, ...]
    loss: float


def board_form(info: GameInfo, patch: int) -> BoardForm:
    """Return the form of a network that sees `patch` hexes far around a hex."""
    spec, grid = info.observation_spec, make_hexgrid(info.radius)
    tokens, others = spec.block("tokens"), spec.block("globals")
    first_slot = NUM_VERBS + info.num_types
    first_hex = first_slot + NUM_SLOTS
    no_hex = np.zeros(first_hex, np.int64)
    laid_out = {feature.name for feature in (*tokens.features, *others.features) if _is_laid_out(feature.name)}
    blocks = [spec.block(name) for name in FLAT_BLOCKS]
    return BoardForm(
        spec=spec,
        num_actions=info.num_actions,
        first_slot=first_slot,
        first_hex=first_hex,
        hex_id=hex_ids(grid, first_hex, info.num_actions),
        around=patches(grid, first_hex, info.num_actions, patch),
        hex_q=np.concatenate([no_hex, grid.q]),
        hex_r=np.concatenate([no_hex, grid.r]),
        column={feature.name: column for column, feature in enumerate(tokens.features)},
        pointed_hexes=[[others.column(f"{name}{axis}") for axis in "qr"] for name in POINTED_HEXES],
        pointed_types=[[others.column(f"{name}type_{digit}") for digit in ("low", "high")] for name in POINTED_TYPES],
        token=columns_of(tokens.features, laid_out),
        flat=tuple(columns_of(block.features * block.rows, laid_out) for block in blocks),
        loss=info.loss,
    )


def _is_laid_out(feature: str) -> bool:
    """Return whether a feature is part of a coordinate or type: these enter a network only through the layout."""
    return feature in ("q", "r") or feature.endswith(("_q", "_r", "type_low", "type_high"))


def hex_ids(grid: HexGrid, first: int, nowhere: int) -> NDArray[np.int64]:
    """Return the ids of hexes by their coordinates plus 18, `(36, 36)`; `nowhere` off the board."""
    ids = np.full((2 * COORDINATES, 2 * COORDINATES), nowhere, np.int64)
    ids[grid.q.astype(int) + COORDINATES, grid.r.astype(int) + COORDINATES] = first + np.arange(grid.num_cells)
    return ids


def patches(grid: HexGrid, first: int, nowhere: int, radius: int) -> NDArray[np.int64]:
    """Return each id and, for a hex, the ids around it in a fixed order; rows are padded with `nowhere`.

    Returns:
        `(first + cells, 3 * radius * (radius + 1) + 1)` int64.
    """
    offsets = offsets_of(radius)
    reach = grid.radius + radius
    table = np.full((2 * reach + 1, 2 * reach + 1), nowhere, np.int64)
    q, r = grid.q.astype(int) + reach, grid.r.astype(int) + reach
    table[q, r] = first + np.arange(grid.num_cells)
    result = np.full((first + grid.num_cells, len(offsets)), nowhere, np.int64)
    result[:, 0] = np.arange(len(result))
    for column, (dq, dr) in enumerate(offsets):
        result[first:, column] = table[q + dq, r + dr]
    return result


def offsets_of(radius: int) -> list[tuple[int, int]]:
    """Return the coordinates of the hexes of a patch relative to its center, which comes first."""
    numbers = range(-radius, radius + 1)
    around = [(q, r) for q in numbers for r in numbers if 0 < max(abs(q), abs(r), abs(q + r)) <= radius]
    return [(0, 0), *around]
