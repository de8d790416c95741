"""Battlefields and unit counters as shapes."""

from __future__ import annotations

import math
from typing import NamedTuple

from sackarmies_env.render import theme
from sackarmies_env.render.board import AttachmentView, FieldView, UnitCard, UnitView
from sackarmies_env.render.shapes import Circle, Line, Polygon, Rect, Scene, Text, hexagon, text_width

GROWTH = 1.08  # of a counter; the lengths below are of the hex radius before it
HALF_WIDTH = 0.56  # of a counter
TOP, BOTTOM = -0.55, 0.36
BAND = 0.27  # height of the name band
NAME_SIZE = 0.155
LONG_NAME = 11  # letters that fit on one line of the band
SMALL = 42.0  # radius in pixels below which names give way to codes


class Place(NamedTuple):
    """The middle of a hex in pixels, and its radius."""

    x: float
    y: float
    r: float

    def at(self, dx: float, dy: float) -> tuple[float, float]:
        """Return a point, offsets in radii."""
        return self.x + dx * self.r, self.y + dy * self.r


# --- battlefields


def draw_field(scene: Scene, place: Place, field: FieldView, angle: float) -> None:
    """Draw a battlefield, its arrow toward the seat at `angle`, its owner's disc on the left."""
    color = theme.SEATS[field.controller]
    scene.append(Polygon(hexagon(place.x, place.y, place.r * 0.97), color))
    fill = theme.terrain_color(field.water, field.halts, bool(field.text))
    scene.append(Polygon(hexagon(place.x, place.y, place.r * 0.88), fill))
    draw_terrain(scene, place, field)
    draw_arrow(scene, place, angle, color)
    scene.append(Circle(*place.at(-0.74, 0.0), 0.115 * place.r, theme.SEATS[field.owner], theme.WHITE, 0.02 * place.r))
    scene.append(Text(*place.at(-0.74, 0.0), str(field.owner), 0.17 * place.r, theme.WHITE, bold=True))
    coordinates = f"{field.at[0]},{field.at[1]}"
    scene.append(Text(*place.at(0.0, -0.66), coordinates, 0.13 * place.r, theme.INK))
    lines = lines_of(field.name) if place.r >= SMALL else [field.code]
    size = (0.16 if len(lines) == 1 else 0.125) * place.r
    size = min(size, *(size * 0.92 * place.r / text_width(line, size, True) for line in lines))
    for row, line in enumerate(lines):
        y = 0.62 + 0.12 * (row - (len(lines) - 1) / 2)
        scene.append(Text(*place.at(0.0, y), line, size, theme.INK, bold=True))
    for bar in range(field.rank):
        x = 0.7 + 0.05 * bar
        scene.append(Line((place.at(x, -0.1), place.at(x, 0.1)), theme.INK, 0.025 * place.r))


def draw_terrain(scene: Scene, place: Place, field: FieldView) -> None:
    """Draw waves on water and hatching on ground that halts."""
    if field.water:
        for row in (-0.34, 0.0, 0.34):
            points = tuple(place.at(x / 10, row + 0.035 * math.sin(x * 1.4)) for x in range(-6, 7))
            scene.append(Line(points, theme.WHITE, 0.03 * place.r))
    if field.halts:
        for x in (-0.52, -0.26, 0.0, 0.26, 0.52):
            scene.append(Line((place.at(x - 0.1, 0.42), place.at(x + 0.1, -0.42)), theme.FADED_INK, 0.02 * place.r))


def draw_arrow(scene: Scene, place: Place, angle: float, color: str) -> None:
    """Draw a wedge from the edge of the hex toward a seat."""
    turned = (angle + math.pi / 6) % (math.pi / 3) - math.pi / 6  # from the nearest edge middle
    edge = 0.95 * math.cos(math.pi / 6) / math.cos(turned)
    cos, sin = math.cos(angle), math.sin(angle)
    tip = place.at(edge * cos, edge * sin)
    back = edge - 0.22
    wings = [place.at(back * cos - side * sin, back * sin + side * cos) for side in (0.17, -0.17)]
    scene.append(Polygon((tip, *wings), color, theme.WHITE, 0.03 * place.r))


# --- counters


def draw_counter(scene: Scene, place: Place, unit: UnitView) -> None:
    """Draw a unit with what lies under it."""
    place = Place(place.x, place.y, place.r * GROWTH)
    draw_stack(scene, place, unit.attachments)
    color = theme.SEATS[unit.owner]
    x, y = place.at(-HALF_WIDTH, TOP)
    width, height = 2 * HALF_WIDTH * place.r, (BOTTOM - TOP) * place.r
    fill = theme.SEAT_TINTS[unit.owner] if unit.face_up else color
    scene.append(Rect(x + 0.03 * place.r, y + 0.04 * place.r, width, height, theme.FADED_INK, radius=0.09 * place.r))
    scene.append(Rect(x, y, width, height, fill, color, 0.06 * place.r, 0.09 * place.r))
    if unit.card is None:
        draw_back(scene, place)
    else:
        draw_card(scene, place, unit.card, unit.face_up)
    draw_flags(scene, place, unit)


def draw_back(scene: Scene, place: Place) -> None:
    """Draw the back of an unrevealed unit."""
    inner = Rect(
        *place.at(-0.45, -0.44), 0.9 * place.r, 0.69 * place.r, "", theme.WHITE, 0.025 * place.r, 0.06 * place.r
    )
    scene.append(inner)
    scene.append(Text(*place.at(0.0, -0.095), "?", 0.5 * place.r, theme.WHITE, bold=True))


def draw_card(scene: Scene, place: Place, card: UnitCard, face_up: bool) -> None:
    """Draw the face of a unit; one that lies face down keeps the color of its back."""
    ink = theme.INK if face_up else theme.WHITE
    raised, lowered = (theme.RAISED, theme.LOWERED) if face_up else (theme.RAISED_DOWN, theme.LOWERED_DOWN)
    band = theme.BANDS[card.band]
    scene.append(Rect(*place.at(-0.52, -0.51), 1.04 * place.r, BAND * place.r, band, radius=0.06 * place.r))
    draw_name(scene, place, card)
    draw_symbol(scene, place, card.unit_class, ink)
    if card.range:
        scene.append(Text(*place.at(0.27, -0.09), f"R{card.range}", 0.21 * place.r, ink, bold=True))
    for bar in range(card.rank):
        y = -0.01 - 0.07 * bar
        scene.append(Line((place.at(0.43, y), place.at(0.5, y)), ink, 0.03 * place.r))
    values = (
        (card.movement, card.printed[0], "M"),
        (card.damage, card.printed[1], "D"),
        (card.armor, card.printed[2], "A"),
    )
    for column, (value, printed, letter) in enumerate(values):
        x = -0.37 + 0.34 * column
        color = ink if value == printed else raised if value > printed else lowered
        scene.append(
            Text(*place.at(x - 0.015, 0.225), letter, 0.14 * place.r, theme.FADED_INK if face_up else ink, "end")
        )
        scene.append(Text(*place.at(x, 0.21), str(value), 0.24 * place.r, color, "start", True))


def lines_of(name: str) -> list[str]:
    """Return a name on one line, or on two of about the same length if it is long."""
    words = name.split()
    if len(name) <= LONG_NAME or len(words) == 1:
        return [name]
    cut = min(range(1, len(words)), key=lambda i: abs(len(" ".join(words[:i])) - len(name) / 2))
    return [" ".join(words[:cut]), " ".join(words[cut:])]


def draw_name(scene: Scene, place: Place, card: UnitCard) -> None:
    """Write the name into the band."""
    small = place.r < SMALL * GROWTH
    lines = [card.code] if small else lines_of(card.name)
    size = (0.23 if small else NAME_SIZE if len(lines) == 1 else 0.13) * place.r
    size = min(size, *(size * 0.98 * place.r / text_width(line, size, True) for line in lines))
    for row, line in enumerate(lines):
        y = -0.51 + BAND / 2 + (row - (len(lines) - 1) / 2) * 0.125
        scene.append(Text(*place.at(0.0, y), line, size, theme.WHITE, bold=True))


def draw_symbol(scene: Scene, place: Place, unit_class: str, ink: str) -> None:
    """Draw the symbol of a unit's type in a frame: cross, slash, arrow, ball; none for other types."""
    left, right, top, bottom = -0.36, 0.06, -0.205, 0.055
    x = (left + right) / 2
    y = (top + bottom) / 2
    if unit_class == "other":
        return
    frame = (place.at(left, top), place.at(right, top), place.at(right, bottom), place.at(left, bottom))
    scene.append(Polygon(frame, theme.WHITE, theme.INK, 0.03 * place.r))
    width = 0.03 * place.r
    if unit_class in ("infantry", "cavalry"):
        scene.append(Line((frame[3], frame[1]), theme.INK, width))
    if unit_class == "infantry":
        scene.append(Line((frame[0], frame[2]), theme.INK, width))
    if unit_class == "missile":
        scene.append(Line((place.at(x, bottom - 0.03), place.at(x, top + 0.05)), theme.INK, width))
        head = (place.at(x, top + 0.03), place.at(x - 0.07, top + 0.12), place.at(x + 0.07, top + 0.12))
        scene.append(Polygon(head, theme.INK))
    if unit_class == "artillery":
        scene.append(Circle(*place.at(x, y), 0.07 * place.r, theme.INK))


def draw_stack(scene: Scene, place: Place, attachments: tuple[AttachmentView, ...]) -> None:
    """Draw the edges of attachments below the counter: blue spells, red maneuvers, hollow while face down."""
    width = min(0.24, 1.04 / max(1, len(attachments)))
    for slot, attachment in enumerate(attachments):
        x, y = place.at(-0.52 + slot * width, BOTTOM - 0.08)
        color = theme.KINDS[attachment.kind]
        fill = color if attachment.face_up else theme.WHITE
        scene.append(Rect(x, y, (width - 0.03) * place.r, 0.23 * place.r, fill, color, 0.03 * place.r, 0.03 * place.r))
        if attachment.name is None:
            label = place.at(-0.52 + slot * width + width / 2 - 0.015, BOTTOM + 0.09)
            scene.append(Text(*label, "?", 0.12 * place.r, color, bold=True))


def draw_flags(scene: Scene, place: Place, unit: UnitView) -> None:
    """Mark employed and moved units, and those that hold captives, on the corners of the counter."""
    flags = []
    if unit.employed:
        flags.append((0.53, -0.53, "E", theme.INK))
    elif unit.moved:
        flags.append((0.53, -0.53, "M", theme.INK))
    if unit.captives:
        flags.append((-0.53, -0.53, str(len(unit.captives)), theme.CAPTIVES))
    if unit.card is not None and not unit.face_up:
        flags.append((-0.53, -0.53, "?", theme.SEATS[unit.owner]))
    for dx, dy, letter, color in flags:
        scene.append(Circle(*place.at(dx, dy), 0.125 * place.r, color, theme.WHITE, 0.025 * place.r))
        scene.append(Text(*place.at(dx, dy), letter, 0.17 * place.r, theme.WHITE, bold=True))
