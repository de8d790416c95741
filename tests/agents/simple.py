"""Agents with one rule."""

import numpy as np

from sackarmies_agents.agent import Agent


class LastLegal(Agent):
    """Takes the last legal id."""

    shares_batch = True

    def reset(self, seed):
        pass

    def act(self, observation, action_mask):
        return int(np.flatnonzero(action_mask)[-1])

    def act_batch(self, observations, action_masks):
        return action_masks.shape[1] - 1 - (action_masks[:, ::-1] != 0).argmax(axis=1)
