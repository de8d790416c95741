"""Analyses for game records: what agents report about decisions as they play, or afterward about those of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from pydantic import ValidationError

from sackarmies_agents import conduct
from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.conduct import Misconduct
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.messages import join_faults, printable, quote, shorten
from sackarmies_env.core.record import Analysis, Candidate, GameRecord, check_analysis, replay
from sackarmies_env.core.validation import explain
from sackarmies_env.envs.match import Match
from sackarmies_env.render.analyses import sampled_beliefs

LISTED = 8  # candidates of a decision that a record keeps: the best ones, and always the one that was played
DIGITS = 4  # significant digits of probabilities and values
LONGEST_NAME = 100  # of an agent, as records allow


class Reports:
    """What agents report about their own decisions while they play.

    Args:
        earlier: analyses of earlier decisions, if a recorded game is continued.

    Attributes:
        analyses: by ply.
        faults: by seat, what was wrong with its report; the seat is not asked again, and playing goes on without it.
    """

    def __init__(self, earlier: Sequence[Analysis] = ()) -> None:
        self.analyses = list(earlier)
        self.faults: dict[int, str] = {}

    def take(self, agent: Agent, name: str, match: Match, action: int) -> None:
        """Ask the agent that has just chosen `action` for a report; decisions with a single choice are skipped.

        Args:
            agent: agent of the current player.
            name: name of the agent.
            match: the game, at the decision.
            action: the agent's choice.
        """
        legal = match.legal_actions()
        if match.player in self.faults or len(legal) == 1:
            return
        try:
            analysis = reported(agent, name, len(match.history), action)
            if analysis is not None:
                check_reported(match.game, match.states, analysis)
                self.analyses.append(analysis)
        except Misconduct as fault:
            self.faults[match.player] = conduct.one_line(str(fault))


def reported(agent: Agent, name: str, ply: int, action: int) -> Analysis | None:
    """Return what an agent reports about its last decision; None if it reports nothing.

    Args:
        agent: has just chosen in one game.
        name: name of the agent.
        ply: ply of the decision.
        action: the choice of the game's player, which is always kept if it is among the candidates.

    Raises:
        Misconduct: no record can hold its report.
    """
    (report,) = conduct.ask_reports(agent, 1)
    if report is None:
        return None

    def read() -> Analysis | str:
        """Return what the report says, or why no record can hold it; its parts come from the agent, too."""
        candidates = []
        for rank, candidate in enumerate(report.candidates, start=1):
            if rank <= LISTED or candidate.action == action:
                numbers = {"probability": rounded(candidate.probability), "value": rounded(candidate.value)}
                candidates.append({"action": candidate.action, **numbers, "rank": None if rank <= LISTED else rank})
        try:
            return Analysis(
                ply=ply,
                agent=name_of(name),
                candidates=tuple(Candidate.model_validate(candidate) for candidate in candidates),
                value=rounded(report.value),
                beliefs=tuple(report.beliefs),
            )
        except ValidationError as error:
            return join_faults(explain(error.errors(include_url=False), {}, "its report"))

    found = conduct.guarded(read)
    if isinstance(found, str):
        raise Misconduct(f"reported something that a record cannot hold: {found}")
    return found


def check_reported(game: Game, states: Records, analysis: Analysis) -> None:
    """Refuse a report with candidates that are not legal.

    Raises:
        Misconduct: a candidate is not legal.
    """
    try:
        check_analysis(game, states, analysis)
    except ValueError as error:
        raise Misconduct(f"reported something impossible: {error}") from None


def name_of(text: str) -> str:
    """Return the text form of an agent as records hold it."""
    return shorten(printable(text), LONGEST_NAME)


def rounded(number: float | None) -> float | None:
    """Return a number as records hold it."""
    return None if number is None else float(f"{number:.{DIGITS}g}")


# --- after the game


@dataclass(frozen=True)
class AnalysisPlan:
    """Who analyzes what.

    Attributes:
        agent: text form of the agent.
        seats: seats whose decisions are analyzed.
        seed: seed of the agent's random numbers.
        samples: number of states sampled for beliefs about hidden tokens, where the agent reports none; 0 for no such
            beliefs.
    """

    agent: str
    seats: tuple[int, ...]
    seed: int = 1
    samples: int = 0


class Notes(Protocol):
    """Analyses of a run that may be interrupted.

    Attributes:
        analyses: by ply, those of an earlier run.
    """

    analyses: dict[int, Analysis]

    def add(self, analysis: Analysis) -> None:
        """Note an analysis."""


def analyze(
    game: Game,
    record: GameRecord,
    plan: AnalysisPlan,
    progress: Callable[[int], None] | None = None,
    notes: Notes | None = None,
) -> GameRecord:
    """Return a record with an agent's analyses of the decisions of some seats, in place of earlier analyses of them.

    The agent is asked in turn at each of these decisions with more than one choice, and is given only what that seat
    may know at that point. If it reports nothing, the action it would choose is the only candidate.

    Args:
        game: built from `record.config`.
        record: record of the game.
        plan: who analyzes what.
        progress: called with 1 after each decision of the game.
        notes: gets each analysis. Decisions it already holds are not asked again, unless the agent may have a memory.

    Raises:
        ValueError: the record does not replay, its analyses do not fit the game, or the agent cannot be made, raises
            an exception, or gives an impossible answer or report.
    """
    agents = {seat: make_agent(plan.agent, GameInfo.of(game)) for seat in plan.seats}
    for seat, agent in agents.items():
        try:
            conduct.reset(agent, int(np.random.SeedSequence([plan.seed, seat]).generate_state(1)[0]))
        except Misconduct as fault:
            raise ValueError(f"the agent {quote(plan.agent)} cannot begin a game: {fault}") from None
    earlier = {analysis.ply: analysis for analysis in record.analyses}
    noted = notes.analyses if notes and all(agent.shares_batch for agent in agents.values()) else {}
    analyses: list[Analysis] = []

    def listen(ply: int, before: Records, action: int, after: Records) -> None:
        player = int(before["current_player"][0])
        if action < 0:
            pass  # a forfeit is no decision
        elif player in agents and ply in noted:
            analyses.append(noted[ply])
        elif player in agents and len(legal_ids(before["legal"][0])) > 1:
            information = InformationSets.of(game, before, player)
            try:
                analysis = thought(agents[player], plan.agent, information, ply, action)
                check_reported(game, before, analysis)
            except Misconduct as fault:
                raise ValueError(f"the agent {plan.agent!r} cannot analyze ply {ply}: it {fault}") from None
            if plan.samples and not analysis.beliefs:
                analysis = analysis.model_copy(update={"beliefs": sampled_beliefs(game, information, plan.samples)})
            analyses.append(analysis)
            if notes is not None:
                notes.add(analysis)
        elif player not in agents and ply in earlier:
            analyses.append(earlier[ply])
        if progress is not None:
            progress(1)

    replay(game, record, listen)
    return GameRecord.model_validate(record.model_dump() | {"analyses": tuple(analyses)})


def thought(agent: Agent, name: str, information: InformationSets, ply: int, action: int) -> Analysis:
    """Return an agent's analysis of a decision: its report, or else the action it would choose.

    Raises:
        Misconduct: it raises an exception, or gives an impossible answer or report.
    """
    masks = information.action_masks()
    if agent.is_informed:
        chosen = conduct.ask_informed(agent, information)
    else:
        chosen = conduct.ask(agent, information.observations(), masks)
    if not conduct.are_legal(masks, chosen)[0]:
        raise Misconduct(f"chose action {chosen[0]}, which is not legal")
    analysis = reported(agent, name, ply, action)
    if analysis is None:
        return Analysis(ply=ply, agent=name_of(name), candidates=(Candidate(action=int(chosen[0])),))
    return analysis
