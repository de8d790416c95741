"""What each kind of card does: TR-Card-1 to TR-Card-12, and rulings on cards."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.games.territories.state.constants import TurnStep
from tests.territories.builders import FAR, TROOPS, attack, table


def totals(attacker_cards=(), defender_cards=(), cards=(), dice="5" + "4"):
    """Return the attacker's total minus the defender's in a skirmish of one troop each (T06 to T01), after cards."""
    hands = {0: list(attacker_cards), 1: list(defender_cards)}
    game = attack({"troop": 1}, {"troop": 1}, dice, hands={player: hand for player, hand in hands.items() if hand})
    game.play(*cards)
    return game.events("SKIRMISH")[0][3]


PLAIN = 5 + 1 - (4 + 1)  # higher ground of the attacker, die of the defender


@pytest.mark.parametrize(("kind", "worth"), [(1, 2), (2, 4)])
def test_tr_card_1__tr_card_2_add_to_the_own_total_in_a_skirmish(kind, worth):
    assert totals() == PLAIN
    assert totals([kind], cards=[f"card {kind}"]) == PLAIN + worth
    assert totals((), [kind], [f"card {kind}"]) == PLAIN - worth


@pytest.mark.parametrize(("kind", "worth"), [(3, 1), (4, 2)])
def test_tr_card_3__tr_card_4_count_in_every_skirmish(kind, worth):
    game = attack({"troop": 2}, {"troop": 2}, "64" + "55", hands={0: [kind]}).play(f"card {kind}", "skirmish 0")
    assert [value for *_, value in game.events("SKIRMISH")] == [4 + 1 + worth - 6, 6 + 1 + worth - 6]


def test_tr_card_5_takes_from_the_total_of_the_enemy():
    assert totals([5], cards=["card 5"]) == PLAIN + 2
    assert totals((), [5], ["card 5"]) == PLAIN - 2


def test_tr_card_6_cancels_the_higher_ground_of_the_attacker_and_is_for_the_defender():
    assert totals((), [6], ["card 6"]) == PLAIN - 1
    assert "card 6" not in attack({"troop": 1}, {"troop": 1}, "5" + "4", hands={0: [6]}).legal()


def test_tr_dp4__tr_card_7_places_troops_free_of_charge():
    game = table({1: (0, TROOPS), 2: (0, TROOPS), **FAR}, TurnStep.STANDARD, {0: [7]}, actions_left=1)
    game.play("card 7", "territory 2")
    assert (game.units(2), game.asked, game.discards[6]) == ({"troop": 6}, "STANDARD", 1)
    poor = table({1: (0, TROOPS), **FAR}, TurnStep.STANDARD, {0: [7]}, actions_left=1, garrison={0: {"troop": 3}})
    assert poor.play("card 7").units(1) == {"troop": 5}


def test_tr_q36_levy_is_played_before_each_standard_action_and_after_the_last():
    own = {1: (0, TROOPS), **FAR}
    game = table(own, TurnStep.STANDARD, {0: [7, 7]}, actions_left=1).force_draws(1)
    assert "card 7" in game.legal()
    assert game.play("card 7", "draw").legal() == ["done", "card 7"]
    assert game.play("card 7").units(1) == {"troop": 10}


def test_tr_card_8_grants_one_more_free_move():
    own = {6: (0, TROOPS), 11: (0, TROOPS), **FAR}
    game = table(own, TurnStep.MOVE, {0: [8]}).play("card 8")
    for _ in range(2):
        assert game.asked == "MOVE_SOURCE"
        game.play("territory 6", "troop", "quantity 1", "done") if game.units(6) == TROOPS else game.play("done")
    assert (game.active, game.units(11), game.discards[7]) == (1, {"troop": 3}, 1)


def test_tr_card_8_is_of_no_use_in_an_extra_free_move():
    own = {6: (0, TROOPS), 11: (0, TROOPS), **FAR}
    game = table(own, TurnStep.STANDARD, {0: [8]}, actions_left=1).play("extra move")
    assert (game.asked, game.legal()) == ("MOVE_SOURCE", ["done", "territory 6", "territory 11"])


def test_tr_dp7__tr_card_9_calls_the_attack_off():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS), **FAR}, hands={1: [9]})
    game.play("territory 6", "territory 1", "all")
    assert game.legal() == ["done", "troop", "card 9"]
    game.play("card 9")
    assert (game.units(6), game.barred, game.territory_safe[0]) == ({"troop": 3}, 0, 1)
    game.play("territory 6")
    assert "territory 1" not in game.legal()


def test_tr_card_9_protects_for_the_turn_alone():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS), 2: (2, TROOPS)}, hands={1: [9]}, num_players=3)
    game.play("territory 6", "territory 1", "all", "card 9", "done")
    assert (game.active, game.territory_safe.tolist()) == (1, [0] * 20)


def test_tr_q35_truce_comes_before_any_defending_unit():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS), **FAR}, hands={1: [9]})
    game.play("territory 6", "territory 1", "all", "troop", "quantity 1")
    assert game.legal() == ["done", "troop"]


BARRED = {"barred": 1, "victories": 1, "attacks": 2}


def test_tr_card_10_allows_one_attack_in_spite_of_the_bar():
    own = {6: (0, {"troop": 4}), 11: (0, TROOPS), **FAR}
    game = table(own, hands={0: [10]}, fields=BARRED)
    assert (game.asked, game.legal()) == ("ATTACK_SOURCE", ["done", "card 10"])
    game.play("card 10", "territory 6", "territory 1", "quantity 2", "done", "done")
    assert (game.attacks, game.asked) == (3, "MOVE_SOURCE")  # the bar holds again
    assert table(own, hands={0: [10]}, fields={"barred": 1, "attacks": 2}).asked == "MOVE_SOURCE"  # nothing won


def test_tr_card_10_needs_a_victory_in_the_same_turn():
    own = {6: (0, {"troop": 4}), 11: (0, TROOPS), 20: (1, TROOPS), 19: (1, TROOPS)}
    game = table(own, TurnStep.REDUCE, {1: [10]}, fields={"victories": 2})
    assert (game.active, game.victories) == (1, 0)
    game.resume(barred=1, frame_step=[TurnStep.ATTACK, 0, 0])
    assert game.asked == "MOVE_SOURCE"


def test_tr_q53_pursuit_that_is_not_used_is_spent():
    game = table({6: (0, {"troop": 4}), 11: (0, TROOPS), **FAR}, hands={0: [10]}, fields=BARRED)
    game.play("card 10", "done")
    assert (game.asked, game.cards(0), game.discards[9]) == ("MOVE_SOURCE", [], 1)


def test_tr_card_11_adds_a_die_to_the_own_side():
    assert totals([11], cards=["card 11"]) == PLAIN + 3
    assert totals((), [11], ["card 11"]) == PLAIN - 4  # 3, and 1 for a die of the defender


def test_tr_card_11_does_not_make_a_stack_of_five():
    game = attack({"troop": 1}, {"troop": 4}, "6" + "3333", hands={1: [11]})
    assert (game.asked, game.skirmish_dice[0, 1].tolist()) == ("CARD", [0, 4, 0, 0, 0])
    game.play("card 11")
    assert game.events("STACKED") == []
    assert game.events("SKIRMISH") == [("SKIRMISH", 1, 0, 6 + 1 - (15 + 5))]


@pytest.mark.parametrize(("kind", "penalty"), [(4, 1), (9, 2), (12, 3), (1, 0)])
def test_tr_card_4__tr_card_9__tr_card_12_cost_troops_when_discarded(kind, penalty):
    game = table({1: (0, {"troop": 9}), **FAR}, TurnStep.REDUCE, {0: [kind, 1]}).play(f"card {kind}")
    assert game.units(1) == {"troop": 9 - penalty}


def test_tr_card_12_has_no_use():
    steps = (TurnStep.STANDARD, TurnStep.ATTACK, TurnStep.MOVE)
    own = {6: (0, {"troop": 4}), 11: (0, TROOPS), **FAR}
    games = [table(own, step, {0: [12]}, actions_left=1) for step in steps]
    games += [attack({"troop": 1}, {"troop": 1}, "5" + "4", hands={player: [12]}) for player in (0, 1)]
    assert [game.asked for game in games] == ["STANDARD", "ATTACK_SOURCE", "MOVE_SOURCE", "CARD", "CARD"]
    assert not any("card 12" in game.legal() for game in games)


def test_tr_q49_kind_of_a_card_is_decided_when_it_is_drawn():
    game = table({1: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=2)
    kinds = set()
    for seed in range(40):
        twin = game.game.clone(game.states, [0], [seed])
        game.game.step(game.game.params, twin, np.array([game.game.parse_action(twin, "draw")]))
        kinds.add(int(twin["hand"][0, 0, 0]))
    assert len(kinds) > 6


def test_tr_f5_card_6_levels_the_ground_for_the_battle():
    game = attack({"troop": 1}, {"troop": 1}, "5" + "4", hands={1: [6]}).play("card 6")
    assert (game.owner(1), game.barred, game.discards[5]) == (1, 1, 1)  # 5 against 4 and the die: a tie
