"""What one viewer may see of a position: a picture that the registered game makes, and that draws itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.render.canvas import Canvas
from sackarmies_env.render.shapes import Scene
from sackarmies_env.render.theme import Colors

Hex = tuple[int, int]  # axial (q, r)
Pile = tuple[tuple[str, int], ...]  # (name, copies), sorted by name

REFEREE = None  # the viewer who sees all
OVER = -1  # no current player, or none that the viewer may know of


class Drawable(Protocol):
    """A position as one viewer may see it; what its methods return depends only on what this viewer knows."""

    @property
    def title(self) -> str:
        """Name of the game."""

    @property
    def viewer(self) -> int | None:
        """Seat, or REFEREE."""

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

    def unasked(self) -> Drawable:
        """Return the picture without what is asked and of whom, unless all players always know that."""


@runtime_checkable
class HexBoard(Drawable, Protocol):
    """A picture with a board of hexes, on which people choose in the terminal and on pages.

    It is a dataclass, since pages draw it by the modules of `web/`, from its fields (see `frames.picture_data`), with
    colors of their own. So `scene` has light colors alone, whatever it is given.
    """

    @property
    def announced(self) -> str:
        """The announced attack or effect in words, "" if none."""

    @property
    def chosen(self) -> tuple[Hex, ...]:
        """Hexes already chosen in the current compound choice, as far as the viewer may know."""

    def tokens(self) -> Mapping[tuple[Hex, int], str | None]:
        """Return the names of tokens (None if hidden) by hex and place in its stack, where 0 is the top."""

    def board_lines(self, canvas: Canvas, labels: Mapping[Hex, str], height: int | None) -> list[str]:
        """Return the board alone as text, see `ansi.paint_board`."""

    def summary_lines(self, canvas: Canvas) -> list[str]:
        """Return what a player needs besides the board as text, in few lines."""

    def hex_lines(self, canvas: Canvas, at: Hex, name: Callable[[int], str]) -> list[str]:
        """Return what is on a hex as text, none for an empty one; `name` returns the name of the player in a seat."""


def find_picture(game: Game, states: NDArray[np.void], viewer: int | None) -> Drawable | None:
    """Return what `viewer` may see of `states[0]`; None if the game has no hook `picture`.

    Args:
        game: the game.
        states: `(n,)` records of `game.state_dtype`.
        viewer: seat, or None for the referee, who sees all.

    Raises:
        ValueError: `viewer` is not a seat.
    """
    check_viewer(game, viewer)
    draw = find_hook(game.id, "picture")
    if draw is None:
        return None
    picture: Drawable = draw(game, states, viewer)
    return picture


def check_viewer(game: Game, viewer: int | None) -> None:
    """Check that a viewer is a seat or the referee.

    Raises:
        ValueError: `viewer` is not a seat.
    """
    if viewer is not None and not 0 <= viewer < game.num_players:
        raise ValueError(f"viewer {viewer} is not a seat: use 0 to {game.num_players - 1}, or None for the referee")


def pile_text(pile: Pile) -> str:
    """Return a pile in words: `2 Plain, Walking Tree`, or `none`."""
    return ", ".join(f"{copies} {name}" if copies > 1 else name for name, copies in pile) or "none"


def reading_order(at: Hex) -> tuple[int, int]:
    """Return the sort key of a hex: rows from top to bottom, each from left to right."""
    return at[1], at[0]
