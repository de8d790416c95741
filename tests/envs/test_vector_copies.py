"""Copies of vector environments, by `deepcopy` or pickle, play on like the original but independently."""

from __future__ import annotations

import copy
import pickle

import pytest

import sackarmies_env
from sackarmies_env.envs.options import PotentialShaping
from tests.envs.test_variety import any_turns
from tests.envs.test_vector_env import Seeded, equal, lowest, worth
from tests.second_game import GAME, registered

COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda env: pickle.loads(pickle.dumps(env))}
OPTIONS = {
    "one game": {},
    "two threads": {"num_envs": 40, "threads": 2},
    "all seats": {"seat": "all", "decision_infos": True},
    "dict": {"observation": "dict", "copy": True},
    "next step": {"autoreset_mode": "NextStep", "illegal_action": "penalize"},
    "opponents": {"num_players": 3, "opponent": [Seeded(), "random"]},
    "shaping": {"shaping": PotentialShaping(worth, 0.9), "seat": "all"},
    "varied": {"sampler": any_turns},
    "varied opponents": {"sampler": any_turns, "opponent": Seeded(), "seat": 1},
}


@pytest.fixture(params=OPTIONS)
def env(request):
    with registered():
        env = sackarmies_env.make(GAME, "vector", **{"num_envs": 5, "max_turns": 6, **OPTIONS[request.param]})
        env.reset(seed=3)
        for _ in range(5):
            env.step(lowest(env.action_masks()))
        yield env


def told(env):
    """Return everything that can be read from an environment between steps."""
    return env.action_masks().copy(), env.state()


@pytest.mark.parametrize("way", COPIES)
def test_copy_plays_on_as_the_original_does(env, way):
    twin = COPIES[way](env)
    for _ in range(50):
        assert equal(told(twin), told(env))
        assert equal(twin.step(lowest(twin.action_masks())), env.step(lowest(env.action_masks())))
    assert equal(twin.reset(), env.reset())
    assert equal(twin.reset(seed=8), env.reset(seed=8))


@pytest.mark.parametrize("way", COPIES)
def test_copy_and_original_leave_each_other_alone(env, way):
    twin = COPIES[way](env)
    for moved, other in ((env, twin), (twin, env)):
        before, own = told(other), told(moved)
        for _ in range(3):
            moved.step(lowest(moved.action_masks()))
        assert equal(told(other), before)
        assert not equal(told(moved), own)
