"""Parts of compound choices can be taken back as long as nobody has learned anything from them."""

import numpy as np
import pytest

from sackarmies_env.core.state import NO_PLAYER, copy_records
from sackarmies_env.envs.match import Match
from sackarmies_env.envs.takeback import Takebacks, may_take_back
from sackarmies_env.games.sack_armies import make_game
from tests.core.toy_game import make_duel
from tests.testing.commands import spoilt


def begun(game, seed=0):
    match = Match(game)
    match.begin(seed)
    return match


def do(takebacks, *texts):
    match = takebacks.match
    for text in texts:
        takebacks.play(match.game.parse_action(match.states, text))


def test_parts_of_an_attack_are_taken_back_until_it_is_announced():
    match = begun(make_game(scenario="x02_unrevealed_noble_horse"))
    takebacks = Takebacks(match)
    start = match.states.tobytes()
    do(takebacks, "melee")
    after_verb = match.states.tobytes()
    do(takebacks, "hex 1,0")
    assert takebacks.num_choices == 2
    takebacks.take_back()
    assert match.states.tobytes() == after_verb
    takebacks.take_back()
    assert match.states.tobytes() == start
    assert match.history == []
    do(takebacks, "melee", "hex 1,0", "hex 0,0")  # the target is announced
    assert takebacks.num_choices == 0
    with pytest.raises(ValueError, match="nothing can be taken back"):
        takebacks.take_back()


def test_game_goes_on_after_a_choice_was_taken_back_as_if_it_had_not_been_made():
    one, other = (begun(make_game(scenario="x02_unrevealed_noble_horse"), seed=3) for _ in range(2))
    do(takebacks := Takebacks(one), "melee", "hex 1,0")
    takebacks.take_back()
    do(takebacks, "hex 1,0", "hex 0,0")
    do(Takebacks(other), "melee", "hex 1,0", "hex 0,0")
    assert one.states.tobytes() == other.states.tobytes()
    assert one.history == other.history


def test_choice_after_which_another_player_decides_stands():
    takebacks = Takebacks(begun(make_duel(2)))
    takebacks.play(takebacks.match.legal_actions()[0])
    assert takebacks.num_choices == 0


def peek(call):
    """Show the player who has chosen a card, and nobody else, a card of the next player instead of the last one played.

    The player goes on to name an opponent, and no chance is drawn.
    """
    call.run()
    for row in call.rows() if len(call.outputs.observations) else []:
        state, seat = call.states[row], call.slots["observing_seat"][row]
        player = state["current_player"]
        if state["pending"] and seat in {player, NO_PLAYER}:
            column = call.game.observation_spec.index("table", 0, "shown")
            call.outputs.observations[row, column] = state["cards"][(player + 1) % 3, 0]


@pytest.mark.parametrize(("game", "stands"), [(make_duel(3), False), (spoilt(make_duel(3), peek), True)])
def test_choice_that_showed_the_player_something_hidden_stands(game, stands):
    match = begun(game)
    before = match.clone()
    match.play(match.legal_actions()[0])
    assert match.player == before.player == 0
    assert all(np.array_equal(before.observe(seat), match.observe(seat)) for seat in (1, 2))
    assert may_take_back(before, match) != stands


@pytest.mark.parametrize("num_generals", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_what_is_taken_back_has_shown_nobody_anything(num_generals):
    """In random games: chance, the observations of all others and the player's own tokens are unchanged."""
    game = make_game(num_generals)
    taken = stood = 0
    for seed in range(3):
        match, rng = begun(game, seed), np.random.default_rng(seed)
        for _ in range(150):
            if match.player < 0:
                break
            before = match.clone()
            match.play(int(rng.choice(match.legal_actions())))
            if not may_take_back(before, match):
                stood += 1
                continue
            taken += 1
            others = [seat for seat in range(num_generals) if seat != before.player]
            assert all(np.array_equal(before.observe(seat), match.observe(seat)) for seat in others)
            for seat in others:  # their information sets, to the byte
                one, two = (each.information_set(seat).states.tobytes() for each in (before, match))
                assert one == two
            for name in ("flip_count", "draw_count", "turn", "token_face", "token_hex"):
                assert np.array_equal(before.states[name], match.states[name])
    assert taken > 20
    assert stood > 50


@pytest.mark.parametrize("num_generals", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_whether_a_choice_may_be_taken_back_tells_nothing_hidden(num_generals):
    """Twin worlds: in a world sampled for the player, the answer is the same until the player sees a difference."""
    game = make_game(num_generals)
    compared = 0
    for seed in range(3):
        match, rng = begun(game, seed), np.random.default_rng(seed)
        for ply in range(150):
            if match.player < 0:
                break
            player, action = match.player, int(rng.choice(match.legal_actions()))
            before, twin = match.clone(), match.clone()
            copy_records(match.information_set(player).sample([ply]), twin.states)
            twin.restore(twin.states.tobytes(), match.history.copy())
            twin_before = twin.clone()
            match.play(action)
            twin.play(action)
            if twin.player == match.player == player and np.array_equal(twin.observe(player), match.observe(player)):
                compared += 1
                assert may_take_back(before, match) == may_take_back(twin_before, twin)
    assert compared > 50
