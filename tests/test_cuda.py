"""CUDA kernels, which must compile even without a device: `make cuda` runs these tests."""

from __future__ import annotations

import pytest

from benchmarks import cuda
from sackarmies_env import load_game

with_compiler = pytest.mark.skipif(not cuda.is_installed(), reason=cuda.MISSING)


@with_compiler
@pytest.mark.parametrize(
    ("game", "kernel"),
    [
        ("territories", "observe"),
        pytest.param("sack_armies", "observe", marks=pytest.mark.slow),
        pytest.param("territories", "play", marks=pytest.mark.slow),
    ],
)
def test_kernels_are_compiled_and_assembled(game, kernel):
    ptx = cuda.compile_ptx(load_game(game), kernel)
    assert ptx.count(".visible .entry") == 1
    assert ".extern .func" not in ptx  # no call to a function that a device lacks
    assert cuda.assemble(ptx).startswith("used ")


@pytest.mark.parametrize(("game", "kernel"), [("territories", "observe"), ("sack_armies", "observe")])
def test_a_device_gives_the_results_of_the_processor(game, kernel):
    if not cuda.is_installed():
        pytest.skip(cuda.MISSING)
    from numba import cuda as device

    if not device.is_available():
        pytest.skip("this machine has no GPU")
    assert cuda.run_on_device(load_game(game), kernel, 1_000).endswith("results the same")


@with_compiler
def test_numba_is_left_as_it_was():
    from numba.cuda import dispatcher
    from numba.cuda.typing import arraydecl

    before = (
        dispatcher.get_current_device,
        dispatcher.CUDADispatcher.get_call_template,
        arraydecl.get_array_index_type,
    )
    with cuda.adapted(cuda.CAPABILITY):
        assert dispatcher.get_current_device().compute_capability == cuda.CAPABILITY
    after = (
        dispatcher.get_current_device,
        dispatcher.CUDADispatcher.get_call_template,
        arraydecl.get_array_index_type,
    )
    assert after == before


@pytest.mark.skipif(cuda.is_installed(), reason="numba-cuda is installed")
def test_missing_compiler_error_says_what_to_do():
    with pytest.raises(ModuleNotFoundError, match="make cuda"):
        cuda.compile_ptx(load_game("territories"), "observe")
