"""What all tests share."""

import sys

from absl import logging


def pytest_configure():
    """Keep absl, which OpenSpiel and others import, from closing pytest's own capture of stderr.

    absl keeps what stderr was when it was imported, and closes it when logging is configured anew, as uvicorn does.
    """
    logging.get_absl_handler().python_handler.stream = sys.__stderr__
