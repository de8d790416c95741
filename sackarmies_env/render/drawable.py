"""Pictures that draw themselves, for games whose board is not made of hexes."""

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
    """A position as one viewer may see it; what its methods return depends only on what this viewer knows."""

    @property
    def title(self) -> str:
        """Name of the game."""

    @property
    def viewer(self) -> int | None:
        """Seat, or None for the referee."""

    @property
    def turn(self) -> int:
        """Number of turns begun."""

    @property
    def log(self) -> tuple[str, ...]:
        """Last public events in words, latest first."""

    @property
    def hand(self) -> Pile | None:
        """The viewer's own hand; None for the referee and in games without hands."""

    def headline(self) -> str:
        """Return the state of the game in a sentence."""

    def scene(self, colors: Colors) -> Scene:
        """Return the picture in the size set by `theme`; `colors` is `theme.LIGHT`, `theme.DARK` or `theme.ON_PAGE`."""

    def lines(self, canvas: Canvas) -> list[str]:
        """Return the position as text for a terminal; `canvas` sets the width and whether to use color."""


def find_drawable(game: Game, states: NDArray[np.void], viewer: int | None) -> Drawable | None:
    """Return what `viewer` may see of `states[0]`; None if the game has no hook `drawing`.

    Args:
        game: the game.
        states: `(n,)` records of `game.state_dtype`.
        viewer: seat, or None for the referee, who sees all.

    Raises:
        ValueError: `viewer` is not a seat.
    """
    check_viewer(game, viewer)
    draw = find_hook(game.id, "drawing")
    if draw is None:
        return None
    drawable: Drawable = draw(game, states, viewer)
    return drawable
