"""Declared fields determine the record, the empty record, ranges and selections."""

from __future__ import annotations

import pickle
from enum import IntEnum

import numpy as np
import pytest

from sackarmies_env.core.state import (
    BITS,
    CODE,
    COMMON_FIELDS,
    COUNT,
    FLAG,
    NONE,
    NUMBER,
    SEAT,
    Record,
    Role,
    StateLayout,
    alloc,
    array,
    names_of,
    part_of_state,
    scalar,
)

CARD = "card"


class Phase(IntEnum):
    DEAL = 0
    PLAY = 1


FIELDS = (
    *COMMON_FIELDS,
    scalar("phase", CODE, "what goes on", codes=Phase),
    scalar("open", FLAG, "1: cards lie open"),
    scalar("balance", NUMBER, "of all bets"),
    *part_of_state(
        "hands",
        array("hand", np.int16, (SEAT, 3), CARD, "cards in hand; NONE for none"),
        array("leader", np.int8, (2,), SEAT, "who leads, by suit", empty=0),
        array("pile", np.int16, (4,), CARD, "cards played", counted_by="num_piled", empty=0),
        scalar("num_piled", COUNT, "cards of the pile"),
    ),
    array("held", np.uint64, (SEAT,), BITS, "cards in hand", role=Role.DERIVED),
    array("work", np.int32, (5,), NUMBER, "of a search", role=Role.SCRATCH),
)
LAYOUT = StateLayout(FIELDS, {SEAT: 4, CARD: 52})


def records(n=1):
    states = alloc(LAYOUT.dtype, n)
    LAYOUT.clear(states)
    return states


def test_shapes_name_sizes():
    assert LAYOUT.dtype["hand"].shape == (4, 3)
    assert LAYOUT.dtype["held"].shape == (4,)
    assert LAYOUT.dtype["current_player"].shape == ()
    assert LAYOUT.dtype is LAYOUT.dtype


def test_empty_record_has_none_for_indices_and_zero_elsewhere():
    states = alloc(LAYOUT.dtype, 3)
    states.view(np.ndarray).view(np.uint8)[...] = 77
    LAYOUT.clear(states)
    assert len({states[row : row + 1].tobytes() for row in range(3)}) == 1
    plain = states.view(np.ndarray)[1]
    empty = {name for name in LAYOUT.dtype.names if (plain[name] == NONE).all()}
    assert empty == {"current_player", "winner", "hand"}
    assert all((plain[name] == 0).all() for name in LAYOUT.dtype.names if name not in empty)


def test_the_empty_record_of_a_layout_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        LAYOUT.empty["turn"] = 1


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("phase", 2, "phase contains 2: it must be from 0 to 1"),
        ("open", -1, "open contains -1: it must be from 0 to 1"),
        ("current_player", 3, "current_player contains 3: it must be from -1 to 2"),
        ("hand", [[0] * 3] * 3 + [[0, 52, 0]], "hand contains 52: it must be from -1 to 51"),
        ("leader", [0, -1], "leader contains -1: it must be from 0 to 2"),
        ("num_piled", 5, "num_piled contains 5: it must be from 0 to 4"),
        ("turn", -1, "turn contains -1: it must be from 0 to 32767"),
        ("balance", 2**40, "balance contains 1099511627776: it must be from -32768 to 32767"),
    ],
)
def test_a_number_that_its_field_may_not_hold_is_a_fault(name, value, sentence):
    states = records()
    assert list(LAYOUT.faults(states, {SEAT: 3})) == []
    states[name] = value
    assert list(LAYOUT.faults(states, {SEAT: 3})) == [sentence]


def test_entries_beyond_those_in_use_may_hold_anything():
    states = records()
    states["num_piled"], states["pile"] = 2, [[51, 0, 99, -5]]
    assert list(LAYOUT.faults(states, {})) == []
    states["num_piled"] = 3
    assert list(LAYOUT.faults(states, {})) == ["pile contains 99: it must be from 0 to 51"]


def test_fields_are_selected_by_what_was_declared():
    assert names_of(FIELDS, part="hands") == ("hand", "leader", "pile", "num_piled")
    assert names_of(FIELDS, holds=CARD, empty=NONE) == ("hand",)
    assert names_of(FIELDS, role=frozenset({Role.DERIVED, Role.SCRATCH})) == ("held", "work")
    assert names_of(FIELDS, shape=(), part="hands") == ("num_piled",)
    assert names_of(FIELDS, role=Role.HIDDEN) == ("decisions", "flip_key", "flip_count", "draw_key", "draw_count")


def test_fields_of_a_record_are_attributes_also_in_another_process():
    records = np.zeros(2, (Record, np.dtype([("turn", np.int8), ("hexes", np.int16, (3,))])))
    record = pickle.loads(pickle.dumps(records))[1]
    record.turn = 3
    record.hexes[1] = 4
    assert (record.turn, record.turn, record.hexes.tolist()) == (3, 3, [0, 4, 0])  # the first look adds a property
    with pytest.raises(AttributeError, match="'hand'"):
        record.hand  # noqa: B018
    with pytest.raises(ValueError, match="hand"):
        record.hand = 1


def test_faults_name_the_first_wrong_number_of_fields_of_any_shape():
    fields = (scalar("one", COUNT, ""), array("table", np.int16, (2, 2), COUNT, "", limits=(0, 9)))
    layout = StateLayout(fields, {})
    states = np.zeros(1, layout.dtype)
    assert list(layout.faults(states, {})) == []
    states["one"], states["table"] = -1, [[[0, 10], [-2, 3]]]
    assert [fault.split(":")[0] for fault in layout.faults(states, {})] == ["one contains -1", "table contains 10"]
