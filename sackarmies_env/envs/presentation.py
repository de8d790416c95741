"""Presentation of a game to agents: the form of observations, and room for games of other sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr
from sackarmies_env.envs.padded import Padding
from sackarmies_env.envs.structured import FLAT, Form


class Presentation:
    """Form and layout of observations, masks and actions, where they differ from the game's own.

    It is given only what an agent may see.

    Args:
        game: the game to present.
        form: name of a form of observations, see `Form`.
        padding: the larger layout; None for the game's own.

    Attributes:
        form: the form of observations.
        padding: as given.
        num_actions: size of the action space.

    Raises:
        ValueError: the game's observations have no such form.
    """

    def __init__(self, game: Game, form: str, padding: Padding | None) -> None:
        self.form = Form(game.observation_spec if padding is None else padding.spec, form)
        self.padding = padding
        self.num_actions = game.num_actions if padding is None else padding.num_actions

    def content(self, vectors: NDArray[np.int8]) -> Any:
        """Return observations without masks, made from the game's vectors `(..., size)`."""
        return self.form(vectors if self.padding is None else self.padding.observe(vectors))

    def mask(self, masks: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return masks `(..., num_actions)`, made from the game's masks."""
        return masks if self.padding is None else self.padding.mask(masks)


def present(game: Game, form: str, padding: Padding | None) -> Presentation | None:
    """Return the presentation of a game; None if it is the game's own, so that nothing needs converting.

    Raises:
        ValueError: the game's observations have no such form, or `padding` is neither a `Padding` nor None.
    """
    if padding is not None and not isinstance(padding, Padding):
        raise ValueError(f"padding={short_repr(padding)}: it must be a Padding or None")
    return None if form == FLAT and padding is None else Presentation(game, form, padding)
