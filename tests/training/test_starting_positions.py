"""Tournaments, training and single games of Sack Armies that begin with a scenario."""

import json

import pytest
import tomli_w
from typer.testing import CliRunner

from sackarmies_env.core.record import load_record, replay
from sackarmies_env.games.sack_armies.scenario.document import scenario_toml
from sackarmies_env.registry import game_of, load_game, load_scenario
from sackarmies_training.cli import app
from sackarmies_training.config import GameSection
from sackarmies_training.line_ups import draw_games
from tests.core.toy_game import make_duel

DUEL = load_scenario("c1_duel")
GAME = '[game]\nscenario = "c1_duel"\n'
TOURNAMENT = 'folder = "{folder}"\n{game}[tournament]\nagents = ["greedy", "random"]\nseeds = 1\nworkers = 1\n'
TRAIN = """
folder = "{folder}"
{game}[log]
to = []
[learn]
decisions = 64
games = 4
steps = 8
minibatch = 16
[network]
token = 8
mark = 4
hidden = 16
[tournament]
agents = ["learner", "random"]
seeds = 1
workers = 1
"""
LADDER = """
folder = "{folder}"
workers = 1
{game}[[rung]]
name = "random"
agent = "random"
[[rung]]
name = "greedy"
agent = "greedy"
[[pool]]
players = 2
units = 2
"""
PLACES = [[0, 0], [2, 0], [0, 2]]
ORC = {"token": "orc_infantry", "face": "up"}
THREE = {
    "game": "sack_armies",
    "generals": 3,
    "battlefield": [{"token": "plain", "at": place, "owner": seat} for seat, place in enumerate(PLACES)],
    "unit": [{**ORC, "at": place, "owner": seat} for seat, place in enumerate(PLACES)],
    "switches": {"max_turns": 6},
}


def run(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def write(tmp_path, text, game=GAME):
    path = tmp_path / "config.toml"
    path.write_text(text.format(folder=tmp_path / "f", game=game))
    return path


def check_record(path):
    """Check that a record holds the scenario and replays from it."""
    record = load_record(path)
    assert record.config["scenario"] == DUEL
    replay(game_of(record), record)


def test_tournament_begins_with_the_scenario_and_its_records_hold_it(tmp_path):
    text = run("tournament", write(tmp_path, TOURNAMENT))
    assert "2 of 2 games played" in text
    records = sorted((tmp_path / "f" / "records").glob("*.json"))
    assert len(records) == 2
    for path in records:
        check_record(path)
    assert {tuple(json.loads(path.read_text())["players"]) for path in records} == {
        ("greedy", "random"),
        ("random", "greedy"),
    }
    other = write(tmp_path, TOURNAMENT, GAME.replace("c1_duel", "c2_line"))
    assert "holds another tournament: its rules, armies or scenario differ" in run("tournament", other, code=2)


def test_general_is_trained_from_the_scenario(tmp_path):
    assert "Trained for" in run("train", write(tmp_path, TRAIN))
    for folder in ("records", "tournament/records"):
        paths = list((tmp_path / "f" / folder).glob("*.json"))
        assert paths
        for path in paths:
            check_record(path)


def test_ladder_is_played_from_the_scenario_without_armies(tmp_path):
    assert "4 of 4 games played" in run("ladder", "--config", write(tmp_path, LADDER))
    units = [json.loads(line) for line in (tmp_path / "f" / "units.jsonl").read_text().splitlines()]
    assert [unit["armies"] for unit in units] == [[], []]


def test_single_games_begin_with_the_scenario(tmp_path):
    run("watch", "greedy", "random", "--scenario", "c1_duel", "--record", tmp_path / "watched.json")
    check_record(tmp_path / "watched.json")
    words = ("greedy", "random", "--scenario", "c1_duel", "--games", 3, "--workers", 1)
    run("evaluate", *words, "--report", tmp_path / "e")
    paths = list((tmp_path / "e" / "records").glob("*.json"))
    assert len(paths) == 4  # whole units: each seed from both seats
    for path in paths:
        check_record(path)


def test_person_plays_from_the_scenario(tmp_path):
    result = CliRunner().invoke(
        app, ["play", "random", "--scenario", "c1_duel", "--record", str(tmp_path / "r.json")], input="quit\n"
    )
    assert "You left the game." in result.output
    assert load_record(tmp_path / "r.json").config["scenario"]["unit"] == DUEL["unit"]


def test_scenario_gives_the_number_of_players(tmp_path):
    path = tmp_path / "three.toml"
    path.write_text(scenario_toml(THREE))
    words = ("greedy", "random", "--scenario", path, "--games", 3, "--workers", 1)
    assert "3 of 3 games played" in run("evaluate", *words)
    record = tmp_path / "record.json"
    run("watch", "random", "random", "greedy", "--scenario", path, "--record", record)
    assert load_record(record).config["scenario"]["generals"] == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate", "greedy", "random", "--players", "3"], "num_generals is 3, but the scenario is for 2 Generals"),
        (["watch", "random", "random", "random"], "num_generals is 3, but the scenario is for 2 Generals"),
        (["watch", "random", "random", "--army", "empire", "--army", "empire"], "--army and --scenario cannot be comb"),
        (["play", "random", "--web"], "--scenario and --web cannot be combined"),
        (["evaluate", "greedy", "random", "--game", "territories"], "unknown scenario 'c1_duel'"),
    ],
)
def test_scenario_that_cannot_be_played_is_refused(words, message):
    assert message in run(*words, "--scenario", "c1_duel", code=2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("generals = 3\n", "game: num_generals is 3, but the scenario is for 2 Generals"),
        ('armies = ["empire", "empire"]\n', "game: armies and scenario cannot be combined: a scenario defines its own"),
    ],
)
def test_configuration_that_contradicts_its_scenario_is_refused(tmp_path, more, message):
    assert message in run("tournament", write(tmp_path, TOURNAMENT, GAME + more), code=2)
    path = write(tmp_path, TOURNAMENT, GAME.replace("duel", "dule"))
    assert "unknown scenario 'c1_dule'" in run("tournament", path, code=2)


def test_line_ups_are_not_drawn_for_a_scenario():
    with pytest.raises(ValueError, match=r"line_ups draws armies, but game\.scenario has tokens of its own"):
        draw_games(GameSection(scenario="c1_duel"), make_duel(), 13, seed=1)


@pytest.mark.parametrize(
    ("game_id", "switch", "scenario"), [("sack_armies", "auto_forced", False), ("territories", "domination", False)]
)
def test_switch_at_its_default_overrides_that_of_the_scenario(game_id, switch, scenario, tmp_path):
    game = load_game(game_id, switches={switch: scenario})
    states = game.new_states(1)
    game.reset(game.params, states, [1])
    path = tmp_path / "position.toml"
    path.write_text(tomli_w.dumps(game.to_scenario(states)), encoding="utf-8")
    section = GameSection.model_validate({"id": game_id, "scenario": str(path), "switches": {switch: True}})
    found = load_game(game_id, **section.options)
    assert found.params[switch][0] == load_game(game_id).params[switch][0] != game.params[switch][0]
