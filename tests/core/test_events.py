"""The log of public events, latest first."""

import numpy as np
import pytest

from sackarmies_env.core.events import NO_EVENT, NO_PLACE, event_fields, make_room, push_event
from sackarmies_env.core.state import NO_PLAYER, SEAT, StateLayout, alloc

MAX_LOG = 4
FIELDS = ("log_kind", "log_player", "log_square", "log_value")
EMPTY = [(NO_EVENT, NO_PLAYER, NO_PLACE, 0)] * MAX_LOG
LAYOUT = StateLayout(tuple(event_fields(MAX_LOG, "log_square")), {SEAT: 2})


def new_state():
    states = alloc(LAYOUT.dtype, 1)
    LAYOUT.clear(states)
    return states[0]


def events(state):
    return list(zip(*(state[name].tolist() for name in FIELDS), strict=True))


def test_a_new_log_is_empty():
    assert events(new_state()) == EMPTY


@pytest.mark.parametrize("num_events", [1, 3, 4, 5, 9])
def test_the_latest_events_are_kept_latest_first(num_events):
    state = new_state()
    happened = [(1 + i % 3, i % 2, 7 * i, 100 * i) for i in range(num_events)]
    for event in happened:
        push_event(state, state["log_square"], *event)
    assert events(state) == (happened[::-1] + EMPTY)[:MAX_LOG]


@pytest.mark.parametrize(
    ("width", "moved"),
    [(1, [0, 0, 1, 2, 3, 4]), (2, [0, 1, 0, 1, 2, 3]), (3, [0, 1, 2, 0, 1, 2]), (6, [0, 1, 2, 3, 4, 5])],
)
def test_rows_move_one_row_on_and_the_last_is_lost(width, moved):
    rows = np.arange(6, dtype=np.int16)
    make_room(rows, width)
    assert rows.tolist() == moved
