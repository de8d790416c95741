"""The contract between a game and everything that uses it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.observation import ObservationSpec
from sackarmies_env.core.state import alloc

Records = NDArray[np.void]
Kernel = Callable[..., None]


@dataclass(frozen=True, eq=False)
class Game:
    """One game in one configuration: sizes, data and kernels.

    Kernels take `params` (a `(1,)` record array, configuration as data) and `states` (an `(n,)` array of `state_dtype`
    made by `alloc`), work in place and allocate nothing. An illegal action is undefined behaviour in `step`: adapters
    check against the mask. A finished state is left as it is by `step`. A game is never changed: copies of it are the
    game itself, and pickling it means building it again from its configuration.

    Attributes:
        id: name in the registry.
        num_players: seats.
        num_actions: size of the flat action space.
        state_dtype: the whole truth of one game.
        observation_spec: the layout of an observation, an int8 vector.
        params: `(1,)` record array.
        config: the configuration as plain data (JSON types); `build(**config)` gives the same game.
        build: the function of a module that builds such games.
        reset: `(params, states, seeds)`; seeds `(n,)` int64; starts new games, to the first decision.
        start: `(states, seed, flips, draws)`; starts a game in `states[0]` with forced flips (text such as "H T") and
            forced draws (one list of token ids a player), used up before `seed` decides; raises ValueError for what it
            cannot force.
        legal_actions: `(params, states, action_mask)`; writes `(n, num_actions)` int8 for each current player, all
            zero once a game is over.
        step: `(params, states, actions)`; actions `(n,)` int64; applies one legal decision each and advances to the
            next decision or the end.
        observe: `(params, states, players, out)`; players `(n,)` int64, out `(n, observation_spec.size)` int8.
        returns: `(params, states, out)`; out `(n, num_players)` float32, what each player has earned so far; it does
            not change any more for a player who is out of the game.
        terminations: `(params, states, out)`; out `(n, num_players)` int8, 1 for a player who is out of the game:
            eliminated, or the game has ended by the rules. Truncation stands in the state.
        advance: `(params, states, orders, table, action_masks, packed_masks, observations, results)`; all of the above
            in one call, for many games, and random play and new games besides. See `core.advance`; games without a
            fused kernel take `core.compose.ComposedAdvance`.
        forfeit: `(params, states, players)`; players `(n,)` int64; these players give up, whoever is to act, and the
            game goes on to the next decision or the end; -1 for nobody.
        determinize: `(params, states, players, seeds)`; resamples what is hidden from `players[i]`, future chance
            included, consistent with what that player knows. The result depends on nothing else but the seed: states
            that the player cannot tell apart become the same record, to the byte.
        format_action: `(states, action) -> str`, text of an action for the decision in `states[0]`.
        parse_action: `(states, text) -> int`; raises ValueError for text that names no legal action.
        describe_decision: `(states) -> str`, a name of what the current player of `states[0]` is asked, from what that
            player knows.
        to_scenario: `(states) -> dict`, `states[0]` as a scenario: the referee's full truth.
        lay_out: `(states)`; lays a game out in `states[0]` that `advance` copies to begin one; None if it needs none.
        keeps_chance: whether every game has the chance that was laid out, whatever its seed.
        zero_sum: whether the returns of all players add up to zero whenever a game is over, truncated ones included.
    """

    id: str
    num_players: int
    num_actions: int
    state_dtype: np.dtype[np.void]
    observation_spec: ObservationSpec
    params: Records
    config: dict[str, Any]
    build: Callable[..., Game]
    reset: Callable[[Records, Records, NDArray[np.int64]], None]
    start: Callable[[Records, int, str, Sequence[Sequence[str]]], None]
    legal_actions: Callable[[Records, Records, NDArray[np.int8]], None]
    step: Callable[[Records, Records, NDArray[np.int64]], None]
    observe: Callable[[Records, Records, NDArray[np.int64], NDArray[np.int8]], None]
    returns: Callable[[Records, Records, NDArray[np.float32]], None]
    terminations: Callable[[Records, Records, NDArray[np.int8]], None]
    advance: Kernel
    forfeit: Callable[[Records, Records, NDArray[np.int64]], None]
    determinize: Callable[[Records, Records, NDArray[np.int64], NDArray[np.int64]], None]
    format_action: Callable[[Records, int], str]
    parse_action: Callable[[Records, str], int]
    describe_decision: Callable[[Records], str]
    to_scenario: Callable[[Records], dict[str, Any]]
    lay_out: Callable[[Records], None] | None = None
    keeps_chance: bool = False
    zero_sum: bool = False

    def new_states(self, n: int) -> Records:
        """Return `(n,)` empty records; `reset` makes games of them."""
        return alloc(self.state_dtype, n)

    @cached_property
    def digest(self) -> str:
        """A hash of the configuration with its data, and of the layouts of state and observation.

        It is what saved bytes depend on.
        """
        layout = [self.num_actions, self.state_dtype.descr, self.observation_spec.names()]
        content = json.dumps([self.id, self.config, layout], sort_keys=True)
        return hashlib.sha256(content.encode() + self.params.tobytes()).hexdigest()[:16]

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[Callable[..., Game], dict[str, Any]]]:
        return _rebuild, (self.build, self.config)


def _rebuild(build: Callable[..., Game], config: dict[str, Any]) -> Game:
    return build(**config)
