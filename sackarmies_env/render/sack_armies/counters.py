"""Unit counters as shapes."""

from __future__ import annotations

from sackarmies_env.render import theme
from sackarmies_env.render.marks import draw_mark, draw_seat_number, draw_type
from sackarmies_env.render.sack_armies.model import AttachmentView, UnitCard, UnitView
from sackarmies_env.render.shapes import Circle, Line, Place, Polygon, Rect, Scene, Text, two_lines

# Lengths are in units of the hex radius.
HALF_WIDTH = 0.6  # of a counter
TOP, BOTTOM = -0.64, 0.31
BAND_TOP, BAND = -0.6, 0.32  # name band
NAME_WIDTH, NAME_HEIGHT, NAME_SIZE = 0.97, 0.29, 0.18
NAME_X = 0.06  # center of the name, to the right of the seat number
ROW, ROW_HEIGHT = -0.13, 0.24  # row of symbol, band and range
VALUES = 0.16  # row of movement, damage and armor


def draw_counter(scene: Scene, place: Place, unit: UnitView) -> None:
    """Draw a unit and what lies under it."""
    draw_stack(scene, place, unit.attachments)
    color = theme.SEATS[unit.owner]
    x, y = place.at(-HALF_WIDTH, TOP)
    width, height = 2 * HALF_WIDTH * place.r, (BOTTOM - TOP) * place.r
    fill = theme.SEAT_TINTS[unit.owner] if unit.face_up else color
    scene.append(Rect(x + 0.03 * place.r, y + 0.04 * place.r, width, height, theme.SHADOW, radius=0.1 * place.r))
    scene.append(Rect(x, y, width, height, fill, color, 0.06 * place.r, 0.1 * place.r))
    if unit.card is None:
        draw_back(scene, place)
    else:
        draw_card(scene, place, unit.card, unit.face_up)
    draw_flags(scene, place, unit)


def draw_back(scene: Scene, place: Place) -> None:
    """Draw the back of an unrevealed unit."""
    inner = Rect(
        *place.at(-0.49, -0.53), 0.98 * place.r, 0.73 * place.r, "", theme.WHITE, 0.025 * place.r, 0.06 * place.r
    )
    scene.append(inner)
    scene.append(Text(*place.at(0.0, -0.165), "?", 0.55 * place.r, theme.WHITE, bold=True))


def draw_card(scene: Scene, place: Place, card: UnitCard, face_up: bool) -> None:
    """Draw the face of a unit; a face-down unit keeps the color of its back."""
    ink = theme.INK if face_up else theme.WHITE
    band = theme.BANDS[card.band]
    edge = "" if face_up else theme.WHITE
    scene.append(
        Rect(*place.at(-0.56, BAND_TOP), 1.12 * place.r, BAND * place.r, band, edge, 0.015 * place.r, 0.06 * place.r)
    )
    lines, size = two_lines(card.name, NAME_WIDTH, NAME_HEIGHT, NAME_SIZE)
    for row, line in enumerate(lines):
        y = BAND_TOP + BAND / 2 + size * (row - (len(lines) - 1) / 2)
        scene.append(Text(*place.at(NAME_X, y), line, size * place.r, theme.WHITE, bold=True))
    draw_type(scene, (*place.at(-0.52, ROW - ROW_HEIGHT / 2), *place.at(-0.17, ROW + ROW_HEIGHT / 2)), card.unit_class)
    draw_band(scene, place, card.band)
    if card.range:
        scene.append(Text(*place.at(0.315, ROW), f"R{card.range}", 0.2 * place.r, ink, bold=True))
    for bar in range(card.rank):
        y = ROW + 0.09 - 0.07 * bar
        scene.append(Line((place.at(0.47, y), place.at(0.54, y)), ink, 0.03 * place.r))
    values = (card.movement, card.damage, card.armor)
    for column, (value, printed, letter) in enumerate(zip(values, card.printed, "MDA", strict=True)):
        draw_value(scene, place, (letter, value, printed), column, face_up)


def draw_band(scene: Scene, place: Place, band: str) -> None:
    """Draw a tile with the mark and the letter of a band."""
    color = theme.BANDS[band]
    x, y = place.at(-0.13, ROW - ROW_HEIGHT / 2)
    scene.append(Rect(x, y, 0.3 * place.r, ROW_HEIGHT * place.r, theme.WHITE, radius=0.04 * place.r))
    draw_mark(scene, place.inner(-0.045, ROW, 0.065), theme.BAND_MARKS[band], color)
    scene.append(Text(*place.at(0.095, ROW), theme.BAND_LETTERS[band], 0.18 * place.r, color, bold=True))


def draw_value(scene: Scene, place: Place, told: tuple[str, int, int], column: int, face_up: bool) -> None:
    """Write an effective value with its letter; a triangle up or down means above or below the printed one."""
    letter, value, printed = told
    ink = theme.INK if face_up else theme.WHITE
    raised, lowered = (theme.RAISED, theme.LOWERED) if face_up else (theme.RAISED_DOWN, theme.LOWERED_DOWN)
    color = ink if value == printed else raised if value > printed else lowered
    x = -0.34 + 0.335 * column
    letter_ink = theme.FADED_INK if face_up else ink
    scene.append(Text(*place.at(x - 0.015, VALUES + 0.02), letter, 0.14 * place.r, letter_ink, "end"))
    scene.append(Text(*place.at(x, VALUES), str(value), 0.24 * place.r, color, "start", True))
    if value != printed:
        up = 1 if value > printed else -1
        left, middle = x - 0.115, VALUES - 0.095
        corners = ((left, middle + 0.03 * up), (left + 0.08, middle + 0.03 * up), (left + 0.04, middle - 0.04 * up))
        scene.append(Polygon(tuple(place.at(*corner) for corner in corners), color))


def draw_stack(scene: Scene, place: Place, attachments: tuple[AttachmentView, ...]) -> None:
    """Draw attachments along the right edge of the counter; each mark shows the kind and is hollow while face down."""
    step = min(0.19, 0.72 / max(1, len(attachments)))
    for slot, attachment in enumerate(attachments):
        color = theme.KINDS[attachment.kind]
        fill = color if attachment.face_up else theme.WHITE
        draw_mark(scene, place.inner(0.68, -0.42 + slot * step, 0.085), theme.KIND_MARKS[attachment.kind], color, fill)


def draw_flags(scene: Scene, place: Place, unit: UnitView) -> None:
    """Mark on the corners whose unit it is, and whether it has acted or moved, is face down, or holds captives."""
    draw_seat_number(scene, place.inner(-0.555, -0.585, 0.13), unit.owner)
    if unit.employed or unit.moved:
        draw_flag(scene, place.inner(0.56, -0.59, 0.11), "E" if unit.employed else "M", theme.INK)
    if unit.captives:
        draw_flag(scene, place.inner(0.61, 0.31, 0.11), str(len(unit.captives)), theme.CAPTIVES)
    if unit.card is not None and not unit.face_up:
        draw_flag(scene, place.inner(-0.61, 0.31, 0.11), "?", theme.SEATS[unit.owner])


def draw_flag(scene: Scene, place: Place, letter: str, color: str) -> None:
    """Draw a disc with a letter for the status of a unit, such as "M" for moved."""
    scene.append(Circle(*place, color, theme.WHITE, 0.22 * place.r))
    scene.append(Text(place.x, place.y, letter, 1.45 * place.r, theme.WHITE, bold=True))
