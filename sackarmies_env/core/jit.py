"""Compilation: where kernels get numba from, with its options, and a cache that cannot serve stale rules.

numba's own cache looks at the file that defines a function and not at the functions it calls, so that an edit in a
callee leaves callers on the old rules. Here the cache directory is named by a digest of all rule sources, of the
compiler and of the CPU: after any edit it is another directory. TOML data is not part of the digest: it reaches kernels
through `params`, never as a global.

With NUMBA_DISABLE_JIT=1 the same functions run as plain Python, on records from `core.state.alloc`.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import platform
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import llvmlite
import llvmlite.binding
import llvmlite.ir
import numba
import numpy as np
from numba import prange
from numba.core import event, types
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

from sackarmies_env.core import linking

if sys.platform != "win32":
    import fcntl

__all__ = ["INTERPRETED", "count_ones", "count_trailing_zeros", "njit", "prange", "wrapping_arithmetic"]

INTERPRETED = bool(numba.config.DISABLE_JIT)  # kernels are plain Python functions
LINKS_LATE = not INTERPRETED and linking.install()

PACKAGE_ROOT = Path(__file__).resolve().parents[1]
RULE_FOLDERS = (PACKAGE_ROOT / "core", PACKAGE_ROOT / "games")
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
KEPT_DIGESTS = 8  # cache directories that pruning leaves in any case
PRUNE_AGE = 2 * 3600.0  # seconds without use, before a further one is removed
NOTICE_DELAY = 1.0  # seconds of compiling before it is worth a line
# What reading a damaged cache entry has been seen or is documented to raise.
DAMAGED = (OSError, EOFError, pickle.UnpicklingError, ValueError, TypeError, AttributeError, ImportError, LookupError)

Function = TypeVar("Function", bound=Callable[..., Any])
Kernel = Callable[..., Any]


@overload
def njit(function: Kernel) -> Kernel: ...
@overload
def njit(*, parallel: bool = False, inlined: bool = False) -> Callable[[Kernel], Kernel]: ...
def njit(
    function: Kernel | None = None, *, parallel: bool = False, inlined: bool = False
) -> Kernel | Callable[[Kernel], Kernel]:
    """Compile a kernel with the options and the cache that all kernels share; usable as `@njit`.

    Args:
        function: the kernel; left out in `@njit(parallel=True)`.
        parallel: run `prange` loops on all threads; for the batch loops alone.
        inlined: copy the kernel into every caller, where a benchmark shows that its calls cost as much as its work.
    """
    if function is None:
        return functools.partial(njit, parallel=parallel, inlined=inlined)
    if INTERPRETED:
        return function
    # The numpy error model divides by zero without raising: kernels raise nothing, on a GPU either.
    options = {"nogil": True, "error_model": "numpy", "parallel": parallel, "forceinline": inlined}
    dispatcher = numba.njit(**options)(function)
    if Path(function.__code__.co_filename).exists():
        dispatcher._cache = SharedCache(function)
        NOTICE.num_kernels += 1
    if LINKS_LATE:
        linking.link_late(dispatcher)
    return cast(Kernel, dispatcher)


def wrapping_arithmetic(function: Function) -> Function:
    """Let a kernel's uint64 arithmetic wrap silently in interpreted mode too; goes below `@njit`."""
    return np.errstate(over="ignore")(function) if INTERPRETED else function


if INTERPRETED:

    def count_ones(bits: Any) -> int:
        """Return how many bits of a uint64 are set; for core.bits, which kernels use."""
        return int(bits).bit_count()

    def count_trailing_zeros(bits: Any) -> int:
        """Return the place of the lowest set bit of a uint64 that is not 0; for core.bits, which kernels use."""
        return (int(bits) & -int(bits)).bit_length() - 1

else:

    @intrinsic  # type: ignore[untyped-decorator] # numba's types are skipped
    def count_ones(_context: Any, bits: Any) -> Any:
        """Return how many bits of a uint64 are set, by one instruction."""
        return types.uint64(types.uint64), lambda _, builder, __, arguments: builder.ctpop(arguments[0])

    @intrinsic  # type: ignore[untyped-decorator] # numba's types are skipped
    def count_trailing_zeros(_context: Any, bits: Any) -> Any:
        """Return the place of the lowest set bit of a uint64 that is not 0, by one instruction."""
        zero_is_poison = llvmlite.ir.Constant(llvmlite.ir.IntType(1), 1)
        return types.uint64(types.uint64), lambda _, builder, __, arguments: builder.cttz(arguments[0], zero_is_poison)


def source_digest(roots: Iterable[Path]) -> str:
    """Return a digest of what machine code depends on: sources under `roots` (folders or files) and the compiler."""
    digest = hashlib.sha256(repr(_compiler_key()).encode())
    for root in roots:
        for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            name = path.relative_to(root.parent).as_posix()
            digest.update(f"\0{name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:24]


def _compiler_key() -> list[object]:
    variables = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    return [
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        sys.implementation.cache_tag,
        platform.python_version(),
        platform.machine(),
        llvmlite.binding.get_host_cpu_name(),
        llvmlite.binding.get_host_cpu_features().flatten(),
        sorted((name, value) for name, value in variables.items() if name not in HARMLESS_VARIABLES),
    ]


@functools.cache
def cache_directory() -> Path:
    """Return this process's cache directory, existing and writable; its name is the digest of the rules."""
    digest = source_digest(RULE_FOLDERS)
    base = _base_directory()
    try:
        return _open_directory(base, digest)
    except OSError as error:
        fallback = _private_temporary_directory()
        _note(
            f"cannot keep compiled rules in {base} ({error}); using {fallback}. SACKARMIES_CACHE_DIR can name another."
        )
        return _open_directory(fallback, digest)


def _base_directory() -> Path:
    chosen = os.environ.get("SACKARMIES_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        system = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        system = os.path.expanduser("~/Library/Caches")
    else:
        system = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification tells to ignore relative paths.
    folder = Path(system) if os.path.isabs(system) else Path(os.path.expanduser("~/.cache"))
    return folder / "sackarmies-env"


def _private_temporary_directory() -> Path:
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


def _open_directory(base: Path, digest: str) -> Path:
    """Return `base/digest`, made if need be and marked as used now."""
    folder = base / digest
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()
    os.utime(folder)
    if is_new:
        prune(base)
    return folder


def prune(base: Path) -> None:
    """Remove cache directories unused for `PRUNE_AGE`, save the newest; a process still using one compiles again."""
    used = []
    for folder in base.iterdir():
        with contextlib.suppress(OSError):  # another process may have removed it
            if folder.is_dir() and len(folder.name) == 24:
                used.append((folder.stat().st_mtime, folder))
    for last_used, folder in sorted(used, reverse=True)[KEPT_DIGESTS:]:
        if time.time() - last_used > PRUNE_AGE:
            shutil.rmtree(folder, ignore_errors=True)


class SharedCache(FunctionCache):
    """numba's cache of one function, safe against other processes and against damaged files.

    numba names data files by counting and writes the index before the data: two processes saving different signatures
    at once could otherwise leave an index entry that points to the other's code.
    """

    def __init__(self, function: Kernel) -> None:
        self._function = function
        self._lock: Path | None = None  # until the cache is opened: most kernels are entered by other kernels alone

    def _open(self) -> Path:
        """Look for the files of this function, once; return the lock that guards them."""
        if self._lock is None:
            folder = cache_directory()
            previous = numba.config.CACHE_DIR
            numba.config.CACHE_DIR = str(folder / _owner(self._function))
            try:
                super().__init__(self._function)
            finally:
                numba.config.CACHE_DIR = previous
            self._lock = folder / "lock"
        return self._lock

    @property
    def cache_path(self) -> str:
        """The folder of the files."""
        self._open()
        return cast(str, super().cache_path)

    def flush(self) -> None:
        """Forget all that is kept for this function."""
        self._open()
        super().flush()

    def load_overload(self, sig: object, target_context: object) -> Any:
        """Return the compiled code for a signature, None where there is none that can be read."""
        if linking.is_nested():  # only entry points have machine code to keep
            return None
        lock = self._open()
        try:
            with file_lock(lock, shared=True):
                return super().load_overload(sig, target_context)
        except DAMAGED:
            with contextlib.suppress(OSError), file_lock(lock):
                self.flush()
            return None

    def save_overload(self, sig: object, data: object) -> None:
        """Keep compiled code; a full or vanished disk costs the cache and not the game."""
        if linking.is_nested():
            return
        lock = self._open()
        try:
            with file_lock(lock):
                super().save_overload(sig, data)
        except OSError as error:
            _note_once(f"cannot keep compiled rules in {lock.parent} ({error}): they will be compiled again.")


def _owner(function: Kernel) -> str:
    """Return the subdirectory for a kernel: one for all rules, for others one for each state of their own sources."""
    path = Path(function.__code__.co_filename).resolve()
    if any(path.is_relative_to(folder) for folder in RULE_FOLDERS):
        return "rules"
    root = path
    while (root.parent / "__init__.py").exists():
        root = root.parent
    return _owner_digest(root)


@functools.cache
def _owner_digest(root: Path) -> str:
    return f"{root.stem}-{source_digest([root])}"


@contextlib.contextmanager
def file_lock(path: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold a lock among processes, alone or with other readers; a file system without locks goes without."""
    if sys.platform == "win32":  # numba itself copes with files that another process holds open there
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)  # somebody may clear the cache while we run
    with path.open("a") as file:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield  # closing the file lets go of the lock


class CompileNotice(event.Listener):
    """Tells on stderr that kernels are being compiled: a line that counts on a terminal, one plain line elsewhere.

    It listens to the compiler, so it speaks only when something is compiled that was not in the cache, and only after
    `NOTICE_DELAY`.
    """

    def __init__(self) -> None:
        self.num_kernels = 0  # decorated so far
        self.num_compiled = 0  # and not found in the cache
        self._depth = 0  # compiling a kernel compiles the kernels it calls
        self._seconds = 0.0  # of finished outermost compilations
        self._started = 0.0
        self._finished = threading.Event()
        self._thread: threading.Thread | None = None
        self._has_spoken = False

    def on_start(self, event: Any) -> None:
        """Begin, or go one kernel deeper."""
        if not _is_ours(event):
            return
        self._depth += 1
        if self._depth == 1:
            self._started = time.monotonic()
            self._finished.clear()
            self._thread = threading.Thread(target=self._show, name="compile-notice", daemon=True)
            self._thread.start()

    def on_end(self, event: Any) -> None:
        """Count a kernel, and fall silent with the outermost one."""
        if not _is_ours(event):
            return
        self._depth -= 1
        self.num_compiled += 1
        if self._depth == 0 and self._thread is not None:
            self._seconds += time.monotonic() - self._started
            self._finished.set()
            self._thread.join()

    def _show(self) -> None:
        if self._finished.wait(max(0.0, NOTICE_DELAY - self._seconds)) or sys.stderr is None:
            return
        if not sys.stderr.isatty():
            if not self._has_spoken:
                _note("compiling the rules for this machine, once; this takes about a minute ...")
            self._has_spoken = True
            return
        while not self._finished.wait(0.25):
            seconds = self._seconds + time.monotonic() - self._started
            done = min(self.num_compiled, self.num_kernels)
            progress = f"{done} of {self.num_kernels} functions, {seconds:.0f} s"
            sys.stderr.write(f"\rCompiling the rules for this machine, once: {progress} ")
            sys.stderr.flush()
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def _is_ours(compile_event: Any) -> bool:
    return isinstance(compile_event.data["dispatcher"]._cache, SharedCache)


def _note(text: str) -> None:
    if sys.stderr is not None:  # a windowed Python has none
        print(f"sackarmies-env: {text}", file=sys.stderr, flush=True)


@functools.cache
def _note_once(text: str) -> None:
    _note(text)


NOTICE = CompileNotice()
if not INTERPRETED:
    event.register("numba:compile", NOTICE)
