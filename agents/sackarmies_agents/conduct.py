"""Guarded calls to agents, which are untrusted code: misconduct becomes the reason for a forfeit, in words."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, Report
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.record import MAX_REASON

WROTE = "modified the observation or the mask that it was given"
NO_REPORTS = "did not return one Report for each of {} decisions"
WROTE_RULES = "modified the data of the game that it was given"

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


def guarded(call: Callable[[], Result]) -> Result:
    """Call into an agent, and return what `call` returns.

    Some agents change the working directory to find their files; it is changed back, since paths of ours may be
    relative to it.

    Raises:
        Misconduct: the agent raised an exception.
        HostError: its process cannot be started or watched.
    """
    pid, folder = os.getpid(), working_directory()
    try:
        result = call()
    except (Misconduct, HostError, KeyboardInterrupt):  # Ctrl-C comes from the user
        raise
    except BaseException as error:  # an agent may raise anything
        raise Misconduct(f"raised {describe(error)}") from error
    finally:
        if os.getpid() != pid:  # the agent forked, and this is the copy: it must not continue our work
            os._exit(0)
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
    actions = guarded(lambda: np.asarray(answer))
    if actions.shape != (count,) or not np.issubdtype(actions.dtype, np.integer):
        given = f"{type(answer).__name__} of shape {actions.shape} and dtype {actions.dtype}"
        raise Misconduct(f"answered {given}, not integers of shape {(count,)}", Status.INVALID)
    return actions.astype(np.int64)


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


def describe(error: BaseException) -> str:
    """Return an exception as one short printable line, without control characters."""
    return one_line("".join(traceback.format_exception_only(error)))


def one_line(text: str) -> str:
    """Return untrusted text as one printable line of at most `MAX_REASON` characters."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= MAX_REASON else line[: MAX_REASON - 3] + "..."
