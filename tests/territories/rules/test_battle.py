"""Attacks up to the skirmishes: TR-A, TR-B, TR-C and their rulings."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.games.territories.state.constants import TurnStep
from tests.territories.builders import FAR, TROOPS, attack, table

# --- declaration


def test_tr_a1__tr_q30_attack_on_an_uncontrolled_territory_is_won_without_dice():
    game = table({6: (0, {"troop": 5}), **FAR}).play("territory 6", "territory 1", "quantity 1", "done")
    assert (game.asked, game.victories, game.events("ROLL")) == ("MOVE_UNIT", 1, [])
    game.play("troop", "quantity 1", "done")
    assert (game.owner(1), game.asked, game.attacks) == (0, "ATTACK_SOURCE", 1)  # and on to the next attack


def test_tr_a2_at_most_ten_units_attack():
    game = table({6: (0, {"troop": 15}), 1: (1, {"troop": 9}), **FAR}).play("territory 6", "territory 1")
    assert "quantity 10" in game.legal()
    assert "quantity 11" not in game.legal()
    game.play("all")
    assert (game.units(6), game.asked, game.current_player) == ({"troop": 5}, "DEFENSE_UNIT", 1)


def test_tr_dp6__tr_q43_source_target_and_then_at_least_one_unit():
    game = table({6: (0, {"troop": 2, "rider": 1}), 18: (0, TROOPS), 1: (1, TROOPS), **FAR})
    assert game.legal() == ["done", "territory 6", "territory 18"]
    assert game.play("territory 6").legal() == [f"territory {number}" for number in (1, 2, 7, 11, 12)]
    assert game.play("territory 1").legal() == ["troop", "rider"]
    assert game.play("troop").legal() == ["quantity 1", "quantity 2", "all"]
    assert game.play("quantity 1").legal() == ["done", "troop", "rider"]


def test_tr_a2_attack_goes_to_any_of_six_neighbors():
    around = (6, 7, 11, 13, 16, 17)  # of territory 12
    for target in around:
        own = {number: (0, {"troop": 2}) for number in (12, *around) if number != target}
        game = table({**own, target: (1, TROOPS), **FAR}).play("territory 12")
        assert (game.source, game.target) == (11, target - 1)  # the only one, so that nobody is asked


def test_tr_a1_step_of_attacks_is_over_where_none_can_be_declared():
    safe = [0] * 20
    safe[1] = safe[5] = 1  # territories 2 and 6, the neighbors of 1
    game = table({1: (0, TROOPS), **FAR}, hands={0: [1]}, fields={"territory_safe": safe})
    assert game.asked == "MOVE_SOURCE"


def test_tr_a3_dice_and_counters_follow_from_the_units():
    game = attack({"rider": 2, "engine": 1}, {"troop": 2}, "6543" + "54")
    assert game.board_counters[0].tolist() == [2, 1, 0]
    assert game.loose_dice[0].tolist() == [0, 1, 1, 1, 1]


def test_tr_a4__tr_q44_answer_ends_when_the_territory_is_empty():
    game = table({6: (0, {"troop": 3}), 1: (1, {"troop": 2, "rider": 1}), **FAR}).force_dice("666" + "543")
    game.play("territory 6", "territory 1", "all")
    assert (game.current_player, game.legal()) == (1, ["done", "troop", "rider"])
    game.play("troop", "all", "rider")
    assert (game.board(1), game.units(1), game.asked) == ({"troop": 2, "rider": 1}, {}, "PAIR")


def test_tr_v3__tr_a5__tr_q8_five_to_one_wins_at_once():
    game = attack({"troop": 10}, {"troop": 2}, "")
    assert (game.asked, game.owner(1), game.victories, game.barred) == ("MOVE_UNIT", -1, 1, 0)
    fought = attack({"troop": 9}, {"troop": 2}, "333333333" + "44")
    assert fought.num_skirmishes == 2


def test_tr_a5_dice_are_compared_and_not_units():
    game = attack({"engine": 3}, {"troop": 1}, "")
    assert game.events("OVERRUN") == [("OVERRUN", 0, 0, 6)]
    game = attack({"troop": 9}, {"hero": 1}, "")  # two dice
    assert (game.events("OVERRUN"), len(game.events("ROLL"))) == ([], 2)


def test_tr_q9_defender_without_units_on_the_board_loses_the_territory():
    game = table({6: (0, {"troop": 3}), 1: (1, {"troop": 9}), **FAR})
    game.play("territory 6", "territory 1", "all", "done")
    assert (game.units(1), game.garrison[1, 0]) == ({}, 58)


def test_tr_a6_attacks_of_a_turn_are_limited():
    own = {6: (0, {"troop": 9}), **FAR}
    game = table(own, switches={"attacks_per_turn": 1})
    game.play("territory 6", "territory 1", "quantity 1", "done", "troop", "quantity 1", "done")
    assert (game.owner(1), game.attacks, game.asked) == (0, 1, "MOVE_SOURCE")


@pytest.mark.parametrize(("limit", "asked"), [(1, "MOVE_SOURCE"), (2, "ATTACK_SOURCE")])
def test_tr_a6_attack_that_a_card_calls_off_counts(limit, asked):
    own = {6: (0, {"troop": 3}), 11: (0, TROOPS), 1: (1, TROOPS), **FAR}
    game = table(own, hands={1: [9]}, switches={"attacks_per_turn": limit})
    game.play("territory 6", "territory 1", "all", "card 9")
    assert (game.attacks, game.asked) == (1, asked)


def test_tr_a6_attacks_are_counted_anew_in_each_turn():
    game = table(
        {6: (0, {"troop": 3}), **FAR}, TurnStep.REDUCE, fields={"attacks": 1}, switches={"attacks_per_turn": 1}
    )
    game.play("done")
    assert (game.active, game.attacks, game.asked) == (1, 0, "ATTACK_SOURCE")


@pytest.mark.parametrize(("limit", "asked"), [(1, "MOVE_SOURCE"), (2, "ATTACK_SOURCE")])
def test_tr_q34_card_does_not_lift_the_limit_of_attacks(limit, asked):
    fields = {"barred": 1, "victories": 1, "attacks": 1}
    own = {6: (0, TROOPS), 11: (0, TROOPS), **FAR}
    game = table(own, hands={0: [10]}, fields=fields, switches={"attacks_per_turn": limit})
    assert (game.asked, "card 10" in game.legal()) == (asked, limit == 2)


def test_tr_q25__tr_q28_bar_lasts_to_the_end_of_the_turn():
    game = attack({"troop": 2}, {"troop": 2}, "11")
    assert (game.barred, game.asked) == (1, "MOVE_SOURCE")
    game.play("done")
    assert (game.active, game.barred) == (1, 0)


# --- rolling


def test_tr_v4__tr_b1__tr_b2__tr_q27__tr_dp8_ones_and_twos_of_the_attacker():
    game = attack({"troop": 3, "rider": 1}, {"troop": 2}, "1125" + "44")
    assert (game.asked, game.legal()) == ("ONE", ["troop", "rider"])  # any unit pays, whichever die it was
    game.play("troop", "troop")
    assert game.legal() == ["remove", "trade"]
    game.play("trade")
    assert (game.board(0), game.num_skirmishes) == ({"troop": 2}, 2)


def test_tr_b3_defender_rolls_by_the_same_rules():
    game = attack({"troop": 3}, {"troop": 2, "rider": 1}, "666" + "125")
    assert (game.asked, game.current_player, game.legal()) == ("ONE", 1, ["troop", "rider"])
    game.play("rider")
    assert game.board(1) == {"troop": 1}  # the two takes a troop: there is no other unit


def test_tr_q10_board_emptied_by_ones_loses_before_the_other_rolls():
    game = attack({"troop": 2}, {"troop": 2}, "11")
    assert (game.barred, game.units(1), game.units(6)) == (1, {"troop": 2}, {"hero": 1})
    assert len(game.events("ROLL")) == 1


def test_tr_q10_board_emptied_by_twos_loses_before_the_other_rolls():
    game = attack({"troop": 2}, {"troop": 2}, "22")
    assert (game.events("ROLL"), game.barred, game.owner(1)) == ([("ROLL", 0, 0, 2)], 1, 1)


def test_tr_q10_board_of_the_defender_emptied_by_twos_is_lost_without_a_skirmish():
    game = attack({"troop": 2}, {"troop": 1}, "33" + "2")
    assert (game.events("SKIRMISHES"), game.asked, game.owner(1)) == ([], "MOVE_UNIT", -1)


def test_tr_q11_without_a_troop_in_the_garrison_the_unit_is_removed():
    units = {6: (0, {"rider": 2, "hero": 1}), 1: (1, TROOPS), **FAR}
    game = table(units, garrison={0: {"troop": 0}}).force_dice("25" + "44")
    game.play("territory 6", "territory 1", "rider", "quantity 2", "done", "troop", "all")
    assert game.board(0) == {"rider": 1}


def test_tr_q11_unit_that_is_traded_down_leaves_its_dice_and_counters():
    game = attack({"rider": 2}, {"troop": 2}, "25" + "66")
    assert (game.board(0), game.board_counters[0].tolist()) == ({"troop": 1, "rider": 1}, [2, 0, 0])
    assert game.skirmish_dice[:2, 0].sum() == 2


def test_tr_q24_removed_units_go_to_the_garrison_of_their_owner():
    game = attack({"troop": 2}, {"troop": 2}, "11")
    assert game.garrison[0].tolist() == [59, 20, 12, 5]  # a troop and a hero are on the map
    assert game.garrison[1].tolist() == [56, 20, 12, 6]


# --- skirmishes


def test_tr_c1__tr_c2__tr_dp9_equal_numbers_of_dice_leave_nothing_over():
    game = attack({"troop": 2}, {"troop": 2}, "63" + "36")
    assert (game.asked, game.current_player, game.legal()) == ("PAIR", 1, ["die 3", "die 6"])
    game.play("die 3")  # against the highest attacker die
    assert game.skirmish_dice[:2].tolist() == [
        [[0, 0, 0, 0, 1], [0, 1, 0, 0, 0]],
        [[0, 1, 0, 0, 0], [0, 0, 0, 0, 1]],
    ]
    assert (game.loose_dice.sum(), game.asked) == (0, "ORDER")


def test_tr_q26__tr_dp9_defender_with_fewer_dice_chooses_the_attacker_dice():
    game = attack({"troop": 3}, {"troop": 2}, "654" + "43")
    assert (game.current_player, game.legal()) == (1, ["die 4", "die 5", "die 6"])
    game.play("die 4", "die 6")
    assert (game.loose_dice[0].tolist(), game.asked, game.current_player) == ([0, 0, 0, 1, 0], "EXTRA_DIE", 0)


def test_tr_v10__tr_c3__tr_dp11_reserve_units_pay_for_extra_attacker_dice():
    game = attack({"troop": 5}, {"troop": 3}, "66654" + "345", reserve={"troop": 2})
    game.play("die 6", "die 6", "die 6")
    assert (game.units(1), game.asked, game.current_player) == ({}, "EXTRA_DIE", 0)
    assert game.legal() == ["skirmish 0", "skirmish 1", "skirmish 2"]
    game.play("skirmish 2", "skirmish 0")  # the highest extra die first
    assert game.skirmish_dice[:3, 0].tolist() == [[0, 0, 1, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 1, 1]]


def test_tr_c3__tr_dp10_defender_names_the_units_lost_in_the_territory():
    game = attack({"troop": 2}, {"troop": 1}, "33" + "6", reserve={"rider": 1, "engine": 1})
    assert (game.asked, game.current_player, game.legal()) == ("RESERVE_LOSS", 1, ["rider", "engine"])
    assert game.play("engine").units(1) == {"troop": 1, "rider": 1}  # the defender wins the tie


def test_tr_v9__tr_c4__tr_q13_five_dice_on_one_win_the_battle():
    game = attack({"troop": 3}, {"troop": 7}, "654" + "3333333")
    assert game.asked == "EXTRA_DIE"
    game.play(*["skirmish 1"] * 4)
    assert (game.barred, game.units(6), game.units(1)) == (1, {"hero": 1}, {"troop": 7})


def test_tr_q38_fifth_die_wins_though_others_wait():
    game = attack({"troop": 3}, {"troop": 8}, "654" + "33333333")
    assert game.play(*["skirmish 1"] * 3).asked == "EXTRA_DIE"
    assert game.loose_dice[1].sum() == 2
    assert game.play("skirmish 1").barred == 1


def test_tr_c5__tr_dp9_skirmishes_are_numbered_by_falling_attacker_dice():
    game = attack({"troop": 3}, {"troop": 2}, "456" + "33")
    game.play("die 4", "die 6")
    faces = [int(np.flatnonzero(row[0])[0]) + 2 for row in game.skirmish_dice[:2]]
    assert faces == [6, 4]


@pytest.mark.parametrize(("attackers", "barred"), [(2, 1), (3, 0)])
def test_tr_q12__tr_q37_without_dice_units_decide_and_nothing_is_played(attackers, barred):
    hands = {0: [1], 1: [1]}
    game = attack({"rider": attackers}, {"rider": 2}, "543"[:attackers] + "54", hands=hands)
    assert game.asked == "PAIR"
    loose = game.loose_dice.copy()
    loose[0] = 0  # a position that no play leads to
    game.resume(loose_dice=loose)
    assert (game.barred, game.cards(0), game.cards(1)) == (barred, [1], [1])
    assert game.events("CARD", "PASS") == []


def test_tr_q14_each_die_against_a_defender_without_dice_is_a_skirmish():
    game = attack({"troop": 2}, {"troop": 2}, "64" + "54", reserve={"rider": 3})
    assert game.asked == "PAIR"
    loose = game.loose_dice.copy()
    loose[1] = 0  # a position that no play leads to
    game.resume(loose_dice=loose)
    assert (game.num_skirmishes, game.units(1)) == (2, {"rider": 1})  # both dice are extra
    assert game.skirmish_dice[:2].tolist() == [[[0, 0, 0, 0, 1], [0] * 5], [[0, 0, 1, 0, 0], [0] * 5]]
    game.play("skirmish 1")  # 4 + 1 for the higher ground against the defender's least bonus
    assert game.events("SKIRMISH") == [("SKIRMISH", 1, 0, 4)]


def test_tr_q6_cards_for_use_outside_battle_wait_for_their_step():
    own = {6: (0, {"troop": 2}), 11: (0, TROOPS), **FAR}
    for step, kind in ((TurnStep.STANDARD, 7), (TurnStep.MOVE, 8)):
        game = table(own, step, {0: [7, 8, 9, 10]}, actions_left=1)
        assert [text for text in game.legal() if text.startswith("card")] == [f"card {kind}"]


def test_tr_q53_declined_license_does_not_lift_a_bar():
    game = table({6: (0, {"troop": 9}), 11: (0, TROOPS), 1: (1, TROOPS), **FAR}, hands={0: [10, 12]})
    game.resume(barred=1, victories=1, attacks=1)
    assert game.legal() == ["done", "card 10"]
    game.play("card 10", "territory 6", "territory 1", "quantity 1", "done", "done")  # the defender sends nobody
    game.play("done")  # nobody moves in
    assert (game.victories, game.asked, game.legal()) == (2, "ATTACK_SOURCE", ["done"])
