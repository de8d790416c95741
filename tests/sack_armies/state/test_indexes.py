"""Derived indexes of the token rows: kept up to date, and equal to those rebuilt from scratch."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.core.bits import NO_BITS, bit, count_bits, has_bit, lowest_bit, without_lowest
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import as_records, copy_records
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.observation.observe import observe_again
from sackarmies_env.games.sack_armies.state.constants import Zone
from sackarmies_env.games.sack_armies.state.layout import LOG_FEATURES
from sackarmies_env.games.sack_armies.state.record import LOG_WIDTH
from tests.sack_armies.builders.derived import DERIVED, rebuild_derived
from tests.sack_armies.builders.fights import play
from tests.sack_armies.builders.text_game import token, unit


@njit
def rebuild_all(params, states):
    for i in range(len(states)):
        rebuild_derived(params[0], states[i])


@njit
def observe_all(params, states, players, out):
    for i in range(len(states)):
        observe_again(params[0], states[i], players[i], out[i])


def test_a_unit_in_the_last_row_is_indexed():
    full = {"hand": [], "sack": ["spare"] * 34, "casualties": [], "removed": []}  # the unit comes last
    t = play([token("z")], [unit("z", "0,0"), unit("z", "3,0", 1)], general=[full, full])
    assert t.params["army_size"][0, 1] == t.params["tokens_per_general"][0] == 40
    assert t.state["cell_unit"].max() == 79
    assert t.stat("3,0", "armor") == 1


def random_positions(game, num_games, plies, seed):
    """Yield the states of some games after every decision of random play; games that end start over."""
    states = game.new_states(num_games)
    game.reset(game.params, states, np.arange(num_games) + seed)
    mask = np.zeros((num_games, game.num_actions), np.int8)
    rng = np.random.default_rng(seed)
    for _ in range(plies):
        game.legal_actions(game.params, states, mask)
        game.step(game.params, states, (rng.random(mask.shape) * mask).argmax(axis=1))
        for row in np.flatnonzero(np.asarray(states)["current_player"] < 0):
            game.reset(game.params, states[row : row + 1], rng.integers(2**31, size=1))
        yield states


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_generals": 3, "switches": {"casualties_public": False, "open_army_lists": True}},
        {"num_generals": 6},
        {"switches": {"neutral_zone_basis": "owner", "setup_pick": "any_at_placement", "max_turns": 60}},
    ],
    ids=["two", "three", "six", "switches"],
)
def test_derived_indexes_equal_those_derived_anew(options):
    game = make_game(**options)
    anew = game.new_states(8)
    for states in random_positions(game, 8, 500, seed=5):
        copy_records(states, anew)
        rebuild_all(game.params, anew)
        for name in DERIVED:
            np.testing.assert_array_equal(np.asarray(states)[name], np.asarray(anew)[name], err_msg=name)


def test_indexes_derived_anew_keep_nothing_of_what_was_there():
    game = make_game(num_generals=3)
    *_, states = random_positions(game, 2, 150, seed=3)
    spoiled = game.new_states(2)
    copy_records(states, spoiled)
    for name in DERIVED:
        spoiled[name] = 1
    rebuild_all(game.params, spoiled)
    for name in DERIVED:
        np.testing.assert_array_equal(np.asarray(spoiled)[name], np.asarray(states)[name], err_msg=name)


def test_sets_hold_what_the_token_rows_say():
    game = make_game(num_generals=3)
    per_general = int(game.params["tokens_per_general"][0])
    for states in random_positions(game, 4, 150, seed=9):
        plain = np.asarray(states)
        for row in range(len(plain)):
            for player in range(game.num_players):
                rows = slice(player * per_general, (player + 1) * per_general)
                for zone in Zone:
                    expected = {int(t) for t in np.flatnonzero(plain["token_zone"][row, rows] == zone)}
                    assert members(plain["zone_tokens"][row, player, zone]) == expected
                up = {int(t) for t in np.flatnonzero(plain["token_face"][row, rows] == 1)}
                assert members(plain["face_up"][row, player]) == up


def members(bits):
    return {place for place in range(64) if int(bits) >> place & 1}


def test_an_observation_over_any_earlier_one_equals_one_over_zeros():
    game = make_game(num_generals=2)
    again = np.zeros((4, game.observation_spec.size), np.int8)
    fresh = np.full_like(again, 77)
    rng = np.random.default_rng(1)
    for states in random_positions(game, 4, 400, seed=2):
        players = rng.integers(2, size=4)
        observe_all(game.params, as_records(states), players, again)
        game.observe(game.params, states, players, fresh)
        np.testing.assert_array_equal(again, fresh)
        again[:] = again[rng.permutation(4)]  # observations of another game or viewer


def test_events_are_shown_with_as_many_numbers_as_the_layout_names():
    assert len(LOG_FEATURES) == LOG_WIDTH


def test_bit_set_holds_small_integers():
    numbers = [0, 5, 31, 32, 63]
    bits = NO_BITS
    for number in numbers:
        bits |= bit(np.int64(number))
    assert [number for number in range(64) if has_bit(bits, np.int64(number))] == numbers
    assert count_bits(bits) == len(numbers)
    found = []
    while bits != NO_BITS:
        found.append(int(lowest_bit(bits)))
        bits = np.uint64(without_lowest(bits))
    assert found == numbers
