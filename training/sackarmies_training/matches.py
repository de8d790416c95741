"""Games between agents, many side by side: the loop that tournaments and evaluations share.

Agents may be anybody's code. One that misbehaves forfeits the game, with a reason; the others play on.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent
from sackarmies_agents.child import end_with_parent
from sackarmies_agents.conduct import Gone, Misconduct, Status, are_legal, ask, ask_informed, reset
from sackarmies_agents.limits import TimedDecision, Usage
from sackarmies_agents.separate import SeparateAgent
from sackarmies_agents.starting import started, starting
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game, forfeit_code
from sackarmies_env.core.messages import printable, shorten
from sackarmies_env.core.record import MAX_REASON
from sackarmies_env.core.step_batch import Command, Ending
from sackarmies_training.ratings import IN_TO_THE_END
from sackarmies_training.seeds import derive

P = ParamSpec("P")
R = TypeVar("R")

AgentMaker = Callable[[str], Agent]
PLAYER_DIED = (
    "a process that played games has died: if an agent ends it, run agents in separate processes (isolate), where they "
    "forfeit instead; a tournament resumes with the same command"
)
CLOSED_AT_ONCE = 16
Progress = Callable[[int], None]  # called with the number of games that ended
Watch = Callable[[str, int, float], None]  # called with an agent's name, a number of decisions, seconds they took


@dataclass(frozen=True)
class Forfeit:
    """A player's forfeit, and the reason for it.

    Attributes:
        seat: seat of the player.
        ply: number of actions before it in the game.
        reason: what the agent did, as in "raised ValueError: too many hexes".
        status: kind of fault.
    """

    seat: int
    ply: int
    reason: str
    status: Status = Status.ERROR


@dataclass(frozen=True)
class PlayedGame:
    """A finished game: everything needed to replay it, and how it ended.

    Attributes:
        seed: seed of the game's chance.
        agents: names by seat.
        actions: ids in order; `forfeit_code(seat)` where a seat forfeited.
        returns: what each seat earned.
        turns: number of turns begun.
        truncated: whether a turn limit ended it.
        forfeits: in order.
        usage: what agents in separate processes used, by seat; None for others. It is measured, and so different each
            time.
        out: number of actions taken when each seat was out of the game; IN_TO_THE_END (-1) if it was not out before
            the last one.
    """

    seed: int
    agents: tuple[str, ...]
    actions: tuple[int, ...]
    returns: tuple[float, ...]
    turns: int
    truncated: bool
    forfeits: tuple[Forfeit, ...] = ()
    usage: tuple[Usage | None, ...] = field(default=(), compare=False)
    out: tuple[int, ...] = ()


@dataclass(frozen=True)
class Choices:
    """What agents decided in some games.

    Attributes:
        actions: `(k,)` int64, legal ids, except where a player forfeits.
        faults: place in `actions` -> why that player forfeits.
    """

    actions: NDArray[np.int64]
    faults: dict[int, Misconduct]


class UnmadeAgent(Agent):
    """Stands in for an agent that cannot be made: it forfeits each game, with the reason."""

    def __init__(self, error: Exception) -> None:
        """Take the error that was raised when the agent was to be made."""
        self.reason = shorten(printable(f"cannot be made: {error}"), MAX_REASON)

    def reset(self, seed: int) -> None:
        """Do nothing: the game is forfeited at the first decision."""

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Forfeit."""
        raise Misconduct(self.reason)

    def act_batch(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Forfeit."""
        raise Misconduct(self.reason)


def forfeiting(make: AgentMaker) -> AgentMaker:
    """Return a maker for agents that could be made at the rehearsal: one that no longer can forfeits its games.

    A `HostError` is no fault of the agent, and stops all.
    """

    def made(name: str) -> Agent:
        try:
            return make(name)
        except ValueError as error:
            return UnmadeAgent(error)

    return made


class Seating:
    """Seats of `n` games: which agent instance sits where.

    Agents that keep nothing between decisions play many seats with one instance; others have one for each seat and
    game. No instance plays two seats or games of the same seed: what is hidden in one is seen in the other.
    """

    def __init__(
        self,
        line_ups: Sequence[Sequence[str]],
        make: AgentMaker,
        seed: int,
        seeds: Sequence[int] | None = None,
        watch: Watch | None = None,
    ) -> None:
        """Seat agents.

        Args:
            line_ups: names by seat, one list per game.
            make: makes an agent from its name.
            seed: random seed of the agents, 0 to 2**128 - 1.
            seeds: seeds of the games' chance, one per game; None if agents may know what is hidden from them.
            watch: called after each answer of an agent in this process, with the processor time that it took.
        """
        self._watch = watch
        self.agents: list[Agent] = []
        self.names: list[str] = []
        self._met: list[set[int]] = []  # for each agent, the seeds of the games it plays
        self._seed = seed
        self._unfit: dict[int, Misconduct] = {}  # index into agents -> why that agent cannot be asked
        try:
            seats = [
                [self._seat(name, make, None if seeds is None else seeds[game]) for name in line_up]
                for game, line_up in enumerate(line_ups)
            ]
            self.seat_agent = np.array(seats, np.int64)  # (n, players): index into agents
            self._resets = [0] * len(self.agents)
            for actor in range(len(self.agents)):
                self._reset(actor)
        except BaseException:
            self.close()
            raise

    def _seat(self, name: str, make: AgentMaker, seed: int | None) -> int:
        """Return the index of the agent for a seat in a game; a new one is made if no other may take the seat."""
        for actor, other in enumerate(self.names):
            if other == name and self.agents[actor].shares_batch and seed not in self._met[actor]:
                break
        else:
            actor = len(self.agents)
            self.agents.append(make(name))
            self.names.append(name)
            self._met.append(set())
        if seed is not None:
            self._met[actor].add(seed)
        return actor

    def _reset(self, actor: int) -> None:
        seed = derive(self._seed, "agent", actor, self._resets[actor])
        self._resets[actor] += 1
        try:
            reset(self.agents[actor], seed)
        except Misconduct as fault:
            self._unfit[actor] = Misconduct(f"in reset(): {fault}", fault.status)

    def close(self) -> None:
        """Close agents that run in separate processes, which ends these."""
        separate = [agent for agent in self.agents if isinstance(agent, SeparateAgent)]
        with ThreadPoolExecutor(CLOSED_AT_ONCE) as pool:  # programs may take a moment to end
            list(pool.map(lambda agent: agent.close(), separate))

    def usage(self, game: int) -> tuple[Usage | None, ...]:
        """Return what the agents of a game have used in it, by seat; None for agents in this process."""
        agents = [self.agents[actor] for actor in self.seat_agent[game].tolist()]
        return tuple(
            agent.accounts.usage(game, seat) if isinstance(agent, SeparateAgent) else None
            for seat, agent in enumerate(agents)
        )

    def choose(self, rows: NDArray[np.int64], batch: Batch) -> Choices:
        """Ask the current players of some games of a batch for actions; misconduct becomes a forfeit.

        Args:
            rows: `(k,)` int64, the games.
            batch: all games of this seating.
        """
        players = batch.players[rows]
        actors = self.seat_agent[rows, players]
        choices = Choices(np.zeros(len(rows), np.int64), {})
        for actor in np.unique(actors).tolist():
            places = np.flatnonzero(actors == actor)
            if self.agents[actor].is_informed:
                for player in np.unique(players[places]).tolist():
                    self._ask(actor, places[players[places] == player], choices, rows, batch)
            else:
                self._ask(actor, places, choices, rows, batch)
        for place in np.flatnonzero(~are_legal(batch.action_masks[rows], choices.actions)).tolist():
            fault = Misconduct(f"chose action {choices.actions[place]}, which is not legal", Status.INVALID)
            choices.faults.setdefault(place, fault)
        return choices

    def _answers(self, actor: int, games: NDArray[np.int64], batch: Batch) -> NDArray[np.int64]:
        """Return an agent's choices in some games; an informed agent must have the same seat in all of them.

        Raises:
            Misconduct: see `ask`.
        """
        agent = self.agents[actor]
        if isinstance(agent, SeparateAgent):
            agent.will_decide(decisions_in(games, batch))
        if agent.is_informed:
            return ask_informed(agent, batch.information_sets(int(batch.players[games[0]]), games))
        return ask(agent, batch.observations[games], batch.action_masks[games])

    def _ask(
        self, actor: int, places: NDArray[np.int64], choices: Choices, rows: NDArray[np.int64], batch: Batch
    ) -> None:
        """Write an agent's answers into `choices` at `places`; if asking for all games fails, ask for each alone."""
        fault = self._unfit.get(actor)
        if fault is None:
            try:
                started = time.process_time()
                choices.actions[places] = self._answers(actor, rows[places], batch)
                if self._watch is not None and not isinstance(self.agents[actor], SeparateAgent):
                    self._watch(self.names[actor], len(places), time.process_time() - started)
                self._check_accounts(actor, places, choices, rows, batch)
                return
            except Gone as gone:  # which game caused it is not known
                fault = gone
                if self.agents[actor].shares_batch:
                    self._reset(actor)
                else:
                    self._unfit[actor] = gone
            except Misconduct as misconduct:
                if len(places) > 1:
                    for number in range(len(places)):
                        self._ask(actor, places[number : number + 1], choices, rows, batch)
                    return
                fault = misconduct
        choices.faults.update(dict.fromkeys(places.tolist(), fault))

    def _check_accounts(
        self, actor: int, places: NDArray[np.int64], choices: Choices, rows: NDArray[np.int64], batch: Batch
    ) -> None:
        """Make an agent forfeit the games in which it has used more processor time than allowed."""
        agent = self.agents[actor]
        if not isinstance(agent, SeparateAgent):
            return
        for place, decision in zip(places.tolist(), decisions_in(rows[places], batch), strict=True):
            reason = agent.accounts.overdrawn(decision)
            if reason is not None:
                choices.faults[place] = Misconduct(reason, Status.TIMEOUT)


def decisions_in(games: NDArray[np.int64], batch: Batch) -> list[TimedDecision]:
    """Return the pending decisions in some games of a batch."""
    seats, turns = batch.players[games].tolist(), batch.states["turn"][games].tolist()
    return [TimedDecision(*each) for each in zip(games.tolist(), seats, turns, strict=True)]


class WorkerPool(ProcessPoolExecutor):
    """A pool of processes that end with this one, even if it is killed, and leave Ctrl-C to it."""

    def __init__(self, workers: int) -> None:
        with starting():  # of a server of `multiprocessing`
            super().__init__(workers, mp_context=get_context("spawn"), initializer=begin_work)

    def submit(self, job: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Schedule a job; the first one starts the processes."""
        with starting():
            return super().submit(job, *args, **kwargs)

    def kill(self) -> None:
        """Kill the processes: their jobs have no results any more."""
        for process in list((self._processes or {}).values()):
            process.kill()
        # Our copy of the end they write to: without it, the thread that reads results would wait for the rest of one
        # that the kill has cut off.
        results: Any = self._result_queue  # there is no public way
        results._writer.close()


def begin_work() -> None:
    """Prepare a process of a pool for its jobs."""
    end_with_parent()
    # Not SIG_IGN: programs that agents start would inherit that.
    signal.signal(signal.SIGINT, lambda *_: None)
    started()


@contextmanager
def worker_pool(workers: int, died: str = PLAYER_DIED) -> Iterator[WorkerPool]:
    """Yield a pool of processes to play in; after an error, or if the caller stops, running jobs are killed.

    Args:
        workers: number of processes.
        died: error message if one of them dies.

    Raises:
        ValueError: one of them died.
    """
    with WorkerPool(workers) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            raise ValueError(died) from None
        except BaseException:
            pool.kill()
            raise


def rehearse(game: Game, names: Iterable[str], make: AgentMaker) -> None:
    """Have each agent make one decision, so that errors and compilation come before processes start.

    Misconduct in this decision has no consequences yet.

    Raises:
        ValueError: an agent cannot be made.
    """
    batch = Batch(game, 1, restarts=False)
    first = np.zeros(1, np.int64)
    batch.reset(first)
    for name in dict.fromkeys(names):
        with closing(Seating([[name] * game.num_players], make, 0)) as seating:
            seating.choose(first, batch)


def play_games(
    game: Game,
    line_ups: Sequence[Sequence[str]],
    seeds: Sequence[int],
    seating: Seating,
    progress: Progress | None = None,
) -> list[PlayedGame]:
    """Play games to their ends, all side by side.

    Args:
        game: the game to play.
        line_ups: names by seat, one list per game.
        seeds: seeds of the games' chance, one per game.
        seating: the agents in these line-ups.
        progress: called whenever games end, with their number.

    Returns:
        The games in the order given.
    """
    batch = Batch(game, len(seeds), restarts=False)
    histories: list[list[int]] = [[] for _ in seeds]
    forfeits: list[list[Forfeit]] = [[] for _ in seeds]
    running = np.arange(len(seeds))
    out = np.full((len(seeds), game.num_players), IN_TO_THE_END)
    batch.reset(seeds)
    while len(running):
        choices = seating.choose(running, batch)
        arguments = choices.actions
        kinds = np.full(len(running), Command.STEP, np.int64)
        for place, fault in sorted(choices.faults.items()):
            row, seat = int(running[place]), int(batch.players[running[place]])
            forfeits[row].append(Forfeit(seat, len(histories[row]), str(fault), fault.status))
            kinds[place], arguments[place] = Command.FORFEIT, seat
        for row, kind, argument in zip(running.tolist(), kinds.tolist(), arguments.tolist(), strict=True):
            histories[row].append(argument if kind == Command.STEP else forfeit_code(argument))
        batch.dispatch(kinds, running, arguments)
        still = running[batch.ended[running] == Ending.RUNNING]
        for row, seat in np.argwhere((batch.terminations[still] > 0) & (out[still] == IN_TO_THE_END)).tolist():
            out[still[row], seat] = len(histories[still[row]])
        if progress is not None and len(still) < len(running):
            progress(len(running) - len(still))
        running = still
    return [
        PlayedGame(
            seed=int(seeds[row]),
            agents=tuple(line_ups[row]),
            actions=tuple(history),
            returns=tuple(batch.returns[row].tolist()),
            turns=int(batch.states["turn"][row]),
            truncated=bool(batch.states["truncated"][row]),
            forfeits=tuple(forfeits[row]),
            usage=seating.usage(row),
            out=tuple(out[row].tolist()),
        )
        for row, history in enumerate(histories)
    ]
