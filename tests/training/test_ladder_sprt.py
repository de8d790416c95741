"""The sequential test: its likelihoods are the greatest, and it errs no more often than it says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from sackarmies_training.ladder.estimate import share_of
from sackarmies_training.ladder.sprt import (
    POINTS,
    UNSEEN,
    SprtPlan,
    Verdict,
    count_units,
    first_decision,
    log_likelihood_ratio,
)
from sackarmies_training.ratings import Rate

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


def test_clear_differences_are_found_sooner():
    plan = SprtPlan()
    near = simulate(plan, with_mean(SHAPES["independent games"], share_of(20)), 60, 600, 1)
    far = simulate(plan, with_mean(SHAPES["independent games"], share_of(150)), 60, 600, 1)
    assert far[0].count(Verdict.STRONGER) == 60
    assert far[1] < near[1] / 2


def likelihood(counts, share):
    """Return the greatest log-likelihood of chances with this mean, by a general optimizer."""
    constraints = [
        {"type": "eq", "fun": lambda chances: chances.sum() - 1},
        {"type": "eq", "fun": lambda chances: chances @ POINTS - share},
    ]
    start = np.full(5, 0.2)
    found = minimize(
        lambda chances: -counts @ np.log(np.maximum(chances, 1e-12)) / counts.sum(),
        start,
        bounds=[(1e-12, 1)] * 5,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return -found.fun * counts.sum()


@pytest.mark.parametrize("counts", [[3, 5, 9, 4, 2], [20, 1, 30, 2, 40], [10, 10, 10, 10, 10], [2, 7, 1, 8, 2]])
def test_ratio_is_that_of_the_greatest_likelihoods(counts):
    counts = np.array(counts, float)
    expected = likelihood(counts, 0.55) - likelihood(counts, 0.45)
    assert float(log_likelihood_ratio(counts, 0.45, 0.55)) == pytest.approx(expected, abs=1e-3)


def test_wins_in_a_row_count_as_much_as_they_may():
    """All units won: each is worth log(share1 / share0), for the most likely chances put the rest on losses."""
    for won in (1, 10, 40):
        ratio = float(log_likelihood_ratio(np.array([0.0, 0, 0, 0, won]), 0.45, 0.55))
        assert ratio == pytest.approx(won * np.log(0.55 / 0.45), rel=0.02, abs=20 * UNSEEN)


@given(st.lists(st.integers(0, 60), min_size=5, max_size=5), st.floats(0.3, 0.49), st.floats(0.5, 0.7))
@settings(max_examples=60, deadline=None)
def test_ratio_turns_its_sign_with_the_sides(counts, share0, share1):
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


def test_units_are_counted_by_their_points():
    assert count_units([0, 0.5, 1, 1, 1.5, 2, 2]) == [1, 1, 2, 1, 2]
    with pytest.raises(ValueError, match=r"a unit of two games has 0\.25 points: only 0, 1/2, 1, 3/2 and 2"):
        count_units([0.25])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"alpha": 0.5}, "alpha is 0.5: an error rate lies between 0 and 0.5"),
        ({"beta": 0.0}, "beta is 0.0: an error rate lies between"),
        ({"elo0": 5.0, "elo1": 5.0}, "elo0 is 5 and elo1 is 5: wanted are two numbers"),
        ({"elo1": float("nan")}, "elo1 is nan"),
        ({"max_games": 1}, "max_games is 1: a unit has 2 games"),
    ],
)
def test_impossible_tests_are_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        SprtPlan(**given)
