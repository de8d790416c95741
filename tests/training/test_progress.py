"""Progress: bars on terminals, plain lines elsewhere."""

import io
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from sackarmies_env.core import notice
from sackarmies_training.commands import output
from sackarmies_training.commands.output import games_bar, print_resumed
from sackarmies_training.config import ImitationSection
from sackarmies_training.loggers import Loggers
from sackarmies_training.progress import TrainingProgress
from sackarmies_training.terminal import PlainConsole
from sackarmies_training.train_ppo import imitation_bar

ERASE_LINE = "\x1b[2K"
STANDING = "20,480 decisions, won 45% against greedy, 12% against past, 99% against ppo:path=runs/quick/checkpoint.zip"


@pytest.fixture
def stderr(monkeypatch):
    """Return a function that directs progress to a stream and returns the stream."""

    def set_up(*, terminal, width=80):
        stream = io.StringIO()
        console = PlainConsole(file=stream, width=width, force_terminal=terminal, color_system=None)
        monkeypatch.setattr(output, "progress_console", console)
        return stream

    return set_up


def play(total, *steps):
    with games_bar(total) as progress:
        for games in steps:
            progress(games)


def fail(total, *steps):
    with pytest.raises(ValueError), games_bar(total) as progress:
        for games in steps:
            progress(games)
        raise ValueError


@pytest.mark.parametrize("terminal", [True, False])
def test_nothing_is_shown_where_nothing_is_to_be_played(stderr, terminal):
    stream = stderr(terminal=terminal)
    play(0)
    assert stream.getvalue() == ""


def test_bar_with_the_time_left_on_a_terminal(stderr):
    stream = stderr(terminal=True)
    play(400, 100, 300)
    assert "400/400 left: 0:00:00" in stream.getvalue()


def test_plain_lines_without_a_terminal(stderr):
    stream = stderr(terminal=False)
    play(400, *[1] * 400)
    lines = [f"{games} of 400 games played" for games in range(40, 401, 40)]
    assert stream.getvalue().splitlines() == lines


def test_empty_bar_is_erased_when_an_error_follows(stderr):
    stream = stderr(terminal=True)
    fail(400, 0)
    assert stream.getvalue().rsplit("0/400", 1)[1].count(ERASE_LINE) == 1
    stream = stderr(terminal=True)
    fail(400, 25)
    assert ERASE_LINE not in stream.getvalue().rsplit("25/400", 1)[1]
    stream = stderr(terminal=False)
    fail(400)
    assert stream.getvalue() == ""


def test_bar_opens_with_the_first_call(stderr):
    stream = stderr(terminal=True)
    with games_bar(400) as progress:
        assert stream.getvalue() == ""
        progress(0)
        assert "0/400" in stream.getvalue()
    stream = stderr(terminal=True)
    fail(400)
    assert stream.getvalue() == ""


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self):
        return True


def compile_slowly(listener):
    """Send the events of the compiler for a kernel that takes a while."""
    kernel = SimpleNamespace(
        _cache=SimpleNamespace(reason="first use"), py_func=SimpleNamespace(__module__="toy", __qualname__="outer")
    )
    told = SimpleNamespace(data={"dispatcher": kernel})
    listener.on_start(told)
    time.sleep(0.6)
    listener.on_end(told)


def bar_of_games():
    return games_bar(2)


def bar_of_training():
    return TrainingProgress(output.progress_console)


def bar_of_imitation():
    section = ImitationSection(teacher="random", decisions=1)
    return imitation_bar(output.progress_console, section, Loggers([]))


@pytest.mark.parametrize("bar", [bar_of_games, bar_of_training, bar_of_imitation])
def test_compiling_under_a_bar_is_a_plain_line(monkeypatch, bar):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "__stderr__", stream)
    monkeypatch.setattr(notice, "DELAY", 0.05)
    console = PlainConsole(file=stream, width=200, force_terminal=True, color_system=None)
    monkeypatch.setattr(output, "progress_console", console)
    listener = notice.CompileNotice()
    with bar() as progress:
        if bar is bar_of_games:
            progress(0)
        compile_slowly(listener)
    text = stream.getvalue()
    assert text.count("sackarmies-env: compiling toy.outer (first use)") == 1
    assert "\\r" not in text and "\\x1b" not in text
    compile_slowly(listener)
    assert "\rCompiling outer (first use): 0 functions" in stream.getvalue()


@pytest.mark.parametrize(
    ("left", "sentence"),
    [
        (24, ""),
        (16, "Resuming: 8 of 24 games in runs/[/a] have been played.\n"),
        (0, "All 24 games in runs/[/a] have been played.\n"),
    ],
)
def test_games_played_before_are_reported(stderr, left, sentence):
    stream = stderr(terminal=False)
    print_resumed(Path("runs/[/a]"), 24, left)
    assert stream.getvalue() == sentence


@pytest.mark.parametrize("width", [80, 140])
def test_training_shows_the_time_left_and_the_whole_standing(width):
    progress = TrainingProgress(PlainConsole(file=io.StringIO(), force_terminal=True))
    progress.show(0.25, STANDING)
    console = PlainConsole(file=io.StringIO(), width=width)
    console.print(progress.get_renderable())
    bar, *standing = console.file.getvalue().splitlines()
    assert bar.startswith("training ") and "25%" in bar and bar.rstrip().endswith("left: -:--:--")
    assert " ".join(map(str.strip, standing)) == STANDING
    assert max(map(len, (bar, *standing))) <= width


def test_training_shows_no_bar_without_a_terminal():
    stream = io.StringIO()
    with TrainingProgress(PlainConsole(file=stream, width=80)) as progress:
        progress.show(0.25, STANDING)
    assert stream.getvalue() == ""
