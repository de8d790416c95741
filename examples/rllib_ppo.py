"""RLlib's PPO with masks: one policy plays all seats. `make libraries LIB=rllib` installs RLlib and runs this."""

import time

import ray
import torch
from gymnasium import make_vec
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from sackarmies_env.adapters.rllib import MaskedModule, RllibEnv

SCENARIO = "configs/ladder/exact/two_on_two.toml"
UPDATES, DECISIONS = 12, 1024


def make_ppo(seed: int = 1) -> PPO:
    """Return PPO that runs in this process; `env_runners(num_env_runners=...)` would add more processes."""
    config = (
        PPOConfig()
        .environment(RllibEnv, env_config={"scenario": SCENARIO}, disable_env_checking=True)
        .env_runners(num_env_runners=0, batch_mode="complete_episodes")
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **kwargs: "shared")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
        .training(lr=1e-3, gamma=1.0, train_batch_size=DECISIONS, minibatch_size=256, num_epochs=4, entropy_coeff=0.01)
        .debugging(seed=seed)
    )
    return config.build_algo()


def score(ppo: PPO, decisions: int = 64) -> float:
    """Return the mean reward of the policy against random play, from a random seat."""
    module = ppo.get_module("shared")
    env = make_vec("sackarmies_env/SackArmies-v0", 64, scenario=SCENARIO, seat="random", copy=True)
    observations, ends = env.reset(seed=1)[0], []
    for _ in range(decisions):
        batch = {"obs": {key: torch.from_numpy(part) for key, part in observations.items()}}
        logits = module.forward_inference(batch)["action_dist_inputs"]
        actions = torch.distributions.Categorical(logits=logits).sample()
        observations, reward, terminated, truncated, _ = env.step(actions.numpy())
        ends.extend(reward[terminated | truncated])
    return float(sum(ends) / len(ends))


def train(updates: int = UPDATES) -> tuple[float, float]:
    """Train, and return the mean rewards against random play before and after training."""
    ray.init(include_dashboard=False, num_cpus=1, log_to_driver=False)
    ppo = make_ppo()
    before = score(ppo)
    for _ in range(updates):
        ppo.train()
    return before, score(ppo)


if __name__ == "__main__":
    before, after = train()
    speed = UPDATES * DECISIONS / time.process_time()
    print(f"mean reward {before:.2f}, after learning {after:.2f}; {speed:.0f} decisions a second")
