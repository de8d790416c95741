"""Territories for PettingZoo (`env`, `raw_env`) and Gymnasium (`single_seat_env`, `vector_env`).

All take the options of the game, see `sackarmies_env.games.territories.game.make_game`, and those of the environment,
see `sackarmies_env.environments`. They are written out here so that editors complete them; a test compares them with
those that are accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from sackarmies_env import environments
from sackarmies_env.envs.keywords import named_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gymnasium.vector import AutoresetMode

    from sackarmies_env.envs.aec import RawEnv
    from sackarmies_env.envs.gym_env import SingleSeatEnv
    from sackarmies_env.envs.opponents import OpponentChoice
    from sackarmies_env.envs.options import PotentialShaping
    from sackarmies_env.envs.varied_vector import VariedBatchEnv
    from sackarmies_env.envs.variety import Sampler
    from sackarmies_env.envs.vector_env import BatchEnv
    from sackarmies_env.envs.wrapped import OrderEnforced
    from sackarmies_env.games.territories.scenario.document import ScenarioSource

__all__ = ["env", "raw_env", "single_seat_env", "vector_env"]

GAME = "territories"


def env(  # noqa: PLR0913 - keyword options
    *,
    num_players: int | None = None,
    map: str | None = None,  # noqa: A002 - what users call it
    switches: Mapping[str, Any] | None = None,
    scenario: ScenarioSource | None = None,
    observation: str = "flat",
    mask_in_observation: bool = True,
    render_mode: str | None = None,
    render_viewpoint: str | int = "own",
    illegal_action: str = "raise",
    illegal_penalty: float = 0.1,
    shaping: PotentialShaping | None = None,
    sampler: Sampler | None = None,
    pad_players: int | None = None,
    **unknown: Never,
) -> OrderEnforced:
    """Return the wrapped PettingZoo environment of Territories, see `environments.env`."""
    return environments.env(GAME, **named_options(locals()))


def raw_env(  # noqa: PLR0913 - keyword options
    *,
    num_players: int | None = None,
    map: str | None = None,  # noqa: A002 - what users call it
    switches: Mapping[str, Any] | None = None,
    scenario: ScenarioSource | None = None,
    observation: str = "flat",
    mask_in_observation: bool = True,
    render_mode: str | None = None,
    render_viewpoint: str | int = "own",
    illegal_action: str = "raise",
    illegal_penalty: float = 0.1,
    shaping: PotentialShaping | None = None,
    sampler: Sampler | None = None,
    pad_players: int | None = None,
    **unknown: Never,
) -> RawEnv:
    """Return the PettingZoo environment of Territories without wrappers."""
    return environments.raw_env(GAME, **named_options(locals()))


def single_seat_env(  # noqa: PLR0913 - keyword options
    *,
    num_players: int | None = None,
    map: str | None = None,  # noqa: A002 - what users call it
    switches: Mapping[str, Any] | None = None,
    scenario: ScenarioSource | None = None,
    observation: str = "flat",
    opponent: OpponentChoice = "random",
    seat: int | str = "random",
    mask_in_observation: bool = True,
    decision_infos: bool = False,
    render_mode: str | None = None,
    render_viewpoint: str | int = "own",
    illegal_action: str = "raise",
    illegal_penalty: float = 0.1,
    shaping: PotentialShaping | None = None,
    sampler: Sampler | None = None,
    pad_players: int | None = None,
    **unknown: Never,
) -> SingleSeatEnv:
    """Return the Gymnasium environment of Territories, see `environments.single_seat_env`."""
    return environments.single_seat_env(GAME, **named_options(locals()))


def vector_env(  # noqa: PLR0913 - keyword options
    *,
    num_players: int | None = None,
    map: str | None = None,  # noqa: A002 - what users call it
    switches: Mapping[str, Any] | None = None,
    scenario: ScenarioSource | None = None,
    observation: str = "flat",
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
    sampler: Sampler | None = None,
    pad_players: int | None = None,
    **unknown: Never,
) -> BatchEnv | VariedBatchEnv:
    """Return the Gymnasium vector environment of Territories, see `environments.vector_env`."""
    return environments.vector_env(GAME, **named_options(locals()))
