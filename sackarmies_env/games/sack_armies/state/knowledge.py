"""What each seat knows of tokens and choices (V-01 to V-23)."""

from __future__ import annotations

from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.games.sack_armies.state.zones import is_face_up


@njit
def is_identity_public(state, token):
    """Return whether everybody knows what `token` is: it lies face up, as in a public pile (V-10, V-13, V-14)."""
    return is_face_up(state, token)


@njit
def knows_identity(state, viewer, token):
    """Return whether `viewer` knows what `token` is: it is their own, or public (V-09, V-12, V-15)."""
    return (state.token_owner[token] == viewer) | is_identity_public(state, token)


@njit
def knows_choice(state, viewer, announced):
    """Return whether `viewer` knows a choice: it has been announced, or they are making it."""
    return announced == 1 or state.current_player == viewer


@njit
def is_picking(state):
    """Return whether the secret picks of Setup are under way."""
    return state.decision == Decision.SETUP_PICK
