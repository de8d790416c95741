"""Forced results: used in the order of each queue, and refused if they do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.core.chance import (
    NO_RESULT,
    ForcedKind,
    chance_fields,
    clear_forced,
    force_results,
    forced_left,
    next_forced,
    plain_forced,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import COUNT, FLAG, SEAT, StateLayout, alloc

LAYOUT = StateLayout(
    (
        *chance_fields("flips", 1, 4, np.int8, FLAG, "sides of a coin"),
        *chance_fields("rolls", SEAT, 3, np.int16, COUNT, "numbers of a die"),
    ),
    {SEAT: 2},
)


@njit
def roll(states, player):
    state = states[0]
    return next_forced(state.script_rolls, state.script_rolls_end, state.script_rolls_used, player)


@njit
def forget(states):
    state = states[0]
    clear_forced(state.script_rolls, state.script_rolls_end, state.script_rolls_used)


def forced(flips, rolls):
    states = alloc(LAYOUT.dtype, 1)
    force_results(states, "flips", flips)
    force_results(states, "rolls", rolls)
    return states


def test_forced_results_come_in_order_of_each_queue():
    states = forced([[1, 0]], [[6, 1], [2]])
    assert [roll(states, np.int64(player)) for player in (0, 1, 0, 1, 0)] == [6, 2, 1, NO_RESULT, NO_RESULT]
    assert forced_left(states, "rolls") == [[], []]
    assert forced_left(states, "flips") == [[1, 0]]


def test_new_forced_results_take_the_place_of_those_that_were_left():
    states = forced([], [[6, 5, 4], [3]])
    roll(states, np.int64(0))
    force_results(states, "rolls", [[2]])
    assert forced_left(states, "rolls") == [[2], [3]]
    assert states["script_rolls"][0].tolist() == [[2, 0, 0], [3, 0, 0]]


def test_forgotten_results_leave_no_trace():
    states = forced([], [[6, 5, 4], [3]])
    roll(states, np.int64(0))
    forget(states)
    assert not any(states[name].any() for name in LAYOUT.dtype.names)


def test_forced_results_of_unknown_players_and_too_many_of_them_are_refused():
    with pytest.raises(ValueError, match="forced rolls for 3 players: at most 2 are allowed"):
        forced([], [[1], [2], [3]])
    with pytest.raises(ValueError, match="5 forced flips: at most 4 are allowed"):
        forced([[1] * 5], [])


def test_forced_results_are_hidden():
    assert {field.role for field in LAYOUT.fields} == {"hidden"}


# --- in the form that users write

COIN = ForcedKind("flips", ({"H": 1, "T": 0},), is_shared=True)
DIE = ForcedKind("rolls", ({1: 1, 2: 2}, {1: 1, 6: 6}))


@pytest.mark.parametrize(
    ("given", "queues"), [("H T | t", [[1, 0, 0]]), ("", []), (" |\n", []), ("hhT", [[1, 1, 0]])], ids=repr
)
def test_letters_stand_for_the_results_of_a_shared_kind(given, queues):
    assert COIN.read(given) == queues


@pytest.mark.parametrize("given", ["H X", 3, None, ["H"], "H,T"], ids=repr)
def test_other_text_is_refused_with_the_letters_that_are_allowed(given):
    with pytest.raises(ValueError, match=r'^flips=.*: it must be a string of the letters "H", "T", with blanks'):
        COIN.read(given)


def test_each_player_has_results_of_their_own():
    assert DIE.read([[2, 1], (6,)]) == [[2, 1], [6]]
    assert DIE.read([]) == []
    with pytest.raises(ValueError, match=r"^rolls\[1\]: 2 is not a result for player 1; allowed are 1, 6$"):
        DIE.read([[2], [2]])
    with pytest.raises(ValueError, match=r"^forced rolls for 3 players: the game has 2$"):
        DIE.read([[], [], []])


@pytest.mark.parametrize("given", ["11", [1], [["1"]], [[True]], [[[1]]], {"0": [1]}, None], ids=repr)
def test_lists_of_another_form_are_refused(given):
    with pytest.raises(ValueError, match=r"^rolls(=.*: it must be a list with one list|\[0\]: .* is not a result)"):
        DIE.read(given)


@pytest.mark.parametrize("result", ["10", "h", " ", "|", "", 1], ids=repr)
def test_shared_results_that_nobody_could_write_are_refused(result):
    with pytest.raises(ValueError, match=r"^flips: a shared result must be one capital letter or digit, not "):
        ForcedKind("flips", ({"T": 0, result: 1},), is_shared=True)


def test_forced_results_are_kept_as_plain_data_without_empty_ones():
    given = [("a",), []]
    plain = plain_forced({"flips": "", "draws": given, "rolls": []})
    given.clear()
    assert plain == {"draws": [["a"], []]}
