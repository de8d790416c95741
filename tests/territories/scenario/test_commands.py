"""Scenarios of Territories on the command line: listed, checked and played in tournaments, whose records replay."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env import list_scenarios
from sackarmies_training.cli import app

TOURNAMENT = """
folder = "{folder}"
[game]
id = "territories"
scenario = "c1_two_territories"
switches = {{ max_rounds = 2, attacks_per_turn = 1 }}
[tournament]
agents = ["random", "python:class=tests.territories.scenario.test_commands:Twin"]
seeds = 1
workers = 1
"""
GAME = ("--game", "territories")


class Twin(RandomAgent):
    """A second random agent."""

    def __init__(self, info):
        super().__init__()


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setattr("sackarmies_training.terminal.console.width", 250)


def run(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.output


def test_scenarios_are_listed_with_their_titles():
    text = run("scenario", "list", *GAME)
    assert all(name in text for name in list_scenarios("territories"))
    assert "One territory short of domination" in text


def test_scenario_is_checked_and_shown():
    assert "v09_stack is a legal position." in run("scenario", "check", "v09_stack", *GAME)


def test_faulty_scenario_is_refused(tmp_path):
    path = tmp_path / "faulty.toml"
    path.write_text('map = "small"\nstep = "atack"\n')
    result = CliRunner().invoke(app, ["scenario", "check", str(path), *GAME])
    assert result.exit_code == 2
    assert 'faulty.toml: step: unknown step "atack" (did you mean "attack"?)' in " ".join(result.stderr.split())


def test_tournament_starts_from_a_scenario_and_its_records_replay(tmp_path):
    config = tmp_path / "tournament.toml"
    config.write_text(TOURNAMENT.format(folder=tmp_path / "runs"))
    run("tournament", config)
    paths = sorted((tmp_path / "runs" / "records").glob("*.json"))
    assert paths
    for path in paths:
        record = json.loads(path.read_text())
        assert record["config"]["scenario"]["title"] == "Two territories each"
        assert record["config"]["switches"] == {"attacks_per_turn": 1, "max_rounds": 2}
        assert "is intact" in run("replay", path, "--check")
    assert len(run("replay", paths[0]).splitlines()) > 5
    page = tmp_path / "game.html"
    run("view", paths[0], "--html", page)
    assert page.stat().st_size > 1000
