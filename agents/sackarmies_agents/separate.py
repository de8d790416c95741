"""Base class of agents in separate processes: limits, accounts, and processor time."""

from __future__ import annotations

import signal
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sackarmies_agents.agent import Agent
from sackarmies_agents.conduct import Gone, HostError, Misconduct, Status
from sackarmies_agents.limits import ALONE, Accounts, Isolation, TimedDecision, cpu_seconds_of


class Ended(Exception):  # noqa: N818 - it says what happened
    """The process of an agent has closed its connection: it has ended, or will answer no more."""


class SeparateAgent(Agent):
    """An agent in a separate process.

    Every fault of the agent or its process is raised here as `Misconduct`. `Gone` means that the process has ended or
    was killed; the next `reset` starts another one. What is no fault of the agent is raised as `HostError`. Any other
    exception during a call, such as that of Ctrl-C, ends the process.

    Attributes:
        accounts: what it has used in each game.
    """

    def __init__(self, isolation: Isolation) -> None:
        isolation.check()
        self.accounts = Accounts(isolation)
        self._isolation = isolation
        self._is_fresh = True  # the process has not made a decision yet
        self._decisions: Sequence[TimedDecision] | None = None
        self._cpu: float | None = None  # processor time of the process when it was last measured

    @property
    @abstractmethod
    def pid(self) -> int | None:
        """The process id; None if the process is gone."""

    @abstractmethod
    def close(self) -> None:
        """End the process and its process group."""

    @abstractmethod
    def _ending(self) -> str:
        """Describe how the process ended; if it has closed its connection, it has some seconds to end.

        Raises:
            HostError: that cannot be known, or is no doing of the agent.
        """

    def will_decide(self, decisions: Sequence[TimedDecision]) -> None:
        """Note which decisions the next call asks for; limits per game and per turn depend on it."""
        self._decisions = decisions

    def _begin_game(self) -> None:
        """Open a new account for a game that the agent is not told about; to be called by `reset`."""
        self.accounts.forget(ALONE)

    def _watch_process(self) -> None:
        """Start counting the processor time of a process that has just been started."""
        self._is_fresh = True
        self._cpu = None if self.pid is None else cpu_seconds_of(self.pid)

    @property
    def _head_start(self) -> float:
        """Extra seconds for a process that is still starting; 0 once it has made a decision."""
        return self._isolation.start_limit if self._is_fresh else 0.0

    def _allowed(self, decisions: Sequence[TimedDecision] = (ALONE,)) -> tuple[float | None, str]:
        """Return the seconds that decisions may take (None: no limit), and the fault of taking longer."""
        seconds, fault = self.accounts.time_for(decisions)
        if seconds is None or not self._is_fresh:
            return seconds, fault
        return seconds + self._head_start, f"{fault}, with {self._head_start:g} s more to start"

    @contextmanager
    def _timed(self, count: int) -> Iterator[tuple[float | None, str]]:
        """Charge decisions for the time that the `with` block takes; errors as for `_end_described`.

        Args:
            count: number of decisions.

        Yields:
            The seconds that they may take (None: no limit), and the fault of taking longer.
        """
        decisions = self._decisions if self._decisions is not None else [ALONE] * count
        self._decisions = None
        seconds, fault = self._allowed(decisions)
        head_start = self._head_start
        with self._end_described():  # outside the clock: waiting for the end is not the agent's time
            started = time.monotonic()
            try:
                yield seconds, fault
                self._is_fresh = False
            finally:
                cpu, before = None if self.pid is None else cpu_seconds_of(self.pid), self._cpu
                self._cpu = cpu
                used = None if cpu is None or before is None else cpu - before
                self.accounts.charge(decisions, time.monotonic() - started, used, head_start)

    @contextmanager
    def _end_described(self) -> Iterator[None]:
        """Replace `Ended`, if the `with` block raises it, by the fault that says how the process ended.

        Raises:
            Gone: that fault.
            HostError: see `_ending`.
        """
        try:
            yield
        except Ended:
            raise self._gone(self._ending()) from None
        except Misconduct:
            raise
        except BaseException:  # such as that of Ctrl-C: what is left of its messages would disturb the next ones
            self.close()
            raise

    def _gone(self, reason: str, status: Status = Status.ERROR) -> Gone:
        """End the process and return the fault to raise."""
        self.close()
        return Gone(reason, status)


def not_started(error: OSError) -> HostError:
    """Return the error to raise if the system does not start a process for an agent."""
    return HostError(
        f"no process can be started for an agent: {error.strerror or error}; each seat of each game has a process, so "
        "play fewer games at once (`batch` of a tournament, or fewer workers), or raise the limits of this system"
    )


def ending_of(code: int | None) -> str:
    """Describe how a process ended, by its exit code as in `subprocess`; None stands for one that has not ended."""
    if code is None:
        return "closed its connection"
    return f"was killed by {signal_name(-code)}" if code < 0 else f"ended its process with exit code {code}"


def signal_name(number: int) -> str:
    """Return the name of a signal, or its number: most real-time signals have no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
