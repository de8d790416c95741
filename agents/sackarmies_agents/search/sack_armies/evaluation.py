"""Evaluation of positions of Sack Armies where search stops: a small network trained on whole games.

Each General gets sums: of a row of weights for each token, by type and place, and of the outputs of small networks for
each unit and battlefield. A final network compares a player's sums with those of the others.
"""

from __future__ import annotations

import functools
import io
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.search.sack_armies.features import (
    FIELD_WIDTH,
    MAX_TOKENS,
    NUM_TYPES,
    POSITION_DTYPE,
    TOKEN_ROWS,
    UNIT_WIDTH,
    read_position,
)
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.jit import njit
from sackarmies_env.core.kernels import make_kernel
from sackarmies_env.core.safe_read import read_bytes
from sackarmies_env.core.simulator import Evaluation
from sackarmies_env.core.state import alloc, as_records, copies_of, record_dtype
from sackarmies_env.games.sack_armies.play.step import final_gain
from sackarmies_env.games.sack_armies.state.constants import MAX_GENERALS
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue

SUMS = 128  # of a General
PARTS = 64  # outputs for a unit or battlefield
SHARED = 4  # whether it is the player's turn, the turn, turns without progress, 1 / number of others
INPUTS = 2 * SUMS + SHARED
HIDDEN = 64
OUTCOMES = 3  # win, draw, loss
WIN, DRAW, LOSS = range(OUTCOMES)
WEIGHTS = Path(__file__).parent / "evaluation.npz"
LARGEST = 2**22  # bytes of a file and of its arrays together; the shipped one has 291,000
TYPES = "types"  # in files, beside the weights: ids of the catalogue, in their order
# What numpy raises when it reads damaged files, or files of another kind.
UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    BadZipFile,
    AttributeError,
    MemoryError,  # an array that claims to be larger than its file
    TypeError,
    RuntimeError,
    TokenError,
    zlib.error,
)


def net_dtype(width: int) -> np.dtype[np.void]:
    """Return the dtype of the weights for units or battlefields that are described by `width` numbers."""
    return record_dtype(
        [
            ("type_weight", np.float32, (NUM_TYPES, PARTS)),
            ("weight", np.float32, (width, PARTS)),
            ("bias", np.float32, (PARTS,)),
            ("sum_weight", np.float32, (PARTS, SUMS)),
        ]
    )


WEIGHTS_DTYPE = record_dtype(
    [
        ("token_weight", np.float32, (TOKEN_ROWS, SUMS)),
        ("sum_bias", np.float32, (SUMS,)),
        ("unit", net_dtype(UNIT_WIDTH)),
        ("field", net_dtype(FIELD_WIDTH)),
        ("hidden_weight", np.float32, (INPUTS, HIDDEN)),
        ("hidden_bias", np.float32, (HIDDEN,)),
        ("outcome_weight", np.float32, (HIDDEN, OUTCOMES)),
        ("outcome_bias", np.float32, (OUTCOMES,)),
    ]
)
MODEL_DTYPE = record_dtype(
    [
        ("weights", WEIGHTS_DTYPE),
        # --- scratch
        ("position", POSITION_DTYPE),
        ("part", np.float32, (PARTS,)),
        ("parts", np.float32, (MAX_GENERALS, PARTS)),
        ("sums", np.float32, (MAX_GENERALS, SUMS)),
        ("inputs", np.float32, (INPUTS,)),
        ("hidden", np.float32, (HIDDEN,)),
        ("outcomes", np.float32, (OUTCOMES,)),
    ]
)


class Group(NamedTuple):
    """Tokens, units or battlefields of several positions, position by position.

    Attributes:
        counts: `(n,)` int64, how many each position has.
        rows: `(m,)` int16, rows of the weights that they add.
        seats: `(m,)` int8, the seats that they count for.
        numbers: `(m, UNIT_WIDTH)` or `(m, FIELD_WIDTH)` float16, `(m, 0)` for tokens.
    """

    counts: NDArray[np.int64]
    rows: NDArray[np.int16]
    seats: NDArray[np.int8]
    numbers: NDArray[np.float16]


class Inputs(NamedTuple):
    """Inputs of the network for several positions.

    Attributes:
        tokens: all tokens, with rows below TOKEN_ROWS.
        units: units on the battleground, with rows below NUM_TYPES.
        fields: likewise the battlefields.
        shared: `(n, num_generals, SHARED)` float32.
        alive: `(n, num_generals)` bool, who is still in the game.
    """

    tokens: Group
    units: Group
    fields: Group
    shared: NDArray[np.float32]
    alive: NDArray[np.bool_]


@njit
def read_shared(params, state, player, shared):
    """Write the inputs (SHARED,) that belong to no token, for a player."""
    others = np.int64(0)
    for seat in range(params.num_generals):
        others += 1 if seat != player and state.general_alive[seat] == 1 else 0
    shared[0] = 1.0 if state.active == player else 0.0
    shared[1] = state.turn / params.max_turns
    shared[2] = (state.turn - state.last_progress_turn) / params.no_progress_turns
    shared[3] = 1.0 / max(others, np.int64(1))


@njit(inlined=True)
def add_scaled(factor, row, total):
    """Add a row of weights, times a factor, to `total`."""
    for k in range(len(total)):
        total[k] += factor * row[k]


@njit(inlined=True)
def add_part(numbers, net, row, part, total):
    """Add the outputs for a unit or battlefield to `total` (PARTS,).

    Args:
        numbers: (width,) float32.
        net: of net_dtype.
        row: the row of its type.
        part: (PARTS,), overwritten.
        total: (PARTS,).
    """
    for k in range(PARTS):
        part[k] = net.bias[k] + net.type_weight[row, k]
    for column in range(len(numbers)):
        add_scaled(numbers[column], net.weight[column], part)
    for k in range(PARTS):
        total[k] += max(np.float32(0.0), part[k])


@njit
def sum_parts(num_generals, group, net, model):
    """Add the outputs for the units or battlefields of each General to `model.sums`.

    Args:
        num_generals: number of Generals in the game.
        group: the units or battlefields of a position.
        net: of net_dtype.
        model: of MODEL_DTYPE.
    """
    parts = model.parts
    for seat in range(num_generals):
        for k in range(PARTS):
            parts[seat, k] = 0.0
    for i in range(group.count):
        add_part(group.number[i], net, np.int64(group.row[i]), model.part, parts[group.seat[i]])
    for seat in range(num_generals):
        for number in range(PARTS):
            add_scaled(parts[seat, number], net.sum_weight[number], model.sums[seat])


@njit
def sum_up(params, model):
    """Write the sums of each General, from `model.position`."""
    tokens, weights = model.position.tokens, model.weights
    for seat in range(params.num_generals):
        for k in range(SUMS):
            model.sums[seat, k] = weights.sum_bias[k]
    for i in range(tokens.count):
        add_scaled(np.float32(1.0), weights.token_weight[tokens.row[i]], model.sums[tokens.seat[i]])
    sum_parts(params.num_generals, model.position.units, weights.unit, model)
    sum_parts(params.num_generals, model.position.fields, weights.field, model)


@njit
def compare_sums(params, state, model, player):
    """Write the inputs of the final network: a player's sums, the mean of those of the others, and shared inputs."""
    inputs = model.inputs
    read_shared(params, state, player, inputs[2 * SUMS :])
    share = inputs[INPUTS - 1]
    for k in range(2 * SUMS):
        inputs[k] = 0.0
    for seat in range(params.num_generals):
        if state.general_alive[seat] == 1:
            first = 0 if seat == player else SUMS
            factor = np.float32(1.0) if seat == player else share
            for k in range(SUMS):
                inputs[first + k] += factor * max(np.float32(0.0), model.sums[seat, k])


@njit
def predict(model):
    """Write the chances of win, draw and loss into `model.outcomes`, from `model.inputs`."""
    for unit in range(HIDDEN):
        model.hidden[unit] = model.weights.hidden_bias[unit]
    for i in range(INPUTS):
        value = model.inputs[i]
        if value != 0:
            for unit in range(HIDDEN):
                model.hidden[unit] += value * model.weights.hidden_weight[i, unit]
    greatest = np.float32(-1e9)
    for outcome in range(OUTCOMES):
        score = model.weights.outcome_bias[outcome]
        for unit in range(HIDDEN):
            score += max(np.float32(0.0), model.hidden[unit]) * model.weights.outcome_weight[unit, outcome]
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
    """Return the value of a position to a player, as their return: float64, -1 to 1.

    Args:
        models: (1,) of MODEL_DTYPE.
        params: (1,).
        states: (1,), a game that is not over.
        player: a seat.
    """
    model = models[0]
    loss = 0.0 if params[0].win_only == 1 else -1.0 / (params[0].num_generals - 1.0)
    if states[0].general_alive[player] == 0:
        return loss
    read_position(params[0], states[0], model.position)
    sum_up(params[0], model)
    compare_sums(params[0], states[0], model, player)
    predict(model)
    value = np.float64(model.outcomes[WIN]) + loss * np.float64(model.outcomes[LOSS])
    return value + gain_of_draw(params[0], states[0]) * np.float64(model.outcomes[DRAW])


@njit
def gain_of_draw(params, state):
    """Return what the Generals still in the game would each earn if it ended undecided now (C-reward)."""
    num_lost = 0
    for seat in range(params.num_generals):
        num_lost += 1 - np.int64(state.general_alive[seat])
    return final_gain(params, state, num_lost)


@njit
def read_all(params, states, positions, shared):
    """Write the network's inputs for each state: positions (n,) of POSITION_DTYPE, shared (n, seats, SHARED)."""
    for i in range(len(states)):
        read_position(params[0], states[i], positions[i])
        for player in range(params[0].num_generals):
            read_shared(params[0], states[i], player, shared[i, player])


def inputs_of(params: Records, states: Records) -> Inputs:
    """Return the network's inputs for states `(n,)` of games that are not over."""
    generals = int(params["num_generals"][0])
    positions, shared = alloc(POSITION_DTYPE, len(states)), np.zeros((len(states), generals, SHARED), np.float32)
    read_all(params, as_records(states), positions, shared)
    alive = states["general_alive"][:, :generals] == 1
    tokens, units, fields = (_group(positions[name]) for name in ("tokens", "units", "fields"))
    return Inputs(tokens, units, fields, shared, alive)


def _group(held: Records) -> Group:
    """Return the tokens, units or battlefields of positions as a `Group`."""
    entries = np.arange(MAX_TOKENS) < held["count"][:, None]
    rows, seats = held["row"][entries], held["seat"][entries]
    numbers = held["number"][entries] if "number" in (held.dtype.names or ()) else np.zeros((len(rows), 0))
    return Group(held["count"].copy(), rows, seats, numbers.astype(np.float16))


def names_of_weights(dtype: np.dtype[np.void] = WEIGHTS_DTYPE) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights, by their names in files: the names of fields, joined by dots."""
    found: dict[str, tuple[int, ...]] = {}
    for name in dtype.names or ():
        part = dtype[name]
        inner = {f"{name}.{key}": shape for key, shape in names_of_weights(part).items()}
        found |= inner if part.names else {name: part.shape}
    return found


def load_weights(path: Path = WEIGHTS) -> dict[str, NDArray[np.float16]]:
    """Return the network's weights, by their names in files.

    Raises:
        ValueError: there is no such file, or it does not hold weights of this network.
    """
    wanted = names_of_weights()
    content = io.BytesIO(read_bytes(path, "an evaluation", LARGEST))
    try:
        with np.load(content, allow_pickle=False) as file:
            if sum(entry.file_size for entry in file.zip.infolist()) > LARGEST:  # before anything is unpacked
                raise BadZipFile
            weights = {name: np.asarray(file[name]) for name in file.files}  # bytes, if an entry is no array
    except UNREADABLE as error:
        # For other files, numpy's messages give advice that suits only trusted files.
        reason = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        raise ValueError(f"{path} is not a readable evaluation of sackarmies fit-evaluation{reason}") from None
    types = weights.pop(TYPES, np.array([])).tolist()
    if {name: array.shape for name, array in weights.items()} != wanted or types != list(load_catalogue()):
        raise ValueError(
            f"{path} does not hold an evaluation for this catalogue of tokens, "
            f"with {SUMS} sums of a General and {HIDDEN} hidden units"
        )
    if not all(array.dtype == np.float16 and np.isfinite(array).all() for array in weights.values()):
        raise ValueError(f"{path} holds weights that are not finite 16-bit numbers")
    return weights


def model_from(path: Path) -> Records:
    """Return `(1,)` of MODEL_DTYPE with the weights in a file.

    Raises:
        ValueError: the file does not hold them.
    """
    model = alloc(MODEL_DTYPE, 1)
    for name, weights in load_weights(path).items():
        part = model["weights"]
        for field in name.split("."):
            part = part[field]
        part[0] = weights
    return model


@functools.cache
def shipped_model() -> Records:
    """Return the model with the weights that come with the package, which do not change."""
    return model_from(WEIGHTS)


def make_evaluation(game: Game, source: str | Evaluation | None = None) -> Evaluation:
    """Return the evaluation of a game's positions for search; for use in one thread.

    Args:
        game: the game to search.
        source: file of the network's weights, or an evaluation that has them already; None for those that come with
            the package.

    Raises:
        ValueError: the file does not hold them.
    """
    if source is None:
        held = shipped_model()
    else:
        held = source.model if isinstance(source, Evaluation) else model_from(Path(source))
    model = copies_of(held, np.zeros(1, np.int64))
    return Evaluation(make_kernel(evaluate, model, game.params, game.new_states(1), np.int64(0)), model)
