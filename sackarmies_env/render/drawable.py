"""Pictures that draw themselves: of games whose board is not made of hexes."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.render.board import Pile
from sackarmies_env.render.canvas import Canvas
from sackarmies_env.render.picture import check_viewer
from sackarmies_env.render.shapes import Scene
from sackarmies_env.render.theme import Colors


class Drawable(Protocol):
    """A position as one viewer may see it; all that its methods return depends on what this viewer knows alone."""

    @property
    def title(self) -> str:
        """The game."""

    @property
    def viewer(self) -> int | None:
        """Seat, None for the referee."""

    @property
    def turn(self) -> int:
        """Turns begun."""

    @property
    def log(self) -> tuple[str, ...]:
        """Last public events in words, latest first."""

    @property
    def hand(self) -> Pile | None:
        """The viewer's own hand; None for the referee, and where there are no hands."""

    def headline(self) -> str:
        """Return the state of the game in a sentence."""

    def scene(self, colors: Colors) -> Scene:
        """Return the picture, of the size that `theme` says, in `theme.LIGHT`, `theme.DARK` or the colors of pages."""

    def lines(self, canvas: Canvas) -> list[str]:
        """Return the position as text for a terminal; `canvas` says how wide it may be and how it is colored."""


def find_drawable(game: Game, states: NDArray[np.void], viewer: int | None) -> Drawable | None:
    """Return what `viewer` may see of `states[0]`; None if the game has no hook `drawing`.

    Args:
        game: the game.
        states: `(n,)` records of `game.state_dtype`.
        viewer: seat, or None for the referee, who sees all.

    Raises:
        ValueError: `viewer` is no seat.
    """
    check_viewer(game, viewer)
    draw = find_hook(game.id, "drawing")
    if draw is None:
        return None
    drawable: Drawable = draw(game, states, viewer)
    return drawable
