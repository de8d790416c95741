"""Luck: corrections by exact odds have mean 0, and reduce the variance where values are informative."""

from pathlib import Path

import numpy as np
import pytest

from sackarmies_env.core.batch import Batch
from sackarmies_env.registry import load_game, load_players, load_scenario
from sackarmies_training.evaluate import Plan, evaluate
from sackarmies_training.ladder.exact import ExactValues
from sackarmies_training.matches import PlayedGame
from sackarmies_training.stats.estimate import wilson
from sackarmies_training.stats.luck import Adjusted, LuckMeter, adjusted_score, unit_shares
from tests.core.toy_game import make_duel
from tests.samples import many

EXACT = Path(__file__).parents[2] / "configs" / "ladder" / "exact"


def played(game, pairs, agents=("greedy", "random"), seed=1):
    return evaluate(game, *agents, Plan(pairs, seed=seed), lambda games: None)[1]


def record(seed, actions):
    return PlayedGame(seed, ("a", "b"), tuple(actions), (0.0, 0.0), 1, truncated=False)


def values_after(meter, states):
    return meter.values(states, np.zeros(len(states), np.int64))


def test_corrections_are_those_of_all_that_might_have_come():
    """In a small position, for each seed: the value of the outcome, less the mean by the odds of an enumeration."""
    scenario = load_scenario(EXACT / "one_attack.toml")
    game = load_game("sack_armies", scenario=scenario)
    meter, exact = LuckMeter(game), ExactValues(game)
    found = set()
    for seed in range(12):
        states = game.new_states(1)
        game.reset(game.params, states, np.array([seed]))
        actions, expected = [], []
        while states["current_player"][0] >= 0:
            decision = exact.decide(states)
            action = max(decision.actions, key=lambda action: decision.values[decision.actions.index(action)])
            outcomes = exact.outcomes(states, action)
            game.step(game.params, states, [action])
            actions.append(action)
            if len(outcomes) > 1:
                mean = sum(chance * values_after(meter, after)[0] for chance, after in outcomes)
                expected.append(values_after(meter, states)[0] - mean)
        [luck] = meter.measure([record(seed, actions)], [0])
        assert luck == pytest.approx(expected)
        found.update(round(one, 6) for one in luck)
    assert len(found) > 1


def test_results_after_those_that_are_tried_stay_as_they_came():
    """With one flip tried, one of its two ways leads to the position that came, whatever is flipped after it."""
    scenario = load_scenario(EXACT / "one_attack.toml")
    game = load_game("sack_armies", scenario=scenario)
    for one in random_games(game, 40, 1):
        LuckMeter(game, results=1).measure([one], [0])  # refused if neither does


def test_corrections_of_a_seat_are_known_for_each_game():
    game = load_game("sack_armies", switches={"max_turns": 15})
    games = played(game, 3)
    meter = LuckMeter(game)
    luck = meter.measure(games, [0] * 6)
    assert any(luck)
    assert luck == [meter.measure([one], [0])[0] for one in games]


@pytest.mark.parametrize("players", [2, 3])
def test_luck_of_all_seats_is_their_own_less_an_equal_part_of_the_rest(players):
    game = load_players("sack_armies", players, switches={"max_turns": 15})
    games = played(game, 2)
    meter = LuckMeter(game)
    own = np.array([[sum(one) for one in meter.measure(games, [seat] * len(games))] for seat in range(players)]).T
    luck = meter.measure_all(games)
    assert luck.shape == (2 * players, players)
    assert luck.sum(axis=1) == pytest.approx(0)
    assert np.abs(luck).max() > 0.01
    np.testing.assert_allclose(luck, own - own.mean(axis=1, keepdims=True))


def test_games_without_flips_have_no_luck():
    game = load_game("sack_armies", switches={"max_turns": 2})
    assert not LuckMeter(game).measure_all(played(game, 1)).any()


def random_games(game, count, seed):
    """Return games of random play."""
    rng = np.random.default_rng(seed)
    batch = Batch(game, count, restarts=False)
    batch.reset(np.arange(count) + seed)
    histories = [[] for _ in range(count)]
    while len(rows := np.flatnonzero(batch.ended == 0)):
        actions = (rng.random((len(rows), game.num_actions)) * batch.action_masks[rows]).argmax(axis=1)
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            histories[row].append(action)
        batch.step(actions, rows)
    return [record(seed + row, actions) for row, actions in enumerate(histories)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("sack_armies", many(25_000)), ("territories", many(6_250))])
def test_mean_correction_is_zero_over_many_events(name, count):
    scenario = load_scenario(EXACT / "two_on_two.toml") if name == "sack_armies" else "c1_two_territories"
    game = load_game(name, scenario=scenario)
    meter = LuckMeter(game, results=2)
    events = []
    while len(events) < count:
        games = random_games(game, 2000, len(events))
        events += [one for luck in meter.measure(games, [row % 2 for row in range(2000)]) for one in luck]
    corrections = np.array(events)
    error = corrections.std() / np.sqrt(len(corrections))
    assert corrections.std() > 0.05  # there is something to correct
    assert abs(corrections.mean()) < 4 * error


@pytest.mark.slow
def test_luck_of_four_seats_has_mean_zero_and_explains_a_part_of_the_variance():
    game, units = load_players("sack_armies", 4), many(40)
    games = played(game, units, ("greedy", "greedy:weights=first"))
    luck = LuckMeter(game).measure_all(games)
    of_units = luck.reshape(units, 4, 4).mean(axis=1)  # games of a unit share their chance
    assert (luck.std(axis=0) > 0.1).all()
    assert (np.abs(of_units.mean(axis=0)) < 4 * of_units.std(axis=0) / np.sqrt(units)).all()
    seats = [one.agents.index("greedy") for one in games]
    shares = unit_shares("greedy", games, [[row[seat]] for row, seat in zip(luck, seats, strict=True)])
    assert Adjusted.of(shares, len(games)).ratio < 0.9


def test_few_results_of_dice_are_tried_and_more_of_coins():
    assert [len(LuckMeter(load_game(name))._ways) for name in ("sack_armies", "territories")] == [2**5, 6**2]


@pytest.mark.slow
def test_luck_taken_out_narrows_the_interval_and_leaves_the_mean():
    game = load_game("sack_armies")
    games = played(game, 100, ("greedy", "greedy:weights=first"))
    adjusted = adjusted_score(game, "greedy", games)
    plain = sum(one.returns[one.agents.index("greedy")] > 0 for one in games) / len(games)
    assert adjusted.ratio < 0.9
    assert adjusted.score.value == pytest.approx(plain, abs=0.05)
    assert "of the points, worth" in adjusted.sentence()


def test_luck_that_decided_all_units_can_be_told():
    adjusted = Adjusted.of(np.array([[0.0, 0.5], [1.0, 0.5]]), games=4)
    assert adjusted.sentence() == "with luck taken out: 50.0% (9.5% to 90.5%) of the points, the same in all units"


@pytest.mark.parametrize(("share", "low", "high"), [(0.5, *wilson(0.5, 1)), (1.1, wilson(1.0, 1)[0], 1.1)])
def test_share_of_one_pair_has_no_interval_of_width_zero(share, low, high):
    score = Adjusted.of(np.array([[1.0, share]]), games=2).score
    assert (score.value, score.low, score.high) == (share, low, high)


def test_cards_of_a_deck_are_refused():
    game = load_game("sack_armies", switches={"flip_method": "deck", "max_turns": 30})
    with pytest.raises(ValueError, match="flips are not independent of each other, like cards of a deck"):
        LuckMeter(game).measure(games := played(game, 2), [0] * len(games))


def test_game_without_such_chance_is_refused():
    with pytest.raises(
        ValueError, match=r"luck cannot be measured in the game 'duel': .* only in zero-sum games that have"
    ):
        LuckMeter(make_duel())
