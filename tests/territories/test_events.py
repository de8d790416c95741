"""The log of public events (TR-EV1 to TR-EV22) in scripted positions: name, player, territory and value of each."""

from __future__ import annotations

import pytest

from sackarmies_env.games.territories.state.constants import TurnStep
from tests.territories.builders import FAR, TROOPS, attack, table

DECLARED = [("ATTACK", 0, 1, 2), ("SOURCE", 0, 6, 2), ("DEFENSE", 1, 0, 2), ("ROLL", 0, 0, 2)]


def test_events_of_standard_actions():
    game = table({1: (0, TROOPS), 2: (0, TROOPS), **FAR}, TurnStep.STANDARD, {0: [7]}, actions_left=2)
    game.force_dice("25").force_draws(3).play("reinforce", "territory 1", "quantity 3", "done", "draw", "card 7")
    game.play("territory 2")
    assert game.events()[::-1] == [
        ("STANDARD", 0, 0, 1),
        ("REINFORCEMENT", 0, 0, 7),
        ("PLACEMENT", 0, 1, 3),
        ("STANDARD", 0, 0, 2),
        ("DRAW", 0, 0, 2),
        ("CARD", 0, 0, 6),
        ("PLACEMENT", 0, 2, 4),
    ]


def test_events_of_an_exchange_and_a_reshuffle():
    game = table({20: (0, {"troop": 9}), 1: (1, TROOPS)}, TurnStep.STANDARD, actions_left=2)
    game.states["deck"], game.states["deck_count"] = 0, 0
    game.states["discards"][0, 4] = 2
    game.play("draw", "extra exchange", "troop", "rider", "territory 20")
    exchanged = 0 * 4 + 1  # troops for a rider
    assert game.events()[::-1] == [
        ("STANDARD", 0, 0, 2),
        ("RESHUFFLE", 0, 0, 2),
        ("DRAW", 0, 0, 1),
        ("STANDARD", 0, 0, 4),
        ("EXCHANGE", 0, 20, exchanged),
    ]


def test_events_of_a_battle():
    game = attack({"troop": 2}, {"troop": 2}, "63" + "36").play("die 3", "skirmish 0")
    assert game.events()[::-1] == [
        *DECLARED,
        ("ROLL", 1, 0, 2),
        ("SKIRMISHES", 1, 0, 2),
        ("PASS", 0, 0, 0),
        ("PASS", 1, 0, 0),
        ("SKIRMISH", 1, 0, 3),  # 6 and the height against 3 and the die
        ("UNIT_LOST", 1, 0, 0),
        ("SKIRMISH", 1, 0, -3),
        ("UNIT_LOST", 0, 0, 0),
        ("VICTORY", 1, 1, 1),
    ]


def test_events_of_ones_and_twos():
    game = attack({"troop": 3, "rider": 1}, {"troop": 2}, "1125" + "24").play("troop", "troop", "trade")
    assert game.events()[::-1][3:] == [
        ("ROLL", 0, 0, 4),
        ("UNIT_LOST", 0, 0, 4),  # two troops
        ("UNIT_TRADED", 0, 0, 1),
        ("ROLL", 1, 0, 2),
        ("UNIT_LOST", 1, 0, 0),
    ]


def test_events_of_a_unit_that_cannot_be_traded_down():
    units = {6: (0, {"engine": 2, "hero": 1}), 1: (1, {"troop": 4}), **FAR}
    game = table(units, garrison={0: {"troop": 0}}).force_dice("2555" + "4444")
    game.play("territory 6", "territory 1", "engine", "quantity 2", "done", "troop", "all")
    assert game.events()[::-1][3:5] == [("ROLL", 0, 0, 4), ("UNIT_LOST", 0, 0, 2)]


def test_events_of_cards_and_counters():
    game = attack({"rider": 1}, {"troop": 1}, "4" + "5", reserve=None, hands={0: [1], 1: [3]})
    game.play("card 1", "card 3")
    assert game.events()[::-1][5:] == [
        ("SKIRMISHES", 1, 0, 1),
        ("CARD", 0, 0, 0),
        ("PASS", 0, 0, 0),
        ("CARD", 1, 0, 2),
        ("PASS", 1, 0, 0),
        ("SKIRMISH", 1, 0, 1),  # 4, height, counter and card: 8; 5, die and card: 7
        ("UNIT_LOST", 1, 0, 0),
        ("VICTORY", 0, 1, 0),
    ]


def test_events_of_a_stack_of_five():
    game = attack({"troop": 3}, {"troop": 7}, "654" + "3333333").play(*["skirmish 2"] * 4)
    assert game.events()[::-1][5:] == [("SKIRMISHES", 1, 0, 3), ("STACKED", 1, 0, 2), ("VICTORY", 1, 1, 1)]


def test_events_of_an_overrun_and_the_occupation():
    game = attack({"troop": 10}, {"troop": 2}, "").play("troop", "quantity 3", "done")
    assert game.events()[::-1][2:] == [
        ("DEFENSE", 1, 0, 2),
        ("OVERRUN", 0, 0, 10),
        ("VICTORY", 0, 1, 0),
        ("MOVE", 0, 1, 3),
    ]


def test_events_of_reserve_losses_and_an_extra_loss():
    game = attack({"troop": 5}, {"troop": 3}, "66654" + "345", reserve={"troop": 2})
    lost = game.play("die 6", "die 6", "die 6").events("UNIT_LOST")
    assert lost == [("UNIT_LOST", 1, 0, 4)]  # two troops


def test_events_of_a_cancelled_attack():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS), **FAR}, hands={1: [9]})
    game.play("territory 6", "territory 1", "all", "card 9")
    assert game.events()[::-1] == [
        ("ATTACK", 0, 1, 3),
        ("SOURCE", 0, 6, 3),
        ("CARD", 1, 0, 8),
        ("CANCELLED", 1, 1, 0),
    ]


def test_events_of_a_card_for_a_move():
    own = {6: (0, {"troop": 3}), 11: (0, TROOPS), 1: (1, TROOPS), **FAR}
    game = table(own, TurnStep.MOVE, hands={0: [8]}).play("card 8", "territory 6", "troop", "all")
    assert game.events()[::-1][:2] == [("CARD", 0, 0, 7), ("MOVE", 0, 11, 3)]


def test_events_of_discards_and_a_penalty():
    own = {number: (0, TROOPS) for number in (1, 2, 3, 4)}
    game = table({**own, **FAR}, TurnStep.REDUCE, {0: [1, 2, 3, 5, 12]}).play("card 12")
    game.play("territory 1", "territory 1", "territory 2", "card 5")
    assert game.events()[::-1][:4] == [
        ("DISCARD", 0, 0, 11),
        ("UNIT_LOST", 0, 1, 4),  # two troops
        ("UNIT_LOST", 0, 2, 0),
        ("DISCARD", 0, 0, 4),
    ]
    assert game.events()[::-1][4:] == [("TURN", 1, 0, 0)]


def test_events_of_a_forfeit_and_the_end():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS)}, hands={1: [2, 4]})
    game.forfeit(1)
    assert game.events()[::-1] == [("OUT", 1, 0, 0), ("DISCARD", 1, 0, 1), ("DISCARD", 1, 0, 3), ("OVER", 0, 0, 0)]


def test_events_of_an_extra_loss():
    game = attack({"rider": 2}, {"troop": 2}, "63" + "33", reserve={"rider": 3})
    game.play("skirmish 0", "skirmish 0", "skirmish 0", "from territory")
    assert game.events()[::-1][8:11] == [("SKIRMISH", 1, 0, 5), ("UNIT_LOST", 1, 0, 0), ("UNIT_LOST", 1, 0, 1)]


@pytest.mark.parametrize(("rounds", "last"), [(3, ("OVER", -1, 0, 1)), (9, ("TURN", 1, 0, 0))])
def test_events_of_a_truncation(rounds, last):
    game = table({**FAR, 4: (0, TROOPS), 5: (0, TROOPS)}, TurnStep.MOVE, switches={"max_rounds": rounds})
    game.resume(first_player=1, rounds=2, frame_top=0, frame_step=[TurnStep.END, 0, 0], log_kind=0)
    assert game.events()[::-1] == [last]
