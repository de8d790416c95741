"""AgileRL's PPO with masks, one seat against random play. `make libraries LIB=agilerl` installs it and runs this."""

import time

import torch
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts
from gymnasium import make_vec

import sackarmies_env  # noqa: F401 - registers the environments

SCENARIO = "configs/ladder/exact/two_on_two.toml"  # two units a side, three turns
UPDATES, GAMES, DECISIONS = 12, 64, 1024


def train(updates: int = UPDATES, seed: int = 1) -> list[float]:
    """Train, and return for each rollout the mean reward of the games that ended in it."""
    torch.manual_seed(seed)
    env = make_vec(
        "sackarmies_env/SackArmies-v0", GAMES, copy=True, mask_in_observation=False, scenario=SCENARIO, seat=0
    )
    env.reset(seed=seed)
    agent = PPO(
        env.single_observation_space,
        env.single_action_space,
        num_envs=GAMES,
        learn_step=DECISIONS,
        batch_size=256,
        lr=1e-3,
        gamma=1.0,
        net_config={"encoder_config": {"hidden_size": [64]}},
    )
    means = []
    for _ in range(updates):  # masks come from the infos
        ended = collect_rollouts(agent, env)[0]
        means.append(float(sum(ended) / len(ended)))
        agent.learn()
    return means


if __name__ == "__main__":
    means = train()
    speed = UPDATES * DECISIONS / time.process_time()
    print(f"mean reward {means[0]:.2f} at first, {means[-1]:.2f} at last; {speed:.0f} decisions a second")
