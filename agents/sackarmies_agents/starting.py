"""The start of Python processes: neither Ctrl-C nor files of the working directory reach them before they are ready."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

SAFE_PATH = "PYTHONSAFEPATH"
WHILE_STARTING = "while starting"  # any text means yes to Python; this one is not a user's
CAN_BLOCK = hasattr(signal, "pthread_sigmask")  # not on Windows


@contextmanager
def starting() -> Iterator[None]:
    """Start processes by `multiprocessing` in the block; each of them must call `started`.

    `multiprocessing` runs `python -c`, which would import modules of the working directory in place of those of the
    standard library. And Ctrl-C in a terminal goes to all its processes: one that is still importing would end with a
    traceback.
    """
    is_ours = not os.environ.get(SAFE_PATH)
    if is_ours:
        os.environ[SAFE_PATH] = WHILE_STARTING
    try:
        if not CAN_BLOCK:
            yield
            return
        resource_tracker.ensure_running()  # at its start it would unblock Ctrl-C, from which it protects itself
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    finally:
        if is_ours:
            os.environ.pop(SAFE_PATH, None)


def started() -> None:
    """Undo in this process what `starting` did to it, so that programs that it starts are not affected."""
    if os.environ.get(SAFE_PATH) == WHILE_STARTING:
        del os.environ[SAFE_PATH]
    if CAN_BLOCK:
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # discards a Ctrl-C that has come meanwhile
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, handler)
