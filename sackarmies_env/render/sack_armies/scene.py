"""The picture of a Sack Armies position as shapes: the board, the legend, the panel."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sackarmies_env.render import theme
from sackarmies_env.render.picture import Hex
from sackarmies_env.render.sack_armies.counters import draw_counter
from sackarmies_env.render.sack_armies.fields import draw_field, draw_open_hex
from sackarmies_env.render.sack_armies.legend import draw_legend
from sackarmies_env.render.sack_armies.model import PictureData, center_of
from sackarmies_env.render.sack_armies.panel import draw_panel
from sackarmies_env.render.shapes import Line, Place, Polygon, Rect, Scene

MARGIN = 14  # pixels around the board
LARGEST_HEX = 64.0  # radius in pixels of the hexes of a small board
OPENING = 3  # radius, in hexes, of the middle of the board that is in the picture from the start


@dataclass(frozen=True)
class Camera:
    """Scale and position of hexes in the picture; they depend only on the set of legal hex spaces, which only grows."""

    scale: float
    x: float
    y: float

    def place(self, at: Hex) -> Place:
        """Return the center of a hex in pixels, with its radius."""
        x, y = center_of(at)
        return Place(self.x + x * self.scale, self.y + y * self.scale, self.scale)


def make_camera(hexes: tuple[Hex, ...]) -> Camera:
    """Return the camera that shows these hexes and the middle of the board."""
    middle = [(q, r) for q in (-OPENING, 0, OPENING) for r in (-OPENING, 0, OPENING) if abs(q + r) <= OPENING]
    centers = [center_of(at) for at in (*hexes, *middle)]
    left, right = min(x for x, _ in centers) - 1, max(x for x, _ in centers) + 1
    top, bottom = min(y for _, y in centers) - 1, max(y for _, y in centers) + 1
    width, height = theme.WIDTH - theme.PANEL - 2 * MARGIN, theme.HEIGHT - theme.LEGEND - 2 * MARGIN
    scale = min(width / (right - left), height / (bottom - top), LARGEST_HEX)
    x = MARGIN + width / 2 - scale * (left + right) / 2
    y = MARGIN + height / 2 - scale * (top + bottom) / 2
    return Camera(scale, x, y)


def make_scene(picture: PictureData) -> Scene:
    """Return the shapes of a picture, from back to front."""
    camera = make_camera(picture.hexes)
    scene: Scene = [Rect(0, 0, theme.WIDTH, theme.HEIGHT, fill=theme.PAPER)]
    taken = {field.at for field in picture.fields}
    for at in picture.hexes:
        if at not in taken:
            draw_open_hex(scene, camera.place(at), at)
    occupied = {unit.at for unit in picture.units}
    angles = {seat.seat: seat_angle(picture, seat.seat) for seat in picture.seats}
    for field in picture.fields:
        draw_field(scene, camera.place(field.at), field, angles[field.controller], field.at in occupied)
    for unit in picture.units:
        draw_counter(scene, camera.place(unit.at), unit)
    for source, target in picture.aim:
        draw_aim(scene, camera.place(source), camera.place(target))
    draw_legend(scene)
    draw_panel(scene, picture)
    return scene


def seat_angle(picture: PictureData, seat: int) -> float:
    """Return the angle at which a General sits, from right to down: the viewer below, the next one to their right."""
    base = picture.viewer or 0
    return math.pi / 2 - 2 * math.pi * (seat - base) / len(picture.seats)


def draw_aim(scene: Scene, source: Place, target: Place) -> None:
    """Draw an arrow from the acting unit to its target."""
    angle = math.atan2(target.y - source.y, target.x - source.x)
    cos, sin = math.cos(angle), math.sin(angle)
    start = (source.x + 0.55 * source.r * cos, source.y + 0.55 * source.r * sin)
    tip = (target.x - 0.5 * target.r * cos, target.y - 0.5 * target.r * sin)
    back = (tip[0] - 0.3 * target.r * cos, tip[1] - 0.3 * target.r * sin)
    side = (-0.17 * target.r * sin, 0.17 * target.r * cos)
    head = (tip, (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1]))
    scene.append(Line((start, back), theme.INK, 0.14 * source.r))
    scene.append(Polygon(head, theme.HIGHLIGHT, theme.INK, 0.05 * source.r))
    scene.append(Line((start, back), theme.HIGHLIGHT, 0.08 * source.r))
