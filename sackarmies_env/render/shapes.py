"""Shapes that both painters can draw, in pixels; a list of them, from back to front, is a scene."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

Point = tuple[float, float]

# Widths of bold letters, in multiples of the font size: the widest of Arial, Helvetica and Pillow's own font.
NARROW, NARROW_WIDTH = frozenset(" fijlrtI.,:;'!|()-"), 0.37
WIDE, WIDE_WIDTH = frozenset("mwMW"), 0.95
CAPITAL_WIDTH = 0.74
CHAR_WIDTH = 0.62
REGULAR = 0.9  # width of a letter that is not bold, relative to the bold one
LEADING = 1.05  # from line to line of a name, in multiples of the font size


@dataclass(frozen=True)
class Polygon:
    """A filled polygon; an empty `stroke` draws no edge, an empty `fill` no inside."""

    points: tuple[Point, ...]
    fill: str
    stroke: str = ""
    width: float = 1.0


@dataclass(frozen=True)
class Rect:
    """A rectangle with round corners; `fill` and `stroke` as for a polygon."""

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
    """A disc; `fill` and `stroke` as for a polygon."""

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
    """A line of text; `y` is its middle, and `anchor` ("start", "middle" or "end") says what `x` is."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: str = "middle"
    bold: bool = False


Shape = Polygon | Rect | Circle | Line | Text
Scene = list[Shape]


class Place(NamedTuple):
    """A point in pixels, with the unit of length for what is drawn there, such as the radius of a hex."""

    x: float
    y: float
    r: float

    def at(self, dx: float, dy: float) -> Point:
        """Return the point at an offset in radii."""
        return self.x + dx * self.r, self.y + dy * self.r

    def inner(self, dx: float, dy: float, r: float) -> Place:
        """Return a smaller place in this one; offset and radius are in radii of this place."""
        return Place(*self.at(dx, dy), r * self.r)


def hexagon(x: float, y: float, radius: float) -> tuple[Point, ...]:
    """Return the corners of a pointy-top hexagon."""
    angles = [math.pi / 180 * (60 * corner - 90) for corner in range(6)]
    return tuple((x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return the approximate width of a text, rather too wide than too narrow, since fonts differ."""
    return sum(map(_width, text)) * size * (1.0 if bold else REGULAR)


@functools.cache
def _width(char: str) -> float:
    if char in NARROW:
        return NARROW_WIDTH
    if char in WIDE:
        return WIDE_WIDTH
    return CAPITAL_WIDTH if char.isupper() else CHAR_WIDTH


def wrapped(text: str, size: float, width: float, bold: bool = False) -> list[str]:
    """Return a text in lines of at most `width`, broken between words."""
    lines: list[str] = []
    used, space = 0.0, text_width(" ", size, bold)
    for word in text.split():
        length = text_width(word, size, bold)
        if lines and used + space + length <= width:
            lines[-1] += f" {word}"
            used += space + length
        else:
            lines.append(word)
            used = length
    return lines


def two_lines(name: str, width: float, height: float, largest: float) -> tuple[list[str], float]:
    """Return a bold name on one or two lines, and the largest font size at which it fits into a box.

    Args:
        name: the name, which is never cut.
        width: width of the box.
        height: height of the box.
        largest: maximum font size.
    """
    words = name.split()
    choices = [[name], *([" ".join(words[:cut]), " ".join(words[cut:])] for cut in range(1, len(words)))]
    sized = [
        (min(largest, height / (LEADING * len(lines)), *(width / text_width(line, 1.0, True) for line in lines)), lines)
        for lines in choices
        if all(lines)
    ]
    size, lines = max(sized, key=lambda each: (each[0], -len(each[1])))
    return lines, size


def fitted(text: str, size: float, width: float, bold: bool = False) -> str:
    """Return a text cut to `width`, with an ellipsis if it was too long."""
    if text_width(text, size, bold) <= width:
        return text
    room = width - text_width("...", size, bold)
    end = next(end for end in range(len(text), -1, -1) if text_width(text[:end], size, bold) <= room or end == 0)
    return text[:end].rstrip(" ,") + "..."
