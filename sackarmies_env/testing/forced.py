"""Checks of forced results: they are reproducible, take effect, and those to come are hidden from everybody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sackarmies_env.core.chance import ForcedKind, force_results, forced_left, write_forced
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.rng import seed_streams
from sackarmies_env.core.state import ERROR_NONE, NO_PLAYER
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.testing.probe import (
    CHANCE_FIELDS,
    legal_of,
    observation_of,
    player_of,
    require,
    require_same,
    step,
    world_of,
)

NUM_GAMES = 4
MAX_PLIES = 60  # of a game with forced results
LENGTH = 8  # forced results for each player
NUM_SEEDS = 12  # seeds tried where all results of a kind are tried, whether possible there or not
ENOUGH = 3  # places where chance makes a difference, so that forced results must have made one
NOT_THE_GAME = ("script_", *CHANCE_FIELDS)  # fields in which forced results and seeds differ, and that no rule reads
UNKNOWN = "no such kind of chance"
NONSENSE: tuple[Any, ...] = (None, 7, "no such result", [["no such result"]], {})

Forced = dict[str, Any]
Advance = Callable[[Records, int], None]  # of states and a seed for the chance to come


def check_forced(game: Game, seed: int) -> None:
    """Check what forced results do in games of random play; `seed` is that of the first game."""
    _check_refusals(game)
    has_used, has_chance = not game.forced_kinds, False
    effects = {
        (kind.name, queue): Effect(kind, queue) for kind in game.forced_kinds for queue in range(len(kind.results))
    }
    for number in range(NUM_GAMES if game.forced_kinds else 0):
        rng = np.random.default_rng([seed, number])
        forced = {kind.name: _written(kind, rng, game) for kind in game.forced_kinds}
        place = f"{game.id}, seed {seed + number}, forced {forced}"
        last = _play(game, place, seed + number, forced, effects)
        has_used |= any(last[f"script_{kind.name}_used"].any() for kind in game.forced_kinds)
        has_chance |= any(bool(last[name][0]) for name in ("flip_count", "draw_count"))
    fault = f"no forced result is used in {NUM_GAMES} games, though chance decides: rules must call next_forced"
    require(has_used or not has_chance, game.id, fault)
    for effect in effects.values():
        effect.check(game)


class Effect:
    """Whether the forced results of one queue of a kind make a difference where those of chance do."""

    def __init__(self, kind: ForcedKind, queue: int) -> None:
        self.kind = kind
        self.queue = queue
        self._num_tried = 0
        self._has_effect = False

    def num_used(self, states: Records) -> int:
        """Return how many forced results of the queue have been used."""
        return int(states[f"script_{self.kind.name}_used"][0, self.queue])

    def try_results(self, game: Game, before: Records, advance: Advance) -> None:
        """Go on from a position with each result forced next, and with none forced under several seeds."""
        if self._num_tried >= ENOUGH:
            return
        results = dict.fromkeys(self.kind.results[self.queue].values())
        forced = [(self._forced(game, before, [result]), 0) for result in results]
        free = [(self._forced(game, before, []), seed) for seed in range(NUM_SEEDS)]
        for states, seed in (*forced, *free):
            advance(states, seed)
        self._has_effect |= len({_position(game, states) for states, _ in forced}) > 1
        self._num_tried += len({_position(game, states) for states, _ in free}) > 1

    def check(self, game: Game) -> None:
        """Check that forced results have made a difference."""
        whose = "" if self.kind.is_shared else f" of player {self.queue}"
        fault = f"forced {self.kind.name}{whose} are used but change nothing, in each of {self._num_tried} places"
        require(self._has_effect or self._num_tried < ENOUGH, game.id, fault)

    def _forced(self, game: Game, before: Records, results: list[int]) -> Records:
        """Return a copy of a position with `results` replacing the next one in this queue; an empty list clears it."""
        states = game.clone(before)
        queues = forced_left(states, self.kind.name)
        queues[self.queue] = results + queues[self.queue][1:] if results else []
        force_results(states, self.kind.name, queues)
        return states


Effects = dict[tuple[str, int], Effect]  # by kind and queue


def _check_refusals(game: Game) -> None:
    """Check that forced results of an unknown kind are refused, and those that a kind does not take."""
    _require_refusal(game, {UNKNOWN: []}, f"forced results of {UNKNOWN!r} are not refused")
    for kind in game.forced_kinds:
        for given in NONSENSE:
            _require_refusal(game, {kind.name: given}, f"forced {kind.name} {given!r} are not refused")


def _require_refusal(game: Game, forced: Mapping[str, Any], fault: str) -> None:
    try:
        game.start(game.new_states(1), 0, forced)
    except ValueError:
        return
    require(False, game.id, fault)


def _play(game: Game, place: str, seed: int, forced: Forced, effects: Effects) -> Records:
    """Check a game with forced results, played at random; return the state where it stops."""

    def begin(begun: Records, other_seed: int) -> None:
        dispatch(game.step_batch, game.params, begun, Command.BEGIN, other_seed, slots=game.new_slots(1))

    def go_on(at: Records, other_seed: int) -> None:
        seed_streams(at[0], np.int64(other_seed))
        step(game, at, action)

    rng = np.random.default_rng(seed)
    states, again = game.new_states(1), game.new_states(1)
    for twin in (states, again):
        game.start(twin, seed, forced)
    before = game.clone(game.initial)
    write_forced(before, game.forced_kinds, forced)
    _try_results(game, effects, before, states, begin)
    for ply in range(MAX_PLIES):
        where = f"{place}, ply {ply}"
        require_same(game, where, again, states, "the same seed, forced results and actions lead to a different state")
        if player_of(states) == NO_PLAYER or states["error"][0] != ERROR_NONE:
            break
        if ply % 5 == 0:
            _check_hidden(game, where, states)
        before, action = game.clone(states), int(rng.choice(legal_of(game, states)))
        for twin in (states, again):
            step(game, twin, action)
        _try_results(game, effects, before, states, go_on)
    return states


def _try_results(game: Game, effects: Effects, before: Records, after: Records, advance: Advance) -> None:
    for effect in effects.values():
        if effect.num_used(after) > effect.num_used(before):
            effect.try_results(game, before, advance)


def _check_hidden(game: Game, place: str, states: Records) -> None:
    """Check that no observation and no world depends on forced results that are still to come."""
    for kind in game.forced_kinds:
        other = game.clone(states)
        force_results(other, kind.name, [[] for _ in forced_left(states, kind.name)])
        for player in range(game.num_players):
            same = np.array_equal(observation_of(game, states, player), observation_of(game, other, player))
            require(same, place, f"observe reveals upcoming forced {kind.name} to player {player}")
            worlds = [world_of(game, one, player, seed=1) for one in (other, states)]
            fault = f"determinize for player {player} keeps upcoming forced {kind.name}"
            require_same(game, place, worlds[1], worlds[0], fault)


def _position(game: Game, states: Records) -> bytes:
    """Return a position as bytes, without the chance to come."""
    names = [name for name in game.state_dtype.names or () if not name.startswith(NOT_THE_GAME)]
    return b"".join(states[name].tobytes() for name in names)


def _written(kind: ForcedKind, rng: np.random.Generator, game: Game) -> Any:
    """Return random results of a kind, as users write them."""
    length = min(LENGTH, game.state_dtype[f"script_{kind.name}"].shape[1])
    queues = [_some(list(results), rng, length) for results in kind.results]
    return " ".join(queues[0]) if kind.is_shared else queues


def _some(results: Sequence[Any], rng: np.random.Generator, length: int) -> list[Any]:
    return [results[place] for place in rng.integers(len(results), size=length)]
