"""Pictures of positions, from the viewpoint of one player or of the referee; recorded games in words and as pages."""

from sackarmies_env.render.ansi import ansi
from sackarmies_env.render.narrate import narrate
from sackarmies_env.render.replay import Replay, html
from sackarmies_env.render.rgb import rgb_array
from sackarmies_env.render.svg import svg

__all__ = ["Replay", "ansi", "html", "narrate", "rgb_array", "svg"]
