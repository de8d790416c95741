"""Sack Armies for PettingZoo (`env`, `raw_env`) and Gymnasium (`single_seat_env`, `vector_env`).

All take the options of the game, see `sackarmies_env.games.sack_armies.game.make_game`, and those of the environment,
see `sackarmies_env.environments`. They are written out here so that editors complete them; a test compares them with
those that are accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from sackarmies_env import environments
from sackarmies_env.envs.keywords import named_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gymnasium.vector import AutoresetMode

    from sackarmies_env.envs.aec import RawEnv
    from sackarmies_env.envs.gym_env import SingleSeatEnv
    from sackarmies_env.envs.opponents import OpponentChoice
    from sackarmies_env.envs.options import PotentialShaping
    from sackarmies_env.envs.varied_vector import VariedBatchEnv
    from sackarmies_env.envs.variety import Sampler
    from sackarmies_env.envs.vector_env import BatchEnv
    from sackarmies_env.envs.wrapped import OrderEnforced
    from sackarmies_env.games.sack_armies.scenario.document import ScenarioSource
    from sackarmies_env.games.sack_armies.tokens.army import ArmyChoice

__all__ = ["env", "raw_env", "single_seat_env", "vector_env"]

GAME = "sack_armies"


def env(  # noqa: PLR0913 - keyword options
    *,
    num_generals: int | None = None,
    armies: ArmyChoice | Sequence[ArmyChoice] = None,
    scenario: ScenarioSource | None = None,
    switches: Mapping[str, Any] | None = None,
    observation: str = "compact",
    mask_in_observation: bool = True,
    render_mode: str | None = None,
    render_viewpoint: str | int = "own",
    illegal_action: str = "raise",
    illegal_penalty: float = 0.1,
    shaping: PotentialShaping | None = None,
    sampler: Sampler | None = None,
    pad_types: int | None = None,
    pad_generals: int | None = None,
    **unknown: Never,
) -> OrderEnforced:
    """Return the wrapped PettingZoo environment of Sack Armies, see `environments.env`."""
    return environments.env(GAME, **named_options(locals()))


def raw_env(  # noqa: PLR0913 - keyword options
    *,
    num_generals: int | None = None,
    armies: ArmyChoice | Sequence[ArmyChoice] = None,
    scenario: ScenarioSource | None = None,
    switches: Mapping[str, Any] | None = None,
    observation: str = "compact",
    mask_in_observation: bool = True,
    render_mode: str | None = None,
    render_viewpoint: str | int = "own",
    illegal_action: str = "raise",
    illegal_penalty: float = 0.1,
    shaping: PotentialShaping | None = None,
    sampler: Sampler | None = None,
    pad_types: int | None = None,
    pad_generals: int | None = None,
    **unknown: Never,
) -> RawEnv:
    """Return the PettingZoo environment of Sack Armies without wrappers."""
    return environments.raw_env(GAME, **named_options(locals()))


def single_seat_env(  # noqa: PLR0913 - keyword options
    *,
    num_generals: int | None = None,
    armies: ArmyChoice | Sequence[ArmyChoice] = None,
    scenario: ScenarioSource | None = None,
    switches: Mapping[str, Any] | None = None,
    observation: str = "compact",
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
    pad_types: int | None = None,
    pad_generals: int | None = None,
    **unknown: Never,
) -> SingleSeatEnv:
    """Return the Gymnasium environment of Sack Armies, see `environments.single_seat_env`."""
    return environments.single_seat_env(GAME, **named_options(locals()))


def vector_env(  # noqa: PLR0913 - keyword options
    *,
    num_generals: int | None = None,
    armies: ArmyChoice | Sequence[ArmyChoice] = None,
    scenario: ScenarioSource | None = None,
    switches: Mapping[str, Any] | None = None,
    observation: str = "compact",
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
    pad_types: int | None = None,
    pad_generals: int | None = None,
    **unknown: Never,
) -> BatchEnv | VariedBatchEnv:
    """Return the Gymnasium vector environment of Sack Armies, see `environments.vector_env`."""
    return environments.vector_env(GAME, **named_options(locals()))
