"""Positions as immutable values, for libraries that walk game trees and copy states all the time.

A node of the game tree never changes: a copy is a reference to it, and `play` returns the next node. A node is a
`Position`, where a player decides or the game is over, a `Deal`, where the seed of the game is drawn, or a `Forced`,
where one result of chance is decided. A `Table` makes them.

What a player knows has a key: a hash of all that they have seen and done, in order, as
`sackarmies_env.envs.match.Match.information_state` lists it. Keys follow from those of the previous position and are
computed on demand: random play that never asks for one does not pay for them.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.chance import ForcedKind, force_results
from sackarmies_env.core.game import Game
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.state import NO_PLAYER, copy_records, engine_error
from sackarmies_env.core.step_batch import NO_OUTPUTS, Command, new_commands

CHANCE = -2  # the "player" at chance nodes
NO_ACTION = -1
KEY_BYTES = 16
READ, STEP, BEGIN = (int(kind) for kind in (Command.READ, Command.STEP, Command.BEGIN))


class Key(NamedTuple):
    """Hashes of what a player knows, and of what they saw last."""

    known: bytes
    seen: bytes


def _hash(*parts: bytes) -> bytes:
    """Return a hash of parts of fixed lengths."""
    return hashlib.blake2b(b"".join(parts), digest_size=KEY_BYTES).digest()


UNKNOWN = Key(_hash(), b"")  # before the game begins
WORLD = b"a player in a world that another one believes in"


def balanced(returns: list[float]) -> list[float]:
    """Return the float32 returns of a zero-sum game with their rounding error removed: the sum is 0 in float64.

    The largest magnitude does not change: it may be the limit of the game's returns, which a winner's 1 would exceed
    if it were merely balanced with three times -1/3.
    """
    mean = sum(returns) / len(returns)
    centered = [one - mean for one in returns]
    largest = max(map(abs, centered))
    scale = largest / max(map(abs, returns)) if largest else 1.0
    return [one / scale for one in centered]


class Table:
    """The engine of one game, which makes new nodes from nodes and keeps none of them.

    Attributes:
        game: the game to play.
        explicit: a kind of chance whose results are nodes of the tree, all equally likely whatever came before; None:
            all chance comes from the seed.

    Raises:
        ValueError: the game begins with forced results of that kind.
    """

    def __init__(self, game: Game, explicit: ForcedKind | None = None) -> None:
        if explicit is not None and game.initial[f"script_{explicit.name}_end"].any():
            raise ValueError(f"the position begins with forced {explicit.name}, which cannot be chance nodes as well")
        self.game = game
        self.explicit = explicit
        self.results = [sorted(set(queue.values())) for queue in explicit.results] if explicit else []
        self._lock = threading.RLock()
        self._states = game.new_states(1)
        self._filling = self._fillings(explicit.name) if explicit else []
        self._bytes = self._states.view(np.ndarray).view(np.uint8)
        self._commands, self._slots = new_commands(1), game.new_slots(1)
        self._kind, self._argument = self._commands["kind"], self._commands["argument"]
        self._player, self._error = self._slots["current_player"], self._slots["error"]
        self._mask = np.zeros((1, game.num_actions), np.int8)
        self._results = np.zeros((1, 2, game.num_players), np.float32)
        outputs = (self._mask, NO_OUTPUTS.packed_masks, NO_OUTPUTS.observations, self._results)
        self._arguments = (game.params, self._states, self._commands, self._slots, *outputs)
        self._worlds: dict[int, Table] = {}

    def deal(self, num_seeds: int, first_seed: int) -> Deal:
        """Return the root, where one of `num_seeds` seeds is drawn."""
        return Deal(self, num_seeds, first_seed)

    def begin(self, seed: int, forced: Sequence[Sequence[int]] = ()) -> Node:
        """Return the first node of the game of a seed.

        Args:
            seed: 0 to 2**63 - 1.
            forced: results of the explicit kind, one list per queue.
        """
        return self._advance(None, BEGIN, seed, forced)

    def step(self, position: Position, action: int, forced: Sequence[Sequence[int]] = ()) -> Node:
        """Return the node that a legal action leads to; `forced` as for `begin`."""
        return self._advance(position, STEP, action, forced)

    def _advance(self, before: Position | None, kind: int, argument: int, forced: Sequence[Sequence[int]]) -> Node:
        with self._lock:
            if before is None:
                copy_records(self.game.initial, self._states)
            else:
                self._load(before.state)
            if self.explicit is not None:
                forced = forced or [() for _ in self.results]
                self._force(self.explicit.name, forced)
            self._run(kind, argument)
            if self.explicit is not None:
                queue = self._next_queue(self.explicit.name, forced)
                if queue is not None:
                    return Forced(self, before, kind, argument, tuple(tuple(one) for one in forced), queue)
            return self._position(before, argument if kind == STEP else NO_ACTION, None)

    def _load(self, state: bytes) -> None:
        self._bytes[...] = np.frombuffer(state, np.uint8)

    def _run(self, kind: int, argument: int) -> None:
        self._kind[0] = kind
        self._argument[0] = argument
        self.game.step_batch(*self._arguments)
        if error := self._error.item():
            raise engine_error(error)

    def _fillings(self, name: str) -> list[list[int]]:
        """Return results with which each queue can be filled: always the same ones, without a pattern.

        Rules that repeat chance until its results differ, as those of initiative do, would use up any number of equal
        ones. Odds do not depend on the filling: where it is used at all, the position is discarded.
        """
        length = self._states[f"script_{name}"].shape[2]
        rng = np.random.default_rng(0)
        return [rng.choice(possible, length).tolist() for possible in self.results]

    def _force(self, name: str, forced: Sequence[Sequence[int]]) -> None:
        """Force results, and fill up each queue, to find out whether more are needed."""
        filled = zip(forced, self._filling, strict=True)
        force_results(self._states, name, [[*one, *filling[len(one) :]] for one, filling in filled])

    def _next_queue(self, name: str, forced: Sequence[Sequence[int]]) -> int | None:
        """Return the first queue of which more results were used than forced; if there is none, clear all queues."""
        used = self._states[f"script_{name}_used"][0]
        length = self._states[f"script_{name}"].shape[2]
        for queue, one in enumerate(forced):
            if used[queue] >= length:
                raise ValueError(f"one action uses {length} {name} or more, too many for chance nodes")
            if used[queue] > len(one):
                return queue
        force_results(self._states, name, [()] * len(forced))
        return None

    def _position(self, before: Position | None, action: int, keys: tuple[Key, ...] | None) -> Position:
        legal: list[int] = np.flatnonzero(self._mask[0]).tolist()
        player = int(self._player.item())
        returns: list[float] = self._results[0, 0].tolist()
        if player == NO_PLAYER and self.game.zero_sum:
            returns = balanced(returns)
        return Position(self, self._bytes.tobytes(), player, legal, returns, before, action, keys)

    def restore(self, state: bytes, keys: tuple[Key, ...]) -> Position:
        """Return a position from its bytes and keys."""
        with self._lock:
            self._load(state)
            self._run(READ, 0)
            return self._position(None, NO_ACTION, keys)

    def observe(self, state: bytes, seat: int) -> NDArray[np.int8]:
        """Return what a player sees, `(size,)` int8."""
        out = np.zeros((1, self.game.observation_spec.size), np.int8)
        with self._lock:
            self._load(state)
            self.game.observe(self.game.params, self._states, np.array([seat], np.int64), out)
        seen: NDArray[np.int8] = out[0]
        return seen

    def format_action(self, state: bytes, action: int) -> str:
        """Return the text of an action."""
        with self._lock:
            self._load(state)
            return self.game.format_action(self._states, action)

    def describe_decision(self, state: bytes) -> str:
        """Return the name of the decision that the current player faces."""
        with self._lock:
            self._load(state)
            return self.game.describe_decision(self._states)

    def information_set(self, state: bytes, player: int) -> InformationSets:
        """Return the information set of a player in a position, to sample states from."""
        with self._lock:
            self._load(state)
            return InformationSets.of(self.game, self._states, player)

    def world(self, player: int, game: Game) -> Table:
        """Return the table that plays the worlds sampled for a player: the game as that player knows it."""
        if player not in self._worlds:
            self._worlds[player] = Table(game, self.explicit)
        return self._worlds[player]

    def __reduce__(self) -> tuple[Any, ...]:
        game = self.game
        name = self.explicit.name if self.explicit else ""
        _saved[game.digest, name] = self
        return _saved_table, (game.digest, name, game.build, game.config)


_saved: WeakValueDictionary[tuple[str, str], Table] = WeakValueDictionary()  # building a game takes milliseconds


def _saved_table(digest: str, name: str, build: Callable[..., Game], config: dict[str, Any]) -> Table:
    """Return the table that was saved, or an equal one."""
    table = _saved.get((digest, name))
    if table is None:
        game = build(**config)
        table = Table(game, next((kind for kind in game.forced_kinds if kind.name == name), None))
        _saved[digest, name] = table
    return table


class _Value:
    """An immutable value: a copy is the same object."""

    def __copy__(self) -> _Value:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> _Value:
        return self


class Position(_Value):
    """A position in which a player decides, or the game is over.

    Attributes:
        table: the table that plays it.
        state: the bytes of the record, the whole truth.
        player: the current player; NO_PLAYER once the game is over.
        legal: legal ids of the current player, ascending.
        returns: what each player has earned so far; once a zero-sum game is over they add up to 0.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - made by `Table` alone
        self,
        table: Table,
        state: bytes,
        player: int,
        legal: list[int],
        returns: list[float],
        before: Position | None,
        action: int,
        keys: tuple[Key, ...] | None,
    ) -> None:
        self.table = table
        self.state = state
        self.player = player
        self.legal = legal
        self.returns = returns
        self._before = before  # dropped once the keys are known
        self._action = action  # the one that led here
        self._keys = keys
        self._sets: dict[int, InformationSets] = {}

    def play(self, action: int) -> Node:
        """Return the node that an action leads to.

        Raises:
            ValueError: the action is not legal.
        """
        if action not in self.legal:
            decision = self.table.describe_decision(self.state)
            raise ValueError(f"illegal action {action} for player {self.player} at {decision}; legal are {self.legal}")
        return self.table.step(self, action)

    def describe(self, action: int) -> str:
        """Return the text of an action."""
        return self.table.format_action(self.state, action)

    def observe(self, seat: int) -> NDArray[np.int8]:
        """Return what a player sees, `(size,)` int8."""
        return self.table.observe(self.state, seat)

    @property
    def keys(self) -> tuple[Key, ...]:
        """The keys of what each player knows."""
        with self.table._lock:
            waiting: list[Position] = []
            position: Position | None = self
            while position is not None and position._keys is None:
                waiting.append(position)
                position = position._before
            keys = (UNKNOWN,) * len(self.returns) if position is None else position._keys
            for later in reversed(waiting):
                later._keys = keys = later._follow(keys or ())
                later._before = None
            return keys or ()

    def _follow(self, keys: tuple[Key, ...]) -> tuple[Key, ...]:
        """Return the keys, given those of the previous position."""
        actor = NO_PLAYER if self._before is None else self._before.player
        found = []
        for seat, key in enumerate(keys):
            seen = _hash(self.observe(seat).tobytes())
            if seat == actor:
                found.append(Key(_hash(key.known, self._action.to_bytes(8, "little"), seen), seen))
            elif seen != key.seen:
                found.append(Key(_hash(key.known, seen), seen))
            else:  # what others do out of sight adds nothing, not even a repetition
                found.append(key)
        return tuple(found)

    def resample(self, player: int, seed: int) -> Position:
        """Sample a world that is possible for all a player knows: what is hidden from them and future chance are drawn.

        The player knows the same there, with the same key. What others know there follows from that key and from what
        they see there; nothing depends on the truth.
        """
        if player not in self._sets:
            self._sets[player] = self.table.information_set(self.state, player)
        sets = self._sets[player]
        state, table = sets.sample([seed]).tobytes(), self.table.world(player, sets.game)
        own = self.keys[player]
        keys = []
        for seat in range(len(self.returns)):
            seen = _hash(table.observe(state, seat).tobytes())
            keys.append(own if seat == player else Key(_hash(WORLD, own.known, seen), seen))
        return table.restore(state, tuple(keys))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.table, self.state, self.keys)


def _restore(table: Table, state: bytes, keys: tuple[Key, ...]) -> Position:
    return table.restore(state, keys)


@dataclass(frozen=True)
class Deal(_Value):
    """The root, where the seed of the game is drawn; no player learns which one."""

    table: Table
    num_seeds: int
    first_seed: int
    player = CHANCE

    @cached_property
    def outcomes(self) -> list[tuple[int, float]]:
        """Indices of the seeds with their probabilities."""
        return [(number, 1 / self.num_seeds) for number in range(self.num_seeds)]

    def play(self, action: int) -> Node:
        """Return the first node of the game of a seed."""
        if not 0 <= action < self.num_seeds:
            raise ValueError(f"unknown outcome {action}: seeds are numbered 0 to {self.num_seeds - 1}")
        return self.table.begin(self.first_seed + action)

    def describe(self, action: int) -> str:
        """Return the text of an outcome."""
        return f"seed {self.first_seed + action}"

    def observe(self, seat: int) -> NDArray[np.int8]:
        """Return what a player sees before the game begins: nothing."""
        return np.zeros(self.table.game.observation_spec.size, np.int8)

    @property
    def keys(self) -> tuple[Key, ...]:
        """The keys of what each player knows: nothing."""
        return (UNKNOWN,) * self.table.game.num_players


@dataclass(frozen=True)
class Forced(_Value):
    """A chance node for one result of the explicit kind, after an action or at the beginning of the game.

    Attributes:
        table: the table that plays it.
        before: the position before the action; None at the beginning.
        kind: the command that needs the result.
        argument: argument of the command.
        forced: results already decided for the command, for each queue.
        queue: queue of the result.
    """

    table: Table
    before: Position | None
    kind: int
    argument: int
    forced: tuple[tuple[int, ...], ...]
    queue: int
    player = CHANCE

    @property
    def outcomes(self) -> list[tuple[int, float]]:
        """Indices of the results with their probabilities."""
        count = len(self.table.results[self.queue])
        return [(number, 1 / count) for number in range(count)]

    def play(self, action: int) -> Node:
        """Return the node that a result leads to."""
        result = self.table.results[self.queue][action]
        forced = [(*one, result) if queue == self.queue else one for queue, one in enumerate(self.forced)]
        if self.before is None:
            return self.table.begin(self.argument, forced)
        return self.table.step(self.before, self.argument, forced)

    def describe(self, action: int) -> str:
        """Return the text of a result, as users write it."""
        kind, result = self.table.explicit, self.table.results[self.queue][action]
        names = kind.results[self.queue] if kind else {}
        return f"{kind.name if kind else ''} {next(name for name, value in names.items() if value == result)}"

    def observe(self, seat: int) -> NDArray[np.int8]:
        """Return what a player saw last."""
        return self._last.observe(seat)

    @property
    def keys(self) -> tuple[Key, ...]:
        """The keys of what each player knew before."""
        return self._last.keys

    @property
    def _last(self) -> Position | Deal:
        return self.before or Deal(self.table, 1, self.argument)


Node = Position | Deal | Forced
