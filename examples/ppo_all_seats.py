"""PPO in one file: a network plays all seats of the vector environment. Run `python examples/ppo_all_seats.py`."""

import time
from typing import Any

import torch
from gymnasium import make_vec
from torch.distributions import Categorical

GAME = dict[str, Any](scenario="configs/ladder/exact/two_on_two.toml")
ID, UPDATES, GAMES, STEPS = "sackarmies_env:sackarmies_env/SackArmies-v0", 16, 64, 24


def judge(network: torch.nn.Module, seen: torch.Tensor, mask: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
    """Return the distribution over legal actions, and the value, which is the network's last output."""
    outputs = network(seen.float())
    return Categorical(logits=outputs[..., :-1].masked_fill(mask == 0, -1e9)), outputs[..., -1]


def train(updates: int = UPDATES, seed: int = 1) -> float:
    """Train a network by self-play; return its mean reward against random play, from a random seat."""
    torch.manual_seed(seed)
    observations, infos = (env := make_vec(ID, GAMES, **GAME, seat="all", copy=True)).reset(seed=seed)
    features, actions = (part.shape[1] for part in observations.values())
    network = torch.nn.Sequential(torch.nn.Linear(features, 64), torch.nn.Tanh(), torch.nn.Linear(64, actions + 1))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for _ in range(updates):
        steps = []
        for _ in range(STEPS):
            seen, mask, player = map(torch.from_numpy, (*observations.values(), infos["player"]))
            choice, value = judge(network, seen, mask)
            observations, _, terminated, truncated, infos = env.step((action := choice.sample()).numpy())
            result = torch.from_numpy(infos["rewards"]), torch.from_numpy(terminated | truncated)
            steps.append((seen, mask, action, choice.log_prob(action).detach(), value.detach(), player, *result))
        seen, mask, action, log_prob, value, player, rewards, ended = map(torch.stack, zip(*steps, strict=True))
        gain, later = torch.empty_like(value), torch.full_like(rewards[0], torch.nan)
        for t in reversed(range(STEPS)):  # later: what each player earns until the game ends, NaN if it has not ended
            later = torch.where(ended[t][:, None], 0.0, later) + rewards[t]
            gain[t] = later.gather(1, player[t][:, None]).squeeze(1) - value[t]
        data = [part[~gain.isnan()] for part in (seen, mask, action, log_prob, gain, gain + value)]
        for rows in torch.randint(len(data[0]), (STEPS, 256)):
            seen, mask, action, log_prob, gain, target = (part[rows] for part in data)
            choice, value = judge(network, seen, mask)
            ratio = (choice.log_prob(action) - log_prob).exp()
            aim = torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain) + 0.01 * choice.entropy()
            optimizer.zero_grad()
            ((value - target).square() - aim).mean().backward()
            optimizer.step()
    observations, _ = (env := make_vec(ID, GAMES, **GAME, seat="random", copy=True)).reset(seed=seed)
    ends = list[float]()
    for _ in range(64):
        action = judge(network, *map(torch.from_numpy, observations.values()))[0].sample()
        observations, reward, terminated, truncated, _ = env.step(action.numpy())
        ends.extend(reward[terminated | truncated])
    return float(sum(ends) / len(ends))


if __name__ == "__main__":
    mean, speed = train(), UPDATES * GAMES * STEPS / time.process_time()
    print(f"mean reward {mean:.2f} against random play; {speed:.0f} decisions a second")
