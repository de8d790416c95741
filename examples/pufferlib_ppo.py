"""PPO on PufferLib's vectors, one seat against random play. `make libraries LIB=pufferlib` installs and runs it."""

import time

import pufferlib.vector
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from sackarmies_env.adapters.pufferlib import PufferGames

SCENARIO = "configs/ladder/exact/two_on_two.toml"  # two units a side, three turns
UPDATES, GAMES, STEPS, BATCHES = 12, 64, 16, 16


def judge(network: nn.Module, rows: Tensor, actions: int) -> tuple[Categorical, Tensor]:
    """Return the distribution over legal actions, and the value; rows end with the mask, outputs with the value."""
    outputs, mask = network(rows[..., :-actions].float()), rows[..., -actions:]
    return Categorical(logits=outputs[..., :-1].masked_fill(mask == 0, -1e9)), outputs[..., -1]


def train(updates: int = UPDATES, seed: int = 1) -> list[float]:
    """Train, and return for each rollout the mean reward of the games that ended in it."""
    torch.manual_seed(seed)
    options = {"num_envs": GAMES, "scenario": SCENARIO, "seat": 0}
    env = pufferlib.vector.make(PufferGames, env_kwargs=options, backend=pufferlib.PufferEnv, seed=seed)
    size, actions = env.single_observation_space.shape[0], int(env.single_action_space.n)
    network = nn.Sequential(nn.Linear(size - actions, 64), nn.Tanh(), nn.Linear(64, actions + 1))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    (observations, _), means = env.reset(seed=seed), []
    for _ in range(updates):
        steps = []
        for _ in range(STEPS):
            seen = torch.from_numpy(observations.copy())  # PufferLib reuses the buffer for the next ones
            choice, value = judge(network, seen, actions)
            action = choice.sample()
            observations, reward, ended, _, _ = env.step(action.numpy())
            result = torch.from_numpy(reward.copy()), torch.from_numpy(ended.copy())
            steps.append((seen, action, choice.log_prob(action).detach(), value.detach(), *result))
        seen, action, log_prob, value, reward, ended = map(torch.stack, zip(*steps, strict=True))
        means.append(float(reward.sum() / ended.sum()))
        gain = torch.zeros_like(value)
        for t in reversed(range(STEPS - 1)):
            gain[t] = reward[t] - value[t] + ~ended[t] * (value[t + 1] + 0.95 * gain[t + 1])
        data = [part[:-1].flatten(0, 1) for part in (seen, action, log_prob, gain, gain + value)]
        for rows in torch.randint(len(data[0]), (BATCHES, 256)):
            seen, action, log_prob, gain, target = (part[rows] for part in data)
            choice, value = judge(network, seen, actions)
            ratio = (choice.log_prob(action) - log_prob).exp()
            aim = torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain) + 0.01 * choice.entropy()
            optimizer.zero_grad()
            ((value - target).square() - aim).mean().backward()
            optimizer.step()
    return means


if __name__ == "__main__":
    means, speed = train(), UPDATES * GAMES * STEPS / time.process_time()
    print(f"mean reward {means[0]:.2f} at first, {means[-1]:.2f} at last; {speed:.0f} decisions a second")
