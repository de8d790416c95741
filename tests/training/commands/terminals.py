"""The command line: its commands, its output in a terminal of a given width and in a pipe, and short games for it."""

import fcntl
import functools
import os
import pty
import struct
import subprocess
import sys
import termios

import typer

from sackarmies_training.cli import app
from sackarmies_training.commands.options import build_game

TURNS = 12  # of a short game
COMMAND = [sys.executable, "-c", "from sackarmies_training.cli import app; app(prog_name='sackarmies')"]
WITHOUT = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


def command_words():
    """Return the words of each command and group that is not hidden, without "sackarmies", which itself has none."""
    return _words_in(typer.main.get_command(app), [])


def _words_in(command, words):
    found = [] if command.hidden else [words]
    for name, child in getattr(command, "commands", {}).items():
        found += _words_in(child, [*words, name])
    return found


def environment(**variables):
    kept = {name: value for name, value in os.environ.items() if name not in WITHOUT}
    return kept | {"TERM": "xterm-256color"} | variables


def in_terminal(words, width, typed="", **variables):
    """Return what a command writes to a terminal of `width` columns in which `typed` is typed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    command = subprocess.Popen(
        [*COMMAND, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**variables), close_fds=True
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    output = b""
    while True:
        try:
            block = os.read(ours, 65536)
        except OSError:  # raised by Linux when the last writer has left
            block = b""
        if not block:
            break
        output += block
    os.close(ours)
    assert command.wait() == 0, output
    return output.decode().replace("\r\n", "\n")


def in_pipe(words, **variables):
    """Return what a command writes to pipes: stdout and stderr."""
    result = subprocess.run(
        [*COMMAND, *words], capture_output=True, text=True, env=environment(**variables), check=True
    )
    return result.stdout, result.stderr


def shorten_games(monkeypatch):
    """Truncate games that are watched, played or evaluated in this process after `TURNS` turns."""
    build = functools.partial(build_game, switches={"max_turns": TURNS})
    for module in ("evaluate", "play"):
        monkeypatch.setattr(f"sackarmies_training.commands.{module}.build_game", build)
