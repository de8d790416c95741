"""Examples with libraries that need their own environment: run by `make libraries LIB=...`, skipped elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch, request):
    """Change to the root of the repository, because the examples name files there."""
    monkeypatch.chdir(request.config.rootpath)


def test_rllib_learns():
    pytest.importorskip("ray.rllib.algorithms.ppo", reason="make libraries LIB=rllib", exc_type=ImportError)
    from examples.rllib_ppo import train

    before, after = train()
    assert before < 0.1
    assert after > before + 0.1


@pytest.mark.parametrize("options", [{"num_generals": 3}, {"game": "territories", "num_players": 3}])
def test_adapter_of_rllib_pays_agents_what_they_earn_in_any_game(options):
    pytest.importorskip("ray.rllib.algorithms.ppo", reason="make libraries LIB=rllib", exc_type=ImportError)
    from sackarmies_env.adapters.rllib import RllibEnv

    env, rng = RllibEnv(options), np.random.default_rng(0)
    observations, _ = env.reset(seed=1)
    earned, ended = dict.fromkeys(env.possible_agents, 0.0), {"__all__": False}
    while not ended["__all__"]:
        agent = env.env.agent_selection
        action = int(rng.choice(np.flatnonzero(observations[agent]["action_mask"])))
        observations, rewards, terminated, truncated, _ = env.step({agent: action})
        assert observations.keys() == rewards.keys()
        ended = {name: terminated[name] or truncated[name] for name in terminated}
        for name, reward in rewards.items():
            earned[name] += reward
    assert sum(earned.values()) == pytest.approx(0)
    assert max(earned.values()) > 0


def test_agilerl_learns():
    pytest.importorskip("agilerl", reason="make libraries LIB=agilerl")
    from examples.agilerl_ppo import train

    means = train()
    assert means[0] < 0.35
    assert sum(means[-3:]) / 3 > means[0] + 0.1


def test_pufferlib_learns():
    pytest.importorskip("pufferlib", reason="make libraries LIB=pufferlib")
    from examples.pufferlib_ppo import train

    means = train()
    assert means[0] < 0.35
    assert sum(means[-3:]) / 3 > means[0] + 0.1
