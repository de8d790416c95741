"""Catanatron's Gymnasium environment: one seat of two, whose random opponent plays inside `step`."""

from __future__ import annotations

import random

import numpy as np
from catanatron_gym.envs.catanatron_env import CatanatronEnv

from benchmarks.contest import Player, sizes

PACKAGES = ("catanatron", "catanatron_gym", "gymnasium", "numpy")


def _player(seed: int) -> Player:
    env = CatanatronEnv()
    mask = np.zeros(env.action_space.n, np.int8)
    draw = random.Random(seed).random
    observation, info = env.reset(seed=seed)
    num_games = 0

    def play(decisions: int) -> int:
        nonlocal info, num_games
        for _ in range(decisions):
            legal = info["valid_actions"]
            mask[:] = 0
            mask[legal] = 1
            _, _, terminated, truncated, info = env.step(legal[int(draw() * len(legal))])
            if terminated or truncated:
                num_games += 1
                _, info = env.reset(seed=seed + num_games)
        return decisions

    return Player(play, sizes(len(mask), observation))


CONTESTANTS = {"gymnasium": _player}
