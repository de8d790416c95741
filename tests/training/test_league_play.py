"""How a league is played: budgets, waiting, games that count for suspensions, and seeds of rounds; sampled results."""

from __future__ import annotations

import json
import stat

import pytest

from tests.second_game import registered
from tests.training.leagues import Simulation

TRUE = {"low": -200.0, "middle": 0.0, "bold": 150.0, "shy": -50.0}


@pytest.fixture(autouse=True)
def duel():
    with registered():
        yield


@pytest.fixture
def simulation(tmp_path, monkeypatch):
    one = Simulation(tmp_path / "league", monkeypatch, TRUE)
    one.submit("bold")
    return one


def units_of(simulation):
    """Return all finished units, in the order of rounds and plans."""
    league = simulation.league
    return [unit for one in league.state().rounds for unit in league.entries_of(one)]


@pytest.mark.parametrize(("games", "played"), [(1, 2), (3, 4), (7, 8)])
def test_budget_is_rounded_up_to_whole_units(simulation, games, played):
    simulation.play(games)
    assert sum(len(unit.games) for unit in units_of(simulation)) == played


def test_rest_of_an_open_round_is_played_within_the_budget(simulation):
    simulation.stop_after = 1
    with pytest.raises(KeyboardInterrupt):
        simulation.play(20)
    simulation.stop_after = None
    simulation.play(3)
    assert len(units_of(simulation)) == 1 + 2
    assert simulation.league.state().open_round is not None


def test_waiting_counts_units_since_an_agent_last_played(simulation):
    simulation.submit("shy")
    simulation.play(60)
    league, units = simulation.league, units_of(simulation)
    state, found = league.state(), []
    for label in ("bold@1", "shy@1"):
        last = max(place for place, unit in enumerate(units) if label in unit.line_up)
        assert league._waiting(state, state.entries[label]) == len(units) - 1 - last
        found.append(len(units) - 1 - last)
    assert max(found) < len(units) / 2  # both played, and waited less than all the units


def test_forfeits_before_the_latest_games_do_not_count(tmp_path, monkeypatch):
    simulation = Simulation(tmp_path / "league", monkeypatch, TRUE, more="[suspension]\nforfeits = 3\ngames = 6")
    simulation.submit("bold")
    for failing, games in (({"bold@1"}, 2), (set(), 8), ({"bold@1"}, 2)):  # its first units, so it plays them all
        simulation.failing = failing
        simulation.play(games)
    lost = [bool(game.forfeits) for unit in units_of(simulation) for game in unit.games if "bold@1" in unit.line_up]
    assert lost == [True] * 2 + [False] * 8 + [True] * 2
    assert simulation.league.state().entries["bold@1"].status == "active"


def test_seed_of_a_closed_round_is_as_readable_as_its_plan(simulation):
    simulation.play(2)
    folder = simulation.folder / "rounds" / "0001"
    assert simulation.league.state().rounds[0].closed is not None
    plan, seed = (stat.S_IMODE((folder / name).stat().st_mode) for name in ("plan.json", "seed.json"))
    assert seed == plan != 0o600


def test_other_seed_than_the_journal_promised_is_refused(simulation):
    simulation.stop_after = 1
    with pytest.raises(KeyboardInterrupt):
        simulation.play(20)
    path = simulation.folder / "rounds" / "0001" / "seed.json"
    path.write_text(json.dumps({"seed": "5"}))
    with pytest.raises(ValueError, match=r"seed\.json: this is not the seed whose SHA-256 the journal holds"):
        simulation.play(20)
