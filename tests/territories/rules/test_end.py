"""Elimination, the end of the game, forfeits, truncation and returns: TR-G4 to TR-G8 and their rulings."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sackarmies_env.envs.match import Match
from sackarmies_env.games.territories.state.constants import TurnStep
from tests.territories.builders import FAR, TROOPS, Table, table

THREE = {6: (0, {"troop": 3}), 1: (1, TROOPS), 20: (2, TROOPS)}


def test_tr_g4_player_without_a_territory_is_out_with_all_cards():
    game = table(THREE, hands={1: [1, 2]}, num_players=3).play("territory 6", "territory 1", "all", "done")
    assert (game.alive.tolist(), game.hand_count[1], game.discards[:2].tolist()) == ([1, 0, 1, 0], 0, [1, 1])
    assert game.garrison[1].tolist() == [60, 20, 12, 6]


def test_tr_g5_domination_wins_at_the_end_of_the_turn():
    own = {number: (0, {"troop": 1}) for number in range(1, 18)}
    for domination, winner in ((True, 0), (False, -1)):
        game = table({**own, **FAR}, TurnStep.REDUCE, switches={"domination": domination})
        assert game.winner == winner
    del own[17]
    assert table({**own, **FAR}, TurnStep.REDUCE).winner == -1


def test_tr_g5_last_player_in_play_wins():
    game = table({6: (0, {"troop": 9}), 1: (1, {"troop": 1})}).play("territory 6", "territory 1", "all", "done")
    assert (game.terminated, game.truncated, game.winner, game.current_player) == (1, 0, 0, -1)


def test_tr_g6_forfeiting_defender_has_lost_the_battle():
    game = table(THREE, num_players=3)
    game.play("territory 6", "territory 1", "all").forfeit(1)
    assert (game.asked, game.current_player, game.owner(1), game.alive[1]) == ("MOVE_UNIT", 0, -1, 0)
    assert game.events("OUT") == [("OUT", 1, 0, 0)]


def test_tr_g6_forfeit_between_attacks_ends_the_turn_at_once():
    game = table(THREE, TurnStep.STANDARD, {0: [1]}, actions_left=2, num_players=3).forfeit(0)
    assert (game.active, game.current_player, game.asked, game.discards[0]) == (1, 1, "STANDARD", 1)


def test_tr_g6_forfeit_in_the_middle_of_a_choice_leaves_nothing_of_it():
    game = table({6: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=1).force_dice("5")
    game.play("reinforce", "territory 6")
    assert (game.asked, game.chain_length) == ("REINFORCE_QUANTITY", 1)
    game.forfeit(0)
    assert (game.winner, game.chain_length) == (1, 0)


def test_tr_g6_forfeiting_attacker_leaves_the_turn_to_the_next():
    game = table(THREE, num_players=3)
    game.play("territory 6", "territory 1", "all").forfeit(0)
    assert (game.active, game.owner(6), game.units(1), game.garrison[0, 0]) == (1, -1, {"troop": 2}, 60)


def test_tr_g6_forfeit_of_a_bystander_changes_nothing_in_the_battle():
    game = table(THREE, hands={2: [3]}, num_players=3).play("territory 6", "territory 1", "all")
    legal = game.legal()
    game.forfeit(2)
    assert (game.legal(), game.owner(20), game.discards[2]) == (legal, -1, 1)


def test_tr_q51_defender_who_forfeits_early_leaves_an_uncontrolled_target():
    game = table(THREE, num_players=3).play("territory 6", "territory 1").forfeit(1)
    assert (game.asked, game.current_player, game.owner(1)) == ("ATTACK_QUANTITY", 0, -1)
    game.play("all")
    assert (game.victories, game.asked, game.events("ROLL")) == (1, "MOVE_UNIT", [])


@pytest.mark.parametrize(
    ("own", "returns"),
    [
        ({1: (0, TROOPS), 3: (0, TROOPS)}, [1.0, -1.0]),  # more territories
        ({1: (0, {"rider": 1})}, [1.0, -1.0]),  # as many, of greater value
        ({1: (0, TROOPS)}, [0.0, 0.0]),
        ({1: (0, {"troop": 1})}, [-1.0, 1.0]),
    ],
)
def test_tr_g7_truncated_game_is_ranked_by_territories_then_by_value(own, returns):
    game = table({**own, **FAR}, TurnStep.REDUCE, fields={"first_player": 1}, switches={"max_rounds": 1})
    assert (game.truncated, game.terminated, game.returns()) == (1, 0, returns)


def test_tr_g8_winner_takes_what_the_others_share():
    own = {number: (0, {"troop": 1}) for number in range(1, 18)}
    game = table({**own, 20: (1, TROOPS), 19: (2, TROOPS)}, TurnStep.REDUCE, num_players=3)
    assert game.returns() == [1.0, -0.5, -0.5]


def test_tr_g8__tr_q39_returns_add_up_to_zero_with_players_out():
    territories = {1: (0, TROOPS), 20: (2, TROOPS)}
    game = table(territories, TurnStep.REDUCE, num_players=4, switches={"max_rounds": 2})
    game.resume(alive=[1, 0, 1, 0], rounds=1, frame_step=[TurnStep.END, 0, 0], active=2)
    assert game.returns() == [0.3333, -0.3333, 0.3333, -0.3333]


def test_tr_g7_truncation_from_outside_clears_what_was_under_way():
    game = table({6: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=1).force_dice("5").play("reinforce")
    match = Match(dataclasses.replace(game.game, max_decisions=game.decisions + 1))
    match.restore(game.states.tobytes(), [])
    match.play(match.game.parse_action(match.states, "territory 6"))
    game = Table(match.game, match.states)
    assert game.truncated == 1
    assert (game.asked, game.chain_length, game.legal()) == ("NONE", 0, [])


@pytest.mark.parametrize(("defenders", "returns"), [(5, [1, -1]), (15, [-1, 1])])
def test_tr_g7_units_on_the_battle_board_count_where_a_game_is_truncated_in_a_battle(defenders, returns):
    game = table({6: (0, {"troop": 12}), 1: (1, {"troop": defenders})}).play("territory 6", "territory 1")
    game.play("quantity 10")
    match = Match(dataclasses.replace(game.game, max_decisions=game.decisions + 2))
    match.restore(game.states.tobytes(), [])
    for text in ("troop", f"quantity {defenders - 1}"):
        match.play(match.game.parse_action(match.states, text))
    game = Table(match.game, match.states)
    assert (game.truncated, game.units(6), game.units(1)) == (1, {"troop": 2}, {"troop": 1})
    assert (game.board(0), game.board(1)) == ({"troop": 10}, {"troop": defenders - 1})
    assert game.returns() == returns


def test_tr_g8_nothing_is_paid_before_the_end():
    game = table(THREE, num_players=3)
    earned = np.full((1, 3), 7, np.float32)
    game.game.returns(game.game.params, game.states, earned)
    assert earned.tolist() == [[0, 0, 0]]


def test_tr_q39_eliminated_player_is_paid_at_once():
    game = table(THREE, num_players=3).forfeit(1)
    assert game.returns() == [0.0, -0.5, 0.0]


def test_tr_g6_attacker_forfeits_before_a_target_is_named():  # with index checks: there is no target to return to
    game = table({2: (0, {"troop": 3}), 1: (1, TROOPS), 3: (2, TROOPS)}, num_players=3).play("territory 2")
    assert game.asked == "ATTACK_TARGET"
    game.forfeit(0)
    assert (game.active, game.owner(2), game.source, game.garrison[0, 0]) == (1, -1, -1, 60)


def test_tr_g6_forfeit_that_ends_the_game_in_a_declaration_returns_the_attackers():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS)})
    game.play("territory 6", "territory 1", "quantity 2", "troop")
    game.forfeit(1)
    assert (game.winner, game.units(6), game.board(0)) == (0, {"troop": 3}, {})
    assert (game.source, game.target, game.chain_length) == (-1, -1, 0)


def test_tr_g8_dominating_player_wins_over_all_others():
    own = {number: (0, {"troop": 1}) for number in range(1, 18)}
    rest = {number: (1 + number % 2, {"hero": 1}) for number in range(18, 20)}
    game = table({**own, **rest}, TurnStep.REDUCE, num_players=3)
    assert (game.winner, game.returns()) == (0, [1, -0.5, -0.5])
