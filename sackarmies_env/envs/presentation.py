"""What agents are given of a game: the form of observations, and room for games of other sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr
from sackarmies_env.envs.padded import Padding
from sackarmies_env.envs.structured import FLAT, Form


class Presentation:
    """How observations, masks and actions are handed out where that is not as the game has them.

    It is handed what an agent may see, and nothing else.

    Args:
        game: what is played.
        form: name of a form of observations, see `Form`.
        padding: the larger layout; None for the game's own.

    Attributes:
        form: of observations.
        padding: as given.
        num_actions: size of the action space.

    Raises:
        ValueError: observations have no such form.
    """

    def __init__(self, game: Game, form: str, padding: Padding | None) -> None:
        self.form = Form(game.observation_spec if padding is None else padding.spec, form)
        self.padding = padding
        self.num_actions = game.num_actions if padding is None else padding.num_actions

    def content(self, vectors: NDArray[np.int8]) -> Any:
        """Return observations without masks, of vectors `(..., size)` of the game."""
        return self.form(vectors if self.padding is None else self.padding.observe(vectors))

    def mask(self, masks: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return masks `(..., num_actions)` of those of the game."""
        return masks if self.padding is None else self.padding.mask(masks)


def present(game: Game, form: str, padding: Padding | None) -> Presentation | None:
    """Return how a game is presented; None if it is as the game has it, so that nothing is to be done.

    Raises:
        ValueError: observations have no such form, or the padding is none.
    """
    if padding is not None and not isinstance(padding, Padding):
        raise ValueError(f"padding={short_repr(padding)}: it must be a Padding or None")
    return None if form == FLAT and padding is None else Presentation(game, form, padding)
