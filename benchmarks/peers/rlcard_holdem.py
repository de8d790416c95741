"""RLCard: no-limit hold'em through its environment; the mask is built from the legal actions that it returns."""

from __future__ import annotations

import random

import numpy as np
import rlcard

from benchmarks.contest import Player, sizes

PACKAGES = ("rlcard", "numpy")


def _player(seed: int) -> Player:
    env = rlcard.make("no-limit-holdem", config={"seed": seed})
    mask = np.zeros(env.num_actions, np.int8)
    draw = random.Random(seed).random
    state, _ = env.reset()

    def play(decisions: int) -> int:
        nonlocal state
        for _ in range(decisions):
            if env.is_over():
                state, _ = env.reset()
            legal = list(state["legal_actions"])
            mask[:] = 0
            mask[legal] = 1
            state, _ = env.step(legal[int(draw() * len(legal))])
        return decisions

    return Player(play, sizes(env.num_actions, state["obs"]))


CONTESTANTS = {"no_limit_holdem": _player}
