"""The process of an isolated agent, from start to end: it answers requests over a channel."""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import pickle
import signal
import socket
import sys
import threading
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import numpy as np

from sackarmies_agents.agent import Agent, GameInfo, Report
from sackarmies_agents.channel import Channel
from sackarmies_agents.conduct import (
    Misconduct,
    Status,
    ask,
    ask_informed,
    ask_reports,
    guarded,
    raised,
    reset,
    trace_of,
)
from sackarmies_agents.factory import make_agent, parse_agent
from sackarmies_agents.line_launcher import MEBIBYTE, limit_memory
from sackarmies_agents.python_file import import_from
from sackarmies_agents.starting import started
from sackarmies_env.core.game import Game
from sackarmies_env.core.information import InformationSets

LARGEST_ANSWER = 2**20  # bytes
OUT_OF_MEMORY = 99  # exit code of a child that hit its memory limit
PR_SET_DUMPABLE = 4  # from <sys/prctl.h>


def end_with_parent(*, with_group: bool = False) -> None:
    """End this process as soon as its parent is gone, even if the parent was killed.

    Args:
        with_group: whether to end its process group too, which it must lead.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        wait([sentinel])
        if with_group:
            os.killpg(os.getpid(), signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def serve(connection: socket.socket, text: str, info: GameInfo, memory_limit: int | None) -> None:
    """Make an agent and answer requests for it until the connection ends; the whole life of a child process."""
    os.setsid()  # a separate group: Ctrl-C goes to the parent alone, and what the agent starts can be killed with it
    started()
    protect_memory()
    leave_servers()
    end_with_parent(with_group=True)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    for handle in (1, 2):  # output of agents is discarded: it could pass for ours, control a terminal, or fill a disk
        os.dup2(nothing, handle)
    try:
        if memory_limit is not None:
            limit_memory(address_space() + memory_limit * MEBIBYTE)
        answer_all(Channel(connection), text, info, is_limited=memory_limit is not None)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (EOFError, OSError):
        os._exit(0)


def leave_servers() -> None:
    """Close the pipes to the servers of `multiprocessing`: a byte written to that of the fork server ends it.

    A process that needs such servers starts others.
    """
    server: Any = forkserver._forkserver  # there is no public way
    tracker: Any = resource_tracker._resource_tracker
    for handle in (server._forkserver_alive_fd, tracker._fd):
        os.close(handle)
    server._forkserver_alive_fd = tracker._fd = None


def protect_memory() -> None:
    """Keep other processes of the same user, except an administrator's, from reading this one's memory (Linux only).

    Processes that it forks are protected from the start.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def address_space() -> int:
    """Return the size of this process's address space, in bytes (Linux only)."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _unpack(
    games: dict[tuple[str, int], Game], known: tuple[str, int], game: Game | None, player: int, content: bytes
) -> InformationSets:
    """Return the information sets that were sent; `games` holds the games sent so far."""
    if game is not None:
        games[known] = game
    game = games[known]
    states = game.new_states(len(content) // game.state_dtype.itemsize)
    states.view(np.ndarray).view(np.uint8)[...] = np.frombuffer(content, np.uint8)
    return InformationSets(game, player, states)


def _plain(report: Report) -> dict[str, Any]:
    """Return a report as plain data, ready to be sent."""
    return {
        "candidates": [candidate.model_dump(warnings=False) for candidate in report.candidates],
        "value": None if report.value is None else float(report.value),
        "beliefs": [belief.model_dump(warnings=False) for belief in report.beliefs],
    }


def _plain_reports(agent: Agent, count: int) -> list[dict[str, Any] | None]:
    """Return an agent's reports about its last `count` decisions as plain data.

    Raises:
        Misconduct: it raised an exception, or its reports cannot be sent.
    """
    reports = ask_reports(agent, count)
    return guarded(lambda: [None if report is None else _plain(report) for report in reports])


def answer_all(channel: Channel, text: str, info: GameInfo, *, is_limited: bool) -> None:
    """Make an agent and answer requests for it; if `is_limited`, running out of memory ends the process."""
    try:
        file = parse_agent(text).options.get("file")
        if file is not None and os.path.isfile(file):  # `make_agent` says what is wrong with others
            import_from(Path(file).resolve().parent)
        agent = make_agent(text, info)
    except ValueError as error:
        channel.send(json.dumps({"refused": str(error), "trace": trace_of(error.__cause__)}).encode())
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
            answer |= {"fault": str(fault), "status": fault.status, "trace": trace_of(fault.__cause__)}
        except KeyboardInterrupt as error:  # raised by the agent itself: Ctrl-C does not arrive here
            answer |= {"fault": raised(error), "status": Status.ERROR, "trace": trace_of(error)}
        message = json.dumps(answer).encode()
        if len(message) > LARGEST_ANSWER:
            fault_of_size = {"number": number, "fault": f"answered more than {LARGEST_ANSWER // MEBIBYTE} MiB"}
            message = json.dumps(fault_of_size).encode()
        channel.send(message)
