"""Atomic writing of files: an interrupted write leaves the old file as it was."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from pathlib import Path

from sackarmies_env.core.messages import printable

TEMPORARY = re.compile(r"\..+\.(\d+)\.tmp")  # hidden, with the id of the writing process
PRIVATE = 0o600  # mode of a file that only its owner may read


def write_safely(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write `content` to `path` so that a crash at any moment leaves the old file or the new one, never a mixture.

    The content goes to a temporary file beside it, which is then renamed. Both content and name have reached the disk
    when this returns, so anything that the new file replaces (older checkpoints, say) may be removed.

    Args:
        path: the file.
        content: its whole content.
        private: whether only the owner may read it.

    Raises:
        OSError: it cannot be written, for example because the disk is full; `filename` is `path`. The old file stays.
        ValueError: `path` is a device, a pipe or the like, which a file would replace.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ValueError(f"{printable(path)}: this is a device or a pipe, not a file")
    temporary = path.with_name(f".{path.name}.{threading.get_ident()}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if private:
            temporary.touch(PRIVATE)
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
    finally:
        with contextlib.suppress(OSError):  # already renamed, if all went well
            temporary.unlink()


def sync_folder(folder: Path) -> None:
    """Flush a folder to disk, if the system can: the file itself is complete by now."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files left in `folder` by processes that were killed while writing."""
    for path in folder.glob(".*.tmp"):
        match = TEMPORARY.fullmatch(path.name)
        if match is not None and not _is_alive(int(match[1])):
            path.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    """Return whether another process has this id; our own id counts as that of a dead one that had it before."""
    if os.name != "posix":  # other systems cannot be asked
        return True
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it belongs to another user
        return True
    return True
