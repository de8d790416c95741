"""Shapes that both painters can draw, in pixels; a list of them, from back to front, is a scene."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

Point = tuple[float, float]

# Widths of bold letters in sizes of the font: of Arial, Helvetica and Pillow's own font the widest.
NARROW, NARROW_WIDTH = frozenset(" fijlrtI.,:;'!|()-"), 0.37
WIDE, WIDE_WIDTH = frozenset("mwMW"), 0.95
CAPITAL_WIDTH = 0.74
CHAR_WIDTH = 0.62
REGULAR = 0.9  # width of a letter that is not bold
LEADING = 1.05  # from line to line of a name, in sizes of the font


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


class Place(NamedTuple):
    """A point in pixels with a length that what is drawn there is measured in, such as the radius of a hex."""

    x: float
    y: float
    r: float

    def at(self, dx: float, dy: float) -> Point:
        """Return a point, offsets in radii."""
        return self.x + dx * self.r, self.y + dy * self.r

    def inner(self, dx: float, dy: float, r: float) -> Place:
        """Return a smaller place in this one, all in radii."""
        return Place(*self.at(dx, dy), r * self.r)


def hexagon(x: float, y: float, radius: float) -> tuple[Point, ...]:
    """Return the corners of a hexagon that stands on a corner."""
    angles = [math.pi / 180 * (60 * corner - 90) for corner in range(6)]
    return tuple((x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return about how wide a text is, rather more than less: fonts differ."""
    return sum(map(_width, text)) * size * (1.0 if bold else REGULAR)


@functools.cache
def _width(char: str) -> float:
    if char in NARROW:
        return NARROW_WIDTH
    if char in WIDE:
        return WIDE_WIDTH
    return CAPITAL_WIDTH if char.isupper() else CHAR_WIDTH


def wrapped(text: str, size: float, width: float, bold: bool = False) -> list[str]:
    """Return a text in lines of at most a width, broken between words."""
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
    """Return a name on one or two lines, bold, and the size of its letters: as large as they fit into a box.

    Args:
        name: it is never cut.
        width: of the box.
        height: of the box.
        largest: size that suffices.
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
    """Return a text cut to a width, with an ellipsis if it was too long."""
    if text_width(text, size, bold) <= width:
        return text
    room = width - text_width("...", size, bold)
    end = next(end for end in range(len(text), -1, -1) if text_width(text[:end], size, bold) <= room or end == 0)
    return text[:end].rstrip(" ,") + "..."
