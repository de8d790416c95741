"""Notices on stderr: which kernel is being compiled, and why.

Only the main process writes notices: the workers of a pool compile and wait in silence.
"""

from __future__ import annotations

import functools
import multiprocessing
import shutil
import sys
import threading
import time
from typing import Any

from numba.core import event

DELAY = 1.0  # seconds of compiling or waiting before it is worth a line
GAMES = "sackarmies_env.games."
HINT = "; the result is cached, and `sackarmies warmup` compiles everything in advance"


def is_main_process() -> bool:
    """Return whether this process was not started by `multiprocessing`."""
    return multiprocessing.parent_process() is None


def note(text: str) -> None:
    """Write a line to stderr, in the main process only."""
    if is_main_process() and sys.stderr is not None:  # a windowed Python has none
        print(f"sackarmies-env: {text}", file=sys.stderr, flush=True)


@functools.cache
def note_once(text: str) -> None:
    """Write a line to stderr, unless this process has written it before."""
    note(text)


class CompileNotice(event.Listener):
    """Notices on stderr of what is being compiled: a counting line on a terminal, elsewhere a plain line per kernel.

    It listens to the compiler, so it writes only when something is compiled that was not in the cache, and only once
    that has taken `DELAY`. The caches of our kernels have an attribute `reason`: why there was no entry.
    """

    def __init__(self) -> None:
        self.num_compiled = 0  # kernels that were not found in the cache
        self.hint = HINT  # appended to the first line
        self._depth = 0  # compiling a kernel compiles the kernels it calls
        self._kernel = ""
        self._reason = ""
        self._started = 0.0
        self._num_before = 0
        self._finished = threading.Event()
        self._thread: threading.Thread | None = None
        self._told: set[str] = set()

    def on_start(self, event: Any) -> None:
        """Begin a notice, or go one kernel deeper."""
        kernel = event.data["dispatcher"]
        reason = _reason_of(kernel)
        if reason is None:
            return
        self._depth += 1
        if self._depth == 1 and is_main_process() and sys.stderr is not None:
            self._kernel, self._reason = _name_of(kernel), reason
            self._started = time.monotonic()
            self._num_before = self.num_compiled
            self._finished.clear()
            self._thread = threading.Thread(target=self._show, name="compile-notice", daemon=True)
            self._thread.start()

    def on_end(self, event: Any) -> None:
        """Count a kernel, and end the notice with the outermost one."""
        if _reason_of(event.data["dispatcher"]) is None:
            return
        self._depth -= 1
        self.num_compiled += 1
        if self._depth == 0 and self._thread is not None:
            self._finished.set()
            self._thread.join()
            self._thread = None

    def _show(self) -> None:
        if self._finished.wait(DELAY):
            return
        if sys.stderr.isatty() and sys.stderr is sys.__stderr__:  # a progress bar replaces sys.stderr
            self._count()
        elif self._kernel not in self._told:
            hint = "" if self._told else self.hint
            self._told.add(self._kernel)
            note(f"compiling {self._kernel} ({self._reason}){hint} ...")

    def _count(self) -> None:
        width = shutil.get_terminal_size().columns - 1
        what = f"Compiling {self._kernel.rsplit('.', maxsplit=1)[-1]} ({self._reason})"
        while not self._finished.wait(0.25):
            done = self.num_compiled - self._num_before
            progress = f": {done} {'function' if done == 1 else 'functions'}, {time.monotonic() - self._started:.0f} s"
            sys.stderr.write(f"\r{what[: width - len(progress)]}{progress}")
            sys.stderr.flush()
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def _reason_of(kernel: Any) -> str | None:
    """Return why one of our kernels is compiled; None for any other function."""
    return getattr(kernel._cache, "reason", None)


def _name_of(kernel: Any) -> str:
    function = kernel.py_func
    return f"{function.__module__}.{function.__qualname__}".removeprefix(GAMES)


NOTICE = CompileNotice()
