"""Matches between greedy Generals of different weights: whole games in one kernel, each start from both seatings."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.sack_armies.board import BOARD_DTYPE, make_board, write_weights
from sackarmies_agents.scripted.sack_armies.choose import choose_batch
from sackarmies_agents.scripted.sack_armies.weights import Weights
from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER, alloc, copy_records
from sackarmies_env.core.step_batch import Command, new_commands
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.games.sack_armies.play.step_batch import step_batch

DRAWN = -1  # in place of the winning side


class Arena(NamedTuple):
    """Arrays of one game for `step_batch`, as kernels take them.

    Attributes:
        states: (2,) records, the last one `Game.initial`.
        commands: (1,).
        slots: (1,).
        masks: (1, num_actions) int8.
        packed: no rows, so not written.
        observations: (1, size) int8.
        results: no rows, so not written.
        actions: (1,) int64.
    """

    states: NDArray[np.void]
    commands: NDArray[np.void]
    slots: NDArray[np.void]
    masks: NDArray[np.int8]
    packed: NDArray[np.uint64]
    observations: NDArray[np.int8]
    results: NDArray[np.float32]
    actions: NDArray[np.int64]

    @classmethod
    def of(cls, game: Game) -> Arena:
        """Return the arrays of one game that has not begun."""
        states = game.new_states(2)
        copy_records(game.initial, states[1:])
        return cls(
            states,
            new_commands(1, Command.BEGIN),
            game.new_slots(1),
            np.zeros((1, game.num_actions), np.int8),
            np.zeros((0, 0), np.uint64),
            np.zeros((1, game.observation_spec.size), np.int8),
            np.zeros((0, 2, 0), np.float32),
            np.zeros(1, np.int64),
        )


@njit
def run_command(params, arena, kind, argument):
    """Carry out a command in the game of an arena, and write its outputs."""
    arena.commands[0].kind = kind
    arena.commands[0].argument = argument
    outputs = arena.masks, arena.packed, arena.observations, arena.results
    step_batch(params, arena.states, arena.commands, arena.slots, outputs[0], outputs[1], outputs[2], outputs[3])


@njit
def play_games(params, arena, boards, sides, seeds, winners):
    """Play whole games between greedy Generals.

    Args:
        params: (1,), of the game.
        arena: an `Arena`.
        boards: (k,) BOARD_DTYPE, one a side.
        sides: (n, num_players) int64, in each game the board of each seat.
        seeds: (n,) int64.
        winners: (n,) int64, overwritten: the winning side, or DRAWN.
    """
    for i in range(len(seeds)):
        run_command(params, arena, Command.BEGIN, seeds[i])
        for side in range(len(boards)):
            boards[side].seed = seeds[i] % 65_536 + side
        while arena.slots[0].current_player != NO_PLAYER:
            side = sides[i, arena.slots[0].current_player]
            choose_batch(boards[side : side + 1], arena.observations, arena.masks, arena.actions)
            run_command(params, arena, Command.STEP, arena.actions[0])
        winner = arena.states[0].winner
        winners[i] = DRAWN if winner == NO_PLAYER else sides[i, winner]


# --- matches


@dataclass(frozen=True)
class Match:
    """A start that is played once for each seating.

    Attributes:
        armies: one for each seat.
        seed: of the games.
        seatings: for each game, the side of each seat.
    """

    armies: tuple[str, ...]
    seed: int
    seatings: tuple[tuple[int, ...], ...]


def both_seatings(num_players: int) -> tuple[tuple[int, ...], ...]:
    """Return the two seatings with sides 0 and 1 in turn around the table: side 0 first, and side 1 first."""
    one = tuple(seat % 2 for seat in range(num_players))
    return one, tuple(1 - side for side in one)


def each_seat_alone(num_players: int) -> tuple[tuple[int, ...], ...]:
    """Return the seatings of one General of side 0, in each seat, among others of side 1."""
    return tuple(tuple(int(seat != lone) for seat in range(num_players)) for lone in range(num_players))


@cache
def game_of(armies: tuple[str, ...]) -> Game:
    """Return the game between these armies."""
    return make_game(len(armies), armies=list(armies))


class Table:
    """Where two greedy Generals play, in one thread; it holds a board of each for each kind of game."""

    def __init__(self) -> None:
        self._boards: dict[tuple[int, int], NDArray[np.void]] = {}

    def play(self, sides: Sequence[Weights], matches: Sequence[Match]) -> list[list[int]]:
        """Play matches; return for each the winning sides of its games."""
        results: list[list[int]] = []
        for match in matches:
            game = game_of(match.armies)
            boards = self._boards_for(GameInfo.of(game), sides)
            winners = np.zeros(len(match.seatings), np.int64)
            seeds = np.full(len(match.seatings), match.seed, np.int64)
            play_games(game.params, Arena.of(game), boards, np.array(match.seatings, np.int64), seeds, winners)
            results.append(winners.tolist())
        return results

    def _boards_for(self, info: GameInfo, sides: Sequence[Weights]) -> NDArray[np.void]:
        kind = info.num_players, info.num_types
        if kind not in self._boards:
            boards = alloc(BOARD_DTYPE, len(sides))
            for side, weights in enumerate(sides):
                copy_records(make_board(info, weights), boards[side : side + 1])
            self._boards[kind] = boards
        boards = self._boards[kind]
        for side, weights in enumerate(sides):
            write_weights(boards[side : side + 1], weights)
        return boards


class Tables:
    """A table for each of several threads, kept from call to call."""

    def __init__(self, workers: int = 1) -> None:
        self._tables = [Table() for _ in range(workers)]

    def play(self, sides: Sequence[Weights], matches: Sequence[Match]) -> list[list[int]]:
        """Play matches between weights; return for each, in their order, the winning sides of its games."""
        workers = len(self._tables)
        parts = [matches[worker::workers] for worker in range(workers)]
        with ThreadPoolExecutor(workers) as pool:
            played = list(pool.map(lambda table, part: table.play(sides, part), self._tables, parts))
        results: list[list[int]] = [[] for _ in matches]
        for worker, part in enumerate(played):
            results[worker::workers] = part
        return results
