"""How the command line talks: where it prints, progress bars, and errors as sentences."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from typer.core import TyperGroup

USAGE_ERROR = 2
STOPPED = 130

console = Console()


class SentenceGroup(TyperGroup):
    """A group of commands that tells what is wrong with what the user gave in a sentence, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; a ValueError becomes a sentence on stderr and exit code 2."""
        try:
            return super().invoke(ctx)
        except ValueError as error:
            Console(stderr=True, soft_wrap=True, highlight=False).print(f"[bold red]Error:[/] {escape(str(error))}")
            raise typer.Exit(USAGE_ERROR) from None
        except KeyboardInterrupt:
            Console(stderr=True).print("Stopped.")
            raise typer.Exit(STOPPED) from None


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
