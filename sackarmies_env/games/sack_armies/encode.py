"""How numbers, hexes and types are told in observations and in the public log."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.layout import LEAST, MOST, OFF_BOARD, TYPE_DIGIT


@njit
def clamp(value):
    """Return `value` within the range of a feature."""
    return min(np.int64(MOST), max(np.int64(LEAST), np.int64(value)))


@njit
def write_hex(params, out, at, cell):
    """Write the coordinates of `cell` to `out[at]` and the next place, without a branch."""
    known = max(cell, np.int64(0))
    q = np.int64(params.cell_q[known])
    r = np.int64(params.cell_r[known])
    out[at] = OFF_BOARD if cell == NO_HEX else q
    out[at + 1] = OFF_BOARD if cell == NO_HEX else r


@njit
def write_type(out, at, type_id):
    """Write a type as two digits to `out[at]` and the next place; NO_TYPE gives zeros."""
    number = np.int64(type_id) + 1
    out[at] = number % TYPE_DIGIT
    out[at + 1] = number // TYPE_DIGIT
