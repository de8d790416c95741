"""Limits of agents in separate processes, and the accounts of what each agent has used in each game."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

CHILDREN = slice(13, 15)  # of /proc/PID/stat after the name: user and system time of the children waited for
LONGEST_WAIT = 1e6  # seconds, eleven days: systems take no timeouts of much more than twice that
CPU_CLOCK = 2  # of <linux/posix-timers.h>: the clock that a scheduler keeps for a whole process


@dataclass(frozen=True)
class Isolation:
    """What an agent in a separate process may take.

    Attributes:
        time_limit: seconds a decision; for `n` decisions at once `n` times as many. None: as long as it likes.
        start_limit: seconds more that making it, and the first decision of a process, may take: libraries and compiled
            rules are loaded there.
        memory_limit: MiB of address space beyond what an empty process takes, on Linux; None: as much as it likes.
        time_bank: seconds a game that decisions may take beyond the time limit, all together.
        turn_limit: seconds that all decisions of a seat in one turn of the game may take together.
        cpu_limit: seconds of processor time a game, on Linux.
    """

    time_limit: float | None = None
    start_limit: float = 60.0
    memory_limit: int | None = None
    time_bank: float | None = None
    turn_limit: float | None = None
    cpu_limit: float | None = None

    @property
    def is_timed(self) -> bool:
        """Whether there is a limit of time, so that results depend on the machine."""
        return not self.time_limit is self.turn_limit is self.cpu_limit is None

    def check(self, names: str = "{}") -> None:
        """Refuse limits that cannot be kept.

        Args:
            names: how a limit is called where it is given, such as "--{}", an option with hyphens.

        Raises:
            ValueError: a limit needs another one, or another system.
        """
        called = {key: names.format(key.replace("_", "-") if names.startswith("--") else key) for key in vars(self)}
        if self.time_bank is not None and self.time_limit is None:
            raise ValueError(
                f"{called['time_bank']} is given without {called['time_limit']}: it is drawn on beyond that"
            )
        if self.cpu_limit is not None and self.time_limit is None and self.turn_limit is None:
            needed = f"{called['time_limit']} or {called['turn_limit']}"
            raise ValueError(f"{called['cpu_limit']} is given without {needed}: an agent that waits takes none")
        if self.cpu_limit is not None and sys.platform != "linux":
            raise ValueError(f"{called['cpu_limit']} is given, but processor time can only be measured on Linux")


class Decision(NamedTuple):
    """A decision that an agent is asked for: in which game, for which seat, in which turn of the game."""

    game: int
    seat: int
    turn: int


ALONE = Decision(-1, -1, -1)  # of an agent that is not told which games it plays: one since its last reset


@dataclass
class Usage:
    """What an agent has used in one game.

    Attributes:
        decisions: how many it was asked for.
        seconds: wall clock, what a process takes to start aside.
        longest: of these, in one decision.
        cpu_seconds: processor time of its process; None where that cannot be measured.
    """

    decisions: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    cpu_seconds: float | None = None


@dataclass
class Account:
    """The account of an agent in one game: what it has used, what is left in the bank, and the turn it is in."""

    bank: float
    usage: Usage = field(default_factory=Usage)
    turn: int = ALONE.turn
    in_turn: float = 0.0  # seconds of this turn


class Accounts:
    """What an agent has used in each game that it plays, and what it may still use.

    Decisions that are asked for at once share the time that they take equally.
    """

    def __init__(self, isolation: Isolation) -> None:
        self._isolation = isolation
        self._accounts: dict[tuple[int, int], Account] = {}

    def account(self, decision: Decision) -> Account:
        """Return the account of the game that a decision belongs to, in the turn of the decision."""
        account = self._accounts.setdefault(decision[:2], Account(self._isolation.time_bank or 0.0))
        if account.turn != decision.turn:
            account.turn, account.in_turn = decision.turn, 0.0
        return account

    def forget(self, decision: Decision) -> None:
        """Open the account of a game anew."""
        self._accounts.pop(decision[:2], None)

    def usage(self, game: int, seat: int) -> Usage:
        """Return what has been used in a game."""
        account = self._accounts.get((game, seat))
        return Usage() if account is None else account.usage

    def time_for(self, decisions: Sequence[Decision]) -> tuple[float | None, str]:
        """Return the seconds that decisions may take together, and what it is to take longer; None for no limit."""
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
        self, decisions: Sequence[Decision], seconds: float, cpu_seconds: float | None, head_start: float
    ) -> None:
        """Charge decisions for what they took together.

        Args:
            decisions: at least one.
            seconds: wall clock.
            cpu_seconds: processor time; None if it was not measured.
            head_start: seconds of both that are not charged.
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

    def overdrawn(self, decision: Decision) -> str | None:
        """Return the fault of an agent that has used more processor time than a game allows; None if it has not."""
        limit, used = self._isolation.cpu_limit, self.account(decision).usage.cpu_seconds
        return (
            None if limit is None or (used or 0.0) <= limit else f"took more than {limit:g} s of processor time a game"
        )

    def clock(self, decision: Decision) -> dict[str, float]:
        """Return the time that is left, by the names of the limits that there are, in seconds."""
        limits, account = self._isolation, self.account(decision)
        left = {
            "time_limit": (limits.time_limit, 0.0),
            "time_bank": (limits.time_bank, (limits.time_bank or 0.0) - account.bank),
            "turn_limit": (limits.turn_limit, account.in_turn),
            "cpu_limit": (limits.cpu_limit, account.usage.cpu_seconds or 0.0),
        }
        return {key: round(max(most - used, 0.0), 3) for key, (most, used) in left.items() if most is not None}


def until(seconds: float | None) -> float | None:
    """Return when so many seconds, or `LONGEST_WAIT`, have passed, by `time.monotonic()`; None for never."""
    return None if seconds is None else time.monotonic() + min(seconds, LONGEST_WAIT)


def cpu_seconds_of(pid: int) -> float | None:
    """Return the processor time of a process and of the children that it has waited for; None where it is not told."""
    if sys.platform != "linux":
        return None
    try:
        own = time.clock_gettime(((~pid) << 3) | CPU_CLOCK)  # what clock_getcpuclockid gives
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:  # it has ended
        return None
    return own + sum(map(int, fields[CHILDREN])) / os.sysconf("SC_CLK_TCK")


def peak_memory_of(pid: int) -> float | None:
    """Return the most memory that a process has held so far, in MiB; None where it is not told."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    held = next((line.split()[1] for line in lines if line.startswith("VmHWM:")), None)
    return None if held is None else int(held) / 1024
