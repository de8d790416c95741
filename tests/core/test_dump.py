"""Dumps of records: lossless plain data, refused if it holds impossible values."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sackarmies_env.core.dump import dump_record, load_record
from sackarmies_env.core.state import KEPT, SEAT, alloc, select
from tests.core.test_state import FIELDS, LAYOUT, records


def any_record(seed):
    """Return a record with random values within the ranges of its fields."""
    rng, states = np.random.default_rng(seed), alloc(LAYOUT.dtype, 1)
    for field in FIELDS:
        least, greatest = LAYOUT.limits(field, {})
        states[field.name] = rng.integers(least, greatest, states[field.name].shape, field.dtype, endpoint=True)
    states["pile"][0, int(states["num_piled"][0]) :] = 0
    return states


@pytest.mark.parametrize("seed", range(20))
def test_a_record_survives_its_dump(seed):
    states = any_record(seed)
    dump = json.loads(json.dumps(dump_record("cards", LAYOUT, states)))
    again = load_record("cards", LAYOUT, dump, {})
    for field in select(FIELDS, role=KEPT):
        np.testing.assert_array_equal(again[field.name], states[field.name], err_msg=field.name)
    assert dump_record("cards", LAYOUT, again) == dump


def test_what_is_derived_or_scratch_is_not_dumped():
    states = records()
    states["held"], states["work"] = 5, 6
    assert dump_record("cards", LAYOUT, states) == {"game": "cards", "state": {}}
    assert not load_record("cards", LAYOUT, {"game": "cards", "state": {}}, {})["work"].any()


def test_a_dump_names_codes_and_leaves_out_what_is_empty():
    states = records()
    states["phase"], states["hand"][0, 1] = 1, [7, -1, -1]
    state = dump_record("cards", LAYOUT, states)["state"]
    assert state == {"phase": "play", "hand": [[-1, -1, -1], [7, -1, -1]]}


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ({"phases": "play"}, 'unknown field "phases" (did you mean "phase"?)'),
        ({"held": [1]}, 'unknown field "held"'),
        ({"phase": "pley"}, 'phase: "pley" is not allowed (did you mean "play"?); allowed are "deal", "play"'),
        ({"phase": 1}, 'phase: 1 is not allowed; allowed are "deal", "play"'),
        ({"current_player": 3}, "current_player: must be an integer from -1 to 2, not 3"),
        ({"open": True}, "open: must be an integer from 0 to 1, not true"),
        ({"turn": 1.5}, "turn: must be an integer from 0 to 32767, not 1.5"),
        ({"hand": 3}, "hand: must be a list of at most 4 values, not 3"),
        ({"hand": [[1, 2, 3, 4]]}, "hand: must be a list of at most 3 values, not [1, 2, 3, 4]"),
        ({"num_piled": 5}, "num_piled: must be an integer from 0 to 4, not 5"),
    ],
)
def test_dump_with_impossible_values_is_refused(state, sentence):
    with pytest.raises(ValueError) as error:
        load_record("cards", LAYOUT, {"game": "cards", "state": state}, {SEAT: 3})
    assert str(error.value) == sentence


@pytest.mark.parametrize("data", [{}, {"game": "chess", "state": {}}, {"game": "cards", "state": []}])
def test_the_dump_of_another_game_is_refused(data):
    with pytest.raises(ValueError, match="is not a dump of cards: it must have the keys 'game' and 'state'"):
        load_record("cards", LAYOUT, data, {})
