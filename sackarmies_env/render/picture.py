"""Choice of the picture of a state: the registered game's own, or none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.render.board import Picture


def find_picture(game: Game, states: NDArray[np.void], viewer: int | None) -> Picture | None:
    """Return what `viewer` may see of `states[0]`; None if the game has no picture.

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
    picture: Picture = draw(game, states, viewer)
    return picture


def check_viewer(game: Game, viewer: int | None) -> None:
    """Check that a viewer is a seat or the referee.

    Raises:
        ValueError: `viewer` is not a seat.
    """
    if viewer is not None and not 0 <= viewer < game.num_players:
        raise ValueError(f"viewer {viewer} is not a seat: use 0 to {game.num_players - 1}, or None for the referee")
