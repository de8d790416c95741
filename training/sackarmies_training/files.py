"""Files of a run: plain data as JSON, and run folders that never overwrite each other."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from re import fullmatch
from typing import Any

from sackarmies_env.core import safe_read
from sackarmies_env.core.atomic_write import sync_folder, write_safely


def write_json(path: Path, data: Any, *, private: bool = False) -> None:
    """Write plain data as JSON, safely; a `private` file is for its owner alone.

    Raises:
        OSError: it cannot be written; an existing file is kept.
    """
    write_safely(path, (json.dumps(data, indent=1, sort_keys=True) + "\n").encode(), private=private)


@contextlib.contextmanager
def with_parents(path: Path) -> Iterator[None]:
    """Create the missing parents of a path, and remove those of them that are empty when the block ends.

    Raises:
        OSError: one cannot be created.
    """
    created = [parent for parent in path.parents if not parent.exists()]  # innermost first
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        with contextlib.suppress(OSError):  # not empty, or not created
            for parent in created:
                parent.rmdir()


def append_line(path: Path, line: str) -> None:
    """Append a line to a file, created if missing; the line has reached the disk when this returns.

    Raises:
        OSError: it cannot be written; what was there before is intact.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        size = file.tell()
        try:
            file.write(f"{line}\n".encode())
            file.flush()
            os.fsync(file.fileno())
            if size == 0:  # the name of a new file must reach the disk, too
                sync_folder(path.parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.truncate(path, size)
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def read_lines(path: Path, wanted: str, limit: int) -> list[str]:
    """Return the lines of a text file that `append_line` writes, without line ends.

    Anything after the last whole line is left out: it is still being written, or a kill cut it off, perhaps in the
    middle of a character.

    Args:
        path: the file.
        wanted: what it should be, for messages.
        limit: greatest size in bytes.

    Raises:
        ValueError: the file is missing, unreadable, larger than `limit`, or not UTF-8.
    """
    content = safe_read.read_bytes(path, wanted, limit)
    try:
        return content[: content.rfind(b"\n") + 1].decode().split("\n")[:-1]
    except UnicodeDecodeError as error:
        raise ValueError(f"{safe_read.named(path)}: the file is not UTF-8 text (byte {error.start})") from None


def drop_partial_line(path: Path) -> None:
    """Remove the incomplete last line that a kill may have left.

    Raises:
        OSError: the file cannot be changed.
    """
    if not path.exists():
        return
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a checkpoint in hexadecimal.

    Raises:
        ValueError: the file cannot be read.
    """
    return hashlib.sha256(safe_read.read_bytes(path, "a checkpoint", safe_read.MAX_CHECKPOINT)).hexdigest()


def run_folders(folder: Path) -> list[Path]:
    """Return the existing folders of this run, oldest first: `quick`, `quick-2`, `quick-3`, ..."""
    return [path for _, path in sorted(_numbered(folder).items())]


def next_run_folder(folder: Path) -> Path:
    """Return the folder of the next run, numbered above all existing ones."""
    last = max(_numbered(folder), default=0)
    return folder.with_name(f"{folder.name}-{last + 1}") if last else folder


def _numbered(folder: Path) -> dict[int, Path]:
    """Return the existing folders of this run by number; some numbers may be missing, as folders can be removed."""
    found = {1: folder} if folder.exists() else {}
    for path in folder.parent.glob(f"{glob.escape(folder.name)}-*"):
        number = path.name.removeprefix(f"{folder.name}-")
        if fullmatch("[2-9]|[1-9][0-9]+", number):
            found[int(number)] = path
    return found
