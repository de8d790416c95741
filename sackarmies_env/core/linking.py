"""Late linking: kernels called by kernels are translated once and optimized once, inside their entry point.

numba makes every function a separate library that links, optimizes and assembles all that it calls. In a call tree of
some twenty levels that work is repeated some twenty times: most of the first start-up went into machine code that never
runs. Here a kernel that is compiled *because another kernel calls it* is only translated; the entry point, which Python
calls, links what it reaches and optimizes the whole. If Python itself calls such a kernel later, it is compiled again
as an entry point.

This replaces parts of numba that are not its public interface. With a numba version that was not tested, `install` does
nothing: all works as in plain numba, but compiles more slowly (docs/decisions/0005-late-linking.md).
"""

from __future__ import annotations

import hashlib
import threading
from types import MethodType
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba.core import codegen, cpu, types
from numba.core.types import npytypes
from numba.core.types.misc import unliteral

TESTED_VERSIONS = ("0.68",)
LONG_NAME = 100  # characters of a type's name
SHORT_NAME = "Record_"  # and a digest, in place of a long name
KNOWN_BY_NAME = "NRT_"  # functions that a numba pass finds by name, to remove them in pairs


class CompileDepth(threading.local):
    """How many of our kernels are being compiled in this thread, each because the one before calls it."""

    value = 0


DEPTH = CompileDepth()


def is_nested() -> bool:
    """Return whether the kernel being compiled is one that another kernel calls."""
    return DEPTH.value > 1


def install() -> bool:
    """Prepare numba for late linking, once; return whether it was tested with this version of numba."""
    if not numba.__version__.startswith(TESTED_VERSIONS):
        return False
    library: Any = codegen.CPUCodeLibrary
    context: Any = cpu.CPUContext
    record: Any = npytypes.Record
    if not hasattr(library, "_finalize_now"):
        library._finalize_now = library.finalize
        library.finalize = _finalize
        library._optimize_linked_module = library._optimize_final_module
        library._optimize_final_module = _optimize_final_module
        context._get_executable_now = context.get_executable
        context.get_executable = _get_executable
        record._init_long_name = record.__init__
        record.__init__ = _init_short_name
        record._long_repr = record.__repr__
        record.__repr__ = _short_repr
    return True


def link_late(dispatcher: Any) -> None:
    """Make `dispatcher` only translate its kernel when it is compiled because another kernel calls it."""
    dispatcher._translated = set()
    dispatcher.compile = MethodType(_compile, dispatcher)
    dispatcher.add_overload = MethodType(_add_overload, dispatcher)
    dispatcher.get_call_template = MethodType(_get_call_template, dispatcher)


def _get_call_template(self: Any, args: Any, kws: Any) -> Any:
    """Type a call by the types of its arguments, not their values: a kernel is compiled once for `0`, `1` and `x`."""
    widened = [_widened(one) for one in args]
    return type(self).get_call_template(self, widened, {name: _widened(one) for name, one in kws.items()})


def _widened(argument: Any) -> Any:
    if isinstance(argument, types.IntegerLiteral | types.BooleanLiteral):
        return unliteral(argument)
    return argument.dtype if isinstance(argument, types.IntEnumMember) else argument


def _compile(self: Any, signature: Any) -> Any:
    arguments = tuple(numba.core.sigutils.normalize_signature(signature)[0])
    if DEPTH.value == 0 and arguments in self._translated:
        self._translated.discard(arguments)
        del self.overloads[arguments]
    DEPTH.value += 1
    self.targetoptions["no_cpython_wrapper"] = self.targetoptions["no_cfunc_wrapper"] = is_nested()
    try:
        return type(self).compile(self, signature)
    finally:
        DEPTH.value -= 1


def _add_overload(self: Any, result: Any) -> None:
    if is_nested():
        arguments = tuple(result.signature.args)
        self._translated.add(arguments)
        self.overloads[arguments] = result  # known to callers; never entered where Python would find it
    else:
        type(self).add_overload(self, result)


def _finalize(self: Any) -> None:
    if is_nested():
        self._is_translated = True
        self._finalized = True
        return
    callees_first: list[Any] = []
    _collect(self, {id(self)}, callees_first)
    # Callers come first: LLVM drops a function that nothing linked so far refers to.
    self._linking_libraries = callees_first[::-1]
    self._links_late = any(hasattr(library, "_is_translated") for library in callees_first)
    self._finalize_now()


def _optimize_final_module(self: Any) -> None:
    """Tell LLVM that nobody else calls what has been linked, so that it always inlines a function with one caller.

    LLVM may also change the parameters of such a function, so it must not be found by its name: the loader of machine
    code finds local names too, and would give it to other modules that expect its old parameters.
    """
    if self._links_late:
        functions = [function for function in self._final_module.functions if not function.is_declaration]
        entries = sorted(function.name for function in functions if function.linkage == Linkage.external)
        owner = hashlib.sha256(" ".join(entries).encode()).hexdigest()[:16]
        for function in functions:
            if function.linkage == Linkage.linkonce_odr and not function.name.startswith(KNOWN_BY_NAME):
                function.linkage = Linkage.internal
                function.name = f"{function.name}.{owner}"
    self._optimize_linked_module()


def _collect(library: Any, seen: set[int], callees_first: list[Any]) -> None:
    """Add all that `library` reaches to `callees_first`, each after what it calls itself."""
    for callee in library._linking_libraries:
        if id(callee) in seen:
            continue
        seen.add(id(callee))
        if hasattr(callee, "_is_translated"):
            _collect(callee, seen, callees_first)
        callees_first.append(callee)


def _get_executable(self: Any, library: Any, descriptor: Any, environment: Any) -> Any:
    library._ensure_finalized()
    if not hasattr(library, "_is_translated"):
        return self._get_executable_now(library, descriptor, environment)
    # A placeholder for the translated kernel, against which callers are typed; there is no machine code behind it.
    name = descriptor.qualname.rsplit(".", maxsplit=1)[-1]
    return cpu._dynfunc.make_function(descriptor.lookup_module(), name, "", 0, environment, (library,))


def _init_short_name(self: Any, fields: Any, size: int, aligned: bool) -> None:
    """Name a record type by a digest: its full description would appear in every symbol of the machine code."""
    self._init_long_name(fields, size, aligned)
    if len(self.name) > LONG_NAME:
        self.name = SHORT_NAME + hashlib.sha256(self.name.encode()).hexdigest()[:24]


def _short_repr(self: Any) -> str:
    """Show a record type by its name: numba asks for this text before and after each pass of each kernel."""
    return str(self.name) if self.name.startswith(SHORT_NAME) else str(self._long_repr())
