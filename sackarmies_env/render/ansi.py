"""Positions in a terminal: the board, a key to the names, then every visible token in words."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.render.ansi_board import LOW_ROW, ROW_LINES, draw_board, named_size
from sackarmies_env.render.ansi_words import field_lines, key_lines, seat_lines
from sackarmies_env.render.board import REFEREE, Hex, Picture
from sackarmies_env.render.canvas import MAX_TEXT, Canvas
from sackarmies_env.render.drawable import find_drawable
from sackarmies_env.render.picture import find_picture
from sackarmies_env.render.plain import observation_lines
from sackarmies_env.render.theme import ANSI_BOLD

MIN_WIDTH, MAX_WIDTH = 40, 200  # columns
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
        color: whether to use color codes; by default, only if stdout is a terminal and the environment variable
            NO_COLOR is not set.
        width: maximum length of a line, 40 to 200 columns; defaults to that of the terminal, or 80 if there is none.

    Raises:
        ValueError: `viewer` is not a seat.
    """
    drawable = find_drawable(game, states, viewer)
    if drawable is not None:
        return joined(drawable.lines(new_canvas(color, width)))
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
    return joined(lines)


def paint_summary(picture: Picture, *, color: bool | None = None, width: int | None = None) -> str:
    """Return what a player needs besides the board, in few lines: turn, Generals, what may be brought in, the key."""
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
        labels: texts of at most 4 characters to show on hexes, such as the numbers of choices.
        color: as in `ansi`.
        width: as in `ansi`.
        height: number of lines available; if they are too few, codes replace names, then coordinates move into the
            edges of their hexes.
    """
    canvas = new_canvas(color, width)
    for row_lines in (None, ROW_LINES, LOW_ROW):
        lines = draw_board(picture, canvas, labels, row_lines)
        if height is None or len(lines) <= height:
            break
    return joined(lines)


def new_canvas(color: bool | None, width: int | None) -> Canvas:
    """Return an empty canvas; color and width default to what suits stdout."""
    return Canvas(shows_color() if color is None else color, text_columns(width))


def joined(lines: list[str]) -> str:
    """Return lines joined into one text, without trailing blanks."""
    return "\n".join(line.rstrip() for line in lines) + "\n"


def text_columns(width: int | None) -> int:
    """Return the maximum length of a line: the given one or that of the terminal, within MIN_WIDTH and MAX_WIDTH."""
    columns = shutil.get_terminal_size().columns if width is None else width
    return min(max(columns, MIN_WIDTH), MAX_WIDTH)


def shows_color() -> bool:
    """Return whether stdout is a terminal whose user has not asked for plain text (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def title_line(picture: Picture) -> str:
    """Return the first line: game, viewer, turn."""
    viewer = "seen by the referee" if picture.viewer is REFEREE else f"seen by General {picture.viewer}"
    return f"{picture.title}, turn {picture.turn}, {viewer}"
