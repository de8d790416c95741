"""What positions of Sack Armies are worth where search stops: a small network that has learned from whole games."""

from __future__ import annotations

import functools
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.search.sack_armies.features import WIDTH, read_features
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.jit import njit
from sackarmies_env.core.kernels import make_kernel
from sackarmies_env.core.simulator import Evaluation
from sackarmies_env.core.state import alloc, as_records, record_dtype
from sackarmies_env.games.sack_armies.state.constants import MAX_GENERALS

INPUTS = 2 * WIDTH + 3  # the player's numbers, the others' mean, turn, turns without progress, share of others left
HIDDEN = 32
OUTCOMES = 3  # win, draw, loss
WIN, DRAW, LOSS = range(OUTCOMES)
WEIGHTS = Path(__file__).parent / "evaluation.npz"

WEIGHT_NAMES = ("offset", "scale", "hidden_weight", "hidden_bias", "outcome_weight", "outcome_bias")
MODEL_DTYPE = record_dtype(
    [
        ("offset", np.float32, (INPUTS,)),  # of each input, before it is scaled
        ("scale", np.float32, (INPUTS,)),
        ("hidden_weight", np.float32, (INPUTS, HIDDEN)),
        ("hidden_bias", np.float32, (HIDDEN,)),
        ("outcome_weight", np.float32, (HIDDEN, OUTCOMES)),
        ("outcome_bias", np.float32, (OUTCOMES,)),
        # --- scratch
        ("features", np.float32, (MAX_GENERALS, WIDTH)),
        ("inputs", np.float32, (INPUTS,)),
        ("hidden", np.float32, (HIDDEN,)),
        ("outcomes", np.float32, (OUTCOMES,)),
    ]
)


@njit
def read_inputs(params, state, features, player, inputs):
    """Write the inputs of the network for a player, from the features of all Generals."""
    others = np.float32(0.0)
    for column in range(2 * WIDTH + 3):
        inputs[column] = 0.0
    for seat in range(params.num_generals):
        if seat == player:
            for column in range(WIDTH):
                inputs[column] = features[seat, column]
        elif state.general_alive[seat] == 1:
            others += np.float32(1.0)
            for column in range(WIDTH):
                inputs[WIDTH + column] += features[seat, column]
    for column in range(WIDTH):
        inputs[WIDTH + column] /= max(others, np.float32(1.0))
    inputs[2 * WIDTH] = state.turn / params.max_turns
    inputs[2 * WIDTH + 1] = (state.turn - state.last_progress_turn) / params.no_progress_turns
    inputs[2 * WIDTH + 2] = others / (params.num_generals - 1)


@njit
def predict(model):
    """Write the chances of win, draw and loss into `model.outcomes`, from `model.inputs`."""
    for unit in range(HIDDEN):
        model.hidden[unit] = model.hidden_bias[unit]
    for i in range(INPUTS):
        value = (model.inputs[i] - model.offset[i]) * model.scale[i]
        for unit in range(HIDDEN):
            model.hidden[unit] += value * model.hidden_weight[i, unit]
    greatest = np.float32(-1e9)
    for outcome in range(OUTCOMES):
        score = model.outcome_bias[outcome]
        for unit in range(HIDDEN):
            score += max(np.float32(0.0), model.hidden[unit]) * model.outcome_weight[unit, outcome]
        model.outcomes[outcome] = score
        greatest = max(greatest, score)
    total = np.float32(0.0)
    for outcome in range(OUTCOMES):
        model.outcomes[outcome] = np.exp(model.outcomes[outcome] - greatest)
        total += model.outcomes[outcome]
    for outcome in range(OUTCOMES):
        model.outcomes[outcome] /= total


@njit
def evaluate(models, params, states, player):
    """Return what a position is worth to a player, as their return: float64, -1 to 1.

    Args:
        models: (1,) of MODEL_DTYPE.
        params: (1,).
        states: (1,), where the game goes on.
        player: a seat.
    """
    model = models[0]
    loss = 0.0 if params[0].win_only == 1 else -1.0 / (params[0].num_generals - 1.0)
    if states[0].general_alive[player] == 0:
        return loss
    read_features(params[0], states[0], model.features)
    read_inputs(params[0], states[0], model.features, player, model.inputs)
    predict(model)
    return np.float64(model.outcomes[WIN]) + loss * np.float64(model.outcomes[LOSS])


@njit
def read_all_inputs(params, states, players, features, out):
    """Write the inputs of the network for a player of each state; out (n, INPUTS) float32."""
    for i in range(len(states)):
        read_features(params[0], states[i], features)
        read_inputs(params[0], states[i], features, players[i], out[i])


def inputs_of(params: Records, states: Records, player: int) -> NDArray[np.float32]:
    """Return the inputs of the network for a player of states `(n,)`, where games go on: `(n, INPUTS)`."""
    out = np.zeros((len(states), INPUTS), np.float32)
    features = np.zeros((MAX_GENERALS, WIDTH), np.float32)
    read_all_inputs(params, as_records(states), np.full(len(states), player), features, out)
    return out


@functools.cache
def load_weights(path: Path = WEIGHTS) -> dict[str, NDArray[np.float32]]:
    """Return the network's weights, by the names of the fields of MODEL_DTYPE.

    Raises:
        ValueError: there is no such file, or it does not hold weights of this network.
    """
    wanted = {name: MODEL_DTYPE[name].shape for name in WEIGHT_NAMES}
    try:
        with np.load(path, allow_pickle=False) as file:
            weights = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, BadZipFile, AttributeError) as error:
        raise ValueError(
            f"{path} is not a readable evaluation, as sackarmies fit-evaluation writes it: {error}"
        ) from None
    if {name: array.shape for name, array in weights.items()} != wanted:
        raise ValueError(f"{path} does not hold an evaluation of {INPUTS} numbers with {HIDDEN} hidden units")
    if not all(array.dtype == np.float32 and np.isfinite(array).all() for array in weights.values()):
        raise ValueError(f"{path} holds weights that are not finite 32-bit numbers")
    return weights


def make_evaluation(game: Game, source: str | None = None) -> Evaluation:
    """Return what search takes positions of a game to be worth; for one thread.

    Args:
        game: what is played.
        source: file of the network's weights; None for those that come with the package.

    Raises:
        ValueError: the file does not hold them.
    """
    model = alloc(MODEL_DTYPE, 1)
    for name, weights in load_weights(Path(source) if source else WEIGHTS).items():
        model[name][0] = weights
    return Evaluation(make_kernel(evaluate, model, game.params, game.new_states(1), np.int64(0)), model)
