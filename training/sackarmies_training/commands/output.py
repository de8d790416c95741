"""Output of the command line: where it prints, progress bars, and errors as sentences.

Results go to stdout, progress and errors to stderr. If stderr is no terminal, progress is printed as plain lines.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import typer
from pydantic import ValidationError
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text
from typer.core import TyperArgument, TyperCommand, TyperGroup

from sackarmies_agents.conduct import Misconduct
from sackarmies_env.core.messages import join_faults, missing_extra
from sackarmies_env.core.validation import explain
from sackarmies_training.terminal import PlainConsole, console, progress_console

# Panels of the help in which commands are listed.
COMPETE = "Training and competition"
TABLE = "Single games"
DATA = "Tokens, armies, scenarios, records"

FAILED = 1
USAGE_ERROR = 2
STOPPED = 130
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

TOLD = 10  # total number of progress lines without a terminal


class PlainCommand(TyperCommand):
    """A command whose help names no Python types."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters."""
        return _without_types(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands whose help names no Python types."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters."""
        return _without_types(super().get_params(ctx))


class SentenceGroup(PlainGroup):
    """A group of commands that reports errors of the user's input as sentences, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command.

        A ValueError, an agent that raised an exception, or a library that is not installed becomes a sentence on stderr
        with exit code 2; an OSError becomes one with exit code 1.
        """
        try:
            return super().invoke(ctx)
        except ValidationError as error:
            complain(join_faults(explain(error.errors(include_url=False), None, error.title)))
            raise typer.Exit(USAGE_ERROR) from None
        except ValueError as error:
            complain(str(error))
            raise typer.Exit(USAGE_ERROR) from None
        except Misconduct as error:
            complain(f"an agent {error}")
            raise typer.Exit(USAGE_ERROR) from None
        except ImportError as error:
            sentence = missing_extra(error, f"`sackarmies {ctx.invoked_subcommand or ''}`")
            if not sentence:
                raise
            complain(sentence)
            raise typer.Exit(USAGE_ERROR) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader has closed the pipe: typer handles that
                raise
            complain(_sentence(error))
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            progress_console.print("Stopped.")
            raise typer.Exit(STOPPED) from None


def _without_types(params: list[Any]) -> list[Any]:
    """Return parameters whose help names no Python types: options without a value, arguments with a name."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
        elif isinstance(param, TyperArgument):
            param.display_type_rich = _no_type  # type: ignore[method-assign] # typer has no setting for it
    return params


def _no_type(ctx: Any) -> None:
    return None


def complain(sentence: str) -> None:
    """Print an error to stderr."""
    sentence_console = PlainConsole(stderr=True, soft_wrap=True, highlight=False)
    sentence_console.print(Text.assemble(("Error:", "bold red"), " ", sentence))


def _sentence(error: OSError) -> str:
    place = "" if error.filename is None else f"{error.filename}: "
    advice = "; what was there before is intact, resume when there is room" if error.errno in NO_ROOM else ""
    return f"{place}{error.strerror or error}{advice}"


def print_resumed(folder: Path, total: int, left: int) -> None:
    """Print how many games of a contest were played before, if any."""
    if left < total:
        told = f"Resuming: {total - left} of {total} games" if left else f"All {total} games"
        progress_console.print(f"{told} in {folder} have been played.", markup=False, highlight=False, soft_wrap=True)


def print_without_replay(faults: Iterable[str]) -> None:
    """Print why games have no page."""
    for fault in faults:
        console.print(f"A game without a replay: {fault}", highlight=False, markup=False, soft_wrap=True)


@contextlib.contextmanager
def games_bar(total: int, noun: str = "games", done: str = "played") -> Iterator[Callable[[int], None]]:
    """Show progress of games, or of something else; yield a function to call with the number that have ended.

    Nothing is shown if there is nothing to play, and nothing remains of a bar that an error ends before the first game.
    The bar opens with the first call, which may pass 0, so that notices of compiling come before it.
    """
    if not total:
        yield lambda games: None
    elif not progress_console.is_terminal:
        yield _plain_progress(total, noun, done)
    else:
        columns = (
            TextColumn(noun),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(elapsed_when_finished=False),
        )
        progress = Progress(*columns, console=progress_console, expand=True)
        task = progress.add_task("", total=total)

        def advance(games: int) -> None:
            progress.start()
            progress.advance(task, games)

        try:
            yield advance
        except BaseException:
            progress.live.transient = not progress.tasks[0].completed
            raise
        finally:
            progress.stop()


def _plain_progress(total: int, noun: str, done: str) -> Callable[[int], None]:
    """Return a function that prints a line whenever another part of the total has ended."""
    ended = 0

    def advance(count: int) -> None:
        nonlocal ended
        before, ended = ended, ended + count
        if ended * TOLD // total > before * TOLD // total:
            progress_console.print(f"{ended} of {total} {noun} {done}", highlight=False)

    return advance
