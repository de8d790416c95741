"""The board as an array of pixels."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import missing_extra
from sackarmies_env.render import theme
from sackarmies_env.render.picture import REFEREE
from sackarmies_env.render.scene import drawing_of
from sackarmies_env.render.shapes import Circle, Line, Point, Polygon, Rect, Scene, Shape, Text

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

SAMPLES = 2  # pixels drawn per pixel of the picture in each direction, for smooth edges
ANCHORS = {"start": "lm", "middle": "mm", "end": "rm"}
BOLD_STROKE = 0.03  # of the font size


def rgb_array(game: Game, states: NDArray[np.void], viewer: int | None = REFEREE) -> NDArray[np.uint8]:
    """Return the position in `states[0]` as pixels.

    Args:
        game: the game.
        states: `(n,)` records of `game.state_dtype`; the first is shown.
        viewer: seat whose knowledge is shown, or None for the referee, who sees all.

    Returns:
        (800, 1280, 3) uint8, always of this size.

    Raises:
        ValueError: `viewer` is not a seat, or Pillow is not installed.
    """
    try:
        return paint_rgb(drawing_of(game, states, viewer).scene)
    except ImportError as error:
        sentence = missing_extra(error, 'render_mode "rgb_array"')
        raise ValueError(f'{sentence}, or choose render_mode "ansi"') if sentence else error from None


def paint_rgb(scene: Scene) -> NDArray[np.uint8]:
    """Return a scene as (800, 1280, 3) uint8 pixels.

    Raises:
        ImportError: Pillow is not installed.
    """
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (theme.WIDTH * SAMPLES, theme.HEIGHT * SAMPLES), theme.PAPER)
    draw = ImageDraw.Draw(image)
    for shape in scene:
        draw_shape(draw, shape)
    small = image.resize((theme.WIDTH, theme.HEIGHT), Image.Resampling.BOX)
    return np.array(small, np.uint8)


def scaled(points: tuple[Point, ...]) -> list[Point]:
    """Return points in drawn pixels, before the picture is scaled down."""
    return [(x * SAMPLES, y * SAMPLES) for x, y in points]


def line_width(width: float) -> int:
    """Return the width of a line in drawn pixels."""
    return max(1, round(width * SAMPLES))


def draw_shape(draw: ImageDraw, shape: Shape) -> None:
    """Draw one shape."""
    match shape:
        case Polygon():
            corners = scaled(shape.points)
            if shape.fill:
                draw.polygon(corners, fill=shape.fill)
            if shape.stroke:
                draw.line([*corners, *corners[:2]], fill=shape.stroke, width=line_width(shape.width), joint="curve")
        case Rect():
            half = shape.width / 2 if shape.stroke else 0.0  # edges are centered on the outline
            (x0, y0), (x1, y1) = scaled(
                ((shape.x - half, shape.y - half), (shape.x + shape.w + half, shape.y + shape.h + half))
            )
            outline, width = shape.stroke or None, line_width(shape.width)
            draw.rounded_rectangle((x0, y0, x1, y1), shape.radius * SAMPLES, shape.fill or None, outline, width)
        case Circle():
            reach = shape.r + (shape.width / 2 if shape.stroke else 0.0)
            (x0, y0), (x1, y1) = scaled(((shape.x - reach, shape.y - reach), (shape.x + reach, shape.y + reach)))
            draw.ellipse((x0, y0, x1, y1), shape.fill, shape.stroke or None, line_width(shape.width))
        case Line():
            draw.line(scaled(shape.points), fill=shape.stroke, width=line_width(shape.width), joint="curve")
        case Text():
            draw_text(draw, shape)


def draw_text(draw: ImageDraw, text: Text) -> None:
    """Draw a line of text; Pillow's own font has a single weight, so bold text gets a thicker stroke."""
    size = text.size * SAMPLES
    stroke = size * BOLD_STROKE if text.bold else 0.0
    place = (text.x * SAMPLES, text.y * SAMPLES)
    font = font_of(round(size))
    draw.text(place, text.text, text.fill, font, ANCHORS[text.anchor], stroke_width=stroke, stroke_fill=text.fill)


@functools.cache
def font_of(size: int) -> FreeTypeFont:
    """Return Pillow's own font at a given size."""
    from PIL import ImageFont

    font = ImageFont.load_default(max(size, 1))
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise ValueError("pictures of pixels need a Pillow with FreeType; install the wheel from PyPI")
    return font
