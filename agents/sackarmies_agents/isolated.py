"""Agents in separate processes: one that hangs, leaks, crashes or scribbles harms nobody but itself.

The child is given sizes, observations and masks, or information sets in which nothing is hidden from its player, and
nothing else: what is not sent cannot be peeked at. Requests are pickled, answers are JSON of bounded length: nothing
that a child sends is ever run here.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import multiprocessing
import os
import pickle
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo, Report
from sackarmies_agents.conduct import (
    NO_REPORTS,
    Gone,
    Misconduct,
    ask,
    ask_informed,
    ask_reports,
    guarded,
    one_line,
    reset,
)
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.game import Game
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.record import Belief, Candidate
from sackarmies_env.core.validation import StrictModel, TupleOf, read_model

LARGEST_ANSWER = 2**20  # bytes
LENGTH = 8  # bytes before a message, which say how long it is
OUT_OF_MEMORY = 99  # exit code of a child that met its limit
MEBIBYTE = 2**20
PR_SET_DUMPABLE = 4  # of <sys/prctl.h>
PATIENCE = 5.0  # seconds until a killed process is gone
PROTECTION = "sackarmies_agents.protection"  # calls `protect_memory` where it is imported


class SentReport(StrictModel):
    """A report as a process sends it."""

    candidates: TupleOf[Candidate]
    value: float | None
    beliefs: TupleOf[Belief]


class SentReports(StrictModel):
    """One report for each decision."""

    reports: TupleOf[SentReport | None]


@dataclass(frozen=True)
class Isolation:
    """What an agent in a separate process may take.

    Attributes:
        time_limit: seconds a decision; for `n` decisions at once `n` times as many. None: as long as it likes.
        start_limit: seconds more that making it, and the first decision of a process, may take: libraries and compiled
            rules are loaded there.
        memory_limit: MiB of address space beyond what an empty process takes, on Linux; None: as much as it likes.
    """

    time_limit: float | None = None
    start_limit: float = 60.0
    memory_limit: int | None = None


def make_player(text: str, info: GameInfo, isolation: Isolation | None) -> Agent:
    """Make an agent from its text form, in this process or in a separate one.

    Raises:
        ValueError: see `make_agent`; or this system has no such processes.
    """
    return make_agent(text, info) if isolation is None else IsolatedAgent(text, info, isolation)


class IsolatedAgent(Agent):
    """Proxy of an agent in another process.

    Whatever goes wrong there is raised here as `Misconduct`. `Gone` says that the process has ended or was killed, and
    that the next `reset` starts another one.

    Attributes:
        shares_batch: as the agent says of itself.
        is_informed: likewise.
    """

    def __init__(self, text: str, info: GameInfo, isolation: Isolation) -> None:
        """Start the process.

        Args:
            text: text form of the agent.
            info: the game that it will play.
            isolation: limits.

        Raises:
            ValueError: the agent cannot be made, or this system cannot do it.
        """
        if sys.platform == "win32" or (isolation.memory_limit is not None and sys.platform != "linux"):
            raise ValueError("agents in separate processes need Unix, and limits of memory need Linux")
        self._text = text
        self._info = info
        self._isolation = isolation
        self._process: ForkServerProcess | None = None
        self._start()

    def reset(self, seed: int) -> None:
        """Reset the agent for a new game; if its process is gone, start another one first."""
        if self._process is None:
            self._start()
        self._call("reset", seed, 1)

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Choose an action."""
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Choose for `n` games at once."""
        answer = self._call("act", (observations, action_masks), len(observations))
        return self._chosen(answer, len(observations))

    def act_informed(self, information: InformationSets) -> NDArray[np.int64]:
        """Choose for `n` games at once, by information sets: the process is sent the states that they keep."""
        game, player = information.game, information.player
        known = (game.digest, player)
        rules = None if known in self._sent else game
        content = (known, rules, player, information.states.tobytes())
        answer = self._call("act_informed", content, len(information))
        self._sent.add(known)
        return self._chosen(answer, len(information))

    def report(self) -> Sequence[Report | None]:
        """Ask the process what the agent thought about its last decisions; it has as long as it had for these.

        Raises:
            Misconduct: it raises an exception, or reports what is no report or is too long; its process goes on.
            Gone: it takes too long, or its process has ended.
        """
        if self._decisions == 0:
            return ()
        answer = self._call("report", self._decisions, self._decisions)
        try:
            sent = read_model(SentReports, {"reports": answer}, "its answer").reports
        except ValueError:
            raise Misconduct(NO_REPORTS.format(self._decisions)) from None
        return [None if one is None else Report(one.candidates, one.value, one.beliefs) for one in sent]

    def _chosen(self, answer: Any, count: int) -> NDArray[np.int64]:
        """Return an answer as integers, one a decision."""
        is_whole = isinstance(answer, list) and all(type(one) is int and abs(one) < 2**63 for one in answer)
        if not is_whole or len(answer) != count:
            raise self._gone("answered what no agent answers")
        self._is_fresh = False
        self._decisions = count
        return np.array(answer, np.int64)

    def close(self) -> None:
        """End the process, and all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.pid is not None  # it was started
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.join(PATIENCE)
        self._channel.close()

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        self._channel = Channel(ours)
        self._number = 0
        self._decisions = 0  # of the latest call
        self._is_fresh = True
        self._sent: set[tuple[str, int]] = set()  # games that the process knows, each as one player may know it
        protect_memory()
        process = server().Process(
            target=serve, args=(theirs, self._text, self._info, self._isolation.memory_limit), daemon=True
        )
        process.start()
        self._process = process  # not before: `close` kills a group by its id
        theirs.close()
        try:
            made = self._answer(self._deadline(1))
        except Misconduct as fault:
            raise ValueError(f"the agent {self._text!r} cannot be made: it {fault}") from None
        if "refused" in made:
            self.close()
            raise ValueError(str(made["refused"]))
        self.shares_batch = bool(made.get("shares_batch"))
        self.is_informed = bool(made.get("is_informed"))

    def _call(self, method: str, argument: Any, decisions: int) -> Any:
        """Have the child do something and return its answer."""
        if self._process is None:
            raise Gone("is gone")
        self._number += 1
        deadline = self._deadline(decisions)
        request = pickle.dumps((self._number, method, argument), pickle.HIGHEST_PROTOCOL)
        try:
            self._channel.send(request, deadline)
        except TimeoutError:
            raise self._gone(self._too_long()) from None
        except OSError:
            raise self._gone(self._ending()) from None
        answer = self._answer(deadline)
        while answer.get("number") != self._number:  # what a copy that the agent forked says once more
            answer = self._answer(deadline)
        if "fault" in answer:
            raise Misconduct(one_line(str(answer["fault"])))
        return answer.get("value")

    def _answer(self, deadline: float | None) -> dict[str, Any]:
        """Return the next message of the child."""
        assert self._process is not None
        try:
            message = self._channel.receive(LARGEST_ANSWER, deadline, self._process.sentinel)
        except TimeoutError:
            raise self._gone(self._too_long()) from None
        except (EOFError, OSError):
            raise self._gone(self._ending()) from None
        with contextlib.suppress(ValueError, RecursionError):
            answer = json.loads(message)
            if isinstance(answer, dict):
                return answer
        raise self._gone("sent what no agent sends")

    def _deadline(self, decisions: int) -> float | None:
        limit = self._isolation.time_limit
        if limit is None:
            return None
        return time.monotonic() + limit * decisions + (self._isolation.start_limit if self._is_fresh else 0.0)

    def _gone(self, reason: str) -> Gone:
        self.close()
        return Gone(reason)

    def _too_long(self) -> str:
        more = f", with {self._isolation.start_limit:g} s more to start" if self._is_fresh else ""
        return f"took longer than {self._isolation.time_limit:g} s a decision{more}"

    def _ending(self) -> str:
        """Return how the process ended, in words."""
        assert self._process is not None
        self._process.join(PATIENCE)
        code = self._process.exitcode
        if code == OUT_OF_MEMORY and self._isolation.memory_limit is not None:
            return f"took more than {self._isolation.memory_limit} MiB of memory"
        if code is None:
            return "closed its connection"
        return f"was killed by {signal_name(-code)}" if code < 0 else f"ended its process with exit code {code}"


def signal_name(number: int) -> str:
    """Return the name of a signal; most real-time signals have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Channel:
    """Messages over a socket, each with its length before it."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection

    def send(self, message: bytes, deadline: float | None = None) -> None:
        """Send a message.

        Raises:
            TimeoutError: nobody read it until the deadline, of `time.monotonic()`.
            OSError: nobody is there.
        """
        self._socket.settimeout(None if deadline is None else max(deadline - time.monotonic(), 0.001))
        self._socket.sendall(len(message).to_bytes(LENGTH, "little") + message)

    def receive(self, largest: int, deadline: float | None = None, sentinel: int | None = None) -> bytes:
        """Return the next message.

        Args:
            largest: bytes that it may have.
            deadline: of `time.monotonic()`.
            sentinel: of the process that is to send it.

        Raises:
            TimeoutError: no message until the deadline.
            EOFError: the connection or the process has ended.
            OSError: a message that is too long, or the connection is broken.
        """
        length = int.from_bytes(self._read(LENGTH, deadline, sentinel), "little")
        if length > largest:
            raise OSError(f"a message of {length} bytes, where {largest} are allowed")
        return self._read(length, deadline, sentinel)

    def _read(self, size: int, deadline: float | None, sentinel: int | None) -> bytes:
        content = bytearray()
        self._socket.settimeout(None)
        sources: list[Any] = [self._socket] if sentinel is None else [self._socket, sentinel]
        while len(content) < size:
            if deadline is not None or sentinel is not None:
                ready = wait(sources, None if deadline is None else max(deadline - time.monotonic(), 0.0))
                if not ready:
                    raise TimeoutError
                if self._socket not in ready:
                    raise EOFError
            piece = self._socket.recv(size - len(content))
            if not piece:
                raise EOFError
            content += piece
        return bytes(content)

    def close(self) -> None:
        """End the connection."""
        self._socket.close()


def server() -> ForkServerContext:
    """Return what starts processes: a server that loads once what of ours is loaded here, and forks from then on."""
    context = multiprocessing.get_context("forkserver")
    loaded = [name for name in sys.modules if name.startswith("sackarmies_")]
    context.set_forkserver_preload([PROTECTION, *loaded])
    return context


def end_with_parent() -> None:
    """End this process as soon as the one that started it is gone, be it killed."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


# --- in the child


def serve(connection: socket.socket, text: str, info: GameInfo, memory_limit: int | None) -> None:
    """Make an agent and answer for it until the connection ends; the whole life of a child."""
    os.setsid()  # a separate group: Ctrl-C goes to the parent alone, and what the agent starts can be killed with it
    protect_memory()
    end_with_parent()
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)  # output of agents is discarded
    try:
        if memory_limit is not None:
            limit_memory(memory_limit)
        _answer_all(Channel(connection), text, info, is_limited=memory_limit is not None)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (EOFError, OSError):
        os._exit(0)


def protect_memory() -> None:
    """Keep other processes of the same user, but for an administrator's, from reading this one's memory; on Linux.

    Processes that it forks are protected from their first moment.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def limit_memory(mebibytes: int) -> None:
    """Let this process take so much more address space than it has now."""
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    limit = now + mebibytes * MEBIBYTE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _unpack(
    games: dict[tuple[str, int], Game], known: tuple[str, int], game: Game | None, player: int, content: bytes
) -> InformationSets:
    """Return the information sets that were sent; `games` are those sent so far."""
    if game is not None:
        games[known] = game
    game = games[known]
    states = game.new_states(len(content) // game.state_dtype.itemsize)
    states.view(np.ndarray).view(np.uint8)[...] = np.frombuffer(content, np.uint8)
    return InformationSets(game, player, states)


def _plain(report: Report) -> dict[str, Any]:
    """Return a report as it is sent."""
    return {
        "candidates": [candidate.model_dump(warnings=False) for candidate in report.candidates],
        "value": None if report.value is None else float(report.value),
        "beliefs": [belief.model_dump(warnings=False) for belief in report.beliefs],
    }


def _plain_reports(agent: Agent, count: int) -> list[dict[str, Any] | None]:
    """Return what an agent reports about its last `count` decisions.

    Raises:
        Misconduct: it raises an exception, or reports what cannot be sent.
    """
    reports = ask_reports(agent, count)
    return guarded(lambda: [None if report is None else _plain(report) for report in reports])


def _answer_all(channel: Channel, text: str, info: GameInfo, *, is_limited: bool) -> None:
    try:
        agent = make_agent(text, info)
    except ValueError as error:
        channel.send(json.dumps({"refused": str(error)}).encode())
        return
    channel.send(json.dumps({name: bool(getattr(agent, name)) for name in ("shares_batch", "is_informed")}).encode())
    games: dict[tuple[str, int], Game] = {}
    while True:
        number, method, argument = pickle.loads(channel.receive(sys.maxsize))
        answer: dict[str, Any] = {"number": number}
        try:
            if method == "reset":
                reset(agent, argument)
            elif method == "act_informed":
                answer["value"] = ask_informed(agent, _unpack(games, *argument)).tolist()
            elif method == "report":
                answer["value"] = _plain_reports(agent, argument)
            else:
                answer["value"] = ask(agent, *argument).tolist()
        except Misconduct as fault:
            if is_limited and isinstance(fault.__cause__, MemoryError):
                raise MemoryError from None
            answer["fault"] = str(fault)
        message = json.dumps(answer).encode()
        if len(message) > LARGEST_ANSWER:
            fault_of_size = {"number": number, "fault": f"answered more than {LARGEST_ANSWER // MEBIBYTE} MiB"}
            message = json.dumps(fault_of_size).encode()
        channel.send(message)
