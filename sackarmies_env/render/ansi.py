"""The board in a terminal: hexes in staggered rows, then every visible token in words.

```
        .-' '-. .-' '-.        a legal hex: its coordinates q,r
       |  1,-1 |  2,-1 |       unit: seat : code, + attachments, * employed, ? face down
       | 0:OrI | 1:??  |       battlefield: code, owner; > controller if it is another
       |       | Pla1>0|
        '-. .-' '-. .-'
```
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import counted
from sackarmies_env.render.board import (
    REFEREE,
    AttachmentView,
    FieldView,
    Hex,
    Picture,
    SeatView,
    UnitView,
    pile_text,
)
from sackarmies_env.render.picture import find_picture
from sackarmies_env.render.plain import observation_lines
from sackarmies_env.render.theme import ANSI_BOLD, ANSI_DIM, ANSI_SEATS

MIN_WIDTH, MAX_WIDTH = 40, 200  # columns
MAX_TEXT = 120  # columns of the lines below the board: longer ones are hard to read
MARGIN = 6  # columns left of the board, for the coordinate r
PITCHES = (10, 8, 6)  # columns a hex, the widest that fits is taken; even, as rows are staggered by half of it
ROW_LINES = 4  # lines from one row of hexes to the next
SHOWN_EVENTS = 8

Style = tuple[str, ...]  # SGR parameters


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
    canvas = Canvas(shows_color() if color is None else color, text_columns(width))
    lines = [canvas.styled(title_line(picture), (ANSI_BOLD,)), *canvas.wrapped(picture.headline(), 2)]
    if picture.announced:
        lines += canvas.wrapped(f"Announced: {picture.announced}", 2)
    lines += ["", *draw_board(picture, canvas), ""]
    for seat in picture.seats:
        lines += seat_lines(picture, seat, canvas)
    lines += field_lines(picture, canvas)
    for note in picture.notes:
        lines += canvas.wrapped(note, 2)
    if picture.log:
        lines += [canvas.styled("Last events, latest first", (ANSI_BOLD,))]
        for event in picture.log[:SHOWN_EVENTS]:
            lines += canvas.wrapped(f"  {event}", 4)
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


class Canvas:
    """Characters on a grid, each with a style; and the lines of text below it.

    Args:
        color: whether styles become color codes.
        width: greatest length of a line.
    """

    def __init__(self, color: bool, width: int) -> None:
        self.color = color
        self.width = width
        self.cells: dict[tuple[int, int], tuple[str, Style]] = {}

    def write(self, x: int, y: int, text: str, style: Style = ()) -> None:
        """Put `text` at column x of line y; blanks leave what is there."""
        for offset, char in enumerate(text):
            if char != " ":
                self.cells[x + offset, y] = (char, style)

    def styled(self, text: str, style: Style) -> str:
        """Return `text` with color codes, if they are wanted."""
        return f"\x1b[{';'.join(style)}m{text}\x1b[0m" if self.color and style and text else text

    def wrapped(self, text: str, indent: int) -> list[str]:
        """Return `text` in lines, the later ones indented."""
        width = min(self.width, MAX_TEXT)
        return textwrap.wrap(text, width, subsequent_indent=" " * indent, break_on_hyphens=False)

    def lines(self) -> list[str]:
        """Return the canvas line by line, runs of one style together."""
        height = 1 + max((y for _, y in self.cells), default=-1)
        return [self._line(y) for y in range(height)]

    def _line(self, y: int) -> str:
        end = 1 + max((x for x, row in self.cells if row == y), default=-1)
        runs: list[tuple[str, Style]] = []
        for x in range(end):
            char, style = self.cells.get((x, y), (" ", ()))
            if runs and (runs[-1][1] == style or char == " "):
                runs[-1] = (runs[-1][0] + char, runs[-1][1])
            else:
                runs.append((char, style))
        return "".join(self.styled(text, style) for text, style in runs)


# --- the board


def draw_board(picture: Picture, canvas: Canvas) -> list[str]:
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
        lines += draw_part(picture, hexes, canvas, pitch)
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


def draw_part(picture: Picture, hexes: list[Hex], canvas: Canvas, pitch: int) -> list[str]:
    """Return the lines of a part of the board."""
    left, top = min(map(half_column, hexes)), min(r for _, r in hexes)
    fields = {field.at: field for field in picture.fields}
    units = {unit.at: unit for unit in picture.units}
    for at in hexes:
        x = MARGIN + (half_column(at) - left) * pitch // 2
        y = (at[1] - top) * ROW_LINES
        draw_outline(canvas, x, y, pitch)
        draw_hex(canvas, (x, y, pitch), at, fields.get(at), units.get(at))
    for r in sorted({r for _, r in hexes}):
        canvas.write(0, (r - top) * ROW_LINES + 2, f"r{r:>3}", (ANSI_DIM,))
    lines = canvas.lines()
    canvas.cells.clear()
    return lines


def draw_outline(canvas: Canvas, x: int, y: int, pitch: int) -> None:
    """Draw the edges of one hex, shared with its neighbors."""
    half = pitch // 2
    rise = "." + "-" * (half - 3) + "'" if half > 2 else "."
    fall = "'" + "-" * (half - 3) + "." if half > 2 else "."
    for line, first, second in ((y, rise, fall), (y + ROW_LINES, fall, rise)):
        canvas.write(x + 1, line, first, (ANSI_DIM,))
        canvas.write(x + half + 1, line, second, (ANSI_DIM,))
    for line in range(y + 1, y + ROW_LINES):
        canvas.write(x, line, "|", (ANSI_DIM,))
        canvas.write(x + pitch, line, "|", (ANSI_DIM,))


def draw_hex(
    canvas: Canvas, place: tuple[int, int, int], at: Hex, field: FieldView | None, unit: UnitView | None
) -> None:
    """Write into one hex: coordinates, unit, battlefield."""
    x, y, pitch = place
    inner = pitch - 1
    canvas.write(x + 1, y + 1, fitting([f"{at[0]},{at[1]}", str(at[0])], inner), (ANSI_DIM,))
    if unit is not None:
        canvas.write(x + 1, y + 2, fitting(unit_marks(unit), inner), (ANSI_SEATS[unit.owner], ANSI_BOLD))
    if field is not None:
        canvas.write(x + 1, y + 3, fitting(field_marks(field), inner), (ANSI_SEATS[field.controller],))


def fitting(texts: list[str], width: int) -> str:
    """Return the longest of `texts` that fits, centered; they come from long to short."""
    return next((text for text in texts if len(text) <= width), texts[-1][:width]).center(width)


def unit_marks(unit: UnitView) -> list[str]:
    """Return what stands for a unit, from long to short."""
    code = "??" if unit.card is None else unit.card.code
    hidden = "?" if unit.card is not None and not unit.face_up else ""
    attached = f"+{len(unit.attachments)}" if unit.attachments else ""
    employed = "*" if unit.employed else ""
    return [f"{unit.owner}:{code}{hidden}{attached}{employed}", f"{unit.owner}{code}{employed}", code]


def field_marks(field: FieldView) -> list[str]:
    """Return what stands for a battlefield, from long to short; the arrow only if it does not point to the owner."""
    arrow = f">{field.controller}" if field.controller != field.owner else ""
    code, owner = field.code, field.owner
    return [f"{code} {owner}{arrow}", f"{code}{owner}{arrow}", f"{code}{arrow}" if arrow else f"{code}{owner}", code]


# --- in words


def seat_lines(picture: Picture, seat: SeatView, canvas: Canvas) -> list[str]:
    """Return a General's line, their tokens off the board as far as they are seen, and their units."""
    held = sum(field.controller == seat.seat for field in picture.fields)
    own = [field for field in picture.fields if field.owner == seat.seat]
    kept = sum(field.controller == seat.seat for field in own)
    facts = [f"controls {counted(held, 'battlefield')}, {kept} of {len(own)} own", f"hand {seat.hand_size}"]
    facts += [] if seat.sack_size is None else [f"sack {seat.sack_size}"]
    facts += [f"picked {seat.picks_left}"] if seat.picks_left else []
    state = "" if seat.alive else " is eliminated;"
    name = picture.seat_name(seat.seat)
    first, *more = canvas.wrapped(f"{name}{state} {', '.join(facts)}", 4)
    lines = [canvas.styled(name, (ANSI_SEATS[seat.seat], ANSI_BOLD)) + first.removeprefix(name), *more]
    piles = (("hand", seat.hand), ("picked", seat.picks), ("sack", seat.sack))
    lost = (("casualties", seat.casualties), ("removed", seat.removed))
    for label, pile in (*piles, *lost):
        if pile:
            lines += canvas.wrapped(f"  {label}: {pile_text(pile)}", 4)
    for unit in picture.units:
        if unit.owner == seat.seat:
            lines += unit_lines(unit, canvas)
    return lines


def unit_lines(unit: UnitView, canvas: Canvas) -> list[str]:
    """Return a unit, what lies under it and what it holds."""
    at = f"{unit.at[0]},{unit.at[1]}"
    flags = [] if unit.face_up else ["face down"]
    flags += ["employed"] if unit.employed else []
    flags += ["moved"] if unit.moved else []
    if unit.card is None:
        lines = [f"  {'??':<4}{at:<7}unrevealed unit" + "".join(f", {flag}" for flag in flags[1:])]
    else:
        card = unit.card
        stats = f"M{card.movement} D{card.damage} A{card.armor}" + (f" R{card.range}" if card.range else "")
        printed = "" if card.printed == (card.movement, card.damage, card.armor) else printed_text(card.printed)
        kinds = [f"{card.unit_class}", card.homeland, f"{card.band} band", f"rank {card.rank}", *flags]
        text = f"  {card.code:<4}{at:<7}{card.name:<22} {stats}{printed}  {', '.join(filter(None, kinds))}"
        lines = canvas.wrapped(text + (f". {card.text}" if card.text else ""), 13)
    for slot, each in enumerate(unit.attachments):
        lines += canvas.wrapped(f"{'':13}{slot}: {attachment_text(unit, each)}", 16)
    if unit.captives:
        lines += canvas.wrapped(f"{'':13}holds {', '.join(name or 'a hidden token' for name in unit.captives)}", 15)
    return lines


def printed_text(printed: tuple[int, int, int]) -> str:
    """Return the printed values, for units whose effective ones differ."""
    return " (printed {} {} {})".format(*printed)


def attachment_text(host: UnitView, attachment: AttachmentView) -> str:
    """Return what is known of an attachment."""
    owner = f" of General {attachment.owner}" if attachment.owner != host.owner else ""
    name = attachment.name or "??"
    kind = f" ({attachment.kind})" if attachment.kind else ""
    face = "" if attachment.face_up else ", face down"
    text = f". {attachment.text}" if attachment.text else ""
    return f"{name}{kind}{owner}{face}{text}"


def field_lines(picture: Picture, canvas: Canvas) -> list[str]:
    """Return the kinds of battlefields on the board and what they do, one line each."""
    kinds = sorted({(field.name, field.code, field.text) for field in picture.fields})
    if not kinds:
        return []
    lines = [canvas.styled("Battlefields", (ANSI_BOLD,))]
    for name, code, text in kinds:
        lines += canvas.wrapped(f"  {code:<4}{name}" + (f": {text}" if text else ""), 6)
    return lines
