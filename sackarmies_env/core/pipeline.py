"""The compiler pipeline of kernels: numba's own, with one pass more, by which indices count from the start.

Python lets a negative index count from the end, so numba compares every signed index with zero before it is used. The
rules are made of little else than look-ups: those comparisons took a seventh of the time of a decision
(docs/decisions/0029-unsigned-indices.md). The pass below gives look-ups in arrays an unsigned index. A negative one
then lies beyond the end of every array: compiled with NUMBA_BOUNDSCHECK=1, as the tests in CI are, it is an IndexError.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir
from numba.core import types as numba_types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
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


class KernelCompiler(CompilerBase):  # type: ignore[misc] # numba's types are skipped
    """numba's pipeline with `UnsignedIndices` before the translation to LLVM."""

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(UnsignedIndices, NoPythonSupportedFeatureValidation)
        passes.finalize()
        return [passes]
