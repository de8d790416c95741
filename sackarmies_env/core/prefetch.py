"""Prefetching of states: the next game's state is loaded into the cache while this one is played."""

from __future__ import annotations

from typing import Any

from sackarmies_env.core.jit import INTERPRETED

LINE = 64  # bytes that are loaded at once
FOR_READING, IN_ALL_CACHES, DATA = 0, 3, 1  # arguments of LLVM's prefetch

if INTERPRETED:

    def prefetch(record: Any) -> None:
        """Do nothing: only machine code benefits."""

else:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator] # numba's types are skipped
    def prefetch(typing_context: Any, record: Any) -> Any:
        """Request all cache lines of a record, without waiting for them."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            byte, number = ir.IntType(8), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), number, number, number])
            function = builder.module.declare_intrinsic("llvm.prefetch", [byte.as_pointer()], kind)
            start = builder.bitcast(arguments[0], byte.as_pointer())
            options = [ir.Constant(number, value) for value in (FOR_READING, IN_ALL_CACHES, DATA)]
            for offset in range(0, record.size, LINE):
                builder.call(function, [builder.gep(start, [ir.Constant(number, offset)]), *options])
            return context.get_dummy_value()

        return types.void(record), emit
