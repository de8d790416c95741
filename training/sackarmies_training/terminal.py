"""Terminal output: untrusted text is printed literally."""

from __future__ import annotations

import math
import os
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from sackarmies_env.core.messages import printable


class PlainConsole(Console):
    """A console for untrusted text: names of agents, folders and files, reasons of forfeits.

    Text is never read as markup or emoji codes, and characters that control a terminal or are invisible are written
    out. Styles are given as `rich.text.Text`. Only this class makes text safe: nothing may be escaped before.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text as it is to be printed."""
        return super().render_str(safe(text), **{**options, "markup": False, "emoji": False})

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is to be printed; what did not come from `render_str` is made safe here."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=safe(segment.text))


console = PlainConsole()
progress_console = PlainConsole(stderr=True)


def safe(text: str) -> str:
    """Return a text of one or more lines with its control and invisible characters written out."""
    return "\n".join(printable(line) for line in text.split("\n"))


def write(console: Console, text: str, width: int, indent: str = "") -> None:
    """Print untrusted text, wrapped at a width; `indent` is put before all but the first line of a paragraph."""
    for line in text.split("\n"):
        for part in textwrap.wrap(line, width, subsequent_indent=indent) or [""]:
            console.print(part, markup=False, highlight=False, soft_wrap=True)


def clears_screen() -> bool:
    """Return whether stdout is a terminal that can be cleared."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def in_columns(texts: Sequence[str], width: int) -> list[str]:
    """Arrange texts in as many columns as fit, read downward; return the lines."""
    cell = max(map(len, texts), default=0) + 3
    rows = math.ceil(len(texts) / max(1, (width + 3) // cell))
    return ["".join(text.ljust(cell) for text in texts[row::rows]).rstrip() for row in range(rows)]
