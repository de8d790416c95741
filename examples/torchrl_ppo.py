"""TorchRL's PPO with masks, one seat against random play. Run `python examples/torchrl_ppo.py`."""

import time
from typing import Any

import gymnasium
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import Compose, DTypeCastTransform, GymWrapper, SerialEnv, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import sackarmies_env  # noqa: F401 - registers the environments

ID, GAME = "sackarmies_env/SackArmies-v0", dict[str, Any](scenario="configs/ladder/exact/two_on_two.toml")
UPDATES, DECISIONS = 12, 1024


def make_env() -> TransformedEnv:
    """Return the environment, with observations and masks cast to the types that networks take."""
    env = GymWrapper(gymnasium.make(ID, **GAME, seat=0), categorical_action_encoding=True)
    floats = DTypeCastTransform(torch.int8, torch.float, in_keys=["observation"])
    return TransformedEnv(env, Compose(floats, DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])))


def train(updates: int = UPDATES, seed: int = 1) -> list[float]:
    """Train, and return for each rollout the mean reward of the games that ended in it."""
    torch.manual_seed(seed)
    env = SerialEnv(8, make_env)
    features, actions = env.observation_spec["observation"].shape[-1], env.action_spec.space.n
    policy = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, actions))
    logits, masked = TensorDictModule(policy, ["observation"], ["logits"]), {"logits": "logits", "mask": "action_mask"}
    actor = ProbabilisticActor(logits, masked, distribution_class=MaskedCategorical, return_log_prob=True)
    critic = ValueOperator(nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 1)))
    loss_of = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
    advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    optimizer = torch.optim.Adam(loss_of.parameters(), lr=1e-3)
    frames = {"frames_per_batch": DECISIONS, "total_frames": updates * DECISIONS}
    collector = Collector(env, actor, **frames, auto_register_policy_transforms=False)
    collector.set_seed(seed)
    means = []
    for rollout in collector:
        means.append(float(rollout["next", "reward"].sum() / rollout["next", "done"].sum()))
        data = advantages(rollout).flatten()
        for rows in torch.randint(len(data), (16, 256)):
            losses = loss_of(data[rows])
            optimizer.zero_grad()
            sum(losses[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
            optimizer.step()
    collector.shutdown()
    return means


if __name__ == "__main__":
    means = train()
    speed = UPDATES * DECISIONS / time.process_time()
    print(f"mean reward {means[0]:.2f} at first, {means[-1]:.2f} at last; {speed:.0f} decisions a second")
