"""Tianshou's PPO with masks, one seat against random play. Run `python examples/tianshou_ppo.py`."""

import time
from functools import partial
from typing import Any

import gymnasium
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from torch import nn

import sackarmies_env  # noqa: F401 - registers the environments

ID, GAME = "sackarmies_env/SackArmies-v0", dict[str, Any](scenario="configs/ladder/exact/two_on_two.toml")
GAMES, DECISIONS = 8, 12_288


class Masked(nn.Module):
    """A layered network; if its outputs are actions, illegal ones get no probability."""

    def __init__(self, features: int, outputs: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, outputs))

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
        """Return the value, or logits and state."""
        outputs = self.layers(torch.as_tensor(obs.observation).float())
        if outputs.shape[1] == 1:
            return outputs
        return outputs.masked_fill(torch.as_tensor(obs.action_mask) == 0, -1e9), state


def train(decisions: int = DECISIONS, seed: int = 1) -> tuple[float, float]:
    """Train, and return the mean rewards before and after training."""
    torch.manual_seed(seed)
    envs = DummyVectorEnv([partial(gymnasium.make, ID, **GAME, seat=0) for _ in range(GAMES)])
    envs.seed(seed)
    spaces, actions = envs.observation_space[0], envs.action_space[0]
    actor, critic = (Masked(spaces["observation"].shape[0], outputs) for outputs in (int(actions.n), 1))
    policy = DiscreteActorPolicy(actor=actor, action_space=actions)
    ppo = PPO(policy=policy, critic=critic, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0)
    before = Collector(ppo, envs).collect(n_episode=400, reset_before_collect=True).returns.mean()
    collector = Collector(ppo, envs, VectorReplayBuffer(2048, GAMES))
    collector.reset()
    plan: dict[str, Any] = {"max_epochs": 1, "epoch_num_steps": decisions, "collection_step_num_env_steps": 1024}
    plan |= {"batch_size": 256, "update_step_num_repetitions": 4, "test_step_num_episodes": 0, "show_progress": False}
    ppo.run_training(OnPolicyTrainerParams(training_collector=collector, verbose=False, **plan))
    after = Collector(ppo, envs).collect(n_episode=400, reset_before_collect=True).returns.mean()
    return float(before), float(after)


if __name__ == "__main__":
    before, after = train()
    speed = DECISIONS / time.process_time()
    print(f"mean reward {before:.2f}, after learning {after:.2f}; {speed:.0f} decisions a second")
