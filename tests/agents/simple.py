"""Agents with one rule, and positions to ask agents in."""

import numpy as np

from sackarmies_agents.agent import Agent
from sackarmies_env.core.batch import Batch
from sackarmies_env.registry import load_game


def positions(seed, plies, n=6, **options):
    """A batch of games some random decisions on."""
    game = load_game("sack_armies", **options)
    batch = Batch(game, n, restarts=False)
    batch.reset(np.arange(n) + seed)
    batch.step_random(plies)
    return batch


class LastLegal(Agent):
    """Takes the last legal id."""

    shares_batch = True

    def reset(self, seed):
        pass

    def act(self, observation, action_mask):
        return int(np.flatnonzero(action_mask)[-1])

    def act_batch(self, observations, action_masks):
        return action_masks.shape[1] - 1 - (action_masks[:, ::-1] != 0).argmax(axis=1)
