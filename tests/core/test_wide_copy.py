"""Rows of a table are copied whole under a mask."""

import numpy as np
import pytest

from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import alloc
from sackarmies_env.core.wide_copy import copy_row


@njit
def copy(records, row, mask, out, at):
    copy_row(records[0].table, np.int64(row), np.int8(mask), out, np.int64(at))


@pytest.mark.parametrize("width", [1, 7, 16, 48, 65])
@pytest.mark.parametrize("mask", [-1, 0, 5])
def test_row_is_written_under_its_mask_and_nothing_beside_it(width, mask):
    records = alloc(np.dtype([("table", np.int8, (4, width))]), 1)
    records["table"][0] = np.random.default_rng(width).integers(-128, 128, (4, width))
    out = np.full(width + 5, 99, np.int8)
    copy(records, 2, mask, out, 3)
    assert out[3 : 3 + width].tolist() == (records["table"][0, 2] & np.int8(mask)).tolist()
    assert out[:3].tolist() == [99] * 3
    assert out[3 + width :].tolist() == [99] * 2
