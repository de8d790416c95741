"""Positions in a terminal, as text that the picture of a game writes on a canvas."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.render.canvas import MAX_TEXT, Canvas
from sackarmies_env.render.picture import REFEREE, Drawable, Hex, HexBoard, find_picture
from sackarmies_env.render.plain import observation_lines

MIN_WIDTH, MAX_WIDTH = 40, 200  # columns


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
    picture = find_picture(game, states, viewer)
    if picture is None:
        return "\n".join(observation_lines(game, states, viewer, min(text_columns(width), MAX_TEXT))) + "\n"
    return paint_ansi(picture, color=color, width=width)


def paint_ansi(picture: Drawable, *, color: bool | None = None, width: int | None = None) -> str:
    """Return a picture as text; see `ansi`."""
    return joined(picture.lines(new_canvas(color, width)))


def paint_summary(picture: HexBoard, *, color: bool | None = None, width: int | None = None) -> str:
    """Return what a player needs besides the board, in few lines."""
    return joined(picture.summary_lines(new_canvas(color, width)))


def paint_board(
    picture: HexBoard,
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
        height: number of lines available; the board is drawn smaller if they are too few.
    """
    return joined(picture.board_lines(new_canvas(color, width), labels, height))


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
