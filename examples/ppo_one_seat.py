"""PPO in one file: one seat against random play on the vector environment. Run `python examples/ppo_one_seat.py`."""

import time
from typing import Any

import torch
from gymnasium import make_vec
from torch import Tensor, nn
from torch.distributions import Categorical

import sackarmies_env  # noqa: F401 - registers the environments

ID, GAME = "sackarmies_env/SackArmies-v0", dict[str, Any](scenario="configs/ladder/exact/two_on_two.toml")
GAMES, STEPS, BATCHES = 64, 16, 16


def judge(network: nn.Module, seen: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
    """Return the distribution over legal actions, and the value, which is the network's last output."""
    outputs = network(seen.float())
    return Categorical(logits=outputs[..., :-1].masked_fill(mask == 0, -1e9)), outputs[..., -1]


def train(updates: int = 12, seed: int = 1) -> list[float]:
    """Train, and return for each rollout the mean reward of the games that ended in it."""
    torch.manual_seed(seed)
    env = make_vec(ID, GAMES, **GAME, seat=0, opponent="random", copy=True)
    observations, means = env.reset(seed=seed)[0], []
    features, actions = (part.shape[1] for part in observations.values())
    network = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, actions + 1))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for _ in range(updates):
        steps = []
        for _ in range(STEPS):
            seen, mask = (torch.from_numpy(observations[key]) for key in ("observation", "action_mask"))
            choice, value = judge(network, seen, mask)
            observations, reward, terminated, truncated, _ = env.step((action := choice.sample()).numpy())
            result = torch.from_numpy(reward).float(), torch.from_numpy(terminated | truncated)
            steps.append((seen, mask, action, choice.log_prob(action).detach(), value.detach(), *result))
        seen, mask, action, log_prob, value, reward, ended = map(torch.stack, zip(*steps, strict=True))
        means.append(float(reward.sum() / ended.sum()))
        gain = torch.zeros_like(value)  # generalized advantages; the outcome of the last decision is not known yet
        for t in reversed(range(STEPS - 1)):
            gain[t] = reward[t] - value[t] + ~ended[t] * (value[t + 1] + 0.95 * gain[t + 1])
        data = [part[:-1].flatten(0, 1) for part in (seen, mask, action, log_prob, gain, gain + value)]
        for rows in torch.randint(len(data[0]), (BATCHES, 256)):
            seen, mask, action, log_prob, gain, target = (part[rows] for part in data)
            choice, value = judge(network, seen, mask)
            ratio = (choice.log_prob(action) - log_prob).exp()
            clipped = torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain)
            loss = (value - target).square().mean() - clipped.mean() - 0.01 * choice.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return means


if __name__ == "__main__":
    begun, means = time.process_time(), train()
    speed = len(means) * GAMES * STEPS / (time.process_time() - begun)
    print(f"mean reward {means[0]:.2f} at first, {means[-1]:.2f} at last; {speed:.0f} decisions a second")
