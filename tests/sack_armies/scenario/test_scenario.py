"""Scenarios: read as written, refused if they break the rules; any state survives a round trip."""

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from sackarmies_env.core.chance import forced_left
from sackarmies_env.core.state import Role, alloc
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.belief.determinize import determinize_games
from sackarmies_env.games.sack_armies.config import build_params, capacity_for, make_config
from sackarmies_env.games.sack_armies.scenario.document import load_scenario, scenario_toml, start_scenario, to_scenario
from sackarmies_env.games.sack_armies.state.constants import Decision, Zone
from sackarmies_env.games.sack_armies.state.record import STATE_FIELDS, make_state_dtype
from sackarmies_env.games.sack_armies.switches import Switches
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.text_game import B1, SCENARIOS, TextGame, attachment, field, position, token, unit

WALKER = token("walker", band="green")
SMALL = {"name": "small", "tokens": {"plain": 5, "swamp": 2, "goblin_infantry": 3}}
SCRIPTED = {"flip_method": "scripted", "auto_forced": "off"}
BOON = {"id": "boon", "kind": "spell", "use": "free", "effects": [{"kind": "modify", "stat": "armor", "amount": 1}]}
BANE = {
    "id": "bane",
    "kind": "spell",
    "use": "permanent",
    "target": "enemy_unit",
    "range": 2,
    "effects": [{"kind": "modify", "stat": "armor", "amount": -1}],
}


def differences(one, other):
    """Return the fields in which two states differ; ignores scratch, forced results, stale entries and `decisions`."""
    found = []
    for declared in STATE_FIELDS:
        if declared.role == Role.SCRATCH or declared.part == "forced results" or declared.name == "decisions":
            continue
        first, second = np.asarray(one[declared.name][0]), np.asarray(other[declared.name][0])
        if declared.counted_by:
            used = int(one[declared.counted_by][0])
            first, second = first[:used], second[:used]
        if not np.array_equal(first, second):
            found.append(declared.name)
    return found


def left_of_script(states):
    """Return the forced results that are left."""
    return [forced_left(states, name) for name in ("flips", "draws")]


def begun(scenario, seed=5):
    """Return the state that a reset of a scenario's game begins with."""
    game = make_game(scenario=scenario)
    states = game.new_states(1)
    game.reset(game.params, states, np.array([seed], np.int64))
    return states


def check_round_trip(params, config, states):
    """Check that a state survives a dump to TOML and back, with the same forced results left; return the new game.

    The state is also that with which every reset of the dump's game begins.
    """
    dump = to_scenario(params, config, states)
    again = start_scenario(tomllib.loads(scenario_toml(dump)))
    for other in (again.states, begun(dump)):
        assert differences(states, other) == []
        assert left_of_script(states) == left_of_script(other)
    assert json.loads(json.dumps(dump)) == dump
    assert to_scenario(again.params, again.config, again.states) == dump
    return again


def play_randomly(config, seed, plies, every):
    """Yield (params, states) of a random game every `every` plies, and at its end."""
    rng = np.random.default_rng(seed)
    params = build_params(config)
    states = alloc(make_state_dtype(capacity_for(config)), 1)
    entry.reset(params, states, np.array([seed], np.int64))
    mask = np.zeros((1, config.num_actions), np.int8)
    for ply in range(plies):
        if ply % every == 0 or states["current_player"][0] < 0:
            yield params, states
        if states["current_player"][0] < 0:
            return
        entry.legal_actions(params, states, mask)
        legal = np.flatnonzero(mask[0])
        weights = np.where(legal == 2, 0.2, 1.0)  # Draw less, so that more happens on the board
        entry.step(params, states, rng.choice(legal, 1, p=weights / weights.sum()).astype(np.int64))
        assert states["error"][0] == 0


# --- round trips of any state


@pytest.mark.parametrize("seed", [1, 2])
def test_states_of_random_games_survive_the_round_trip(seed):
    config = make_config(2, switches={"max_turns": 120})
    seen = set()
    for params, states in play_randomly(config, seed, 260, 29):
        again = check_round_trip(params, config, states)
        seen.add(Decision(int(states["decision"][0])).name)
        if states["current_player"][0] >= 0:  # the same continuation
            here, action = states.copy(), np.array([int(np.flatnonzero(_mask(again))[0])], np.int64)
            entry.step(params, here, action)
            entry.step(again.params, again.states, action)
            assert differences(here, again.states) == []
    assert len(seen) >= 3


def _mask(game):
    mask = np.zeros((1, game.config.num_actions), np.int8)
    entry.legal_actions(game.params, game.states, mask)
    return mask[0]


def test_states_of_three_generals_survive_the_round_trip():
    config = make_config(3, switches={"flip_method": "deck_jokers", "auto_forced": "off", "reaction_windows": "full"})
    for params, states in play_randomly(config, 5, 170, 34):
        check_round_trip(params, config, states)


def test_a_sampled_state_survives_the_round_trip():
    config = make_config(2, switches={"max_turns": 60})
    for params, states in play_randomly(config, 9, 81, 40):
        guessed = states.copy()
        determinize_games(params, guessed, np.array([0], np.int64), np.array([1], np.int64))
        check_round_trip(params, config, guessed)


def test_a_dump_during_setup_shows_the_picks():
    params, states = next(play_randomly(make_config(2), 3, 1, 1))
    dump = to_scenario(params, make_config(2), states)
    assert dump["setup"] is True
    assert dump["battlefield"] == dump["unit"] == []
    assert [len(general["picked"]) for general in dump["general"]] == [5, 5]
    assert dump["procedure"]["decision"] == "setup_type"


def test_a_dump_after_the_end_names_the_winner():
    t = TextGame(
        position(
            [WALKER],
            [unit("walker", "1,0"), unit("walker", "2,0", 1)],
            "H T",
            general=[{"sack": ["walker"]}, {"casualties": ["walker"]}],
            switches={"auto_forced": "off"},
        )
    )
    t.do("melee", "hex 1,0", "hex 2,0").pass_all().do("no")
    dump = t.dump()
    assert (t.winner, dump["winner"], dump["victory_type"]) == (0, 0, "decisive")
    assert dump["general"][1]["alive"] is False
    assert dump["general"][1]["casualties"] == ["walker", "walker"]
    again = start_scenario(dump)
    assert differences(t.states, again.states) == []
    assert TextGame(dump).legal() == []


def test_a_dump_shows_what_is_left_of_the_script():
    t = TextGame(SCENARIOS / "x05_coordination.toml")
    assert t.dump()["flips"] == "T H H H T H H T"
    t.do("coord_ranged", "hex 1,0", "hex -1,0", "hex -1,1", "done")
    assert t.dump()["flips"] == "H H H T H H T"
    drawn = TextGame(SCENARIOS / "x01_draw_and_discard.toml")
    assert drawn.dump()["draws"] == [["x_new_1", "x_new_2", "x_new_3", "x_new_4"], []]
    assert drawn.do("draw").dump()["draws"] == []


def test_the_start_of_a_turn_needs_no_procedure():
    dump = TextGame(SCENARIOS / "x16_weaken.toml").dump()
    assert "procedure" not in dump
    assert ("chance" in dump, dump["seed"]) == (False, 0)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_dump_before_the_first_flip_keeps_its_chance(seed):
    game = make_game(armies=SMALL)
    states = game.new_states(1)
    game.reset(game.params, states, np.array([seed], np.int64))
    assert Decision(int(states["decision"][0])) == Decision.SETUP_PICK
    again = make_game(scenario=game.to_scenario(states))
    assert again.keeps_chance
    for other in (3, 4):
        assert differences(states, begun(again.config["scenario"], other)) == []


def test_a_guess_at_a_decision_with_one_choice_survives_the_round_trip():
    config = make_config(2, [SMALL, SMALL])
    found = 0
    for params, states in play_randomly(config, 1, 40, 1):
        guessed = states.copy()
        viewer = 1 - states["current_player"].astype(np.int64)
        determinize_games(params, guessed, viewer, np.array([1], np.int64))
        if guessed["num_legal"][0] == 1:
            found += 1
            check_round_trip(params, config, guessed)
    assert found


def test_every_example_survives_the_round_trip():
    for path in sorted(SCENARIOS.glob("*.toml")):
        game = start_scenario(path)
        check_round_trip(game.params, game.config, game.states)


def test_short_lists_are_written_on_one_line():
    text = scenario_toml({"at": [1, -2], "log_hex": ["1,-2", "-"], "frame_data": [[0, 1]], "draws": []})
    assert text.splitlines() == [
        "at = [1, -2]",
        'log_hex = ["1,-2", "-"]',
        "frame_data = [",
        "    [0, 1],",
        "]",
        "draws = []",
    ]


def test_a_dump_in_a_reaction_window_goes_on_there():
    t = TextGame(SCENARIOS / "x08_retreat.toml").do("melee", "hex 0,0", "hex 1,0", "surprise")
    again = TextGame(t.dump())
    assert (again.player, again.decision, again.legal()) == (1, Decision.SURPRISE_SLOT, ["slot 0"])
    again.do("slot 0", "hex 2,-1")
    assert again.casualties(1) == ["x_retreat"]


@pytest.mark.parametrize(
    "given", [{"auto_forced": "on", "max_turns": 5}, Switches(auto_forced=True, max_turns=5)], ids=["dict", "object"]
)
def test_switches_given_with_a_scenario_replace_those_of_the_scenario(given):
    agreed = {"auto_forced": False, "max_turns": 9, "augment_stacks": False}
    game = make_game(scenario=position([WALKER], UNITS, switches=agreed), switches=given)
    assert game.config["scenario"]["switches"] == {"augment_stacks": False, "max_turns": 5}


# --- what an entry means


def test_every_entry_finds_its_place():
    t = TextGame(
        position(
            [WALKER, BOON, BANE],
            [
                unit("walker", "0,0", face="down", attached=[attachment("boon"), attachment("boon", "up")]),
                unit(
                    "walker",
                    "3,0",
                    1,
                    attached=[attachment("bane", "up", 0)],
                    captives=[{"token": "walker", "owner": 0}, {"token": "boon", "owner": 0, "face": "down"}],
                ),
            ],
            fields=[field(h, g, controller=1 if h == "0,0" else None) for g, hexes in B1.items() for h in hexes],
            general=[
                {"hand": ["boon"], "sack": ["walker", "plain"], "casualties": ["bane"], "removed": ["walker"]},
                {"sack": ["walker"]},
            ],
            to_move=1,
            turn=7,
        )
    )
    assert (t.player, t.active, t.turn) == (1, 1, 7)
    own, enemy = t.unit("0,0"), t.unit("3,0")
    assert (own.id, own.owner, own.face) == ("walker", 0, "down")
    assert (own.attachments, own.attachment_faces) == (("boon", "boon"), ("down", "up"))
    assert (enemy.attachments, enemy.captives) == (("bane",), ("boon", "walker"))
    assert t.stat("3,0", "armor") == 0  # the permanent is in effect
    assert (t.field("0,0").owner, t.field("0,0").controller) == (0, 1)
    assert (t.hand(0), t.sack(0)) == (["boon"], ["plain", "walker"])
    assert (t.casualties(0), t.removed(0)) == (["bane"], ["walker"])
    assert t.zone(0, Zone.CAPTURED) == ["boon", "walker"]
    assert t.dump()["unit"][1]["attached"] == [{"token": "bane", "face": "up", "owner": 0, "active": True}]


def test_an_own_permanent_is_in_effect_only_if_said_so():
    blessing = BANE | {"id": "blessing", "target": "own_unit"}
    entries = [attachment("blessing", "up"), attachment("blessing", "up", active=True)]
    t = TextGame(position([WALKER, blessing], [unit("walker", "0,0", attached=entries)]))
    assert t.stat("0,0", "armor") == 0


def test_load_gives_plain_data_with_what_was_given():
    path = SCENARIOS / "x20_unrevealed_occupation.toml"
    data = load_scenario(path)
    assert data == tomllib.loads(path.read_text())
    assert load_scenario(data) == data
    assert load_scenario("x20_unrevealed_occupation") == data


def test_the_documented_example_loads():
    page = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text()
    example = tomllib.loads(re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1])
    t = TextGame(example)
    assert (t.unit("1,0").attachments, t.unit("1,0").captives) == (("retreat",), ("wisps",))
    assert t.dump()["draws"] == example["draws"]


def test_the_seed_decides_what_is_not_forced():
    scenario = position([WALKER], [unit("walker", "0,0"), unit("walker", "1,0", 1)], switches={"auto_forced": "off"})

    def outcome(seed):
        t = TextGame(scenario | {"seed": seed}).do("melee", "hex 0,0", "hex 1,0").pass_all().do("yes")
        return t.casualties(0), t.casualties(1)

    assert outcome(1) == outcome(1)
    assert len({str(outcome(seed)) for seed in range(12)}) > 1


def test_an_eliminated_general_leaves_their_battlefields():
    fields = [field("0,0", 0), field("2,0", 1), field("0,3", 2)]
    generals = [{"sack": ["walker"]}, {"sack": ["walker"]}, {"casualties": ["walker"], "alive": False}]
    t = TextGame(position([WALKER], [unit("walker", "0,0")], fields=fields, generals=3, general=generals))
    assert [t.alive(g) for g in range(3)] == [True, True, False]
    t.do("draw", "done")
    assert (t.player, t.decision) == (1, Decision.DISCARD)  # their Draw is forced
    t.do("done")
    assert (t.player, t.decision) == (0, Decision.MENU)


# --- positions that are refused


def refused(scenario):
    with pytest.raises(ValueError) as error:
        load_scenario(scenario)
    return str(error.value)


UNITS = [unit("walker", "0,0"), unit("walker", "2,0", 1)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unit": [*UNITS, unit("walker", "0,0")]}, "unit[2] (walker at 0,0): the hex already holds a unit, unit[0]"),
        ({"unit": [unit("walker", "0,5")]}, "unit[0] (walker at 0,5): a unit must stand on a battlefield or next to"),
        ({"unit": [unit("walker", "9,9")]}, "unit[0] (walker at 9,9): the hex must lie on the board, at most 9 from"),
        ({"unit": [unit("waker", "0,0")]}, 'there is no token "waker" (did you mean "walker"?)'),
        ({"unit": [unit("plain", "0,0")]}, "unit[0] (plain at 0,0): expected a unit, got a battlefield"),
        ({"unit": [unit("walker", "0,0", 2)]}, "owner is 2, but the Generals are 0 to 1"),
        (
            {"unit": [unit("walker", "1,0", face="down"), unit("walker", "2,0", 1)]},
            'unit[0] (walker at 1,0): a unit next to the opposing unit[1] (walker at 2,0) must have face = "up"',
        ),
        (
            {"battlefield": [field("0,0", 0), field("0,0", 0), field("2,0", 1)]},
            "battlefield[1] (plain at 0,0): the hex already holds a battlefield, battlefield[0]",
        ),
        ({"battlefield": [field("9,0"), field("2,0", 1)]}, "with all its neighbors, at most 8 from 0,0"),
        ({"battlefield": [field("0,0"), field("2,0")]}, "general[1] controls none of their own battlefields"),
        (
            {"battlefield": [field("0,0", 0, controller=1), field("2,0", 1)]},
            "general[0] controls none of their own battlefields",
        ),
        ({"general": [{"sack": ["walker"]}] * 3}, "general has 3 entries, but there are 2 Generals"),
        ({"unit": [UNITS[0]], "general": [{}, {}]}, "general[1] has no unit outside casualties and removed"),
        ({"general": [{}], "to_move": 1}, "general has 1 entries, but there are 2 Generals"),
        ({"general": [{"alive": False}, {}]}, "to_move is 0, but this General is eliminated"),
        ({"to_move": 3}, "to_move is 3, but the Generals are 0 to 1"),
        ({"draws": [["oger"], []]}, 'draws[0]: General 0 has no token "oger"'),
        ({"flips": "H" * 129}, "flips forces 129 flips, but at most 128 can be forced"),
        ({"flips": "H X"}, 'flips: expected H and T, with optional spaces and bars, got "H X"'),
        ({"switches": {"flip_methd": "die"}}, 'unknown key "flip_methd" (did you mean "flip_method"?)'),
        ({"switches": {"flip_method": "spin"}}, 'flip_method: "spin" is not allowed; allowed are "coin", "die"'),
        ({"uint": []}, 'unknown key "uint" (did you mean "unit"?)'),
        ({"unit": [UNITS[0] | {"face": "sideways"}]}, '"sideways" is not allowed; allowed are "up", "down"'),
        ({"unit": [UNITS[0] | {"at": [0]}]}, "at"),
        ({"unit": [{"token": "walker", "at": [0, 0]}]}, "owner: the key is missing"),
        ({"generals": 7}, "generals: must be at most 6, not 7"),
        ({"game": "chess"}, 'game: "chess" is not allowed; allowed are "sack_armies"'),
        ({"token": [WALKER | {"id": "plain"}]}, 'the catalogue already has a token "plain"'),
    ],
)
def test_a_position_that_breaks_the_rules_is_refused(changes, message):
    assert message in refused(position([WALKER], UNITS) | changes)


@pytest.mark.parametrize(
    ("attached", "message"),
    [
        ([attachment("boon")] * 4, "unit[0] (host at 0,0): 4 spells and maneuvers of its own General are attached"),
        ([attachment("bane", "up", 1)] * 9, "9 tokens are attached, but at most 8 can be"),
        ([attachment("walker")], "attached[0] (walker): expected a spell or maneuver, got a unit"),
        ([attachment("boon", "up", 1)], "another General's token must be a permanent in effect, but this text is free"),
        ([attachment("bane", "down", 1)], 'a permanent in effect must be face up: set face = "up"'),
        ([attachment("bane", "up", 1, active=False)], "can be attached only as a permanent in effect"),
        ([attachment("trick")], 'a maneuver needs a host with a band of "red", "green", but this one is "blue"'),
    ],
)
def test_attachments_that_break_the_rules_are_refused(attached, message):
    trick = BOON | {"id": "trick", "kind": "maneuver"}
    tokens = [WALKER, token("host", band="blue"), BOON, BANE, trick]
    assert message in refused(position(tokens, [unit("host", "0,0", attached=attached), unit("walker", "3,0", 1)]))


def test_all_faults_are_reported_at_once_with_the_name_of_the_file(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(
        scenario_toml(position([WALKER], [unit("walker", "0,0"), unit("walker", "0,0"), unit("walker", "0,7")]))
    )
    lines = refused(path).splitlines()
    assert [line.split(":")[0] for line in lines] == ["bad.toml", "bad.toml"]
    assert "there is no such file" in refused(tmp_path / "none.toml")
    (tmp_path / "worse.toml").write_text("game = ")
    assert "worse.toml: not valid TOML" in refused(tmp_path / "worse.toml")


@pytest.mark.parametrize(
    ("procedure", "message"),
    [
        ({"decison": "menu"}, 'procedure: unknown field "decison" (did you mean "decision"?)'),
        ({"decision": "menue"}, 'procedure: decision: "menue" is not allowed'),
        ({"chain": [99999]}, 'procedure: chain: there is no hex 99999 on the board; hexes are written as "1,-2"'),
        ({"chain": ["9,9"]}, 'procedure: chain: there is no hex "9,9" on the board'),
        (
            {"decision": "deploy_hex", "chain": ["wisp"]},
            'chain: there is no token with the id "wisp" (did you mean "wisps"?)',
        ),
        ({"chain_length": 7}, "procedure: chain_length: must be an integer from 0 to 6, not 7"),
        ({"attack_unit": 50}, "procedure: attack_unit: unknown token 50; tokens are named by place"),
        ({"attack_unit": "unit 0,1"}, 'tokens are named by place, such as "unit 1,0"'),
        ({"token_employed": [["unit 0,9", 1]]}, 'procedure: token_employed: unknown token "unit 0,9"'),
        ({"token_employed": [["-", 1]]}, 'procedure: token_employed: "-" is not a token'),
        ({"act_type": "wisp"}, 'procedure: act_type: there is no token with the id "wisp" (did you mean "wisps"?)'),
        ({"act_type": 7}, "procedure: act_type: there is no token with the id 7"),
        ({"log_kind": ["reveal"], "log_value": [7]}, "procedure: log_value: there is no token with the id 7"),
        (
            {"log_kind": ["announce"], "log_value": ["mele"]},
            'log_value: "mele" is not allowed (did you mean "melee"?); allowed are "pass"',
        ),
        ({"frame_data": 3}, "procedure: frame_data: must be a list"),
        ({"num_modifiers": 35}, "procedure: num_modifiers: must be an integer from 0 to 34, not 35"),
        ({"rows": [0]}, "rows must be 2 lists of tokens, one for each General, not [0]"),
        ({"rows": [0, 0]}, "rows[0] must name all 7 tokens of General 0, not 0"),
    ],
)
def test_a_procedure_that_no_state_can_hold_is_refused(procedure, message):
    with pytest.raises(ValueError, match="scenario: ") as error:
        start_scenario(position([WALKER], UNITS) | {"procedure": procedure})
    assert message in str(error.value)


def test_rows_that_do_not_fit_are_refused():
    scenario = position([WALKER], UNITS)
    fields = [[f"battlefield {entry}" for entry in B1[owner]] for owner in (0, 1)]
    rows = [[*fields[0], "unit 0,0", "sack 0 spare 0"], [*fields[1], "unit 2,0", "sack 1 spare 0"]]
    start_scenario(scenario | {"procedure": {"rows": rows}})
    for name, message in (
        ("battlefield 0,0", '"battlefield 0,0" is named twice'),
        ("unit 2,0", 'General 0 has no token "unit 2,0" (did you mean "unit 0,0"?)'),
    ):
        with pytest.raises(ValueError, match=r"rows\[0\]: ") as error:
            start_scenario(scenario | {"procedure": {"rows": [[*rows[0][:5], name, rows[0][6]], rows[1]]}})
        assert message in str(error.value)


def test_a_procedure_without_a_legal_action_is_refused():
    asked = {"decision": "cast_slot", "current_player": 0, "chain": ["0,0"], "chain_length": 1, "chain_verb": "cast"}
    with pytest.raises(ValueError, match="procedure: no General has a legal action at its decision"):
        start_scenario(position([WALKER], UNITS) | {"procedure": asked})


def test_forced_flips_that_run_out_in_setup_are_refused():
    armies = [{"sack": ["plain"] * 5 + ["walker"]}] * 2
    scenario = {"setup": True, "switches": SCRIPTED, "token": [WALKER], "general": armies}
    assert start_scenario(scenario | {"flips": "TT HT"}).states["current_player"][0] == 0
    with pytest.raises(ValueError, match="flips: the forced flips run out before the first decision"):
        start_scenario(scenario | {"flips": "TT"})
