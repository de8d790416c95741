"""Copying of a whole row of small numbers at once: the compiler would copy rows of known length byte by byte."""

from __future__ import annotations

from typing import Any

from sackarmies_env.core.jit import INTERPRETED

if INTERPRETED:

    def copy_row(table: Any, row: Any, mask: Any, out: Any, at: Any) -> None:
        """Write `table[row] & mask` to `out` from `at` on."""
        out[at : at + table.shape[1]] = table[row] & mask

else:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator] # numba's types are skipped
    def copy_row(_context: Any, table: Any, row: Any, mask: Any, out: Any, at: Any) -> Any:
        """Write `table[row] & mask` to `out` from `at` on.

        Args:
            table: `(rows, width)` int8, a field of a record, so that its width is known to the compiler.
            row: int64.
            mask: int8; -1 copies all, 0 writes zeros.
            out: `(n,)` int8, contiguous.
            at: int64, not negative; there must be room for `width` numbers.
        """
        width = table.shape[1]

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            source, row, mask, target, at = arguments
            vector = ir.VectorType(ir.IntType(8), width)
            table_type, _, _, out_type, _ = signature.args
            rows = context.make_array(table_type)(context, builder, source).data
            target = context.make_array(out_type)(context, builder, target).data

            def address(data: Any, offset: Any) -> Any:
                return builder.bitcast(builder.gep(data, [offset]), vector.as_pointer())

            values = builder.load(address(rows, builder.mul(row, ir.Constant(row.type, width))), align=1)
            nothing = ir.Constant(vector, ir.Undefined)
            first = builder.insert_element(nothing, mask, ir.Constant(ir.IntType(32), 0))
            everywhere = ir.Constant(ir.VectorType(ir.IntType(32), width), None)
            masks = builder.shuffle_vector(first, nothing, everywhere)
            builder.store(builder.and_(values, masks), address(target, at), align=1)
            return context.get_dummy_value()

        return types.void(table, types.int64, types.int8, out, types.int64), emit
