"""Quantities and unit types as players choose them."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.territories.state.actions import ALL, FIRST_QUANTITY, FIRST_UNIT
from sackarmies_env.games.territories.state.constants import MAX_QUANTITY, NUM_UNITS


@njit
def offer_quantities(state, most):
    """Offer 1 up to `most` or MAX_QUANTITY, and ALL if `most` is at least 2 (TR-Q32)."""
    for quantity in range(1, min(np.int64(most), np.int64(MAX_QUANTITY)) + 1):
        allow(state, FIRST_QUANTITY + quantity - 1)
    if most > 1:
        allow(state, ALL)


@njit
def quantity_of(action, most):
    """Return the quantity that an action names."""
    return np.int64(most) if action == ALL else np.int64(action) - FIRST_QUANTITY + 1


@njit
def offer_units(state, units):
    """Offer the unit types present in a row of counts by type."""
    for unit in range(NUM_UNITS):
        if units[unit] > 0:
            allow(state, FIRST_UNIT + unit)
