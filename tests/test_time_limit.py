"""Time limit of tests: a test that hangs, even in compiled code, fails after the limit set in pyproject.toml."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HANGS = """
import numpy as np
from sackarmies_env.core.jit import njit

@njit
def spin(out):
    while out[0] >= 0:
        out[0] = out[0] * 3 % 1000

def test_before():
    pass

def test_hangs():
    spin(np.ones(1, np.int64))

def test_after():
    pass
"""


def run_hang(folder, *arguments):
    """Run three tests, one of which hangs, with our settings but a limit of 5 s; return exit code and output."""
    place = folder / "test_planted.py"
    place.write_text(HANGS)
    settings = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder), "-p", "no:cacheprovider"]
    # the limit counts from the start of a test, so it includes compiling `spin`; that makes no difference
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *settings, *arguments, str(place)],
        env={
            **os.environ,
            "PYTEST_TIMEOUT": "5",
            "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
            "SACKARMIES_CACHE_DIR": str(folder / "cache"),
        },
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_each_test_has_a_limit_of_time(request, pytestconfig):
    assert float(pytestconfig.getini("timeout")) >= 600
    assert pytestconfig.getini("timeout_method") == "thread"
    assert request.config.pluginmanager.hasplugin("timeout")


@pytest.mark.slow
def test_hang_in_compiled_code_is_reported(tmp_path):
    code, output = run_hang(tmp_path, "-n", "0")
    assert code == 1
    assert "Timeout" in output
    assert "spin(np.ones(1, np.int64))" in output or "in test_hangs" in output


@pytest.mark.slow
def test_hang_beside_other_workers_is_reported_and_the_others_go_on(tmp_path):
    code, output = run_hang(tmp_path, "-n", "1", "-v")
    assert code == 1
    assert "crashed while running" in output
    assert "test_hangs" in output
    assert "1 failed, 2 passed" in output
