"""Description of the machine that a measurement ran on."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

CPU_INFO = Path("/proc/cpuinfo")
MEMORY_INFO = Path("/proc/meminfo")


def describe_machine() -> dict[str, Any]:
    """Return processor, cores, memory and system, as far as the system reports them."""
    return {
        "processor": _field(CPU_INFO, "model name") or platform.processor() or platform.machine(),
        "family and model": "/".join(_field(CPU_INFO, name) for name in ("cpu family", "model", "stepping")),
        "cores": num_cores(),
        "cache a core": _field(CPU_INFO, "cache size"),
        "memory": _field(MEMORY_INFO, "MemTotal"),
        "system": platform.platform(),
    }


def num_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _field(path: Path, name: str) -> str:
    """Return the value of the first `name : value` line, or "" if there is none."""
    if not path.exists():
        return ""
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""
