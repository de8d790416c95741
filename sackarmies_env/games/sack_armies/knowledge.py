"""Who knows what of a token or of a choice (digest section 6), and how seats are told."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.constants import Decision
from sackarmies_env.games.sack_armies.layout import NOBODY
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


# --- seats


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
