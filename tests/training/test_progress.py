"""Progress: bars on terminals, plain lines elsewhere."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from sackarmies_training import cli_errors
from sackarmies_training.cli_errors import games_bar, tell_resumed
from sackarmies_training.monitor import TrainingProgress

ERASE_LINE = "\x1b[2K"
STANDING = "20,480 decisions, won 45% against greedy, 12% against past, 99% against ppo:path=runs/quick/checkpoint.zip"


@pytest.fixture
def stderr(monkeypatch):
    """Return a function that sets up where progress goes and returns the stream."""

    def set_up(*, terminal, width=80):
        stream = io.StringIO()
        console = Console(file=stream, width=width, force_terminal=terminal, color_system=None)
        monkeypatch.setattr(cli_errors, "progress_console", console)
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
    fail(400)
    assert stream.getvalue().rsplit("0/400", 1)[1].count(ERASE_LINE) == 1
    stream = stderr(terminal=True)
    fail(400, 25)
    assert ERASE_LINE not in stream.getvalue().rsplit("25/400", 1)[1]
    stream = stderr(terminal=False)
    fail(400)
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("left", "sentence"),
    [
        (24, ""),
        (16, "Resuming: 8 of 24 games in runs/[/a] have been played.\n"),
        (0, "All 24 games in runs/[/a] have been played.\n"),
    ],
)
def test_games_played_before_are_told(stderr, left, sentence):
    stream = stderr(terminal=False)
    tell_resumed(Path("runs/[/a]"), 24, left)
    assert stream.getvalue() == sentence


@pytest.mark.parametrize("width", [80, 140])
def test_training_shows_the_time_left_and_the_whole_standing(width):
    progress = TrainingProgress(Console(file=io.StringIO(), force_terminal=True))
    progress.show(0.25, STANDING)
    console = Console(file=io.StringIO(), width=width)
    console.print(progress.get_renderable())
    bar, *standing = console.file.getvalue().splitlines()
    assert bar.startswith("training ") and "25%" in bar and bar.rstrip().endswith("left: -:--:--")
    assert " ".join(map(str.strip, standing)) == STANDING
    assert max(map(len, (bar, *standing))) <= width


def test_training_shows_no_bar_without_a_terminal():
    stream = io.StringIO()
    with TrainingProgress(Console(file=stream, width=80)) as progress:
        progress.show(0.25, STANDING)
    assert stream.getvalue() == ""
