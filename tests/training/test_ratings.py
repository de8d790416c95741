import math

import numpy as np
import pytest

from sackarmies_training.ratings import Outcome, Rate, bradley_terry, openskill_ratings
from sackarmies_training.standings import Tally, forfeits_of, standings_data, standings_of, tally_of
from sackarmies_training.tournament import seatings


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
    # odds of 3 to 1 are 400 * log10(3) = 190.8 Elo; the wide prior changes next to nothing
    assert ratings["a"].value - ratings["b"].value == pytest.approx(400 * math.log10(3), abs=0.1)
    assert ratings["a"].value + ratings["b"].value == pytest.approx(0, abs=1e-6)


def test_interval_of_two_agents_is_that_of_the_log_odds():
    ratings = bradley_terry(["a", "b"], games("a", "b", 300, 0, 100))
    deviation = math.sqrt(1 / 300 + 1 / 100) * 400 / math.log(10) / 2  # of the difference to the mean
    assert ratings["a"].high - ratings["a"].value == pytest.approx(1.96 * deviation, rel=0.01)
    assert ratings["a"].value - ratings["a"].low == pytest.approx(1.96 * deviation, rel=0.01)


def test_draw_counts_half_for_both():
    drawn = Outcome(("a", "b"), (0.0, 0.0))
    assert drawn.score("a") == drawn.score("b") == 0.5
    even = bradley_terry(["a", "b"], games("a", "b", 0, 10, 0))
    assert even["a"].value == pytest.approx(0, abs=1e-6)
    ahead = bradley_terry(["a", "b"], games("a", "b", 500, 1000, 500 // 3))
    assert ahead["a"].value - ahead["b"].value == pytest.approx(400 * math.log10(1000 / (500 + 500 // 3)), abs=0.5)


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


def test_player_with_no_wins_has_finite_rating():
    ratings = bradley_terry(["a", "b"], games("a", "b", 50, 0, 0))
    assert -2000 < ratings["b"].value < -300
    assert ratings["b"].high - ratings["b"].low > 200


def test_point_of_a_game_goes_to_the_winner_or_is_shared_by_the_best():
    assert [Outcome(("a", "b", "c"), (1.0, -0.5, -0.5)).score(name) for name in "abc"] == [1, 0, 0]
    assert [Outcome(("a", "b", "c"), (0.25, 0.25, -0.5)).score(name) for name in "abc"] == [0.5, 0.5, 0]
    assert [Outcome(("a", "a", "b"), (0.0, 0.0, 0.0)).score(name) for name in "ab"] == pytest.approx([2 / 3, 1 / 3])


def test_three_players_who_win_equally_often_rate_equally():
    outcomes = [Outcome(("a", "b", "c"), returns) for returns in ((1, -0.5, -0.5), (-0.5, 1, -0.5), (-0.5, -0.5, 1))]
    ratings = bradley_terry(["a", "b", "c"], outcomes * 10)
    assert [ratings[name].value for name in "abc"] == pytest.approx([0, 0, 0], abs=1e-6)


def test_strengths_come_back_from_games_of_three_with_several_seats_each():
    strengths = {"a": 150.0, "b": 0.0, "c": -150.0}
    rng = np.random.default_rng(2)
    outcomes = []
    for line_up in (("a", "b", "c"), ("a", "a", "b"), ("a", "b", "b"), ("b", "c", "c"), ("a", "c", "c")):
        worth = np.array([10 ** (strengths[name] / 400) for name in line_up])
        for winner in rng.choice(3, size=8000, p=worth / worth.sum()):
            outcomes.append(Outcome(line_up, tuple(1.0 if seat == winner else -0.5 for seat in range(3))))
    ratings = bradley_terry(["a", "b", "c"], outcomes)
    for name, strength in strengths.items():
        assert ratings[name].low < strength < ratings[name].high
        assert ratings[name].value == pytest.approx(strength, abs=8)


def test_losing_together_to_a_third_does_not_bring_two_ratings_closer():
    third = [Outcome(("a", "b", "c"), (-0.5, -0.5, 1.0))] * 1000
    alone = bradley_terry(["a", "b"], games("a", "b", 30, 0, 10))
    ratings = bradley_terry(["a", "b", "c"], games("a", "b", 30, 0, 10) + third)
    gap = alone["a"].value - alone["b"].value
    assert ratings["a"].value - ratings["b"].value == pytest.approx(gap, abs=5)  # with 1000 draws it would be about 7


def test_bradley_terry_agrees_with_evalica():
    """A library with another method (Newman, 2023) and no prior: ours has next to no effect in this many games."""
    evalica = pytest.importorskip("evalica", reason="evalica is installed for tests alone: pip install '.[dev]'")
    rng = np.random.default_rng(4)
    strengths = {"a": 200.0, "b": 60.0, "c": 0.0, "d": -110.0, "e": -150.0}
    outcomes, winners = [], []
    for _ in range(4000):
        one, other = rng.choice(list(strengths), 2, replace=False).tolist()
        chance = 1 / (1 + 10 ** ((strengths[other] - strengths[one]) / 400))
        result = "draw" if rng.random() < 0.2 else "won" if rng.random() < chance else "lost"
        outcomes.append(Outcome((one, other), {"draw": (0.0, 0.0), "won": (1.0, -1.0), "lost": (-1.0, 1.0)}[result]))
        winners.append({"draw": evalica.Winner.Draw, "won": evalica.Winner.X, "lost": evalica.Winner.Y}[result])
    first, second = ([outcome.agents[seat] for outcome in outcomes] for seat in (0, 1))
    scores = evalica.bradley_terry(first, second, winners, tolerance=1e-12, limit=10_000).scores
    theirs = 400 * np.log10(np.array([scores[name] for name in strengths]))
    ours = np.array([bradley_terry(list(strengths), outcomes)[name].value for name in strengths])
    assert ours == pytest.approx(theirs - theirs.mean(), abs=0.2)


def pairs(results, *, together):
    """Return two games of a against b for each result of a, and seeds: one per pair if `together`, else per game."""
    outcomes = [
        Outcome(way, (1.0, -1.0) if (way[0] == "a") == won else (-1.0, 1.0))
        for won in results
        for way in (("a", "b"), ("b", "a"))
    ]
    return outcomes, [game // 2 if together else game for game in range(len(outcomes))]


def test_intervals_of_standings_count_pairs():
    """If both games of a seed always end alike, a hundred pairs say as much as a hundred games."""
    results = (np.random.default_rng(3).random(100) < 0.6).tolist()
    widths = []
    for together in (True, False):
        outcomes, seeds = pairs(results, together=together)
        rating = standings_of(["a", "b"], outcomes, "bradley_terry", seeds)[0].rating
        widths.append(rating.high - rating.low)
    assert widths[0] == pytest.approx(2**0.5 * widths[1], rel=0.1)


def test_standings_keep_the_interval_of_the_prior_where_one_agent_won_all():
    outcomes, seeds = pairs([True] * 20, together=True)
    standings = standings_of(["a", "b"], outcomes, "bradley_terry", seeds)
    assert standings[0].rating == bradley_terry(["a", "b"], outcomes)["a"]
    assert standings[0].rating.high - standings[0].rating.low > 200


def test_standings_keep_the_interval_of_the_prior_where_all_units_are_alike():
    outcomes = [Outcome(("a", "b"), (1.0, -1.0)), Outcome(("b", "a"), (0.0, 0.0))]
    standings = standings_of(["a", "b"], outcomes, "bradley_terry", [7, 7])
    assert {line.agent: line.rating for line in standings} == bradley_terry(["a", "b"], outcomes)


def test_standings_of_three_players_have_places_and_shares():
    outcomes = [
        Outcome(("a", "b", "c"), (1.0, -0.5, -0.5), out=(-1, 20, -1)),  # a, c, b
        Outcome(("b", "c", "a"), (-0.5, -0.5, 1.0), out=(20, -1, -1)),  # a, c, b
        Outcome(("c", "a", "b"), (0.25, 0.25, -0.5), out=(-1, -1, 9)),  # c and a, b
        Outcome(("a", "b", "c"), (-0.5, -0.5, 1.0), out=(5, 9, -1)),  # c, b, a
    ]
    standings = {line.agent: line for line in standings_of(["a", "b", "c"], outcomes, "bradley_terry")}
    assert [standings[name].places for name in "abc"] == [(3, 0, 1), (0, 1, 3), (2, 2, 0)]
    assert [standings[name].share for name in "abc"] == pytest.approx([2.5 / 4, 0, 1.5 / 4])
    assert [standings[name].mean_place for name in "abc"] == pytest.approx([6 / 4, 11 / 4, 6 / 4])
    assert standings["a"].tally == Tally(2, 1, 1)
    skill = standings["c"].skill
    assert skill == openskill_ratings(["a", "b", "c"], outcomes)["c"]
    assert skill.low < 25 < skill.value < skill.high
    data = {line["agent"]: line for line in standings_data(list(standings.values()), outcomes)["standings"]}
    assert data["b"]["places"] == [0, 1, 3]
    assert set(data["a"]["openskill"]) == {"value", "low", "high"}


def test_openskill_raises_the_winner_and_keeps_the_scale():
    ratings = openskill_ratings(["a", "b"], games("a", "b", 10, 0, 0))
    assert ratings["a"].value > 25 > ratings["b"].value
    assert ratings["a"].high - ratings["a"].low < 2 * 1.96 * 25 / 3


# Games of three Generals by hand: agents by seat, returns. Each comment says how it ended.
BY_HAND = [
    Outcome(("a", "a", "b"), (1.0, -0.5, -0.5)),  # won by a
    Outcome(("a", "b", "a"), (-0.5, -0.5, 1.0)),  # won by a
    Outcome(("b", "a", "a"), (1.0, -0.5, -0.5)),  # won by b
    Outcome(("a", "b", "b"), (-0.5, 1.0, -0.5)),  # won by b
    Outcome(("b", "b", "a"), (0.25, -0.5, 0.25)),  # drawn by a and b
    Outcome(("b", "a", "b"), (0.25, -0.5, 0.25)),  # both seats of b are left: b won, since nobody else shares
    Outcome(("a", "b", "b"), (0.0, 0.0, 0.0)),  # drawn by all, truncated
]


def test_tally_counts_each_game_once_by_its_best_seats():
    assert tally_of(BY_HAND, "a") == Tally(2, 2, 3)
    assert tally_of(BY_HAND, "b") == Tally(3, 2, 2)
    assert sum(outcome.score("a") for outcome in BY_HAND) == pytest.approx(2 + 1 / 2 + 1 / 3)
    assert sum(outcome.score("b") for outcome in BY_HAND) == pytest.approx(2 + 1 / 2 + 1 + 2 / 3)


def test_game_lost_by_forfeit_counts_once_however_many_seats_forfeited():
    late, wrong = "took too long", "chose no action"
    lost = Outcome(("a", "b", "a", "b"), (-1.0, 1.0, -1.0, -1.0), {0: late, 2: late})
    for_two_reasons = Outcome(("a", "b", "a", "b"), (-1.0, 1.0, -1.0, -1.0), {0: late, 2: wrong})
    won = Outcome(("a", "b", "a", "b"), (-1.0, -1.0, 1.0, -1.0), {0: late, 1: late})
    outcomes = [lost, for_two_reasons, won]
    assert forfeits_of(outcomes) == {("a", late): 2, ("a", wrong): 1, ("b", late): 1}
    standings = standings_of(["a", "b"], outcomes, "bradley_terry")
    assert {line.agent: (line.forfeits, line.tally.losses) for line in standings} == {"a": (2, 2), "b": (1, 1)}
    told = {(one["agent"], one["reason"]): one["games"] for one in standings_data(standings, outcomes)["forfeits"]}
    assert told == forfeits_of(outcomes)


def test_seat_that_was_out_before_the_end_does_not_draw():
    """With rewards for winners alone, all returns of a truncated game are 0."""
    truncated = Outcome(("a", "b", "c"), (0.0, 0.0, 0.0), out=(-1, 40, -1))
    assert truncated.places == (1, 3, 1)
    assert [truncated.score(name) for name in "abc"] == [0.5, 0, 0.5]
    assert [tally_of([truncated], name) for name in "abc"] == [Tally(0, 1, 0), Tally(0, 0, 1), Tally(0, 1, 0)]


def test_places_are_ordered_by_returns_and_then_by_who_lasted_longer():
    assert Outcome(("a", "b", "c", "d"), (-1 / 3, -1 / 3, 1.0, -1 / 3), out=(10, -1, -1, 30)).places == (4, 2, 1, 3)
    assert Outcome(("a", "b", "c"), (-0.5, -0.5, 1.0)).places == (2, 2, 1)
    assert Outcome(("a", "b", "a"), (-0.5, 1.0, -0.5), out=(5, -1, 9)).place("a") == 2


def test_twelve_games_with_a_winner_each_have_no_draws():
    line_ups = [("a", "a", "b"), ("a", "b", "b")]
    outcomes = [
        Outcome(seating, tuple(1.0 if seat == seating.index("a") else -0.5 for seat in range(3)))
        for line_up in line_ups
        for seating in seatings(line_up)
        for _ in range(2)
    ]
    standings = standings_of(["a", "b"], outcomes, "bradley_terry")
    assert [(line.agent, line.tally) for line in standings] == [("a", Tally(12, 0, 0)), ("b", Tally(0, 0, 12))]


def test_tally_counts_a_shared_best_result_as_a_draw():
    outcomes = [Outcome(("a", "b", "c"), (0.25, 0.25, -0.5)), Outcome(("b", "a", "c"), (-0.5, 1.0, -0.5))]
    assert tally_of(outcomes, "a") == Tally(1, 1, 0)
    assert tally_of(outcomes, "b") == Tally(0, 1, 1)
    assert tally_of(outcomes, "c") == Tally(0, 0, 2)


def test_pairing_counts_the_games_that_both_played():
    outcomes = [*BY_HAND, Outcome(("a", "c", "c"), (1.0, -0.5, -0.5)), Outcome(("b", "c", "c"), (-0.5, 1.0, -0.5))]
    assert tally_of(outcomes, "a", against="b") == Tally(2, 2, 3)
    assert tally_of(outcomes, "a", against="c") == Tally(1, 0, 0)
    assert tally_of(outcomes, "c", against="b") == Tally(1, 0, 0)
    assert tally_of(outcomes, "c") == Tally(1, 0, 1)


def test_openskill_places_agents_by_their_best_seat():
    ratings = openskill_ratings(["a", "b"], [Outcome(("a", "a", "b"), (-0.5, 1.0, -0.5))])
    assert ratings == openskill_ratings(["a", "b"], [Outcome(("a", "b"), (1.0, -1.0))])
    drawn = openskill_ratings(["a", "b"], [Outcome(("a", "b", "b"), (0.25, 0.25, -0.5))])
    assert drawn["a"].value == pytest.approx(drawn["b"].value)


def test_standings_list_the_best_first_with_all_pairings():
    outcomes = games("a", "b", 1, 0, 9)
    standings = standings_of(["a", "b"], outcomes, "bradley_terry")
    assert [line.agent for line in standings] == ["b", "a"]
    data = standings_data(standings, outcomes)
    assert [entry["agent"] for entry in data["standings"]] == ["b", "a"]
    assert {"agent": "a", "against": "b", "wins": 1, "draws": 0, "losses": 9}.items() <= data["pairings"][1].items()
    assert data["pairings"][1]["win_rate"] == 0.1
