"""Comparison of search methods: what each one knows, its choices, and the arithmetic of the tables."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.search_methods import methods
from benchmarks.search_methods.__main__ import read_contestant
from benchmarks.search_methods.kernels import ACTION, DECISION, NO_STEP
from benchmarks.search_methods.play import Contestant, Score, Seat, draw_armies
from benchmarks.search_methods.worlds import VIEWS
from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import KINDS, make_agent
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision, Zone
from sackarmies_env.games.sack_armies.tokens.army import army_ids

ORACLES = [name for name, view in VIEWS.items() if view.is_oracle]
PAGE = Path(__file__).parents[1] / "docs/search_methods.md"
CHANCE = {"flip_key", "flip_count", "draw_key", "draw_count"}


@pytest.fixture(scope="module")
def game():
    return make_game(2, armies=["empire", "undead"])


@pytest.fixture(scope="module")
def match(game):
    """Return a game of greedy Generals, stopped at General one's menu while the other one has tokens in hand."""
    match = Match(game)
    match.begin(6)
    seats = [Seat(Contestant("greedy"), game, player) for player in range(2)]
    while len(match.history) < 40 or not is_menu_before_a_hand(match):
        match.play(seats[match.player].choose(match.states, 0)[0])
    return match


def is_menu_before_a_hand(match):
    """Return whether General one is at the menu and the other one has tokens in hand."""
    is_menu = match.player == 0 and match.states["decision"][0] == Decision.MENU
    return is_menu and match.states["hand_count"][0, 1] > 0


def sample(game, match, view, seed):
    """Sample a world for General one with the view's sampler."""
    known = VIEWS[view].game(game, 0)
    states = known.clone(VIEWS[view].root(game, match.states, 0))
    known.determinize(known.params, states, np.zeros(1, np.int64), np.array([seed]))
    return states


def types_in(states, zone):
    """Return hexes and types of General two's tokens in a zone, sorted."""
    rows = (states["token_owner"][0] == 1) & (states["token_zone"][0] == zone)
    return sorted(zip(states["token_hex"][0][rows].tolist(), states["token_type"][0][rows].tolist(), strict=True))


@pytest.mark.parametrize("name", [*ORACLES, *sorted(set(methods.METHODS) - set(KINDS)), "oracle"])
def test_methods_and_oracles_are_refused_as_agents(game, name):
    with pytest.raises(ValueError, match="unknown agent"):
        make_agent(name, GameInfo.of(game))
    with pytest.raises(ValueError, match="has no option"):
        make_agent(f"search:view={name}", GameInfo.of(game))


@pytest.mark.parametrize("place", ["methods:Flat", "play:Seat", "worlds:View"])
def test_classes_of_the_comparison_are_refused_as_agents(game, place):
    with pytest.raises(ValueError, match="not a subclass of"):
        make_agent(f"python:class=benchmarks.search_methods.{place}", GameInfo.of(game))


def test_oracle_of_the_truth_changes_future_chance_alone(game, match):
    world = sample(game, match, "truth", 5)
    changed = {name for name in world.dtype.names if not np.array_equal(world[name], match.states[name])}
    assert changed <= CHANCE
    assert "flip_key" in changed


def test_oracles_keep_what_they_are_said_to_know(game, match):
    hidden = {zone: types_in(match.states, zone) for zone in Zone}
    army = sorted(type_id for found in hidden.values() for _, type_id in found)
    worlds = {name: [sample(game, match, name, seed) for seed in range(8)] for name in VIEWS}
    for name in ORACLES:
        found = [sorted(type_id for zone in Zone for _, type_id in types_in(world, zone)) for world in worlds[name]]
        assert found == [army] * 8
    keeps = {
        name: {zone for zone in Zone if all(types_in(w, zone) == hidden[zone] for w in worlds[name])} for name in VIEWS
    }
    assert keeps["truth"] == set(Zone)
    assert Zone.BATTLEGROUND in keeps["battleground"]
    assert Zone.HAND not in keeps["battleground"]
    assert Zone.HAND in keeps["hands"]
    assert Zone.HAND not in keeps["fair"] | keeps["armies"]


def test_fair_methods_are_given_what_agents_get(game, match):
    root = VIEWS["fair"].root(game, match.states, 0)
    assert root.tobytes() == match.information_set(0).states.tobytes()
    assert VIEWS["fair"].game(game, 0) is game.known_to(0)


@pytest.mark.parametrize("name", [name for name in methods.METHODS if name != "greedy"])
def test_methods_choose_legal_ids_that_depend_on_the_seed_alone(game, match, name):
    choices = [Seat(Contestant(name, "fair", 24), game, 0).choose(match.states, 3)[0] for _ in range(2)]
    assert choices[0] == choices[1]
    assert match.is_legal(choices[0])


@pytest.mark.parametrize(("name", "count"), [("flat", 6), ("flat-full", 1)])
def test_settings_on_the_page_are_those_of_the_method(game, name, count):
    row = re.findall(rf"^\| `{name}` \|.*$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[0]  # of the methods
    settings = methods.METHODS[name](game.known_to(0), 24).search.settings
    found = re.findall(r"`(\w+)=([\d.]+)`", row)
    assert len(found) == count
    assert [(key, float(value)) for key, value in found] == [(key, getattr(settings, key)) for key, _ in found]


def test_contestants_of_the_tables_are_methods():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)`(?:, oracle[^|]*)? \| \d+ \|", text, flags=re.MULTILINE)
    assert len(rows) > 10
    assert set(rows) <= set(methods.METHODS)


def test_budget_is_spent_without_early_dropping(game, match):
    root = VIEWS["fair"].root(game, match.states, 0)
    used = {}
    for name in ("flat", "flat-full"):
        search = methods.METHODS[name](game.known_to(0), 200).search
        used[name] = sum(int(search.search(root, 0, seed).counts.sum()) for seed in range(4))
    assert used["flat"] < 0.9 * used["flat-full"]
    assert used["flat-full"] > 0.9 * 4 * 200


def test_plans_are_whole_actions_of_legal_choices(game, match):
    search = methods.Macros(game.known_to(0), 24)
    search.root[...] = VIEWS["fair"].root(game, match.states, 0)
    plans = search.plans_from(search.buffer[0], 0)
    assert plans[:, 0, ACTION].tolist() == legal_ids(match.states["legal"][0])
    assert set(plans[:, 0, DECISION].tolist()) == {Decision.MENU}
    assert (plans[:, 1, DECISION] != NO_STEP).any()
    for plan in plans:
        played = match.clone()
        for decision, action in plan[plan[:, DECISION] != NO_STEP].tolist():
            assert (played.player, played.states["decision"][0]) == (0, decision)
            assert played.is_legal(action)
            played.play(action)


def test_plan_is_followed_as_long_as_its_decisions_come_up(game, match):
    search = methods.Macros(game.known_to(0), 24)
    action = legal_ids(match.states["legal"][0])[-1]
    search.rest = np.array([[Decision.MENU, action], [Decision.MOVE_TO, action]])
    search.turn = int(match.states["turn"][0])
    assert search.next_step(match.states) == action
    assert search.next_step(match.states) is None
    assert len(search.rest) == 0


@pytest.mark.parametrize("players", [2, 4])
def test_armies_of_games_come_up_equally_often_in_each_seat(players):
    pairs = [draw_armies(4, number, players) for number in range(2 * len(army_ids()))]
    for seat in range(players):
        assert sorted(pair[seat] for pair in pairs) == sorted(2 * army_ids())


def test_interval_counts_pairs_and_not_games():
    score = Score([2.0, 1.0, 1.0, 0.0])
    assert score.share == 0.5
    assert score.interval == pytest.approx((0.5 - 0.64956, 0.5 + 0.64956), abs=1e-4)  # 3.1824 * 0.8165 / 2 / 2


@pytest.mark.parametrize("text", ["", "flat:all", "random", "flat:fair:many", "flat:fair:9:1"])
def test_unknown_contestants_are_refused(text):
    with pytest.raises(ValueError, match="is not of the form method:view:playouts"):
        read_contestant(text)
