"""Locks on the folder of a run or a tournament, with a note of who uses it, and on single files."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from sackarmies_env.core.safe_read import named, read_json
from sackarmies_env.core.validation import SingleLine, StrictModel, read_model
from sackarmies_training.files import with_parents

LOCK = ".lock"  # held by the system, and released when the process ends or is killed
HOLDER = ".lock.json"  # who holds it; without the lock it means nothing


class Holder(StrictModel):
    """The process that uses a folder."""

    pid: int
    host: SingleLine
    since: SingleLine

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.since}"


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder while the block runs; the folder is created if missing.

    Parents that are created with it do not outlast the block if it removes the folder, see `removed_if_unused`.

    Raises:
        ValueError: another process uses it; the message says which.
        OSError: the folder cannot be created or written to, or its file system has no locks.
    """
    with with_parents(folder):
        folder.mkdir(exist_ok=True)
        lock = FileLock(folder / LOCK, blocking=False, fallback_to_soft=False)
        try:
            lock.acquire()
        except Timeout:
            raise ValueError(
                f"{named(folder)} is in use by {_holder(folder)}: wait until it has ended, or choose another folder"
            ) from None
        try:
            _leave_note(folder / HOLDER)
            yield
        finally:
            with contextlib.suppress(OSError):
                (folder / HOLDER).unlink()
            lock.release()


@contextlib.contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """Keep other processes from changing a file while the block runs; neither it nor its folder need exist.

    Raises:
        ValueError: another process is changing it.
        OSError: its folder cannot be written to, or the file system has no locks.
    """
    with with_parents(path):
        lock = FileLock(path.with_name(f".{path.name}{LOCK}"), blocking=False, fallback_to_soft=False)
        try:
            lock.acquire()
        except Timeout:
            raise ValueError(f"{named(path)} is being changed by another process: wait until it has ended") from None
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                Path(lock.lock_file).unlink()
            lock.release()


@contextlib.contextmanager
def removed_if_unused(folder: Path, besides: Collection[str] = ()) -> Iterator[None]:
    """Remove a locked folder if an error ends the block before it holds anything else: there is no run to resume.

    Args:
        folder: the folder.
        besides: names of files that hold no results and do not keep it.
    """
    try:
        yield
    except BaseException:
        if {path.name for path in folder.iterdir()} <= {LOCK, HOLDER, *besides}:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _leave_note(path: Path) -> None:
    """Write who holds the lock, not atomically: half a note does no harm, but a kill could leave a temporary file."""
    path.unlink(missing_ok=True)
    since = datetime.now().astimezone().isoformat(" ", "seconds")
    path.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": since}), encoding="utf-8")


def _holder(folder: Path) -> str:
    try:
        return str(read_model(Holder, read_json(folder / HOLDER), HOLDER))
    except ValueError:  # the other process has only just started
        return "another process"
