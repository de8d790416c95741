"""Shapes that both painters can draw, in pixels; a list of them, from back to front, is a scene."""

from __future__ import annotations

import math
from dataclasses import dataclass

Point = tuple[float, float]

CHAR_WIDTH = 0.55  # of a character, in sizes of the font, on the average
BOLD_WIDTH = 0.6


@dataclass(frozen=True)
class Polygon:
    """A filled polygon; `stroke` "" draws no edge, `fill` "" no inside."""

    points: tuple[Point, ...]
    fill: str
    stroke: str = ""
    width: float = 1.0


@dataclass(frozen=True)
class Rect:
    """A rectangle with round corners, edges as of a polygon."""

    x: float
    y: float
    w: float
    h: float
    fill: str
    stroke: str = ""
    width: float = 1.0
    radius: float = 0.0


@dataclass(frozen=True)
class Circle:
    """A disc, edges as of a polygon."""

    x: float
    y: float
    r: float
    fill: str
    stroke: str = ""
    width: float = 1.0


@dataclass(frozen=True)
class Line:
    """A line through points."""

    points: tuple[Point, ...]
    stroke: str
    width: float = 1.0


@dataclass(frozen=True)
class Text:
    """A line of text; `y` is its middle, `anchor` "start", "middle" or "end" says what `x` is."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: str = "middle"
    bold: bool = False


Shape = Polygon | Rect | Circle | Line | Text
Scene = list[Shape]


def hexagon(x: float, y: float, radius: float) -> tuple[Point, ...]:
    """Return the corners of a hexagon that stands on a corner."""
    angles = [math.pi / 180 * (60 * corner - 90) for corner in range(6)]
    return tuple((x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return about how wide a text is."""
    return len(text) * size * (BOLD_WIDTH if bold else CHAR_WIDTH)


def fitted(text: str, size: float, width: float, bold: bool = False) -> str:
    """Return a text cut to a width, with an ellipsis if it was too long."""
    if text_width(text, size, bold) <= width:
        return text
    room = int(width / (size * (BOLD_WIDTH if bold else CHAR_WIDTH)))
    return text[: max(1, room - 2)].rstrip(" ,") + "..."
