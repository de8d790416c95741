"""Folders of the compile cache, each named by a digest of its sources, the compiler and the processor.

numba's own cache checks the file that defines a function but not the functions it calls, so an edited callee leaves
callers on the old rules. Here any edit leads to another folder for all kernels that it may affect: those of a game
depend on core and on the game's own folder, those from elsewhere on all games too, and on the packages of this project
that they import. TOML data is not part of the digest: it reaches kernels through `params`, never as a global.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite
import llvmlite.binding
import numba
import numpy as np

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.notice import note

PACKAGE_ROOT = Path(__file__).resolve().parents[1]
CORE = PACKAGE_ROOT / "core"
GAMES = PACKAGE_ROOT / "games"
# NUMBA_ variables that do not change the machine code; any other one does or may.
HARMLESS_VARIABLES = frozenset(
    [
        "NUMBA_CACHE_DIR",
        "NUMBA_DEBUG_CACHE",
        "NUMBA_NUM_THREADS",
        "NUMBA_THREADING_LAYER",
        "NUMBA_THREADING_LAYER_PRIORITY",
    ]
)
KEPT_FOLDERS = 16  # newest folders, which pruning always keeps
PRUNE_AGE = 2 * 3600.0  # seconds without use before any other folder is removed
IMPORTED = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(sackarmies_\w+)", re.MULTILINE)  # packages of this project
FOLDER_NAME = re.compile(r"[0-9a-f]{24}")
MARKER = "sackarmies-compile-cache.json"  # in each of our folders: what its name is a digest of, and why it was made
FIRST_USE = "first use"


@dataclass(frozen=True)
class CacheFolder:
    """A folder of compiled kernels.

    Attributes:
        path: existing and writable.
        reason: why a kernel may be missing from it.
    """

    path: Path
    reason: str


def _sources_in(root: Path) -> list[Path]:
    return sorted(root.rglob("*.py")) if root.is_dir() else [root]


def source_digest(roots: Iterable[Path]) -> str:
    """Return a digest of the Python sources under `roots`, folders or files."""
    digest = hashlib.sha256()
    for root in roots:
        for path in _sources_in(root):
            name = path.relative_to(root.parent).as_posix()
            digest.update(f"\0{name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:24]


class Sources(NamedTuple):
    """Sources that the kernels of one file may call.

    Attributes:
        owner: name of the game or package that the kernels belong to.
        roots: folders and files of Python sources.
    """

    owner: str
    roots: tuple[Path, ...]


@functools.cache
def sources_of(path: Path) -> Sources:
    """Return the sources that the kernels of a file may call.

    Games may call core and themselves. All others may also call all games, and the packages of this project that they
    import, directly or through one another.
    """
    if path.is_relative_to(CORE):
        return Sources("core", (CORE,))
    if path.is_relative_to(GAMES) and path.parent != GAMES:
        game = GAMES / path.relative_to(GAMES).parts[0]
        return Sources(game.name, (CORE, game))
    root = path
    while (root.parent / "__init__.py").exists():
        root = root.parent
    return Sources(root.stem, (CORE, GAMES, *_with_imported(root)))


def _with_imported(root: Path) -> list[Path]:
    """Return a package or file, and the other packages of this project that it reaches by imports."""
    roots = [root]
    for reached in roots:  # grows
        text = b"\n".join(path.read_bytes() for path in _sources_in(reached))
        for name in sorted({name.decode() for name in IMPORTED.findall(text)}):
            spec = importlib.util.find_spec(name)
            folder = Path(spec.origin).resolve().parent if spec and spec.origin else PACKAGE_ROOT
            if folder != PACKAGE_ROOT and folder not in roots:
                roots.append(folder)
    return roots


def build_identity(sources: Sources) -> dict[str, Any]:
    """Return what the machine code of kernels depends on, by name, as plain data."""
    variables = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    return {
        "owner": sources.owner,
        "rules": source_digest(sources.roots),
        "Python": f"{platform.python_version()} ({sys.implementation.cache_tag})",
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "NumPy": np.__version__,
        "processor": [
            platform.machine(),
            llvmlite.binding.get_host_cpu_name(),
            llvmlite.binding.get_host_cpu_features().flatten(),
        ],
        "settings": {name: value for name, value in sorted(variables.items()) if name not in HARMLESS_VARIABLES},
    }


@functools.cache
def cache_folder(sources: Sources) -> CacheFolder:
    """Return this process's cache folder for kernels of some sources, creating it if need be."""
    identity = build_identity(sources)
    base = base_directory()
    try:
        return open_folder(base, identity)
    except OSError as error:
        fallback = private_temporary_directory()
        note(
            f"cannot keep compiled rules in {base} ({error}); using {fallback}. SACKARMIES_CACHE_DIR can name another."
        )
        return open_folder(fallback, identity)


def base_directory() -> Path:
    """Return the directory in SACKARMIES_CACHE_DIR, else the place for caches on this platform."""
    chosen = os.environ.get("SACKARMIES_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return platformdirs.user_cache_path("sackarmies-env", appauthor=False)


def private_temporary_directory() -> Path:
    """Return a directory that only this user can write: cache entries are pickles, and reading one may run code."""
    if sys.platform == "win32":  # the temporary folder is the user's own
        return Path(tempfile.gettempdir()) / "sackarmies-env"
    folder = Path(tempfile.gettempdir()) / f"sackarmies-env-{os.getuid()}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022:
            return folder
    return Path(tempfile.mkdtemp(prefix="sackarmies-env-"))


def open_folder(base: Path, identity: dict[str, Any]) -> CacheFolder:
    """Return the folder of a build in `base`, created if need be and marked as just used."""
    folder = base / hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:24]
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()
    os.utime(folder)
    if is_new:
        prune(base)
    marker = _read_marker(folder)
    if marker.get("identity") != identity:  # there is none, or it is damaged
        marker = {"identity": identity, "reason": _reason_to_make(base, folder, identity)}
        write_safely(folder / MARKER, json.dumps(marker, indent=1).encode())
    reason = marker.get("reason")
    return CacheFolder(folder, reason if isinstance(reason, str) and reason.isprintable() else FIRST_USE)


def _read_marker(folder: Path) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError, RecursionError):
        marker = json.loads((folder / MARKER).read_bytes())
        if isinstance(marker, dict):
            return marker
    return {}


def _reason_to_make(base: Path, folder: Path, identity: dict[str, Any]) -> str:
    """Return how a build differs from the most recently used one of the same owner."""
    others = [_read_marker(other).get("identity") for other in _own_folders(base) if other != folder]
    of_owner = [one for one in others if isinstance(one, dict) and one.get("owner") == identity["owner"]]
    if not of_owner:
        return FIRST_USE
    last = of_owner[0]
    words = {
        "rules": "since the rules changed",
        "processor": "on this processor",
        "settings": "with these NUMBA_ settings",
    }
    changed = [name for name, value in identity.items() if last.get(name) != value]
    differences = [words.get(name, f"with {name} {identity[name]}, after {last.get(name)}") for name in changed]
    return " ".join([FIRST_USE, ", ".join(differences)]).rstrip()


def prune(base: Path) -> None:
    """Remove folders unused for `PRUNE_AGE`, except the newest; a process that still uses one compiles again."""
    for folder in _own_folders(base)[KEPT_FOLDERS:]:
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > PRUNE_AGE:
                shutil.rmtree(folder, ignore_errors=True)


def _own_folders(base: Path) -> list[Path]:
    """Return the cache folders in `base`, most recently used first, recognized by name and marker."""
    used = []
    for folder in base.iterdir():
        with contextlib.suppress(OSError):  # another process may have removed it
            is_folder = stat.S_ISDIR(folder.lstat().st_mode)  # and not a link to one
            if is_folder and FOLDER_NAME.fullmatch(folder.name) and (folder / MARKER).is_file():
                used.append((folder.stat().st_mtime, folder))
    return [folder for _, folder in sorted(used, reverse=True)]
