"""Reward shaping with the potential that a game offers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr, suggestion

Potential = Callable[[NDArray[np.int8]], NDArray[np.float32]]


def check_weights(game_id: str, names: Iterable[str]) -> None:
    """Refuse weights that the potential of a game does not have.

    Raises:
        ValueError: a name is not one of its weights, or the game has no potential at all.
    """
    hook = find_hook(game_id, "potential")
    known = [] if hook is None else list(inspect.signature(hook).parameters)[1:]
    for name in names:
        if hook is None:
            raise ValueError(f"shaping: the game {game_id!r} has no potential: leave out {short_repr(name)}")
        if name not in known:
            near = suggestion(name, known)
            raise ValueError(f"shaping: unknown key {short_repr(name)}{near}; allowed are {', '.join(known)}")


def make_potential(game: Game, weights: Mapping[str, float]) -> Potential | None:
    """Return the potential that a configuration asks for; None if all weights are 0.

    Raises:
        ValueError: the game has no such potential, or its observations do not show it.
    """
    if not any(weights.values()):
        return None
    check_weights(game.id, weights)
    potential: Potential = find_hook(game.id, "potential")(game.observation_spec, **weights)
    return potential
