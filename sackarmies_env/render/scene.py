"""A picture as shapes in pixels, which the SVG and the raster painter both draw, so that they show the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.render import theme
from sackarmies_env.render.picture import find_picture
from sackarmies_env.render.plain import COLUMNS, observation_lines, text_scene
from sackarmies_env.render.shapes import Scene


class Drawing(NamedTuple):
    """What a painter draws: a title and shapes from back to front."""

    title: str
    scene: Scene


def drawing_of(game: Game, states: NDArray[np.void], viewer: int | None) -> Drawing:
    """Return what `viewer` may see of `states[0]`: a picture, or text if the game has none.

    Raises:
        ValueError: `viewer` is not a seat.
    """
    picture = find_picture(game, states, viewer)
    if picture is not None:
        return Drawing(f"{picture.title}: {picture.headline()}", picture.scene(theme.LIGHT))
    lines = observation_lines(game, states, viewer, COLUMNS)
    return Drawing(lines[0], text_scene(lines))
