"""Compilation of kernels: `njit` with the options of the project, late linking and the compile cache.

With NUMBA_DISABLE_JIT=1 the same functions run as plain Python, on records from `core.state.alloc`.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import llvmlite.ir
import numba
import numpy as np
from numba import literal_unroll, prange
from numba.core import event, types
from numba.extending import intrinsic

from sackarmies_env.core import cache, linking
from sackarmies_env.core.notice import NOTICE
from sackarmies_env.core.pipeline import BorrowingCompiler, CountingCompiler

__all__ = [
    "INTERPRETED",
    "count_ones",
    "count_trailing_zeros",
    "literal_unroll",
    "njit",
    "prange",
    "wrapping_arithmetic",
]

INTERPRETED = bool(numba.config.DISABLE_JIT)  # kernels are plain Python functions
LINKS_LATE = not INTERPRETED and linking.install()
if not INTERPRETED:
    event.register("numba:compile", NOTICE)

Function = TypeVar("Function", bound=Callable[..., Any])
Kernel = Callable[..., Any]


@overload
def njit(function: Kernel) -> Kernel: ...
@overload
def njit(*, parallel: bool = False, inlined: bool = False, counted: bool = False) -> Callable[[Kernel], Kernel]: ...
def njit(
    function: Kernel | None = None, *, parallel: bool = False, inlined: bool = False, counted: bool = False
) -> Kernel | Callable[[Kernel], Kernel]:
    """Compile a kernel with the options and the cache that all kernels share; usable as `@njit`.

    Args:
        function: the kernel; left out in `@njit(parallel=True)`.
        parallel: run `prange` loops on all threads; for batch loops only.
        inlined: copy the kernel into every caller, where a benchmark shows that its calls cost as much as its work.
        counted: count references to arrays, as numba does: for kernels that make or return arrays, or call what does.
            All others borrow the arrays that they are given.
    """
    if function is None:
        return functools.partial(njit, parallel=parallel, inlined=inlined, counted=counted)
    if INTERPRETED:
        return function
    # The numpy error model divides by zero without raising: kernels raise nothing, on a GPU either.
    options = {"nogil": True, "error_model": "numpy", "parallel": parallel, "forceinline": inlined}
    options["pipeline_class"] = CountingCompiler if counted or parallel else BorrowingCompiler
    dispatcher = numba.njit(**options)(function)
    if LINKS_LATE:
        linking.link_late(dispatcher)
    if Path(function.__code__.co_filename).exists():
        cache.compile_once(dispatcher)
    return cast(Kernel, dispatcher)


def wrapping_arithmetic(function: Function) -> Function:
    """Make a kernel's uint64 arithmetic wrap silently in interpreted mode too; goes below `@njit`."""
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
