"""Pictures of positions, from the viewpoint of one General or of the referee."""

from sackarmies_env.render.ansi import ansi
from sackarmies_env.render.rgb import rgb_array
from sackarmies_env.render.svg import svg

__all__ = ["ansi", "rgb_array", "svg"]
