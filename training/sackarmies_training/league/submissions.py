"""Submissions in a league: stored copies of agents with their files, and working copies of these to play from."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import tomli_w

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.factory import parse_agent
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from sackarmies_agents.line_agent import LINE
from sackarmies_agents.separate import SeparateAgent
from sackarmies_env.core.messages import quote
from sackarmies_env.core.safe_read import named
from sackarmies_training.config import MANIFEST
from sackarmies_training.identity import may_name_files
from sackarmies_training.ladder.units import Maker
from sackarmies_training.matches import UnmadeAgent
from sackarmies_training.submission import Manifest, located, read_manifest, renamed, text_of

MAX_FILES = 1000
MAX_BYTES = 2**29
LEFT_OUT = {"__pycache__", ".git"}  # folders that are not copied
EXECUTABLE = 0o111
PYTHON = "python"
OUTSIDE = "only files in the folder of a submission are kept with it"


def keep(agent: str, target: Path) -> Manifest:
    """Copy an agent with its files into a new folder, as submissions are stored; return its manifest.

    Args:
        agent: a folder with a manifest, or the text form of an agent.
        target: the folder to make.

    Raises:
        ValueError: there is no such folder or agent, it names files outside, or it holds what cannot be stored.
        OSError: it cannot be copied.
    """
    source = Path(agent)
    if os.path.isdir(source):  # Path.is_dir raises OSError for a text too long for a name
        manifest = read_manifest(source)
        check_paths(manifest.agent)
        files = list(files_in(source))
        target.mkdir(parents=True)
        for path in files:
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        return manifest
    text, named_files = with_bare_names(agent)
    check_paths(text)
    target.mkdir(parents=True)
    for path in named_files:
        shutil.copy(path, target / path.name)
    (target / MANIFEST).write_text(tomli_w.dumps({"agent": text}), encoding="utf-8")
    return read_manifest(target)


def with_bare_names(text: str) -> tuple[str, list[Path]]:
    """Return the text form of an agent with file paths reduced to bare names, and the paths of these files.

    Raises:
        ValueError: it names no agent, or two different files of the same name, or a program, whose files are not known.
    """
    spec = parse_agent(text)
    if spec.name == LINE:
        raise ValueError(
            f"agent {quote(text)}: a program is submitted as a folder with a {MANIFEST}, so that its files are kept"
        )
    files: dict[str, Path] = {}

    def bare(name: str) -> str:
        path = Path(name)
        if files.setdefault(path.name, path).resolve() != path.resolve():
            raise ValueError(f"agent {quote(text)}: two of its files are called {quote(path.name)}: rename one")
        return path.name

    return text_of(spec.name, renamed(spec, Path(), bare)), list(files.values())


def check_paths(text: str) -> None:
    """Refuse the text form of an agent that names files outside the folder of its submission.

    Raises:
        ValueError: it names such files, or options that a league decides itself.
    """
    spec = parse_agent(text)
    if spec.name == LINE:
        for key in ("folder", "log"):
            if key in spec.options:
                raise ValueError(f"agent {quote(text)}: {key} is not allowed: a league sets it itself")
    if spec.name == PYTHON and "file" not in spec.options:
        raise ValueError(f"agent {quote(text)}: name the file of the class, file=FILE.py; {OUTSIDE}")
    for key, value in spec.options.items():
        paths = [Path(name) for name in (value, *value.split("+"))]
        if may_name_files(spec.name, key) and any(path.is_absolute() or ".." in path.parts for path in paths):
            raise ValueError(f"agent {quote(text)}: {key}={quote(value)} is outside: {OUTSIDE}")


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files of a submission in the order of their names.

    Raises:
        ValueError: there are too many, they are too large, or one is a link or a device.
    """
    count = size = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted([*folders, *names]):
            path = Path(place) / name
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                raise ValueError(f"{named(path)}: this is a link, a device or a pipe, which a submission cannot hold")
            if path.is_dir():
                continue
            count, size = count + 1, size + path.stat().st_size
            if count > MAX_FILES or size > MAX_BYTES:
                raise ValueError(
                    f"{named(folder)}: a submission may hold at most {MAX_FILES} files and {MAX_BYTES // 2**20} MiB"
                )
            yield path


def digest_of_folder(folder: Path) -> str:
    """Return the SHA-256 of all files in a folder: names, contents, and whether they are executable.

    Raises:
        ValueError: as for `files_in`.
    """
    digest = hashlib.sha256()
    for path in files_in(folder):
        status = path.stat()
        name, mode = path.relative_to(folder).as_posix(), bool(status.st_mode & EXECUTABLE)
        digest.update(f"\0{name}\0{mode:d}\0{status.st_size}\0".encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def working_copy(kept: Path, digest: str, copy: Path) -> str:
    """Make a copy of a stored submission to play from, and return the text form of its agent there.

    So what agents write beside their files disappears with the copy, and changes nothing that is stored.

    Raises:
        ValueError: the stored files are not those that were submitted.
        OSError: they cannot be copied.
    """
    if not kept.is_dir() or digest_of_folder(kept) != digest:
        raise ValueError(
            f"{named(kept)} does not hold what was submitted: restore it, or suspend or withdraw the agent"
        )
    shutil.copytree(kept, copy)
    return located(read_manifest(copy).agent, copy)


# --- agents


def maker_of(text: str, isolation: Isolation, *, is_anchor: bool) -> Maker:
    """Return the maker of an agent in a separate process.

    An anchor that cannot be made is an error, since the machine is at fault; a submission that cannot be made forfeits
    its games.
    """
    return functools.partial(_make, text, isolation, is_anchor)


def _make(text: str, isolation: Isolation, is_anchor: bool, info: GameInfo) -> Agent:
    try:
        return make_separate(text, isolation, info)
    except ValueError as error:
        if is_anchor:
            raise
        return UnmadeAgent(error)


def make_separate(text: str, isolation: Isolation, info: GameInfo) -> SeparateAgent:
    """Make an agent in a separate process.

    Raises:
        ValueError: it cannot be made.
    """
    player = make_player(text, info, isolation)
    assert isinstance(player, SeparateAgent)  # isolation is given
    return player
