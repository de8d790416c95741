"""Limits of agents in separate processes, and accounts of what each agent has used in each game."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

CHILDREN = slice(13, 15)  # fields of /proc/PID/stat after the name: user and system time of reaped children
LONGEST_WAIT = 1e6  # seconds, eleven days: operating systems refuse timeouts much more than twice as long
MOST_MEMORY = 2**40 - 1  # MiB: more than an address space has, and in bytes still a number of 64 bits
CPU_CLOCK = 2  # from <linux/posix-timers.h>: the scheduler's clock of a whole process


@dataclass(frozen=True)
class Isolation:
    """Limits of an agent in a separate process.

    Attributes:
        time_limit: seconds per decision; `n` decisions at once may take `n` times as long. None: no limit.
        start_limit: extra seconds for making the agent and for the first decision of a process, when libraries and
            compiled rules are loaded.
        memory_limit: MiB of address space beyond that of an empty process, on Linux, 1 to `MOST_MEMORY`; None: no
            limit.
        time_bank: seconds per game by which decisions may exceed the time limit, in total.
        turn_limit: seconds that all decisions of a seat in one turn of the game may take in total.
        cpu_limit: seconds of processor time per game, on Linux.
    """

    time_limit: float | None = None
    start_limit: float = 60.0
    memory_limit: int | None = None
    time_bank: float | None = None
    turn_limit: float | None = None
    cpu_limit: float | None = None

    @property
    def is_timed(self) -> bool:
        """Whether there is a time limit of any kind, so that results depend on the machine."""
        return not self.time_limit is self.turn_limit is self.cpu_limit is None

    def check(self, names: str = "{}") -> None:
        """Refuse limits that cannot be enforced.

        Args:
            names: form in which error messages name a limit, such as "--{}" for an option with hyphens.

        Raises:
            ValueError: a limit needs another limit or another operating system, or is out of range.
        """
        called = {key: names.format(key.replace("_", "-") if names.startswith("--") else key) for key in vars(self)}
        if self.memory_limit is not None and not 1 <= self.memory_limit <= MOST_MEMORY:
            raise ValueError(f"{called['memory_limit']} must be from 1 to {MOST_MEMORY} MiB, not {self.memory_limit}")
        if self.time_bank is not None and self.time_limit is None:
            raise ValueError(
                f"{called['time_bank']} needs {called['time_limit']}: the bank covers time beyond that limit"
            )
        if self.cpu_limit is not None and self.time_limit is None and self.turn_limit is None:
            needed = f"{called['time_limit']} or {called['turn_limit']}"
            raise ValueError(f"{called['cpu_limit']} needs {needed}: an agent that waits uses no processor time")
        if self.cpu_limit is not None and sys.platform != "linux":
            raise ValueError(f"{called['cpu_limit']} needs Linux: elsewhere processor time cannot be measured")


class TimedDecision(NamedTuple):
    """A decision that an agent is asked to make: its game, seat, and turn of the game."""

    game: int
    seat: int
    turn: int


ALONE = TimedDecision(-1, -1, -1)  # for an agent that is not told which game it plays: the one since its last reset


@dataclass
class Usage:
    """What an agent has used in one game.

    Attributes:
        decisions: number of decisions it was asked for.
        seconds: wall-clock time, not counting what a process takes to start.
        longest: the longest single decision, in seconds.
        cpu_seconds: processor time of its process; None if it cannot be measured.
    """

    decisions: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    cpu_seconds: float | None = None


@dataclass
class Account:
    """Account of an agent in one game: what it has used, what is left in the bank, and the turn it is in."""

    bank: float
    usage: Usage = field(default_factory=Usage)
    turn: int = ALONE.turn
    in_turn: float = 0.0  # seconds used in this turn


class Accounts:
    """Accounts of an agent: what it has used in each game that it plays, and what it may still use.

    The time of a call for several decisions is divided equally among them.
    """

    def __init__(self, isolation: Isolation) -> None:
        self._isolation = isolation
        self._accounts: dict[tuple[int, int], Account] = {}

    def account(self, decision: TimedDecision) -> Account:
        """Return the account of the game of `decision`; if its turn is a new one, start counting that turn at 0."""
        account = self._accounts.setdefault(decision[:2], Account(self._isolation.time_bank or 0.0))
        if account.turn != decision.turn:
            account.turn, account.in_turn = decision.turn, 0.0
        return account

    def forget(self, decision: TimedDecision) -> None:
        """Discard the account of the game of `decision`; its next use opens a new one."""
        self._accounts.pop(decision[:2], None)

    def usage(self, game: int, seat: int) -> Usage:
        """Return what the agent has used in a game as `seat`."""
        account = self._accounts.get((game, seat))
        return Usage() if account is None else account.usage

    def time_for(self, decisions: Sequence[TimedDecision]) -> tuple[float | None, str]:
        """Return the seconds that decisions may take together (None: no limit), and the fault of taking longer."""
        limits = self._isolation
        accounts = [self.account(decision) for decision in decisions]
        allowed: list[tuple[float, str]] = []
        if limits.time_limit is not None:
            bank = min(account.bank for account in accounts)
            more = "" if limits.time_bank is None else f" and its bank of {limits.time_bank:g} s a game"
            allowed.append((limits.time_limit + bank, f"took longer than {limits.time_limit:g} s a decision{more}"))
        if limits.turn_limit is not None:
            left = max(limits.turn_limit - max(account.in_turn for account in accounts), 0.0)
            allowed.append((left, f"took longer than {limits.turn_limit:g} s a turn"))
        if not allowed:
            return None, ""
        seconds, fault = min(allowed)
        return seconds * len(accounts), fault

    def charge(
        self, decisions: Sequence[TimedDecision], seconds: float, cpu_seconds: float | None, head_start: float
    ) -> None:
        """Charge decisions for the time that they took together.

        Args:
            decisions: at least one.
            seconds: wall-clock time.
            cpu_seconds: processor time; None if it was not measured.
            head_start: seconds of either that are not charged.
        """
        each = max(seconds - head_start, 0.0) / len(decisions)
        for decision in decisions:
            account = self.account(decision)
            usage = account.usage
            usage.decisions += 1
            usage.seconds += each
            usage.longest = max(usage.longest, each)
            account.in_turn += each
            if self._isolation.time_limit is not None:
                account.bank = max(account.bank - max(each - self._isolation.time_limit, 0.0), 0.0)
            if cpu_seconds is not None:
                charged = max(cpu_seconds - head_start, 0.0) / len(decisions)
                usage.cpu_seconds = (usage.cpu_seconds or 0.0) + charged

    def overdrawn(self, decision: TimedDecision) -> str | None:
        """Return the fault of exceeding the processor time of a game; None if the agent has not done so."""
        limit, used = self._isolation.cpu_limit, self.account(decision).usage.cpu_seconds
        return (
            None if limit is None or (used or 0.0) <= limit else f"took more than {limit:g} s of processor time a game"
        )

    def clock(self, decision: TimedDecision) -> dict[str, float]:
        """Return the seconds left under each limit that is set, by its name."""
        limits, account = self._isolation, self.account(decision)
        left = {
            "time_limit": (limits.time_limit, 0.0),
            "time_bank": (limits.time_bank, (limits.time_bank or 0.0) - account.bank),
            "turn_limit": (limits.turn_limit, account.in_turn),
            "cpu_limit": (limits.cpu_limit, account.usage.cpu_seconds or 0.0),
        }
        return {key: round(max(most - used, 0.0), 3) for key, (most, used) in left.items() if most is not None}


def until(seconds: float | None) -> float | None:
    """Return the deadline `seconds` from now, `LONGEST_WAIT` at most, as a `time.monotonic()` time; None for none."""
    return None if seconds is None else time.monotonic() + min(seconds, LONGEST_WAIT)


def cpu_seconds_of(pid: int) -> float | None:
    """Return the processor time of a process and its reaped children, in seconds; None if it is not available."""
    if sys.platform != "linux":
        return None
    try:
        own = time.clock_gettime(((~pid) << 3) | CPU_CLOCK)  # the clock id that clock_getcpuclockid returns
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:  # the process has ended
        return None
    return own + sum(map(int, fields[CHILDREN])) / os.sysconf("SC_CLK_TCK")


def peak_memory_of(pid: int) -> float | None:
    """Return the peak memory of a process so far, in MiB; None if it is not available."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    held = next((line.split()[1] for line in lines if line.startswith("VmHWM:")), None)
    return None if held is None else int(held) / 1024
