"""Kernels are plain functions in interpreted mode, and are otherwise compiled with the options they ask for."""

import numpy as np
import pytest

from sackarmies_env.core import jit
from tests.core.toy_kernels import finish, lay_out, start


@pytest.fixture
def toy(tmp_path):
    lay_out(tmp_path)
    return tmp_path


def test_interpreted_kernels_are_plain_functions_and_wrap_without_a_warning(toy):
    program = """
import numpy as np
from sackarmies_env.core.jit import INTERPRETED, njit, wrapping_arithmetic
@njit
@wrapping_arithmetic
def triple(x):
    return x * np.uint64(3)
print(INTERPRETED, type(triple).__name__, triple(np.uint64(2**63)))
"""
    words, errors = finish(start(toy, program=program, NUMBA_DISABLE_JIT="1"))
    assert words == ["True", "function", str(2**63)]
    assert errors == ""


def test_wrapping_arithmetic_wraps():
    product = jit.wrapping_arithmetic(lambda x: x * np.uint64(3))
    with np.errstate(over="warn" if jit.INTERPRETED else "ignore"):
        assert product(np.uint64(2**63)) == 2**63


def test_inlined_kernels_do_what_they_say():
    @jit.njit(inlined=True)
    def double(x):
        return x + x

    @jit.njit
    def quadruple(x):
        return double(double(x))

    assert quadruple(3) == 12
    assert jit.INTERPRETED or double.targetoptions["forceinline"]
