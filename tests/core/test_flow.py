"""Control flow as data: the stack of procedures, the pending decision, and choices made in parts."""

import pytest

from sackarmies_env.core.flow import (
    NO_CHOICE,
    NO_FRAME,
    ask,
    clear_chain,
    clear_frames,
    extend_chain,
    flow_fields,
    get_data,
    pop_frame,
    push_frame,
    set_data,
    set_step,
)
from sackarmies_env.core.state import COMMON_FIELDS, alloc, record_dtype

MAX_FRAMES, FRAME_DATA, MAX_CHAIN = 3, 4, 2
DTYPE = record_dtype(COMMON_FIELDS, flow_fields(MAX_FRAMES, FRAME_DATA, MAX_CHAIN))
OUTER, INNER, DEEPEST = 1, 2, 3


def new_state():
    state = alloc(DTYPE, 1)[0]
    clear_frames(state)
    clear_chain(state)
    return state


def test_a_new_state_has_no_procedure_and_no_choice():
    state = new_state()
    assert (state["frame_top"], state["decision"], state["chain_length"], state["chain_verb"]) == (NO_FRAME, 0, 0, 0)
    assert state["chain"].tolist() == [NO_CHOICE] * MAX_CHAIN


def test_the_sizes_are_those_that_a_game_asks_for():
    assert DTYPE["frame_kind"].shape == DTYPE["frame_step"].shape == (MAX_FRAMES,)
    assert DTYPE["frame_data"].shape == (MAX_FRAMES, FRAME_DATA)
    assert DTYPE["chain"].shape == (MAX_CHAIN,)


def test_a_question_names_its_player():
    state = new_state()
    ask(state, 3, 17)
    assert (state["current_player"], state["decision"]) == (3, 17)


def test_a_procedure_continues_where_it_was_when_the_one_above_it_ends():
    state = new_state()
    push_frame(state, OUTER, 5)
    for index in range(FRAME_DATA):
        set_data(state, index, 10 + index)
    before = state.tobytes()
    push_frame(state, INNER, 0)
    assert [get_data(state, index) for index in range(FRAME_DATA)] == [0] * FRAME_DATA
    set_step(state, 2)
    for index in range(FRAME_DATA):
        set_data(state, index, -1 - index)
    assert (state["frame_kind"].tolist(), state["frame_step"].tolist()) == ([OUTER, INNER, 0], [5, 2, 0])
    pop_frame(state)
    assert state.tobytes() == before
    assert [get_data(state, index) for index in range(FRAME_DATA)] == [10, 11, 12, 13]


def test_a_procedure_finds_no_numbers_of_one_before_it():
    state = new_state()
    state["frame_data"] = 9
    push_frame(state, OUTER, 1)
    assert state["frame_data"].tolist() == [[0] * FRAME_DATA, [9] * FRAME_DATA, [9] * FRAME_DATA]


def test_the_stack_holds_as_many_procedures_as_it_was_made_for():
    state = new_state()
    for kind in (OUTER, INNER, DEEPEST):
        push_frame(state, kind, kind)
    assert state["frame_kind"].tolist() == state["frame_step"].tolist() == [OUTER, INNER, DEEPEST]
    assert state["frame_top"] == MAX_FRAMES - 1


@pytest.mark.parametrize("num_frames", [1, 2, 3])
def test_cleared_procedures_leave_nothing_behind(num_frames):
    state, new = new_state(), new_state()
    for kind in range(1, num_frames + 1):
        push_frame(state, kind, 4)
        for index in range(FRAME_DATA):
            set_data(state, index, 7)
    clear_frames(state)
    assert state.tobytes() == new.tobytes()


def test_a_choice_grows_by_its_parts_until_it_is_cleared():
    state, new = new_state(), new_state()
    state["chain_verb"] = 6
    extend_chain(state, 40)
    extend_chain(state, 0)
    assert (state["chain"].tolist(), state["chain_length"]) == ([40, 0], 2)
    clear_chain(state)
    assert state.tobytes() == new.tobytes()


def test_numbers_of_a_procedure_may_be_negative():
    state = new_state()
    push_frame(state, OUTER, 0)
    set_data(state, 1, -300)
    assert get_data(state, 1) == -300
