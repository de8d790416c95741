"""Scenarios as documents: what they may leave out, and which positions are refused."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from sackarmies_env import list_scenarios, load_scenario
from sackarmies_env.core.record import load_record, make_record, replay, save_record
from sackarmies_env.games.territories import make_game, make_recorded_game
from sackarmies_env.games.territories.scenario.document import SCENARIOS_FOLDER
from sackarmies_env.registry import game_of
from sackarmies_env.testing import check_game
from tests.territories.builders import Table

BOARD = [
    {"number": 6, "owner": 0, "units": {"troop": 5, "rider": 1}},
    {"number": 1, "owner": 0, "units": {"troop": 1}},
    {"number": 11, "owner": 1, "units": {"troop": 4}},
    {"number": 4, "owner": 1, "units": {"troop": 1}},
]
ROLLED = {
    "source": 6,
    "target": 11,
    "stage": "pairing",
    "attacker": {"units": {"troop": 2}, "dice": [6, 3]},
    "defender": {"units": {"troop": 2}, "dice": [5, 4]},
}
SKIRMISHES = ROLLED | {
    "stage": "order",
    "attacker": {"units": {"troop": 2}},
    "defender": {"units": {"troop": 2}},
    "skirmish": [{"attacker": [6], "defender": [5]}, {"attacker": [3], "defender": [4]}],
}


def position(**changes):
    """Return a position on the small map in step 3 of the third turn."""
    base = {"game": "territories", "map": "small", "turn": 3, "step": "attack", "territory": BOARD}
    return {key: value for key, value in (base | changes).items() if value is not None}


def start(scenario, seed=1):
    game = make_game(scenario=scenario)
    states = game.new_states(1)
    game.start(states, seed)
    return Table(game, states)


def refused(scenario):
    with pytest.raises(ValueError) as error:
        load_scenario(scenario, "territories")
    return str(error.value)


# --- what is left out


def test_built_in_scenarios_are_listed_and_have_titles():
    names = list_scenarios("territories")
    assert len(names) >= 8
    for name in names:
        data = tomllib.loads((SCENARIOS_FOLDER / f"{name}.toml").read_text())
        assert data["title"]
        assert load_scenario(name, "territories") == data


def test_garrison_and_deck_are_what_is_nowhere_else():
    table = start(position(player=[{"hand": ["Truce", "Oath"]}, {"hand": ["Truce"]}], discards={"Mutiny": 2}))
    assert table.garrison[:2].tolist() == [[24, 9, 6, 3], [25, 10, 6, 3]]
    assert (table.deck[[3, 8, 11]].tolist(), table.discards.sum(), table.deck_count) == ([1, 0, 1], 2, 35)
    assert start(position(deck={"Vanguard": 6})).discards.sum() == 34


def test_steps_of_a_turn_begin_with_all_that_belongs_to_them():
    assert (start(position(step="standard")).asked, start(position(step="standard")).frame_data[0, 0]) == (
        "STANDARD",
        2,
    )
    assert start(position(step="standard", turn=1)).frame_data[0, 0] == 1
    assert start(position(step="exchange")).asked == "TRADE_IN"
    assert start(position()).asked == "ATTACK_SOURCE"
    board = [*BOARD[:1], {"number": 2, "owner": 0, "units": {"troop": 1}}, *BOARD[2:]]
    assert start(position(step="move", territory=board)).asked == "MOVE_SOURCE"
    hand = ["Vanguard", "Fog", "Truce"]
    assert start(position(step="reduce", player=[{"hand": hand}, {}])).asked == "REDUCE"
    ended = start(position(step="end"))
    assert (ended.active, ended.turn, ended.asked) == (1, 4, "STANDARD")


def test_attack_begins_with_source_and_target_alone():
    table = start(position(attack={"source": 6, "target": 11}))
    assert (table.asked, table.attacks) == ("ATTACK_UNIT", 0)
    answered = start(
        position(attack={"source": 6, "target": 11, "stage": "answer", "attacker": {"units": {"rider": 1}}})
    )
    assert (answered.asked, answered.attacks, answered.current_player) == ("DEFENSE_UNIT", 1, 1)
    assert answered.board_counters[0].tolist() == [1, 0, 0]


def test_set_up_begins_with_the_first_placement():
    table = start(position(step="setup", turn=None, first_player=1))
    assert (table.asked, table.current_player, table.active, table.turn) == ("PLACE", 1, -1, 0)
    assert start(position(step="setup", turn=None, placed=3)).current_player == 1


def test_exchange_is_that_of_step_2_or_an_extra_one_as_the_step_says():
    steps = ("exchange", "standard")
    assert [start(position(step=step, exchanging=True)).frame_data[1, 0] for step in steps] == [1, 0]


def test_second_part_of_a_choice_is_asked_after_the_first():
    assert start(position(step="standard", reinforcement={"left": 3, "territory": 6})).asked == "REINFORCE_QUANTITY"
    assert start(position(step="standard", placing=4)).asked == "PLACE_CARD"
    assert start(position(attack={"source": 6})).asked == "ATTACK_TARGET"
    assert start(position(attack={"source": 6, "target": 11, "unit": "troop"})).asked == "ATTACK_QUANTITY"
    assert start(position(step="move", move={"source": 6, "target": 1, "unit": "troop"})).asked == "MOVE_QUANTITY"
    assert start(position(step="exchange", exchanging=True, traded_in="troop")).asked == "TRADE_OUT"


# --- positions that are refused


def with_territory(number, **changes):
    """Return the board with another entry for one territory, or with one more."""
    entry = next((each for each in BOARD if each["number"] == number), {"number": number})
    return [each for each in BOARD if each["number"] != number] + [entry | changes]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trun": 3}, 'unknown key "trun" (did you mean "turn"?); allowed are "game"'),
        ({"game": "sack_armies"}, 'game: "sack_armies" is not allowed; allowed are "territories"'),
        ({"map": "smal"}, 'unknown map "smal" (did you mean "small"?); known maps: full, small'),
        ({"num_players": 3}, "num_players must be 2 on the map 'small', not 3"),
        ({"switches": {"dominations": True}}, 'switches: unknown key "dominations" (did you mean "domination"?)'),
        ({"step": "atack"}, 'step: unknown step "atack" (did you mean "attack"?); allowed are "setup", "standard"'),
        ({"active": 2}, "active is 2, but the players are 0 to 1"),
        ({"territory": with_territory(7)}, 'territory[4].number is 7, but the territories of the map "small" are 1, 2'),
        ({"territory": [*BOARD, BOARD[0]]}, "territory 6 is given 2 times"),
        ({"territory": with_territory(3, units={"troop": 1})}, "territory 3 has 1 unit, but no owner"),
        ({"territory": with_territory(3, owner=0)}, "territory 3 has an owner, but no units"),
        ({"territory": BOARD[:2]}, "player 1 controls no territory and would be eliminated"),
        ({"territory": with_territory(6, units={"trop": 1})}, 'units: unknown key "trop" (did you mean "troop"?)'),
        (
            {"territory": with_territory(6, units={"hero": 4})},
            'player 0 has 4 units "hero" on the map and the battle board, but only 3 in all',
        ),
        (
            {"player": [{"garrison": {"troop": 25}}, {}]},
            "player[0].garrison.troop is 25, but must be 24: 6 of 30 are on the map",
        ),
        ({"player": [{}]}, "player has 1 entries, but there are 2 players"),
        (
            {"player": [{"hand": ["Banne"]}, {}]},
            'player[0].hand[0]: unknown card "Banne" (did you mean "Banner"?); allowed',
        ),
        ({"player": [{"hand": ["Truce"] * 3}, {}]}, 'there are 2 cards "Truce", but 3 are in hands and on the table'),
        (
            {"deck": {"Fog": 4}},
            'there are 3 cards "Fog", but 0 are in hands and on the table, and 4 in deck and discards',
        ),
        ({"deck": {"Fog": 1}, "discards": {"Fog": 2}}, 'there are 6 cards "Vanguard", but 0 are in hands'),
        (
            {"player": [{"hand": ["Fog"], "cycles": [1]}, {}]},
            "cycles must be in ascending order and at most 0, the current",
        ),
        ({"player": [{"hand": ["Fog"], "cycles": []}, {}]}, "player[0].cycles has 0 numbers for 1 card"),
        ({"player": [{}, {"alive": False}]}, "territory 11 belongs to player 1, who is out of the game"),
        ({"rounds": 20}, "rounds is 20, but the game is truncated after 20"),
        ({"victories": 2, "attacks": 1}, "attacks is 1, but must be at least 2, the attacks won and under way"),
        ({"dice": "6 7"}, 'dice: expected faces 1 to 6, with optional spaces and bars, got "6 7"'),
        ({"dice": "6" * 65}, "dice forces 65 dice, but at most 64 can be forced"),
        ({"draws": [["Fog"]]}, "draws has 1 entries, but there are 2 players"),
        ({"step": "setup"}, "active and turn must be left out in the set-up"),
        ({"penalty": 1}, 'penalty is 1, but the step is "attack", not "penalty"'),
        ({"traded_in": "troop"}, "traded_in and traded_out must be given together"),
        ({"attack": {"source": 6}, "move": {"source": 6}}, '"move", "attack" cannot be combined: only one of them'),
        (
            {"attack": {"source": 6}, "step": "move"},
            'attack: not possible in the step "move"; allowed are "attack"',
        ),
        ({"attack": {"source": 11}}, "attack.source is 11, but player 0 does not control it"),
        ({"attack": {"source": 6, "target": 4}}, "attack.target is 4, but from 6 only 2, 11 can be attacked"),
        ({"attack": ROLLED | {"stage": "pair"}}, 'stage: unknown stage of an attack "pair" (did you mean "pairing"?)'),
        (
            {"attack": ROLLED | {"ones": 1}},
            'attack.ones is 1, but the stage is "pairing"; it is allowed only at "attack_ones"',
        ),
        ({"attack": ROLLED | {"defender": {"dice": [5]}}}, "attack.defender.units: no units are on the battle board"),
        (
            {"attack": ROLLED | {"stage": "attack_roll"}},
            'attack.attacker.dice must be empty at the stage "attack_roll"',
        ),
        ({"attack": ROLLED | {"attacker": {"units": {"troop": 2}, "dice": [6]}}}, "there are fewer dice than units"),
        ({"attack": SKIRMISHES | {"skirmish": []}}, 'attack.skirmish: at least one is required at the stage "order"'),
        (
            {"attack": SKIRMISHES | {"counter": 1, "stage": "attack_counters"}},
            "counter is 1, but the attacker has none",
        ),
        (
            {"attack": SKIRMISHES | {"card": "Fog", "stage": "attack_cards"}},
            'card is "Fog", but the attacker has played',
        ),
        ({"attack": SKIRMISHES | {"rout": True, "stage": "pursuit"}}, 'rout = true requires loser = "attacker"'),
        (
            {"step": "move", "move": {"source": 6, "target": 11}},
            "move.target is 11, but must be a territory that player 0 controls",
        ),
        ({"step": "attack", "move": {"source": 6}}, "move.target: the key is missing"),
        (
            {"event": [{"kind": "card", "player": 0, "value": 12}]},
            'event[0].value is 12, but must be from 0 to 11 for the kind "card"',
        ),
        ({"event": [{"kind": "exchange", "value": 16}]}, "event[0].value is 16, but must be from 0 to 15"),
        ({"event": [{"kind": "draw", "value": 0}]}, "event[0].value is 0, but must be from 1 to 24"),
        ({"event": [{"kind": "attack", "territory": 2, "value": 3}]}, "event[0].player is required for the kind"),
        ({"event": [{"kind": "attack", "player": 0}]}, 'event[0].territory is required for the kind "attack"'),
        ({"event": [{"kind": "cancelled"}]}, 'event[0].territory is required for the kind "cancelled"'),
        ({"event": [{"kind": "over"}]}, 'event[0].player is required for the kind "over"'),
    ],
)
def test_positions_that_break_the_rules_are_refused(changes, message):
    assert message in refused(position(**changes))


def test_each_fault_has_a_line_with_the_name_of_the_file(tmp_path):
    path = tmp_path / "faulty.toml"
    path.write_text('map = "full"\ntrun = 1\nstep = "atack"\n[[territory]]\nnumber = 21\n')
    lines = refused(path).splitlines()
    assert len(lines) == 3
    assert all(line.startswith("faulty.toml: ") for line in lines)


@pytest.mark.parametrize("source", ["v03_five_to_on", "missing.toml", 3])
def test_sources_that_do_not_exist_are_refused(source):
    assert str(source) in refused(source)


def test_empty_name_is_refused_as_no_scenario():
    assert refused("") == "scenario: expected a name, a file path or a table, got ''"


def test_near_names_of_scenarios_are_suggested():
    assert "(did you mean 'v03_five_to_one'?)" in refused("v03_five_to_on").replace('"', "'")
    assert "sackarmies scenario list --game territories" in refused("nothing like it")


def test_options_must_agree_with_the_scenario():
    with pytest.raises(ValueError, match="num_players is 3, but the scenario has 2"):
        make_game(num_players=3, scenario=position())
    with pytest.raises(ValueError, match="map is 'full', but the scenario has 'small'"):
        make_game(map="full", scenario=position())
    game = make_game(2, "small", {"max_rounds": 7}, position())
    assert game.params["max_rounds"][0] == 7
    assert game.build(**game.config).digest == game.digest


@pytest.mark.parametrize("switches", ["x", "", [1], 5, {"dominations": True}])
def test_wrong_switches_are_refused_with_a_scenario_as_without(switches):
    told = []
    for options in ({}, {"scenario": position()}):
        with pytest.raises(ValueError, match=r"^switches: ") as error:
            make_game(switches=switches, **options)
        told.append(str(error.value))
    assert told[0] == told[1]


def test_switches_given_override_those_of_the_scenario_even_with_a_default():
    scenario = position(switches={"domination": False, "max_rounds": 7})
    game = make_game(switches={"domination": "on"}, scenario=scenario)
    assert (game.params["domination"][0], game.params["max_rounds"][0]) == (6, 7)


# --- games and records


@pytest.mark.parametrize("name", ["c2_big_battle", "c1_two_territories"])
def test_contract_holds_in_games_from_scenarios(name):
    check_game(make_game(scenario=name), num_games=2)


def test_seed_of_a_scenario_is_that_of_every_game():
    rolls = [start(position(seed=4, step="standard"), seed).play("reinforce").frame_data[1, 0] for seed in range(6)]
    others = [start(position(step="standard"), seed).play("reinforce").frame_data[1, 0] for seed in range(6)]
    assert len(set(rolls)) == 1
    assert len(set(others)) > 1


def test_record_of_a_game_from_a_scenario_replays(tmp_path):
    game = make_game(scenario="v09_stack")
    states = game.new_states(1)
    game.start(states, 3)
    actions = []
    for text in ("die 6", "die 6", "die 5", *["skirmish 0"] * 4):
        actions.append(game.parse_action(states, text))
        game.step(game.params, states, actions[-1:])
    save_record(make_record(game, 3, actions), tmp_path / "record.json")
    record = load_record(tmp_path / "record.json")
    assert isinstance(record.config["scenario"], dict)
    assert np.array_equal(replay(game_of(record), record), states)


def test_record_of_another_game_or_position_is_refused():
    record = make_record(make_game(scenario="v09_stack"), 3, [])
    with pytest.raises(ValueError, match="another configuration: scenario is"):
        replay(make_game(scenario="v10_reserves"), record)
    with pytest.raises(ValueError, match="another configuration: scenario is"):
        replay(make_game(2, "small"), record)
    from sackarmies_env.games import sack_armies

    with pytest.raises(ValueError, match='the record is of the game "territories", not of "sack_armies"'):
        replay(sack_armies.make_game(), record)


def test_scenarios_in_records_are_tables_alone():
    with pytest.raises(ValueError, match='scenario: must be a table, not "v09_stack"'):
        make_recorded_game(scenario="v09_stack")
    wrong = make_record(make_game(2, "small"), 3, []).model_copy(update={"config": {"scenario": "/dev/zero"}})
    with pytest.raises(ValueError, match="must be a table"):
        game_of(wrong)
