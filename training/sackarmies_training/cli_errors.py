"""How the command line talks: where it prints, progress bars, and errors as sentences."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable, Iterator
from typing import Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text
from typer.core import TyperGroup

from sackarmies_training.terminal import PlainConsole

FAILED = 1
USAGE_ERROR = 2
STOPPED = 130
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

console = PlainConsole()


class SentenceGroup(TyperGroup):
    """A group of commands that tells what is wrong with what the user gave in a sentence, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; a ValueError becomes a sentence on stderr and exit code 2, an OSError one and exit code 1."""
        try:
            return super().invoke(ctx)
        except ValueError as error:
            _complain(str(error))
            raise typer.Exit(USAGE_ERROR) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever reads has left: typer's own business
                raise
            _complain(_sentence(error))
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            PlainConsole(stderr=True).print("Stopped.")
            raise typer.Exit(STOPPED) from None


def _complain(sentence: str) -> None:
    sentence_console = PlainConsole(stderr=True, soft_wrap=True, highlight=False)
    sentence_console.print(Text.assemble(("Error:", "bold red"), " ", sentence))


def _sentence(error: OSError) -> str:
    place = "" if error.filename is None else f"{error.filename}: "
    advice = "; what was there before is intact, go on when there is room" if error.errno in NO_ROOM else ""
    return f"{place}{error.strerror or error}{advice}"


@contextlib.contextmanager
def games_bar(total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar of games; the block is given what to call with the number of games that ended."""
    columns = (
        TextColumn("games"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(elapsed_when_finished=False),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=total)
        yield lambda games: progress.advance(task, games)
