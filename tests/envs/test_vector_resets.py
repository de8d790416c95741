"""Resets of vector environments: masks that select all games, and `np_random_seed`."""

from __future__ import annotations

import copy
import functools

import numpy as np
import pytest
from gymnasium.utils import seeding
from gymnasium.vector import SyncVectorEnv

import sackarmies_env
from sackarmies_env.core.rng import following_seed
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.vector_env import BatchEnv
from tests.core.toy_game import make_duel
from tests.envs.test_variety import any_turns, turns
from tests.envs.test_vector_env import equal, lowest
from tests.second_game import GAME, registered

ALL = np.ones(4, np.bool_)


@pytest.fixture
def duels():
    with registered():
        yield functools.partial(sackarmies_env.make, GAME, "vector", num_envs=4)


def some_turns(generator):
    """Draw a turn limit that no game reaches before the learner's first decision."""
    return {"max_turns": int(generator.integers(3, 9))}


def kinds_and_seeds(env):
    """Return the turn limit and the seed of each row of a varied vector."""
    limits, seeds = np.zeros(4, np.int64), np.zeros(4, np.int64)
    for rows, one in env.groups:
        limits[rows], seeds[rows] = turns(one), one.batch.seeds
    return limits.tolist(), seeds.tolist()


# --- masks of all games


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_mask_of_all_games_matches_sync_vector_env(mode):
    game = make_duel(max_turns=4)
    sync = SyncVectorEnv([lambda: SingleSeatEnv(game, decision_infos=True)] * 4, autoreset_mode=mode)
    env = BatchEnv(game, 4, autoreset_mode=mode, decision_infos=True)
    for seed in (3, None, 8, [None, 2, None, 5]):
        given, same = {"reset_mask": ALL}, {"reset_mask": ALL.copy()}
        assert equal(env.reset(seed=seed, options=given), sync.reset(seed=seed, options=same))
        actions = lowest(env.action_masks())
        assert equal(env.step(actions), sync.step(actions))


def test_mask_of_all_games_keeps_the_kind_of_game_as_any_mask_does(duels):
    env = duels(max_turns=20)
    env.reset(seed=1, options={"reset_mask": ALL, "max_turns": 3})  # no game has begun yet, so there is none to keep
    for mask in (ALL, ALL & [True, False, True, True]):
        env.reset(options={"reset_mask": mask})
        assert turns(env) == 3
        with pytest.raises(ValueError, match=r"reset_mask and max_turns cannot be combined: .*reset them all without"):
            env.reset(options={"reset_mask": mask, "max_turns": 5})
        assert turns(env) == 3
    env.reset()
    assert turns(env) == 20


def test_mask_of_all_rows_keeps_their_kinds_and_continues_their_seeds(duels):
    env = duels(sampler=some_turns)
    env.reset(seed=1, options={"reset_mask": ALL})
    limits, seeds = kinds_and_seeds(env)
    assert len(set(limits)) > 1
    for seed in (None, 50):
        seeds = [int(following_seed(one)) for one in seeds] if seed is None else [50, 51, 52, 53]
        _, infos = env.reset(seed=seed, options={"reset_mask": ALL})
        begun_limits, begun = kinds_and_seeds(env)
        assert begun_limits == limits
        assert begun == seeds
        assert infos["_action_mask"].all()
    with pytest.raises(ValueError, match="reset_mask and max_turns cannot be combined: rows keep their kinds of games"):
        env.reset(options={"reset_mask": ALL, "max_turns": 4})
    env.reset(seed=50, options={"max_turns": 4})
    assert kinds_and_seeds(env)[0] == [4] * 4


# --- the generator of seeds


@pytest.fixture(params=["gym", "vector", "varied"])
def env(request, duels):
    if request.param == "gym":
        return sackarmies_env.make(GAME, "gym").unwrapped
    return duels(sampler=any_turns) if request.param == "varied" else duels()


def test_np_random_seed_is_the_seed_that_was_given(env):
    for seed in (5, np.int64(6), 2**62):
        env.reset(seed=seed)
        assert type(env.np_random_seed) is int
        assert env.np_random_seed == seed
        generator = env.np_random
        assert generator.bit_generator.state == seeding.np_random(int(seed))[0].bit_generator.state
        env.reset()
        assert env.np_random_seed == seed
        assert env.np_random is generator


@pytest.mark.parametrize("is_asked", [False, True])
def test_np_random_seed_that_was_drawn_begins_the_same_games_again(env, is_asked):
    """It is the seed of the first game, whenever it is asked for, and belongs to the generator."""
    if is_asked:
        assert env.np_random_seed >= 0
    begun = [env.reset() for _ in range(3)]
    seed = env.np_random_seed
    assert type(seed) is int
    for again in (lambda: env.reset(seed=seed), env.reset, env.reset):
        assert equal(again(), begun.pop(0))
        assert env.np_random_seed == seed
    new = sackarmies_env.make(GAME, "gym").unwrapped
    assert new.np_random_seed != seed
    assert new.np_random.bit_generator.state == seeding.np_random(new.np_random_seed)[0].bit_generator.state


def test_copies_of_an_environment_that_has_not_begun_draw_different_seeds(env):
    copies = [copy.deepcopy(env) for _ in range(2)]
    assert copies[0].np_random_seed != copies[1].np_random_seed


def test_np_random_seed_is_unknown_of_a_generator_that_was_set(env):
    env.np_random = np.random.default_rng(3)
    env.reset()
    assert env.np_random_seed == -1
    wanted = np.random.default_rng(3)
    wanted.integers(2**63 - 1, endpoint=True)  # the first seed
    assert env.np_random.bit_generator.state == wanted.bit_generator.state


def test_asking_for_np_random_seed_changes_no_later_game(duels):
    states = []
    for is_asked in (False, True):
        env = duels(sampler=any_turns)
        env.reset(seed=9)
        if is_asked:
            assert env.np_random_seed == 9
        env.reset()
        states.append(env.state().tolist())
    assert states[0] == states[1]


@pytest.mark.parametrize("options", [{}, {"sampler": any_turns}])
def test_np_random_seed_is_unknown_where_each_game_has_its_own_seed(duels, options):
    env = duels(**options)
    env.reset(seed=[4, 3, 2, 1])
    assert env.np_random_seed == -1


# --- failures


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_no_games_run_after_games_that_are_over_too_soon(mode):
    env = BatchEnv(make_duel(max_turns=1), 2, seat=0, autoreset_mode=mode)
    env.reset(seed=3)
    actions = lowest(env.action_masks())
    env.seat_choice = 1  # a seat that has no decision in games of one turn
    if mode == "SameStep":
        fail = functools.partial(env.step, actions)
    else:
        assert env.step(actions)[3].all()
        fail = functools.partial(env.step, [0, 0]) if mode == "NextStep" else env.reset
    with pytest.raises(ValueError, match="100 games in a row were over before the learner's first decision"):
        fail()
    assert not env.action_masks().any()
    for ask in (functools.partial(env.step, [0, 0]), env.state):
        with pytest.raises(ValueError, match="no games are running: call reset"):
            ask()
    env.seat_choice = 0
    env.reset(seed=3)
    assert np.array_equal(lowest(env.action_masks()), actions)
    env.step(actions)
