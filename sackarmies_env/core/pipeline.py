"""Compiler pipelines of kernels: numba's own, with two more passes, `UnsignedIndices` and `BorrowedArrays`.

Python lets a negative index count from the end, so numba compares every signed index with zero before it is used. The
rules consist of little else than look-ups: those comparisons took a seventh of the time of a decision
(docs/decisions/0029-unsigned-indices.md). The first pass gives look-ups in arrays an unsigned index. A negative one
then lies beyond the end of every array: compiled with NUMBA_BOUNDSCHECK=1, as the tests in CI are, it is an IndexError.

With the second pass, kernels borrow the arrays that they are given and do not count references to them: the caller of
the first kernel holds them until it returns (docs/decisions/0040-borrowed-arrays.md). Kernels that cannot do without
counts are refused.
"""

from __future__ import annotations

from typing import Any

from numba import literal_unroll
from numba.core import ir
from numba.core import types as numba_types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import UnsupportedError
from numba.core.typed_passes import NoPythonSupportedFeatureValidation
from numba.core.typing.templates import Signature

types: Any = numba_types


def unsigned(index: Any) -> Any:
    """Return the type to which an index of this type is cast."""
    if isinstance(index, types.Integer) and index.signed:
        return types.uintp
    if isinstance(index, types.BaseTuple):
        return types.Tuple([unsigned(each) for each in index])
    return index


@register_pass(mutates_CFG=False, analysis_only=False)
class UnsignedIndices(FunctionPass):  # type: ignore[misc] # numba's types are skipped
    """A pass that makes all look-ups in arrays cast their indices to unsigned integers."""

    _name = "unsigned_indices"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Change the signatures of look-ups; return whether any was changed."""
        found = []
        for block in state.func_ir.blocks.values():
            found += [each for each in block.find_exprs("getitem") if self._change(state, each, each.value)]
            found += [each for each in block.find_insts(ir.SetItem) if self._change(state, each, each.target)]
        return bool(found)

    @staticmethod
    def _change(state: Any, look_up: Any, array: ir.Var) -> bool:
        """Change the signature of a look-up, if it is in an array by a signed index; return whether it was changed."""
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


# Expressions that pass on what exists already. Look-ups do so too, except those by arrays, which copy.
HANDING_ON = {"build_tuple", "cast", "exhaust_iter", "getattr", "getiter", "iternext", "phi", "static_getitem"}


@register_pass(mutates_CFG=False, analysis_only=False)
class BorrowedArrays(FunctionPass):  # type: ignore[misc] # numba's types are skipped
    """A pass that counts no references to arrays; it refuses kernels that make or return arrays, or call what does.

    This kernel alone is translated without counts: numba's option for that would reach all functions that it calls,
    those of users included, and what those hand out must be counted.
    """

    _name = "borrowed_arrays"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Check the types, then turn counting off.

        Raises:
            UnsupportedError: the kernel makes or returns values that must be counted.
        """
        if state.func_ir.is_generator or is_counted(state, state.return_type) or makes_counted(state):
            raise UnsupportedError(
                f"{state.func_id.func_qualname} makes or returns arrays, or calls a function that does: "
                "it must be `@njit(counted=True)`"
            )
        state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return True


def is_counted(state: Any, found: Any) -> bool:
    """Return whether numba counts references to values of a type: arrays, or what holds some."""
    try:
        return bool(state.targetctx.data_model_manager[found].contains_nrt_meminfo())
    except KeyError:  # a type that numba registers on demand, such as strings
        return True


def makes_counted(state: Any) -> bool:
    """Return whether an expression of a function makes a value that must be counted."""
    for block in state.func_ir.blocks.values():
        for assignment in block.find_insts(ir.Assign):
            made = assignment.value
            if not isinstance(made, ir.Expr) or made.op in HANDING_ON:
                continue
            if made.op == "getitem" and not holds_array(state.typemap[made.index.name]):
                continue
            if made.op == "call" and getattr(state.typemap[made.func.name], "typing_key", None) is literal_unroll:
                continue  # names of fields: constants
            found = state.calltypes[made].return_type if made.op == "call" else state.typemap[assignment.target.name]
            if is_counted(state, found):
                return True
    return False


def holds_array(found: Any) -> bool:
    """Return whether an index of a type is an array, or a tuple with one in it."""
    if isinstance(found, types.BaseTuple):
        return any(holds_array(each) for each in found)
    return isinstance(found, types.Array)


class CountingCompiler(CompilerBase):  # type: ignore[misc] # numba's types are skipped
    """numba's pipeline with unsigned indices."""

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(UnsignedIndices, NoPythonSupportedFeatureValidation)
        passes.finalize()
        return [passes]


class BorrowingCompiler(CompilerBase):  # type: ignore[misc] # numba's types are skipped
    """numba's pipeline with unsigned indices and borrowed arrays."""

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(UnsignedIndices, NoPythonSupportedFeatureValidation)
        passes.add_pass_after(BorrowedArrays, UnsignedIndices)
        passes.finalize()
        return [passes]
