"""Tables that fit the terminal: the first of several styles that needs no folding, with a legend for long names."""

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
    """Return the width in columns at which a table folds nothing."""
    return UNLIMITED.measure(shown).maximum


def fitted(
    make: Callable[[Sequence[str], Style], RenderableType], styles: Sequence[Style], names: Sequence[str], width: int
) -> RenderableType:
    """Return a table in the first style that fits into `width` columns.

    Args:
        make: makes the table from the labels of its rows and a style.
        styles: from the widest to the narrowest; the last one is used if none fits.
        names: names of the rows. Labels are names with their places in front. Each style is tried with full names
            first, then with short labels and a legend below the table; if none fits, labels are places alone.
        width: width of the terminal.
    """
    full, short = numbered(names), numbered([name.partition(":")[0] for name in names])
    places = [str(place) for place in range(1, len(names) + 1)]
    for labels, style in [*((labels, style) for style in styles for labels in (full, short)), (places, styles[-1])]:
        table = make(labels, style)
        shown = table if labels is full else Group(table, *(Text(line, overflow="fold") for line in full), "")
        if natural_width(table) <= width:
            break
    return shown


def numbered(names: Sequence[str]) -> list[str]:
    """Return names with their places, counted from 1, in front."""
    return [f"{number} {name}" for number, name in enumerate(names, start=1)]


def plain_table() -> Table:
    """Return an empty table with few lines and little padding."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))


def titled(title: str, *parts: RenderableType) -> Group:
    """Group parts under a title, with an empty line after them; a table would fold a long title of its own."""
    return Group(Text(title, style="bold"), *parts, "")


def add_numbers(table: Table, titles: Iterable[str]) -> None:
    """Add columns of numbers, which are never folded."""
    for title in titles:
        table.add_column(Text(title), justify="right", no_wrap=True)
