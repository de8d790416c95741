"""The shipped entry point of Sack Armies, for tests that have states and params, but no game."""

from __future__ import annotations

from typing import Any

import numpy as np

from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import Command, Outputs, dispatch, new_slots
from sackarmies_env.games.sack_armies.play.step import write_initial
from sackarmies_env.games.sack_armies.play.step_batch import step_batch


def reset(params: Any, states: Any, seeds: Any) -> None:
    """Begin new games."""
    write_initial(params, states[-1:])
    dispatch(step_batch, params, states, Command.BEGIN, seeds)


def step(params: Any, states: Any, actions: Any) -> None:
    """Apply one legal action to each game."""
    dispatch(step_batch, params, states, Command.STEP, actions)


def forfeit(params: Any, states: Any, players: Any) -> None:
    """Have one player of each game forfeit."""
    dispatch(step_batch, params, states, Command.FORFEIT, players)


def legal_actions(params: Any, states: Any, mask: Any) -> None:
    """Write the masks of the current players."""
    dispatch(step_batch, params, states, Command.READ, outputs=Outputs(action_masks=mask))


def observe(params: Any, states: Any, players: Any, out: Any) -> None:
    """Write the observations of `players` into `out`, which holds zeros or earlier observations."""
    slots = new_slots(len(states))
    slots["observing_seat"] = players
    dispatch(step_batch, params, states, Command.READ, slots=slots, outputs=Outputs(observations=out))


def results(params: Any, states: Any) -> Any:
    """Return each player's return so far and whether they are eliminated, `(n, 2, num_players)` float32."""
    out = np.zeros((len(states), 2, int(params["num_generals"][0])), np.float32)
    dispatch(step_batch, params, states, Command.READ, outputs=Outputs(results=out))
    return out


def observed(table: Any, viewer: int, size: int) -> Any:
    """Return the observation of `viewer` at a table, `(size,)` int8."""
    assert viewer != NO_PLAYER
    out = np.zeros((1, size), np.int8)
    observe(table.params, table.states, viewer, out)
    return out[0]
