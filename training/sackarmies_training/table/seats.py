"""Seats of a game that people play or watch: people and agents by seat, and how agents are asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sackarmies_agents import conduct
from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.conduct import Misconduct
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.entries import player_name
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import quote
from sackarmies_env.core.record import GameRecord, make_record
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.envs.match import NO_ACTION, Match
from sackarmies_training.analysis import Reports

PERSON = "person"  # name of a player who is a person
SEEDS = 2**64  # seeds are taken modulo this: numpy takes no negative ones, which records may hold


class Seats:
    """The players of one game.

    Attributes:
        names: by seat, PERSON or the text of an agent.
        reasons: why agents forfeited, by ply.
        reports: what agents reported about their decisions: for the record, never for anyone still playing. None if
            they are not asked.
    """

    def __init__(self, game: Game, names: Sequence[str], seed: int, reports: Reports | None = None) -> None:
        """Make the agents.

        Args:
            game: the game they play.
            names: by seat.
            seed: seed of the agents' random numbers, any integer.
            reports: see the class.

        Raises:
            ValueError: an agent cannot be made, cannot play this game, or fails as it begins.
        """
        info = GameInfo.of(game)
        self.names = list(names)
        self.reasons: dict[int, str] = {}
        self.reports = reports
        self._agents: dict[int, Agent] = {}
        for seat, name in enumerate(names):
            if name != PERSON:
                self._agents[seat] = make_agent(name, info)
                own_seed = int(np.random.SeedSequence([seed % SEEDS, seat]).generate_state(1)[0])
                try:
                    conduct.reset(self._agents[seat], own_seed)
                except Misconduct as fault:
                    raise ValueError(f"the agent {quote(name)} cannot begin a game: {fault}") from None

    @property
    def persons(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, name in enumerate(self.names) if name == PERSON]

    def is_person(self, seat: int) -> bool:
        """Return whether a person plays a seat."""
        return seat not in self._agents

    def decide(self, match: Match) -> int:
        """Return the choice of the current player, an agent; NO_ACTION if it misbehaves and so forfeits."""
        agent = self._agents[match.player]
        try:
            action = self._choice(agent, match)
        except Misconduct as fault:
            self.reasons[len(match.history)] = str(fault)
            return NO_ACTION
        if self.reports is not None:
            self.reports.take(agent, self.names[match.player], match, action)
        return action

    def record(self, match: Match, names: Sequence[str]) -> GameRecord:
        """Return the game so far as a record.

        Meanwhile an agent may be deciding in another thread, or Ctrl-C may have interrupted it: what is known of a
        decision that has not been played is left out, since no record can hold it.

        Args:
            match: the game.
            names: names of the players, by seat.
        """
        actions = match.history.copy()
        analyses = [] if self.reports is None else self.reports.analyses
        return make_record(
            match.game,
            match.seed,
            actions,
            forced=match.forced,
            players=names,
            reasons={ply: reason for ply, reason in self.reasons.copy().items() if ply < len(actions)},
            analyses=[analysis for analysis in analyses if analysis.ply < len(actions)],
        )

    def missing_analyses(self, match: Match) -> list[str]:
        """Return a sentence for each agent whose reports the record lacks.

        It says why only once the game is over: before that, it might reveal what is hidden.
        """
        faults = {} if self.reports is None else self.reports.faults
        told: list[str] = []
        for seat, fault in faults.items():
            why = (
                f"the agent {fault}"
                if match.player == NO_PLAYER
                else "the agent reported something that a record cannot hold"
            )
            told.append(f"Some analyses of {player_name(match.game.id, seat)} ({self.names[seat]}) are missing: {why}")
        return told

    def _choice(self, agent: Agent, match: Match) -> int:
        """Return an agent's choice, a legal id.

        Raises:
            Misconduct: it does anything else.
        """
        if agent.is_informed:
            actions = conduct.ask_informed(agent, match.information_set(match.player))
        else:
            actions = conduct.ask(agent, match.observation[None], match.action_mask[None])
        if not match.is_legal(actions[0]):
            raise Misconduct(f"chose action {actions[0]}, which is not legal")
        return int(actions[0])
