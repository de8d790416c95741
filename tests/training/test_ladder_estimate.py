"""Estimates of a ladder: known strengths are found, and intervals cover them as often as they claim."""

import math

import numpy as np
import pytest

from sackarmies_training.ladder.estimate import PoolEstimates
from sackarmies_training.ratings import Rate, bradley_terry, fit_strengths, line_ups_of
from sackarmies_training.stats.cycles import log_odds
from sackarmies_training.stats.elo import elo_of, share_of
from sackarmies_training.stats.estimate import PossiblePoints, refit_strengths, wilson
from tests.training.ladders import make_entry


def paired(rng, share, units, together=0.5):
    """Return winners of units: with chance `together`, both games have the same winner, whoever sits where."""
    winners = []
    for _ in range(units):
        first = rng.random() < share
        second = first if rng.random() < together else rng.random() < share
        winners.append(tuple("a" if won else "b" for won in (first, second)))
    return winners


def test_ratings_are_those_of_bradley_terry():
    rng = np.random.default_rng(1)
    entries = [make_entry(("a", "b"), number, won) for number, won in enumerate(paired(rng, 0.6, 40))]
    entries += [make_entry(("a", "c"), number, ("a", "c")) for number in range(10)]
    estimates = PoolEstimates(["a", "b", "c"], entries)
    expected = bradley_terry(["a", "b", "c"], estimates.outcomes)
    for name, rating in estimates.ratings().items():
        assert rating.value == pytest.approx(expected[name].value, abs=0.01)
    assert sum(rating.value for rating in estimates.ratings().values()) == pytest.approx(0, abs=1e-6)


def test_resampled_ratings_are_those_of_the_optimizer():
    entries = [make_entry(("a", "b"), number, ("a", "b")) for number in range(5)]
    entries += [make_entry(("a", "b", "a", "c"), number, ("a", "c", "a", None)) for number in range(4)]
    estimates = PoolEstimates(["a", "b", "c"], entries)
    seats, games = line_ups_of(estimates.names, estimates.outcomes)
    scores = np.array([[14.0, 6.0, 6.0], [0.0, 10.0, 16.0], [25.5, 0.5, 0.0]])  # the last two far from the start
    expected = [fit_strengths(seats, games, score) for score in scores]
    assert refit_strengths(seats, games, scores, expected[0]) == pytest.approx(np.array(expected), abs=1e-5)


def test_anchor_has_the_rating_zero():
    entries = [make_entry(("a", "b"), number, ("a", "b" if number % 3 else "a")) for number in range(30)]
    ratings = PoolEstimates(["a", "b"], entries, anchor="b").ratings()
    assert (ratings["b"].value, ratings["b"].low, ratings["b"].high) == (0, 0, 0)
    assert ratings["a"].low < ratings["a"].value < ratings["a"].high
    assert ratings["a"].value == pytest.approx(elo_of(40 / 60), abs=2)  # a wide prior pulls it a little


def test_wilson_interval_of_no_points_or_of_all_points_reaches_the_end():
    counts = range(1, 1001)
    assert {wilson(0.0, units)[0] for units in counts} == {0.0}
    assert {wilson(1.0, units)[1] for units in counts} == {1.0}


def test_interval_counts_units_and_not_games():
    """If both games of a unit always have the same winner, a hundred units say as much as a hundred games."""
    rng = np.random.default_rng(3)
    same = [make_entry(("a", "b"), number, won) for number, won in enumerate(paired(rng, 0.5, 100, 1.0))]
    split = [make_entry(("a", "b"), number, ("a", "b")) for number in range(50)]
    split += [make_entry(("a", "b"), 50 + number, ("b", "a")) for number in range(50)]
    wide = PoolEstimates(["a", "b"], same).payoff("a", "b")
    narrow = PoolEstimates(["a", "b"], split).payoff("a", "b")
    low, high = Rate(round(wide.value * 100), 100).interval
    assert wide.high - wide.low == pytest.approx(high - low, rel=0.1)
    assert (narrow.low, narrow.high) == wilson(0.5, 100)  # all units are alike: no narrower than units allow


def test_draws_count_half_and_sides_add_up():
    entries = [make_entry(("a", "b"), 0, ("a", None)), make_entry(("a", "b"), 1, ("b", None))]
    estimates = PoolEstimates(["a", "b"], entries)
    assert estimates.payoff("a", "b").value == 0.5
    assert estimates.result("a").draw_share == 0.5
    assert (estimates.result("a").tally.wins, estimates.result("a").tally.draws) == (1, 2)
    one, other = estimates.payoff("a", "b"), estimates.payoff("b", "a")
    assert (one.low, one.high) == (pytest.approx(1 - other.high), pytest.approx(1 - other.low))
    assert (one.units, one.games) == (2, 4)


def test_game_that_one_rung_shares_with_itself_is_no_draw_of_rungs():
    entry = make_entry(("a", "b") * 2, 0, ("a", None))  # in the first game both seats of "a" share the point
    assert PoolEstimates(["a", "b"], [entry]).result("a").draw_share == 0.5


def test_rung_that_took_no_point_is_ordered_and_not_measured():
    entries = [make_entry(("a", "b"), number, ("a", "b" if number % 2 else "a")) for number in range(20)]
    entries += [make_entry(pair, number, (pair[0],) * 2) for pair in (("a", "z"), ("b", "z")) for number in range(20)]
    estimates = PoolEstimates(["a", "b", "z"], entries)
    assert estimates.ranked == ["a", "b", "z"]
    assert [estimates.result(name).is_measured for name in "abz"] == [True, True, False]
    upper, lower = estimates.steps()
    assert upper.is_measured
    assert not lower.is_measured
    assert estimates.payoff("a", "z").low == pytest.approx(wilson(1.0, 20)[0])
    assert estimates.payoff("a", "z").low > 0.8
    ratings = estimates.ratings()
    assert ratings["a"].value + ratings["b"].value == pytest.approx(0)  # on the scale of agents that games compare
    anchored = PoolEstimates(["a", "b", "z"], entries, anchor="z")
    assert [anchored.result(name).is_measured for name in "abz"] == [False] * 3


def test_of_two_groups_without_a_common_scale_one_is_measured():
    entries = [make_entry(pair, number, pair) for pair in (("a", "b"), ("c", "d")) for number in range(8)]
    entries += [make_entry((one, other), 0, (one, one)) for one in "ab" for other in "cd"]
    estimates = PoolEstimates(list("abcd"), entries)
    assert [estimates.result(name).is_measured for name in "abcd"] == [True, True, False, False]
    assert [step.is_measured for step in estimates.steps()] == [True, False, True]


def test_step_that_games_do_not_show_is_told_from_one_that_they_do():
    clear = [make_entry(("a", "b"), number, ("a", "b" if number % 4 == 0 else "a")) for number in range(80)]
    even = [make_entry(("b", "c"), number, ("b", "c") if number % 2 else ("c", "c")) for number in range(10)]
    even += [make_entry(("b", "c"), 10 + number, ("b", "b")) for number in range(6)]
    shown = {(step.upper, step.lower): step.is_shown for step in PoolEstimates(["a", "b", "c"], clear + even).steps()}
    assert shown == {("a", "b"): True, ("b", "c"): False}


@pytest.mark.parametrize("units", [1, 30])
def test_units_that_are_all_alike_show_no_step_that_their_number_does_not(units):
    entries = [make_entry(("a", "b"), number, ("a", None)) for number in range(units)]
    estimates = PoolEstimates(["a", "b"], entries)
    assert not any(rating.has_interval for rating in estimates.ratings().values())
    (step,) = estimates.steps()
    low, high = (elo_of(share) for share in wilson(0.75, units))
    assert (step.difference.low, step.difference.high) == (low, high)
    assert step.is_shown == (units == 30)
    anchored = PoolEstimates(["a", "b"], entries, anchor="b").ratings()
    assert (anchored["b"].low, anchored["b"].high) == (0, 0)
    assert not anchored["a"].has_interval


def test_agents_that_never_met_are_not_told_apart_by_units_that_are_all_alike():
    entries = [make_entry(pair, number, (pair[0], None)) for pair in (("a", "b"), ("b", "c")) for number in range(9)]
    difference = PoolEstimates(["a", "b", "c"], entries).difference("a", "c")
    assert difference.value > 300
    assert (difference.low, difference.high) == (-math.inf, math.inf)


def test_interval_holds_the_difference_where_all_units_of_a_cycle_are_alike():
    pairs = ("a", "b"), ("b", "c"), ("c", "a")
    entries = [make_entry(pair, number, (pair[0],) * 2) for pair in pairs for number in range(50)]
    difference = PoolEstimates(["a", "b", "c"], entries).difference("a", "b")
    assert difference.value == pytest.approx(0, abs=1e-6)
    assert difference.low <= difference.value <= difference.high


def test_four_players_share_points_in_mixed_line_ups():
    line_up = ("a", "b", "c", "d")
    entries = [make_entry(line_up, number, ("a", "b", "a", "c")) for number in range(10)]
    estimates = PoolEstimates(list("abcd"), entries)
    assert estimates.payoff("a", "b").value == pytest.approx(2 / 3)
    assert estimates.payoff("d", "a").value == 0
    assert estimates.score("a").value == 0.5
    assert estimates.ranked[0] == "a"


def test_interval_of_a_pair_rests_on_the_units_in_which_it_took_points():
    winners = [("z", "z", "z")] * 25 + [("z", "x", "z")]
    entries = [make_entry(("x", "y", "z"), number, won) for number, won in enumerate(winners)]
    share = PoolEstimates(["x", "y", "z"], entries).payoff("x", "y")
    assert (share.value, share.low, share.high) == (1.0, *wilson(1.0, 1))
    assert (share.units, share.games, share.points) == (1, 78, 1)
    assert log_odds(share) == pytest.approx(math.log(1.5 / 0.5))


def test_shares_and_differences_are_inverse():
    for elo in (-300.0, 0.0, 17.0, 250.0):
        assert elo_of(share_of(elo)) == pytest.approx(elo)
    assert share_of(100) == pytest.approx(1 / (1 + 10 ** (-100 / 400)))
    assert (elo_of(0.0), elo_of(1.0)) == (-math.inf, math.inf)


@pytest.mark.slow
def test_bootstrap_intervals_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(5)
    truth = share_of(60.0)
    covered, rated, trials = 0, 0, 200
    for _ in range(trials):
        entries = [make_entry(("a", "b"), number, won) for number, won in enumerate(paired(rng, truth, 60))]
        estimates = PoolEstimates(["a", "b"], entries)
        payoff, step = estimates.payoff("a", "b"), estimates.ratings()
        covered += payoff.low <= truth <= payoff.high
        rated += step["a"].low <= 30.0 <= step["a"].high
    for hits in (covered, rated):
        assert Rate(hits, trials).interval[0] <= 0.95 <= Rate(hits, trials).interval[1] + 0.02


def lucky(rng, share, units):
    """Return units in which `a` wins a game with chance `share`; luck is the result less its expected value."""
    entries = []
    for number in range(units):
        winners = tuple("a" if rng.random() < share else "b" for _ in range(2))
        luck = [(1.0 if winner == "a" else -1.0) - (2 * share - 1) for winner in winners]
        entries.append(make_entry(("a", "b"), number, winners, [{"a": one, "b": -one} for one in luck]))
    return entries


def test_with_all_luck_taken_out_ratings_are_exact():
    estimates = PoolEstimates(["a", "b"], lucky(np.random.default_rng(5), 0.7, 30))
    plain, adjusted = estimates.difference("a", "b"), estimates.adjusted.difference("a", "b")
    assert plain.high - plain.low > 100
    assert adjusted.value == pytest.approx(elo_of(0.7), abs=2)  # a wide prior pulls it a little
    ends = tuple(elo_of(end) for end in wilson(0.7, 30))  # units are alike then: no narrower than their number allows
    assert (adjusted.low, adjusted.high) == pytest.approx(ends)
    assert estimates.adjusted.payoff("a", "b").value == pytest.approx(0.7)


def test_luck_is_used_only_if_measured_in_all_games():
    rng = np.random.default_rng(6)
    measured, unmeasured = lucky(rng, 0.6, 5), make_entry(("a", "b"), 9, ("a", "b"))
    assert PoolEstimates(["a", "b"], measured).adjusted is not None
    assert PoolEstimates(["a", "b"], [*measured, unmeasured]).adjusted is None


def test_points_of_luck_are_those_of_an_agent_in_all_its_seats():
    entry = make_entry(("a", "b", "a", "b"), 0, ("a", "b"), [{"a": 0.5, "b": -0.5}, {"a": -0.1, "b": 0.1}])
    assert entry.played.points_of_luck("a") == pytest.approx(3 / 4 * 0.8)  # two seats, twice 0.5 less twice 0.1
    assert entry.played.points_of_luck("b") == pytest.approx(-3 / 4 * 0.8)
    assert make_entry(("a", "b"), 0, ("a", "b")).played.points_of_luck("a") == 0


def unlucky(line_up, winner, points, number):
    """Return a unit of two games won by `winner`, who is left with that many points once luck is taken out."""
    loser = next(name for name in line_up if name != winner)
    luck = [{winner: 2 - points, loser: points - 2}] * 2  # half of a return is a point
    return make_entry(line_up, number, (winner, winner), luck)


def test_resamples_with_more_points_than_games_count_as_all_points_won():
    points = [0.4, *(2.3, 1.7) * 9, 2.3]
    entries = [unlucky(("a", "b"), "a", one, number) for number, one in enumerate(points)]
    entries[0] = make_entry(("a", "b"), 0, ("a", "b"), [{"a": 0.6, "b": -0.6}] * 2)  # 0.4 points for "a", too
    difference = PoolEstimates(["a", "b"], entries).adjusted.difference("a", "b")
    won = [make_entry(("a", "b"), number, ("a", "a")) for number in range(20)]
    assert difference.low < difference.value < difference.high
    assert difference.high == pytest.approx(PoolEstimates(["a", "b"], won).difference("a", "b").value)


def test_rating_is_not_measured_if_less_than_no_point_is_left():
    entries = [make_entry(("a", "b"), number, ("a", "b"), [{"a": 0.0, "b": 0.0}] * 2) for number in range(6)]
    entries += [unlucky((name, "z"), name, 2, number) for name in "ab" for number in range(6)]
    entries[-1] = make_entry(("b", "z"), 5, ("b", "z"), [{"b": 0.0, "z": 0.0}, {"b": -2.4, "z": 2.4}])
    estimates = PoolEstimates(["a", "b", "z"], entries)
    assert [estimates.is_measured(name) for name in "abz"] == [True] * 3
    assert [estimates.adjusted.is_measured(name) for name in "abz"] == [True, True, False]
    ratings = estimates.adjusted.ratings()
    assert ratings["a"].value + ratings["b"].value == pytest.approx(0)


def test_group_is_not_measured_if_less_than_no_point_is_left_to_it():
    none = [{name: 0.0 for name in "abyz"}] * 2
    entries = [make_entry(pair, number, pair, none) for pair in (("a", "b"), ("y", "z")) for number in range(6)]
    entries += [make_entry((one, other), 0, (one, one), none) for one in "ab" for other in "yz"]
    entries[-1] = make_entry(("b", "z"), 0, ("b", "z"), [{"b": 0.0, "z": 0.0}, {"b": -2.4, "z": 2.4}])
    estimates = PoolEstimates(list("abyz"), entries)
    assert len(set(estimates.groups.values())) == 1
    groups = estimates.adjusted.groups
    assert groups["a"] == groups["b"] != groups["y"] == groups["z"]


def test_possible_points_are_left_as_they_are_and_others_keep_their_sum():
    seats, games = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]]), np.array([10, 10, 10])
    possible = PossiblePoints.of(seats, games, np.array([2, 1, 0]))
    points = np.array([[16.0, 9.5, 4.5], [15.5, 15.0, -0.5], [21.0, 8.0, 1.0]])
    wanted = [[16.0, 9.5, 4.5], [15.5, 14.5, 0.0], [20.0, 9.0, 1.0]]
    assert possible.nearest(points) == pytest.approx(np.array(wanted))


@pytest.mark.parametrize(
    ("points", "parts"),
    [
        ([16.0, 9.5, 4.5], [0, 0, 0]),
        ([16.0, 14.0, 0.0], [1, 1, 0]),  # the lowest agent has no point: the least of 20 games
        ([19.9, 9.6, 0.5], [0, 0, 0]),
        ([20.0, 9.0, 1.0], [1, 0, 0]),  # both others have the 10 points of their own games alone
        ([10.0, 0.0, 20.0], [1, 1, 0]),  # the lowest agent has all points
        ([0.0, 15.0, 15.0], [1, 0, 0]),  # both others have the most
        ([20.5, 10.0, -0.5], [2, 1, 0]),  # impossible sums
    ],
)
def test_sums_that_are_the_least_or_the_most_possible_separate_parts(points, parts):
    seats, games = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]]), np.array([10, 10, 10])
    possible = PossiblePoints.of(seats, games, np.array([2, 1, 0]))
    assert possible.parts(np.array(points)).tolist() == parts


def test_share_beyond_all_points_has_an_interval_that_contains_it():
    entry = make_entry(("a", "b"), 0, ("a", "a"), [{"a": -0.4, "b": 0.4}] * 2)
    share = PoolEstimates(["a", "b"], [entry]).adjusted.payoff("a", "b")
    assert share.value == share.high == pytest.approx(1.2)
    assert share.low == wilson(1.0, 1)[0]
