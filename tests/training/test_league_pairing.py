"""Pairings of a league: newcomers, waiting, the gain of a unit, and results of simulated leagues."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from benchmarks.league import SimulatedLeague, field_of, from_nothing, with_newcomer
from sackarmies_training.league.pairing import Field, Planner, Rules
from sackarmies_training.league.strengths import Strengths, fit
from sackarmies_training.ratings import ELO_PER_NAT, PRIOR, Outcome
from sackarmies_training.stats.units import PlayedUnit

RULES = Rules(first_units=4, patience=3, games=2, seed=1)


def league_of(true, anchors=2, seed=1):
    return SimulatedLeague(true, anchors, np.random.default_rng(seed))


def planner_of(names, anchors, units=(), waiting=None, rules=RULES):
    submissions = tuple(name for name in names if name not in anchors)
    pairs = Counter(tuple(sorted(unit.line_up)) for unit in units)
    waiting = waiting or dict.fromkeys(submissions, 0)
    return Planner(Field(submissions, tuple(anchors), pairs, waiting), fit(names, units, anchors[0]), rules)


def test_newcomer_meets_each_anchor_first_and_then_others():
    league = league_of({"x": 0.0, "y": -300.0, "z": 300.0, "old": 100.0}, anchors=3)
    for _ in range(6):
        league.play([("old", name) for name in ("x", "y", "z")])
    planner = planner_of([*league.names, "new"], ["x", "y", "z"], league.units)
    first = planner.plan(4)
    assert all("new" in pair for pair in first)
    opponents = [one if other == "new" else other for one, other in first]
    assert sorted(opponents[:3]) == ["x", "y", "z"]


def test_newcomers_take_turns_until_all_have_their_first_units():
    planner = planner_of(["x", "y", "a", "b", "c"], ["x", "y"])
    played = Counter(name for pair in planner.plan(12) for name in pair)
    assert min(played[name] for name in "abc") >= RULES.first_units


def test_after_first_units_the_pair_with_the_greatest_gain_plays():
    names = ["x", "y", "near", "far"]
    units = league_of({"x": 0.0, "y": 50.0, "near": 20.0, "far": 2000.0})
    for _ in range(20):
        units.play([("x", "near"), ("y", "near"), ("x", "far"), ("y", "far"), ("x", "y")])
    planner = planner_of(names, ["x", "y"], units.units)
    gains = planner._gains()
    pairs = {
        (names[i], names[j]): gains[planner.names.index(names[i]), planner.names.index(names[j])]
        for i in range(4)
        for j in range(i)
    }
    best = max(pairs, key=lambda pair: pairs[pair])
    assert set(planner.plan(1)[0]) == set(best)


def test_gain_is_how_much_standard_deviations_shrink():
    names = ["x", "y", "a", "b"]
    league = league_of({"x": 0.0, "y": 100.0, "a": -100.0, "b": 200.0})
    for _ in range(40):
        league.play([("x", "a"), ("y", "b"), ("a", "b"), ("x", "y")])
    strengths = fit(names, league.units, "x")
    planner = planner_of(names, ["x", "y"], league.units)
    center = np.eye(4) - 0.25
    places = [names.index(name) for name in planner.names]
    before = np.linalg.inv(strengths.covariance[np.ix_(places, places)])
    i, j = planner.names.index("a"), planner.names.index("x")
    chance = 1 / (1 + np.exp(planner._values[j] - planner._values[i]))
    shift = np.eye(4)[i] - np.eye(4)[j]
    added = 2 * chance * (1 - chance) / strengths.dispersion * np.outer(shift, shift)
    spread = [np.sqrt(np.diag(center @ np.linalg.inv(matrix) @ center)) for matrix in (before, before + added)]
    assert planner._gains()[i, j] == pytest.approx(float((spread[0] - spread[1]).sum()), rel=0.1)


@pytest.mark.parametrize("mean", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("variance", [1.0, 4.0, 40.0])
def test_information_is_averaged_over_what_is_known_of_the_difference(mean, variance):
    """A unit of two games tells 2 E[p q] of the difference, here by numerical integration."""
    covariance = np.diag([variance / 2, variance / 2])
    strengths = Strengths(("x", "a"), np.array([0.0, mean]), covariance, 1.0, "x", ())
    field = Field(("a",), ("x",), Counter(), {"a": 0})
    information, spread = Planner(field, strengths, RULES)._information()
    assert spread[0, 1] == pytest.approx(variance)
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    chance = 1 / (1 + np.exp(-(mean + np.sqrt(variance) * points)))
    wanted = RULES.games * np.average(chance * (1 - chance), weights=weights)
    assert information[0, 1] == pytest.approx(wanted, rel=0.08)


def test_submission_that_waited_too_long_plays_once_and_waits_again():
    names = ["x", "y", "a", "b", "c"]
    league = league_of(dict.fromkeys(names, 0.0))
    for _ in range(10):
        league.play([("x", "a"), ("y", "b"), ("x", "c"), ("a", "b"), ("b", "c")])
    waiting = {"a": RULES.patience * len(names), "b": 0, "c": 0}
    pairs = planner_of(names, ["x", "y"], league.units, waiting).plan(8)
    assert "a" in pairs[0]
    assert sum("a" in pair for pair in pairs) < 8


def test_nobody_waits_longer_than_the_limit():
    true = {"x": 0.0, "y": 100.0, "hopeless": -3000.0, **{f"s{n}": 20.0 * n for n in range(6)}}
    league = league_of(true)
    league.patience = 2
    waited = dict.fromkeys(league.names[2:], 0)
    longest = 0
    for _ in range(40):
        pairs = league.planner().plan(5)
        league.play(pairs)
        for pair in pairs:
            for name in waited:
                waited[name] = 0 if name in pair else waited[name] + 1
                longest = max(longest, waited[name])
    assert longest <= 3 * len(true)  # patience, and one turn of all agents that wait


def test_plan_depends_on_state_and_seed_alone():
    league = field_of(3, 8, 200.0)
    league.play([("a00", "a01"), ("a02", "a03")])
    assert league.planner().plan(30) == league.planner().plan(30)
    plans = [planner_of(["x", "y", "a", "b"], ["x", "y"], rules=Rules(4, 3, 2, seed)).plan(1) for seed in range(12)]
    assert len({tuple(plan) for plan in plans}) > 1  # the seed decides between equals


def test_league_of_one_agent_has_no_pairs():
    assert planner_of(["x"], ["x"]).plan(5) == []


def test_agents_that_have_not_played_have_the_interval_of_the_prior():
    strengths = fit(["x", "y"], [], "x")
    half = 1.96 * np.sqrt(2 / PRIOR) * ELO_PER_NAT
    assert strengths.rating("y").high == pytest.approx(half, rel=1e-3)
    assert strengths.rating("x").high == 0


def unit_of(points, draw):
    """Return a pair of games in which `a` has `points` points."""
    outcomes = tuple(
        Outcome(seating, tuple(1.0 if (name == "a") == (game < points) else -1.0 for name in seating))
        for game, seating in enumerate((("a", "b"), ("b", "a")))
    )
    return PlayedUnit(("a", "b"), draw, outcomes)


@pytest.mark.parametrize(("results", "dispersion"), [((0, 2), 2.0), ((1, 1), 1.0), ((0, 1, 1, 2), 1.0)])
def test_dispersion_counts_games_of_a_unit_that_go_together(results, dispersion):
    units = [unit_of(points, draw) for draw, points in enumerate(results * 50)]
    assert fit(["a", "b"], units, "a").dispersion == pytest.approx(dispersion, rel=0.02)


@pytest.mark.slow
def test_true_ratings_lie_in_their_intervals_as_often_as_they_should():
    inside = total = 0
    for seed in range(30):
        league = field_of(seed, 10, 250.0)
        for _ in range(20):
            league.play(league.planner().plan(10))
        strengths = league.strengths()
        for name in league.names[1:]:
            rating = strengths.rating(name)
            inside += rating.low <= league.true[name] <= rating.high
            total += 1
    assert total == 270
    assert 0.90 <= inside / total <= 0.99


@pytest.mark.slow
def test_league_takes_fewer_games_than_round_robin():
    games = {kind: [from_nothing(kind, seed, 400.0, 90.0) for seed in range(3)] for kind in ("league", "all")}
    assert sum(games["league"]) < 0.95 * sum(games["all"])
    games = {kind: [with_newcomer(kind, seed, 200.0, 120.0) for seed in range(3)] for kind in ("league", "all")}
    assert sum(games["league"]) < 0.6 * sum(games["all"])
