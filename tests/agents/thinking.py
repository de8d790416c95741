"""Agents for tests that report on their decisions, well or badly."""

from __future__ import annotations

import os
import time

import numpy as np

from sackarmies_agents import Agent, InformedAgent, Report
from sackarmies_env.core.record import Belief, Candidate


class Thinker(InformedAgent):
    """Takes the highest legal id and reports all legal ids with made-up numbers."""

    shares_batch = True

    def __init__(self, info):
        self.masks = []

    def reset(self, seed):
        self.masks = []

    def act_informed(self, information):
        self.masks = information.action_masks()
        return np.array([self.legal(mask)[0] for mask in self.masks])

    def legal(self, mask):
        return [int(action) for action in np.flatnonzero(mask)[::-1]]

    def report(self):
        return [self.think(self.legal(mask)) for mask in self.masks]

    def think(self, legal):
        candidates = tuple(Candidate(action=action, probability=1 / len(legal), value=0.5) for action in legal)
        return Report(candidates, value=0.5, beliefs=(Belief(subject="the sky", contents={"blue": 0.75}),))


class Illegal(Thinker):
    """Reports an id that does not exist."""

    def think(self, legal):
        return Report((Candidate(action=10**6),))


class Endless(Thinker):
    """Reports a value that is not a finite number."""

    def think(self, legal):
        return Report(value=float("nan"))


class Yields(Thinker):
    """Reports candidates that raise an exception when iterated."""

    def think(self, legal):
        return Report({}[action] for action in legal)


class Twice(Thinker):
    """Reports an action twice."""

    def think(self, legal):
        return Report((Candidate(action=legal[0]),) * 2)


class Huge(Thinker):
    """Reports more beliefs than a record holds."""

    def think(self, legal):
        return Report(beliefs=tuple(Belief(subject=f"star {number}", contents={}) for number in range(1000)))


class Floats(Thinker):
    """Reports a NumPy number."""

    def think(self, legal):
        return Report((Candidate(action=legal[0]),), value=np.float32(0.25))


class Vast(Thinker):
    """Reports more than the answer of a separate process may hold."""

    def think(self, legal):
        return Report((Candidate(action=legal[0]),) * 2**15)


class Wordy(Thinker):
    """Reports a candidate that is a word."""

    def think(self, legal):
        return Report((Candidate.model_construct(action="three"),))


class Foreign(Thinker):
    """Reports an object that is not plain data."""

    def think(self, legal):
        return Report(value=object())


class Hangs(Thinker):
    """Never finishes its report."""

    def report(self):
        time.sleep(600)


class Leaves(Thinker):
    """Ends its process when asked for a report."""

    def report(self):
        os._exit(3)


class TooMany(Thinker):
    """Reports more decisions than it has made."""

    def report(self):
        return [None, *super().report()]


class Fails(Thinker):
    """Raises an exception when asked for a report."""

    def report(self):
        raise RuntimeError("no idea")


class Mute(Agent):
    """Takes the highest legal id and reports nothing; it sees only observations."""

    def __init__(self, info):
        """Keep nothing."""

    def reset(self, seed):
        """Keep nothing."""

    def act(self, observation, action_mask):
        return int(np.flatnonzero(action_mask)[-1])
