"""The picture of a Territories position as shapes: the map, the battle board or the cards, the panel, the legend."""

from __future__ import annotations

import math
from typing import NamedTuple

from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.render import theme
from sackarmies_env.render.marks import draw_mark, draw_seat_number
from sackarmies_env.render.shapes import Line, Place, Point, Polygon, Rect, Scene, Text, text_width
from sackarmies_env.render.territories.battle import draw_battle, draw_cards
from sackarmies_env.render.territories.model import PictureData, TerritoryView
from sackarmies_env.render.territories.panel import draw_panel
from sackarmies_env.render.territories.units import UNIT, UNIT_MARKS, draw_units
from sackarmies_env.render.theme import Colors

MARGIN = 8.0
WIDTH = theme.WIDTH - theme.PANEL
MAP_HEIGHT = 438.0
LEGEND_Y, LEGEND_SIZE, LEGEND_GAP = theme.HEIGHT - 14.0, 11.0, 14.0
NUMBER, SAFE = 15.0, 11.0  # font sizes in a territory
ROW = 19.0  # from row to row in a territory
BADGE, PEAK = 8.5, 5.0  # radii


class Camera(NamedTuple):
    """Scale and position of the map in the picture."""

    scale: float
    x: float
    y: float

    def at(self, point: Point) -> Point:
        """Return a point of the map in pixels."""
        return self.x + self.scale * point[0], self.y + self.scale * point[1]


def make_scene(picture: PictureData, colors: Colors) -> Scene:
    """Return the shapes of a picture, from back to front."""
    scene: Scene = [
        Rect(0, 0, theme.WIDTH, theme.HEIGHT, colors["paper"]),
        Rect(0, 0, WIDTH, MAP_HEIGHT, colors["water"]),
    ]
    draw_map(scene, picture, colors)
    if picture.battle is None:
        draw_cards(scene, picture, colors)
    else:
        draw_battle(scene, picture, picture.battle, colors)
    draw_legend(scene, colors)
    draw_panel(scene, picture, colors)
    return scene


# --- the map


def make_camera(picture: PictureData) -> Camera:
    """Return the camera that centers the whole map in its part of the picture."""
    corners = [corner for territory in picture.territories for corner in territory.outline]
    left, right = min(x for x, _ in corners), max(x for x, _ in corners)
    top, bottom = min(y for _, y in corners), max(y for _, y in corners)
    scale = min((WIDTH - 2 * MARGIN) / (right - left), (MAP_HEIGHT - 2 * MARGIN) / (bottom - top))
    return Camera(scale, (WIDTH - scale * (left + right)) / 2, (MAP_HEIGHT - scale * (top + bottom)) / 2)


def draw_map(scene: Scene, picture: PictureData, colors: Colors) -> None:
    """Draw all territories, with thick edges if they are chosen or may be chosen, and the attack or move."""
    camera = make_camera(picture)
    for territory in picture.territories:
        fill = colors["open"] if territory.owner == NO_PLAYER else colors[f"tint-{territory.owner}"]
        scene.append(Polygon(tuple(map(camera.at, territory.outline)), fill, colors["faded"], 1.4))
    edged = [(number, "highlight", 2.5) for number in picture.choices]
    edged += [(picture.move[0], "accent", 4.0), (picture.move[1], "target", 4.0)]
    outlines = {territory.number: territory.outline for territory in picture.territories}
    for number, color, width in edged:
        if number in outlines:
            scene.append(Polygon(tuple(map(camera.at, outlines[number])), "", colors[color], width))
    centers = {territory.number: camera.at(territory.center) for territory in picture.territories}
    if picture.move[0] in centers and picture.move[1] in centers:
        draw_arrow(scene, centers[picture.move[0]], centers[picture.move[1]], colors)
    for territory in picture.territories:
        draw_territory(scene, centers[territory.number], territory, colors, territory.number in picture.choices)


def draw_arrow(scene: Scene, source: Point, target: Point, colors: Colors) -> None:
    """Draw an arrow over the border between two territories, clear of the text in them."""
    angle = math.atan2(target[1] - source[1], target[0] - source[0])
    cos, sin = math.cos(angle), math.sin(angle)
    x, y = (source[0] + target[0]) / 2, (source[1] + target[1]) / 2
    half = 22.0 if abs(cos) > abs(sin) else 18.0
    tip, start = (x + half * cos, y + half * sin), (x - half * cos, y - half * sin)
    back = (x + (half - 14) * cos, y + (half - 14) * sin)
    head = (tip, (back[0] - 9 * sin, back[1] + 9 * cos), (back[0] + 9 * sin, back[1] - 9 * cos))
    scene.append(Line((start, back), theme.INK, 8))
    scene.append(Polygon(head, colors["announced"], theme.INK, 2))
    scene.append(Line((start, back), colors["announced"], 4.5))


def draw_territory(scene: Scene, center: Point, territory: TerritoryView, colors: Colors, is_choice: bool) -> None:
    """Write what is in a territory: owner, number and height, then units by type, two per row."""
    is_owned = territory.owner != NO_PLAYER
    ink = colors["token-ink" if is_owned else "ink"]
    units = [(unit, count) for unit, count in enumerate(territory.units) if count]
    rows = [units[start : start + 2] for start in range(0, len(units), 2)]
    x, y = center[0], center[1] - ROW * len(rows) / 2
    name = f"{territory.number}" + ("*" if is_choice else "")
    width = text_width(name, NUMBER, True)
    peaks = 2.1 * PEAK * territory.elevation
    safe = " safe" if territory.is_safe else ""
    whole = (2 * BADGE + 4 if is_owned else 0) + width + 4 + peaks + text_width(safe, SAFE)
    left = x - whole / 2
    if is_owned:
        draw_seat_number(scene, Place(left + BADGE, y, BADGE), territory.owner)
        left += 2 * BADGE + 4
    scene.append(Text(left, y, name, NUMBER, ink, "start", True))
    left += width + 4
    for peak in range(territory.elevation):
        draw_peak(scene, Place(left + PEAK * (1 + 2.1 * peak), y, PEAK), ink)
    if safe:
        scene.append(Text(left + peaks + 3, y, safe.strip(), SAFE, ink, "start"))
    for number, row in enumerate(rows):
        draw_units(scene, Place(x, y + ROW * (number + 1), UNIT), row, ink, is_centered=True)


def draw_peak(scene: Scene, place: Place, ink: str) -> None:
    """Draw the mark of one step of height."""
    scene.append(Polygon((place.at(-1, 0.8), place.at(0, -1), place.at(1, 0.8)), "", ink, 1.4))


# --- the legend


def draw_legend(scene: Scene, colors: Colors) -> None:
    """Draw the meanings of the marks, on a line at the bottom."""
    x, y, ink = 12.0, LEGEND_Y, colors["ink"]

    def tell(words: str, room: float) -> None:
        nonlocal x
        scene.append(Text(x + room, y, words, LEGEND_SIZE, ink, "start"))
        x += room + text_width(words, LEGEND_SIZE) + LEGEND_GAP

    for unit, mark in UNIT_MARKS.items():
        draw_mark(scene, Place(x + 6, y, 5), mark, ink)
        tell(unit.name.lower(), 15)
    draw_peak(scene, Place(x + 6, y, PEAK), ink)
    tell("step of height", 15)
    draw_seat_number(scene, Place(x + 7, y, 7), 0)
    tell("player in control; none: nobody", 17)
    scene.append(Rect(x, y - 6, 14, 12, "", colors["accent"], 3))
    tell("from", 20)
    scene.append(Rect(x, y - 6, 14, 12, "", colors["target"], 3))
    tell("to", 20)
    scene.append(Rect(x, y - 6, 14, 12, "", colors["highlight"], 2))
    tell("* may be chosen", 20)
    tell("safe: no more attacks in this turn", 0)
