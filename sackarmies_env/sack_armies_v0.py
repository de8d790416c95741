"""Sack Armies in PettingZoo's manner: `env` and `raw_env`; and the entry points that Gymnasium is told of.

All take the options of the game, see `sackarmies_env.games.sack_armies.game.make_game`: `num_generals`, `armies`,
`scenario`, `switches`, `observation`. Whatever is wrong with an option is told by a ValueError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sackarmies_env.registry import make

if TYPE_CHECKING:
    from sackarmies_env.envs.aec import RawEnv
    from sackarmies_env.envs.gym_env import SingleSeatEnv
    from sackarmies_env.envs.vector_env import BatchEnv
    from sackarmies_env.envs.wrapped import OrderEnforced

__all__ = ["env", "raw_env", "single_seat_env", "vector_env"]

GAME = "sack_armies"


def env(**options: Any) -> OrderEnforced:
    """Return the PettingZoo environment, wrapped: calls in the wrong order are refused.

    Args:
        options: of the game, and `render_mode`, `render_viewpoint`, `illegal_action`, `illegal_penalty`, `shaping`: see
            `sackarmies_env.envs.options.Options`.
    """
    made: OrderEnforced = make(GAME, "aec", **options)
    return made


def raw_env(**options: Any) -> RawEnv:
    """Return the PettingZoo environment without wrappers; options as for `env`."""
    made: RawEnv = make(GAME, "raw", **options)
    return made


def single_seat_env(**options: Any) -> SingleSeatEnv:
    """Return the Gymnasium environment, one seat against opponents.

    Args:
        options: as for `env`, and `opponent`, `seat`, `mask_in_observation`: see
            `sackarmies_env.envs.gym_env.SingleSeatEnv`.
    """
    made: SingleSeatEnv = make(GAME, "gym", **options)
    return made


def vector_env(**options: Any) -> BatchEnv:
    """Return Gymnasium's vector environment, many games at once.

    Args:
        options: of the game, and those of `sackarmies_env.envs.vector_env.BatchEnv`: `num_envs`, `opponent`, `seat`,
            `illegal_action`, `illegal_penalty`, `mask_in_observation`, `copy`.
    """
    made: BatchEnv = make(GAME, "vector", **options)
    return made
