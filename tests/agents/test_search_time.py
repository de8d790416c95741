"""Searches with a time limit: the time of a playout is estimated, but no estimate stops searching for good."""

import time

import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.search.agent import SearchAgent, parts_of
from sackarmies_agents.search.flat import FIRST_GUESS, FlatSearch, Race, Settings
from sackarmies_env.core.information import InformationSets
from tests.agents.simple import LastLegal, positions


@pytest.fixture(scope="module")
def root():
    """Return a game and a position of seat 0 in which searching pays off."""
    batch = positions(5, 80, n=24)
    focus = parts_of(GameInfo.of(batch.game), ()).focus
    states = batch.states[(batch.players == 0) & (batch.states["num_legal"] > 1) & (focus(batch.states) == 1.0)]
    return batch.game, states[:1]


def timed(game, milliseconds, **settings):
    parts = parts_of(GameInfo.of(game), ())
    plan = Settings(playouts=10**9, milliseconds=milliseconds, **settings)
    return FlatSearch(game, parts.make_policy, parts.make_evaluation, plan, parts.focus)


def searches_until_one_plays(search, states, most=1000):
    """Return how many searches pass before one makes a playout; None if none of them does."""
    for number in range(most):
        if search.search(states, 0, seed=number).counts.any():
            return number
    return None


@pytest.mark.parametrize("threads", [1, 2])
def test_playouts_that_load_kernels_are_not_timed(root, monkeypatch, threads):
    game, states = root
    play, slow = Race.play, [True] * threads

    def loading(race, *given):
        if slow:
            slow.pop()
            time.sleep(0.5)
        play(race, *given)

    monkeypatch.setattr(Race, "play", loading)
    search = timed(game, 5, horizon=1, threads=threads)
    finding = search.search(states, 0, seed=1)
    assert not slow
    assert finding.counts.any()
    assert search._pace < 0.005


def test_first_search_of_a_game_knows_how_long_playouts_take(root, monkeypatch):
    game, states = root
    play = Race.play

    def slow(race, *given):
        *_, running, first, last = given
        time.sleep(0.002 * len(running) * (last - first))
        play(race, *given)

    monkeypatch.setattr(Race, "play", slow)
    search = timed(game, 20, horizon=1)
    assert search.search(states, 0, seed=1).counts.sum() <= 20 / 2


class SlowToBegin(LastLegal):
    """Is slow at its first choice, like an agent whose kernels must be loaded."""

    has_begun = False

    def act_batch(self, observations, action_masks):
        if not self.has_begun:
            time.sleep(0.3)
        self.has_begun = True
        return super().act_batch(observations, action_masks)


def test_first_choice_of_a_prior_is_not_timed(root):
    game, states = root
    plan = Settings(playouts=10**9, milliseconds=20, horizon=1)
    agent = SearchAgent(GameInfo.of(game), plan, prior=SlowToBegin())
    assert agent.search(InformationSets.of(game, states, 0))[0].counts.any()


def test_a_slow_measurement_does_not_end_all_searches(root):
    game, states = root
    search = timed(game, 5, horizon=1)
    search.search(states, 0, seed=1)
    search._pace = 0.1  # as if the computer had been busy for a moment
    assert searches_until_one_plays(search, states, 50) is not None


def test_estimate_does_not_change_where_no_time_is_left_or_searching_does_not_pay(root):
    game, states = root
    search = timed(game, 5, horizon=1)
    search.search(states, 0, seed=1)
    pace = search._pace
    for share, spent in ((0.0, 0.0), (1.0, 1.0)):
        search._focus = lambda states, share=share: [share]
        assert not search.search(states, 0, seed=1, spent=spent).counts.any()
        assert search._pace == pace


def test_smallest_limit_still_searches(root):
    assert searches_until_one_plays(timed(root[0], 0.1, horizon=1), root[1]) is not None


def test_first_guess_knows_the_horizon(root):
    guesses = [timed(root[0], 5, horizon=horizon)._pace for horizon in (0, 6, 60)]
    assert guesses == pytest.approx([FIRST_GUESS, FIRST_GUESS, 10 * FIRST_GUESS])
