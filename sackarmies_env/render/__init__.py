"""Pictures of positions, from the viewpoint of one player or of the referee, and recorded games in words."""

from sackarmies_env.render.ansi import ansi
from sackarmies_env.render.narrate import narrate
from sackarmies_env.render.rgb import rgb_array
from sackarmies_env.render.svg import svg

__all__ = ["ansi", "narrate", "rgb_array", "svg"]
