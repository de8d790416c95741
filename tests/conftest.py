"""Pytest configuration for all tests."""

import functools
import os
import sys

# Tests run side by side: with a thread for each core in each of them, PyTorch's threads mostly wait for each other, and
# tests that learn take three times as long. It is read when torch is imported, here and in processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_configure():
    """Adapt libraries to many tests in one process."""
    keep_stderr_open()
    build_commands_once()


def build_commands_once():
    """Keep the click commands of a Typer, which `CliRunner.invoke` would build anew for each call.

    A test that adds commands must use a Typer of its own, and add them before it invokes any.
    Environments for a single library may lack typer.
    """
    try:
        from typer import testing
    except ImportError:
        return
    testing._get_command = functools.cache(testing._get_command)


def keep_stderr_open():
    """Keep absl, which OpenSpiel and others import, from closing pytest's own capture of stderr.

    absl holds the stderr that was current at its import, and closes it when logging is reconfigured, as uvicorn does.
    Environments for a single library may lack absl.
    """
    try:
        from absl import logging
    except ImportError:
        return
    logging.get_absl_handler().python_handler.stream = sys.__stderr__
