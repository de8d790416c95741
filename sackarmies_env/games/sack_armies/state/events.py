"""Public events as observations show them; `core.events` keeps the log."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.encode import clamp, write_digits
from sackarmies_env.core.events import make_room, push_event
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import NO_TYPE, Event
from sackarmies_env.games.sack_armies.state.encode import write_hex
from sackarmies_env.games.sack_armies.state.layout import SHOWN_OFFSET, Log
from sackarmies_env.games.sack_armies.state.record import LOG_WIDTH, MAX_LOG

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
TELLS_TYPE = np.isin(KINDS, TYPE_EVENTS)  # by kind of event: what its value stands for
TELLS_KIND = np.isin(KINDS, KIND_EVENTS).astype(np.int64)
TELLS_NUMBER = ~np.isin(KINDS, (*TYPE_EVENTS, Event.MOVE))


@njit
def show_event(params, state, i):
    """Write event `i` of the log as observations show it, except for the seat, which depends on the observer."""
    kind = np.int64(state.log_kind[i])
    value = np.int64(state.log_value[i])
    at = i * LOG_WIDTH
    state.log_shown[at + Log.KIND] = kind
    state.log_shown[at + Log.SEAT] = state.log_player[i]
    write_hex(params, state.log_shown, at + Log.Q, np.int64(state.log_hex[i]))
    write_hex(params, state.log_shown, at + Log.FROM_Q, value if kind == Event.MOVE else np.int64(NO_HEX))
    write_digits(state.log_shown, at + Log.TYPE_LOW, value if TELLS_TYPE[kind] else np.int64(NO_TYPE))
    number = clamp(value + TELLS_KIND[kind] * SHOWN_OFFSET)
    state.log_shown[at + Log.NUMBER] = number if TELLS_NUMBER[kind] else np.int64(0)


@njit
def show_log(params, state):
    """Rebuild the log as observations show it."""
    for i in range(MAX_LOG):
        show_event(params, state, i)


@njit
def log_event(params, state, kind, player, cell, value):
    """Put a public event at the head of the log (V-18)."""
    state.window_closed = 0
    state.window_heard = 0
    push_event(state, state.log_hex, kind, player, cell, value)
    make_room(state.log_shown, LOG_WIDTH)
    show_event(params, state, np.int64(0))
