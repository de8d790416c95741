"""Luck of draws: corrections by exact odds add up to 0 over all possible draws, and have mean 0 in games."""

from collections import Counter

import numpy as np
import pytest

from benchmarks.luck import games_saved, mean_sentence
from benchmarks.luck_of_draws import DrawMeter, TrainedValues, deck_of, sack_of
from sackarmies_env.core.rng import below, philox, seed_streams
from sackarmies_env.registry import load_game
from sackarmies_training.matches import PlayedGame
from sackarmies_training.stats.luck import LuckMeter
from tests.samples import many
from tests.training.test_luck import played, random_games

SACK = ["plain", "orc_infantry", "goblin_infantry", "retreat"]


def position(sack, draw_count):
    """Return a game in which General 0 may draw, its state, and the id of Draw."""
    scenario = {
        "game": "sack_armies",
        "generals": 2,
        "to_move": 0,
        "battlefield": [{"token": "plain", "at": [0, 0], "owner": 0}, {"token": "plain", "at": [3, 0], "owner": 1}],
        "unit": [
            {"token": "orc_infantry", "at": [0, 0], "owner": 0},
            {"token": "goblin_infantry", "at": [3, 0], "owner": 1},
        ],
        "general": [{"hand": [], "sack": sack}, {"hand": [], "sack": ["plain"]}],
        "switches": {"draw_count": draw_count},
    }
    game = load_game("sack_armies", scenario=scenario)
    states = game.new_states(1)
    game.reset(game.params, states, np.array([0]))
    masks = np.zeros((1, game.num_actions), np.int8)
    game.legal_actions(game.params, states, masks)
    [draw] = [int(one) for one in np.flatnonzero(masks[0]) if game.actions.format(int(one)) == "draw"]
    return game, states, draw


def token_types(state):
    """Return the sack of player 0, in the order in which chance counts it."""
    return sack_of(state, 0)


def steps_by_places(game, states, draw, num_draws):
    """Return a step for each sequence of places in the sack that chance may pick: places -> (before, after)."""
    size = len(token_types(states[0]))
    wanted = int(np.prod([size - number for number in range(num_draws)]))
    found = {}
    for seed in range(10_000):
        before = game.clone(states)
        seed_streams(before[0], np.int64(seed))
        key, high = (np.uint64(word) for word in before["draw_key"][0])
        places = tuple(int(below(philox(key, high, np.uint64(n)), size - n)) for n in range(num_draws))
        if places not in found:
            after = game.clone(before)
            game.step(game.params, after, [draw])
            found[places] = before, after
        if len(found) == wanted:
            return found
    raise AssertionError(f"{len(found)} of {wanted} sequences were found")


def corrections_by_places(sack, num_draws):
    """Return the corrections of a Draw of `num_draws` tokens, by the places that chance may pick."""
    game, states, draw = position(sack, num_draws)
    meter = DrawMeter(game, LuckMeter(game).values)
    found = steps_by_places(game, states, draw, num_draws)
    return {
        places: meter.corrections(before, np.array([draw]), after, np.zeros(1, np.int64))[0]
        for places, (before, after) in found.items()
    }


def test_corrections_of_one_draw_sum_up_to_zero_over_the_sack():
    """All tokens of the sack are equally likely: three copies of one type count three times."""
    sack = [*SACK, "goblin_infantry", "goblin_infantry"]
    found = corrections_by_places(sack, 1)
    values = [one for [one] in found.values()]
    assert len(values) == len(sack)
    assert max(values) > 0.001
    assert abs(sum(values)) < 1e-12


def test_corrections_of_each_draw_sum_up_to_zero_with_the_others_as_they_came():
    found = corrections_by_places(SACK, 2)
    assert len(found) == 12
    assert max(map(max, found.values())) > 0.001
    for second in range(3):  # the word of the second draw, whatever the first one leaves
        assert abs(sum(found[first, second][0] for first in range(4))) < 1e-12
    for first in range(4):
        assert abs(sum(found[first, second][1] for second in range(3))) < 1e-12


def test_correction_is_the_value_of_what_came_less_the_mean_by_the_odds():
    game, states, draw = position(["orc_infantry", "retreat", "retreat"], 1)
    values = LuckMeter(game).values
    meter = DrawMeter(game, values)
    found = steps_by_places(game, states, draw, 1)
    seat = np.zeros(1, np.int64)
    by_type = {token_types(before[0])[place]: values(after, seat)[0] for (place,), (before, after) in found.items()}
    counts = Counter(token_types(states[0]))
    mean = sum(by_type[one] * count for one, count in counts.items()) / 3
    for (place,), (before, after) in found.items():
        [[correction]] = meter.corrections(before, np.array([draw]), after, seat)
        assert correction == pytest.approx(by_type[token_types(before[0])[place]] - mean, abs=1e-12)


def test_draws_where_the_sack_is_not_known_are_left_as_they_are():
    game, states, draw = position(SACK, 2)
    meter = DrawMeter(game, LuckMeter(game).values)
    meter._pool = lambda state, player: [0] * 9  # does not shrink
    after = game.clone(states)
    game.step(game.params, after, [draw])
    assert meter.corrections(states, np.array([draw]), after, np.zeros(1, np.int64)) == [[]]
    assert meter.num_left == 2


def test_deck_that_is_empty_is_made_of_the_discards():
    game = load_game("territories")
    states = game.new_states(1)
    game.reset(game.params, states, np.array([0]))
    states["deck"], states["deck_count"], states["discards"] = 0, 0, 0
    states["discards"][0, :2] = 2, 1
    assert deck_of(states[0], 0) == [0, 0, 1]
    states["deck"][0, 3], states["deck_count"] = 1, 1
    assert deck_of(states[0], 1) == [3]


def test_evaluation_of_territories_sees_no_cards():
    game = load_game("territories")
    games = played(game, 2, ("greedy", "random"))
    luck = DrawMeter(game, LuckMeter(game).values).measure(games, [0] * 4)
    corrections = [one for parts in luck for one in parts]
    assert corrections
    assert max(map(abs, corrections)) < 1e-12


def test_values_of_the_trained_general_tell_hands_apart_and_add_up_to_zero():
    game = load_game("sack_armies", switches={"max_turns": 8})
    games = played(game, 1, ("greedy", "greedy:weights=first"))
    meter = DrawMeter(game, TrainedValues(game))
    luck = [meter.measure(games, [seat] * 2) for seat in (0, 1)]
    assert np.std([one for parts in luck[0] for one in parts]) > 0.001
    for mine, theirs in zip(*luck, strict=True):
        assert mine == pytest.approx([-one for one in theirs], abs=1e-6)


def test_games_saved_are_those_of_the_variance_that_is_gone():
    returns = [(1.0, -1.0), (-1.0, 1.0)] * 30
    games = [PlayedGame(row, ("a", "b"), (), one, 1, truncated=False) for row, one in enumerate(returns)]
    luck = [[one[0] / 2] for one in returns]  # half of each result was luck
    assert games_saved("a", games, luck) == "75.0% (75.0% to 75.0%)"
    assert mean_sentence([[1.0], [3.0]]) == "mean of 2 corrections +2.000000, standard error 0.707107"


@pytest.mark.slow
def test_mean_correction_of_draws_is_zero_over_many_events():
    game = load_game("sack_armies", switches={"max_turns": 12})
    meter = DrawMeter(game, LuckMeter(game).values)
    events, seed = [], 0
    while len(events) < many(25_000):
        games = random_games(game, 500, seed)
        seed += 500
        events += [one for luck in meter.measure(games, [row % 2 for row in range(500)]) for one in luck]
    corrections = np.array(events)
    error = corrections.std() / np.sqrt(len(corrections))
    assert corrections.std() > 0.005  # there is something to correct
    assert abs(corrections.mean()) < 4 * error
    assert meter.num_left < len(events) / 1000
