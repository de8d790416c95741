"""Nash averaging and cycles, on games whose solutions are known."""

import numpy as np
import pytest
import scipy

from sackarmies_training.ratings import Outcome
from sackarmies_training.stats.cycles import hodge, shown_cycles, structure_of
from sackarmies_training.stats.estimate import Estimates
from sackarmies_training.stats.nash import nash_average
from sackarmies_training.stats.units import PlayedUnit

ROCK_PAPER_SCISSORS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], float)


PART = np.log(81)  # the log-odds of 40 games of 40
LADDER = np.array([3, 0, 0, 2, 1, 4, 0, 4, 3])  # levels of agents that win all games against lower ones
COPIES = np.array([0, 0, 1, 2, 3, 2, 4, 0, 4])  # which of five agents each of nine is a copy of
UPPER = [1.864785, -0.395313, 2.093235, 1.341174, 0.497838, 4.394449, 0.195745, -1.496642, -0.824175, 0.294800]


def pairs(chances, units, seed=1):
    """Return units of two players; `chances` gives, by pair, the chance that its first agent wins a game."""
    rng = np.random.default_rng(seed)
    played = []
    for (one, other), chance in chances.items():
        for _ in range(units):
            ways = [(one, other) if rng.random() < chance else (other, one) for _ in range(2)]
            outcomes = tuple(Outcome(way, (1.0, -1.0)) for way in ways)
            played.append(PlayedUnit((one, other), len(played), outcomes))
    return played


def test_equilibrium_of_rock_paper_scissors_is_even():
    chances, average = nash_average(ROCK_PAPER_SCISSORS)
    assert chances == pytest.approx([1 / 3] * 3, abs=1e-5)
    assert average == pytest.approx([0] * 3, abs=1e-5)


def test_strongest_agent_of_a_ranking_is_the_equilibrium():
    ratings = np.array([2.0, 1.0, -3.0])
    chances, average = nash_average(ratings[:, None] - ratings[None, :])
    assert chances == pytest.approx([1, 0, 0], abs=1e-5)
    assert average == pytest.approx([0, -1, -5], abs=1e-4)


def test_copies_share_the_chance_of_what_they_are_copies_of():
    """With two copies of scissors, the equilibrium of greatest entropy gives each of them half of that third."""
    copied = np.pad(ROCK_PAPER_SCISSORS, ((0, 1), (0, 1)), mode="edge")
    copied[3, 3] = copied[2, 3] = copied[3, 2] = 0
    chances, average = nash_average(copied)
    assert chances == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=1e-4)
    assert average == pytest.approx([0] * 4, abs=1e-4)


def of_copies():
    """Return log-odds of nine copies of five agents, and the chances of the equilibrium of greatest entropy.

    Three of the five play in it, each in proportion to the payoff between the other two, as in rock, paper, scissors.
    Copies share the chance of their agent equally.
    """
    base = np.zeros((5, 5))
    base[np.triu_indices(5, 1)] = UPPER
    base -= base.T
    chances = np.abs([base[2, 3], 0, base[0, 3], base[0, 2], 0])
    shared = chances / chances.sum() / np.bincount(COPIES)
    return base[np.ix_(COPIES, COPIES)], shared[COPIES]


def of_levels():
    """Return log-odds of agents that win all games against lower ones, and the equilibrium of the two best ones."""
    return PART * np.sign(np.subtract.outer(LADDER, LADDER)), np.where(LADDER == 4, 0.5, 0.0)


@pytest.mark.parametrize("make", [of_copies, of_levels])
def test_equilibrium_does_not_depend_on_the_order_of_agents(make):
    payoff, wanted = make()
    rng = np.random.default_rng(1)
    for order in (np.arange(9), *(rng.permutation(9) for _ in range(50))):
        chances, average = nash_average(payoff[np.ix_(order, order)])
        assert chances == pytest.approx(wanted[order], abs=1e-4)
        assert average.max() < 1e-5


def test_no_equilibrium_has_greater_entropy():
    """Linear programming shows that no equilibrium has greater entropy, which is concave."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        wins = rng.integers(0, 41, (4, 4))
        base = np.triu(np.log((wins + 0.5) / (40.5 - wins)), 1)
        base -= base.T
        agents = rng.integers(0, 4, 9)
        payoff = base[np.ix_(agents, agents)]
        chances, _ = nash_average(payoff)
        slope = -np.log(np.maximum(chances, 1e-12))
        bounds = {"A_ub": payoff, "b_ub": np.full(9, 1e-7), "A_eq": np.ones((1, 9)), "b_eq": [1.0]}
        greatest = -scipy.optimize.linprog(-slope, **bounds, bounds=(0, 1)).fun
        assert greatest - slope @ chances < 1e-3


def test_agents_that_all_draw_share_the_equilibrium():
    assert nash_average(np.zeros((4, 4)))[0] == pytest.approx([0.25] * 4)


def test_equilibria_of_random_payoffs_cannot_be_exploited():
    rng = np.random.default_rng(1)
    for count in (2, 3, 5, 8, 12):
        payoff = rng.normal(size=(count, count))
        payoff -= payoff.T
        chances, average = nash_average(payoff)
        assert chances.sum() == pytest.approx(1)
        assert chances.min() >= 0
        assert average.max() < 1e-4


def test_payoffs_that_do_not_change_sign_are_refused():
    with pytest.raises(ValueError, match="Nash averaging needs a square matrix whose entries change sign"):
        nash_average(np.ones((2, 2)))


def test_payoffs_are_split_into_ratings_and_circles():
    ratings = np.array([1.0, 0.5, -1.5])
    found, rest = hodge(ratings[:, None] - ratings[None, :] + 0.3 * ROCK_PAPER_SCISSORS)
    assert found == pytest.approx(ratings)
    assert rest == pytest.approx(0.3 * ROCK_PAPER_SCISSORS)
    assert rest.sum(axis=1) == pytest.approx(np.zeros(3))


def test_cycle_is_shown_where_there_is_one():
    chances = {("rock", "scissors"): 0.7, ("scissors", "paper"): 0.7, ("paper", "rock"): 0.7}
    structure = structure_of(Estimates(["rock", "paper", "scissors"], pairs(chances, 100)))
    assert structure.transitive < 0.1
    assert structure.nash == pytest.approx([1 / 3] * 3, abs=0.1)
    [cycle] = structure.cycles
    assert cycle.names == ("rock", "scissors", "paper")
    assert any(line.startswith("A cycle: rock beats scissors (") for line in structure.sentences())


@pytest.mark.parametrize(("units", "cycles"), [(1, 0), (2, 1)])
def test_cycle_is_not_shown_by_a_single_unit_of_each_pair(units, cycles):
    chances = {("rock", "scissors"): 1.0, ("scissors", "paper"): 1.0, ("paper", "rock"): 1.0}
    structure = structure_of(Estimates(["rock", "paper", "scissors"], pairs(chances, units)))
    assert len(structure.cycles) == cycles


@pytest.mark.parametrize(("wins", "others", "cycles"), [(60, 0, 0), (66, 0, 1), (66, 9, 0), (75, 9, 1)])
def test_level_of_a_cycle_is_divided_among_all_triples(wins, others, cycles):
    """Each of three agents wins as many of 100 units against the next; others have not played."""
    units = []
    for pair in (("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")):
        for number in range(100):
            outcome = Outcome(pair, (1.0, -1.0) if number < wins else (-1.0, 1.0))
            units.append(PlayedUnit(pair, len(units), (outcome, outcome)))
    names = ["rock", "scissors", "paper", *(f"other {number}" for number in range(others))]
    assert len(shown_cycles(names, Estimates(names, units))) == cycles


def test_no_cycle_is_shown_where_a_ranking_explains_the_games():
    strengths = {"a": 1.0, "b": 0.3, "c": 0.0, "d": -0.8}
    chances = {
        (one, other): 1 / (1 + np.exp(strengths[other] - strengths[one]))
        for one in strengths
        for other in strengths
        if one < other
    }
    for seed in range(5):
        structure = structure_of(Estimates(list(strengths), pairs(chances, 100, seed)))
        assert not structure.cycles
        assert structure.transitive > 0.8
        assert structure.nash[0] > 0.9
    assert "No cycle is shown" in structure.sentences()[-1]


def test_sentence_of_the_equilibrium_claims_no_share_of_points():
    """The equilibrium is one of log-odds: a mixture of a strong and a weak opponent may give more than half."""
    chances = {("rock", "scissors"): 1.0, ("scissors", "paper"): 0.55, ("paper", "rock"): 0.55}
    estimates = Estimates(["rock", "paper", "scissors"], pairs(chances, 200))
    structure = structure_of(estimates)
    told = structure.sentences()[0]
    assert told.startswith("Nash equilibrium of the log-odds of pairs: ")
    assert told.endswith("%. Against it, no agent has positive mean log-odds.")
    assert structure.nash_average == pytest.approx([0] * 3, abs=1e-3)
    names = structure.names
    shares = [[0.5 if one == other else estimates.payoff(one, other).value for other in names] for one in names]
    assert (np.array(shares) @ structure.nash).max() > 0.505


def test_pair_without_a_point_in_its_common_games_has_no_log_odds():
    names = ("a", "b", "c")
    units = [PlayedUnit(names, draw, (Outcome(names, (-0.5, -0.5, 1.0)),)) for draw in range(3)]
    assert structure_of(Estimates(names, units)) is None


def test_two_agents_have_no_cycles():
    assert structure_of(Estimates(["a", "b"], pairs({("a", "b"): 0.5}, 5))) is None
