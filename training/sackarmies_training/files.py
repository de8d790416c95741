"""Files of a run: written whole or not at all, and run folders that never overwrite each other."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from sackarmies_env.core import reading


def write_safely(path: Path, content: bytes) -> None:
    """Write `content` to `path` so that a crash at any moment leaves the old file or the new one, never a mixture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def write_json(path: Path, data: Any) -> None:
    """Write plain data as JSON, safely."""
    write_safely(path, (json.dumps(data, indent=1, sort_keys=True) + "\n").encode())


def read_json(path: Path) -> Any:
    """Read plain data from JSON.

    Raises:
        ValueError: the file cannot be read or is not JSON.
    """
    return reading.read_json(path)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal.

    Raises:
        ValueError: the file cannot be read.
    """
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror or error}") from None


def run_folders(folder: Path) -> list[Path]:
    """Return the existing folders of this run, oldest first: `quick`, `quick-2`, `quick-3`, ..."""
    found = [folder] if folder.exists() else []
    number = 2
    while (sibling := folder.with_name(f"{folder.name}-{number}")).exists():
        found.append(sibling)
        number += 1
    return found


def next_run_folder(folder: Path) -> Path:
    """Return the first free folder of this run."""
    taken = run_folders(folder)
    return folder.with_name(f"{folder.name}-{len(taken) + 1}") if taken else folder
