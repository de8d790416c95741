"""Battlefields and open hexes as shapes."""

from __future__ import annotations

import math
from typing import NamedTuple

from sackarmies_env.render import theme
from sackarmies_env.render.marks import draw_seat_number, draw_sign
from sackarmies_env.render.picture import Hex
from sackarmies_env.render.sack_armies.model import FieldView
from sackarmies_env.render.shapes import Line, Place, Polygon, Rect, Scene, Text, hexagon, text_width, two_lines

OUTER, INNER = 0.97, 0.89  # radii of the edge of a battlefield, which has the color of its controller
COORDINATES = (-0.742, 0.15)  # y and size of their text


class Label(NamedTuple):
    """The layout of the name and the signs of a battlefield, in radii; they are smaller under a unit.

    Attributes:
        y: middle of the name.
        width, height: of the box for the name.
        largest: maximum font size of the name.
        signs: middle of the row of signs.
        sign: radius of a sign.
    """

    y: float
    width: float
    height: float
    largest: float
    signs: float
    sign: float


UNDER_UNIT = Label(y=0.445, width=1.12, height=0.23, largest=0.17, signs=0.645, sign=0.06)
FREE = Label(y=-0.05, width=1.3, height=0.5, largest=0.22, signs=0.42, sign=0.09)


def draw_open_hex(scene: Scene, place: Place, at: Hex) -> None:
    """Draw a legal hex space without a battlefield."""
    scene.append(Polygon(hexagon(place.x, place.y, place.r * OUTER), theme.OPEN_HEX, theme.OPEN_EDGE, 1.0))
    draw_coordinates(scene, place, at, theme.FADED_INK)


def draw_coordinates(scene: Scene, place: Place, at: Hex, color: str) -> None:
    """Write the coordinates of a hex."""
    y, size = COORDINATES
    scene.append(Text(*place.at(0.0, y), f"{at[0]},{at[1]}", size * place.r, color))


def draw_field(scene: Scene, place: Place, field: FieldView, angle: float, under_unit: bool) -> None:
    """Draw a battlefield with its arrow toward the seat at `angle`, and controller, owner and rank on the left."""
    scene.append(Polygon(hexagon(place.x, place.y, place.r * OUTER), theme.SEATS[field.controller]))
    fill = terrain_color(field.water, field.halts, bool(field.text))
    scene.append(Polygon(hexagon(place.x, place.y, place.r * INNER), fill))
    label = UNDER_UNIT if under_unit else FREE
    draw_arrow(scene, place, angle, theme.SEATS[field.controller])
    draw_coordinates(scene, place, field.at, theme.INK)
    draw_name(scene, place, field.name, label)
    draw_signs(scene, place, field, label)
    draw_seat_number(scene, place.inner(-0.72, -0.19, 0.12), field.controller)
    if field.owner != field.controller:
        draw_owner(scene, place.inner(-0.72, 0.08, 0.095), field.owner)
    for bar in range(field.rank):
        y = 0.27 + 0.06 * bar
        scene.append(Line((place.at(-0.73, y), place.at(-0.63, y)), theme.INK, 0.03 * place.r))


def terrain_color(water: bool, halts: bool, has_text: bool) -> str:
    """Return the fill of a battlefield."""
    if water:
        return theme.MARSH if halts else theme.WATER
    if halts:
        return theme.HALTING
    return theme.BONUS if has_text else theme.PLAIN


def draw_name(scene: Scene, place: Place, name: str, label: Label) -> None:
    """Write the name of a battlefield on one or two lines."""
    lines, size = two_lines(name, label.width, label.height, label.largest)
    for row, line in enumerate(lines):
        y = label.y + size * (row - (len(lines) - 1) / 2)
        scene.append(Text(*place.at(0.0, y), line, size * place.r, theme.INK, bold=True))


def signs_of(field: FieldView) -> list[tuple[str, str]]:
    """Return the signs of a battlefield's effects and what is written beside each, from left to right."""
    signs = [("water", "")] if field.water else []
    signs += [("halts", "")] if field.halts else []
    signs += [(effect.stat, f"{effect.amount:+}" + ("*" if effect.whom else "")) for effect in field.effects]
    return [*signs, ("shelters", "")] if field.shelters else signs


def draw_signs(scene: Scene, place: Place, field: FieldView, label: Label) -> None:
    """Draw the signs of a battlefield's effects in a row."""
    signs, r = signs_of(field), label.sign * place.r
    size = 2.1 * r
    widths = [2 * r + text_width(words, size, True) for _, words in signs]
    gap = 0.7 * r
    x = place.x - (sum(widths) + gap * (len(signs) - 1)) / 2
    y = place.y + label.signs * place.r
    for (sign, words), width in zip(signs, widths, strict=True):
        draw_sign(scene, Place(x + r, y, r), sign)
        if words:
            scene.append(Text(x + 2.3 * r, y, words, size, theme.INK, "start", True))
        x += width + gap


def draw_arrow(scene: Scene, place: Place, angle: float, color: str) -> None:
    """Draw a wedge on the edge of the hex toward a seat."""
    turned = (angle + math.pi / 6) % (math.pi / 3) - math.pi / 6  # from the middle of the nearest edge
    edge = OUTER * math.cos(math.pi / 6) / math.cos(turned)
    cos, sin = math.cos(angle), math.sin(angle)
    tip = place.at(edge * cos, edge * sin)
    back = edge - 0.15
    wings = [place.at(back * cos - side * sin, back * sin + side * cos) for side in (0.16, -0.16)]
    scene.append(Polygon((tip, *wings), color, theme.WHITE, 0.03 * place.r))


def draw_owner(scene: Scene, place: Place, seat: int) -> None:
    """Draw a square in the color of a seat with its number: the owner of a battlefield."""
    side, edge = 2 * place.r, 0.18 * place.r
    scene.append(Rect(*place.at(-1, -1), side, side, theme.SEATS[seat], theme.WHITE, edge))
    scene.append(Text(place.x, place.y, str(seat), 1.5 * place.r, theme.WHITE, bold=True))
