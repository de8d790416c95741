"""Fields of the state match their declarations: their ranges, and what hidden, derived and scratch fields are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.state import Role, StateField, names_of, select
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.games.sack_armies.state.record import STATE_FIELDS, clear_states
from tests.sack_armies.builders.derived import rebuild_derived
from tests.sack_armies.builders.twin_worlds import (
    CONFIGURATIONS,
    States,
    act,
    build,
    copy_of,
    guess,
    layout_of,
    received,
    record,
    sizes_of,
    wander,
)

EVERY = 7
PLIES = 15 if INTERPRETED else 600
SCRATCH = names_of(STATE_FIELDS, role=Role.SCRATCH)
KEPT = [name for name in names_of(STATE_FIELDS) if name not in SCRATCH]
EACH_CONFIGURATION = pytest.mark.parametrize("name", CONFIGURATIONS)


def noise(game: Game, states: States, field: StateField, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return random numbers that a field may hold."""
    least, greatest = layout_of(game).limits(field, sizes_of(game))
    return rng.integers(least, greatest, states[field.name].shape, states[field.name].dtype, endpoint=True)


def positions(game: Game) -> Iterator[tuple[int, States]]:
    """Yield (ply, states) of some positions of random games that are not over; the states must not be changed."""
    for ply, states in enumerate(itertools.islice(wander(game, 5, PLIES), 0, None, EVERY)):
        if states["current_player"][0] >= 0:
            yield ply, states


def scribbled(game: Game, states: States, role: Role, seed: int) -> States:
    """Return a copy of a position with random numbers in the fields of a role."""
    copy, rng = copy_of(game, states), np.random.default_rng(seed)
    for field in select(STATE_FIELDS, role=role):
        copy[field.name] = noise(game, states, field, rng)
    return copy


@EACH_CONFIGURATION
def test_fields_hold_what_they_may(name: str) -> None:
    game = build(name)
    layout = layout_of(game)
    for states in wander(game, 3, PLIES):
        assert list(layout.faults(states, sizes_of(game))) == []


@EACH_CONFIGURATION
def test_nothing_that_a_player_receives_depends_on_hidden_fields(name: str) -> None:
    game = build(name)
    for ply, states in positions(game):
        other = scribbled(game, states, Role.HIDDEN, ply)
        for viewer in range(game.num_players):
            assert received(game, other, viewer) == received(game, states, viewer)


@EACH_CONFIGURATION
def test_derived_fields_follow_from_the_others(name: str) -> None:
    game = build(name)
    for ply, states in positions(game):
        other = scribbled(game, states, Role.DERIVED, ply)
        rebuild_derived(game.params[0], record(other))
        dispatch(game.step_batch, game.params, other, Command.RESUME, slots=game.new_slots(1))  # finds legal ids
        for field in names_of(STATE_FIELDS, role=Role.DERIVED):
            np.testing.assert_array_equal(other[field], states[field], err_msg=field)


@EACH_CONFIGURATION
def test_scratch_carries_nothing_from_one_decision_to_the_next(name: str) -> None:
    game = build(name)
    rng = np.random.default_rng(1)
    for ply, states in positions(game):
        worlds = [copy_of(game, states), scribbled(game, states, Role.SCRATCH, ply)]
        viewer = int(rng.integers(game.num_players))
        assert len({received(game, world, viewer) for world in worlds}) == 1
        assert len({guess(game, world, viewer, 3).tobytes() for world in worlds}) == 1
        mask = np.zeros((1, game.num_actions), np.int8)
        game.legal_actions(game.params, states, mask)
        action = int(rng.choice(np.flatnonzero(mask[0])))
        for world in worlds:
            act(game, world, action)
        for field in KEPT:
            np.testing.assert_array_equal(worlds[0][field], worlds[1][field], err_msg=field)


@EACH_CONFIGURATION
def test_a_sample_has_empty_scratch_and_empty_list_tails(name: str) -> None:
    game = build(name)
    empty = game.new_states(1)
    clear_states(empty)
    for ply, states in positions(game):
        used = scribbled(game, states, Role.SCRATCH, ply)
        world = guess(game, used, ply % game.num_players, ply)
        for field in select(STATE_FIELDS, role=Role.SCRATCH):
            np.testing.assert_array_equal(world[field.name], empty[field.name], err_msg=field.name)
        for field in STATE_FIELDS:
            if field.counted_by:
                assert not world[field.name][0, int(world[field.counted_by][0]) :].any(), field.name
