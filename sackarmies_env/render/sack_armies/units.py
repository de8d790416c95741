"""What a viewer knows of the tokens of Sack Armies, found for all of them in one call of a kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.rules.movement import DEFAULT_SIGHT, find_reach, sight_range
from sackarmies_env.games.sack_armies.rules.stats import (
    ability_value,
    effective_armor,
    effective_damage,
    effective_movement,
)
from sackarmies_env.games.sack_armies.state.constants import Ability, Kind, Zone
from sackarmies_env.games.sack_armies.state.knowledge import knows_identity
from sackarmies_env.games.sack_armies.state.zones import is_face_up

MOVEMENT, DAMAGE, ARMOR, RANGE, SIGHT = range(5)
NUM_COLUMNS = 5


class Look(NamedTuple):
    """What a viewer knows, by rows of tokens; of what they do not know, there are zeros.

    Attributes:
        known: `(tokens,)` bool, whether they know what a token is.
        numbers: `(tokens, NUM_COLUMNS)` int64, of the units on the board. RANGE is 0 for those that are face down.
        reach: `(tokens, rows of the board)` uint64, the hexes that a move of a unit could enter, a bit for each.
    """

    known: NDArray[np.bool_]
    numbers: NDArray[np.int64]
    reach: NDArray[np.uint64]


def look(params: NDArray[np.void], states: NDArray[np.void], viewer: int | None) -> Look:
    """Return what `viewer` (a seat, or None for the referee) knows in `states[0]`, whose scratch fields it uses."""
    num_tokens, num_rows = states["token_type"].shape[1], states["reach_rows"].shape[1]
    looked = Look(
        np.zeros(num_tokens, np.bool_),
        np.zeros((num_tokens, NUM_COLUMNS), np.int64),
        np.zeros((num_tokens, num_rows), np.uint64),
    )
    write_look(params, states, np.int64(NO_PLAYER if viewer is None else viewer), *looked)
    return looked


@njit
def write_look(all_params, states, viewer, known, numbers, reach):
    """Write a `Look`; NO_PLAYER knows everything."""
    params, state = all_params[0], states[0]
    for token in range(len(known)):
        known[token] = viewer == NO_PLAYER or knows_identity(state, viewer, token)
        if state.token_zone[token] != Zone.BATTLEGROUND or params.type_kind[state.token_type[token]] != Kind.UNIT:
            continue
        face_up = is_face_up(state, token)
        numbers[token, SIGHT] = sight_range(params, state, token) if face_up else np.int64(DEFAULT_SIGHT)
        if known[token]:
            movement = effective_movement(params, state, token)
            numbers[token, MOVEMENT] = movement
            numbers[token, DAMAGE] = effective_damage(params, state, token)
            numbers[token, ARMOR] = effective_armor(params, state, token)
            if face_up:
                numbers[token, RANGE] = ability_value(params, state, token, Ability.RANGE)
            find_reach(params, state, token, movement, face_up)
            for row in range(reach.shape[1]):
                reach[token, row] = state.reach_rows[row]
