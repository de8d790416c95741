"""The log of public events, latest first, and the same log as observations show it."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.constants import NO_TYPE, Event
from sackarmies_env.games.sack_armies.encode import clamp, write_hex, write_type
from sackarmies_env.games.sack_armies.layout import SHOWN_OFFSET, Log
from sackarmies_env.games.sack_armies.state import LOG_WIDTH, MAX_LOG

TYPE_EVENTS = (
    Event.PLACE,
    Event.REVEAL,
    Event.CASUALTY,
    Event.CAPTURE,
    Event.TO_SACK,
    Event.REMOVE,
    Event.CONTROL,
    Event.RAISE,
    Event.ATTACH,
)
KIND_EVENTS = (Event.DEPLOY, Event.WRONG_KIND)
KINDS = np.arange(len(Event))
TELLS_TYPE = np.isin(KINDS, TYPE_EVENTS)  # by kind of event: what its value is
TELLS_KIND = np.isin(KINDS, KIND_EVENTS).astype(np.int64)
TELLS_NUMBER = ~np.isin(KINDS, (*TYPE_EVENTS, Event.MOVE))


@njit
def show_event(params, state, i):
    """Write event `i` of the log as observations show it, but for the seat, which depends on the observer."""
    kind = np.int64(state.log_kind[i])
    value = np.int64(state.log_value[i])
    at = i * LOG_WIDTH
    state.log_shown[at + Log.KIND] = kind
    state.log_shown[at + Log.SEAT] = state.log_player[i]
    write_hex(params, state.log_shown, at + Log.Q, np.int64(state.log_hex[i]))
    write_hex(params, state.log_shown, at + Log.FROM_Q, value if kind == Event.MOVE else np.int64(NO_HEX))
    write_type(state.log_shown, at + Log.TYPE_LOW, value if TELLS_TYPE[kind] else np.int64(NO_TYPE))
    number = clamp(value + TELLS_KIND[kind] * SHOWN_OFFSET)
    state.log_shown[at + Log.NUMBER] = number if TELLS_NUMBER[kind] else np.int64(0)


@njit
def show_log(params, state):
    """Derive the shown log anew."""
    for i in range(MAX_LOG):
        show_event(params, state, i)


@njit
def clear_log(params, state):
    """Forget all events."""
    for i in range(MAX_LOG):
        state.log_kind[i] = Event.NONE
        state.log_player[i] = NO_PLAYER
        state.log_hex[i] = NO_HEX
        state.log_value[i] = 0
    show_log(params, state)


@njit
def log_event(params, state, kind, player, cell, value):
    """Put a public event at the head of the log (V-18)."""
    for i in range(MAX_LOG - 1, 0, -1):
        state.log_kind[i] = state.log_kind[i - 1]
        state.log_player[i] = state.log_player[i - 1]
        state.log_hex[i] = state.log_hex[i - 1]
        state.log_value[i] = state.log_value[i - 1]
    for at in range(MAX_LOG * LOG_WIDTH - 1, LOG_WIDTH - 1, -1):
        state.log_shown[at] = state.log_shown[at - LOG_WIDTH]
    state.log_kind[0] = kind
    state.log_player[0] = player
    state.log_hex[0] = cell
    state.log_value[0] = value
    show_event(params, state, np.int64(0))
