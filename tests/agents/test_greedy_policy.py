"""The greedy General in kernels of a user's own: the same choices for many games, and nothing compiled anew."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.sack_armies.agent import GreedyAgent
from sackarmies_agents.scripted.sack_armies.policy import make_policy
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies.game import make_game


@numba.njit
def choose_all(policy, observations, masks, actions):
    policy.choose(policy.models, 0, observations, masks, actions)


def begun(games):
    """Return a game, and observations and masks of the first decisions of several of it."""
    game = make_game(2, armies=["empire", "undead"])
    batch = Batch(game, games)
    batch.reset(np.arange(games))
    return game, batch.observations.copy(), batch.action_masks.copy()


def test_policy_chooses_for_many_games_as_the_agent_does():
    game, observations, masks = begun(3)
    actions = np.zeros(3, np.int64)
    choose_all(make_policy(game, ["first"]), observations, masks, actions)
    agent = GreedyAgent(GameInfo.of(game), weights="first")
    assert actions.tolist() == agent.act_batch(observations, masks).tolist()


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_arrays_of_another_width_are_refused_and_not_compiled_for():
    game, observations, masks = begun(1)
    policy = make_policy(game, ["first"])
    for given in (
        (observations, masks, np.zeros(1, np.int32)),
        (observations, masks.astype(np.int64), np.zeros(1, np.int64)),
        (observations[:, ::2], masks, np.zeros(1, np.int64)),
    ):
        with pytest.raises((ValueError, numba.TypingError), match="mismatch of argument types"):
            choose_all(policy, *given)
