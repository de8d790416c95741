"""Agents in Python files: how the file is imported, and what it imports from its own folder."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import inspect
import os
import sys
import warnings
from collections.abc import Iterator
from importlib.machinery import all_suffixes
from pathlib import Path
from types import ModuleType

from sackarmies_env.core.messages import short_repr

NEEDS_PROCESS = (
    "; {!r} is in the folder of the agent's file, whose modules can be imported only if the agent is isolated "
    "(--isolate, isolate = true) or the folder is in PYTHONPATH"
)


def find_file(name: str) -> Path:
    """Return the path of a Python file.

    Raises:
        ValueError: there is no such file, or it is not a Python file.
    """
    if not os.path.isfile(name):  # Path.is_file may raise OSError
        raise ValueError(f"there is no file {short_repr(name)}")
    if inspect.getmodulename(name) is None:
        raise ValueError(f"{short_repr(name)} is not a Python file: its name must end in .py")
    return Path(name).resolve()


@functools.cache
def module_in(path: Path) -> ModuleType:
    """Import a Python file, once; its folder need not be on the import path.

    Args:
        path: as `find_file` returns it.
    """
    name = f"agent_in_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # it is a Python file
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up the module of a class here
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def import_from(folder: Path) -> None:
    """Let this process import the modules of a folder, after those of Python and of installed packages."""
    sys.path.append(str(folder))


def missing_neighbor(error: BaseException | None, folder: Path) -> str:
    """Return what to add to an error if it says that a module of an agent's folder was not found; otherwise ""."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    if not isinstance(name, str) or not name.isidentifier():
        return ""
    place = folder / name
    return NEEDS_PROCESS.format(name) if os.path.isdir(place) or any(_files_of(place)) else ""


def imported_files(path: Path) -> list[Path]:
    """Return the files of a Python file's folder that its import statements lead to, directly or through others.

    Nothing is run. Modules of Python come before those of the folder, so a file that is named like one does not count.

    Args:
        path: the file, which is not in the result.

    Raises:
        OSError: a file cannot be read.
    """
    path = path.resolve()
    found, unread = {path}, [path]
    while unread:
        file = unread.pop()
        package = file.parent.relative_to(path.parent).parts
        for module in imported_names(file, package):
            if module[0] not in sys.stdlib_module_names:
                new = set(_files_of(path.parent.joinpath(*module))) - found
                found |= new
                unread += [one for one in new if one.suffix == ".py"]
    return sorted(found - {path})


def imported_names(file: Path, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the modules that the import statements of a Python file may mean, and their packages, as parts of names.

    Args:
        file: the file; one that is not valid Python imports nothing.
        package: the package that it belongs to; none if it is empty.
    """
    try:
        with warnings.catch_warnings():  # of the agent's source; Python gives them when it compiles the file
            warnings.simplefilter("ignore")
            tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        names: list[tuple[str, ...]] = []
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level <= len(package):  # others lead above the folder
            start = package[: len(package) + 1 - node.level] if node.level else ()
            start += tuple(node.module.split(".")) if node.module else ()
            names = [(*start, alias.name) for alias in node.names]  # a module, or something in the module before it
        for name in names:
            yield from (name[:length] for length in range(1, len(name) + 1))


def _files_of(place: Path) -> Iterator[Path]:
    """Yield the files from which Python may load a module, or a package, given its path without a suffix."""
    for suffix in all_suffixes():
        for file in (place.with_name(place.name + suffix), place / f"__init__{suffix}"):
            if os.path.isfile(file):
                yield file
