"""What agents in separate processes have in common: limits, accounts, and processor time."""

from __future__ import annotations

import signal
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sackarmies_agents.agent import Agent
from sackarmies_agents.conduct import Gone, Status
from sackarmies_agents.limits import ALONE, Accounts, Decision, Isolation, cpu_seconds_of


class SeparateAgent(Agent):
    """An agent in a separate process.

    Whatever goes wrong there is raised here as `Misconduct`. `Gone` says that the process has ended or was killed, and
    that the next `reset` starts another one.

    Attributes:
        accounts: what it has used in each game.
    """

    def __init__(self, isolation: Isolation) -> None:
        self.accounts = Accounts(isolation)
        self._isolation = isolation
        self._is_fresh = True  # the process has not made a decision yet
        self._decisions: Sequence[Decision] | None = None
        self._cpu: float | None = None  # processor time of the process when it was last asked

    @property
    @abstractmethod
    def pid(self) -> int | None:
        """The id of the process; None if it is gone."""

    @abstractmethod
    def close(self) -> None:
        """End the process, and all that it started."""

    def will_decide(self, decisions: Sequence[Decision]) -> None:
        """Take note of which decisions the next call asks for: limits a game or a turn depend on it."""
        self._decisions = decisions

    def _begin_game(self) -> None:
        """Open the account of a game that the agent is not told of; to be called by `reset`."""
        self.accounts.forget(ALONE)

    def _watch_process(self) -> None:
        """Begin to count the processor time of a process that has just been started."""
        self._is_fresh = True
        self._cpu = None if self.pid is None else cpu_seconds_of(self.pid)

    @property
    def _head_start(self) -> float:
        """Seconds that starting the process may take, if it still is."""
        return self._isolation.start_limit if self._is_fresh else 0.0

    def _allowed(self, decisions: Sequence[Decision] = (ALONE,)) -> tuple[float | None, str]:
        """Return how many seconds decisions may take, None for no limit, and what to say if they take more."""
        seconds, fault = self.accounts.time_for(decisions)
        if seconds is None or not self._is_fresh:
            return seconds, fault
        return seconds + self._head_start, f"{fault}, with {self._head_start:g} s more to start"

    @contextmanager
    def _timed(self, count: int) -> Iterator[tuple[float | None, str]]:
        """Charge decisions for what the block takes.

        Args:
            count: number of decisions.

        Yields:
            How many seconds they may take, and what to say if they take more.
        """
        decisions = self._decisions if self._decisions is not None else [ALONE] * count
        self._decisions = None
        seconds, fault = self._allowed(decisions)
        head_start = self._head_start
        started = time.monotonic()
        try:
            yield seconds, fault
            self._is_fresh = False
        finally:
            cpu, before = None if self.pid is None else cpu_seconds_of(self.pid), self._cpu
            self._cpu = cpu
            used = None if cpu is None or before is None else cpu - before
            self.accounts.charge(decisions, time.monotonic() - started, used, head_start)

    def _gone(self, reason: str, status: Status = Status.ERROR) -> Gone:
        """End the process and return the fault to raise."""
        self.close()
        return Gone(reason, status)


def ending_of(code: int | None) -> str:
    """Return how a process with this exit code, as `subprocess` gives it, has ended; None if it has not."""
    if code is None:
        return "closed its connection"
    return f"was killed by {signal_name(-code)}" if code < 0 else f"ended its process with exit code {code}"


def signal_name(number: int) -> str:
    """Return the name of a signal; most real-time signals have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
