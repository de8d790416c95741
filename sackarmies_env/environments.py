"""Environments of any registered game: `env`, `raw_env` (PettingZoo), `single_seat_env`, `vector_env` (Gymnasium).

Each takes the options of the game and of the environment together. Raises ValueError for a value that is not allowed,
and for an unknown option one that is also a TypeError. `environments_of` returns the functions of a module
`<game>_v0`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sackarmies_env.envs.keywords import RENDER_FPS, RENDER_MODES
from sackarmies_env.registry import DEFAULT_GAME, load_game, make

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode

    from sackarmies_env.envs.aec import RawEnv
    from sackarmies_env.envs.gym_env import SingleSeatEnv
    from sackarmies_env.envs.opponents import OpponentChoice
    from sackarmies_env.envs.options import PotentialShaping
    from sackarmies_env.envs.varied_vector import VariedBatchEnv
    from sackarmies_env.envs.variety import Sampler
    from sackarmies_env.envs.vector_env import BatchEnv
    from sackarmies_env.envs.wrapped import OrderEnforced

# Defaults are repeated here so that editors and `help` show them without importing a game; a test compares them with
# those of the classes.


def env(  # noqa: PLR0913 - keyword options
    game: str = DEFAULT_GAME,
    *,
    mask_in_observation: bool = True,
    render_mode: str | None = None,
    render_viewpoint: str | int = "own",
    illegal_action: str = "raise",
    illegal_penalty: float = 0.1,
    shaping: PotentialShaping | None = None,
    observation: str = "flat",
    sampler: Sampler | None = None,
    **game_options: Any,
) -> OrderEnforced:
    """Return the wrapped PettingZoo environment, which refuses calls in the wrong order.

    Args:
        game: id of a game, see `list_games`.
        mask_in_observation: whether observations are dicts of vector and mask; if not, they are the vector alone.
        render_mode: see `sackarmies_env.envs.options.Options` for this and the following options.
        render_viewpoint: whose view is drawn.
        illegal_action: how an illegal action is handled.
        illegal_penalty: cost of an illegal action, for "penalize".
        shaping: extra reward from a potential; None for none.
        observation: the form of observations, or one of the contents that the game offers.
        sampler: draws options of the game for each reset, see `sackarmies_env.envs.variety.Variety`.
        game_options: options of the game: those of its `make_game`, and the sizes of its hook `padded`.
    """
    made: OrderEnforced = make(game, "aec", **options_among(locals()))
    return made


def raw_env(  # noqa: PLR0913 - keyword options
    game: str = DEFAULT_GAME,
    *,
    mask_in_observation: bool = True,
    render_mode: str | None = None,
    render_viewpoint: str | int = "own",
    illegal_action: str = "raise",
    illegal_penalty: float = 0.1,
    shaping: PotentialShaping | None = None,
    observation: str = "flat",
    sampler: Sampler | None = None,
    **game_options: Any,
) -> RawEnv:
    """Return the PettingZoo environment without wrappers; options as for `env`."""
    made: RawEnv = make(game, "raw", **options_among(locals()))
    return made


def single_seat_env(  # noqa: PLR0913 - keyword options
    game: str = DEFAULT_GAME,
    *,
    opponent: OpponentChoice = "random",
    seat: int | str = "random",
    mask_in_observation: bool = True,
    decision_infos: bool = False,
    render_mode: str | None = None,
    render_viewpoint: str | int = "own",
    illegal_action: str = "raise",
    illegal_penalty: float = 0.1,
    shaping: PotentialShaping | None = None,
    observation: str = "flat",
    sampler: Sampler | None = None,
    **game_options: Any,
) -> SingleSeatEnv:
    """Return the Gymnasium environment: one seat against opponents.

    Args:
        game: id of a game.
        opponent: see `sackarmies_env.envs.gym_env.SingleSeatEnv` for this and the next three options.
        seat: the learner's seat, or "random".
        mask_in_observation: whether observations are dicts of vector and mask; if not, they are the vector alone.
        decision_infos: whether infos name the decision.
        render_mode: this and the following options: as for `env`.
        render_viewpoint: whose view is drawn.
        illegal_action: how an illegal action is handled.
        illegal_penalty: cost of an illegal action, for "penalize".
        shaping: extra reward from a potential; None for none.
        observation: the form of observations, or one of the contents that the game offers.
        sampler: draws options of the game for each reset, see `sackarmies_env.envs.variety.Variety`.
        game_options: options of the game: those of its `make_game`, and the sizes of its hook `padded`.
    """
    made: SingleSeatEnv = make(game, "gym", **options_among(locals()))
    return made


# `gymnasium.make` reads from its entry point which modes exist, and collects frames for "rgb_array_list".
vars(single_seat_env)["metadata"] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}


def vector_env(  # noqa: PLR0913 - keyword options
    game: str = DEFAULT_GAME,
    *,
    num_envs: int = 1,
    opponent: OpponentChoice = "random",
    seat: int | str = "random",
    mask_in_observation: bool = True,
    decision_infos: bool = False,
    copy: bool = False,
    autoreset_mode: str | AutoresetMode = "SameStep",
    threads: int | None = 1,
    render_mode: str | None = None,
    render_viewpoint: str | int = "own",
    illegal_action: str = "raise",
    illegal_penalty: float = 0.1,
    shaping: PotentialShaping | None = None,
    observation: str = "flat",
    sampler: Sampler | None = None,
    **game_options: Any,
) -> BatchEnv | VariedBatchEnv:
    """Return the Gymnasium vector environment: many games at once; a `VariedBatchEnv` if games are drawn.

    Args:
        game: id of a game.
        num_envs: number of games.
        opponent: see `sackarmies_env.envs.vector_env.BatchEnv` for this and the following options.
        seat: the learner's seat, "random" or "all".
        mask_in_observation: whether observations are dicts of vectors and masks; if not, they are the vectors alone.
        decision_infos: whether infos name decisions.
        copy: whether returned arrays are the caller's to keep.
        autoreset_mode: when games that are over are replaced.
        threads: number of threads; None for all cores that the process may use.
        render_mode: this and the following options: as for `env`, for each game.
        render_viewpoint: whose view is drawn.
        illegal_action: how an illegal action is handled.
        illegal_penalty: cost of an illegal action, for "penalize".
        shaping: extra reward from a potential; None for none.
        observation: the form of observations, or one of the contents that the game offers.
        sampler: draws options of the game for each reset, see `sackarmies_env.envs.variety.Variety`.
        game_options: options of the game: those of its `make_game`, and the sizes of its hook `padded`.
    """
    made: BatchEnv | VariedBatchEnv = make(game, "vector", **options_among(locals()))
    return made


def options_among(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return all arguments of a function above except the game, with the options of the game among them."""
    named = {name: value for name, value in arguments.items() if name not in {"game", "game_options"}}
    return {**named, **arguments["game_options"]}


class Environments(NamedTuple):
    """The functions of a module `<game>_v0`, which take the options of that game and of the environment."""

    env: Callable[..., OrderEnforced]
    raw_env: Callable[..., RawEnv]
    single_seat_env: Callable[..., SingleSeatEnv]
    vector_env: Callable[..., BatchEnv | VariedBatchEnv]


def environments_of(game_id: str) -> Environments:
    """Return the functions that make environments of a game, which is not imported before one is made."""
    return Environments(
        functools.partial(env, game_id),
        functools.partial(raw_env, game_id),
        functools.partial(single_seat_env, game_id),
        functools.partial(vector_env, game_id),
    )


def describe_observation(observation: Any, game: Any = None) -> str:
    """Describe an observation as text: a table for each block, with the meaning of each feature.

    Blocks of several rows omit those in which each number is 0 or the smallest possible: nothing is there. Codes are
    listed with their meanings.

    Args:
        observation: one observation in any form, alone or in a dict with its mask.
        game: the environment that it comes from; if that does not pad it, the game will do, else the layout,
            `env.padding.spec`. None for Sack Armies with default options.

    Raises:
        ValueError: it is not an observation of that layout, or `game` is none of these.
    """
    from sackarmies_env.envs.describe import describe

    return describe(observation, load_game(DEFAULT_GAME) if game is None else game)
