"""Action spaces made of segments: each id has one text and vice versa, and wrong texts are refused with advice."""

import numpy as np
import pytest

from sackarmies_env.core.actions import (
    ActionSpace,
    Segment,
    cell_segment,
    named_segment,
    normalized,
    numbered_segment,
)
from sackarmies_env.core.legal import allow, legal_fields
from sackarmies_env.core.state import COMMON_FIELDS, alloc, record_dtype

SEGMENTS = (
    Segment("verb", ("pass", "draw", "move to")),
    named_segment("card", ("ace", "queen_2"), "there is no card {}"),
    numbered_segment("pile", 3),
    cell_segment("square", ("0,0", "0,1", "1,0", "-1,1"), "the square is off the board"),
)
SPACE = ActionSpace(SEGMENTS, "write a verb such as 'draw'", {"done": "pass"})
EVERYTHING = range(SPACE.num_actions)


def test_segments_follow_each_other_from_id_0_on():
    assert SPACE.texts == (
        *("pass", "draw", "move to", "card ace", "card queen_2", "pile 0", "pile 1", "pile 2"),
        *("square 0,0", "square 0,1", "square 1,0", "square -1,1"),
    )
    assert [SPACE.start(name) for name in ("verb", "card", "pile", "square")] == [0, 3, 5, 8]
    assert SPACE.num_actions == 12


def test_every_text_is_read_as_its_id():
    for action in EVERYTHING:
        assert SPACE.parse(SPACE.format(action), [action], 0) == action


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("done", "pass"),
        ("  PASS ", "pass"),
        ("Move   To", "move to"),
        ("Card Queen_2", "card queen_2"),
        ("pile +2", "pile 2"),
        ("pile 01", "pile 1"),
        ("square  -01 , +1", "square -1,1"),
        ("SQUARE -0,0", "square 0,0"),
    ],
)
def test_spellings_that_mean_the_same_action(given, text):
    assert SPACE.format(SPACE.parse(given, EVERYTHING, 0)) == text


@pytest.mark.parametrize(
    ("given", "words"),
    [("queen_02", "queen_02"), ("a 007", "a 7"), ("1234567890", "1234567890"), ("1 ,+2, -03", "1,2,-3"), ("", "")],
)
def test_numbers_are_normalized_where_they_are_words_of_their_own(given, words):
    assert normalized(given) == words


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("drwa", "'drwa' is not an action (did you mean \"draw\"?): write a verb such as 'draw'; legal are: draw"),
        ("card jack", "there is no card 'jack'"),
        ("card {0}", "there is no card '{0}'"),
        ("pile 3", "piles run from 0 to 2"),
        ("square 5,5", "the square is off the board"),
        ("square 5", "write a verb such as 'draw'"),
        ("square 1,2,3", "write a verb such as 'draw'"),
        ("card", "write a verb such as 'draw'"),
        ("Pass", "'pass' is not legal for player 4 now; legal are: draw, pile 0"),
        ("done", "'done' is not legal for player 4 now"),
    ],
)
def test_a_text_that_names_no_legal_action_is_refused_with_advice(given, message):
    with pytest.raises(ValueError, match=r"legal are: draw, pile 0$") as error:
        SPACE.parse(given, [1, 5], 4)
    assert message in str(error.value)


@pytest.mark.parametrize("given", [None, 3, ["draw"]])
def test_an_action_that_is_no_text_is_refused(given):
    with pytest.raises(ValueError, match="the text of an action must be a string, not"):
        SPACE.parse(given, EVERYTHING, 0)


@pytest.mark.parametrize("action", [-1, 12])
def test_an_id_out_of_range_has_no_text(action):
    with pytest.raises(ValueError, match=f"action {action} is out of range: ids run from 0 to 11"):
        SPACE.format(action)


def test_a_segment_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="unknown action segment 'hex': known are verb, card, pile, square"):
        SPACE.start("hex")


@pytest.mark.parametrize(
    ("segments", "aliases", "message"),
    [
        ((SEGMENTS[0], SEGMENTS[0]), {}, "two segments have the name 'verb'"),
        ((SEGMENTS[0], Segment("more", ("pass",))), {}, "two actions have the name 'pass'"),
        (SEGMENTS, {"draw": "pass"}, "two actions have the name 'draw'"),
        ((named_segment("card", ("Ace",), ""),), {}, "the action 'card Ace' would be read as 'card ace'"),
        ((named_segment("card", ("07",), ""),), {}, "the action 'card 07' would be read as 'card 7'"),
        (SEGMENTS, {"No": "pass"}, "the action 'No' would be read as 'no'"),
        (SEGMENTS, {"no": "stop"}, "an alias stands for 'stop', which is not an action"),
    ],
)
def test_texts_that_could_not_be_read_back_are_refused(segments, aliases, message):
    with pytest.raises(ValueError, match=message):
        ActionSpace(segments, "", aliases)


def test_the_legal_texts_of_a_state_are_those_that_it_reads():
    states = alloc(record_dtype(COMMON_FIELDS, legal_fields(1)), 1)
    states["current_player"] = 2
    for action in (8, 1):
        allow(states[0], np.int64(action))
    assert SPACE.legal_texts(states) == ["draw", "square 0,0"]
    assert [SPACE.parse_action(states, text) for text in SPACE.legal_texts(states)] == [1, 8]
    assert SPACE.format_action(states, np.int64(8)) == "square 0,0"
    with pytest.raises(ValueError, match="'pass' is not legal for player 2 now; legal are: draw, square 0,0"):
        SPACE.parse_action(states, "pass")


def test_long_lists_of_legal_actions_are_cut():
    space = ActionSpace((numbered_segment("card", 70),), "")
    with pytest.raises(ValueError, match=r"legal are: card 5, .*card 64 and 5 more$"):
        space.parse("x", range(5, 70), 0)


def test_numbered_segment_begins_with_the_first_number():
    space = ActionSpace((numbered_segment("face", 6, first=1),), "")
    assert (space.format(0), space.format(5)) == ("face 1", "face 6")
    for text in ("face 0", "face 7"):
        with pytest.raises(ValueError, match="faces run from 1 to 6"):
            space.parse(text, range(6), 0)


def test_nothing_is_legal_after_the_end():
    with pytest.raises(ValueError, match="legal actions: none, the game is over"):
        SPACE.parse("draw", [], -1)
