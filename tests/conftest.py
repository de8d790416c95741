"""Pytest configuration for all tests."""

import sys


def pytest_configure():
    """Keep absl, which OpenSpiel and others import, from closing pytest's own capture of stderr.

    absl holds the stderr that was current at its import, and closes it when logging is reconfigured, as uvicorn does.
    Environments for a single library may lack absl.
    """
    try:
        from absl import logging
    except ImportError:
        return
    logging.get_absl_handler().python_handler.stream = sys.__stderr__
