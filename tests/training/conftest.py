"""Fixtures for the tests of training and contests."""

import numpy as np
import pytest

from sackarmies_training import identity
from tests.agents.simple import LastLegal


@pytest.fixture
def change_code(monkeypatch):
    """Return a function that replaces a source folder with another one and clears the cached digest of the code.

    A process takes the digest once; outside of tests, it is another process that finds changed code.
    """

    def change(folder, place="CORE"):
        monkeypatch.setattr(identity, place, folder)
        identity.code_digest.cache_clear()

    yield change
    identity.code_digest.cache_clear()


@pytest.fixture
def watch_noise(monkeypatch):
    """Return a function that watches the noise in games that a module plays.

    The function has `play` play games of the agent LastLegal. It returns, for the games whose first action is random
    and whose second decision is a choice, whether the random agent would take the last legal id there, `(k,)` bool.
    """

    def watch(module, play):
        masks, drawn, played = [], [], []

        class Drawing(module.RandomAgent):
            def act_batch(self, observations, action_masks):
                masks.append(action_masks.copy())
                drawn.append(super().act_batch(observations, action_masks))
                return drawn[-1]

        class Playing(module.Batch):
            def step(self, actions, rows=None):
                played.append(actions)
                super().step(actions, rows)

        monkeypatch.setattr(module, "RandomAgent", Drawing)
        monkeypatch.setattr(module, "Batch", Playing)
        play()
        first, second = (LastLegal().act_batch(None, mask) for mask in masks[:2])
        return (drawn[1] == second)[(played[0] != first) & (np.count_nonzero(masks[1], axis=1) > 1)]

    return watch
