"""The log of public events (TR-EV1 to TR-EV22)."""

from __future__ import annotations

from sackarmies_env.core.events import NO_PLACE, push_event
from sackarmies_env.core.jit import njit


@njit
def log(state, kind, player, value):
    """Note a public event that has no place on the map."""
    push_event(state, state.log_place, kind, player, NO_PLACE, value)


@njit
def log_at(state, kind, player, territory, value):
    """Note a public event in a territory."""
    push_event(state, state.log_place, kind, player, territory, value)
