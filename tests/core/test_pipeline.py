"""Indices in kernels count from the start; arrays are borrowed, or counted where a kernel makes or returns them."""

import sys

import numba
import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED, njit
from tests.core.toy_kernels import finish, lay_out, start

LAST = """
import numpy as np
from sackarmies_env.core.jit import njit

@njit
def last(numbers, place):
    return numbers[place]

@njit
def change(table, row, column):
    table[row, column] = 7

try:
    print(last(np.arange(5), -1))
except IndexError:
    print("refused")
try:
    change(np.zeros((2, 3)), 1, -1)
    print("changed")
except IndexError:
    print("refused")
"""


@njit
def look_up(numbers, table, records, row, column):
    numbers[row] += 1
    table[row, column] = numbers[row]
    table[row][column + 1] = 5
    records[row].values[column] = 3
    return numbers[row] + table[row, column] + table[row:, column].sum() + records[row].values[column]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.uint64])
def test_signed_and_unsigned_indices_find_the_same_elements(dtype):
    numbers, table = np.arange(5), np.zeros((5, 4), np.int64)
    records = np.zeros(5, [("values", np.int8, (4,))]).view(np.recarray if INTERPRETED else np.ndarray)
    row, column = dtype(2), dtype(1)
    assert look_up(numbers, table, records, row, column) == 12
    assert numbers.tolist() == [0, 1, 3, 3, 4]
    assert table[2].tolist() == [0, 3, 5, 0]
    assert records["values"][2].tolist() == [0, 3, 0, 0]


def test_negative_indices_are_refused_where_bounds_are_checked(tmp_path):
    lay_out(tmp_path)
    words, _ = finish(start(tmp_path, program=f"SOURCE = {LAST!r}\nexec(SOURCE)", NUMBA_BOUNDSCHECK="1"))
    assert words == ["refused", "refused"]


# --- borrowed arrays


@njit(counted=True)
def row_of(table, row):
    return table[row]


@njit(counted=True)
def sum_of_copy(numbers):
    copy = np.empty(len(numbers), np.int64)
    copy[:] = numbers
    return copy.sum()


@njit
def sum_of_rows(table):
    total = 0
    for row in range(len(table)):
        total += sum_of_copy(table[row])
    return total


@njit
def returning(numbers):
    return numbers, 1


@njit
def calling(table):
    return row_of(table, 0)[0]


@njit
def making(count):
    return len(np.empty(count))


@numba.njit
def sum_by_all_ways(table, times):
    total = 0
    for _ in range(times):
        for row in range(len(table)):
            total += row_of(table, row).sum()
        total += sum_of_rows(table)
    return total


def test_arrays_are_there_as_long_as_somebody_has_them():
    table = np.arange(12).reshape(3, 4)
    sum_by_all_ways(table.copy(), 1)  # compiling keeps what it is compiled for
    before = sys.getrefcount(table)
    sums = sum_by_all_ways(table, 50), sum_of_rows(table)
    after = sys.getrefcount(table)  # not within `assert`, which has references of its own
    assert after == before
    assert sums == (2 * 50 * 66, 66)
    row = row_of(table, 1)
    del table
    assert row.tolist() == [4, 5, 6, 7]


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
@pytest.mark.parametrize(("kernel", "argument"), [(returning, np.arange(3)), (calling, np.eye(2))])
def test_kernels_that_would_hand_out_borrowed_arrays_are_refused(kernel, argument):
    with pytest.raises(numba.errors.UnsupportedError, match="makes or returns arrays, or calls a function that does"):
        kernel(argument)


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_kernels_that_make_arrays_nobody_would_free_are_refused():
    with pytest.raises(numba.errors.TypingError, match=r"np\.empty"):
        making(3)
