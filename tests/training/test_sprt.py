"""The sequential test: its ratios are those that fishtest publishes, and it errs no more often than it claims."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from sackarmies_training.ratings import Outcome, Rate
from sackarmies_training.stats.elo import NORMALIZED_PER_DEVIATION, share_of
from sackarmies_training.stats.match import Match
from sackarmies_training.stats.sprt import (
    POINTS,
    UNSEEN,
    Scale,
    SprtPlan,
    Verdict,
    chances_at,
    count_units,
    first_decision,
    log_likelihood_ratio,
    normalized_ratio,
)
from sackarmies_training.stats.units import PlayedUnit

# Ratios of fishtest, each as its test was reported with the pull request (of official-stockfish/Stockfish) or, for the
# last two, as fastchess printed it. Bounds in braces were Elo, those in angle brackets normalized Elo.
PUBLISHED = [
    # scale, elo0, elo1, pairs by points, ratio                            source
    ("elo", -1.0, 3.0, (424, 2948, 5832, 3045, 460), 2.94),  # 2493, STC
    ("elo", 0.0, 2.0, (1284, 17437, 55536, 18085, 1292), 2.94),  # 2493, LTC
    ("elo", -1.5, 0.5, (2073, 13759, 27890, 13977, 1973), 2.97),  # 2913, STC
    ("elo", -0.5, 1.5, (665, 4806, 9333, 4893, 747), 2.95),  # 2920, STC
    ("elo", 0.25, 1.75, (328, 4564, 15580, 4789, 371), 2.98),  # 2920, LTC
    ("elo", -0.5, 1.5, (59, 754, 2467, 865, 75), 2.95),  # 2951, STC
    ("elo", -0.5, 1.5, (17, 253, 1042, 337, 39), 2.96),  # 2971, STC
    ("elo", -0.25, 1.25, (491, 7345, 29693, 7670, 465), 2.96),  # 3098, STC
    ("elo", 0.25, 1.25, (53, 2220, 21459, 2445, 47), 2.97),  # 3098, LTC
    ("elo", -0.25, 1.25, (253, 4282, 17604, 4431, 286), 2.94),  # 3209, STC
    ("normalized", 0.0, 2.0, (371, 10263, 24989, 10642, 379), 2.95),  # 4194, STC
    ("normalized", 0.5, 2.5, (47, 8181, 25234, 8575, 47), 2.94),  # 4194, LTC
    ("normalized", 0.0, 2.0, (831, 31795, 68460, 32448, 834), 2.93),  # 5712, STC
    ("normalized", 0.5, 2.5, (307, 54901, 140959, 56230, 281), 2.95),  # 5712, LTC
    ("normalized", -1.75, 0.25, (208, 7812, 17109, 7919, 248), 2.92),  # 5751, STC
    ("normalized", 0.5, 2.5, (1, 1098, 3954, 1346, 1), 2.94),  # 6036, first test
    ("normalized", 0.0, 2.0, (0, 1236, 4490, 1474, 1), 2.94),  # 6036, second test
    ("normalized", -1.75, 0.25, (359, 15248, 33575, 15309, 389), 2.98),  # 6070, STC
    ("normalized", -1.75, 0.25, (289, 26459, 62934, 26379, 331), 2.94),  # 6285, STC
    ("normalized", 9.0, 16.0, (352, 579, 1264, 743, 464), 4.60),  # Zeno, doubled-passed-pawns
    ("normalized", 0.0, 50.0, (0, 0, 1, 8, 1), 1.24),  # "C1-Original vs C5-Rebuild", 20 games
]

PART = 25  # units that are simulated at once
SHAPES = {  # chances of the five results in a unit between equals
    "independent games": [0.25, 0.0, 0.5, 0.0, 0.25],
    "the deal decides": [0.05, 0.05, 0.8, 0.05, 0.05],
    "draws": [0.1, 0.2, 0.4, 0.2, 0.1],
    "games go together": [0.4, 0.05, 0.1, 0.05, 0.4],
}


def with_mean(shape, mean):
    """Return chances like `shape` with another mean."""
    low, high = -20.0, 20.0
    for _ in range(100):
        tilt = 0.5 * (low + high)
        chances = np.array(shape) * np.exp(tilt * POINTS)
        chances /= chances.sum()
        low, high = (tilt, high) if chances @ POINTS < mean else (low, tilt)
    return chances


def simulate(plan, chances, trials, units, seed):
    """Return the verdicts of many tests, and the mean number of units that they took."""
    counts = np.random.default_rng(seed).multinomial(1, chances, size=(trials, units)).cumsum(axis=1)
    low, high = plan.limits
    verdicts, lengths = [Verdict.UNDECIDED] * trials, np.full(trials, units)
    for start in range(0, units, PART):
        going = np.flatnonzero(lengths == units)
        ratios = plan.ratio(counts[going, start : start + PART])
        ended = (ratios <= low) | (ratios >= high)
        for place in np.flatnonzero(ended.any(axis=1)):
            first = int(ended[place].argmax())
            verdicts[going[place]], lengths[going[place]] = plan.verdict(ratios[place, first]), start + first + 1
    return verdicts, float(lengths.mean())


def errs_at_most(verdicts, wrong, rate):
    """Return whether the data agree with an error rate of at most `rate`: the Wilson interval reaches down to it."""
    return Rate(verdicts.count(wrong), len(verdicts)).interval[0] <= rate


@pytest.mark.parametrize(("scale", "elo0", "elo1", "counts", "ratio"), PUBLISHED)
def test_ratio_is_the_published_one(scale, elo0, elo1, counts, ratio):
    plan = SprtPlan(elo0=elo0, elo1=elo1, scale=Scale(scale))
    assert float(plan.ratio(counts)) == pytest.approx(ratio, abs=0.00501)  # they are rounded to two decimals


@pytest.mark.parametrize("shape", SHAPES)
def test_error_rates_hold_in_simulated_tests(shape):
    plan = SprtPlan(alpha=0.1, beta=0.1, elo0=-60, elo1=60)
    for elo, wrong in ((plan.elo0, Verdict.STRONGER), (plan.elo1, Verdict.WEAKER)):
        verdicts, _ = simulate(plan, with_mean(SHAPES[shape], share_of(elo)), 300, 100, 7)
        assert errs_at_most(verdicts, wrong, 0.1)
        assert verdicts.count(Verdict.UNDECIDED) < 30


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.01, 0.1)])
def test_nominal_error_rates_hold_over_thousands_of_tests(shape, alpha, beta):
    plan = SprtPlan(alpha=alpha, beta=beta, elo0=-30, elo1=30)
    stronger, _ = simulate(plan, with_mean(SHAPES[shape], share_of(plan.elo0)), 2000, 300, 11)
    weaker, _ = simulate(plan, with_mean(SHAPES[shape], share_of(plan.elo1)), 2000, 300, 12)
    assert stronger.count(Verdict.STRONGER) / 2000 <= 1.3 * alpha + 0.003
    assert weaker.count(Verdict.WEAKER) / 2000 <= 1.3 * beta + 0.003


def test_limits_of_unequal_error_rates_are_those_of_wald():
    low, high = SprtPlan(alpha=0.01, beta=0.2).limits
    assert (low, high) == pytest.approx((math.log(0.2 / 0.99), math.log(0.8 / 0.01)))


def test_verdict_tells_the_rate_of_its_own_error():
    unit = PlayedUnit(("a", "b"), 0, (Outcome(("a", "b"), (1.0, -1.0)), Outcome(("b", "a"), (-1.0, 1.0))))
    plan = SprtPlan(alpha=0.01, beta=0.2)
    stronger, weaker = (Match(*names, [unit] * 400).verdict_sentence(plan) for names in (("a", "b"), ("b", "a")))
    assert ("rate 1%" in stronger, "rate 20%" in stronger) == (True, False)
    assert ("rate 1%" in weaker, "rate 20%" in weaker) == (False, True)


def test_clear_differences_are_found_sooner():
    plan = SprtPlan()
    near = simulate(plan, with_mean(SHAPES["independent games"], share_of(20)), 60, 600, 1)
    far = simulate(plan, with_mean(SHAPES["independent games"], share_of(150)), 60, 600, 1)
    assert far[0].count(Verdict.STRONGER) == 60
    assert far[1] < near[1] / 2


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_length_in_normalized_elo_does_not_depend_on_how_much_chance_there_is(shape):
    plan = SprtPlan(elo0=-40, elo1=40, scale=Scale.NORMALIZED)
    chances = with_mean(SHAPES[shape], 0.5)
    deviation = np.sqrt(chances @ (POINTS - 0.5) ** 2)
    strong = with_mean(SHAPES[shape], 0.5 + np.sqrt(2) * 40 / NORMALIZED_PER_DEVIATION * deviation)
    verdicts, length = simulate(plan, strong, 300, 400, 5)
    assert errs_at_most(verdicts, Verdict.WEAKER, 0.05)
    between = np.sqrt(2) * 80 / NORMALIZED_PER_DEVIATION
    assert length == pytest.approx(0.9 * plan.limits[1] * 2 / between**2, rel=0.3)  # by Wald, overshoot left out


def likelihood(counts, agrees):
    """Return the maximum log-likelihood of chances for which `agrees` is 0, found by a general optimizer."""
    constraints = [
        {"type": "eq", "fun": lambda chances: chances.sum() - 1},
        {"type": "eq", "fun": agrees},
    ]
    start = np.maximum(counts, 0.5) / np.maximum(counts, 0.5).sum()
    found = minimize(
        lambda chances: -counts @ np.log(np.maximum(chances, 1e-12)) / counts.sum(),
        start,
        bounds=[(1e-12, 1)] * 5,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return -found.fun * counts.sum()


COUNTS = [[3, 5, 9, 4, 2], [20, 1, 30, 2, 40], [10, 10, 10, 10, 10], [2, 7, 1, 8, 2]]


@pytest.mark.parametrize("counts", COUNTS)
def test_ratio_is_that_of_the_greatest_likelihoods(counts):
    counts = np.array(counts, float)
    expected = np.diff(
        [likelihood(counts, lambda chances, share=share: chances @ POINTS - share) for share in (0.45, 0.55)]
    )
    assert float(log_likelihood_ratio(counts, 0.45, 0.55)) == pytest.approx(expected[0], abs=1e-3)


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("elo", [20, 120])
def test_normalized_ratio_is_that_of_the_greatest_likelihoods(counts, elo):
    counts = np.array(counts, float)

    def deviations(chances):
        mean = chances @ POINTS
        return (mean - 0.5) / np.sqrt(chances @ (POINTS - mean) ** 2) / np.sqrt(2)

    bounds = (-elo, elo / 2)
    expected = np.diff(
        [
            likelihood(counts, lambda chances, wanted=one: deviations(chances) - wanted / NORMALIZED_PER_DEVIATION)
            for one in bounds
        ]
    )
    assert float(normalized_ratio(counts, *bounds)) == pytest.approx(expected[0], abs=2e-3)


@pytest.mark.parametrize("elo", [20, 200, -200])
def test_chances_with_any_allowed_mean_in_deviations_are_found(elo):
    rng = np.random.default_rng(1)
    counts = [rng.multinomial(size, rng.dirichlet(np.full(5, 0.3))) for size in (1, 2, 5, 20, 200) for _ in range(200)]
    chances = np.maximum(np.array(counts, float), UNSEEN)
    wanted = np.sqrt(2) * elo / NORMALIZED_PER_DEVIATION
    found = chances_at(chances / chances.sum(axis=1, keepdims=True), wanted)
    mean = found @ POINTS
    deviation = np.sqrt((found * (POINTS - mean[:, None]) ** 2).sum(axis=1))
    assert found.min() > 0
    assert found.sum(axis=1) == pytest.approx(np.ones(1000))
    assert (mean - 0.5) / deviation == pytest.approx(np.full(1000, wanted), abs=1e-6)


def test_normalized_elo_is_elo_where_no_game_is_drawn_and_games_are_independent():
    counts = np.array([250.0, 0, 500, 0, 250])
    elo = float(SprtPlan(elo0=-5, elo1=5.1).ratio(counts))
    assert float(SprtPlan(elo0=-5, elo1=5.1, scale=Scale.NORMALIZED).ratio(counts)) == pytest.approx(elo, rel=0.01)


def test_all_wins_give_the_analytic_ratio():
    """If all units are won, each is worth log(share1 / share0): the most likely chances put the rest on losses."""
    for won in (1, 10, 40):
        ratio = float(log_likelihood_ratio(np.array([0.0, 0, 0, 0, won]), 0.45, 0.55))
        assert ratio == pytest.approx(won * np.log(0.55 / 0.45), rel=0.02, abs=20 * UNSEEN)


@given(st.lists(st.integers(0, 60), min_size=5, max_size=5), st.floats(0.3, 0.49), st.floats(0.5, 0.7))
@settings(max_examples=60, deadline=None)
def test_ratio_changes_sign_when_sides_swap(counts, share0, share1):
    ratio = log_likelihood_ratio(np.array(counts, float), share0, share1)
    turned = log_likelihood_ratio(np.array(counts[::-1], float), 1 - share1, 1 - share0)
    assert np.isfinite(ratio)
    assert ratio == pytest.approx(-turned, abs=1e-6)


def test_test_ends_at_the_first_limit_that_is_reached():
    plan = SprtPlan(elo0=-100, elo1=100)
    points = [2.0] * 40
    used, verdict = first_decision(plan, points)
    assert verdict is Verdict.STRONGER
    assert first_decision(plan, [*points[:used], *[0.0] * 200]) == (used, Verdict.STRONGER)
    assert first_decision(plan, points[: used - 1]) == (used - 1, Verdict.UNDECIDED)
    assert first_decision(plan, []) == (0, Verdict.UNDECIDED)
    assert first_decision(plan, [0.0] * 40)[1] is Verdict.WEAKER
    assert first_decision(plan, points, used - 1) == (used, Verdict.STRONGER)
    assert first_decision(plan, points[: used - 1], used - 1) == (used - 1, Verdict.UNDECIDED)


def test_units_are_counted_by_their_points():
    assert count_units([0, 0.5, 1, 1, 1.5, 2, 2]) == [1, 1, 2, 1, 2]
    with pytest.raises(ValueError, match=r"a unit of two games has 0\.25 points: only 0, 1/2, 1, 3/2 and 2"):
        count_units([0.25])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"alpha": 0.5}, "alpha is 0.5: an error rate lies between 0 and 0.5"),
        ({"beta": 0.0}, "beta is 0.0: an error rate lies between"),
        ({"elo0": 5.0, "elo1": 5.0}, "elo0 is 5 and elo1 is 5; give two numbers"),
        (
            {"elo0": 5.0, "elo1": -5.0},
            "elo0 is 5 and elo1 is -5; give two numbers from -1000 to 1000, elo0 the smaller",
        ),
        ({"elo1": float("nan")}, "elo1 is nan"),
        ({"elo1": 300.0, "scale": Scale.NORMALIZED}, "elo1 is 300; give two numbers from -200 to 200, elo0 the"),
        ({"max_games": 1}, "max_games must be at least 2, the games of a unit, not 1"),
    ],
)
def test_impossible_tests_are_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        SprtPlan(**given)
