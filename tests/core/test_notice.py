"""Compile notices: what and why, one line with a counter on a terminal, nothing from pool workers."""

import io
import os
import sys
import time
from types import SimpleNamespace

import pytest

from sackarmies_env.core import notice


class Terminal(io.StringIO):
    """A stand-in for stderr that may or may not be a terminal."""

    def __init__(self, is_terminal):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal


@pytest.fixture
def listener(monkeypatch):
    monkeypatch.setattr(notice, "DELAY", 0.05)
    monkeypatch.setattr(notice, "time", SimpleNamespace(monotonic=lambda: 7.0))  # compiling takes no time
    return notice.CompileNotice()


def compiling(name, cache=None, module="sackarmies_env.games.toy.outer"):
    """Return a numba event about a kernel."""
    cache = SimpleNamespace(reason="first use") if cache is None else cache
    function = SimpleNamespace(__module__=module, __qualname__=name)
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(_cache=cache, py_func=function)})


def compile_until(is_done, listener, name="outer"):
    """Send the events of compiling an entry point that calls one kernel; finish it once `is_done()`."""
    listener.on_start(compiling(name))
    listener.on_start(compiling("inner"))
    listener.on_end(compiling("inner"))
    deadline = time.monotonic() + 60
    while not is_done():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    listener.on_end(compiling(name))


def said_all(listener):
    """Return a function that says whether a listener without a terminal has nothing more to say."""
    return lambda: listener._thread is None or not listener._thread.is_alive()


def at_once():
    return True


def test_notice_names_each_kernel_and_the_reason_once_where_stderr_is_no_terminal(listener, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal(False))
    compile_until(said_all(listener), listener)
    compile_until(said_all(listener), listener)  # for other types of arguments
    compile_until(said_all(listener), listener, "another")
    assert sys.stderr.getvalue().splitlines() == [
        "sackarmies-env: compiling toy.outer.outer (first use); the result is cached, "
        "and `sackarmies warmup` compiles everything in advance ...",
        "sackarmies-env: compiling toy.outer.another (first use) ...",
    ]
    assert listener.num_compiled == 6


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (80, "Compiling outer (first use): 1 function, 0 s"),
        (37, "Compiling outer (fi: 1 function, 0 s"),
    ],
)
def test_notice_counts_on_a_terminal_within_its_width_and_leaves_a_clean_line(listener, monkeypatch, width, line):
    monkeypatch.setattr(sys, "stderr", Terminal(True))
    monkeypatch.setattr(sys, "__stderr__", sys.stderr)
    # Only in this module: pytest also asks for the width of the terminal.
    monkeypatch.setattr(notice, "shutil", SimpleNamespace(get_terminal_size=lambda: os.terminal_size((width, 24))))
    compile_until(lambda: line in sys.stderr.getvalue().split("\r"), listener)
    lines = sys.stderr.getvalue().split("\r")
    assert lines[0] == ""
    assert set(lines[1:-1]) <= {line, line.replace("1", "0")}  # the latter if the first kernel was slow
    assert lines[-1] == "\033[K"


def test_no_notice_for_short_compilations_and_other_packages(listener, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal(False))
    monkeypatch.setattr(notice, "DELAY", 60.0)
    compile_until(at_once, listener)
    monkeypatch.setattr(notice, "DELAY", 0.0)
    theirs = compiling("theirs", cache=object())
    listener.on_start(theirs)
    assert listener._thread is None
    listener.on_end(theirs)
    assert sys.stderr.getvalue() == ""
    assert listener.num_compiled == 2


def test_workers_and_windowed_programs_are_silent(listener, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal(False))
    monkeypatch.setattr(notice.multiprocessing, "parent_process", lambda: "parent")
    compile_until(said_all(listener), listener)
    notice.note("text")
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(notice.multiprocessing, "parent_process", lambda: None)
    notice.note("text")
    assert sys.stderr.getvalue() == "sackarmies-env: text\n"
    monkeypatch.setattr(sys, "stderr", None)
    compile_until(said_all(listener), listener)
    notice.note("text")
    assert listener.num_compiled == 4
