"""Advisors: agents whose choices, worths of ids and reasons are inputs of networks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.factory import checked_advice, make_agent
from sackarmies_agents.learned.sizes import CHOICE, REASONS, WORTHS
from sackarmies_agents.scripted.compiled import CompiledAgent, Explanation


class Answer(NamedTuple):
    """An agent's answer about positions and their legal ids, in order.

    Attributes:
        chosen: `(n,)` int64, what it would choose.
        worths: `(k,)` float32, what ids are worth to it; None if that was not asked.
        explanation: why; None if that was not asked.
    """

    chosen: NDArray[np.int64]
    worths: NDArray[np.float32] | None = None
    explanation: Explanation | None = None


class Advisor:
    """Says what an agent would do.

    Args:
        agent: one with `shares_batch`.
        info: the game that is played.
        level: how much to ask for: `CHOICE`, `WORTHS` or `REASONS`.

    Attributes:
        agent: see above.

    Raises:
        ValueError: the agent does not say that much.
    """

    def __init__(self, agent: Agent, info: GameInfo, level: int) -> None:
        self.agent = agent
        self._weigher = agent if level >= WORTHS and isinstance(agent, CompiledAgent) and agent.weighs else None
        if level >= WORTHS and self._weigher is None:
            raise ValueError(f"{type(agent).__name__} does not say what choices are worth to it")
        if level >= REASONS and (self._weigher is None or not self._weigher.explains):
            raise ValueError(f"{type(agent).__name__} gives no reasons for its choices")
        blocks = info.observation_spec.blocks
        self._rows = sum(block.rows for block in blocks if block.name == "tokens") if level >= REASONS else 0

    def ask(self, observations: NDArray[np.int8], masks: NDArray[np.int8]) -> Answer:
        """Return the agent's answer about positions `(n, size)` and the legal ids of masks `(n, num_actions)`."""
        chosen = self.agent.act_batch(observations, masks)
        if self._weigher is None:
            return Answer(chosen)
        given = observations, np.count_nonzero(masks, axis=1), masks.nonzero()[1]
        told = self._weigher.explain(*given, self._rows) if self._rows else None
        worths = self._weigher.weigh(*given) if told is None else told.worths
        return Answer(chosen, worths.astype(np.float32), told)


def make_advisor(text: str, info: GameInfo, level: int = CHOICE) -> Advisor | None:
    """Make the advisor of a network; return None for one that takes no advice.

    Args:
        text: text form of the agent; "" for none.
        info: the game that is played.
        level: how much to ask for, see `Advisor`.

    Raises:
        ValueError: the agent may not advise, cannot play the game, or does not say that much.
    """
    return Advisor(make_agent(checked_advice(text), info), info, level) if text else None
