"""Who knows what of a token or of a choice (digest section 6), and how seats, hexes and types are told."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.constants import Decision
from sackarmies_env.games.sack_armies.layout import LEAST, MOST, NOBODY, OFF_BOARD, TYPE_DIGIT
from sackarmies_env.games.sack_armies.zones import is_face_up


@njit
def is_identity_public(params, state, token):
    """Return whether everybody knows what `token` is: it lies face up, as in a public pile (V-10, V-13, V-14)."""
    return is_face_up(state, token)


@njit
def knows_identity(params, state, viewer, token):
    """Return whether `viewer` knows what `token` is: his own, or public (V-09, V-12, V-15)."""
    return (state.token_owner[token] == viewer) | is_identity_public(params, state, token)


@njit
def knows_choice(state, viewer, announced):
    """Return whether `viewer` knows a choice: it has been announced, or he is making it."""
    return announced == 1 or state.current_player == viewer


@njit
def is_picking(state):
    """Return whether the secret picks of Setup are under way."""
    return state.decision == Decision.SETUP_PICK


@njit
def is_known_to_exist(params, state, token):
    """Return whether the hidden `token` is of a type that its owner is known to have (V-01, C-open_army_lists).

    Either its lists are open, or as many of the type were visible at one time.
    """
    return params.open_army_lists == 1 or state.token_seen[token] == 1


# --- numbers


@njit
def clamp(value):
    """Return `value` within the range of a feature."""
    return min(np.int64(MOST), max(np.int64(LEAST), np.int64(value)))


@njit
def seat_from(params, viewer, player):
    """Return the seat of `player` counted from `viewer`, who is 0, counter-clockwise."""
    seat = np.int64(player) - viewer
    return seat if seat >= 0 else seat + np.int64(params.num_generals)


@njit
def seat_or_nobody(params, viewer, player):
    """Return the seat of `player` as `seat_from` does, or NOBODY for NO_PLAYER."""
    seat = seat_from(params, viewer, player)
    return np.int64(NOBODY) if player == NO_PLAYER else seat


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
