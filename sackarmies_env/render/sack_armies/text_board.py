"""The board in a terminal: hexes in staggered rows.

```
        .-' '-. .-' '-.        a legal hex: its coordinates q,r, after the number that chooses it
       |  1,-1 |[2]2,-1|       unit: seat : code, + attachments, * employed, ? face down
       | 0:OrI | 1:??  |       battlefield: code, owner; > controller if not the owner
       |       | Pla1>0|
        '-. .-' '-. .-'
```

Seats are shown as digits, and colors repeat them. Where there is room, full names replace codes.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sackarmies_env.render.canvas import Canvas
from sackarmies_env.render.picture import Hex
from sackarmies_env.render.sack_armies.model import FieldView, PictureData, UnitView
from sackarmies_env.render.theme import ANSI_BOLD, ANSI_DIM, ANSI_REVERSE, ANSI_SEATS

MARGIN = 6  # columns left of the board, for the coordinate r
PITCHES = (10, 8, 6)  # columns per hex: the widest that fits is used; even, as rows are staggered by half a hex
ROW_LINES = 4  # lines from one row of hexes to the next
LOW_ROW = 3  # the same if there is little room: coordinates go into the edge above
NAMED_PITCHES = range(10, 22, 2)  # columns per hex with names
NAME_LINES = 2  # most lines for the name of a unit or a battlefield


class Cell(NamedTuple):
    """The position of a hex on the canvas.

    Attributes:
        x: column of its left edge.
        y: line of its top.
        pitch: columns from its left edge to its right edge.
        lines: lines from its top to the top of the next row.
        is_named: whether it shows names instead of codes.
    """

    x: int
    y: int
    pitch: int
    lines: int
    is_named: bool


class Size(NamedTuple):
    """The size of hexes; see `Cell`."""

    lines: int
    pitch: int


def draw_board(
    picture: PictureData, canvas: Canvas, labels: Mapping[Hex, str], row_lines: int | None = None
) -> list[str]:
    """Return the lines of the board: the legal hexes, with r at the left margin; a wide board is split into parts.

    Args:
        picture: the position.
        canvas: the canvas, which limits the width.
        labels: see `ansi.paint_board`.
        row_lines: lines from one row of hexes to the next, with codes; if None, names are shown if there is room.
    """
    if not picture.hexes:
        return ["      (no battlefield yet)"]
    halves = {at: half_column(at) for at in picture.hexes}
    named = named_size(picture, canvas) if row_lines is None else None
    pitch = next((p for p in PITCHES if board_columns(picture, p) <= canvas.width), PITCHES[-1])
    size = named or Size(row_lines or ROW_LINES, pitch)
    parts = list(parts_of(halves, 2 * (canvas.width - MARGIN - 1) // size.pitch))
    lines: list[str] = []
    for number, hexes in enumerate(parts, start=1):
        if len(parts) > 1:
            lines.append(f"Board, part {number} of {len(parts)} from west to east")
        left, top = min(map(half_column, hexes)), min(r for _, r in hexes)
        cells = {
            at: Cell(
                MARGIN + (half_column(at) - left) * size.pitch // 2,
                (at[1] - top) * size.lines,
                size.pitch,
                size.lines,
                named is not None,
            )
            for at in hexes
        }
        lines += draw_part(picture, cells, canvas, labels)
    return lines


def board_columns(picture: PictureData, pitch: int) -> int:
    """Return the width of the whole board in columns."""
    halves = [half_column(at) for at in picture.hexes]
    return MARGIN + (max(halves) - min(halves) + 2) * pitch // 2 + 1


def named_size(picture: PictureData, canvas: Canvas) -> Size | None:
    """Return the size of the lowest, then narrowest hexes that hold all names; None if such a board is too wide."""
    sizes = []
    for pitch in NAMED_PITCHES:
        units, fields = (
            lines_of(names, pitch - 1) for names in (map(unit_name, picture.units), map(field_name, picture.fields))
        )
        if max(units, fields) <= NAME_LINES and picture.hexes and board_columns(picture, pitch) <= canvas.width:
            sizes.append(Size(ROW_LINES - 2 + units + fields, pitch))
    return min(sizes, default=None)


def lines_of(names: Iterable[str], width: int) -> int:
    """Return the most lines that any of the names takes, at least 1; more than NAME_LINES if a word is too long."""
    folded = [folded_name(name, width) for name in names]
    if any(len(line) > width for lines in folded for line in lines):
        return NAME_LINES + 1
    return max(map(len, folded), default=1)


def half_column(at: Hex) -> int:
    """Return the column of a hex, in units of half a hex."""
    return 2 * at[0] + at[1]


def parts_of(halves: dict[Hex, int], columns: int) -> Iterator[list[Hex]]:
    """Yield the hexes of the board from west to east, in parts of at most `columns` half columns."""
    start, last = min(halves.values()), max(halves.values())
    while start <= last:
        hexes = [at for at, half in halves.items() if start <= half <= start + columns - 2]
        if hexes:
            yield hexes
        start += columns - 1


def draw_part(picture: PictureData, cells: Mapping[Hex, Cell], canvas: Canvas, labels: Mapping[Hex, str]) -> list[str]:
    """Return the lines of a part of the board."""
    fields = {field.at: field for field in picture.fields}
    units = {unit.at: unit for unit in picture.units}
    for cell in cells.values():
        draw_outline(canvas, cell)
    for at, cell in cells.items():
        draw_hex(canvas, cell, fields.get(at), units.get(at))
        draw_label(canvas, cell, at, labels.get(at, ""))
    for r, y in {at[1]: cell.y + cell.lines - 2 for at, cell in cells.items()}.items():
        canvas.write(0, y, f"r{r:>3}", (ANSI_DIM,))
    lines = canvas.lines()
    canvas.cells.clear()
    return lines


def draw_outline(canvas: Canvas, cell: Cell) -> None:
    """Draw the edges of one hex, shared with its neighbors."""
    x, y, pitch, lines, _ = cell
    half = pitch // 2
    rise = "." + "-" * (half - 3) + "'" if half > 2 else "."
    fall = "'" + "-" * (half - 3) + "." if half > 2 else "."
    for line, first, second in ((y, rise, fall), (y + lines, fall, rise)):
        canvas.write(x + 1, line, first, (ANSI_DIM,))
        canvas.write(x + half + 1, line, second, (ANSI_DIM,))
    for line in range(y + 1, y + lines):
        canvas.write(x, line, "|", (ANSI_DIM,))
        canvas.write(x + pitch, line, "|", (ANSI_DIM,))


def draw_hex(canvas: Canvas, cell: Cell, field: FieldView | None, unit: UnitView | None) -> None:
    """Write the unit and the battlefield into one hex."""
    x, y, inner = cell.x, cell.y, cell.pitch - 1
    if unit is not None:
        told = folded_name(unit_name(unit), inner) if cell.is_named else [fitting(unit_marks(unit), inner)]
        top = y + min(2, cell.lines - 2)
        for number, text in enumerate(told):
            canvas.write(x + 1, top + number, text.center(inner), (ANSI_SEATS[unit.owner], ANSI_BOLD))
    if field is not None:
        told = folded_name(field_name(field), inner) if cell.is_named else [fitting(field_marks(field), inner)]
        top = y + cell.lines - len(told)
        for number, text in enumerate(told):
            canvas.write(x + 1, top + number, text.center(inner), (ANSI_SEATS[field.controller],))


def draw_label(canvas: Canvas, cell: Cell, at: Hex, label: str) -> None:
    """Write the label of a hex, then its coordinates; only the label if there is no room for both."""
    x, y, pitch, lines, _ = cell
    inner, line = pitch - 1, y + (lines != LOW_ROW)
    coordinates = fitting([f"{at[0]},{at[1]}", str(at[0])], inner).strip()
    text = fitting([f"{label} {coordinates}", f"{label}{coordinates}", label] if label else [coordinates], inner)
    start = x + 1 + len(text) - len(text.lstrip())
    for column in range(start - 1, x + 2 + len(text.rstrip())):  # so that no dash of an edge looks like a minus
        if canvas.cells.get((column, line), ("|", ()))[0] != "|":
            del canvas.cells[column, line]
    canvas.write(x + 1, line, text, (ANSI_DIM,))
    canvas.write(start, line, label, (ANSI_BOLD, ANSI_REVERSE))


def fitting(texts: list[str], width: int) -> str:
    """Return the longest of `texts` that fits, centered; `texts` go from long to short."""
    return next((text for text in texts if len(text) <= width), texts[-1][:width]).center(width)


def unit_marks(unit: UnitView) -> list[str]:
    """Return the short forms of a unit, from long to short."""
    code = "??" if unit.card is None else unit.card.code
    employed = "*" if unit.employed else ""
    return [f"{unit.owner}:{code}{signs(unit)}", f"{unit.owner}{code}{employed}"]


def unit_name(unit: UnitView) -> str:
    """Return the name of a unit, with its signs."""
    return f"{unit.owner}:{'??' if unit.card is None else unit.card.name}{signs(unit)}"


def signs(unit: UnitView) -> str:
    """Return the signs of a unit: face down, attachments, employed."""
    hidden = "?" if unit.card is not None and not unit.face_up else ""
    attached = f"+{len(unit.attachments)}" if unit.attachments else ""
    return f"{hidden}{attached}{'*' if unit.employed else ''}"


def field_marks(field: FieldView) -> list[str]:
    """Return the short forms of a battlefield, from long to short; the arrow only if it does not point to the owner."""
    code, owner, arrow = field.code, field.owner, arrow_of(field)
    return [f"{code} {owner}{arrow}", f"{code}{owner}{arrow}", f"{code}{arrow or owner}"]


def field_name(field: FieldView) -> str:
    """Return the name of a battlefield, with its owner."""
    return f"{field.name} {field.owner}{arrow_of(field)}"


def arrow_of(field: FieldView) -> str:
    """Return the arrow to the controller of a battlefield; "" if that is its owner."""
    return f">{field.controller}" if field.controller != field.owner else ""


@functools.lru_cache(maxsize=4096)  # names are few, and the same in each picture
def folded_name(text: str, width: int) -> tuple[str, ...]:
    """Return a text wrapped into lines of at most `width` columns, as far as its words allow."""
    return tuple(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))
