"""The board as an SVG picture."""

from __future__ import annotations

from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.render import theme
from sackarmies_env.render.picture import REFEREE
from sackarmies_env.render.scene import Drawing, drawing_of
from sackarmies_env.render.shapes import Circle, Line, Point, Polygon, Rect, Shape, Text

FONT = "Helvetica Neue, Arial, Liberation Sans, DejaVu Sans Condensed, sans-serif"  # the last is the widest


def svg(game: Game, states: NDArray[np.void], viewer: int | None = REFEREE) -> str:
    """Return the position in `states[0]` as an SVG document of 1280 x 800 pixels.

    Args:
        game: the game.
        states: `(n,)` records of `game.state_dtype`; the first is shown.
        viewer: seat whose knowledge is shown, or None for the referee, who sees all.

    Raises:
        ValueError: `viewer` is not a seat.
    """
    return paint_svg(drawing_of(game, states, viewer))


def paint_svg(drawing: Drawing) -> str:
    """Return a drawing as an SVG document."""
    size = f'width="{theme.WIDTH}" height="{theme.HEIGHT}" viewBox="0 0 {theme.WIDTH} {theme.HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}">'
    return "\n".join([head, f"<title>{escape(drawing.title)}</title>", *map(element, drawing.scene), "</svg>"]) + "\n"


def element(shape: Shape) -> str:
    """Return one shape as an SVG element."""
    match shape:
        case Polygon():
            return f'<polygon points="{points(shape.points)}"{paint(shape.fill, shape.stroke, shape.width)}/>'
        case Rect():
            box = f'x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.w:.1f}" height="{shape.h:.1f}"'
            corners = f' rx="{shape.radius:.1f}"' if shape.radius else ""
            return f"<rect {box}{corners}{paint(shape.fill, shape.stroke, shape.width)}/>"
        case Circle():
            disc = f'cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.r:.1f}"'
            return f"<circle {disc}{paint(shape.fill, shape.stroke, shape.width)}/>"
        case Line():
            ends = ' stroke-linecap="round" stroke-linejoin="round"'
            return f'<polyline points="{points(shape.points)}"{paint("", shape.stroke, shape.width)}{ends}/>'
        case Text():
            return text_element(shape)


def text_element(text: Text) -> str:
    """Return a line of text; its middle is about a third of the font size above the baseline."""
    anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    weight = ' font-weight="700"' if text.bold else ""
    place = f'x="{text.x:.1f}" y="{text.y + 0.35 * text.size:.1f}" font-size="{text.size:.1f}"'
    return f'<text {place} fill="{text.fill}"{anchor}{weight}>{escape(text.text)}</text>'


def points(corners: tuple[Point, ...]) -> str:
    """Return points in the notation of SVG."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def paint(fill: str, stroke: str, width: float) -> str:
    """Return the attributes for the inside and the edge."""
    edge = f' stroke="{stroke}" stroke-width="{width:.1f}"' if stroke else ""
    return f' fill="{fill or "none"}"{edge}'
