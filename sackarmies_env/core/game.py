"""The contract between a game and everything that uses it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.observation import ObservationSpec
from sackarmies_env.core.state import alloc

Records = NDArray[np.void]


@dataclass(frozen=True)
class Game:
    """One game in one configuration: sizes, data and kernels.

    Kernels take `params` (a `(1,)` record array, configuration as data) and `states` (an `(n,)` array of `state_dtype`
    made by `alloc`), work in place and allocate nothing. An illegal action is undefined behaviour in `step`: adapters
    check against the mask. A finished state is left as it is by `step`.

    Attributes:
        id: name in the registry.
        num_players: seats.
        num_actions: size of the flat action space.
        state_dtype: the whole truth of one game.
        observation_spec: the layout of an observation, an int8 vector.
        params: `(1,)` record array.
        config: the configuration as plain data (JSON types), enough to build the same game again.
        reset: `(params, states, seeds)`; seeds `(n,)` int64; starts new games, to the first decision.
        legal_actions: `(params, states, action_mask)`; writes `(n, num_actions)` int8 for each current player, all
            zero once a game is over.
        step: `(params, states, actions)`; actions `(n,)` int64; applies one legal decision each and advances to the
            next decision or the end.
        observe: `(params, states, players, out)`; players `(n,)` int64, out `(n, observation_spec.size)` int8.
        returns: `(params, states, out)`; out `(n, num_players)` float32, what each player has earned so far.
        terminations: `(params, states, out)`; out `(n, num_players)` int8, 1 for a player who is out of the game:
            eliminated, or the game has ended by the rules. Truncation stands in the state.
        determinize: `(params, states, players, seeds)`; resamples what is hidden from `players[i]`, future chance
            included, consistent with what that player knows.
        format_action: `(states, action) -> str`, text of an action for the decision in `states[0]`.
        parse_action: `(states, text) -> int`; raises ValueError for text that names no legal action.
        to_scenario: `(states) -> dict`, `states[0]` as a scenario: the referee's full truth.
    """

    id: str
    num_players: int
    num_actions: int
    state_dtype: np.dtype[np.void]
    observation_spec: ObservationSpec
    params: Records
    config: dict[str, Any]
    reset: Callable[[Records, Records, NDArray[np.int64]], None]
    legal_actions: Callable[[Records, Records, NDArray[np.int8]], None]
    step: Callable[[Records, Records, NDArray[np.int64]], None]
    observe: Callable[[Records, Records, NDArray[np.int64], NDArray[np.int8]], None]
    returns: Callable[[Records, Records, NDArray[np.float32]], None]
    terminations: Callable[[Records, Records, NDArray[np.int8]], None]
    determinize: Callable[[Records, Records, NDArray[np.int64], NDArray[np.int64]], None]
    format_action: Callable[[Records, int], str]
    parse_action: Callable[[Records, str], int]
    to_scenario: Callable[[Records], dict[str, Any]]

    def new_states(self, n: int) -> Records:
        """Return `(n,)` empty records; `reset` makes games of them."""
        return alloc(self.state_dtype, n)
