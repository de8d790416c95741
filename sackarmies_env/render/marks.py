"""Small marks and signs that pictures and pages share: plain marks, numbers of seats, types of units, terrain."""

from __future__ import annotations

import math

from sackarmies_env.render import theme
from sackarmies_env.render.shapes import Circle, Line, Place, Polygon, Rect, Scene, Text

Box = tuple[float, float, float, float]  # left, top, right, bottom

TYPES = ("infantry", "cavalry", "missile", "artillery")  # of units, with a symbol each
SIGNS = ("water", "halts", "movement", "damage", "armor", "shelters")  # of terrain


def draw_mark(scene: Scene, place: Place, mark: str, color: str, fill: str | None = None) -> None:
    """Draw a mark: "square", "circle", "triangle", "diamond" or "ring".

    Args:
        scene: the scene to draw on.
        place: its center and its radius.
        mark: which one.
        color: color of its edge.
        fill: color of its inside; defaults to that of its edge. A ring is always open.
    """
    x, y, r = place
    inside, width = color if fill is None else fill, 0.25 * r
    if mark == "ring":
        scene.append(Circle(x, y, 0.8 * r, theme.WHITE, color, 0.45 * r))
    elif mark == "circle":
        scene.append(Circle(x, y, 0.95 * r, inside, color, width))
    elif mark == "square":
        scene.append(Rect(*place.at(-0.85, -0.85), 1.7 * r, 1.7 * r, inside, color, width))
    elif mark == "triangle":
        scene.append(Polygon((place.at(0, -1), place.at(1, 0.8), place.at(-1, 0.8)), inside, color, width))
    else:
        corners = (place.at(0, -1.1), place.at(1.1, 0), place.at(0, 1.1), place.at(-1.1, 0))
        scene.append(Polygon(corners, inside, color, width))


def draw_seat_number(scene: Scene, place: Place, seat: int) -> None:
    """Draw a disc in the color of a seat with its number."""
    scene.append(Circle(*place, theme.SEATS[seat], theme.WHITE, 0.18 * place.r))
    scene.append(Text(place.x, place.y, str(seat), 1.5 * place.r, theme.WHITE, bold=True))


def draw_type(scene: Scene, box: Box, unit_class: str) -> None:
    """Draw the symbol of a unit's type in a frame: cross, slash, arrow, ball; nothing for other types."""
    left, top, right, bottom = box
    if unit_class == "other":
        return
    x, y, height = (left + right) / 2, (top + bottom) / 2, bottom - top
    width = 0.11 * height
    frame = ((left, top), (right, top), (right, bottom), (left, bottom))
    scene.append(Polygon(frame, theme.WHITE, theme.INK, width))
    if unit_class in ("infantry", "cavalry"):
        scene.append(Line((frame[3], frame[1]), theme.INK, width))
    if unit_class == "infantry":
        scene.append(Line((frame[0], frame[2]), theme.INK, width))
    if unit_class == "missile":
        scene.append(Line(((x, bottom - 0.12 * height), (x, top + 0.2 * height)), theme.INK, width))
        low, side = top + 0.46 * height, 0.27 * height
        scene.append(Polygon(((x, top + 0.12 * height), (x - side, low), (x + side, low)), theme.INK))
    if unit_class == "artillery":
        scene.append(Circle(x, y, 0.27 * height, theme.INK))


def draw_sign(scene: Scene, place: Place, sign: str) -> None:
    """Draw a sign of terrain: waves, a bar, two chevrons, a sword, a shield or a fish."""
    color, width = theme.INK, 0.28 * place.r
    match sign:
        case "water":
            for row in (-0.45, 0.35):
                wave = [place.at(step / 4, row - 0.28 * math.sin(step * math.pi / 2)) for step in range(-4, 5)]
                scene.append(Line(tuple(wave), color, width))
        case "halts":
            scene.append(Circle(place.x, place.y, 0.9 * place.r, theme.WHITE, color, width))
            scene.append(Line((place.at(-0.5, 0), place.at(0.5, 0)), color, 1.4 * width))
        case "movement":
            for left in (-0.7, 0.1):
                scene.append(Line((place.at(left, -0.8), place.at(left + 0.7, 0), place.at(left, 0.8)), color, width))
        case "damage":
            scene.append(Line((place.at(-0.8, 0.8), place.at(0.9, -0.9)), color, width))
            scene.append(Line((place.at(-0.75, 0.05), place.at(-0.05, 0.75)), color, width))
        case "armor":
            shield = ((-0.75, -0.9), (0.75, -0.9), (0.75, 0.1), (0.0, 1.0), (-0.75, 0.1))
            scene.append(Polygon(tuple(place.at(*corner) for corner in shield), theme.WHITE, color, width))
        case _:
            body = ((-1, 0), (-0.3, -0.6), (0.4, 0), (-0.3, 0.6))
            scene.append(Polygon(tuple(place.at(*corner) for corner in body), color))
            scene.append(Polygon((place.at(0.2, 0), place.at(1, -0.6), place.at(1, 0.6)), color))
