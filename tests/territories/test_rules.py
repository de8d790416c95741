"""Rules of Territories by positions with forced dice; names begin with the rule."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.constants import TurnStep
from sackarmies_env.testing.probe import observation_of
from tests.territories.builders import FAR, TROOPS, attack, table

# --- turn and standard actions


def test_tr_t1_first_turn_has_one_standard_action():
    game = make_game()
    states = game.new_states(1)
    game.start(states, seed=3)
    while states["active"][0] < 0:
        game.step(game.params, states, np.array(legal_ids(states["legal"][0])[:1]))
    assert states["frame_data"][0, 0, 0] == 1
    assert states["active"][0] == states["first_player"][0]


def test_tr_t2_done_gives_up_the_other_standard_action():
    game = table({1: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=2).play("done")
    assert game.asked == "ATTACK_SOURCE"


def test_tr_v2_troops_that_the_garrison_lacks_are_lost():  # TR-T3
    own = {number: (0, TROOPS) for number in (1, 2, 3)}
    game = table({**own, **FAR}, TurnStep.STANDARD, actions_left=2, garrison={0: {"troop": 8}})
    game.force_dice("254").play("reinforce", "territory 1", "all")
    assert game.units(1) == {"troop": 10}
    assert game.asked == "STANDARD"


def test_tr_t3_troops_may_be_split_and_the_rest_given_up():
    game = table({1: (0, TROOPS), 2: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=2)
    game.force_dice("64").play("reinforce", "territory 1", "quantity 3", "territory 2", "quantity 1", "done")
    assert (game.units(1), game.units(2)) == ({"troop": 5}, {"troop": 3})


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


def test_tr_dp4_card_places_troops_free_of_charge():
    game = table({1: (0, TROOPS), 2: (0, TROOPS), **FAR}, TurnStep.STANDARD, {0: [7]}, actions_left=1)
    game.play("card 7", "territory 2")
    assert (game.units(2), game.asked, game.discards[6]) == ({"troop": 6}, "STANDARD", 1)


# --- exchange


@pytest.mark.parametrize(
    ("units", "traded_in", "left"),
    [({"rider": 2}, "rider", {"engine": 1}), ({"troop": 5}, "troop", {"engine": 1})],
)
def test_tr_v1_units_cover_the_value(units, traded_in, left):  # TR-X2, TR-X3, TR-Q1
    game = table({1: (0, units), **FAR}, TurnStep.EXCHANGE).play(traded_in, "engine", "territory 1")
    assert game.units(1) == left


def test_tr_v1_one_rider_is_no_engine():  # TR-X3
    game = table({1: (0, {"rider": 1}), **FAR}, TurnStep.EXCHANGE)
    assert game.play("rider").asked == "ATTACK_SOURCE" or "engine" not in game.legal()


def test_tr_x1_pair_holds_for_the_step_or_the_turn():
    own = {1: (0, {"troop": 9, "rider": 3}), **FAR}
    for switch, bound in (("per_step", False), ("per_turn", True)):
        game = table(own, TurnStep.STANDARD, actions_left=2, switches={"exchange_pair": switch})
        game.play("extra exchange", "troop", "rider", "territory 1", "done", "extra exchange")
        assert (game.asked == "EXCHANGE") == bound


# --- attacks


def test_tr_a2_at_most_ten_units_attack():
    game = table({6: (0, {"troop": 15}), 1: (1, {"troop": 9}), **FAR}).play("territory 6", "territory 1")
    assert "quantity 10" in game.legal()
    assert "quantity 11" not in game.legal()
    game.play("all")
    assert (game.units(6), game.asked, game.current_player) == ({"troop": 5}, "DEFENSE_UNIT", 1)


def test_tr_v3_five_to_one_wins_at_once():  # TR-A5, TR-Q8
    game = attack({"troop": 10}, {"troop": 2}, "")
    assert (game.asked, game.owner(1), game.victories, game.barred) == ("MOVE_UNIT", -1, 1, 0)
    fought = attack({"troop": 9}, {"troop": 2}, "333333333" + "44")
    assert fought.num_skirmishes == 2


def test_tr_q9_defender_without_units_on_the_board_loses_the_territory():
    game = table({6: (0, {"troop": 3}), 1: (1, {"troop": 9}), **FAR})
    game.play("territory 6", "territory 1", "all", "done")
    assert (game.units(1), game.garrison[1, 0]) == ({}, 58)


def test_tr_a6_attacks_of_a_turn_are_limited():
    own = {6: (0, {"troop": 9}), **FAR}
    game = table(own, switches={"attacks_per_turn": 1})
    game.play("territory 6", "territory 1", "quantity 1", "done", "troop", "quantity 1", "done")
    assert (game.owner(1), game.attacks, game.asked) == (0, 1, "MOVE_SOURCE")


def test_tr_dp7_card_cancels_the_attack():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS), **FAR}, hands={1: [9]})
    game.play("territory 6", "territory 1", "all", "card 9")
    assert (game.units(6), game.barred, game.territory_safe[0]) == ({"troop": 3}, 0, 1)
    assert game.play("territory 6") and "territory 1" not in game.legal()


# --- dice


def test_tr_v4_ones_and_twos_of_the_attacker():  # TR-B1, TR-B2
    game = attack({"troop": 3, "rider": 1}, {"troop": 2}, "1125" + "44")
    assert game.asked == "ONE"
    game.play("troop", "troop")
    assert game.legal() == ["remove", "trade"]
    game.play("trade")
    assert (game.board(0), game.num_skirmishes) == ({"troop": 2}, 2)


def test_tr_q10_board_emptied_by_ones_loses_before_the_other_rolls():
    game = attack({"troop": 2}, {"troop": 2}, "11")
    assert (game.barred, game.units(1), game.units(6)) == (1, {"troop": 2}, {"hero": 1})


def test_tr_q11_without_a_troop_in_the_garrison_the_unit_is_removed():
    units = {6: (0, {"rider": 2, "hero": 1}), 1: (1, TROOPS), **FAR}
    game = table(units, garrison={0: {"troop": 0}}).force_dice("25" + "44")
    game.play("territory 6", "territory 1", "rider", "quantity 2", "done", "troop", "all")
    assert game.board(0) == {"rider": 1}


# --- skirmishes


def test_tr_v10_reserve_units_pay_for_extra_attacker_dice():  # TR-C3
    game = attack({"troop": 5}, {"troop": 3}, "66654" + "345", reserve={"troop": 2})
    game.play("die 6", "die 6", "die 6")
    assert (game.units(1), game.asked, game.current_player) == ({}, "EXTRA_DIE", 0)


def test_tr_v9_five_dice_on_one_win_the_battle():  # TR-C4, TR-Q13
    game = attack({"troop": 3}, {"troop": 7}, "654" + "3333333")
    assert game.asked == "EXTRA_DIE"
    game.play(*["skirmish 1"] * 4)
    assert (game.barred, game.units(6), game.units(1)) == (1, {"hero": 1}, {"troop": 7})


def test_tr_c5_skirmishes_are_numbered_by_falling_attacker_dice():  # TR-DP9
    game = attack({"troop": 3}, {"troop": 2}, "456" + "33")
    game.play("die 4", "die 6")
    faces = [int(np.flatnonzero(row[0])[0]) + 2 for row in game.skirmish_dice[:2]]
    assert faces == [6, 4]


def test_tr_d1_counters_must_be_assigned():
    game = attack({"rider": 2}, {"troop": 2}, "65" + "43")
    assert game.asked == "PAIR"
    game.play("die 3")
    assert (game.asked, game.legal()) == ("COUNTER_SKIRMISH", ["skirmish 0", "skirmish 1"])


# --- damage


def test_tr_v5_tie_breakers_of_the_defender_on_higher_ground():  # TR-E2, TR-F5
    game = attack({"troop": 1}, {"troop": 1}, "5" + "4", source=1, target=6)
    assert (game.barred, game.owner(6)) == (1, 1)


def test_tr_v6_twice_the_total_costs_an_extra_unit():  # TR-E5
    game = attack({"rider": 2}, {"troop": 2}, "63" + "33", reserve={"troop": 3})
    game.play("skirmish 0", "skirmish 0", "skirmish 0")  # both counters in the first: 6 + 2 + 1 against 3 + 1
    assert (game.board(1), game.legal()) == ({"troop": 1}, ["from board", "from territory"])
    game.play("from territory")  # the other one is a tie: one unit each, and the defender has held the territory
    assert (game.owner(1), game.units(1), game.barred) == (1, {"troop": 3}, 1)


def test_tr_v7_counter_and_tie():  # TR-E2
    game = attack({"rider": 1}, {"troop": 1}, "4" + "4", source=2, target=6)
    assert (game.barred, game.owner(6)) == (1, 1)


def test_tr_v11_equal_numbers_are_the_defenders():  # TR-F2, TR-Q18
    game = attack({"troop": 2}, {"troop": 2}, "63" + "36").play("die 3", "skirmish 0")
    assert (game.barred, game.owner(1), game.units(1)) == (1, 1, {"troop": 1})


def test_tr_v12_conqueror_splits_the_units_freely():  # TR-F4, TR-Q22
    game = attack({"troop": 10}, {"troop": 1}, "").play("done")
    assert (game.owner(1), game.owner(6)) == (-1, 0)
    taken = attack({"troop": 10}, {"troop": 1}, "").play("troop", "all", "hero")
    assert (taken.owner(1), taken.owner(6), taken.units(1)) == (0, -1, {"troop": 10, "hero": 1})


def test_tr_g1_free_move_begins_in_the_last_territory():
    game = table({20: (0, {"troop": 3}), 19: (0, TROOPS), 1: (1, TROOPS)}, TurnStep.MOVE)
    assert game.legal() == ["done", "territory 19", "territory 20"]
    assert game.play("territory 20", "troop", "all").units(19) == {"troop": 5}
    alone = table({20: (0, TROOPS), 19: (0, {"troop": 1}), 1: (1, TROOPS)}, TurnStep.MOVE)
    assert alone.asked == "MOVE_SOURCE"


def test_tr_f5_card_6_levels_the_ground_for_the_battle():
    game = attack({"troop": 1}, {"troop": 1}, "5" + "4", hands={1: [6]}).play("card 6")
    assert (game.owner(1), game.barred, game.discards[5]) == (1, 1, 1)  # 5 against 4 and the die: a tie


def test_tr_dp19_penalty_is_observed():
    own = {number: (0, TROOPS) for number in (1, 2, 3, 4)}
    game = table({**own, **FAR}, TurnStep.REDUCE, {0: [1, 2, 3, 5, 12]}).play("card 12", "territory 1")
    seen = game.game.observation_spec.view(observation_of(game.game, game.states, 1), "globals")
    names = [feature.name for feature in game.game.observation_spec.blocks[0].features]
    assert dict(zip(names, seen[0].tolist(), strict=True))["number_3"] == 2


# --- cards at the end of the turn, elimination and end


def test_tr_v13_discard_and_penalty():  # TR-G2
    own = {number: (0, TROOPS) for number in (1, 2, 3, 4)}
    game = table({**own, **FAR}, TurnStep.REDUCE, {0: [1, 2, 3, 5, 12]}).play("card 12")
    game.play("territory 1", "territory 1", "territory 2")
    assert (game.owner(1), game.units(2), game.discards[11]) == (-1, {"troop": 1}, 1)


def test_tr_q29_penalty_may_cost_the_last_territory():  # TR-G4
    game = table({1: (0, {"troop": 2}), **FAR}, TurnStep.REDUCE, {0: [12, 12]}).play("card 12")
    assert (game.terminated, game.winner) == (1, 1)


def test_tr_g5_domination_wins_at_the_end_of_the_turn():
    own = {number: (0, {"troop": 1}) for number in range(1, 16)}
    for domination, winner in ((True, 0), (False, -1)):
        game = table({**own, **FAR}, TurnStep.REDUCE, switches={"domination": domination})
        assert game.winner == winner


def test_tr_g6_forfeiting_defender_has_lost_the_battle():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS), 20: (2, TROOPS)}, num_players=3)
    game.play("territory 6", "territory 1", "all")
    dispatch(game.game.step_batch, game.game.params, game.states, Command.FORFEIT, 1)
    assert (game.asked, game.current_player, game.owner(1), game.alive[1]) == ("MOVE_UNIT", 0, -1, 0)


def test_tr_g6_forfeiting_attacker_leaves_the_turn_to_the_next():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS), 20: (2, TROOPS)}, num_players=3)
    game.play("territory 6", "territory 1", "all")
    dispatch(game.game.step_batch, game.game.params, game.states, Command.FORFEIT, 0)
    assert (game.active, game.owner(6), game.units(1), game.garrison[0, 0]) == (1, -1, {"troop": 2}, 60)


def test_tr_g6_attacker_forfeits_before_a_target_is_named():  # with index checks: there is no target to return to
    game = table({2: (0, {"troop": 3}), 1: (1, TROOPS), 3: (2, TROOPS)}, num_players=3).play("territory 2")
    assert game.asked == "ATTACK_TARGET"
    dispatch(game.game.step_batch, game.game.params, game.states, Command.FORFEIT, 0)
    assert (game.active, game.owner(2), game.source, game.garrison[0, 0]) == (1, -1, -1, 60)


def test_tr_dp2_last_troop_of_the_garrison_can_be_placed():
    own = {1: (0, TROOPS), **FAR}
    game = table(own, TurnStep.STANDARD, actions_left=1, garrison={0: {"troop": 1}})
    assert game.play("reinforce", "territory 1").units(1) == {"troop": 3}
    game = table(own, TurnStep.STANDARD, {0: [7]}, actions_left=0, garrison={0: {"troop": 1}})
    assert game.play("card 7").units(1) == {"troop": 3}


def test_tr_q53_declined_license_does_not_lift_a_bar():
    game = table({6: (0, {"troop": 9}), 11: (0, TROOPS), 1: (1, TROOPS), **FAR}, hands={0: [10, 12]})
    game.states["barred"], game.states["victories"], game.states["attacks"] = 1, 1, 1
    dispatch(game.game.step_batch, game.game.params, game.states, Command.RESUME)
    assert game.legal() == ["done", "card 10"]
    game.play(
        "card 10", "territory 6", "territory 1", "quantity 1", "done", "done"
    )  # the defender answers with nobody and has lost
    game.play("done")  # nobody moves in
    assert (game.victories, game.asked, game.legal()) == (2, "ATTACK_SOURCE", ["done"])


def test_tr_g6_forfeit_that_ends_the_game_in_a_declaration_returns_the_attackers():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS)})
    game.play("territory 6", "territory 1", "quantity 2", "troop")
    dispatch(game.game.step_batch, game.game.params, game.states, Command.FORFEIT, 1)
    assert (game.winner, game.units(6), game.board(0)) == (0, {"troop": 3}, {})
    assert (game.source, game.target, game.chain_length) == (-1, -1, 0)


def test_tr_g8_who_dominates_has_won_over_all_others():
    own = {number: (0, {"troop": 1}) for number in range(1, 16)}
    rest = {number: (1 + number % 2, {"hero": 1}) for number in range(16, 20)}
    game = table({**own, **rest}, TurnStep.REDUCE, num_players=3)
    earned = np.zeros((1, 3), np.float32)
    game.game.returns(game.game.params, game.states, earned)
    assert (game.winner, earned[0].tolist()) == (0, [1, -0.5, -0.5])


def test_tr_g8_returns_add_up_to_zero_with_players_out():  # TR-Q39
    game = table({1: (0, TROOPS), 20: (2, TROOPS)}, TurnStep.REDUCE, num_players=4, switches={"max_rounds": 1})
    game.states["alive"][0] = [1, 0, 1, 0]
    game.states["rounds"] = 1
    game.states["frame_step"][0, 0] = TurnStep.END
    game.states["decision"] = 0
    dispatch(game.game.step_batch, game.game.params, game.states, Command.RESUME)
    earned = np.zeros((1, 4), np.float32)
    game.game.returns(game.game.params, game.states, earned)
    assert earned[0] == pytest.approx([1 / 3, -1 / 3, 1 / 3, -1 / 3])
