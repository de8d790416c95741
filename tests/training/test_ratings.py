import math

import numpy as np
import pytest

from sackarmies_training.ratings import Outcome, Rate, bradley_terry, openskill_ratings, pairwise_scores
from sackarmies_training.standings import Tally, standings_data, standings_of, tally_of


def games(first, second, wins, draws, losses):
    return (
        [Outcome((first, second), (1.0, -1.0))] * wins
        + [Outcome((second, first), (0.0, 0.0))] * draws
        + [Outcome((second, first), (1.0, -1.0))] * losses
    )


def test_wilson_interval_of_a_known_table():
    # 15 of 20, as in Newcombe (1998), table I: 0.5313 to 0.8881
    assert Rate(15, 20).interval == pytest.approx((0.5313, 0.8881), abs=1e-4)
    assert str(Rate(15, 20)) == "75.0% (53.1% to 88.8%)"


def test_wilson_interval_of_all_wins_reaches_one_and_not_beyond():
    low, high = Rate(20, 20).interval
    assert high == 1.0
    assert low == pytest.approx(0.8389, abs=1e-4)


def test_two_agents_rate_as_the_odds_of_their_games():
    ratings = bradley_terry(["a", "b"], games("a", "b", 3000, 0, 1000))
    # odds of 3 to 1 are 400 * log10(3) = 190.8 Elo; the wide prior takes next to nothing of it
    assert ratings["a"].value - ratings["b"].value == pytest.approx(400 * math.log10(3), abs=0.1)
    assert ratings["a"].value + ratings["b"].value == pytest.approx(0, abs=1e-6)


def test_interval_of_two_agents_is_that_of_the_log_odds():
    ratings = bradley_terry(["a", "b"], games("a", "b", 300, 0, 100))
    deviation = math.sqrt(1 / 300 + 1 / 100) * 400 / math.log(10) / 2  # of the difference to the mean
    assert ratings["a"].high - ratings["a"].value == pytest.approx(1.96 * deviation, rel=0.01)
    assert ratings["a"].value - ratings["a"].low == pytest.approx(1.96 * deviation, rel=0.01)


def test_draw_counts_half_for_both():
    assert pairwise_scores(["a", "b"], games("a", "b", 2, 3, 1)).tolist() == [[0, 3.5], [2.5, 0]]
    even = bradley_terry(["a", "b"], games("a", "b", 0, 10, 0))
    assert even["a"].value == pytest.approx(0, abs=1e-6)


def test_strengths_of_three_agents_come_back_from_their_games():
    strengths = {"a": 300.0, "b": 50.0, "c": -350.0}
    rng = np.random.default_rng(1)
    outcomes = []
    for one, other in (("a", "b"), ("a", "c"), ("b", "c")):
        chance = 1 / (1 + 10 ** ((strengths[other] - strengths[one]) / 400))
        wins = int((rng.random(20000) < chance).sum())
        outcomes += games(one, other, wins, 0, 20000 - wins)
    ratings = bradley_terry(["a", "b", "c"], outcomes)
    for name, strength in strengths.items():
        assert ratings[name].low < strength < ratings[name].high
        assert ratings[name].value == pytest.approx(strength, abs=12)


def test_who_lost_every_game_has_a_finite_rating():
    ratings = bradley_terry(["a", "b"], games("a", "b", 50, 0, 0))
    assert -2000 < ratings["b"].value < -300
    assert ratings["b"].high - ratings["b"].low > 200


def test_game_of_three_counts_each_pair_of_seats_once():
    outcome = Outcome(("a", "b", "c"), (1.0, -0.5, -0.5))
    assert pairwise_scores(["a", "b", "c"], [outcome]).tolist() == [[0, 1, 1], [0, 0, 0.5], [0, 0.5, 0]]


def test_openskill_raises_the_winner_and_keeps_the_scale():
    ratings = openskill_ratings(["a", "b"], games("a", "b", 10, 0, 0))
    assert ratings["a"].value > 25 > ratings["b"].value
    assert ratings["a"].high - ratings["a"].low < 2 * 1.96 * 25 / 3


def test_tally_counts_a_shared_best_result_as_a_draw():
    outcomes = [Outcome(("a", "b", "c"), (0.0, 0.0, -0.5)), Outcome(("b", "a", "c"), (-0.5, 1.0, -0.5))]
    assert tally_of(outcomes, "a") == Tally(1, 1, 0)
    assert tally_of(outcomes, "b") == Tally(0, 1, 1)
    assert tally_of(outcomes, "c") == Tally(0, 0, 2)


def test_tally_counts_every_seat_of_an_agent_and_not_against_itself():
    outcome = Outcome(("a", "a", "b"), (-0.5, 1.0, -0.5))
    assert tally_of([outcome], "a") == Tally(1, 1, 0)  # the fallen seat drew with b
    assert tally_of([outcome], "b", against="a") == Tally(0, 0, 1)


def test_standings_list_the_best_first_with_all_pairings():
    outcomes = games("a", "b", 1, 0, 9)
    standings = standings_of(["a", "b"], outcomes, "bradley_terry")
    assert [line.agent for line in standings] == ["b", "a"]
    data = standings_data(standings, outcomes)
    assert [entry["agent"] for entry in data["standings"]] == ["b", "a"]
    assert {"agent": "a", "against": "b", "wins": 1, "draws": 0, "losses": 9}.items() <= data["pairings"][1].items()
    assert data["pairings"][1]["win_rate"] == 0.1
