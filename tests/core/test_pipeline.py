"""Indices in kernels count from the start."""

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
