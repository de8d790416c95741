"""Kernels index from the start only; arrays are borrowed, or reference-counted if a kernel makes or returns them."""

import sys

import numba
import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED, njit
from sackarmies_env.core.state import as_records
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
    records = as_records(np.zeros(5, [("values", np.int8, (4,))]))
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
def returning_perhaps(numbers):
    return numbers[1:] if numbers[0] == 0 else None


@njit
def yielding(numbers):
    yield numbers[1:]


@njit
def calling(numbers):
    return row_of(numbers, slice(1, 2))[0]


@njit
def calling_perhaps(numbers):
    return perhaps(numbers) is None


@njit
def making(numbers):
    return len(np.empty(len(numbers)))


@njit
def computing(numbers):
    return (numbers + 1)[0]


@njit
def choosing(numbers):
    return len(numbers[numbers > 0])


@njit
def listing(numbers):
    return len([numbers[0], 1])


@njit(counted=True)
def perhaps(numbers):
    return numbers[1:] if numbers[0] == 0 else None


@numba.njit
def same(numbers):
    return numbers


@numba.njit
def first(numbers):
    return same(numbers)[0]


@njit
def first_by_users_functions(numbers):
    return first(numbers)


@numba.njit
def ask_again_and_again(times):
    numbers = np.ones(1000)
    for _ in range(times):
        last = same(numbers)
    return numbers.sum() + len(np.zeros(1000)) + last[0]


@numba.njit
def sum_by_all_ways(table, times):
    total = 0
    for _ in range(times):
        for row in range(len(table)):
            total += row_of(table, row).sum()
        total += sum_of_rows(table)
    return total


def test_arrays_live_as_long_as_they_are_referenced():
    table = np.arange(12).reshape(3, 4)
    sum_by_all_ways(table.copy(), 1)  # compiling keeps a reference to its argument
    before = sys.getrefcount(table)
    sums = sum_by_all_ways(table, 50), sum_of_rows(table)
    after = sys.getrefcount(table)  # not within `assert`, which holds references itself
    assert after == before
    assert sums == (2 * 50 * 66, 66)
    row = row_of(table, 1)
    del table
    assert row.tolist() == [4, 5, 6, 7]


def test_functions_of_users_count_even_if_a_kernel_was_the_first_to_call_them():
    numbers = np.ones(3)
    assert first_by_users_functions(numbers) == 1
    assert ask_again_and_again(3) == 2001
    before = sys.getrefcount(numbers)
    kept = same(numbers)
    after = sys.getrefcount(numbers)
    assert after == before + 1
    assert kept is numbers


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
@pytest.mark.parametrize(
    "kernel",
    [returning, returning_perhaps, yielding, calling, calling_perhaps, making, computing, choosing, listing],
)
def test_kernels_that_would_make_or_hand_out_arrays_uncounted_are_refused(kernel):
    sentence = "makes or returns arrays, or calls a function that does: it must be `@njit.counted=True.`"
    with pytest.raises(numba.errors.UnsupportedError, match=f"{kernel.__name__} {sentence}"):
        kernel(np.arange(3))
