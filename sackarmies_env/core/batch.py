"""Many games of one kind side by side, on one or more threads: what vector environments and training stand on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
from sackarmies_env.core.checks import (
    ARGUMENT_NEGATIVE,
    ILLEGAL,
    MIN_INTEGER,
    NOT_TO_ACT,
    ROW_TWICE,
    SEAT_OUTSIDE,
    SEED_RANGE,
    Judge,
    copies_of,
    integer,
    integers,
    read_only,
    rows_of,
    seats_of,
    seeds_of,
)
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import num_words
from sackarmies_env.core.rng import choice_stream
from sackarmies_env.core.state import ERROR_NONE, NO_PLAYER, alloc, copy_records, engine_error
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
        checked: whether what is given is checked: rows, seats, seeds, types, and actions, whose legality is judged from
            the states; and whether outputs can only be read. False is **unsafe**: a wrong value leads to wrong games, a
            process that hangs, or one that crashes. docs/benchmarks.md says what the checks cost.

    Attributes:
        states: `(n,)` records; may be written to, and the rules trust them.
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
        ValueError: `n` or `threads` is no positive integer. Checked methods raise it too, and change nothing then.
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
        checked: bool = True,
    ) -> None:
        n = integer("n", n, 1)
        self.game = game
        self.threads = free_cores() if threads is None else integer("threads", threads, 1)
        self.checked = checked
        self._all_states = alloc(game.state_dtype, n + 1)  # the last one is what new games begin as
        self.states: Records = self._all_states[:n]
        self._outputs: Outputs = (
            np.zeros((n, game.num_actions) if masks else (0, 0), np.int8),
            np.zeros((n, num_words(game.num_actions)) if packed else (0, 0), np.uint64),
            np.zeros((n, game.observation_spec.size) if observations else (0, 0), np.int8),
            np.zeros((n, 2, game.num_players), np.float32),
        )
        self._table = new_table(n)
        self._table[:, MODE] = (RESTARTS if restarts else 0) | (KEEPS_CHANCE if game.keeps_chance else 0)
        self._show()
        self.seats, self._faults = self._table[:, SEAT], self._table[:, FAULT]
        self._judge = Judge(game, self._all_states, self._table)
        self._orders = new_orders(np.zeros(n, np.int64))
        self._pieces = _cut(self._orders, self.threads)
        self._workers = Workers(self.threads)
        self._is_ready = False
        self._begun = np.zeros(n, np.bool_)
        self._all_begun = False

    def _show(self) -> None:
        """Name the outputs; checked, they are views that nobody can write through."""
        table, (masks, packed, observations, results) = self._table, self._outputs
        if self.checked:
            table, masks, packed = read_only(table), read_only(masks), read_only(packed)
            observations, results = read_only(observations), read_only(results)
        self.action_masks, self.packed_masks, self.observations = masks, packed, observations
        self.returns: NDArray[np.float32] = results[:, 0]
        self.terminations: NDArray[np.float32] = results[:, 1]
        self.players, self.ended, self.games, self.seeds = (table[:, column] for column in (PLAYER, ENDED, GAMES, SEED))

    def __len__(self) -> int:
        return len(self.states)

    # --- play

    def reset(self, seeds: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Begin new games.

        Args:
            seeds: one a game, 0 to 2**63 - 1.
            rows: the games, `(k,)` int64, each at most once; None for all.

        Raises:
            ValueError: not as many seeds as games, or a seed or row that is none.
        """
        chosen = self._rows_of(rows)
        count = len(self) if chosen is None else len(chosen)
        self.order(BEGIN, chosen, seeds_of(seeds, count) if self.checked else np.asarray(seeds, np.int64))

    def step(self, actions: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Apply one legal decision each; a game that is over stays as it is.

        Args:
            actions: `(k,)` integers; SKIP (-2) leaves a game and its outputs alone, and RANDOM (-4) needs an argument,
                see `order`.
            rows: the games, `(k,)` int64, each at most once; None for all.

        Raises:
            ValueError: an action is not legal; no game is changed.
        """
        self.order(actions, rows)

    def step_random(self, steps: int = 1, rows: ArrayLike | None = None) -> None:
        """Take decisions at random, each legal id equally likely; outputs are those after the last one."""
        self.order(RANDOM, rows, integer("steps", steps, 0))

    def rollout(self, steps: int) -> None:
        """Do what `step_random` does, without any output but those of the table: `players`, `ended`, `games`, `seeds`.

        Game after game is played on, so that each stays near the processor; `read` brings the outputs up to date.
        """
        self.order(RANDOM, None, integer("steps", steps, 0), NO_OUTPUTS)

    def play_out(self, rows: ArrayLike | None = None) -> None:
        """Play to the end at random where games do not restart.

        Raises:
            ValueError: games restart.
        """
        if self._table[0, MODE] & RESTARTS:
            raise ValueError("games that restart have no end: make the batch with restarts=False")
        self.order(RANDOM, rows, TO_THE_END)

    def forfeit(self, players: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Let players give up, one each at most, whoever is to act; NO_PLAYER (-1) for nobody."""
        chosen = self._rows_of(rows)
        given = self._seats_of("players", players, len(self) if chosen is None else len(chosen), NO_PLAYER)
        self.order(np.where(given == NO_PLAYER, NO_ACTION, FORFEIT - given), chosen)

    def read(self, rows: ArrayLike | None = None) -> None:
        """Bring the outputs up to date, after states were written to or a rollout."""
        self.order(NO_ACTION, rows)

    def begin_forced(self, seeds: ArrayLike, flips: str, draws: Sequence[Sequence[str]]) -> None:
        """Begin all games anew with the same forced results, which are used up before chance decides.

        Raises:
            ValueError: the game cannot take them; no game is changed.
        """
        given = seeds_of(seeds, len(self))
        self.begin_at(given, self.forced_starts(given, flips, draws))

    def forced_starts(self, seeds: ArrayLike, flips: str, draws: Sequence[Sequence[str]]) -> Records:
        """Return new games with forced results, `(n,)` records, and change nothing here.

        Raises:
            ValueError: the game cannot take them.
        """
        starts = self.game.new_states(len(self))
        for row, seed in enumerate(seeds_of(seeds, len(self)).tolist()):
            self.game.start(starts[row : row + 1], seed, flips, draws)
            if fault := int(starts["error"][row]):
                raise engine_error(fault, f"in game {row}, of seed {seed}")
        return starts

    def begin_at(self, seeds: ArrayLike, starts: Records) -> None:
        """Begin all games anew at given first decisions.

        Args:
            seeds: one a game, 0 to 2**63 - 1.
            starts: `(n,)` records, see `forced_starts`.

        Raises:
            ValueError: seeds or seats are wrong; no game is changed.
        """
        given = seeds_of(seeds, len(self))
        self._write(self._orders, NO_ACTION, 0)
        self._check(self._orders)
        copy_records(starts, self.states)
        self._table[:, SEED] = given
        self._table[:, ENDED] = RUNNING
        self._table[:, STREAM] = [choice_stream(seed) for seed in given.tolist()]
        self.read()

    def observe(self, players: ArrayLike, rows: ArrayLike | None = None) -> NDArray[np.int8]:
        """Return what players see, whoever is to act: a new array `(k, size)` int8.

        Args:
            players: `(k,)` seats.
            rows: the games, `(k,)` int64; None for all.

        Raises:
            ValueError: there is no such player or game, or it has not begun.
        """
        chosen = self._rows_of(rows)
        states = self.states if chosen is None else copies_of(self.states, chosen)
        seats = self._seats_of("players", players, len(states), 0)
        if not self._all_begun:
            self._check_begun(np.arange(len(self)) if chosen is None else chosen)
        out = np.empty((len(states), self.game.observation_spec.size), np.int8)
        self.game.observe(self.game.params, states, seats, out)
        return out

    def are_legal(self, actions: ArrayLike, rows: ArrayLike | None = None) -> NDArray[np.bool_]:
        """Return which actions those to act may choose, `(k,)` bool, judged from the states.

        Args:
            actions: `(k,)` integers; codes that are no actions are not legal.
            rows: the games, `(k,)` int64, each at most once; None for all.

        Raises:
            ValueError: not as many integers as games, or there is no such game, or it has not begun.
        """
        chosen = np.arange(len(self)) if rows is None else rows_of(rows, len(self))
        if not self._all_begun:
            self._check_begun(chosen)
        orders = np.zeros((len(chosen), ORDER_COLUMNS), np.int64)
        orders[:, ROW] = chosen
        orders[:, CODE] = integers("actions", actions, len(chosen))
        return self._judge.are_legal(orders)

    def refusal(self, row: int, action: int) -> str:
        """Return a sentence on why an action is refused, from what the player to act in a game knows.

        Raises:
            ValueError: there is no such game, or it has not begun.
        """
        chosen = rows_of([row], len(self))
        if not self._all_begun:
            self._check_begun(chosen)
        decision, legal = self.game.describe_decision(self.states[row : row + 1]), self._judge.legal_ids(row)
        return f"illegal action {action} in game {row} at {decision}; legal are {legal}; no game was changed"

    def hide(self, rows: ArrayLike, players: ArrayLike | None = None) -> None:
        """Empty the masks of games; show what `players` `(k,)` see there, nothing if none are given."""
        chosen = rows_of(rows, len(self))
        masks, packed, observations, _ = self._outputs
        seen = 0 if players is None else self.observe(players, chosen)
        for output, content in ((masks, 0), (packed, 0), (observations, seen)):
            if len(output):
                output[chosen] = content

    def _rows_of(self, rows: ArrayLike | None) -> Rows | None:
        if rows is None:
            return None
        return rows_of(rows, len(self)) if self.checked else np.asarray(rows, np.int64)

    def _seats_of(self, name: str, given: ArrayLike, count: int, smallest: int) -> NDArray[np.int64]:
        if not self.checked:
            return np.asarray(given, np.int64)
        return seats_of(name, given, count, smallest, self.game.num_players)

    # --- orders

    def order(
        self,
        codes: ArrayLike,
        rows: ArrayLike | None = None,
        arguments: ArrayLike = 0,
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
            ValueError: an order cannot be obeyed, and no game is changed: an illegal action, an unknown code, a row or
                seat that does not exist, a game that has not begun. Or a script of chance was used up where nothing
                else decides.
        """
        chosen = self._rows_of(rows)
        if chosen is None:
            orders, pieces = self._orders, self._pieces
        else:
            orders = np.empty((len(chosen), ORDER_COLUMNS), np.int64)
            orders[:, ROW] = chosen
            pieces = _cut(orders, self.threads)
        self._write(orders, codes, arguments)
        if not self._all_begun:
            self._check_begun(orders[~np.isin(orders[:, CODE], (SKIP, BEGIN, NO_ACTION)), ROW])
        self._check(orders)
        if not self._all_begun:
            self._begun[orders[np.isin(orders[:, CODE], (BEGIN, NO_ACTION)), ROW]] = True  # one that is only read was
            self._all_begun = bool(self._begun.all())  # written to by the caller
        self._obey(orders, pieces, self._outputs if outputs is None else outputs)
        faults = self._faults if chosen is None else self._faults[chosen]
        if faults.any():
            self._report(np.flatnonzero(faults) if chosen is None else chosen[faults != ERROR_NONE])

    def _write(self, orders: NDArray[np.int64], codes: Any, arguments: Any) -> None:
        """Write codes and arguments into orders."""
        if self.checked:
            codes = _one_or_many("actions", codes, len(orders))
            arguments = _one_or_many("arguments", arguments, len(orders))
        orders[:, CODE] = codes
        orders[:, ARGUMENT] = arguments

    def _check(self, orders: NDArray[np.int64]) -> None:
        """Refuse orders that cannot be obeyed."""
        if self.checked and (fault := self._judge.find_fault(orders)) is not None:
            raise ValueError(self._sentence(orders[fault[0]].tolist(), fault[1]))

    def _check_begun(self, rows: Rows) -> None:
        """Refuse to play on or to look at empty states."""
        empty = rows[~self._begun[rows]]
        if len(empty):
            raise ValueError(f"game {empty[0]} has not begun: call reset first")

    def _sentence(self, order: list[int], verdict: int) -> str:
        """Say what is wrong with an order."""
        row, code, argument = order
        if verdict == ILLEGAL:
            return self.refusal(row, code)
        if verdict == ROW_TWICE:
            return f"game {row} stands twice among the rows: each may stand there once"
        seat = self._table[row, SEAT]
        if verdict == SEAT_OUTSIDE:
            return f"seats hold {seat} for game {row}: allowed are -1 to {self.game.num_players - 1}"
        if verdict == NOT_TO_ACT:
            return (
                f"action {code} in game {row}: seat {seat} watches and is not to act; its game is over, or it was "
                "written into seats after the last decision, and read() is wanted"
            )
        if verdict == ARGUMENT_NEGATIVE:
            return (
                f"seeds hold {argument}: {SEED_RANGE}" if code == BEGIN else f"steps={argument}: it must be at least 0"
            )
        return f"code {code} in game {row} is neither an action nor an order of core.advance"

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


def _one_or_many(name: str, given: Any, count: int) -> int | NDArray[np.int64]:
    return integer(name, given, MIN_INTEGER) if type(given) is int else integers(name, given, count)


def _cut(orders: NDArray[np.int64], threads: int) -> list[NDArray[np.int64]]:
    """Return orders in pieces for several threads; one piece, where it is not worth it."""
    if threads == 1 or len(orders) < 2 * SMALL_CHUNK:
        return [orders]
    size = min(CHUNK, max(SMALL_CHUNK, len(orders) // (2 * threads)))
    return [orders[start : start + size] for start in range(0, len(orders), size)]
