"""Compiled kernels as values, to be passed to other kernels and called from machine code.

In a kernel that calls the rules by name, they would be compiled once more, for the better part of a minute. Through a
`Kernel` it calls existing machine code, and compiles in a moment. The types of all arguments are then fixed: numbers
are converted, arrays of another type are refused when the calling kernel is compiled, and nothing is ever compiled a
second time.
"""

from __future__ import annotations

import contextlib
import functools
import pkgutil
from collections.abc import Callable
from operator import index
from typing import Any

import numba
import numpy as np
from numba.core.types import WrapperAddressProtocol
from numba.core.typing.typeof import typeof_impl
from numba.np.numpy_support import as_dtype, from_dtype, map_layout
from numpy.typing import NDArray

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.state import Record

Function = Callable[..., Any]


class Kernel(WrapperAddressProtocol):
    """A compiled kernel with fixed types of arguments; call it from Python, or pass it to kernels.

    Args:
        function: a kernel, see `core.jit.njit`.
        examples: one argument of each type that it takes.

    Raises:
        TypeError: in calls from Python, for arrays of another type or another number of arguments. Kernels that pass
            arrays of another type do not compile: numba raises "mismatch of argument types".
    """

    def __init__(self, function: Any, *examples: Any) -> None:
        self._compile(function, tuple(numba.typeof(example) for example in examples))

    def _compile(self, function: Any, types: tuple[Any, ...]) -> None:
        function.compile(types)
        compiled = function.overloads[types]
        self._function = function  # it owns the machine code
        self._signature = compiled.signature
        self._address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)

    def __wrapper_address__(self) -> int:
        """Return the address of the machine code, for numba."""
        return self._address

    def signature(self) -> Any:
        """Return the types of result and arguments, for numba."""
        return self._signature

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        wanted = self._signature.args
        if len(arguments) != len(wanted):
            raise TypeError(f"{self!r} takes {len(wanted)} arguments, but {len(arguments)} are given")
        return self._function(*(self._converted(place, one) for place, one in enumerate(arguments)))

    def _converted(self, place: int, argument: Any) -> Any:
        """Return an argument as the type that the kernel takes there: for another one, numba would compile it again."""
        wanted = self._signature.args[place]
        if isinstance(wanted, numba.types.Integer):
            return as_dtype(wanted).type(index(argument))
        if isinstance(wanted, numba.types.Float):
            return as_dtype(wanted).type(argument)
        given = numba.typeof(argument)
        if given != wanted:
            raise TypeError(f"argument {place} of {self!r} is {given}, but must be {wanted}")
        return argument

    def __copy__(self) -> Kernel:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Kernel:
        return self

    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[Any, ...]]:
        # By name, like a function: the address means nothing in another process, which has the code in its cache.
        name = f"{self._function.__module__}:{self._function.__qualname__}"
        if _named(name) is not self._function:
            raise TypeError(f"{self!r} cannot be pickled: only a kernel at the top level of a module can")
        return _kernel_of, (name, self._signature.args)

    def __repr__(self) -> str:
        return f"<kernel {self._function.__name__}>"


def _named(name: str) -> Any:
    """Return what is called "module:name"; None if nothing is."""
    with contextlib.suppress(ImportError, AttributeError, ValueError):
        return pkgutil.resolve_name(name)
    return None


def _kernel_of(name: str, types: tuple[Any, ...]) -> Kernel:
    """Return a pickled kernel, compiled in this process or read from its cache.

    Raises:
        ValueError: there is no kernel of this name.
    """
    function = _named(name)
    if not hasattr(function, "overloads"):
        raise ValueError(f"there is no kernel {name!r} for which this was pickled")
    kernel = object.__new__(Kernel)
    kernel._compile(function, types)
    return kernel


type_of_plain_array = typeof_impl.dispatch(np.ndarray)


@functools.lru_cache(maxsize=256)
def type_of_record(dtype: np.dtype[np.void], is_aligned: bool) -> Any:
    """Return numba's type of a record; `is_aligned` distinguishes dtypes that numpy considers equal."""
    del is_aligned
    return from_dtype(dtype)


@typeof_impl.register(np.ndarray)  # type: ignore[untyped-decorator] # numba's types are skipped
def type_of_array(array: NDArray[Any], context: Any) -> Any:
    """Return numba's type of an array; for each one, numba would spend milliseconds on all fields of a record."""
    if array.dtype.names is None:
        return type_of_plain_array(array, context)
    record = type_of_record(array.dtype, array.dtype.isalignedstruct)
    return numba.types.Array(record, array.ndim, map_layout(array), readonly=not array.flags.writeable)


class Bundle:
    """A mixin for named tuples that are passed to kernels: their type is found only once.

    numba would go through all fields of all records in each call, which takes a millisecond.
    """

    _numba_type: Any = None


@typeof_impl.register(Bundle)  # type: ignore[untyped-decorator] # numba's types are skipped
def type_of_bundle(bundle: Any, context: Any) -> Any:
    """Return numba's type of a bundle."""
    if bundle._numba_type is None:
        bundle._numba_type = typeof_impl.dispatch(tuple)(bundle, context)
    return bundle._numba_type


def make_kernel(function: Function, *examples: Any) -> Function:
    """Return `function` as a `Kernel`, or unchanged if kernels are interpreted.

    Raises:
        ValueError: `function` is not compiled.
    """
    if INTERPRETED:
        return function
    if not hasattr(function, "overloads"):
        raise ValueError(f"{function.__qualname__} is not compiled: kernels cannot call it")
    return Kernel(function, *examples)


def exact_array(name: str, array: Any, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return an array that kernels are to write to, unchanged, if they accept it.

    Raises:
        ValueError: it is no array, has another dtype or shape, is not C-contiguous, or is read-only; or its records are
            not those of `core.state.alloc`, for which numba would compile the kernels again.
    """
    if isinstance(array, np.ndarray) and array.dtype == dtype and array.shape == shape and array.flags.carray:
        if not is_for_kernels(array):
            raise ValueError(
                f"{name} has records of another kind than kernels take, such as np.load gives: `Game.clone` copies "
                "states into those that they take"
            )
        return array
    wanted = f"but must be a writable C-contiguous array of {dtype_name(dtype)} of shape {shape}"
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name} is a {type(array).__name__}, {wanted}")
    if array.dtype != dtype or array.shape != shape:
        raise ValueError(f"{name} is an array of {dtype_name(array.dtype)} of shape {array.shape}, {wanted}")
    raise ValueError(f"{name} is read-only or not contiguous, {wanted}")


def is_for_kernels(array: NDArray[Any]) -> bool:
    """Return whether an array is none of records, or one as kernels take them in this mode."""
    if array.dtype.names is None:
        return True
    return issubclass(array.dtype.type, Record) if INTERPRETED else array.dtype.isalignedstruct


def dtype_name(dtype: Any) -> str:
    """Return a short description of a dtype: records may have hundreds of fields."""
    plain = np.dtype(dtype)
    return str(plain) if plain.names is None else f"records of {len(plain.names)} fields and {plain.itemsize} bytes"
