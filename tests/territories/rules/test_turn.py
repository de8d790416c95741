"""The turn, exchanges, free moves and reduction of cards: TR-T, TR-X, TR-G1 to TR-G3 and their rulings."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.constants import TurnStep
from tests.territories.builders import FAR, TROOPS, Table, table


def at_set_up(**options):
    """Return a new game."""
    game = make_game(**options)
    states = game.new_states(1)
    game.start(states, seed=3)
    return Table(game, states)


def place_all(game):
    """Place the troops of the set-up, each time in the first territory offered; return the players asked."""
    asked = []
    while game.asked == "PLACE":
        asked.append(game.current_player)
        game.play(game.legal()[0])
    return asked


# --- the turn and its standard actions


def test_tr_t1_steps_follow_in_their_order():
    game = table(
        {6: (0, {"troop": 5}), 11: (0, {"troop": 1}), **FAR}, TurnStep.STANDARD, {0: [1, 1, 2]}, actions_left=2
    )
    asked = [game.asked]
    for text in ("done", "done", "done", "done", "card 1"):
        asked.append(game.play(text).asked)
    assert asked == ["STANDARD", "TRADE_IN", "ATTACK_SOURCE", "MOVE_SOURCE", "REDUCE", "STANDARD"]
    assert game.active == 1


def test_tr_t1_first_turn_has_one_standard_action():
    game = at_set_up()
    while game.active < 0:
        game.game.step(game.game.params, game.states, np.array(legal_ids(game.states["legal"][0])[:1]))
    assert game.frame_data[0, 0] == 1
    assert game.active == game.first_player


def test_tr_t2__tr_dp2_done_gives_up_the_other_standard_action():
    game = table({1: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=2).play("done")
    assert game.asked == "ATTACK_SOURCE"


def test_tr_t2__tr_q5_same_action_twice_the_second_after_the_first_is_done():
    game = table({1: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=2).force_draws(10, 1)
    assert (game.play("draw").cards(0), "draw" in game.legal()) == ([10], True)
    assert (game.play("draw").cards(0), game.legal()) == ([10, 1], ["done"])  # asked, since there are cards in hand


def test_tr_q52_first_turn_after_a_forfeit_has_one_standard_action():
    game = at_set_up(num_players=3)
    first = game.first_player
    game.forfeit(first)
    place_all(game)
    assert (game.active, game.frame_data[0, 0], game.turn) == ((first + 1) % 3, 1, 1)


@pytest.mark.parametrize(("num_players", "dealt"), [(2, 8), (3, 6), (4, 5)])
def test_tr_dp1_players_place_three_troops_four_times_in_seat_order(num_players, dealt):
    game = at_set_up(num_players=num_players)
    first = game.first_player
    assert place_all(game) == [(first + place) % num_players for place in range(num_players)] * 4
    for player in range(num_players):
        own = game.territory_owner == player
        assert (own.sum(), game.territory_units[own].sum()) == (dealt, 3 * dealt + 12)


def test_tr_v2__tr_t3_troops_that_the_garrison_lacks_are_lost():
    own = {number: (0, TROOPS) for number in (1, 2, 3)}
    game = table({**own, **FAR}, TurnStep.STANDARD, actions_left=2, garrison={0: {"troop": 8}})
    game.force_dice("254").play("reinforce", "territory 1", "all")
    assert game.units(1) == {"troop": 10}
    assert game.asked == "STANDARD"


def test_tr_t3__tr_dp3__tr_q40_troops_may_be_split_and_the_rest_given_up():
    game = table({1: (0, TROOPS), 2: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=2)
    game.force_dice("64").play("reinforce", "territory 1", "quantity 3", "territory 2", "quantity 1")
    game.play("territory 1", "quantity 1", "done")
    assert (game.units(1), game.units(2), game.asked) == ({"troop": 6}, {"troop": 3}, "STANDARD")


def test_tr_t4_drawn_card_is_the_forced_one():
    game = table({1: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=2).force_draws(10, 12)
    assert game.play("draw", "draw").cards(0) == [10, 12]


def test_tr_t4_discards_become_the_deck():
    game = table({1: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=2)
    game.states["deck"], game.states["deck_count"] = 0, 0
    game.states["discards"][0, 4] = 1
    game.play("draw")
    assert (game.cards(0), game.cycle, int(game.discards.sum())) == ([5], 1, 0)
    assert "draw" not in game.legal()


def test_tr_t5__tr_q4_extra_free_move_is_made_at_once():
    game = table({6: (0, {"troop": 3}), 11: (0, {"troop": 1}), **FAR}, TurnStep.STANDARD, actions_left=1)
    game.play("extra move", "territory 6")
    assert game.asked == "MOVE_UNIT"
    game.play("troop", "quantity 2", "done")
    assert (game.units(11), game.asked) == ({"troop": 3}, "TRADE_IN")
    assert game.play("done", "done").asked == "MOVE_SOURCE"  # the one of step 4 is still there


def test_tr_t6_extra_exchange_is_made_at_once():
    game = table({1: (0, {"troop": 4}), **FAR}, TurnStep.STANDARD, actions_left=2)
    game.play("extra exchange", "troop", "territory 1")
    assert (game.units(1), game.asked) == ({"troop": 1, "rider": 1}, "STANDARD")


def test_tr_q47_standard_actions_that_can_do_nothing_are_not_offered():
    game = table({1: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=2, garrison={0: {"troop": 0}})
    assert game.legal() == ["done", "draw"]
    able = table({1: (0, {"troop": 3}), 2: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=2)
    assert able.legal() == ["done", "reinforce", "draw", "extra move", "extra exchange"]


@pytest.mark.parametrize(("troops", "offered"), [(1, []), (2, ["all"]), (25, ["all"])])
def test_tr_q32_all_is_offered_from_two_units_on(troops, offered):
    own = {6: (0, {"troop": troops, "rider": 1}), 11: (0, {"troop": 1}), **FAR}
    game = table(own, TurnStep.MOVE).play("territory 6", "troop")
    if troops == 1:  # taken silently
        assert (game.units(11), game.asked) == ({"troop": 2}, "MOVE_UNIT")
        return
    assert game.legal() == [f"quantity {number}" for number in range(1, min(troops, 20) + 1)] + offered
    assert game.play("all").units(11) == {"troop": troops + 1}


# --- exchange


@pytest.mark.parametrize(
    ("units", "traded_in", "left"),
    [({"rider": 2}, "rider", {"engine": 1}), ({"troop": 5}, "troop", {"engine": 1})],
)
def test_tr_v1__tr_x2__tr_x3__tr_q1_units_cover_the_value(units, traded_in, left):
    game = table({1: (0, units), **FAR}, TurnStep.EXCHANGE).play(traded_in, "engine", "territory 1")
    assert game.units(1) == left


def test_tr_v1__tr_x3_one_rider_is_no_engine():
    game = table({1: (0, {"rider": 1}), **FAR}, TurnStep.EXCHANGE).play("rider")
    assert (game.asked, game.traded_out, game.legal()) == ("EXCHANGE", 0, ["done", "territory 1"])


def test_tr_x2_units_of_two_territories_do_not_add_up():
    own = {number: (0, {"troop": 2}) for number in (1, 2)}
    assert table({**own, **FAR}, TurnStep.EXCHANGE).asked == "ATTACK_SOURCE"


def test_tr_q2_no_more_units_are_traded_than_needed_and_down_if_wished():
    game = table({1: (0, {"rider": 2}), **FAR}, TurnStep.EXCHANGE).play("rider")
    assert game.legal() == ["troop", "engine"]
    assert game.play("troop", "territory 1").units(1) == {"troop": 1, "rider": 1}


def test_tr_q31_types_differ_and_the_garrison_must_have_the_one_taken():
    game = table({1: (0, {"hero": 2}), **FAR}, TurnStep.EXCHANGE, garrison={0: {"engine": 0}}).play("hero")
    assert game.legal() == ["troop", "rider"]


def test_tr_x1__tr_q3_pair_holds_for_the_step_or_the_turn():
    own = {1: (0, {"troop": 9, "rider": 3}), **FAR}
    for switch, bound in (("per_step", False), ("per_turn", True)):
        game = table(own, TurnStep.STANDARD, actions_left=2, switches={"exchange_pair": switch})
        game.play("extra exchange", "troop", "rider", "territory 1", "done", "extra exchange")
        assert (game.asked == "EXCHANGE") == bound


def test_tr_x1_pair_of_a_turn_does_not_outlive_it():
    territories = {1: (0, {"troop": 9}), 20: (1, {"rider": 4})}
    pair = {"traded_in": 0, "traded_out": 1}
    game = table(territories, TurnStep.REDUCE, fields=pair, switches={"exchange_pair": "per_turn"})
    assert (game.active, game.traded_in, game.traded_out) == (1, -1, -1)
    game.resume(frame_step=[TurnStep.EXCHANGE, 0, 0])
    assert (game.asked, game.legal()) == ("TRADE_IN", ["done", "rider"])


def test_tr_dp5__tr_q42_step_ends_once_nothing_can_be_exchanged():
    game = table({1: (0, {"troop": 8}), **FAR}, TurnStep.EXCHANGE).play("troop")
    assert game.legal() == ["rider", "engine", "hero"]  # the pair must be completed
    game.play("rider", "territory 1")
    assert game.legal() == ["done", "territory 1"]
    assert game.play("territory 1").asked == "ATTACK_SOURCE"
    assert game.units(1) == {"troop": 2, "rider": 2}


# --- free moves and control


def test_tr_g1__tr_dp17_free_move_goes_to_an_adjacent_own_territory():
    own = {number: (0, TROOPS) for number in (2, 6, 11)}
    game = table({**own, **FAR}, TurnStep.MOVE).play("territory 6")
    assert game.legal() == ["territory 2", "territory 11"]
    game.play("territory 11", "troop", "quantity 1", "done")
    assert (game.units(6), game.units(11), game.active) == ({"troop": 1}, {"troop": 3}, 1)


def test_tr_q41_units_move_type_by_type_and_at_once():
    own = {6: (0, {"troop": 3, "rider": 2}), 11: (0, {"troop": 1}), **FAR}
    game = table(own, TurnStep.MOVE).play("territory 6", "troop", "quantity 1")
    assert game.units(11) == {"troop": 2}
    game.play("rider", "all", "troop", "quantity 1")
    assert (game.units(6), game.units(11)) == ({"troop": 1}, {"troop": 3, "rider": 2})


def test_tr_g3__tr_q7_empty_territory_is_uncontrolled_and_closed_to_free_moves():
    own = {6: (0, TROOPS), 11: (0, {"troop": 1}), **FAR}
    game = table(own, TurnStep.STANDARD, actions_left=2).play("extra move", "territory 6", "troop", "all")
    assert (game.owner(6), game.owner(11), game.units(11)) == (-1, 0, {"troop": 3})
    assert "extra move" not in game.legal()  # the empty territory next to it is no target
    game.play("done", "done")
    assert (game.asked, game.legal()) == ("ATTACK_SOURCE", ["done", "territory 11"])


# --- reduction of cards


def test_tr_v13__tr_g2__tr_dp18__tr_dp19_discard_and_penalty():
    own = {number: (0, TROOPS) for number in (1, 2, 3, 4)}
    game = table({**own, **FAR}, TurnStep.REDUCE, {0: [1, 2, 3, 5, 12]})
    assert game.legal() == ["card 1", "card 2", "card 3", "card 5", "card 12"]
    game.play("card 12")
    assert game.legal() == [f"territory {number}" for number in (1, 2, 3, 4)]
    game.play("territory 1", "territory 1", "territory 2")
    assert (game.owner(1), game.units(2), game.discards[11]) == (-1, {"troop": 1}, 1)


def test_tr_dp19_penalty_takes_troops_from_the_first_and_the_last_territory():
    own = {1: (0, TROOPS), 20: (0, TROOPS), 10: (1, TROOPS)}
    game = table(own, TurnStep.REDUCE, {0: [12, 1, 2]}).play("card 12")
    assert game.legal() == ["territory 1", "territory 20"]


def test_tr_q23_penalty_takes_as_many_troops_as_there_are():
    game = table({1: (0, {"troop": 1, "rider": 1}), **FAR}, TurnStep.REDUCE, {0: [12, 1]}).play("card 12")
    assert (game.units(1), game.cards(0), game.active) == ({"rider": 1}, [1], 1)


def test_tr_q46_penalty_is_due_before_the_next_discard():
    game = table({1: (0, {"troop": 9}), **FAR}, TurnStep.REDUCE, {0: [12, 12, 1]}).play("card 12")
    assert (game.units(1), game.asked) == ({"troop": 6}, "REDUCE")
    assert game.play("card 12").units(1) == {"troop": 3}


def test_tr_q29__tr_g4_penalty_may_cost_the_last_territory():
    game = table({1: (0, {"troop": 2}), **FAR}, TurnStep.REDUCE, {0: [12, 12]}).play("card 12")
    assert (game.terminated, game.winner) == (1, 1)


def test_tr_q29_card_that_is_played_costs_nothing():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS), **FAR}, hands={1: [9]})
    game.play("territory 6", "territory 1", "all", "card 9")
    assert (game.units(1), game.discards[8]) == (TROOPS, 1)


def test_tr_q45_round_is_over_when_the_order_begins_anew():
    own = {1: (0, TROOPS), **FAR}
    rounds = [table(own, TurnStep.REDUCE, fields={"first_player": first}).rounds for first in (0, 1)]
    assert rounds == [0, 1]


def test_tr_g1_free_move_begins_in_the_last_territory():
    game = table({20: (0, {"troop": 3}), 19: (0, TROOPS), 1: (1, TROOPS)}, TurnStep.MOVE)
    assert game.legal() == ["done", "territory 19", "territory 20"]
    assert game.play("territory 20", "troop", "all").units(19) == {"troop": 5}
    alone = table({20: (0, TROOPS), 19: (0, {"troop": 1}), 1: (1, TROOPS)}, TurnStep.MOVE)
    assert alone.asked == "MOVE_SOURCE"


def test_tr_dp2_last_troop_of_the_garrison_can_be_placed():
    own = {1: (0, TROOPS), **FAR}
    game = table(own, TurnStep.STANDARD, actions_left=1, garrison={0: {"troop": 1}})
    assert game.play("reinforce", "territory 1").units(1) == {"troop": 3}
    game = table(own, TurnStep.STANDARD, {0: [7]}, actions_left=0, garrison={0: {"troop": 1}})
    assert game.play("card 7").units(1) == {"troop": 3}
