"""The pool of opponents: scripted agents and snapshots of the learner's own past."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent
from sackarmies_agents.learned.policy_agent import PolicyAgent

PAST = "past"  # name under which results against snapshots are counted
FLOOR = 0.05
MEMORY = 50  # games that recent points are averaged over


class OpponentPool:
    """A weighted choice among scripted agents and past selves, which share one weight.

    Weights are multiplied by `p * (1 - p) + FLOOR`, where p is the learner's recent mean of points against that
    opponent: one that it always beats or never beats teaches least (prioritized self-play with variance weighting:
    Vinyals and others, "Grandmaster level in StarCraft II", 2019). So it meets random first, and stronger ones later.

    Agents that keep nothing between decisions have one instance for all games, others one for each seat of each game.
    Each scripted agent gets a new seed whenever a game begins: with one seed for all games, an agent with random
    choices would always choose alike, and the learner would learn to beat only these choices. Past selves are not
    reset, so their random choices differ from game to game as well.
    """

    def __init__(self, scripted: Mapping[str, float], make: Callable[[str], Agent], *, past: float, size: int) -> None:
        """Set up a pool without a past.

        Args:
            scripted: weights by agent text, some of them positive.
            make: makes an agent from its text.
            past: weight of past selves, once there are any.
            size: number of snapshots to keep; the oldest is dropped first.
        """
        self._scripted = dict(scripted)
        self._make = make
        self._past = past
        self._size = size
        self._snapshots: list[PolicyAgent] = []
        self._instances: dict[tuple[str, int, int], Agent] = {}
        self.points = dict.fromkeys(self.names, 0.5)  # recent mean by opponent: 1 for a win, 0.5 a draw

    @property
    def names(self) -> list[str]:
        """All names that `draw` may return."""
        return [*self._scripted, PAST]

    @property
    def snapshots(self) -> list[PolicyAgent]:
        """Past selves, oldest first."""
        return list(self._snapshots)

    def add_snapshot(self, agent: PolicyAgent) -> None:
        """Add the learner as it is now."""
        self._snapshots = [*self._snapshots, agent][-self._size :]

    def weights(self) -> NDArray[np.float64]:
        """Return the current weights of `names`."""
        given = np.array([*self._scripted.values(), self._past if self._snapshots else 0.0])
        points = np.array([self.points[name] for name in self.names])
        weights: NDArray[np.float64] = given * (points * (1.0 - points) + FLOOR)
        return weights

    def report(self, name: str, result: int) -> None:
        """Record a game against `name`: 1 if the learner won it, 0 if it was drawn, -1 if the learner lost."""
        points = 0.5 + 0.5 * result
        self.points[name] += (points - self.points[name]) / MEMORY

    def draw(self, rng: np.random.Generator, row: int, seat: int) -> tuple[str, Agent]:
        """Draw an opponent for seat `seat` of game `row` and make it ready; return its name and the agent."""
        weights = self.weights()
        name = self.names[rng.choice(len(weights), p=weights / weights.sum())]
        if name == PAST:
            return name, self._snapshots[rng.integers(len(self._snapshots))]
        return name, self._scripted_agent(name, rng, row, seat)

    def _scripted_agent(self, name: str, rng: np.random.Generator, row: int, seat: int) -> Agent:
        agent = self._instances.get((name, -1, -1)) or self._instances.get((name, row, seat)) or self._make(name)
        place = (name, -1, -1) if agent.shares_batch else (name, row, seat)
        self._instances[place] = agent
        agent.reset(int(rng.integers(2**31)))
        return agent
