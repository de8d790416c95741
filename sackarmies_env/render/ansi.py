"""The board in a terminal: hexes in staggered rows, a key with the names, then every visible token in words.

```
        .-' '-. .-' '-.        a legal hex: its coordinates q,r, and before them what number chooses it
       |  1,-1 |[2]2,-1|       unit: seat : code, + attachments, * employed, ? face down
       | 0:OrI | 1:??  |       battlefield: code, owner; > controller if it is another
       |       | Pla1>0|
        '-. .-' '-. .-'
```

Seats are digits, and colors repeat what the digits say.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.render.ansi_words import field_lines, key_lines, seat_lines
from sackarmies_env.render.board import REFEREE, FieldView, Hex, Picture, UnitView
from sackarmies_env.render.canvas import MAX_TEXT, Canvas
from sackarmies_env.render.picture import find_picture
from sackarmies_env.render.plain import observation_lines
from sackarmies_env.render.theme import ANSI_BOLD, ANSI_DIM, ANSI_REVERSE, ANSI_SEATS

MIN_WIDTH, MAX_WIDTH = 40, 200  # columns
MARGIN = 6  # columns left of the board, for the coordinate r
PITCHES = (10, 8, 6)  # columns a hex, the widest that fits is taken; even, as rows are staggered by half of it
ROW_LINES = 4  # lines from one row of hexes to the next
LOW_ROW = 3  # the same, where there is little room: coordinates stand in the edge above
SHOWN_EVENTS = 8


def ansi(
    game: Game,
    states: NDArray[np.void],
    viewer: int | None = REFEREE,
    *,
    color: bool | None = None,
    width: int | None = None,
) -> str:
    """Return the position in `states[0]` as text for a terminal.

    Args:
        game: the game.
        states: `(n,)` records of `game.state_dtype`; the first is shown.
        viewer: seat whose knowledge is shown, or None for the referee, who sees all.
        color: with color codes; by default if stdout is a terminal and the environment variable NO_COLOR is not set.
        width: greatest length of a line, 40 to 200 columns; by default that of the terminal, 80 where there is none.

    Raises:
        ValueError: `viewer` is no seat.
    """
    picture = find_picture(game, states, viewer)
    if picture is None:
        return "\n".join(observation_lines(game, states, viewer, min(text_columns(width), MAX_TEXT))) + "\n"
    return paint_ansi(picture, color=color, width=width)


def paint_ansi(picture: Picture, *, color: bool | None = None, width: int | None = None) -> str:
    """Return a picture as text; see `ansi`."""
    canvas = new_canvas(color, width)
    lines = [canvas.styled(title_line(picture), (ANSI_BOLD,)), *canvas.wrapped(picture.headline(), 2)]
    if picture.announced:
        lines += canvas.wrapped(f"Announced: {picture.announced}", 2)
    lines += ["", *draw_board(picture, canvas, {}), "", *key_lines(picture, canvas)]
    for seat in picture.seats:
        lines += seat_lines(picture, seat, canvas)
    lines += field_lines(picture, canvas)
    for note in picture.notes:
        lines += canvas.wrapped(note, 2)
    if picture.log:
        lines += [canvas.styled("Last events, latest first", (ANSI_BOLD,))]
        for event in picture.log[:SHOWN_EVENTS]:
            lines += canvas.wrapped(f"  {event}", 4)
    return joined(lines)


def paint_summary(picture: Picture, *, color: bool | None = None, width: int | None = None) -> str:
    """Return what a player needs beside the board, in few lines: turn, Generals, what may be brought in, the key."""
    canvas = new_canvas(color, width)
    lines = [canvas.styled(title_line(picture), (ANSI_BOLD,))]
    for seat in picture.seats:
        lines += seat_lines(picture, seat, canvas, brief=True)
    for note in picture.notes:
        lines += canvas.wrapped(note, 2)
    return joined(lines + key_lines(picture, canvas))


def paint_board(
    picture: Picture,
    labels: Mapping[Hex, str],
    *,
    color: bool | None = None,
    width: int | None = None,
    height: int | None = None,
) -> str:
    """Return the board alone.

    Args:
        picture: the position.
        labels: texts of at most 4 characters that are shown on hexes, such as the numbers of choices.
        color: as in `ansi`.
        width: as in `ansi`.
        height: lines that there are for it; where they are too few, coordinates stand in the edges of their hexes.
    """
    canvas = new_canvas(color, width)
    lines = draw_board(picture, canvas, labels)
    if height is not None and len(lines) > height:
        lines = draw_board(picture, canvas, labels, LOW_ROW)
    return joined(lines)


def new_canvas(color: bool | None, width: int | None) -> Canvas:
    """Return an empty canvas, by default as stdout wants it."""
    return Canvas(shows_color() if color is None else color, text_columns(width))


def joined(lines: list[str]) -> str:
    """Return lines as a text."""
    return "\n".join(line.rstrip() for line in lines) + "\n"


def text_columns(width: int | None) -> int:
    """Return the greatest length of a line: what is asked for, or that of the terminal."""
    columns = shutil.get_terminal_size().columns if width is None else width
    return min(max(columns, MIN_WIDTH), MAX_WIDTH)


def shows_color() -> bool:
    """Return whether stdout is a terminal whose user has not asked for plain text (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def title_line(picture: Picture) -> str:
    """Return the first line: game, viewer, turn."""
    viewer = "seen by the referee" if picture.viewer is REFEREE else f"seen by General {picture.viewer}"
    return f"{picture.title}, turn {picture.turn}, {viewer}"


# --- the board


class Cell(NamedTuple):
    """Where a hex is on the canvas.

    Attributes:
        x: column of its left edge.
        y: line of its top.
        pitch: columns from its left edge to the right one.
        lines: from its top to that of the next row.
    """

    x: int
    y: int
    pitch: int
    lines: int


def draw_board(picture: Picture, canvas: Canvas, labels: Mapping[Hex, str], row_lines: int = ROW_LINES) -> list[str]:
    """Return the lines of the board: the legal hexes, with r at the left margin; a wide board in several parts."""
    if not picture.hexes:
        return ["      (no battlefield yet)"]
    halves = {at: half_column(at) for at in picture.hexes}
    columns = max(halves.values()) - min(halves.values()) + 2
    pitch = next((p for p in PITCHES if MARGIN + columns * p // 2 + 1 <= canvas.width), PITCHES[-1])
    parts = list(parts_of(halves, 2 * (canvas.width - MARGIN - 1) // pitch))
    lines: list[str] = []
    for number, hexes in enumerate(parts, start=1):
        if len(parts) > 1:
            lines.append(f"Board, part {number} of {len(parts)} from west to east")
        left, top = min(map(half_column, hexes)), min(r for _, r in hexes)
        cells = {
            at: Cell(MARGIN + (half_column(at) - left) * pitch // 2, (at[1] - top) * row_lines, pitch, row_lines)
            for at in hexes
        }
        lines += draw_part(picture, cells, canvas, labels)
    return lines


def half_column(at: Hex) -> int:
    """Return the column of a hex, in halves of a hex."""
    return 2 * at[0] + at[1]


def parts_of(halves: dict[Hex, int], columns: int) -> Iterator[list[Hex]]:
    """Yield the hexes of the board from west to east, in parts of at most so many half columns."""
    start, last = min(halves.values()), max(halves.values())
    while start <= last:
        hexes = [at for at, half in halves.items() if start <= half <= start + columns - 2]
        if hexes:
            yield hexes
        start += columns - 1


def draw_part(picture: Picture, cells: Mapping[Hex, Cell], canvas: Canvas, labels: Mapping[Hex, str]) -> list[str]:
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
    x, y, pitch, lines = cell
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
    """Write into one hex: unit, battlefield."""
    x, y, pitch, lines = cell
    if unit is not None:
        text = fitting(unit_marks(unit), pitch - 1)
        canvas.write(x + 1, y + lines - 2, text, (ANSI_SEATS[unit.owner], ANSI_BOLD))
    if field is not None:
        text = fitting(field_marks(field), pitch - 1)
        canvas.write(x + 1, y + lines - 1, text, (ANSI_SEATS[field.controller],))


def draw_label(canvas: Canvas, cell: Cell, at: Hex, label: str) -> None:
    """Write the coordinates of a hex behind its label; where there is no room for both, only the label."""
    x, y, pitch, lines = cell
    inner, line = pitch - 1, y + (lines == ROW_LINES)
    coordinates = fitting([f"{at[0]},{at[1]}", str(at[0])], inner).strip()
    text = fitting([f"{label} {coordinates}", f"{label}{coordinates}", label] if label else [coordinates], inner)
    start = x + 1 + len(text) - len(text.lstrip())
    for column in range(start - 1, x + 2 + len(text.rstrip())):  # so that no dash of an edge looks like a minus
        if canvas.cells.get((column, line), ("|", ()))[0] != "|":
            del canvas.cells[column, line]
    canvas.write(x + 1, line, text, (ANSI_DIM,))
    canvas.write(start, line, label, (ANSI_BOLD, ANSI_REVERSE))


def fitting(texts: list[str], width: int) -> str:
    """Return the longest of `texts` that fits, centered; they come from long to short."""
    return next((text for text in texts if len(text) <= width), texts[-1][:width]).center(width)


def unit_marks(unit: UnitView) -> list[str]:
    """Return what stands for a unit, from long to short."""
    code = "??" if unit.card is None else unit.card.code
    hidden = "?" if unit.card is not None and not unit.face_up else ""
    attached = f"+{len(unit.attachments)}" if unit.attachments else ""
    employed = "*" if unit.employed else ""
    return [f"{unit.owner}:{code}{hidden}{attached}{employed}", f"{unit.owner}{code}{employed}"]


def field_marks(field: FieldView) -> list[str]:
    """Return what stands for a battlefield, from long to short; the arrow only if it does not point to the owner."""
    arrow = f">{field.controller}" if field.controller != field.owner else ""
    code, owner = field.code, field.owner
    return [f"{code} {owner}{arrow}", f"{code}{owner}{arrow}", f"{code}{arrow or owner}"]
