"""What checks ask of a game, and how they report a fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.testing.random_play import RandomPlay

CHANCE_KEYS = ("flip_key", "draw_key")  # keys of the streams of chance that every state has, see core/rng.py
CHANCE_FIELDS = {*CHANCE_KEYS, "flip_count", "draw_count"}


def require(condition: object, place: RandomPlay | str, sentence: str) -> None:
    """Raise an AssertionError with `sentence` unless `condition` holds; `place` says in which game."""
    if not condition:
        raise AssertionError(f"{place if isinstance(place, str) else place.where()}: {sentence}")


def bytes_of(states: Records) -> bytes:
    """Return states as bytes."""
    return states.view(np.ndarray).tobytes()


def differing_fields(game: Game, one: Records, other: Records) -> list[str]:
    """Return the names of the fields in which states differ."""
    return [name for name in game.state_dtype.names or () if one[name].tobytes() != other[name].tobytes()]


def require_same(game: Game, place: RandomPlay | str, found: Records, expected: Records, sentence: str) -> None:
    """Raise an AssertionError with `sentence` and the fields that differ unless states are the same to the byte."""
    if bytes_of(found) != bytes_of(expected):
        require(False, place, f"{sentence}: see {differing_fields(game, found, expected)}")


def integers_of(*values: int) -> NDArray[np.int64]:
    """Return numbers as an int64 array, as kernels take them."""
    return np.array(values, np.int64)


def new_game(game: Game, seed: int) -> Records:
    """Return the game of a seed at its first decision, `(1,)`."""
    states = game.new_states(1)
    game.reset(game.params, states, integers_of(seed))
    return states


def player_of(states: Records) -> int:
    """Return the current player of `states[0]`; NO_PLAYER once the game is over."""
    return int(states["current_player"][0])


def masks_of(game: Game, states: Records) -> NDArray[np.int8]:
    """Return the action masks, `(n, num_actions)`; the output is prefilled with numbers the kernel never writes."""
    masks = np.full((len(states), game.num_actions), 7, np.int8)
    game.legal_actions(game.params, states, masks)
    return masks


def legal_of(game: Game, states: Records) -> list[int]:
    """Return the legal ids of `states[0]`."""
    legal: list[int] = np.flatnonzero(masks_of(game, states[:1])[0]).tolist()
    return legal


def observations_of(game: Game, states: Records, players: Sequence[int]) -> NDArray[np.int8]:
    """Return what one of `players` sees in each state, `(n, size)`; the output is prefilled as in `masks_of`."""
    out = np.full((len(states), game.observation_spec.size), 99, np.int8)
    game.observe(game.params, states, integers_of(*players), out)
    return out


def observation_of(game: Game, states: Records, player: int) -> NDArray[np.int8]:
    """Return what `player` sees in `states[0]`, `(size,)`."""
    seen: NDArray[np.int8] = observations_of(game, states[:1], [player])[0]
    return seen


def results_of(game: Game, states: Records) -> NDArray[np.float32]:
    """Return what each player has earned and who is eliminated, `(n, 2, num_players)`."""
    earned = np.full((len(states), game.num_players), 9, np.float32)
    eliminated = np.full((len(states), game.num_players), 9, np.int8)
    game.returns(game.params, states, earned)
    game.terminations(game.params, states, eliminated)
    return np.stack([earned, eliminated.astype(np.float32)], axis=1)


def step(game: Game, states: Records, action: int) -> None:
    """Apply an action to `states[0]`."""
    game.step(game.params, states[:1], integers_of(action))


def world_of(game: Game, states: Records, player: int, seed: int) -> Records:
    """Return a world of `player`: a state that may be `states[0]`, as far as the player knows."""
    world = game.clone(states[:1])
    game.determinize(game.params, world, integers_of(player), integers_of(seed))
    return world


def after_forfeit(game: Game, states: Records, player: int) -> Records:
    """Return `states[0]` after `player` has forfeited."""
    world = game.clone(states[:1])
    game.forfeit(game.params, world, integers_of(player))
    return world


def resumed(game: Game, states: Records) -> Records:
    """Return `states[0]` with its legal ids found again, as for a state put together from outside."""
    world = game.clone(states[:1])
    world["legal"] = 0
    world["num_legal"] = 0
    dispatch(game.step_batch, game.params, world, Command.RESUME, slots=game.new_slots(1))
    return world


def received_by(game: Game, states: Records, player: int, texts_of: Sequence[int] = ()) -> dict[str, Any]:
    """Return what environments give `player` besides observation and mask, keyed by the function it comes from.

    Args:
        game: the game of the states.
        states: `(n,)`; only the first is used.
        player: a seat.
        texts_of: legal ids whose texts are included if `player` is the current player.
    """
    earned, eliminated = results_of(game, states[:1])[0, :, player].tolist()
    received: dict[str, Any] = {"returns": earned, "terminations": eliminated}
    if player_of(states) == player:
        received["describe_decision"] = game.describe_decision(states)
        received["format_action"] = [game.format_action(states, action) for action in texts_of]
    return received
