"""What a batch of games is told: orders, rows, seats and seeds, checked before the rules see them.

The rules trust what they are given: an illegal id or a row that does not exist leads compiled code anywhere. Legality
is judged from the states, never from a mask that was handed out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.advance import ARGUMENT, BEGIN, CODE, FORFEIT, RANDOM, ROW, SEAT, SKIP
from sackarmies_env.core.bits import ONE, WORD_BITS
from sackarmies_env.core.compose import ComposedAdvance, pack_masks
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import num_words
from sackarmies_env.core.state import NO_PLAYER, as_records
from sackarmies_env.core.words import short

if TYPE_CHECKING:
    from sackarmies_env.core.game import Game, Records

# --- verdicts on an order
FINE = 0
OVER = 1  # an action in a game that is over, which leaves it as it is
ROW_TWICE = 2
SEAT_OUTSIDE = 3
CODE_UNKNOWN = 4
ARGUMENT_NEGATIVE = 5
NOT_TO_ACT = 6  # an action, though the seat that watches is not to act
ILLEGAL = 7

MAX_INTEGER = 2**63 - 1
MIN_INTEGER = -(2**63)


@njit
def judge_orders(orders, table, legal, players, marks, num_actions, num_players, verdicts):  # noqa: PLR0917
    """Write a verdict on each order, and return the place of the first one that is a fault, -1 if none is.

    Args:
        orders: (k, 3) int64, see `core.advance`; their rows exist.
        table: (n, 8) int64, likewise.
        legal: (n, words) uint64, the legal ids of the decision at hand as bits.
        players: (n,) int8, who is to act.
        marks: (n,) int8, zeros before and after: rows that have had an order.
        num_actions: size of the action space.
        num_players: seats.
        verdicts: (k,) int8, overwritten.
    """
    first = np.int64(-1)
    for i in range(len(orders)):
        row, code = orders[i, ROW], orders[i, CODE]
        verdict = FINE
        if marks[row] != 0:
            verdict = ROW_TWICE
        elif code != SKIP:
            marks[row] = 1
            seat, player = table[row, SEAT], np.int64(players[row])
            if seat < NO_PLAYER or seat >= num_players:
                verdict = SEAT_OUTSIDE
            elif code >= 0:
                if player == NO_PLAYER:
                    verdict = OVER
                elif seat != NO_PLAYER and seat != player:
                    verdict = NOT_TO_ACT
                elif code >= num_actions or (legal[row, code // WORD_BITS] >> np.uint64(code % WORD_BITS)) & ONE == 0:
                    verdict = ILLEGAL
            elif code <= FORFEIT - num_players or FORFEIT < code < BEGIN:
                verdict = CODE_UNKNOWN
            elif RANDOM >= code >= BEGIN and orders[i, ARGUMENT] < 0:
                verdict = ARGUMENT_NEGATIVE
        verdicts[i] = verdict
        if verdict > OVER and first < 0:
            first = i
    for i in range(len(orders)):
        marks[orders[i, ROW]] = 0
    return first


class Judge:
    """Judges orders to the games of a batch.

    Args:
        game: what is played.
        states: `(n + 1,)` records of the batch and a spare one: to numba, the fields of a single record would be arrays
            of another layout, and the kernel would be compiled once more for them.
        table: `(n, 8)` int64 of the batch.
    """

    def __init__(self, game: Game, states: Records, table: NDArray[np.int64]) -> None:
        self._game = game
        self._states = states
        self._table = table
        raw = states.view(np.ndarray)
        self._players = raw["current_player"]
        self._is_composed = isinstance(game.advance, ComposedAdvance)  # else states hold their legal ids
        words = num_words(game.num_actions)
        self._legal: NDArray[np.uint64] = np.zeros((len(raw), words), np.uint64) if self._is_composed else raw["legal"]
        self._marks = np.zeros(len(table), np.int8)
        self._verdicts = np.zeros(len(table), np.int8)

    def find_fault(self, orders: NDArray[np.int64]) -> tuple[int, int] | None:
        """Return the place of the first faulty order and the verdict on it; None if there is none."""
        verdicts = self._verdicts if len(orders) == len(self._verdicts) else np.zeros(len(orders), np.int8)
        place = self._judge(orders, verdicts)
        return None if place < 0 else (place, int(verdicts[place]))

    def are_legal(self, orders: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which orders are legal actions of those to act; none is where a game is over."""
        verdicts = np.zeros(len(orders), np.int8)
        self._judge(orders, verdicts)
        legal: NDArray[np.bool_] = (verdicts == FINE) & (orders[:, CODE] >= 0)
        return legal

    def legal_ids(self, row: int) -> list[int]:
        """Return the legal ids of the player to act in a game, ascending."""
        if self._is_composed:
            self._write_legal(np.array([[row, 0, 0]], np.int64))
        octets = np.ascontiguousarray(self._legal[row]).view(np.uint8)
        ids: list[int] = np.flatnonzero(np.unpackbits(octets, bitorder="little")).tolist()
        return ids

    def _judge(self, orders: NDArray[np.int64], verdicts: NDArray[np.int8]) -> int:
        game = self._game
        if self._is_composed:
            self._write_legal(orders)
        return int(
            judge_orders(
                orders,
                self._table,
                self._legal,
                self._players,
                self._marks,
                game.num_actions,
                game.num_players,
                verdicts,
            )
        )

    def _write_legal(self, orders: NDArray[np.int64]) -> None:
        """Bring the legal ids up to date where orders are actions."""
        rows = orders[orders[:, CODE] >= 0, ROW]
        if not len(rows):
            return
        masks = np.zeros((len(rows), self._game.num_actions), np.int8)
        self._game.legal_actions(self._game.params, copies_of(self._states, rows), masks)
        self._legal[rows] = pack_masks(masks)


def copies_of(states: Records, rows: NDArray[np.int64]) -> Records:
    """Return some of the states in an array of their own; as bytes, for field by field would take far longer."""
    raw = states.view(np.ndarray)
    chosen = raw.view(np.uint8).reshape(len(raw), raw.dtype.itemsize)[rows]
    return as_records(chosen.view(raw.dtype)[:, 0])


def integers(name: str, given: Any, count: int | None) -> NDArray[np.int64]:
    """Return what a caller gives as integers, `(count,)` int64; the array itself where it is one.

    Args:
        name: what it is, for messages.
        given: an array or a list.
        count: how many are wanted; None for any number.

    Raises:
        ValueError: it is no list of so many integers: floats and truth values are none.
    """
    try:
        array = np.asarray(given)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"{name} of type {type(given).__name__}: {_wanted(count)}") from None
    if array.size == 0 and count in {None, 0}:
        return np.zeros(0, np.int64)
    if array.ndim != 1 or (count is not None and len(array) != count) or array.dtype.kind not in "iu":
        raise ValueError(f"{name} of shape {array.shape} and dtype {array.dtype}: {_wanted(count)}")
    if array.dtype.kind == "u" and int(array.max()) > MAX_INTEGER:
        raise ValueError(f"{name} hold {array.max()}: the largest integer allowed is 2**63 - 1")
    return array.astype(np.int64, copy=False)


def _wanted(count: int | None) -> str:
    return "a list of integers is wanted" if count is None else f"{count} integers are wanted"


def integer(name: str, given: Any, smallest: int) -> int:
    """Return what a caller gives as an integer of at least `smallest`.

    Raises:
        ValueError: it is none.
    """
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or not smallest <= given <= MAX_INTEGER:
        allowed = "from -2**63 to 2**63 - 1" if smallest == MIN_INTEGER else f"of at least {smallest}"
        raise ValueError(f"{name}={short(given)}: it must be an integer {allowed}")
    return int(given)


def rows_of(given: Any, n: int) -> NDArray[np.int64]:
    """Return which games a caller means, `(k,)` int64.

    Raises:
        ValueError: there is no such game among `n`.
    """
    rows = integers("rows", given, None)
    if len(rows) and (rows.min() < 0 or rows.max() >= n):
        wrong = int(rows[(rows < 0) | (rows >= n)][0])
        raise ValueError(f"there is no game {wrong}: rows are 0 to {n - 1}")
    return rows


def seats_of(name: str, given: Any, count: int, smallest: int, num_players: int) -> NDArray[np.int64]:
    """Return which players a caller means, one a game, `(count,)` int64.

    Args:
        name: what they are, for messages.
        given: an array or a list.
        count: how many games.
        smallest: 0, or NO_PLAYER (-1) where nobody may be meant.
        num_players: seats.

    Raises:
        ValueError: there is no such player.
    """
    seats = integers(name, given, count)
    if len(seats) and (seats.min() < smallest or seats.max() >= num_players):
        wrong = int(seats[(seats < smallest) | (seats >= num_players)][0])
        raise ValueError(f"{name} hold {wrong}: allowed are {smallest} to {num_players - 1}")
    return seats


def seeds_of(given: Any, count: int) -> NDArray[np.int64]:
    """Return seeds, one a game, `(count,)` int64.

    Raises:
        ValueError: they are not so many integers from 0 to 2**63 - 1.
    """
    seeds = integers("seeds", given, count)
    if len(seeds) and seeds.min() < 0:
        raise ValueError(f"seeds hold {int(seeds.min())}: {SEED_RANGE}")
    return seeds


SEED_RANGE = "a seed is an integer from 0 to 2**63 - 1"


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that nobody writes through by accident, and that cannot be made writable again.

    Who looks for the writable array finds it behind the view's buffer: Python hides nothing from code in its process.
    """
    return np.asarray(array.data.toreadonly())
