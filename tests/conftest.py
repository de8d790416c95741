"""What all tests share."""

import sys


def pytest_configure():
    """Keep absl, which OpenSpiel and others import, from closing pytest's own capture of stderr.

    absl keeps what stderr was when it was imported, and closes it when logging is configured anew, as uvicorn does.
    Environments for one library alone may be without it.
    """
    try:
        from absl import logging
    except ImportError:
        return
    logging.get_absl_handler().python_handler.stream = sys.__stderr__
