"""Fog of war: in games that differ only in what a player cannot know, that player receives the same bytes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.constants import Decision
from tests.samples import many
from tests.territories.fog.twins import Course, check_alike, plain, put, with_other_chance

QUICK_SEEDS = range(10, 13 if INTERPRETED else 18)  # in each of these games, some player holds cards for a long time
QUICK_DECISIONS = 40 if INTERPRETED else 100
CHUNKS = 4
GAMES = many(3)  # per chunk
DECISIONS = 500
FOLLOWED = 25  # decisions for which a pair of worlds is played on
EVERY = 5  # decisions between two pairs, and between two thorough looks


def play(seed: int, decisions: int) -> tuple[Counter[Decision], int]:
    """Compare twins at each decision and play some pairs on; return the decisions met and the number made in pairs."""
    course, followed = Course(seed), 0
    for number in course.decisions(decisions):
        course.look(number, is_thorough=number % EVERY == seed % EVERY)
        if number % EVERY == 0:
            followed += course.follow(number, FOLLOWED)
    return course.met, followed


@pytest.mark.parametrize("seed", QUICK_SEEDS)
def test_players_receive_the_same_in_twin_worlds(seed):
    met, _ = play(seed, QUICK_DECISIONS)
    assert met


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_players_receive_the_same_in_twin_worlds_of_long_games(chunk):
    compared = followed = 0
    for seed in range(1000 + chunk * GAMES, 1000 + (chunk + 1) * GAMES):
        met, length = play(seed, DECISIONS)
        compared += met.total()
        followed += length
    print(f"{compared} comparisons, {followed} decisions alike in pairs")
    assert followed > many(250)


@pytest.mark.slow
def test_twin_worlds_are_compared_at_every_kind_of_decision():
    met: Counter[Decision] = Counter()
    wanted = set(Decision) - {Decision.NONE, Decision.PLACE}  # in the set-up nobody holds cards
    for seed in range(2000, 2100):
        course = Course(seed)
        for number in course.decisions(DECISIONS):
            course.look(number, is_thorough=False)
        met += course.met
        if set(met) == wanted:
            break
    assert set(met) == wanted


@pytest.mark.parametrize(("num_players", "map_name"), [(2, "small"), (2, "full"), (3, "full"), (4, "full")])
def test_set_up_tells_nothing_of_the_future(num_players, map_name):
    env = RawEnv(make_game(num_players, map_name))
    env.reset(seed=7)
    rng = np.random.default_rng(7)
    while plain(env)["decision"] == Decision.PLACE:
        for viewer in range(num_players):
            twin = env.clone()
            put(twin, with_other_chance(env.game, env._match.states, rng))
            check_alike(env, twin, viewer, "set-up", is_thorough=True)
        env.step(int(rng.choice(env._match.legal_actions())))
    assert plain(env)["active"] >= 0
