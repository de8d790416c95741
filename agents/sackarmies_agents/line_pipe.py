"""A program that reads lines from stdin and answers with lines on stdout, each with a deadline."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from sackarmies_env.core.messages import short_repr

LAUNCHER = Path(__file__).with_name("line_launcher.py")
LONGEST = 2**16  # bytes of a line from the program
PATIENCE = 5.0  # seconds to wait for a killed process to end
GRACE = 0.3  # seconds that a program has to exit by itself once its stdin is closed


class TooLongLine(Exception):  # noqa: N818 - it says what happened
    """The program wrote a line of more than `LONGEST` bytes."""


class LinePipe:
    """A running program in its own process group, so that what it starts there ends with it."""

    def __init__(self, words: Sequence[str], folder: str, memory_limit: int | None, log: str | None) -> None:
        """Start the program.

        Args:
            words: the program and its arguments; no shell is involved.
            folder: its working directory.
            memory_limit: MiB of address space; None for no limit.
            log: file to which its stderr is appended; None discards it.

        Raises:
            ValueError: there is no such program or folder.
            OSError: the log cannot be written to, or the system does not start the program.
        """
        # No Path, which would make "./bot" in "." a bare "bot", to be looked for on the search path.
        program = os.path.join(folder, words[0]) if "/" in words[0] else words[0]
        if not Path(folder).is_dir():
            raise ValueError(f"there is no folder {short_repr(folder)}")
        if shutil.which(program) is None:
            raise ValueError(f"there is no program {short_repr(words[0])} that can be run in {short_repr(folder)}")
        # The death signal comes when the thread that started the program ends; the main thread ends with the process.
        parent = os.getpid() if threading.current_thread() is threading.main_thread() else 0
        launch = [sys.executable, "-I", "-S", str(LAUNCHER), str(memory_limit or 0), str(parent)]
        with contextlib.ExitStack() as files:
            errors = subprocess.DEVNULL if log is None else files.enter_context(Path(log).open("ab"))
            self._process = subprocess.Popen(
                [*launch, *words],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
                start_new_session=True,
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        os.set_blocking(self._in.fileno(), False)
        self._unread = b""
        self._starter = os.getpid()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def send(self, line: bytes, deadline: float | None = None) -> None:
        """Send a line.

        Raises:
            TimeoutError: the program has not read it by the deadline, a `time.monotonic()` time.
            OSError: the program has closed its stdin.
        """
        rest = memoryview(line)
        while rest:
            wait_for(self._in.fileno(), select.POLLOUT, deadline)
            with contextlib.suppress(BlockingIOError):
                rest = rest[os.write(self._in.fileno(), rest) :]

    def receive(self, deadline: float | None = None) -> bytes:
        """Return the next line, without the newline.

        Raises:
            TimeoutError: there is none by the deadline, a `time.monotonic()` time.
            EOFError: the program has closed its stdout.
            TooLongLine: the line has more than `LONGEST` bytes.
        """
        while b"\n" not in self._unread:
            if len(self._unread) > LONGEST:
                raise TooLongLine
            wait_for(self._out.fileno(), select.POLLIN, deadline)
            piece = os.read(self._out.fileno(), LONGEST)
            if not piece:
                raise EOFError
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        if len(line) > LONGEST:
            raise TooLongLine
        return line

    def exit_code(self) -> int | None:
        """Return the exit code of a program that has closed its end of a pipe; None if it keeps running."""
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        """Close stdin, which tells the program to exit; after a moment, `kill` it."""
        with contextlib.suppress(OSError):
            self._in.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        self.kill()

    def kill(self) -> None:
        """Kill the program and its process group; a fork of the process that started it only closes the pipes."""
        if self._starter == os.getpid():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        for pipe in (self._in, self._out):
            with contextlib.suppress(OSError):
                pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)


def wait_for(handle: int, event: int, deadline: float | None) -> None:
    """Wait until a handle can be read from or written to.

    Raises:
        TimeoutError: it is not ready by the deadline, a `time.monotonic()` time.
    """
    poll = select.poll()
    poll.register(handle, event)
    left = None if deadline is None else max(deadline - time.monotonic(), 0.0) * 1000
    if not poll.poll(left):
        raise TimeoutError
