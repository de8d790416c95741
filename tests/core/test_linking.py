"""Late linking: kernels called by other kernels still work when called from Python."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.core import linking
from sackarmies_env.core.jit import INTERPRETED, LINKS_LATE, njit
from tests.core.toy_kernels import finish, lay_out, start

needs_compiler = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled in interpreted mode")


@njit
def add_one(x):
    return x + 1


@njit
def double_next(x):
    return 2 * add_one(x)


@njit
def both(x):
    return double_next(x) + add_one(x)


@njit
def power_of_half(x):
    return 0.5**x


@njit
def exact_or_power(x, exact):
    return 1.0 if exact else power_of_half(x)  # with a literal True, the call is pruned


@njit
def quarter_power(x):
    return 0.25 * power_of_half(x)


@njit
def power_over_exact(x):
    return exact_or_power(x, True) + quarter_power(x)


CALLED_LATER = """
from sackarmies_env.games.toy.inner import inner
from sackarmies_env.games.toy.outer import outer

print(outer(3), len(inner.overloads), inner.nopython_signatures == outer.nopython_signatures, bool(inner._translated))
print(inner(3), bool(inner._translated), outer(4))
"""


@needs_compiler
def test_this_numba_is_one_that_late_linking_was_tested_with():
    assert LINKS_LATE


@needs_compiler
def test_a_called_kernel_is_translated_only_until_python_calls_it(tmp_path):
    lay_out(tmp_path)  # its cache is empty: a caller loaded from a cache would not compile what it calls
    words, _ = finish(start(tmp_path, program=CALLED_LATER))
    assert words == ["40", "1", "True", "True", "4", "False", "50"]


@needs_compiler
def test_called_kernels_work_when_python_calls_them():
    assert both(np.int64(3)) == 12
    assert add_one(np.int64(3)) == 4
    assert double_next(np.int64(3)) == 8
    assert both(np.int64(4)) == 15


@needs_compiler
def test_a_kernel_that_one_caller_does_not_need_after_all_is_kept_for_another():
    assert power_over_exact(np.int64(2)) == 1.0625


@needs_compiler
def test_other_types_of_arguments_are_compiled_beside():
    assert both(1.5) == 7.5
    assert both(np.int64(1)) == 6


@needs_compiler
def test_a_record_type_has_a_short_name():
    dtype = np.dtype([(f"field_{i}", np.int64) for i in range(50)])

    @njit
    def read(records):
        return records[0].field_7

    assert read(np.ones(1, dtype)) == 1
    name = read.nopython_signatures[0].args[0].dtype.name
    assert name.startswith("Record_")
    assert len(name) < linking.LONG_NAME


def test_an_untested_numba_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr(linking.numba, "__version__", "1.99.0")
    assert linking.install() is False
