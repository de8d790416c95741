"""Many games of one kind side by side, on one or more threads: what vector environments and training stand on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.advance import (
    ARGUMENT,
    BEGIN,
    CODE,
    ENDED,
    FAULT,
    FORFEIT,
    GAMES,
    KEEPS_CHANCE,
    MODE,
    NO_ACTION,
    NO_OUTPUTS,
    ORDER_COLUMNS,
    PLAYER,
    RANDOM,
    RESTARTS,
    ROW,
    RUNNING,
    SEAT,
    SEED,
    SKIP,
    STREAM,
    Outputs,
    new_orders,
    new_table,
)
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import num_words
from sackarmies_env.core.rng import choice_stream
from sackarmies_env.core.state import ERROR_NONE, NO_PLAYER, alloc, as_records, copy_records, engine_error
from sackarmies_env.core.workers import Workers, free_cores

CHUNK = 64  # games that a thread takes at a time: enough work to be worth it, few enough to even out the load
SMALL_CHUNK = 16
TO_THE_END = 2**40  # decisions, more than any game has

Rows = NDArray[np.int64]


class Batch:
    """`n` games of one kind; nothing is allocated in a step of all of them, and all arrays are overwritten in place.

    Rows are independent of each other: what happens in a game depends on its seed and its actions, not on the other
    games and not on the number of threads. Where games restart, a game that is over gives way in the same call to the
    game of `core.rng.following_seed`; masks and observations are then those of the new game, `returns` and
    `terminations` still those of the one that `ended`.

    Args:
        game: what is played.
        n: number of games.
        threads: how many work, the calling one included; None for all cores that the process may use.
        restarts: whether games that are over give way to new ones.
        masks: whether `action_masks` are written.
        packed: whether `packed_masks` are written.
        observations: whether `observations` are written.

    Attributes:
        states: `(n,)` records.
        action_masks: `(n, num_actions)` int8, of those to act; zero in games that are over. `(0, 0)` if not wanted, and
            likewise the next two.
        packed_masks: `(n, words)` uint64, the same as bits.
        observations: `(n, size)` int8, of those to act; zero in games that are over, unless a seat watches.
        returns: `(n, num_players)` float32, earned so far.
        terminations: `(n, num_players)` float32, 1 for players for whom the game is over by the rules.
        players: `(n,)` int64, who is to act; NO_PLAYER (-1) in games that are over.
        ended: `(n,)` int64, RUNNING (0), TERMINATED (1) or TRUNCATED (2); of the last step, where games restart.
        games: `(n,)` int64, games over and replaced so far, where they restart.
        seeds: `(n,)` int64, of the games at hand.
        seats: `(n,)` int64, may be written to: a seat that watches; the others then play at random in the same call
            until it is to act or its game is over, and observations, masks and `ended` are its own. -1 for none.

    Raises:
        ValueError: `n` or `threads` is no positive integer.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        *,
        threads: int | None = 1,
        restarts: bool = True,
        masks: bool = True,
        packed: bool = False,
        observations: bool = True,
    ) -> None:
        _check_positive("n", n)
        self.game = game
        self.threads = free_cores() if threads is None else threads
        _check_positive("threads", self.threads)
        self._all_states = alloc(game.state_dtype, n + 1)  # the last one is what new games begin as
        self.states: Records = self._all_states[:n]
        self.action_masks = np.zeros((n, game.num_actions) if masks else (0, 0), np.int8)
        self.packed_masks = np.zeros((n, num_words(game.num_actions)) if packed else (0, 0), np.uint64)
        self.observations = np.zeros((n, game.observation_spec.size) if observations else (0, 0), np.int8)
        self._results = np.zeros((n, 2, game.num_players), np.float32)
        self.returns: NDArray[np.float32] = self._results[:, 0]
        self.terminations: NDArray[np.float32] = self._results[:, 1]
        self._table = new_table(n)
        self._table[:, MODE] = (RESTARTS if restarts else 0) | (KEEPS_CHANCE if game.keeps_chance else 0)
        self.players, self.ended, self.games = (self._table[:, column] for column in (PLAYER, ENDED, GAMES))
        self.seeds, self.seats, self._faults = (self._table[:, column] for column in (SEED, SEAT, FAULT))
        self._outputs: Outputs = (self.action_masks, self.packed_masks, self.observations, self._results)
        self._orders = new_orders(np.zeros(n, np.int64))
        self._pieces = _cut(self._orders, self.threads)
        self._workers = Workers(self.threads)
        self._is_ready = False
        self._begun = np.zeros(n, np.bool_)
        self._all_begun = False

    def __len__(self) -> int:
        return len(self.states)

    # --- play

    def reset(self, seeds: Sequence[int] | NDArray[np.int64], rows: Rows | None = None) -> None:
        """Begin new games.

        Args:
            seeds: one a game, 0 to 2**63 - 1.
            rows: the games, `(k,)` int64, each at most once; None for all.

        Raises:
            ValueError: not as many seeds as games.
        """
        given = np.asarray(seeds, np.int64)
        expected = len(self) if rows is None else len(rows)
        if given.shape != (expected,):
            raise ValueError(f"seeds of shape {given.shape}: {expected} games are to begin")
        self.order(BEGIN, rows, given)

    def step(self, actions: NDArray[np.int64], rows: Rows | None = None) -> None:
        """Apply one legal decision each.

        Args:
            actions: `(k,)` integers, legal: they are not checked; SKIP (-2) leaves a game and its outputs alone, and
                RANDOM (-4) needs an argument, see `order`.
            rows: the games, `(k,)` int64, each at most once; None for all.
        """
        self.order(actions, rows)

    def step_random(self, steps: int = 1, rows: Rows | None = None) -> None:
        """Take decisions at random, each legal id equally likely; outputs are those after the last one."""
        self.order(RANDOM, rows, steps)

    def rollout(self, steps: int) -> None:
        """Do what `step_random` does, without any output but those of the table: `players`, `ended`, `games`, `seeds`.

        Game after game is played on, so that each stays near the processor; `read` brings the outputs up to date.
        """
        self.order(RANDOM, None, steps, NO_OUTPUTS)

    def play_out(self, rows: Rows | None = None) -> None:
        """Play to the end at random where games do not restart.

        Raises:
            ValueError: games restart.
        """
        if self._table[0, MODE] & RESTARTS:
            raise ValueError("games that restart have no end: make the batch with restarts=False")
        self.order(RANDOM, rows, TO_THE_END)

    def forfeit(self, players: NDArray[np.int64], rows: Rows | None = None) -> None:
        """Let players give up, one each at most, whoever is to act; NO_PLAYER (-1) for nobody."""
        given = np.asarray(players, np.int64)
        self.order(np.where(given == NO_PLAYER, NO_ACTION, FORFEIT - given), rows)

    def read(self, rows: Rows | None = None) -> None:
        """Bring the outputs up to date, after states were written to or a rollout."""
        self.order(NO_ACTION, rows)

    def begin_forced(self, seeds: NDArray[np.int64], flips: str, draws: Sequence[Sequence[str]]) -> None:
        """Begin all games anew with the same forced results, which are used up before chance decides.

        Raises:
            ValueError: the game cannot take them.
        """
        self._table[:, SEED] = seeds
        self._table[:, ENDED] = RUNNING
        for row, seed in enumerate(np.asarray(seeds).tolist()):
            self._table[row, STREAM] = choice_stream(seed)
            self.game.start(self.states[row : row + 1], seed, flips, draws)
        self.read()

    def observe(self, players: NDArray[np.int64], rows: Rows | None = None) -> NDArray[np.int8]:
        """Return what players see, whoever is to act: a new array `(k, size)` int8.

        Args:
            players: `(k,)` seats.
            rows: the games, `(k,)` int64; None for all.
        """
        states = self.states if rows is None else self._copies(rows)
        out = np.empty((len(states), self.game.observation_spec.size), np.int8)
        self.game.observe(self.game.params, states, np.asarray(players, np.int64), out)
        return out

    def _copies(self, rows: Rows) -> Records:
        """Return states in an array of their own; as bytes, for field by field would take far longer."""
        raw = self.states.view(np.ndarray)
        chosen = raw.view(np.uint8).reshape(len(raw), raw.dtype.itemsize)[rows]
        return as_records(chosen.view(raw.dtype)[:, 0])

    # --- orders

    def order(
        self,
        codes: int | NDArray[np.int64],
        rows: Rows | None = None,
        arguments: int | NDArray[np.int64] = 0,
        outputs: Outputs | None = None,
    ) -> None:
        """Have the kernel do what codes say, see `core.advance`.

        Args:
            codes: one for all, or `(k,)` int64.
            rows: the games, `(k,)` int64, each at most once; None for all.
            arguments: one for all, or `(k,)` int64.
            outputs: where outputs go, in place of the arrays of this batch.

        Raises:
            RuntimeError: the engine reports a fault of its own.
            ValueError: a game is to go on that has not begun, or a script of chance was used up where nothing else
                decides.
        """
        if rows is None:
            orders, pieces = self._orders, self._pieces
        else:
            orders = np.empty((len(rows), ORDER_COLUMNS), np.int64)
            orders[:, ROW] = rows
            pieces = _cut(orders, self.threads)
        orders[:, CODE] = codes
        orders[:, ARGUMENT] = arguments
        if not self._all_begun:
            self._check_begun(orders)
        self._obey(orders, pieces, self._outputs if outputs is None else outputs)
        faults = self._faults if rows is None else self._faults[rows]
        if faults.any():
            self._report(np.flatnonzero(faults) if rows is None else rows[faults != ERROR_NONE])

    def _check_begun(self, orders: NDArray[np.int64]) -> None:
        """Refuse to play on in an empty state; one that is only read was written to by the caller."""
        rows, codes = orders[:, ROW], orders[:, CODE]
        self._begun[rows[(codes == BEGIN) | (codes == NO_ACTION)]] = True
        empty = rows[(codes != SKIP) & ~self._begun[rows]]
        if len(empty):
            raise ValueError(f"game {empty[0]} has not begun: call reset first")
        self._all_begun = bool(self._begun.all())

    def _obey(self, orders: NDArray[np.int64], pieces: list[NDArray[np.int64]], outputs: Outputs) -> None:
        if not self._is_ready:
            self._make_ready()
        advance, params, states, table = self.game.advance, self.game.params, self._all_states, self._table
        if len(pieces) < 2:
            advance(params, states, orders, table, *outputs)
            return
        self._workers.share(lambda piece: advance(params, states, pieces[piece], table, *outputs), len(pieces))

    def _make_ready(self) -> None:
        """Lay out what games begin as; compile here, if need be, and not in several threads at once."""
        game = self.game
        if game.lay_out is not None:
            blank = game.new_states(1)
            game.lay_out(blank)
            copy_records(blank, self._all_states[len(self) :])
        game.advance(game.params, self._all_states, self._orders[:0], self._table, *self._outputs)
        self._is_ready = True

    def _report(self, rows: Rows) -> None:
        row = int(rows[0])
        raise engine_error(int(self._faults[row]), f"in game {row}, of seed {self.seeds[row]}")


def _check_positive(name: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name}={value!r}: it must be an integer of at least 1")


def _cut(orders: NDArray[np.int64], threads: int) -> list[NDArray[np.int64]]:
    """Return orders in pieces for several threads; one piece, where it is not worth it."""
    if threads == 1 or len(orders) < 2 * SMALL_CHUNK:
        return [orders]
    size = min(CHUNK, max(SMALL_CHUNK, len(orders) // (2 * threads)))
    return [orders[start : start + size] for start in range(0, len(orders), size)]
