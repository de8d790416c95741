"""An agent with a single rule, positions for testing agents, and places that reasons name."""

from pathlib import Path

import numpy as np

from sackarmies_agents.agent import Agent
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env.core.batch import Batch
from sackarmies_env.registry import load_game


def positions(seed, plies, n=6, **options):
    """Return a batch of games after `plies` random decisions each."""
    game = load_game("sack_armies", **options)
    batch = Batch(game, n, restarts=False)
    batch.reset(np.arange(n) + seed)
    batch.step_random(plies)
    return batch


def played_positions(game, agent, seed):
    """Return observations, masks and states, at all kinds of decisions, from an agent's games with random actions."""
    batch, rng, random = Batch(game, 32), np.random.default_rng(seed), RandomAgent(seed)
    batch.reset(np.arange(32))
    found = []
    for _ in range(60):
        found.append((batch.observations.copy(), batch.action_masks.copy(), batch.states.copy()))
        wanted, other = (one.act_batch(*found[-1][:2]) for one in (agent, random))
        batch.step(np.where(rng.random(32) < 0.2, other, wanted))
    return tuple(np.concatenate(part) for part in zip(*found, strict=True))


def place(module, words, lines=0):
    """Return a place as reasons name it: so many lines after the only line of a module that contains some words."""
    path = Path(module.__file__)
    (number,) = [n for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if words in line]
    return f"({path.name}, line {number + lines})"


class LastLegal(Agent):
    """Takes the last legal id."""

    shares_batch = True

    def reset(self, seed):
        pass

    def act(self, observation, action_mask):
        return int(np.flatnonzero(action_mask)[-1])

    def act_batch(self, observations, action_masks):
        return action_masks.shape[1] - 1 - (action_masks[:, ::-1] != 0).argmax(axis=1)
