"""A grid of styled characters on which the board is drawn in a terminal."""

from __future__ import annotations

import textwrap

MAX_TEXT = 120  # most columns of a line below the board: longer ones are hard to read

Style = tuple[str, ...]  # SGR parameters


class Canvas:
    """A grid of characters, each with a style, and the lines of text below it.

    Args:
        color: whether styles become color codes.
        width: maximum length of a line.
    """

    def __init__(self, color: bool, width: int) -> None:
        self.color = color
        self.width = width
        self.cells: dict[tuple[int, int], tuple[str, Style]] = {}

    def write(self, x: int, y: int, text: str, style: Style = ()) -> None:
        """Write `text` at column x of line y; blanks leave what is already there."""
        for offset, char in enumerate(text):
            if char != " ":
                self.cells[x + offset, y] = (char, style)

    def styled(self, text: str, style: Style) -> str:
        """Return `text` with color codes, or unchanged without color."""
        return f"\x1b[{';'.join(style)}m{text}\x1b[0m" if self.color and style and text else text

    def wrapped(self, text: str, indent: int) -> list[str]:
        """Return `text` wrapped into lines, all but the first indented."""
        width = min(self.width, MAX_TEXT)
        return textwrap.wrap(text, width, subsequent_indent=" " * indent, break_on_hyphens=False)

    def lines(self) -> list[str]:
        """Return the lines of the canvas, with one color code for each run of a style."""
        height = 1 + max((y for _, y in self.cells), default=-1)
        rows: list[dict[int, tuple[str, Style]]] = [{} for _ in range(height)]
        for (x, y), cell in self.cells.items():
            rows[y][x] = cell
        return [self._line(row) for row in rows]

    def _line(self, row: dict[int, tuple[str, Style]]) -> str:
        runs: list[tuple[str, Style]] = []
        for x in range(1 + max(row, default=-1)):
            char, style = row.get(x, (" ", ()))
            if runs and (runs[-1][1] == style or char == " "):
                runs[-1] = (runs[-1][0] + char, runs[-1][1])
            else:
                runs.append((char, style))
        return "".join(self.styled(text, style) for text, style in runs)
