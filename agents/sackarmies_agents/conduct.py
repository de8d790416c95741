"""Guarded calls to agents, which are untrusted code: misconduct becomes the reason for a forfeit, in words."""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
import traceback
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, InvalidAnswer, Report, as_action
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.record import MAX_REASON

WROTE = "modified the observation or the mask that it was given"
NO_REPORTS = "did not return one Report for each of {} decisions"
WROTE_RULES = "modified the data of the game that it was given"
ROOM = 20  # characters of a reason left for what precedes a fault, such as "in reset(): "
MAX_TRACE = 10_000  # characters of a traceback
LONGEST_NAME = 60  # characters of a file's name in a reason
OUR_PACKAGES = {"sackarmies_env", "sackarmies_agents", "sackarmies_training"}
LIBRARY = Path(sysconfig.get_path("stdlib"))
INSTALLED = {"site-packages", "dist-packages"}  # folders of installed packages

Result = TypeVar("Result")


class Status(StrEnum):
    """How a game ended for an agent, in the terms of Kaggle's environments.

    Kaggle's ACTIVE and INACTIVE, for agents that must act or wait in a game in progress, are left out: results hold
    games that have ended.
    """

    DONE = "DONE"  # played to the end
    ERROR = "ERROR"  # raised an exception, or its process ended
    INVALID = "INVALID"  # gave an answer that is not allowed
    TIMEOUT = "TIMEOUT"  # took too long


class Misconduct(Exception):  # noqa: N818 - it says what happened
    """An agent did something that forfeits the game; the text says what, as in "raised ValueError: too many hexes".

    The text is always made one line of at most `MAX_REASON` characters, since records hold no longer ones.

    Attributes:
        status: kind of fault; never DONE.
    """

    def __init__(self, reason: str, status: Status = Status.ERROR) -> None:
        super().__init__(one_line(reason))
        self.status = status


class HostError(OSError):
    """The machine or a process of ours has failed, no agent: contests stop, and nobody forfeits."""


class Gone(Misconduct):
    """An agent's process is gone, and with it everything that the agent remembered."""


class Prints:
    """Sends what agents print to stderr; calls into agents may overlap in several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0
        self._stdout = sys.stdout

    def begin(self) -> None:
        """Send output to stderr from now on."""
        with self._lock:
            if self._calls == 0:
                self._stdout, sys.stdout = sys.stdout, sys.stderr
            self._calls += 1

    def end(self) -> None:
        """Send output where it went before, once all calls have ended."""
        with self._lock:
            self._calls -= 1
            if self._calls == 0:
                sys.stdout = self._stdout


PRINTS = Prints()


def guarded(call: Callable[[], Result]) -> Result:
    """Call into an agent, and return what `call` returns.

    Some agents change the working directory to find their files; it is changed back, since paths of ours may be
    relative to it. What they print goes to stderr, since results of ours go to stdout.

    Raises:
        Misconduct: the agent raised an exception, or answered something that is no action.
        HostError: its process cannot be started or watched.
    """
    pid, folder = os.getpid(), working_directory()
    PRINTS.begin()
    try:
        result = call()
    except (Misconduct, HostError, KeyboardInterrupt):  # Ctrl-C comes from the user
        raise
    except InvalidAnswer as error:
        raise Misconduct(str(error), Status.INVALID) from None
    except BaseException as error:  # an agent may raise anything
        raise Misconduct(raised(error)) from error
    finally:
        if os.getpid() != pid:  # the agent forked, and this is the copy: it must not continue our work
            os._exit(0)
        PRINTS.end()
        if folder is not None and working_directory() != folder:
            os.chdir(folder)
    return result


def working_directory() -> str | None:
    """Return the working directory; None if it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return None


def ask(agent: Agent, observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Have an agent choose for `n` games, without trusting it.

    Args:
        agent: it is passed copies of the arrays.
        observations: `(n, size)` int8.
        masks: `(n, num_actions)` int8.

    Returns:
        `(n,)` int64, not necessarily legal.

    Raises:
        Misconduct: it raised an exception, wrote into what it was shown, or answered anything but `n` integers.
    """
    seen, legal = observations.copy(), masks.copy()
    actions = read_answer(guarded(lambda: agent.act_batch(seen, legal)), len(masks))
    if not (np.array_equal(seen, observations) and np.array_equal(legal, masks)):
        raise Misconduct(WROTE, Status.INVALID)
    return actions


def ask_informed(agent: Any, information: InformationSets) -> NDArray[np.int64]:
    """Have an informed agent choose for `n` games, without trusting it; it may write into the states it is given.

    Returns:
        `(n,)` int64, not necessarily legal.

    Raises:
        Misconduct: it raised an exception, wrote into the data of the game, which it shares with others, or answered
            anything but `n` integers.
    """
    params = information.game.params.view(np.ndarray).view(np.uint8)
    before = params.copy()
    try:
        return read_answer(guarded(lambda: agent.act_informed(information)), len(information))
    finally:
        if not np.array_equal(params, before):
            params[...] = before
            raise Misconduct(WROTE_RULES, Status.INVALID)


def ask_reports(agent: Agent, count: int) -> list[Report | None]:
    """Return an agent's reports about its last `count` decisions, None where it says nothing.

    Raises:
        Misconduct: it raised an exception, or returned anything but `count` reports or none at all.
    """
    reports = guarded(lambda: list(agent.report() or ())) or [None] * count
    if len(reports) != count or not all(report is None or isinstance(report, Report) for report in reports):
        raise Misconduct(NO_REPORTS.format(count), Status.INVALID)
    return reports


def read_answer(answer: Any, count: int) -> NDArray[np.int64]:
    """Convert an agent's answer to `(count,)` int64.

    Raises:
        Misconduct: it is anything but `count` integers.
    """
    actions = guarded(lambda: _as_array(answer, count))
    if actions.shape == (count,) and actions.dtype in (np.object_, np.uint64):  # integers, perhaps of over 64 bits
        return guarded(lambda: np.array([as_action(action) for action in actions], np.int64))
    if actions.shape != (count,) or not np.issubdtype(actions.dtype, np.integer):
        given = f"{type(answer).__name__} of shape {actions.shape} and dtype {actions.dtype}"
        raise Misconduct(f"answered {given}, not integers of shape {(count,)}", Status.INVALID)
    return actions.astype(np.int64)


def _as_array(answer: Any, count: int) -> NDArray[Any]:
    try:
        return np.asarray(answer)
    except ValueError:
        if not isinstance(answer, list | tuple):
            raise
        raise InvalidAnswer(
            f"answered {type(answer).__name__} of unequal parts, not integers of shape {(count,)}"
        ) from None


def reset(agent: Agent, seed: int) -> None:
    """Reset an agent for a new game.

    Raises:
        Misconduct: it raised an exception.
    """
    guarded(lambda: agent.reset(seed))


def are_legal(masks: NDArray[np.int8], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of the actions `(n,)` the masks `(n, num_actions)` allow."""
    inside = (actions >= 0) & (actions < masks.shape[1])
    legal: NDArray[np.bool_] = inside & (masks[np.arange(len(actions)), np.where(inside, actions, 0)] == 1)
    return legal


def raised(error: BaseException) -> str:
    """Return the reason for a forfeit by an exception, as in "raised RuntimeError: no idea (bold.py, line 17)"."""
    place = one_line(place_of(error))
    told = one_line(f"raised {describe(error)}", MAX_REASON - ROOM - len(place))
    return f"{told} {place}" if place else told


def place_of(error: BaseException) -> str:
    """Return the innermost place of an exception in an agent's own files, "(bold.py, line 17)"; "" if there is none."""
    if isinstance(error, SyntaxError):
        name, line = error.filename, error.lineno
        if isinstance(name, str) and is_own(name) and isinstance(line, int):
            return f"({name_of(name)}, line {line})"
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if not is_ours(frame) and is_own(frame.f_code.co_filename):
            return f"({name_of(frame.f_code.co_filename)}, line {line})"
    return ""


def trace_of(error: BaseException | None) -> str:
    """Return the traceback of an exception from the agent's own code on, its last `MAX_TRACE` characters; "" for None.

    It is for those who run their own agents, and part of no result: unlike the reason, it shows paths and sources.
    """
    if error is None:
        return ""
    first = error.__traceback__
    while first is not None and is_ours(first.tb_frame):
        first = first.tb_next
    return "".join(traceback.format_exception(type(error), error, first))[-MAX_TRACE:]


def name_of(path: str) -> str:
    """Return the last part of a path, short enough for a reason."""
    return one_line(os.path.basename(path), LONGEST_NAME)


def is_ours(frame: FrameType) -> bool:
    """Return whether a frame runs code of this project."""
    name = frame.f_globals.get("__name__")
    return isinstance(name, str) and name.partition(".")[0] in OUR_PACKAGES


def is_own(name: str) -> bool:
    """Return whether a source file belongs neither to Python nor to an installed package."""
    path = Path(name)
    return path.is_absolute() and not path.is_relative_to(LIBRARY) and INSTALLED.isdisjoint(path.parts)


def describe(error: BaseException) -> str:
    """Return an exception as one short printable line, without control characters.

    The lines of a syntax error that show the source are left out.
    """
    lines = traceback.format_exception_only(error)
    return one_line("".join(line for line in lines if not line.startswith("  ")))


def one_line(text: str, length: int = MAX_REASON) -> str:
    """Return untrusted text as one printable line of at most `length` characters."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= length else line[: length - 3] + "..."
