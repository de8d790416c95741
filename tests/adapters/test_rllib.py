"""RLlib adapter: which agents have decisions in games that begin with eliminated players."""

from __future__ import annotations

import importlib
import sys
import types

import numpy as np
import pytest

import sackarmies_env

ADAPTER = "sackarmies_env.adapters.rllib"
NAMES = {  # what the adapter imports from Ray
    "ray.rllib.core.columns": ["Columns"],
    "ray.rllib.core.rl_module.apis": ["ValueFunctionAPI"],
    "ray.rllib.core.rl_module.torch": ["TorchRLModule"],
    "ray.rllib.env.multi_agent_env": ["MultiAgentEnv"],
}


@pytest.fixture
def rllib_env(monkeypatch):
    """Return the adapter, on stand-ins if Ray's RLlib is not installed: it needs a separate environment."""
    pytest.importorskip("torch")
    try:
        return importlib.import_module(ADAPTER).RllibEnv
    except ImportError:  # Ray may be there without what RLlib needs
        for module, names in NAMES.items():
            stand_in = types.SimpleNamespace(**{name: type(name, (), {}) for name in names})
            monkeypatch.setitem(sys.modules, module, stand_in)
        return importlib.import_module(ADAPTER).RllibEnv
    finally:
        sys.modules.pop(ADAPTER, None)  # it may hold the stand-ins


@pytest.fixture(scope="module")
def two_of_three():
    """Return a scenario in which one of three players has been eliminated, and the name of that agent."""
    env = sackarmies_env.raw_env(num_generals=3, illegal_action="terminate")
    env.reset(seed=0)
    for _ in range(100):
        env.step(env.legal_actions()[0])
    gone = env.agent_selection
    env.step(-1)
    return env.to_scenario(), gone


def test_game_that_begins_with_an_eliminated_player_is_played_by_the_others(rllib_env, two_of_three):
    scenario, gone = two_of_three
    env, rng = rllib_env({"scenario": scenario}), np.random.default_rng(1)
    for seed in (1, 2):
        observations, _ = env.reset(seed=seed)
        assert sorted(env.agents) == sorted(set(env.possible_agents) - {gone})
        told, is_over = set(observations), False
        while not is_over:
            agent = env.env.agent_selection
            action = int(rng.choice(np.flatnonzero(observations[agent]["action_mask"])))
            observations, _, terminated, truncated, _ = env.step({agent: action})
            told |= observations.keys()
            is_over = terminated["__all__"] or truncated["__all__"]
        assert told == set(env.possible_agents) - {gone}


def test_actions_that_are_no_integers_are_refused(rllib_env):
    env = rllib_env({"num_generals": 2})
    (agent,) = env.reset(seed=1)[0]
    legal = env.env.legal_actions()[0]
    for action in (legal + 0.9, str(legal), None):
        with pytest.raises(ValueError, match=f"^illegal action .* for {agent} at"):
            env.step({agent: action})
    assert env.env.record().actions == ()
    env.step({agent: np.int64(legal)})
    assert env.env.record().actions == (legal,)


def test_game_that_is_over_at_once_is_refused(rllib_env):
    env = rllib_env({"num_generals": 2})
    env.env.reset(seed=1)
    for agent in env.possible_agents:
        env.env.terminations[agent] = True
    env.env.reset = lambda **_: None
    with pytest.raises(ValueError, match="the game is over before anyone decides: give another scenario"):
        env.reset(seed=1)
