"""Counters, damage and the result of a battle: TR-D, TR-E, TR-F and their rulings."""

from __future__ import annotations

import pytest

from tests.territories.builders import FAR, TROOPS, attack, table

# --- counters and cards


def test_tr_d1__tr_dp12_counters_must_be_assigned():
    game = attack({"rider": 2}, {"troop": 2}, "65" + "43")
    assert game.asked == "PAIR"
    game.play("die 3")
    assert (game.asked, game.legal()) == ("COUNTER_SKIRMISH", ["skirmish 0", "skirmish 1"])


def test_tr_dp12_kind_of_counter_is_named_first():
    game = attack({"rider": 1, "engine": 1}, {"troop": 3}, "654" + "666")
    assert (game.asked, game.legal()) == ("COUNTER", ["counter 1", "counter 2"])
    game.play("counter 2", "skirmish 1", "skirmish 2")
    assert game.skirmish_counters[:3, 0].tolist() == [0, 2, 1]


def test_tr_d1__tr_d2__tr_dp13__tr_q48_counters_then_cards_the_attacker_first():
    game = attack({"rider": 2}, {"rider": 2}, "65" + "54", hands={0: [1], 1: [2, 3]}).play("die 5")
    assert (game.asked, game.current_player) == ("COUNTER_SKIRMISH", 0)
    game.play("skirmish 0", "skirmish 1")
    assert (game.asked, game.current_player, game.legal()) == ("CARD", 0, ["done", "card 1"])
    game.play("card 1")
    assert (game.asked, game.played[0, 0], game.cards(0)) == ("CARD_SKIRMISH", 1, [])  # it lies openly on the board
    game.play("skirmish 1")
    assert (game.asked, game.current_player) == ("COUNTER_SKIRMISH", 1)
    game.play("skirmish 0", "skirmish 0")
    assert (game.current_player, game.legal()) == (1, ["done", "card 2", "card 3"])
    game.play("done")
    assert (game.asked, game.skirmish_counters[:2].tolist()) == ("ORDER", [[1, 2], [1, 0]])
    assert game.skirmish_cards[:2].tolist() == [[0, 0], [2, 0]]


# --- damage


def test_tr_e1__tr_dp14_defender_chooses_the_order():
    game = attack({"troop": 3}, {"troop": 3}, "543" + "666")
    assert (game.asked, game.current_player) == ("ORDER", 1)
    assert game.legal() == ["skirmish 0", "skirmish 1", "skirmish 2"]
    assert game.play("skirmish 1").legal() == ["skirmish 0", "skirmish 2"]


def test_tr_v5__tr_e2__tr_f5_defender_on_higher_ground():
    game = attack({"troop": 1}, {"troop": 1}, "5" + "4", source=1, target=6)
    assert (game.barred, game.owner(6)) == (1, 1)
    assert game.events("SKIRMISH") == [("SKIRMISH", 1, 0, 5 - (4 + 1 + 1))]


@pytest.mark.parametrize(
    ("source", "target", "difference"),
    [(6, 1, 5 + 1 - (3 + 1)), (1, 6, 5 - (3 + 1 + 1)), (2, 6, 5 - (3 + 1))],
)
def test_tr_f5__tr_q21_higher_of_source_and_target_has_the_bonus(source, target, difference):
    game = attack({"troop": 1}, {"troop": 1}, "5" + "3", source=source, target=target)
    assert game.events("SKIRMISH")[0][3] == difference


def test_tr_e3__tr_dp15_loser_names_the_unit():
    game = attack({"troop": 1, "rider": 1}, {"troop": 2}, "33" + "66").play("skirmish 0", "skirmish 0")
    assert (game.asked, game.current_player, game.legal()) == ("LOSS", 0, ["troop", "rider"])
    game.play("rider")  # and the troop by the other skirmish
    assert (game.garrison[0, 1], game.units(6), game.units(1)) == (20, {"hero": 1}, {"troop": 2})


def rout():
    """Return a battle whose first skirmish is a rout: 3 against 6 + 6, two dice and the higher ground."""
    game = attack({"troop": 2, "rider": 1}, {"hero": 2}, "333" + "6666", source=1, target=6)
    return game.play("skirmish 0", "skirmish 2", "skirmish 1", "skirmish 1")


def test_tr_v8__tr_e4__tr_q15__tr_q16__tr_q17__tr_dp15_lead_of_ten_ends_the_battle():
    game = rout()
    assert (game.asked, game.num_skirmishes) == ("ORDER", 3)
    game.play("skirmish 0")
    assert game.events("SKIRMISH") == [("SKIRMISH", 1, 0, 3 - (6 + 6 + 2 + 1))]
    assert (game.asked, game.current_player, game.legal()) == ("ROUT", 1, ["troop", "rider"])
    game.play("rider")  # and a troop
    assert (game.barred, game.units(1), game.units(6)) == (1, {"troop": 1, "hero": 1}, {"hero": 2})
    assert len(game.events("SKIRMISH")) == 1  # the others are not resolved


def test_tr_q17__tr_e4_more_attackers_left_after_a_rout_win_and_are_barred():
    game = attack({"troop": 3, "engine": 2}, {"hero": 2}, "3333333" + "6655", source=1, target=6)
    game.play(*["skirmish 3"] * 5, *["skirmish 0"] * 2)  # extra dice and counters, then those of the defender
    game.play("skirmish 0")
    assert game.events("SKIRMISH") == [("SKIRMISH", 1, 0, 3 - (6 + 2 * 3 + 1 + 1))]
    game.play("troop", "troop")
    assert game.events("VICTORY") == [("VICTORY", 0, 6, 1)]  # three units against two
    assert (game.asked, game.owner(6), game.victories, game.barred) == ("MOVE_UNIT", -1, 1, 1)
    assert game.play("troop", "done").asked == "MOVE_SOURCE"  # no further attack, though there could be one


def test_tr_e4_lead_of_nine_is_no_rout():
    game = rout()
    cards = game.skirmish_cards.copy()
    cards[0, 0] = 3
    game.resume(skirmish_cards=cards).play("skirmish 0")
    assert (game.asked, game.current_player) == ("LOSS", 0)
    game = rout()
    cards[0, 0] = 2
    assert game.resume(skirmish_cards=cards).play("skirmish 0").asked == "ROUT"


def test_tr_e1_twenty_skirmishes_are_resolved():
    game = attack({"engine": 10}, {"troop": 20}, "6" * 11 + "3" * 9 + "4" * 20)
    game.play(*["skirmish 0"] * 10)  # all counters: 6 + 1 + 20 against 4 + 1, which costs an extra unit
    for number in range(19):  # then there is one left, which nobody is asked about
        assert (game.asked, game.num_skirmishes) == ("ORDER", 20)
        game.play(f"skirmish {number}")
    assert (game.barred, game.units(6), game.units(1)) == (1, {"engine": 1, "hero": 1}, {"troop": 8})


def test_tr_q16_rout_takes_the_last_unit():
    game = attack({"troop": 1}, {"hero": 2}, "3" + "6666", source=1, target=6)
    assert (game.barred, game.units(1), game.garrison[0, 0]) == (1, {"hero": 1}, 59)


def test_tr_v6__tr_e5__tr_dp15_twice_the_total_costs_an_extra_unit():
    game = attack({"rider": 2}, {"troop": 2}, "63" + "33", reserve={"troop": 3})
    game.play("skirmish 0", "skirmish 0", "skirmish 0")  # both counters in the first: 6 + 2 + 1 against 3 + 1
    assert (game.board(1), game.legal()) == ({"troop": 1}, ["from board", "from territory"])
    game.play("from territory")  # the other one is a tie: one unit each, and the defender has held the territory
    assert (game.owner(1), game.units(1), game.barred) == (1, {"troop": 3}, 1)


@pytest.mark.parametrize(
    ("attackers", "dice", "lead", "asked"),
    [
        ({"engine": 1, "troop": 1}, "633" + "366", (6 + 2) - (3 + 1), "EXTRA_LOSS"),
        ({"rider": 1, "troop": 2}, "633" + "366", (6 + 1) - (3 + 1), "ORDER"),
    ],
)
def test_tr_e5_exactly_twice_the_total_costs_an_extra_unit(attackers, dice, lead, asked):
    game = attack(attackers, {"troop": 3}, dice, source=2, target=6, reserve={"rider": 1})
    game.play("die 3", "skirmish 0", "skirmish 0")
    assert (game.events("SKIRMISH"), game.asked) == ([("SKIRMISH", 1, 0, lead)], asked)


def test_tr_v7__tr_e2__tr_q21_counter_and_tie_on_level_ground():
    game = attack({"rider": 1}, {"troop": 1}, "4" + "4", source=2, target=6)
    assert (game.barred, game.owner(6)) == (1, 1)
    assert game.events("SKIRMISH") == [("SKIRMISH", 1, 0, 0)]


def test_tr_q19__tr_f1_empty_board_ends_the_battle_before_an_extra_loss():
    game = attack({"troop": 2}, {"troop": 1}, "66" + "3", reserve={"rider": 2})
    assert (game.asked, game.current_player, game.owner(1)) == ("MOVE_UNIT", 0, -1)
    assert [value for *_, value in game.events("UNIT_LOST")] == [
        0,
        1,
    ]  # the troop; before it, a rider for the extra die
    assert game.garrison[1].tolist() == [58, 20, 12, 6]


@pytest.mark.parametrize(("total", "lost", "owner"), [(0, [(0, 0), (1, 0)], 1), (1, [(1, 4)], -1)])
def test_tr_q20_total_of_zero_costs_no_extra_unit(total, lost, owner):
    game = attack({"troop": 2}, {"troop": 2}, "63" + "36").play("die 3")
    cards = game.skirmish_cards.copy()
    cards[0] = [total - (6 + 1), -20]
    game.resume(skirmish_cards=cards).play("skirmish 0")  # the other one, which the defender wins, follows silently
    told = [(player, value) for _, player, _, value in game.events("UNIT_LOST")]  # 4: two troops
    assert (told, game.owner(1)) == (lost, owner)


# --- result


def test_tr_v11__tr_f2__tr_q18_equal_numbers_are_the_defenders():
    game = attack({"troop": 2}, {"troop": 2}, "63" + "36").play("die 3", "skirmish 0")
    assert (game.barred, game.owner(1), game.units(1)) == (1, 1, {"troop": 1})


def test_tr_f2_more_units_win():
    game = attack({"troop": 3}, {"troop": 2}, "633" + "36").play("die 3", "die 6")
    game.play(*["skirmish 0"] * (game.asked == "EXTRA_DIE"))
    assert game.asked == "ORDER"
    game.play("skirmish 0")
    assert (game.victories, game.barred, game.asked) == (1, 0, "MOVE_UNIT")


def test_tr_f3__tr_g3_source_without_units_is_uncontrolled_after_a_lost_battle():
    game = table({11: (0, {"troop": 3}), 6: (0, {"troop": 2}), 1: (1, TROOPS), **FAR}).force_dice("11")
    game.play("territory 6", "territory 1", "all", "troop", "all")
    assert game.events("VICTORY") == [("VICTORY", 1, 1, 1)]
    assert (game.owner(6), game.units(6), game.owner(11)) == (-1, {}, 0)


def test_tr_f3_attackers_left_return_and_attack_no_more():
    game = attack({"troop": 3}, {"troop": 3}, "333" + "666").play("skirmish 0", "skirmish 1")
    assert (game.barred, game.asked) == (1, "MOVE_SOURCE")
    assert (game.units(6), game.units(1)) == ({"hero": 1}, {"troop": 3})
    kept = attack({"troop": 2}, {"troop": 2}, "63" + "36").play("die 3", "skirmish 0")
    assert (kept.units(6), kept.barred) == ({"troop": 1, "hero": 1}, 1)


def test_tr_v12__tr_f4__tr_q22__tr_dp16_conqueror_splits_the_units_freely():
    game = attack({"troop": 10}, {"troop": 1}, "").play("done")
    assert (game.owner(1), game.owner(6)) == (-1, 0)
    taken = attack({"troop": 10}, {"troop": 1}, "").play("troop", "all", "hero")
    assert (taken.owner(1), taken.owner(6), taken.units(1)) == (0, -1, {"troop": 10, "hero": 1})


def test_tr_f4_units_left_in_the_territory_are_destroyed_with_the_board():
    game = attack({"troop": 10}, {"troop": 1}, "", reserve={"engine": 2})
    assert (game.units(1), game.garrison[1].tolist()) == ({}, [58, 20, 12, 6])


def test_tr_q50_elimination_comes_before_occupation():
    game = table({6: (0, {"troop": 9}), 1: (1, {"troop": 1})}).play("territory 6", "territory 1", "all", "done")
    assert (game.terminated, game.winner, game.owner(1)) == (1, 0, -1)
    others = table({6: (0, {"troop": 9}), 1: (1, {"troop": 1}), 20: (2, TROOPS)}, num_players=3)
    others.play("territory 6", "territory 1", "all", "done")
    assert (others.asked, others.alive[1], others.hand_count[1]) == ("MOVE_UNIT", 0, 0)
