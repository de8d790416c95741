"""The log of public events, latest first; in a full log, a new event pushes out the oldest."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import CELL, CODE, NUMBER, SEAT, StateField, array, part_of_state

NO_EVENT = 0  # kind of an unused entry
NO_PLACE = -1


def event_fields(max_log: int, places: str, kinds: type[IntEnum] | None = None) -> list[StateField]:
    """Return the fields of a state for the latest `max_log` events.

    Args:
        max_log: entries of the log.
        places: name of the field that tells where each event happened: the hexes, squares or piles of the game.
        kinds: what can happen, NO_EVENT for unused entries; None leaves the codes open.
    """
    return part_of_state(
        "public events, latest first",
        array("log_kind", np.int8, (max_log,), CODE, "what has happened; NO_EVENT in unused entries", codes=kinds),
        array("log_player", np.int8, (max_log,), SEAT, "whom it concerns; NO_PLAYER if nobody"),
        array(places, np.int16, (max_log,), CELL, "where; NO_PLACE if nowhere"),
        array("log_value", np.int16, (max_log,), NUMBER, "a number, whose meaning goes with the kind"),
    )


@njit
def push_event(state, places, kind, player, place, value):
    """Put an event at the head of the log, whose field of places is `places`; one loop shifts all four lists."""
    for i in range(len(state.log_kind) - 1, 0, -1):
        state.log_kind[i] = state.log_kind[i - 1]
        state.log_player[i] = state.log_player[i - 1]
        places[i] = places[i - 1]
        state.log_value[i] = state.log_value[i - 1]
    state.log_kind[0] = kind
    state.log_player[0] = player
    places[0] = place
    state.log_value[0] = value


@njit
def make_room(rows, width):
    """Shift the rows of a list, `width` numbers each, down by one; the last is lost, the first must be rewritten.

    It is for what a game derives from each event, such as its numbers in observations.
    """
    for at in range(len(rows) - 1, width - 1, -1):
        rows[at] = rows[at - width]
