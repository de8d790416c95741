"""A position of Sack Armies in a terminal: the board, a key to the names, then every visible token in words."""

from __future__ import annotations

from collections.abc import Mapping

from sackarmies_env.render.canvas import Canvas
from sackarmies_env.render.picture import REFEREE, Hex
from sackarmies_env.render.sack_armies.model import PictureData
from sackarmies_env.render.sack_armies.text_board import LOW_ROW, ROW_LINES, draw_board, named_size
from sackarmies_env.render.sack_armies.text_words import field_lines, key_lines, seat_lines
from sackarmies_env.render.theme import ANSI_BOLD

SHOWN_EVENTS = 8


def text_lines(picture: PictureData, canvas: Canvas) -> list[str]:
    """Return the position as lines of text."""
    lines = [canvas.styled(title_line(picture), (ANSI_BOLD,)), *canvas.wrapped(picture.headline(), 2)]
    if picture.announced:
        lines += canvas.wrapped(f"Announced: {picture.announced}", 2)
    lines += ["", *draw_board(picture, canvas, {}), ""]
    if named_size(picture, canvas) is None:
        lines += key_lines(picture, canvas)
    for seat in picture.seats:
        lines += seat_lines(picture, seat, canvas)
    lines += field_lines(picture, canvas)
    for note in picture.notes:
        lines += canvas.wrapped(note, 2)
    if picture.log:
        lines += [canvas.styled("Last events, latest first", (ANSI_BOLD,))]
        for event in picture.log[:SHOWN_EVENTS]:
            lines += canvas.wrapped(f"  {event}", 4)
    return lines


def summary_lines(picture: PictureData, canvas: Canvas) -> list[str]:
    """Return what a player needs besides the board, in few lines: turn, Generals, what may be brought in, the key."""
    lines = [canvas.styled(title_line(picture), (ANSI_BOLD,))]
    for seat in picture.seats:
        lines += seat_lines(picture, seat, canvas, brief=True)
    for note in picture.notes:
        lines += canvas.wrapped(note, 2)
    return lines + key_lines(picture, canvas)


def board_lines(picture: PictureData, canvas: Canvas, labels: Mapping[Hex, str], height: int | None) -> list[str]:
    """Return the board alone; arguments as in `ansi.paint_board`.

    If `height` is too small, codes replace names, then coordinates move into the edges of their hexes.
    """
    for row_lines in (None, ROW_LINES, LOW_ROW):
        lines = draw_board(picture, canvas, labels, row_lines)
        if height is None or len(lines) <= height:
            break
    return lines


def title_line(picture: PictureData) -> str:
    """Return the first line: game, viewer, turn."""
    viewer = "seen by the referee" if picture.viewer is REFEREE else f"seen by General {picture.viewer}"
    return f"{picture.title}, turn {picture.turn}, {viewer}"
