"""Where it pays to search in Sack Armies: decisions for which searching was found to gain something."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Records
from sackarmies_env.games.sack_armies.state.constants import NUM_DECISIONS, Decision

# Decisions that the scripted General makes as well as a search does, as far as many playouts can tell.
SETTLED = (
    Decision.SETUP_PICK,
    Decision.SETUP_TYPE,
    Decision.SETUP_HEX,
    Decision.REVEAL_HEX,
    Decision.COORD_TARGET,
    Decision.COORD_MEMBER,
    Decision.TOKEN_HOST,
    Decision.RAISE_TYPE,
    Decision.RAISE_HEX,
    Decision.WINDOW,
    Decision.AMBUSH,
    Decision.COUNTER,
    Decision.DESIGNATE,
    Decision.ADVANCE,
    Decision.SAVE,
    Decision.SAVE_SLOT,
)
SHARES = np.ones(NUM_DECISIONS)
SHARES[list(SETTLED)] = 0.0


def focus(states: Records) -> NDArray[np.float64]:
    """Return the share `(n,)` of the usual playouts that each position `(n,)` is worth; 0 for no search."""
    shares: NDArray[np.float64] = SHARES[states["decision"]]
    return shares
