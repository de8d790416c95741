"""Pictures of random games stay the same when everything hidden from the viewer changes."""

import numpy as np
import pytest

from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.render import ansi, rgb_array, svg
from tests.render.positions import play, play_random
from tests.sack_armies.builders.twin_worlds import without_lists


@pytest.mark.slow
@pytest.mark.parametrize(("num_generals", "plies"), [(2, 0), (2, 9), (2, 80), (2, 300), (3, 250)])
def test_determinized_states_look_the_same_to_the_general_who_believes_in_them(num_generals, plies):
    game = make_game(num_generals)
    states = game.new_states(1)
    for seed in range(4):
        play_random(game, states, seed, plies)
        for viewer in range(num_generals):
            other = states.copy()
            game.determinize(without_lists(game.params), other, np.array([viewer]), np.array([seed + 1]))
            assert ansi(game, other, viewer) == ansi(game, states, viewer)
            assert svg(game, other, viewer) == svg(game, states, viewer)
        assert other.tobytes() != states.tobytes()
        assert ansi(game, other) != ansi(game, states)
    assert np.array_equal(rgb_array(game, other, viewer), rgb_array(game, states, viewer))


@pytest.mark.slow
def test_hidden_piles_stay_hidden():
    game = make_game(2, switches={"casualties_public": False, "sack_count_public": False})
    states = game.new_states(1)
    play_random(game, states, 1, 400)
    assert (states["token_zone"] == 6).any()
    own, referee = ansi(game, states, 1, color=False), ansi(game, states, color=False)
    assert referee.count("casualties: ") == 2
    assert own.count("casualties: ") == 1
    assert (own.count(", sack "), referee.count(", sack ")) == (1, 2)


def test_secret_picks_do_not_show_how_far_they_have_come():
    game = make_game(2, armies={"name": "Surplus", "tokens": {"plain": 4, "hill": 3, "legionaries": 4}})
    states = game.new_states(1)
    game.reset(game.params, states, np.array([0], np.int64))
    before = [ansi(game, states, viewer, color=False) for viewer in (0, 1)]
    play(game, states, "type hill")
    after = [ansi(game, states, viewer, color=False) for viewer in (0, 1)]
    assert after[1] == before[1]
    assert "General 0 controls 0 battlefields, 0 of 0 own, hand 0, sack 6, picked 5\n" in after[1]
    assert (
        "General 0 (you) controls 0 battlefields, 0 of 0 own, hand 0, sack 10, picked 1\n  picked: Hill\n" in after[0]
    )
