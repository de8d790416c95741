"""Agents in separate processes: one that hangs, leaks, crashes or scribbles harms only itself.

The child is given sizes, observations and masks, or information sets that hold nothing hidden from its player, and
nothing else: it cannot peek at what is not sent. Requests are pickled, answers are JSON of bounded length: nothing that
a child sends is ever run here.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import pickle
import signal
import socket
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo, Report
from sackarmies_agents.channel import Channel
from sackarmies_agents.child import LARGEST_ANSWER, OUT_OF_MEMORY, protect_memory, serve
from sackarmies_agents.conduct import MAX_TRACE, NO_REPORTS, Gone, HostError, Misconduct, Status
from sackarmies_agents.factory import make_agent, parse_agent
from sackarmies_agents.limits import ALONE, Isolation, until
from sackarmies_agents.line_agent import LINE, make_line
from sackarmies_agents.separate import Ended, SeparateAgent, ending_of, not_started
from sackarmies_agents.starting import starting
from sackarmies_env.core.arguments import MAX_INTEGER, MIN_INTEGER
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.record import Belief, Candidate
from sackarmies_env.core.validation import StrictModel, TupleOf, read_model

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, ForkServerProcess  # not on Windows

PATIENCE = 5.0  # seconds to wait for a killed process to end
MOST_ANSWERS = 1000  # answers read for one question
MOST_TRACES = 5
WITHOUT_SERVER = 255  # exit code that `multiprocessing` reports if the fork server is gone
SERVER_DIED = (
    "the server of agents' processes has died, perhaps because memory ran out or an agent ended it; nobody forfeits, "
    "and a tournament resumes with the same command"
)
PROTECTION = "sackarmies_agents.protection"  # calls `protect_memory` when it is imported


class RaisedThere(Exception):  # noqa: N818 - it says where
    """An exception in the process of an agent; the text is its traceback, which is untrusted."""


class SentReport(StrictModel):
    """A report as a process sends it."""

    candidates: TupleOf[Candidate]
    value: float | None
    beliefs: TupleOf[Belief]


class SentReports(StrictModel):
    """One report for each decision."""

    reports: TupleOf[SentReport | None]


def make_player(text: str, info: GameInfo, isolation: Isolation | None) -> Agent:
    """Make an agent from its text form, in this process or in a separate one.

    Raises:
        ValueError: see `make_agent`; or this system does not support such processes.
        HostError: the machine cannot start another process.
    """
    if isolation is None:
        return make_agent(text, info)
    spec = parse_agent(text)
    return make_line(info, spec.options, isolation) if spec.name == LINE else IsolatedAgent(text, info, isolation)


class IsolatedAgent(SeparateAgent):
    """Proxy of an agent in another process.

    Attributes:
        shares_batch: as the agent declares it.
        is_informed: as the agent declares it.
        traces: tracebacks of the exceptions that it has raised, each once and at most `MOST_TRACES`; untrusted text.
    """

    def __init__(self, text: str, info: GameInfo, isolation: Isolation) -> None:
        """Start the process.

        Args:
            text: text form of the agent.
            info: the game that it will play.
            isolation: limits.

        Raises:
            ValueError: the agent cannot be made (the cause is `RaisedThere` if it raised an exception), or this system
                does not support such processes or limits.
            HostError: the machine cannot start another process.
        """
        if sys.platform == "win32" or (isolation.memory_limit is not None and sys.platform != "linux"):
            raise ValueError("agents in separate processes need Unix, and memory limits need Linux")
        super().__init__(isolation)
        self._text = text
        self._info = info
        self.traces: list[str] = []
        self._process: ForkServerProcess | None = None
        self._start()

    @property
    def pid(self) -> int | None:
        """The process id; None if the process is gone."""
        return None if self._process is None else self._process.pid

    def reset(self, seed: int) -> None:
        """Reset the agent for a new game; if its process is gone, start another one first."""
        if self._process is None:
            self._start()
        self._begin_game()
        self._count = 0
        self._call("reset", seed, *self._allowed())

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Choose an action."""
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Choose for `n` games at once."""
        return self._decide("act", (observations, action_masks), len(observations))

    def act_informed(self, information: InformationSets) -> NDArray[np.int64]:
        """Choose for `n` games at once by information sets, whose states are sent to the process."""
        game, player = information.game, information.player
        known = (game.digest, player)
        rules = None if known in self._sent else game
        chosen = self._decide("act_informed", (known, rules, player, information.states.tobytes()), len(information))
        self._sent.add(known)
        return chosen

    def report(self) -> Sequence[Report | None]:
        """Ask the process what the agent thought about its last decisions, within the same time limits.

        Raises:
            Misconduct: it raised an exception, or its answer is no list of reports or too long; its process goes on.
            Gone: it takes too long, or its process has ended.
        """
        if self._count == 0:
            return ()
        answer = self._call("report", self._count, *self._allowed([ALONE] * self._count))
        try:
            sent = read_model(SentReports, {"reports": answer}, "its answer").reports
        except ValueError:
            raise Misconduct(NO_REPORTS.format(self._count), Status.INVALID) from None
        return [None if one is None else Report(one.candidates, one.value, one.beliefs) for one in sent]

    def _decide(self, method: str, argument: Any, count: int) -> NDArray[np.int64]:
        """Have the child choose, within its limits, and return its choices as integers, one per decision."""
        with self._timed(count) as (seconds, fault):
            answer = self._request(method, argument, seconds, fault)
            is_whole = isinstance(answer, list) and all(
                type(one) is int and MIN_INTEGER <= one <= MAX_INTEGER for one in answer
            )
            if not is_whole or len(answer) != count:
                raise self._gone("sent an invalid answer", Status.INVALID)
        self._count = count
        return np.array(answer, np.int64)

    def close(self) -> None:
        """End the process and its process group; a fork of the process that started it only closes its connection."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._starter == os.getpid():
            assert process.pid is not None  # it was started
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.join(PATIENCE)
        self._channel.close()

    def _start(self) -> None:
        self._starter = os.getpid()
        self._number = 0
        self._count = 0  # decisions of the latest call
        self._sent: set[tuple[str, int]] = set()  # games sent to the process, each as one player may know it
        protect_memory()
        try:
            self._channel, self._process = self._launch()
        except (EOFError, ConnectionError):
            raise HostError(SERVER_DIED) from None
        except OSError as error:
            raise not_started(error) from None
        self._is_fresh = True
        try:
            seconds, too_long = self._allowed()
            with self._end_described():
                made = self._answer(until(seconds), too_long)
        except Misconduct as fault:
            raise ValueError(f"the agent {self._text!r} cannot be made: it {fault}") from None
        except BaseException:
            self.close()
            raise
        if "refused" in made:
            self.close()
            trace = str(made.get("trace", ""))[:MAX_TRACE]
            raise ValueError(str(made["refused"])) from (RaisedThere(trace) if trace else None)
        self.shares_batch = bool(made.get("shares_batch"))
        self.is_informed = bool(made.get("is_informed"))
        self._watch_process()

    def _launch(self) -> tuple[Channel, ForkServerProcess]:
        """Start a child, and return it and the channel to it.

        Raises:
            OSError: the system does not start it.
            EOFError: the fork server has died.
        """
        ours, theirs = socket.socketpair()
        arguments = (theirs, self._text, self._info, self._isolation.memory_limit)
        with theirs:
            try:
                process = server().Process(target=serve, args=arguments, daemon=True)
                with starting():  # the first one starts the server as well
                    process.start()
            except BaseException:
                ours.close()
                raise
        return Channel(ours), process

    def _call(self, method: str, argument: Any, seconds: float | None, too_long: str) -> Any:
        """Send the child a request and return its answer, see `_request`; its end becomes a fault."""
        with self._end_described():
            return self._request(method, argument, seconds, too_long)

    def _request(self, method: str, argument: Any, seconds: float | None, too_long: str) -> Any:
        """Send the child a request and return its answer.

        Args:
            method: what it is to do.
            argument: what it needs for that.
            seconds: time limit; None for no limit.
            too_long: the fault of taking longer.

        Raises:
            Misconduct: a fault of the agent.
            Ended: the child has closed its connection.
        """
        if self._process is None:
            raise Gone("is gone")
        self._number += 1
        deadline = until(seconds)
        request = pickle.dumps((self._number, method, argument), pickle.HIGHEST_PROTOCOL)
        try:
            self._channel.send(request, deadline)
        except TimeoutError:
            raise self._gone(too_long, Status.TIMEOUT) from None
        except OSError:
            raise Ended from None
        for _ in range(MOST_ANSWERS):
            answer = self._answer(deadline, too_long)
            if answer.get("number") == self._number:  # others are repeated by a copy that the agent forked
                break
        else:  # if they never end, none of them comes too late
            raise self._gone("sent too many answers to earlier questions", Status.INVALID)
        if "fault" in answer:
            self._keep(str(answer.get("trace", ""))[:MAX_TRACE])
            status = answer.get("status")
            invalid = Status.INVALID if status == Status.INVALID else Status.ERROR
            raise Misconduct(str(answer["fault"]), invalid)
        return answer.get("value")

    def _keep(self, trace: str) -> None:
        """Keep the traceback of an exception, unless it is known or there are enough."""
        if trace and trace not in self.traces and len(self.traces) < MOST_TRACES:
            self.traces.append(trace)

    def _answer(self, deadline: float | None, too_long: str) -> dict[str, Any]:
        """Return the next message from the child; errors as for `_request`."""
        assert self._process is not None
        try:
            message = self._channel.receive(LARGEST_ANSWER, deadline, self._process.sentinel)
        except TimeoutError:
            raise self._gone(too_long, Status.TIMEOUT) from None
        except (EOFError, OSError):
            raise Ended from None
        with contextlib.suppress(ValueError, RecursionError):
            answer = json.loads(message)
            if isinstance(answer, dict):
                return answer
        raise self._gone("sent an invalid message", Status.INVALID)

    def _ending(self) -> str:
        """Describe how the process ended.

        Raises:
            HostError: the fork server has ended, so that nothing is known of it.
        """
        assert self._process is not None
        self._process.join(PATIENCE)
        pid, code = self._process.pid, self._process.exitcode
        assert pid is not None  # it was started
        if code == WITHOUT_SERVER and is_running(pid):
            raise HostError(SERVER_DIED)
        if code == OUT_OF_MEMORY and self._isolation.memory_limit is not None:
            return f"took more than {self._isolation.memory_limit} MiB of memory"
        return ending_of(code)


def is_running(pid: int) -> bool:
    """Return whether a process of ours has this id; that of a child whose end the fork server has noticed is free."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def server() -> ForkServerContext:
    """Return the context of a fork server, which preloads, once, the project's modules that are loaded here."""
    context = multiprocessing.get_context("forkserver")
    loaded = [name for name in sys.modules if name.startswith("sackarmies_")]
    context.set_forkserver_preload([PROTECTION, *loaded])
    return context
