"""Evaluation of one agent against another: paired seeds, rotated seats; a sequential test may end it early."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, as_completed
from contextlib import closing
from dataclasses import dataclass, field
from typing import overload

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import parse_agent
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from sackarmies_env.core.game import Game
from sackarmies_training.matches import (
    AgentMaker,
    PlayedGame,
    Progress,
    Seating,
    forfeiting,
    play_games,
    rehearse,
    worker_pool,
)
from sackarmies_training.ratings import Outcome
from sackarmies_training.seeds import agent_seed, check_games_differ, draw_seed, game_seeds
from sackarmies_training.standings import Tally, tally_of
from sackarmies_training.stats.sprt import SprtPlan, Verdict, first_decision
from sackarmies_training.stats.units import PlayedUnit, units_of
from sackarmies_training.tournament import seatings

BATCH = 25  # seeds played side by side
SPRT_BATCH = 10  # the same where a test may end the match: games beyond its end are wasted
AHEAD = 2  # batches per process that are queued before the test is asked again

Save = Callable[[int, list[PlayedGame]], None]


@dataclass(frozen=True)
class Plan:
    """The size of an evaluation.

    Attributes:
        seeds: number of seeds of a line-up; each is played in all seatings.
        seed: random seed, 0 to 2**128 - 1; by default it is drawn, so that no agent can guess it.
        workers: number of processes.
        isolation: limits of agents in separate processes; None: they run in the process that plays.
        sprt: the test that ends an evaluation of two players; None: all seeds are played.
    """

    seeds: int
    seed: int = field(default_factory=draw_seed)
    workers: int = 1
    isolation: Isolation | None = None
    sprt: SprtPlan | None = None


@dataclass(frozen=True)
class Job:
    """Some seeds of a line-up in a game, each in all seatings.

    Attributes:
        game: the game to play.
        line_up: agent texts, by seat in the first seating.
        seeds: seeds of the games' chance.
        seed: random seed of the agents.
        isolation: as in `Plan`.
    """

    game: Game
    line_up: tuple[str, ...]
    seeds: tuple[int, ...]
    seed: int
    isolation: Isolation | None = None

    @property
    def num_games(self) -> int:
        """Number of games in this job."""
        return len(self.seeds) * len(seatings(self.line_up))


def maker(job: Job) -> AgentMaker:
    """Return a function that makes agents for a job from their text forms."""
    info = GameInfo.of(job.game)
    return lambda text: make_player(text, info, job.isolation)


def play_job(job: Job) -> list[PlayedGame]:
    """Play all games of a job side by side, after a rehearsal."""
    games = [(seating, seed) for seed in job.seeds for seating in seatings(job.line_up)]
    line_ups, seeds = [game[0] for game in games], [game[1] for game in games]
    with closing(Seating(line_ups, forfeiting(maker(job)), job.seed, seeds)) as seating:
        return play_games(job.game, line_ups, seeds, seating)


@dataclass(frozen=True)
class Jobs(Sequence[Job]):
    """The seeds of a line-up, divided into jobs. Each is made when it is asked for: a test needs few of many seeds."""

    game: Game
    line_up: tuple[str, ...]
    plan: Plan

    @property
    def _size(self) -> int:
        return BATCH if self.plan.sprt is None else SPRT_BATCH

    def __len__(self) -> int:
        return len(range(0, self.plan.seeds, self._size))

    @overload
    def __getitem__(self, number: int) -> Job: ...
    @overload
    def __getitem__(self, number: slice) -> list[Job]: ...
    def __getitem__(self, number: int | slice) -> Job | list[Job]:
        """Return a job, or several."""
        if isinstance(number, slice):
            return [self[one] for one in range(len(self))[number]]
        start, plan = range(0, self.plan.seeds, self._size)[number], self.plan
        seeds = game_seeds(plan.seed, min(self._size, plan.seeds - start), start)
        return Job(self.game, self.line_up, tuple(seeds), agent_seed(plan.seed, start), plan.isolation)


def play_jobs(
    jobs: Sequence[Job], workers: int, progress: Progress, save: Save | None = None
) -> list[list[PlayedGame]]:
    """Play jobs in several processes.

    Args:
        jobs: the jobs to play.
        workers: number of processes.
        progress: called with 0 as the games begin, then with the number of games that have ended since the last call.
        save: called with the place of a job and its games as soon as they have ended.

    Returns:
        The games of each job, in the order of the jobs.
    """
    results: dict[int, list[PlayedGame]] = {}

    def finish(number: int, games: list[PlayedGame]) -> None:
        results[number] = games
        if save is not None:
            save(number, games)
        progress(jobs[number].num_games)

    if jobs:
        rehearse(jobs[0].game, [name for job in jobs for name in job.line_up], maker(jobs[0]))
    progress(0)
    if workers == 1 or len(jobs) < 2:
        for number, job in enumerate(jobs):
            finish(number, play_job(job))
        return list(results.values())
    with worker_pool(min(workers, len(jobs))) as pool:
        futures = [pool.submit(play_job, job) for job in jobs]
        numbers = {future: number for number, future in enumerate(futures)}
        for future in as_completed(futures):
            finish(numbers[future], future.result())
    return [results[number] for number in range(len(jobs))]


def play_in_order(jobs: Sequence[Job], workers: int, progress: Progress) -> Generator[list[PlayedGame], None, None]:
    """Yield the games of each job, in the order of the jobs; if the caller stops, remaining jobs are not played.

    Args:
        jobs: the jobs to play.
        workers: number of processes, which work a little ahead.
        progress: called with 0 as the games begin, then with the number of games of each job that is yielded.
    """
    if jobs:
        rehearse(jobs[0].game, jobs[0].line_up, maker(jobs[0]))
    progress(0)
    if workers > 1 and len(jobs) > 1:
        with worker_pool(min(workers, len(jobs))) as pool:
            waiting: deque[Future[list[PlayedGame]]] = deque()
            for job in jobs:
                waiting.append(pool.submit(play_job, job))
                if len(waiting) == AHEAD * workers:
                    yield _told(waiting.popleft().result(), progress)
            while waiting:
                yield _told(waiting.popleft().result(), progress)
        return
    for job in jobs:
        yield _told(play_job(job), progress)


def _told(games: list[PlayedGame], progress: Progress) -> list[PlayedGame]:
    progress(len(games))
    return games


def outcome_of(played: PlayedGame) -> Outcome:
    """Return the outcome of a game, as standings see it."""
    return Outcome(played.agents, played.returns, {one.seat: one.reason for one in played.forfeits}, played.out)


def played_units(played: Sequence[PlayedGame]) -> list[PlayedUnit]:
    """Group games into the units that statistics count."""
    return units_of([outcome_of(one) for one in played], [one.seed for one in played])


def evaluate(game: Game, agent: str, opponent: str, plan: Plan, progress: Progress) -> tuple[Tally, list[PlayedGame]]:
    """Measure an agent against an opponent that plays all other seats.

    Args:
        game: the game to play.
        agent: text form of the agent.
        opponent: text form of the opponent.
        plan: how much is played; the agent sits in every seat once for each seed. With a test, the games that count
            are those up to its end, in the order of the seeds, whatever the number of workers.
        progress: called with the number of games that ended.

    Returns:
        The agent's wins, draws and losses, and all games.

    Raises:
        ValueError: an agent cannot be made, both are the same, a test is given with more than two players, or all games
            would be the same, see `check_games_differ`.
    """
    check_games_differ(game)
    if parse_agent(agent) == parse_agent(opponent):
        raise ValueError(f"{agent!r} cannot be evaluated against itself: seats would be indistinguishable")
    if plan.sprt is not None and game.num_players != 2:
        raise ValueError(f"a sequential test is for two players, but this game has {game.num_players}")
    line_up = (agent, *[opponent] * (game.num_players - 1))
    jobs = Jobs(game, line_up, plan)
    if plan.sprt is None:
        played = [one for games in play_jobs(jobs, plan.workers, progress) for one in games]
    else:
        played = _play_until_decided(jobs, agent, plan, plan.sprt, progress)
    return tally_of([outcome_of(one) for one in played], agent), played


def _play_until_decided(
    jobs: Sequence[Job], agent: str, plan: Plan, sprt: SprtPlan, progress: Progress
) -> list[PlayedGame]:
    played: list[PlayedGame] = []
    known = 0
    with closing(play_in_order(jobs, plan.workers, progress)) as parts:
        for games in parts:
            played += games
            units = played_units(played)
            known, verdict = first_decision(sprt, [unit.points(agent) for unit in units], known)
            if verdict is not Verdict.UNDECIDED:
                break
    return played[: 2 * known]
