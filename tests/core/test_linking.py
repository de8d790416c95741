"""Late linking: kernels called by kernels still work when called from Python, and their errors still show."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.core import linking
from sackarmies_env.core.jit import INTERPRETED, LINKS_LATE, njit

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


@needs_compiler
def test_this_numba_is_one_that_late_linking_was_tested_with():
    assert LINKS_LATE


@needs_compiler
def test_a_called_kernel_is_translated_only_until_python_calls_it():
    assert both(np.int64(3)) == 12
    if add_one.overloads:  # otherwise its caller came whole from the compile cache
        assert len(add_one.overloads) == 1
        assert add_one.nopython_signatures == list(both.nopython_signatures)
        assert add_one._translated
    assert add_one(np.int64(3)) == 4
    assert not add_one._translated
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
