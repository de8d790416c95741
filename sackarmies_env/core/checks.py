"""Checks of the arguments of a batch: commands, rows, seats and seeds, before the rules see them.

The rules trust what they are given: with an illegal id or a row that does not exist, compiled code may do anything.
Legality is judged from the states, never from a mask that callers were given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.bits import ONE, WORD_BITS
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import Command, new_commands

if TYPE_CHECKING:
    from sackarmies_env.core.game import Game, Records

# --- verdicts on a command
FINE = 0
OVER = 1  # an action in a game that is over, which stays as it is
ROW_TWICE = 2
SEAT_OUTSIDE = 3
COMMAND_UNKNOWN = 4
ARGUMENT_NEGATIVE = 5
PLAYER_UNKNOWN = 6
NOT_CURRENT = 7  # an action, though the observing seat is not the current player
ILLEGAL = 8

MAX_INTEGER = 2**63 - 1
MIN_INTEGER = -(2**63)
LAST_COMMAND = max(Command)


@njit
def judge_action(action, seat, player, legal, num_actions):
    """Return the verdict on an action; legal (words,) uint64."""
    if player == NO_PLAYER:
        return OVER
    if seat != NO_PLAYER and seat != player:
        return NOT_CURRENT
    if action < 0 or action >= num_actions:
        return ILLEGAL
    is_legal = (legal[action // WORD_BITS] >> np.uint64(action % WORD_BITS)) & ONE == ONE
    return FINE if is_legal else ILLEGAL


@njit
def judge_commands(commands, slots, legal, players, marks, num_actions, num_players, verdicts):  # noqa: PLR0917
    """Write a verdict on each command, and return the index of the first faulty one, -1 if there is none.

    Args:
        commands: (k,) of COMMAND_DTYPE, see `core.step_batch`; their rows exist.
        slots: (n,) of SLOT_DTYPE, likewise.
        legal: (n, words) uint64, the legal ids of the current decision as bits.
        players: (n,) int8, the current players.
        marks: (n,) int8, marks rows that have had a command; zeros before and after.
        num_actions: size of the action space.
        num_players: number of seats.
        verdicts: (k,) int8, overwritten.
    """
    first = np.int64(-1)
    for i in range(len(commands)):
        row, kind, argument = commands[i].row, commands[i].kind, commands[i].argument
        verdict = FINE
        if marks[row] != 0:
            verdict = ROW_TWICE
        elif kind != Command.SKIP:
            marks[row] = 1
            seat = slots[row].observing_seat
            if seat < NO_PLAYER or seat >= num_players:
                verdict = SEAT_OUTSIDE
            elif kind == Command.STEP:
                verdict = judge_action(argument, seat, np.int64(players[row]), legal[row], num_actions)
            elif kind < 0 or kind > LAST_COMMAND:
                verdict = COMMAND_UNKNOWN
            elif kind == Command.FORFEIT:
                verdict = FINE if 0 <= argument < num_players else PLAYER_UNKNOWN
            elif (kind == Command.RANDOM or kind == Command.BEGIN) and argument < 0:
                verdict = ARGUMENT_NEGATIVE
        verdicts[i] = verdict
        if verdict > OVER and first < 0:
            first = i
    for i in range(len(commands)):
        marks[commands[i].row] = 0
    return first


class Judge:
    """Judges commands to the games of a batch.

    Args:
        game: the game to play.
        states: `(n + 1,)` records of the batch and a spare one: to numba, the fields of a single record would be arrays
            of another layout, for which it would compile the kernel again.
        slots: `(n,)` of the batch.
    """

    def __init__(self, game: Game, states: Records, slots: Records) -> None:
        self._game = game
        self._slots = slots
        raw = states.view(np.ndarray)
        self._players = raw["current_player"]
        self._legal: NDArray[np.uint64] = raw["legal"]
        self._marks = np.zeros(len(slots), np.int8)
        self._verdicts = np.zeros(len(slots), np.int8)

    def find_fault(self, commands: Records) -> tuple[int, int] | None:
        """Return the index of the first faulty command and the verdict on it; None if there is none."""
        verdicts = self._verdicts if len(commands) == len(self._verdicts) else np.zeros(len(commands), np.int8)
        place = self._judge(commands, verdicts)
        return None if place < 0 else (place, int(verdicts[place]))

    def are_legal(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether actions are legal for the current players of games; none is in a game that is over.

        Raises:
            ValueError: a game appears twice in `rows`.
        """
        commands, verdicts = new_commands(len(rows), Command.STEP, actions), np.zeros(len(rows), np.int8)
        commands["row"] = rows
        self._judge(commands, verdicts)
        twice = rows[verdicts == ROW_TWICE]
        if len(twice):
            raise ValueError(row_twice(int(twice[0])))
        legal: NDArray[np.bool_] = verdicts == FINE
        return legal

    def legal_ids(self, row: int) -> list[int]:
        """Return the legal ids of the current player of a game, ascending."""
        return legal_ids(self._legal[row])

    def _judge(self, commands: Records, verdicts: NDArray[np.int8]) -> int:
        game = self._game
        return int(
            judge_commands(
                commands,
                self._slots,
                self._legal,
                self._players,
                self._marks,
                game.num_actions,
                game.num_players,
                verdicts,
            )
        )


def row_twice(row: int) -> str:
    """Return the message for a game that appears twice in rows."""
    return f"game {row} appears twice in rows: each game may appear once"


def integers(name: str, given: Any, count: int | None) -> NDArray[np.int64]:
    """Convert what a caller gives to integers, `(count,)` int64; int64 arrays are not copied.

    Args:
        name: what it is, for messages.
        given: an array or a list.
        count: how many are required; None for any number.

    Raises:
        ValueError: it is not a list of `count` integers; floats and booleans are not accepted.
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
        raise ValueError(f"{name} contains {array.max()}: the largest integer allowed is 2**63 - 1")
    return array.astype(np.int64, copy=False)


def _wanted(count: int | None) -> str:
    if count is None:
        return "expected a list of integers"
    return f"expected a list of {count} integer{'' if count == 1 else 's'}"


def integer(name: str, given: Any, smallest: int) -> int:
    """Convert what a caller gives to an integer of at least `smallest`.

    Raises:
        ValueError: it is not one.
    """
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or not smallest <= given <= MAX_INTEGER:
        allowed = "from -2**63 to 2**63 - 1" if smallest == MIN_INTEGER else f"of at least {smallest}"
        raise ValueError(f"{name}={short_repr(given)}: it must be an integer {allowed}")
    return int(given)


def rows_of(given: Any, n: int) -> NDArray[np.int64]:
    """Convert the rows that a caller gives to `(k,)` int64.

    Raises:
        ValueError: a row is not one of the `n` games.
    """
    rows = integers("rows", given, None)
    if len(rows) and (rows.min() < 0 or rows.max() >= n):
        wrong = int(rows[(rows < 0) | (rows >= n)][0])
        raise ValueError(f"there is no game {wrong}: rows are 0 to {n - 1}")
    return rows


def seats_of(name: str, given: Any, count: int, smallest: int, num_players: int) -> NDArray[np.int64]:
    """Convert the players that a caller gives, one per game, to `(count,)` int64.

    Args:
        name: what they are, for messages.
        given: an array or a list.
        count: number of games.
        smallest: 0, or NO_PLAYER (-1) where nobody is allowed too.
        num_players: number of seats.

    Raises:
        ValueError: there is no such player.
    """
    seats = integers(name, given, count)
    if len(seats) and (seats.min() < smallest or seats.max() >= num_players):
        wrong = int(seats[(seats < smallest) | (seats >= num_players)][0])
        raise ValueError(f"{name} contains {wrong}: allowed are {smallest} to {num_players - 1}")
    return seats


def seeds_of(given: Any, count: int) -> NDArray[np.int64]:
    """Convert the seeds that a caller gives, one per game, to `(count,)` int64.

    Raises:
        ValueError: they are not `count` integers from 0 to 2**63 - 1.
    """
    seeds = integers("seeds", given, count)
    if len(seeds) and seeds.min() < 0:
        raise ValueError(f"seeds contains {int(seeds.min())}: {SEED_RANGE}")
    return seeds


SEED_RANGE = "a seed is an integer from 0 to 2**63 - 1"


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view, which cannot be made writable again.

    It guards against accidents alone: the writable array can be found behind the view's buffer, as Python hides nothing
    from code in its process.
    """
    return np.asarray(array.data.toreadonly())
