"""Random state of a resumed run: NumPy's, torch's and that of the games."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sackarmies_training.checkpoints import restore_run, save_run
from sackarmies_training.progress import Clock
from sackarmies_training.train_ppo import make_env, make_model
from tests.core.toy_game import make_duel
from tests.training.test_train import make_config


@pytest.fixture(autouse=True)
def chance_of_others():
    """Restore the random states of this process after each test."""
    numpy_state, torch_state = np.random.get_state(), torch.get_rng_state()
    yield
    np.random.set_state(numpy_state)
    torch.set_rng_state(torch_state)


def make_run(tmp_path):
    config = make_config(tmp_path)
    env = make_env(config, make_duel())
    return config, env, make_model(config, env, Clock(1, None))


DRAWS = {
    "NumPy": lambda env: np.random.random(4).tolist(),
    "NumPy, normal": lambda env: np.random.standard_normal(),  # drawn in pairs: the second one is kept
    "torch": lambda env: torch.rand(4).tolist(),
    "games": lambda env: env.rng.random(4).tolist(),
}


@pytest.mark.parametrize("source", DRAWS)
def test_random_generators_resume_where_they_were(tmp_path, source):
    config, env, model = make_run(tmp_path)
    np.random.standard_normal()
    save_run(tmp_path / "saved.safetensors", model, env, config, 1.5)
    expected = DRAWS[source](env)
    _, other_env, other_model = make_run(tmp_path)
    for spoil in DRAWS.values():
        spoil(other_env)
    assert restore_run(tmp_path / "saved.safetensors", other_model, other_env, config) == 1.5
    assert DRAWS[source](other_env) == expected


def test_resumed_run_learns_the_same_as_another_resumed_run(tmp_path):
    config, env, model = make_run(tmp_path)
    save_run(tmp_path / "saved.safetensors", model, env, config, 0.0)
    learned = []
    for number in range(2):
        _, env, model = make_run(tmp_path)
        np.random.seed(number)
        torch.manual_seed(number)
        restore_run(tmp_path / "saved.safetensors", model, env, config)
        model.learn(config.ppo.envs * config.ppo.steps, reset_num_timesteps=False)
        learned.append(torch.cat([weights.flatten() for weights in model.policy.parameters()]))
    assert torch.equal(*learned)
