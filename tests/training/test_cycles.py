"""Nash averaging and cycles, on games whose solutions are known."""

import numpy as np
import pytest

from sackarmies_training.ratings import Outcome
from sackarmies_training.stats.cycles import hodge, structure_of
from sackarmies_training.stats.estimate import Estimates
from sackarmies_training.stats.nash import nash_average
from sackarmies_training.stats.units import PlayedUnit

ROCK_PAPER_SCISSORS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], float)


def pairs(chances, units, seed=1):
    """Return units of two players; `chances` are those that the first of a pair wins a game."""
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
    """Two scissors: of all equilibria the one of greatest entropy gives both half of that third."""
    copied = np.pad(ROCK_PAPER_SCISSORS, ((0, 1), (0, 1)), mode="edge")
    copied[3, 3] = copied[2, 3] = copied[3, 2] = 0
    chances, average = nash_average(copied)
    assert chances == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=1e-4)
    assert average == pytest.approx([0] * 4, abs=1e-4)


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


def test_two_agents_have_no_cycles():
    assert structure_of(Estimates(["a", "b"], pairs({("a", "b"): 0.5}, 5))) is None
