"""Spaces of the observations and actions of a game, and the names of its agents."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.envs.presentation import Presentation

OBSERVATION = "observation"
ACTION_MASK = "action_mask"
AGENT_NAME = "player_{}"  # of a seat


class Observation(TypedDict):
    """An agent's observation with its mask; both arrays belong to the agent and are never overwritten."""

    observation: NDArray[np.int8]  # (size,), laid out by the game's observation_spec
    action_mask: NDArray[np.int8]  # (num_actions,), 1 for legal ids; all zero unless the agent is the current player


class Info(TypedDict):
    """An agent's info: the mask again, for libraries that look for it there."""

    action_mask: NDArray[np.int8]


Seen = Observation | NDArray[np.int8]  # the vector alone where masks are in infos only
Last = tuple[Seen | None, float, bool, bool, Info]  # what PettingZoo's last() returns


def agent_names(game: Game) -> list[str]:
    """Return the agents in seat order: "player_0", "player_1", ..."""
    return [AGENT_NAME.format(seat) for seat in range(game.num_players)]


def vector_space(game: Game) -> spaces.Box:
    """Return the space of the observation vector alone: `(size,)` int8 with the range of each feature."""
    spec = game.observation_spec
    return spaces.Box(spec.low, spec.high, (spec.size,), np.int8)


def num_actions_of(game: Game, presentation: Presentation | None) -> int:
    """Return the size of the action space."""
    return game.num_actions if presentation is None else presentation.num_actions


def state_space(game: Game, presentation: Presentation | None = None) -> spaces.Box:
    """Return the space of the central state: the concatenated observation vectors of all seats."""
    spec, players = game.observation_spec if presentation is None else presentation.form.spec, game.num_players
    return spaces.Box(np.tile(spec.low, players), np.tile(spec.high, players), (players * spec.size,), np.int8)


def mask_space(game: Game, presentation: Presentation | None = None) -> spaces.Box:
    """Return the space of action masks: `(num_actions,)` int8, 0 or 1."""
    return spaces.Box(0, 1, (num_actions_of(game, presentation),), np.int8)


def observation_space(game: Game, presentation: Presentation | None = None) -> spaces.Dict:
    """Return the space of observations with their mask, see `Observation`; by default in the game's own layout."""
    return spaces.Dict({OBSERVATION: content_space(game, presentation), ACTION_MASK: mask_space(game, presentation)})


def content_space(game: Game, presentation: Presentation | None = None) -> spaces.Space[Any]:
    """Return a new space of observations without their mask."""
    return vector_space(game) if presentation is None else presentation.form.new_space()


def action_space(game: Game, presentation: Presentation | None = None) -> spaces.Discrete[np.int64]:
    """Return the flat action space."""
    return spaces.Discrete(num_actions_of(game, presentation))
