"""Environments of any registered game: `env`, `raw_env` (PettingZoo), `single_seat_env`, `vector_env` (Gymnasium).

All take the options of the game together with those of the environment, and raise ValueError for an option that is
unknown or has a value that is not allowed. `environments_of` gives the functions of a module `<game>_v0`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from sackarmies_env.registry import DEFAULT_GAME, make

if TYPE_CHECKING:
    from sackarmies_env.envs.aec import RawEnv
    from sackarmies_env.envs.gym_env import SingleSeatEnv
    from sackarmies_env.envs.vector_env import BatchEnv
    from sackarmies_env.envs.wrapped import OrderEnforced


def env(game: str = DEFAULT_GAME, **options: Any) -> OrderEnforced:
    """Return the PettingZoo environment, wrapped: calls in the wrong order are refused.

    Args:
        game: id of a game, see `list_games`.
        options: of the game, and `render_mode`, `render_viewpoint`, `illegal_action`, `illegal_penalty`, `shaping`: see
            `sackarmies_env.envs.options.Options`.
    """
    made: OrderEnforced = make(game, "aec", **options)
    return made


def raw_env(game: str = DEFAULT_GAME, **options: Any) -> RawEnv:
    """Return the PettingZoo environment without wrappers; options as for `env`."""
    made: RawEnv = make(game, "raw", **options)
    return made


def single_seat_env(game: str = DEFAULT_GAME, **options: Any) -> SingleSeatEnv:
    """Return the Gymnasium environment, one seat against opponents.

    Args:
        game: id of a game.
        options: as for `env`, and `opponent`, `seat`, `mask_in_observation`: see
            `sackarmies_env.envs.gym_env.SingleSeatEnv`.
    """
    made: SingleSeatEnv = make(game, "gym", **options)
    return made


def vector_env(game: str = DEFAULT_GAME, **options: Any) -> BatchEnv:
    """Return Gymnasium's vector environment, many games at once.

    Args:
        game: id of a game.
        options: of the game, and those of `sackarmies_env.envs.vector_env.BatchEnv`: `num_envs`, `opponent`, `seat`,
            `illegal_action`, `illegal_penalty`, `mask_in_observation`, `copy`.
    """
    made: BatchEnv = make(game, "vector", **options)
    return made


class Environments(NamedTuple):
    """The functions of a module `<game>_v0`, which take the options of that game and of the environment."""

    env: Callable[..., OrderEnforced]
    raw_env: Callable[..., RawEnv]
    single_seat_env: Callable[..., SingleSeatEnv]
    vector_env: Callable[..., BatchEnv]


def environments_of(game_id: str) -> Environments:
    """Return what makes environments of a game; the game itself is not imported before it is made."""
    return Environments(
        functools.partial(env, game_id),
        functools.partial(raw_env, game_id),
        functools.partial(single_seat_env, game_id),
        functools.partial(vector_env, game_id),
    )
