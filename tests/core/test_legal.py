"""Legal ids as bits: offered one by one or many at once, read as ids and as a mask."""

import numpy as np
import pytest

from sackarmies_env.core.legal import (
    NO_ACTION,
    allow,
    allow_all,
    choose_from_mask,
    choose_legal,
    clear_legal,
    first_allowed,
    is_allowed,
    legal_fields,
    legal_ids,
    make_layout,
    num_words,
    write_mask,
)
from sackarmies_env.core.state import COUNT, SEAT, alloc, record_dtype, scalar

NUM_ACTIONS = 200
DTYPE = record_dtype(legal_fields(num_words(NUM_ACTIONS)))
LAST = 255  # the last id for which the state's words have room


def new_state(*actions):
    state = alloc(DTYPE, 1)[0]
    for action in actions:
        allow(state, np.int64(action))
    return state


@pytest.mark.parametrize(("num_actions", "words"), [(1, 1), (64, 1), (65, 2), (128, 2), (423, 7)])
def test_a_mask_takes_a_word_for_every_64_ids(num_actions, words):
    assert num_words(num_actions) == words
    assert record_dtype(legal_fields(words))["legal"].shape == (words,)


def test_a_state_has_common_fields_and_room_for_actions_and_seats_of_its_game():
    layout = make_layout(NUM_ACTIONS, 3, scalar("points", COUNT, "points of the winner"))
    assert {"current_player", "legal", "num_legal", "points"} <= set(layout.dtype.names)
    assert layout.dtype["legal"].shape == (num_words(NUM_ACTIONS),)
    assert dict(layout.sizes) == {SEAT: 3}


@pytest.mark.parametrize("action", [0, 1, 63, 64, 127, 128, 199])
def test_one_offered_id_is_allowed_and_no_other(action):
    state = new_state(action)
    assert [other for other in range(NUM_ACTIONS) if is_allowed(state, other)] == [action]
    assert legal_ids(state["legal"]) == [action]
    assert (state["num_legal"], first_allowed(state)) == (1, action)


def test_an_id_that_is_offered_twice_counts_once():
    state = new_state(70, 3, 70)
    assert (state["num_legal"], legal_ids(state["legal"]), first_allowed(state)) == (2, [3, 70], 3)


def test_cleared_legal_ids_are_as_in_a_new_state():
    state = new_state(0, 63, 64, 199)
    clear_legal(state)
    assert state.tobytes() == new_state().tobytes()


@pytest.mark.parametrize("first", [0, 1, 63, 64, 100, 127])
def test_ids_offered_at_once_are_the_same_as_one_by_one(first):
    rng = np.random.default_rng(first)
    for _ in range(20):
        before = rng.integers(0, 192, 60).tolist()
        offered = np.unique(rng.integers(0, 64, 30))
        one_by_one = new_state(*before, *(first + offered).tolist())
        at_once = new_state(*before)
        allow_all(at_once, np.int64(first), np.bitwise_or.reduce(np.uint64(1) << offered.astype(np.uint64)))
        assert legal_ids(at_once["legal"]) == sorted({*before, *(first + offered).tolist()})
        assert at_once.tobytes() == one_by_one.tobytes()


def test_ids_offered_at_once_may_end_with_the_last_word():
    state = new_state()
    allow_all(state, np.int64(LAST - 1), np.uint64(0b11))
    assert (legal_ids(state["legal"]), state["num_legal"]) == ([LAST - 1, LAST], 2)


def test_every_legal_id_is_chosen_and_no_other():
    state, mask, stream = new_state(0, 70, LAST), np.zeros(LAST + 1, np.int8), np.array([5], np.int64)
    mask[[0, 70, LAST]] = 1
    words = np.random.default_rng(3).integers(0, 2**32, 60, np.uint64)
    assert {int(choose_legal(state, word)) for word in words} == {0, 70, LAST}
    assert {int(choose_from_mask(stream, mask)) for _ in range(60)} == {0, 70, LAST}


def test_nothing_is_chosen_where_nothing_is_legal():
    assert choose_legal(new_state(), np.uint64(12345)) == NO_ACTION
    assert choose_from_mask(np.array([5], np.int64), np.zeros(9, np.int8)) == NO_ACTION


@pytest.mark.parametrize("size", [NUM_ACTIONS, 128, 129, 130, LAST + 1])
def test_a_mask_shows_the_legal_ids_unless_the_game_is_over(size):
    offered = [0, 5, 63, 64, 120, 127]
    state, row = new_state(*offered), np.full(size, 7, np.int8)
    write_mask(state, False, row)
    assert np.flatnonzero(row).tolist() == offered
    assert set(row.tolist()) == {0, 1}
    write_mask(state, True, row)
    assert not row.any()
