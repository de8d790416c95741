"""MaskablePPO of sb3-contrib, one seat against random play. Run `python examples/sb3_maskable_ppo.py`."""

import time
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.env_util import make_vec_env

import sackarmies_env  # noqa: F401 - registers the environments

ID, GAME = "sackarmies_env/SackArmies-v0", dict[str, Any](scenario="configs/ladder/exact/two_on_two.toml")
DECISIONS = 8192


def train(decisions: int = DECISIONS, seed: int = 1) -> tuple[float, float]:
    """Train, and return the mean rewards before and after training."""
    torch.set_num_threads(1)  # a small network; more threads only wait for each other
    env = make_vec_env(ID, 8, seed=seed, env_kwargs=GAME | {"seat": 0, "mask_in_observation": False})
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=128, batch_size=256, n_epochs=4, learning_rate=1e-3, gamma=1.0, seed=seed
    )
    before, _ = evaluate_policy(model, env, 400, deterministic=False)
    model.learn(decisions)
    after, _ = evaluate_policy(model, env, 400, deterministic=False)
    assert isinstance(before, float)
    assert isinstance(after, float)
    return before, after


if __name__ == "__main__":
    begun, (before, after) = time.process_time(), train()
    speed = DECISIONS / (time.process_time() - begun)
    print(f"mean reward {before:.2f}, after learning {after:.2f}; {speed:.0f} decisions a second")
