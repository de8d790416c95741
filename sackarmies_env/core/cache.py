"""The compile cache: entries are never stale, damaged or mixed up, and one process compiles each of them for all.

An entry is a separate file, which takes its name when it is complete. It holds the machine code of a kernel for one
signature, preceded by a checksum of its place and content: if the checksum is wrong, the kernel is compiled again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba.experimental.function_type  # noqa: F401 - since then numba recognizes functions passed to kernels
from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from sackarmies_env.core import linking
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.cache_folder import FIRST_USE, CacheFolder, cache_folder, sources_of
from sackarmies_env.core.notice import DELAY, note_once

if TYPE_CHECKING:
    from filelock import BaseFileLock

CHECKSUM = 32  # bytes
PATIENCE = 300.0  # seconds that a process waits for another one to compile a kernel
DAMAGED = "its cache entry was damaged"
OTHER_TYPES = "for other types of arguments"
# In the code of kernels that hash. numba defines this symbol when it gets ready to compile, which imports some 230
# modules and is a third of the time that a game takes to start. Other code runs without.
HASHING = b"_numba_hashsecret"
# What is raised by rebuilding an entry that names something this Python does not have.
UNUSABLE = (pickle.UnpicklingError, ValueError, TypeError, AttributeError, ImportError, LookupError, EOFError)


class SharedCache(FunctionCache):
    """The cache of one kernel; it replaces numba's own, whose files carry no checksum.

    Attributes:
        is_in_use: whether this process has code of the kernel for other types of arguments.
        reason: why the kernel is compiled, if it is.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._py_func = function  # numba's `_index_key` reads it
        self._enabled = True
        self._lock: BaseFileLock | None = None  # held while this process compiles the kernel
        self.is_in_use = False
        self.reason = FIRST_USE

    @property
    def cache_path(self) -> str:
        """The folder of the entries."""
        return str(self._folder().path)

    def flush(self) -> None:
        """Remove all entries of this kernel."""
        for path in Path(self.cache_path).glob(f"{self._stem()}-*.kernel"):
            path.unlink(missing_ok=True)

    def load_overload(self, sig: object, target_context: Any) -> Any:
        """Return the compiled code for a signature; None if there is none that can be read.

        After None, other processes wait until this one calls `release`.
        """
        if linking.is_nested() or not self._enabled:  # only entry points have machine code to keep
            return None
        rtsys.initialize(target_context)
        entry = self._entry(sig, target_context.codegen())
        self.reason = OTHER_TYPES if self.is_in_use else self._folder().reason
        compiled = self._read(entry, target_context)
        if compiled is None:
            self._take_lock(entry)
            compiled = self._read(entry, target_context)  # another process may have compiled it in the meantime
        if compiled is None:
            target_context.refresh()  # compiling does this as well, but the notice counts the time that it takes
        return compiled

    def save_overload(self, sig: object, data: Any) -> None:
        """Save compiled code; if the disk is full or gone, the entry is lost but the game continues."""
        if linking.is_nested() or not self._enabled or data.library.has_dynamic_globals:
            return
        entry = self._entry(sig, data.codegen)
        try:
            write_safely(entry, seal(entry, dumps(data._reduce())))
        except OSError as error:
            note_once(f"cannot keep compiled rules in {entry.parent} ({error}): they will be compiled again.")

    def release(self) -> None:
        """Release the lock on this kernel, if this process holds it."""
        lock, self._lock = self._lock, None
        if lock is not None:
            with contextlib.suppress(OSError):
                lock.release()

    def _folder(self) -> CacheFolder:
        return _folder_for(self._py_func.__code__.co_filename)

    def _stem(self) -> str:
        function = self._py_func
        name = f"{function.__module__}.{function.__qualname__}-{function.__code__.co_firstlineno}"
        return name.replace("<", "").replace(">", "")  # not allowed in file names on Windows

    def _entry(self, sig: object, codegen: Any) -> Path:
        """Return the file for a signature."""
        key = hashlib.sha256(repr(self._index_key(sig, codegen)).encode()).hexdigest()[:24]
        return Path(self.cache_path) / f"{self._stem()}-{key}.kernel"

    def _read(self, entry: Path, target_context: Any) -> Any:
        try:
            sealed = entry.read_bytes()
        except OSError:
            return None
        content = unseal(entry, sealed)
        if content is not None:
            if HASHING in content:
                target_context.refresh()
            with contextlib.suppress(*UNUSABLE):
                return CompileResult._rebuild(target_context, *pickle.loads(content))
        self.reason = DAMAGED
        return None

    def _take_lock(self, entry: Path) -> None:
        """Wait while another process compiles this kernel; go on unlocked if locks fail, or after too long."""
        from filelock import FileLock, Timeout

        lock = FileLock(entry.with_suffix(".lock"), fallback_to_soft=False)
        with contextlib.suppress(OSError):  # such as Timeout
            entry.parent.mkdir(parents=True, exist_ok=True)  # the cache may be cleared at any time
            try:
                lock.acquire(timeout=DELAY)
            except Timeout:
                note_once("another process is compiling the same kernels; waiting for it ...")
                lock.acquire(timeout=PATIENCE)
            self._lock = lock


def compile_once(dispatcher: Any) -> None:
    """Give `dispatcher` a shared cache, whose lock is released however compiling ends."""
    cache = dispatcher._cache = SharedCache(dispatcher.py_func)
    compile_now = dispatcher.compile

    def compile_and_release(signature: Any) -> Any:
        cache.is_in_use = bool(dispatcher.overloads)
        try:
            return compile_now(signature)
        finally:
            cache.release()

    dispatcher.compile = compile_and_release


def seal(entry: Path, content: bytes) -> bytes:
    """Return the bytes of an entry: a checksum, then the content."""
    return _checksum(entry, content) + content


def unseal(entry: Path, sealed: bytes) -> bytes | None:
    """Return the content of an entry; None if it is damaged, or belongs to another place."""
    content = sealed[CHECKSUM:]
    return content if sealed[:CHECKSUM] == _checksum(entry, content) else None


def _checksum(entry: Path, content: bytes) -> bytes:
    place = "/".join(entry.parts[-2:])  # of the build and the kernel
    return hashlib.sha256(place.encode() + b"\0" + content).digest()


@functools.cache
def _folder_for(file: str) -> CacheFolder:
    """Return the cache folder for the kernels in a file."""
    return cache_folder(sources_of(Path(file).resolve()))
