"""From a state to a picture: which game's model is drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.render import sack_armies
from sackarmies_env.render.board import Picture

PICTURES: dict[str, Callable[[Game, NDArray[np.void], int | None], Picture]] = {"sack_armies": sack_armies.picture}


def make_picture(game: Game, states: NDArray[np.void], viewer: int | None) -> Picture:
    """Return what `viewer` may see of `states[0]`.

    Args:
        game: the game.
        states: `(n,)` records of `game.state_dtype`.
        viewer: seat, or None for the referee, who sees all.

    Raises:
        ValueError: `viewer` is no seat, or there is no picture of this game.
    """
    if game.id not in PICTURES:
        raise ValueError(f"there is no picture of the game {game.id!r}; there is one of {', '.join(PICTURES)}")
    if viewer is not None and not 0 <= viewer < game.num_players:
        raise ValueError(f"viewer {viewer} is no seat: seats run from 0 to {game.num_players - 1}, None is the referee")
    return PICTURES[game.id](game, states, viewer)
