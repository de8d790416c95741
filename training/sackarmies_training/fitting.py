"""Tables that fit the terminal: the first of several styles that needs no folding, and a legend of long names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sackarmies_training.terminal import PlainConsole

Style = TypeVar("Style")

UNLIMITED = PlainConsole(width=10_000)


def natural_width(shown: RenderableType) -> int:
    """Return the columns that a table takes where it need not fold anything."""
    return UNLIMITED.measure(shown).maximum


def fitted(
    make: Callable[[Sequence[str], Style], RenderableType], styles: Iterable[Style], names: Sequence[str], width: int
) -> RenderableType:
    """Return a table in the first style that fits into a terminal of so many columns.

    Args:
        make: makes it of the labels of its rows and a style.
        styles: from the widest to the narrowest; the last one is taken if none fits.
        names: what the rows are about. Labels are names with their places in front. In each style, short labels with a
            legend below the table are tried after full names.
        width: of the terminal.
    """
    full, short = numbered(names), numbered([name.partition(":")[0] for name in names])
    for style in styles:
        for labels in (full, short):
            table = make(labels, style)
            shown = table if labels is full else Group(table, *(Text(line, overflow="fold") for line in full), "")
            if natural_width(table) <= width:
                return shown
    return shown


def numbered(names: Sequence[str]) -> list[str]:
    """Return names with their places in front."""
    return [f"{number} {name}" for number, name in enumerate(names, start=1)]


def plain_table() -> Table:
    """Return an empty table with little around its columns."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))


def titled(title: str, *parts: RenderableType) -> Group:
    """Return what belongs together under a title, with an empty line after it; a table would fold a long title."""
    return Group(Text(title, style="bold"), *parts, "")


def add_numbers(table: Table, titles: Iterable[str]) -> None:
    """Add columns of numbers, which are never folded."""
    for title in titles:
        table.add_column(Text(title), justify="right", no_wrap=True)
