"""What all tests share."""

import sys


def pytest_configure():
    """Keep absl, which OpenSpiel and others import, from closing pytest's own capture of stderr.

    absl keeps the stderr of the moment it was imported, and closes it when logging is reconfigured, as uvicorn does.
    Environments for a single library may lack absl.
    """
    try:
        from absl import logging
    except ImportError:
        return
    logging.get_absl_handler().python_handler.stream = sys.__stderr__
