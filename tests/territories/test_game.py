"""Territories as a whole: the contract, sizes, and refusal of wrong options."""

from __future__ import annotations

import pytest

from sackarmies_env.core.state import ERROR_STUCK
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.constants import Decision, Frame, TurnStep
from sackarmies_env.games.territories.state.record import STATE
from sackarmies_env.testing import RandomPlay, check_game
from tests.territories.builders import TROOPS, table

LARGEST_STATE = 1512  # bytes


def test_contract_holds_on_the_small_map():
    check_game(make_game(2, "small"), num_games=3)


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_contract_holds_on_the_standard_map(num_players):
    check_game(make_game(num_players), num_games=3)


def test_state_is_small():
    assert STATE.dtype.itemsize <= LARGEST_STATE


def test_decision_without_a_legal_action_is_reported_as_a_fault():
    game = table({6: (0, {"troop": 30}), 11: (1, TROOPS)}, TurnStep.STANDARD, actions_left=1, map="small")
    kinds, numbers, chain = game.frame_kind.copy(), game.frame_data.copy(), game.chain.copy()
    kinds[1], numbers[1, 0], chain[0] = Frame.REINFORCE, 3, 5  # three troops for territory 6, but none is left
    game.resume(frame_top=1, frame_kind=kinds, frame_data=numbers, chain=chain, decision=Decision.REINFORCE_QUANTITY)
    assert (game.error, game.num_legal) == (ERROR_STUCK, 0)


def test_units_and_cards_are_conserved():
    play = RandomPlay(make_game(3), seed=5)
    for ply, _ in enumerate(play):
        if ply == 400:
            break
        state = play.states[0]
        for player in range(3):
            on_map = state["territory_units"][state["territory_owner"] == player].sum(axis=0)
            board = sum(
                state["board_units"][side]
                for side, seat in enumerate((state["active"], state["defender"]))
                if seat == player
            )
            assert (state["garrison"][player] + on_map + board).tolist() == [60, 20, 12, 6]
        in_hands = state["hand_count"].sum()
        assert in_hands + state["deck"].sum() + state["discards"].sum() + state["played"].sum() == 40
        assert state["deck"].sum() == state["deck_count"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_players": 5}, "num_players must be an integer from 2 to 4"),
        ({"num_players": 3, "map": "small"}, "num_players must be 2 on"),
        ({"map": "smal"}, "did you mean"),
        ({"map": {}}, "known maps: full, small"),
        ({"map": ["small"]}, "known maps: full, small"),
        ({"switches": {"dominations": True}}, "dominations"),
        ({"switches": {"max_rounds": 0}}, "max_rounds"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        make_game(**options)


def test_guesses_spread_cards_of_each_deck_alone():
    game = make_game(2)
    states = game.new_states(1)
    game.start(states, seed=1)
    state = states[0]
    state["hand"][1, :2], state["hand_cycle"][1, :2], state["hand_count"][1] = [11, 0], [0, 1], 2
    state["cycle"] = 1
    state["deck"] = 0
    state["deck"][4] = 1
    state["deck_count"] = 1
    seconds = set()
    for seed in range(20):
        world = game.clone(states)
        game.determinize(game.params, world, [0], [seed])
        assert world["hand"][0, 1, 0] == 11  # the only card left of its deck
        assert world["deck"].sum() == 1
        seconds.add(int(world["hand"][0, 1, 1]))
    assert seconds == {0, 4}
