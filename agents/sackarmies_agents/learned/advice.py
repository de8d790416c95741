"""Agents whose choice, and what ids are worth to them, are inputs of networks."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.factory import checked_advice, make_agent
from sackarmies_agents.learned.network import Advice
from sackarmies_agents.scripted.compiled import CompiledAgent


class Advisor:
    """Says what an agent would do.

    Args:
        agent: it shares batches.
        weighs: whether what legal ids are worth to it is wanted as well.

    Raises:
        ValueError: the agent does not say that.
    """

    def __init__(self, agent: Agent, *, weighs: bool) -> None:
        self._agent = agent
        self._weigher = agent if weighs and isinstance(agent, CompiledAgent) and agent.weighs else None
        if weighs and self._weigher is None:
            raise ValueError(f"{type(agent).__name__} does not say what choices are worth to it")

    def advise(self, observations: NDArray[np.int8], masks: NDArray[np.int8]) -> Advice:
        """Return what the agent says of positions `(n, size)` and of the ids of masks `(n, num_actions)`, in order."""
        return as_tensors(*self.ask(observations, masks))

    def ask(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32] | None]:
        """Return what `advise` does, as arrays."""
        chosen = self._agent.act_batch(observations, masks)
        if self._weigher is None:
            return chosen, None
        counts = np.count_nonzero(masks, axis=1)
        worths = self._weigher.weigh(observations, counts, masks.nonzero()[1])
        return chosen, worths.astype(np.float32)


def as_tensors(chosen: NDArray[np.int64], worths: NDArray[np.float32] | None) -> Advice:
    """Return an answer of `Advisor.ask` as networks take it."""
    return Advice(torch.from_numpy(chosen), None if worths is None else torch.from_numpy(worths))


def make_advisor(text: str, info: GameInfo, *, weighs: bool) -> Advisor | None:
    """Return who advises a network; None for one that takes no advice.

    Args:
        text: text form of the agent; "" for none.
        info: what is played.
        weighs: whether what legal ids are worth to it is wanted as well.

    Raises:
        ValueError: it is not one that may advise, cannot play the game, or does not say what ids are worth.
    """
    return Advisor(make_agent(checked_advice(text), info), weighs=weighs) if text else None
