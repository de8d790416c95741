"""Checks of commands to a batch, before the rules see them.

The rules trust what they are given: with an illegal id or a row that does not exist, compiled code may do anything.
Legality is judged from the states, never from a mask that callers were given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.bits import WORD_BITS, has_bit
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import Command, new_commands

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
    return FINE if has_bit(legal[action // WORD_BITS], action % WORD_BITS) else ILLEGAL


@njit
def judge_commands(commands, slots, legal, players, marks, num_actions, num_players, verdicts):  # noqa: PLR0917
    """Write a verdict on each command, and return the index of the first faulty one, -1 if there is none.

    Args:
        commands: (k,) of COMMAND_DTYPE, see `core.step_batch`; their rows exist.
        slots: (n,) of SLOT_DTYPE, likewise.
        legal: (n + 1, words) uint64, the legal ids of the current decision as bits; the last row is a spare one.
        players: (n + 1,) int64, the current players; likewise.
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
        states: `(n + 1,)` records of the batch and a spare one: to numba, the fields of a single record would be arrays
            of another layout, for which it would compile the kernel again.
        slots: `(n,)` of the batch.
        num_actions: size of the action space.
        num_players: number of seats.
    """

    def __init__(self, states: NDArray[np.void], slots: NDArray[np.void], num_actions: int, num_players: int) -> None:
        self._slots = slots
        self._num_actions, self._num_players = num_actions, num_players
        raw = states.view(np.ndarray)
        self._players = raw["current_player"]
        self._legal: NDArray[np.uint64] = raw["legal"]
        self._marks = np.zeros(len(slots), np.int8)
        self._verdicts = np.zeros(len(slots), np.int8)

    def find_fault(self, commands: NDArray[np.void]) -> tuple[int, int] | None:
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

    def _judge(self, commands: NDArray[np.void], verdicts: NDArray[np.int8]) -> int:
        return int(
            judge_commands(
                commands,
                self._slots,
                self._legal,
                self._players,
                self._marks,
                self._num_actions,
                self._num_players,
                verdicts,
            )
        )


def row_twice(row: int) -> str:
    """Return the message for a game that appears twice in rows."""
    return f"game {row} appears twice in rows: each game may appear once"
