"""Encoding of hexes for observations and the public log; `core.encode` writes numbers, seats and types."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.layout import OFF_BOARD


@njit
def write_hex(params, out, at, cell):
    """Write the coordinates of `cell` to `out[at]` and `out[at + 1]`, without a branch."""
    known = max(cell, np.int64(0))
    q = np.int64(params.cell_q[known])
    r = np.int64(params.cell_r[known])
    out[at] = OFF_BOARD if cell == NO_HEX else q
    out[at + 1] = OFF_BOARD if cell == NO_HEX else r
