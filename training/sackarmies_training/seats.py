"""Who plays a game that people look at: people and agents by seat, and how agents are asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sackarmies_agents import conduct
from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.conduct import Misconduct
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.game import Game
from sackarmies_env.envs.match import NO_ACTION, Match

PERSON = "person"  # who plays a seat, where no agent does


class Seats:
    """The players of one game.

    Attributes:
        names: by seat, PERSON or the text of an agent.
        reasons: why agents forfeited, by ply.
    """

    def __init__(self, game: Game, names: Sequence[str], seed: int) -> None:
        """Make the agents.

        Args:
            game: what they play.
            names: by seat.
            seed: of their own random numbers.

        Raises:
            ValueError: an agent cannot be made, or cannot play this game.
        """
        info = GameInfo.of(game)
        self.names = list(names)
        self.reasons: dict[int, str] = {}
        self._agents: dict[int, Agent] = {}
        for seat, name in enumerate(names):
            if name != PERSON:
                self._agents[seat] = make_agent(name, info)
                self._agents[seat].reset(int(np.random.SeedSequence([seed, seat]).generate_state(1)[0]))

    @property
    def persons(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, name in enumerate(self.names) if name == PERSON]

    def is_person(self, seat: int) -> bool:
        """Return whether a person plays a seat."""
        return seat not in self._agents

    def agent(self, seat: int) -> Agent:
        """Return the agent that plays a seat."""
        return self._agents[seat]

    def decide(self, match: Match) -> int:
        """Return what the current player, an agent, chooses; NO_ACTION if it misbehaves: it forfeits."""
        agent = self._agents[match.player]
        try:
            if agent.is_informed:
                actions = conduct.ask_informed(agent, match.information_set(match.player))
            else:
                actions = conduct.ask(agent, match.observation[None], match.action_mask[None])
            if match.is_legal(actions[0]):
                return int(actions[0])
            reason = f"chose action {actions[0]}, which is not legal"
        except Misconduct as fault:
            reason = str(fault)
        self.reasons[len(match.history)] = reason
        return NO_ACTION
