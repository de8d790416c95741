"""Base class of trained agents, whatever computes their networks."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, Report
from sackarmies_agents.learned.advice import Advisor
from sackarmies_env.core.record import Candidate


class Outputs(NamedTuple):
    """Outputs of a network for `n` decisions.

    Attributes:
        logits: `(n, num_actions)`.
        values: `(n,)`, the returns that the current players can expect, see `network.value_of`.
    """

    logits: NDArray[np.float32]
    values: NDArray[np.float32]

    def reports(self) -> list[Report]:
        """Convert the outputs to reports; logits of illegal ids must be minus infinity."""
        chances = np.exp(self.logits - self.logits.max(axis=1, keepdims=True)).astype(np.float64)
        chances /= chances.sum(axis=1, keepdims=True)
        reports = []
        for row, value in zip(chances, self.values.tolist(), strict=True):
            possible = row.nonzero()[0]
            best = possible[np.argsort(-row[possible], kind="stable")]
            given = zip(best.tolist(), np.minimum(row[best], 1.0).tolist(), strict=True)
            candidates = tuple(Candidate(action=action, probability=chance) for action, chance in given)
            reports.append(Report(candidates, value if math.isfinite(value) else None))
        return reports


class LearnedAgent(Agent):
    """Plays the policy of a network: draws an action from it, or takes the likeliest one.

    Attributes:
        advisor: the network's advisor; None if it takes no advice.
    """

    shares_batch = True

    def __init__(self, *, deterministic: bool, advisor: Advisor | None) -> None:
        self.advisor = advisor
        self._deterministic = deterministic
        self._rng = np.random.default_rng(0)
        self._latest: Outputs | None = None

    @abstractmethod
    def outputs(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> Outputs:
        """Evaluate the network; logits are finite for legal ids and minus infinity elsewhere."""

    def reset(self, seed: int) -> None:
        """Seed the random numbers."""
        self._rng = np.random.default_rng(seed)

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Choose an action for one game."""
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Choose an action for each of `n` games."""
        self._latest = self.outputs(observations, action_masks)
        scores: NDArray[np.floating] = self._latest.logits
        if not self._deterministic:
            scores = scores + self._rng.gumbel(size=scores.shape)
        chosen: NDArray[np.int64] = scores.argmax(axis=1).astype(np.int64, copy=False)
        return chosen

    def rate(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Score the actions of `n` games for a search, without touching random numbers or reports.

        Args:
            observations: `(n, size)` int8.
            action_masks: `(n, num_actions)` int8.

        Returns:
            The likeliest action of each, `(n,)`, and logits `(n, num_actions)`, minus infinity where illegal.
        """
        logits = self.outputs(observations, action_masks).logits
        return logits.argmax(axis=1).astype(np.int64, copy=False), logits

    def report(self) -> Sequence[Report | None]:
        """Report the policy's probability of each legal id in the last decisions, and the values of these positions.

        The probabilities are the policy's even if the likeliest action is always taken.
        """
        return [] if self._latest is None else self._latest.reports()
