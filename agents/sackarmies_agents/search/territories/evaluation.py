"""Evaluation of positions of Territories where search stops: each player's share of territories and units."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import njit
from sackarmies_env.core.kernels import make_kernel
from sackarmies_env.core.simulator import Evaluation
from sackarmies_env.core.state import alloc, record_dtype
from sackarmies_env.games.territories.state.constants import MAX_TERRITORIES, NUM_UNITS

VALUE_OF_TERRITORY = 8.0  # in exchange value: twice the 3.5 troops that it brings per turn, plus its border
MODEL_DTYPE = record_dtype([("territory", np.float64)])


@njit
def strength_of(model, params, state, player):
    """Return what a player has on the map: the exchange value of units, plus `model.territory` per territory."""
    strength = 0.0
    for territory in range(MAX_TERRITORIES):
        if state.territory_owner[territory] == player:
            strength += model.territory
            for unit in range(NUM_UNITS):
                strength += np.float64(params.unit_value[unit]) * np.float64(state.territory_units[territory, unit])
    return strength


@njit
def evaluate(models, params, states, player):
    """Return a player's estimated return, float64: -1 / (n - 1) with nothing to 1 with everything, for n players.

    Args:
        models: (1,) of MODEL_DTYPE.
        params: (1,).
        states: (1,), a game that is not over.
        player: a seat.
    """
    others = np.float64(params[0].num_players) - 1.0
    if states[0].alive[player] == 0:
        return -1.0 / others
    total = 0.0
    for seat in range(params[0].num_players):
        total += strength_of(models[0], params[0], states[0], seat)
    share = strength_of(models[0], params[0], states[0], player) / max(total, 1.0)
    return (share * (others + 1.0) - 1.0) / others


def make_evaluation(game: Game, source: str | Evaluation | None = None) -> Evaluation:
    """Return the evaluation of a game's positions for search; for use in one thread.

    Args:
        game: the game to search.
        source: must not be a file, since nothing here is learned.

    Raises:
        ValueError: a file of weights is given.
    """
    if isinstance(source, str):
        raise ValueError("the evaluation of Territories has no weights to read from a file")
    model = alloc(MODEL_DTYPE, 1)
    model["territory"] = VALUE_OF_TERRITORY
    return Evaluation(make_kernel(evaluate, model, game.params, game.new_states(1), np.int64(0)), model)
