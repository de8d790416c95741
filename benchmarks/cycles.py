"""Cycle counters: the processor's clock inside kernels, and instruction counts where the machine offers them."""

from __future__ import annotations

import platform
import shutil
import subprocess
import time
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from sackarmies_env.core.jit import njit

COUNTERS = ("instructions:u", "cycles:u", "branches:u", "branch-misses:u", "cache-misses:u")


def require_clock() -> None:
    """Check that the processor lets programs read its clock.

    Raises:
        ValueError: the processor is not one known to allow it.
    """
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        raise ValueError(f"the profile reads the clock of x86-64 processors, but this one is {platform.machine()}")


@intrinsic
def _read_clock(context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = ir.FunctionType(ir.IntType(64), [])
        clock = cgutils.get_or_insert_function(builder.module, function, "llvm.readcyclecounter")
        return builder.call(clock, [])

    return types.int64(), generate


@njit(inlined=True)
def ticks():
    """Return the time stamp counter, int64; it runs evenly, whatever the frequency of the core."""
    return _read_clock()


@njit
def empty_intervals(count):
    """Return the total ticks of `count` empty measurements."""
    total = 0
    for _ in range(count):
        begin = ticks()
        total += ticks() - begin
    return total


@njit
def ticks_now():
    """Return the time stamp counter to Python."""
    return ticks()


def nanoseconds_per_tick(seconds: float = 0.2) -> float:
    """Return the length of a tick in nanoseconds, by comparison with the system clock."""
    ticks_now()
    began, first = time.perf_counter(), ticks_now()
    while time.perf_counter() - began < seconds:
        pass
    elapsed, last = time.perf_counter() - began, ticks_now()
    return float(elapsed / (last - first) * 1e9)


# --- counters


def find_counters() -> tuple[list[str], str]:
    """Return the counters that `perf stat` can read here, and the reason if there are none."""
    if shutil.which("perf") is None:
        return [], "`perf` is not installed on this machine"
    counts = read_counters(["true"], COUNTERS)
    found = [name for name, value in counts.items() if value is not None]
    return found, "" if found else "`perf stat` reports <not supported>: this machine hides its counters from programs"


def read_counters(command: Sequence[str], names: Sequence[str]) -> dict[str, int | None]:
    """Run a command under `perf stat` and return its counters; None for those that cannot be read."""
    ended = subprocess.run(
        ["perf", "stat", "-x,", "-e", ",".join(names), "--", *command], capture_output=True, text=True, check=False
    )
    counts: dict[str, int | None] = dict.fromkeys(names)
    for line in ended.stderr.splitlines():
        fields = line.split(",")
        if len(fields) > 2 and fields[2] in counts and fields[0].isdigit():
            counts[fields[2]] = int(fields[0])
    return counts
