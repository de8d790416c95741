"""The log of public events: TR-EV1 to TR-EV22. An event is its name, a player, a territory (0: none) and a value."""

from __future__ import annotations

import pytest

from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.constants import Event, TurnStep
from sackarmies_env.games.territories.words.sentences import event_words
from tests.territories.builders import FAR, TROOPS, UNITS, Table, attack, table

NUMBERS = {  # units of the first type that are traded in for one of the second
    ("troop", "rider"): 3,
    ("troop", "engine"): 5,
    ("troop", "hero"): 8,
    ("rider", "troop"): 1,
    ("rider", "engine"): 2,
    ("rider", "hero"): 3,
    ("engine", "troop"): 1,
    ("engine", "rider"): 1,
    ("engine", "hero"): 2,
    ("hero", "troop"): 1,
    ("hero", "rider"): 1,
    ("hero", "engine"): 1,
}
ONE = {1: (0, TROOPS), **FAR}
TWO = {6: (0, {"troop": 4}), 11: (0, TROOPS), **FAR}


def test_tr_ev1_turn_begins():
    assert table(ONE, TurnStep.REDUCE).events("TURN") == [("TURN", 1, 0, 0)]


def test_tr_ev2__tr_ev4_draw_is_told_without_the_kind():
    game = table(ONE, TurnStep.STANDARD, actions_left=2).force_draws(10).play("draw")
    assert game.events("STANDARD", "DRAW") == [("DRAW", 0, 0, 1), ("STANDARD", 0, 0, 2)]  # one card in hand


def test_tr_ev3_roll_and_placements():
    game = table({**ONE, 2: (0, TROOPS)}, TurnStep.STANDARD, actions_left=2).force_dice("64")
    game.play("reinforce", "territory 2", "quantity 3", "done")
    assert game.events("REINFORCEMENT", "PLACEMENT") == [("PLACEMENT", 0, 2, 3), ("REINFORCEMENT", 0, 0, 10)]
    card = table(ONE, TurnStep.STANDARD, {0: [7]}, actions_left=1).play("card 7")
    assert card.events("CARD", "PLACEMENT") == [("PLACEMENT", 0, 1, 4), ("CARD", 0, 0, 6)]


def test_tr_ev3_placement_of_the_set_up_has_territory_and_troops():
    game = make_game()
    states = game.new_states(1)
    game.start(states, 3)
    new = Table(game, states)
    player, text = new.current_player, new.legal()[0]
    assert new.play(text).events("PLACEMENT")[0] == ("PLACEMENT", player, int(text.removeprefix("territory ")), 3)


def test_tr_ev5_discards_become_the_deck():
    game = table(ONE, TurnStep.STANDARD, actions_left=2)
    game.states["deck"], game.states["deck_count"] = 0, 0
    game.states["discards"][0, 4] = 3
    assert game.play("draw").events("RESHUFFLE") == [("RESHUFFLE", 0, 0, 3)]


def test_tr_ev6_exchange():
    game = table({1: (0, {"troop": 5}), **FAR}, TurnStep.EXCHANGE).play("troop", "engine", "territory 1")
    assert game.events("EXCHANGE") == [("EXCHANGE", 0, 1, 0 * 4 + 2)]


@pytest.mark.parametrize(("types", "number"), NUMBERS.items())
def test_tr_ev6_exchange_is_observed_with_types_and_number(types, number):
    traded_in, traded_out = types
    game = table({1: (0, {traded_in: number + 2}), **FAR}, TurnStep.EXCHANGE).play(traded_in, traded_out, "territory 1")
    assert game.units(1) == {traded_in: 2, traded_out: 1}
    (kind, player, place, value), *_ = game.game.observation_spec.view(game.observation(0)[None], "events")[0].tolist()
    assert (kind, player, place) == (Event.EXCHANGE, 0, 0)
    assert divmod(value, 4) == (UNITS.index(traded_in), UNITS.index(traded_out))
    words = f"Player 0 trades {number} {traded_in}"
    assert event_words(Event.EXCHANGE, "player 0", 1, value).startswith(words)


def test_tr_ev7__tr_ev9__tr_ev11__tr_ev12_attack_answer_rolls_and_skirmishes():
    game = attack({"troop": 3}, {"troop": 3}, "543" + "666")
    assert game.events("ATTACK", "SOURCE", "DEFENSE", "ROLL", "SKIRMISHES") == [
        ("SKIRMISHES", 1, 0, 3),
        ("ROLL", 1, 0, 3),
        ("ROLL", 0, 0, 3),
        ("DEFENSE", 1, 0, 3),
        ("SOURCE", 0, 6, 3),
        ("ATTACK", 0, 1, 3),
    ]


def test_tr_ev11_faces_are_seen_by_all_even_if_the_battle_ends_at_once():
    seen = []
    for dice in ("6" + "4", "5" + "3"):
        game = attack({"troop": 1}, {"troop": 1}, dice, source=1, target=6)
        faces = [int(face) for face in dice]
        assert [game.rolled[player].tolist().index(1) + 1 for player in (0, 1)] == faces
        rows = game.game.observation_spec.view(game.observation(0)[None], "players")[0]
        first = game.game.observation_spec.block("players").column("rolled_1")
        assert [row.index(1) + 1 for row in rows[:, first : first + 6].tolist()] == faces
        seen.append(game.observation(1).tobytes())
    assert seen[0] != seen[1]


def test_tr_ev11_faces_of_an_earlier_battle_are_forgotten_at_the_next_roll():
    game = table({1: (0, {"troop": 3}), 6: (1, {"troop": 2}), 11: (0, {"troop": 1}), **FAR}, fields={"rolled": 7})
    game.force_dice("65" + "43").play("territory 1", "territory 6", "quantity 2", "done", "troop", "all")
    assert game.rolled[:2].tolist() == [[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0]]


def test_tr_ev8_attack_called_off():
    game = table({6: (0, {"troop": 3}), 1: (1, TROOPS), **FAR}, hands={1: [9]})
    game.play("territory 6", "territory 1", "all", "card 9")
    assert [event[:2] for event in game.events("CANCELLED", "DEFENSE")] == [("CANCELLED", 1)]


def test_tr_ev10__tr_ev17_win_by_odds():
    game = attack({"troop": 10}, {"troop": 1}, "")
    assert game.events("OVERRUN", "VICTORY") == [("VICTORY", 0, 1, 0), ("OVERRUN", 0, 0, 10)]


def test_tr_ev11_what_ones_and_twos_take():
    game = attack({"troop": 3, "rider": 1}, {"troop": 2}, "1255" + "44").play("troop", "trade")
    assert game.events("UNIT_LOST", "UNIT_TRADED") == [("UNIT_TRADED", 0, 0, 1), ("UNIT_LOST", 0, 0, 0)]


def test_tr_ev12_units_lost_for_extra_dice():
    game = attack({"troop": 2}, {"troop": 1}, "33" + "6", reserve={"rider": 1, "engine": 1}).play("engine")
    assert game.events("UNIT_LOST")[-1] == ("UNIT_LOST", 1, 0, 2)


def test_tr_ev14__tr_ev15_card_and_pass():
    game = attack({"troop": 2}, {"troop": 2}, "54" + "44", hands={0: [3, 1]}).play("card 3", "done")
    assert game.events("CARD", "PASS") == [("PASS", 1, 0, 0), ("PASS", 0, 0, 0), ("CARD", 0, 0, 2)]


def test_tr_ev16__tr_ev17_skirmish_loss_and_battle_over():
    game = attack({"troop": 1}, {"troop": 1}, "5" + "4", source=1, target=6)
    assert game.events("SKIRMISH", "UNIT_LOST", "VICTORY") == [
        ("VICTORY", 1, 6, 1),  # the attacker is barred
        ("UNIT_LOST", 0, 0, 0),
        ("SKIRMISH", 1, 0, -1),
    ]


def test_tr_ev18_occupation():
    game = attack({"troop": 10}, {"troop": 1}, "").play("troop", "quantity 4", "done")
    assert game.events("MOVE") == [("MOVE", 0, 1, 4)]


def test_tr_ev19_free_move():
    game = table(TWO, TurnStep.MOVE).play("territory 6", "troop", "quantity 3", "done")
    assert game.events("MOVE") == [("MOVE", 0, 11, 3)]
    assert table(TWO, TurnStep.MOVE).play("done").events("MOVE") == []  # declining to move is no event


def test_tr_ev20_discard_and_penalty():
    game = table({1: (0, {"troop": 9}), **FAR}, TurnStep.REDUCE, {0: [4, 1]}).play("card 4")
    assert game.events("DISCARD", "UNIT_LOST") == [("UNIT_LOST", 0, 1, 0), ("DISCARD", 0, 0, 3)]


def test_tr_ev21_player_out_with_open_cards():
    game = table({**TWO, 1: (2, TROOPS)}, hands={1: [2]}, num_players=3).forfeit(1)
    assert game.events("OUT", "DISCARD") == [("DISCARD", 1, 0, 1), ("OUT", 1, 0, 0)]


def test_tr_ev11__tr_ev20_losses_and_discards_in_a_row_are_one_event_with_number():
    game = table({6: (0, {"troop": 11}), 1: (1, {"troop": 40}), **FAR}).force_dice("3" * 10 + "1" * 34 + "4" * 6)
    game.play("territory 6", "territory 1", "quantity 10", "troop", "all")
    assert game.events("UNIT_LOST") == [("UNIT_LOST", 1, 0, 4), ("UNIT_LOST", 1, 0, 4 * 31)]  # 2 and 32 troops
    game = table({**TWO, 1: (2, TROOPS)}, hands={1: [3, 2, 3, 3]}, num_players=3).forfeit(1)
    assert game.events("DISCARD") == [("DISCARD", 1, 0, 1), ("DISCARD", 1, 0, 2 + 12 * 2)]


def test_tr_ev22_game_over_by_victory_or_truncation():
    assert table(TWO).forfeit(1).events("OVER") == [("OVER", 0, 0, 0)]
    cut = table(ONE, TurnStep.REDUCE, fields={"first_player": 1}, switches={"max_rounds": 1})
    assert cut.events("OVER") == [("OVER", -1, 0, 1)]
