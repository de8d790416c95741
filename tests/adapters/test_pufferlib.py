"""PufferLib adapter: its rows are those of the vector environment; options that it cannot support are refused."""

from __future__ import annotations

import importlib
import sys
import types
from importlib.util import find_spec

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from sackarmies_env.environments import vector_env

ADAPTER = "sackarmies_env.adapters.pufferlib"


class Buffers:
    """Stand-in for what the adapter uses of PufferLib's `PufferEnv`: buffers with one row per agent."""

    def __init__(self, buf):
        self.observations = np.zeros((self.num_agents, *self.single_observation_space.shape), np.int8)
        self.rewards = np.zeros(self.num_agents, np.float32)
        self.terminals, self.truncations = (np.zeros(self.num_agents, np.bool_) for _ in range(2))


@pytest.fixture
def puffer_games(monkeypatch, tmp_path):
    """Yield the adapter, on a stand-in if PufferLib is not installed: it needs a separate environment."""
    monkeypatch.chdir(tmp_path)  # importing PufferLib leaves a link in the working directory
    if find_spec("pufferlib") is not None:
        yield importlib.import_module(ADAPTER).PufferGames
        return
    monkeypatch.setitem(sys.modules, "pufferlib", types.SimpleNamespace(PufferEnv=Buffers))
    yield importlib.import_module(ADAPTER).PufferGames
    del sys.modules[ADAPTER]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pad_generals": 3},
        {"game": "territories", "num_players": 3, "pad_players": 4, "autoreset_mode": AutoresetMode.SAME_STEP},
        {"sampler": lambda generator: {"num_generals": 2}, "pad_types": 130},
    ],
)
def test_rows_are_vectors_and_masks_of_the_vector_environment(puffer_games, options):
    games, other = puffer_games(num_envs=3, **options), vector_env(num_envs=3, **options)
    actions = int(games.single_action_space.n)
    assert games.single_action_space == other.single_action_space
    rows, expected = games.reset(seed=4)[0], other.reset(seed=4)[0]
    for _ in range(20):
        assert np.array_equal(rows[:, :-actions], expected["observation"])
        assert np.array_equal(rows[:, -actions:], expected["action_mask"])
        assert all(games.single_observation_space.contains(row) for row in rows)
        chosen = rows[:, -actions:].argmax(axis=1)
        rows, rewards, *ends, _ = games.step(chosen)
        expected, wanted, *wanted_ends, _ = other.step(chosen)
        assert rewards.tolist() == wanted.astype(np.float32).tolist()
        assert ends[0].tolist() == (wanted_ends[0] | wanted_ends[1]).tolist()
    games.close()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"observation": "dict"}, "observation='dict': PufferLib requires 'flat', one vector per game"),
        ({"observation": "planes"}, "observation='planes': PufferLib requires 'flat'"),
        ({"mask_in_observation": False}, "mask_in_observation=False: .* must include the mask; give True or omit"),
        ({"autoreset_mode": "NextStep"}, "autoreset_mode='NextStep': PufferLib requires 'SameStep'"),
        ({"autoreset_mode": AutoresetMode.DISABLED}, "autoreset_mode='Disabled': PufferLib requires 'SameStep'"),
        ({"seat": "all"}, "seat='all': a row of PufferLib is an agent, which plays one seat; give a number or"),
        ({"seat": "all", "sampler": lambda generator: {}}, "seat='all': a row of PufferLib is an agent"),
        ({"observation": "plane"}, "observation='plane'.*: allowed are 'flat', 'dict', 'planes'"),
    ],
)
def test_options_that_give_other_rows_are_refused(puffer_games, options, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        puffer_games(num_envs=2, **options)
