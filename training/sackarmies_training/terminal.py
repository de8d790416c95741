"""Terminal output: text of any origin is printed as it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from sackarmies_env.core.messages import printable


class PlainConsole(Console):
    """A console for text of any origin: names of agents, folders and files, reasons of forfeits.

    No text is markup or a code of an emoji, and characters that control a terminal or cannot be seen are written out.
    Styles are given as `rich.text.Text`. Only this class does so: nothing may be escaped before.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text as it is to be printed."""
        return super().render_str(safe(text), **{**options, "markup": False, "emoji": False})

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is to be printed; what did not come from `render_str` is made safe here."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=safe(segment.text))


def safe(text: str) -> str:
    """Return a text of one or more lines without what controls a terminal or cannot be seen."""
    return "\n".join(printable(line) for line in text.split("\n"))
