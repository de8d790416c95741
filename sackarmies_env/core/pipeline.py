"""The compiler pipeline of kernels: numba's own, with two passes more. By the first, indices count from the start.

Python lets a negative index count from the end, so numba compares every signed index with zero before it is used. The
rules are made of little else than look-ups: those comparisons took a seventh of the time of a decision
(docs/decisions/0029-unsigned-indices.md). The pass below gives look-ups in arrays an unsigned index. A negative one
then lies beyond the end of every array: compiled with NUMBA_BOUNDSCHECK=1, as the tests in CI are, it is an IndexError.

Kernels borrow the arrays that they are given, and do not count who has them: whoever called the first kernel has them
until it returns. The second pass refuses kernels for which that would not do (docs/decisions/0040-borrowed-arrays.md).
"""

from __future__ import annotations

from typing import Any

from numba.core import ir
from numba.core import types as numba_types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import UnsupportedError
from numba.core.typed_passes import NoPythonSupportedFeatureValidation
from numba.core.typing.templates import Signature

types: Any = numba_types


def unsigned(index: Any) -> Any:
    """Return the type that an index of this type is used as."""
    if isinstance(index, types.Integer) and index.signed:
        return types.uintp
    if isinstance(index, types.BaseTuple):
        return types.Tuple([unsigned(each) for each in index])
    return index


@register_pass(mutates_CFG=False, analysis_only=False)
class UnsignedIndices(FunctionPass):  # type: ignore[misc] # numba's types are skipped
    """Let all look-ups in arrays cast their indices to unsigned integers."""

    _name = "unsigned_indices"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Change the signatures of look-ups; return whether there was one."""
        found = []
        for block in state.func_ir.blocks.values():
            found += [each for each in block.find_exprs("getitem") if self._change(state, each, each.value)]
            found += [each for each in block.find_insts(ir.SetItem) if self._change(state, each, each.target)]
        return bool(found)

    @staticmethod
    def _change(state: Any, look_up: Any, array: ir.Var) -> bool:
        """Change the signature of one look-up, if it is one in an array; return whether it was."""
        signature = state.calltypes[look_up]
        if not isinstance(state.typemap[array.name], types.Array):
            return False
        array_type, index, *rest = signature.args
        if unsigned(index) == index:
            return False
        del state.calltypes[look_up]  # entries cannot be replaced
        state.calltypes[look_up] = Signature(
            signature.return_type, (array_type, unsigned(index), *rest), signature.recvr
        )
        return True


def holds_array(found: Any) -> bool:
    """Return whether values of a type are arrays, or tuples that hold some."""
    if isinstance(found, types.BaseTuple):
        return any(holds_array(each) for each in found)
    return isinstance(found, types.Array)


@register_pass(mutates_CFG=False, analysis_only=True)
class BorrowedArrays(FunctionPass):  # type: ignore[misc] # numba's types are skipped
    """Refuse kernels that make arrays, return some or call what does, unless they count who has them."""

    _name = "borrowed_arrays"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at the types; return False: nothing is changed.

        Raises:
            UnsupportedError: the kernel borrows arrays, and that would not do.
        """
        if not state.flags.nrt:
            results = [state.calltypes[call].return_type for call in calls_of(state)]
            if any(holds_array(each) for each in (state.return_type, *results)):
                name = state.func_id.func_qualname
                raise UnsupportedError(
                    f"{name} makes or returns arrays, or calls a function that does: it must be `@njit(counted=True)`"
                )
        return False


def calls_of(state: Any) -> list[Any]:
    """Return all calls in a function whose types are known."""
    return [call for block in state.func_ir.blocks.values() for call in block.find_exprs("call")]


class KernelCompiler(CompilerBase):  # type: ignore[misc] # numba's types are skipped
    """numba's pipeline with both passes before the translation to LLVM."""

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(UnsignedIndices, NoPythonSupportedFeatureValidation)
        passes.add_pass_after(BorrowedArrays, NoPythonSupportedFeatureValidation)
        passes.finalize()
        return [passes]
