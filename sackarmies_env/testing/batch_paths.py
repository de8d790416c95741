"""Checks of batches: each command does to each row what the methods of `Game` do to a single state."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.batch import Batch
from sackarmies_env.core.bits import WORD_BITS
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import choose_from_mask
from sackarmies_env.core.rng import choice_stream, following_seed
from sackarmies_env.core.state import NO_PLAYER, copy_records
from sackarmies_env.core.step_batch import MAX_RESTARTS, Command, Ending
from sackarmies_env.testing.probe import (
    after_forfeit,
    integers_of,
    legal_of,
    masks_of,
    new_game,
    observation_of,
    observations_of,
    player_of,
    require,
    require_same,
    results_of,
    step,
)
from sackarmies_env.testing.random_play import RandomPlay

NUM_ROWS = 4
NUM_ROUNDS = 6  # of commands, for each way of playing a batch
LIMIT = 12  # decisions of a game, when a low limit is tried


class Reference:
    """One game played by the methods of `Game`, with which its row in a batch must agree.

    Args:
        game: the game to play.
        seat: the observing seat, while the others play at random; NO_PLAYER for none.
        restarts: whether a finished game is replaced by that of the following seed.
    """

    def __init__(self, game: Game, seat: int, restarts: bool) -> None:
        self.game, self.seat, self.restarts = game, seat, restarts
        self.states = game.new_states(1)
        self.seed, self.games, self.ended = 0, 0, Ending.RUNNING
        self.stream: NDArray[np.int64] = np.zeros(1, np.int64)
        self._former: NDArray[np.float32] | None = None  # results of the game that was just replaced

    def begin(self, seed: int) -> None:
        """Begin the game of a seed."""
        self._begin(seed)
        self._settle()

    def step(self, action: int) -> None:
        """Apply an action, then the random actions of the other seats."""
        step(self.game, self.states, action)
        self._settle()

    def forfeit(self, player: int) -> None:
        """Make a player forfeit, then apply the random actions of the other seats."""
        self.states = after_forfeit(self.game, self.states, player)
        self._settle()

    def play_random(self, decisions: int) -> None:
        """Take random decisions; without restarts, stop once the game is over."""
        for _ in range(decisions):
            if self.ended != Ending.RUNNING and not self.restarts:
                return
            self._choose()
            self._settle()

    def play_to_seat(self) -> None:
        """Play to the decision of the observing seat, after `states` was written to."""
        self._settle()

    def look(self) -> None:
        """Take the ending from the state alone, and forget the results of a replaced game."""
        self.ended = self._ending()
        self._former = None

    @property
    def results(self) -> NDArray[np.float32]:
        """What each player has earned and who is eliminated; of the previous game if it was just replaced."""
        own: NDArray[np.float32] = results_of(self.game, self.states)[0]
        return own if self._former is None else self._former

    @property
    def is_over(self) -> bool:
        """Whether the game is over, for the observing seat or for all, and is not replaced."""
        return self.ended != Ending.RUNNING and not self.restarts

    @property
    def viewer(self) -> int:
        """The seat whose observation is written; NO_PLAYER for none."""
        return player_of(self.states) if self.seat == NO_PLAYER else self.seat

    def _begin(self, seed: int) -> None:
        self.seed = seed
        self.states = new_game(self.game, seed)
        self.stream[0] = choice_stream(np.int64(seed))

    def _choose(self) -> None:
        step(self.game, self.states, int(choose_from_mask(self.stream, masks_of(self.game, self.states)[0])))

    def _ending(self) -> Ending:
        if self.states["terminated"][0]:
            return Ending.TERMINATED
        if self.seat != NO_PLAYER and results_of(self.game, self.states)[0, 1, self.seat]:
            return Ending.TERMINATED
        return Ending.TRUNCATED if self.states["truncated"][0] else Ending.RUNNING

    def _play_others(self) -> Ending:
        ending = self._ending()
        while ending == Ending.RUNNING and self.seat not in {NO_PLAYER, player_of(self.states)}:
            self._choose()
            ending = self._ending()
        return ending

    def _settle(self) -> None:
        """Play to the decision of the observing seat, and begin the following game if this one is over."""
        self.ended = self._play_others()
        self._former = None
        if self.ended == Ending.RUNNING or not self.restarts:
            return
        self._former = results_of(self.game, self.states)[0]
        self.games += 1
        for _ in range(MAX_RESTARTS):
            self._begin(int(following_seed(np.int64(self.seed))))
            if self._play_others() == Ending.RUNNING:
                break


class Rows:
    """A batch and its references, which are given the same commands.

    Args:
        game: the game to play.
        seats: the observing seat of each row.
        restarts: whether finished games are replaced.
    """

    def __init__(self, game: Game, seats: Sequence[int], restarts: bool) -> None:
        self.game = game
        self.batch = Batch(game, len(seats), restarts=restarts, packed=True, checked=False)
        self.batch.seats[:] = seats
        self.references = [Reference(game, seat, restarts) for seat in seats]
        ways = ["restarts"] * restarts + ["observing seats"] * any(seat != NO_PLAYER for seat in seats)
        ways += [f"max_decisions={LIMIT}"] * (game.max_decisions == LIMIT)
        self.way = f" (with {' and '.join(ways)})" if ways else ""

    def compare(self, words: str, row: int | None = None) -> None:
        """Compare all rows with their references after the command that `words` names, given to `row` alone or to all.

        Messages name the row that differs, and the seed of its game.
        """
        target = "" if row is None else f" of row {row}"
        for number, reference in enumerate(self.references):
            place = f"{self.game.id}, seed {reference.seed}, row {number}"
            self._check_row(place, f"{words}{target}{self.way}", number)

    def _check_row(self, place: str, words: str, row: int) -> None:
        batch, reference = self.batch, self.references[row]
        found, expected = batch.states[row : row + 1], reference.states
        require_same(self.game, place, found, expected, f"{words} leads to a different state than in a single game")
        columns = {
            "players": player_of(expected),
            "ended": reference.ended,
            "games": reference.games,
            "seeds": reference.seed,
        }
        for name, value in columns.items():
            given = int(getattr(batch, name)[row])
            require(given == value, place, f"{words} says {given} for {name}, not {value}")
        mask = masks_of(self.game, expected)[0] * (not reference.is_over)
        fault = f"{words} writes a mask that differs from that of legal_actions"
        require(np.array_equal(batch.action_masks[row], mask), place, fault)
        bits = np.unpackbits(batch.packed_masks[row].view(np.uint8), bitorder="little")
        full = np.zeros(len(batch.packed_masks[row]) * WORD_BITS, np.int8)
        full[: len(mask)] = mask
        require(np.array_equal(bits, full), place, f"{words} writes different masks as bits and as bytes")
        seen = batch.observations[row]
        view = np.zeros_like(seen)
        if reference.viewer != NO_PLAYER:
            view = observation_of(self.game, expected, reference.viewer)
        require(np.array_equal(seen, view), place, f"{words} writes an observation that differs from that of observe")
        earned, eliminated = reference.results
        fault = f"{words} writes returns that differ from those of returns"
        require(np.array_equal(batch.returns[row], earned), place, fault)
        fault = f"{words} writes terminations that differ from those of terminations"
        require(np.array_equal(batch.terminations[row], eliminated), place, fault)

    # --- commands

    def begin_all(self, seeds: Sequence[int]) -> None:
        """Begin games in all rows."""
        for reference, seed in zip(self.references, seeds, strict=True):
            reference.begin(seed)
        self.batch.reset(integers_of(*seeds))
        self.compare("BEGIN")

    def begin(self, row: int, seed: int) -> None:
        """Begin the game of a seed in a row."""
        self.references[row].begin(seed)
        self.batch.reset(integers_of(seed), integers_of(row))
        self.compare("BEGIN", row)

    def step(self, row: int, action: int) -> None:
        """Apply an action in a row."""
        self.references[row].step(action)
        self.batch.step(integers_of(action), integers_of(row))
        self.compare("STEP", row)

    def forfeit(self, row: int, player: int) -> None:
        """Make a player of a row forfeit."""
        self.references[row].forfeit(player)
        self.batch.forfeit(integers_of(player), integers_of(row))
        self.compare("FORFEIT", row)

    def play_random(self, row: int, decisions: int) -> None:
        """Take random decisions in a row."""
        self.references[row].play_random(decisions)
        self.batch.step_random(decisions, integers_of(row))
        self.compare(f"RANDOM with {decisions} decisions", row)

    def go_to(self, row: int, states: Records) -> None:
        """Put a position into a row."""
        self.references[row].states = self.game.clone(states)
        self.references[row].play_to_seat()
        copy_records(states, self.batch.states[row : row + 1])
        self.batch.read(integers_of(row))
        self.compare("AWAIT", row)

    def leave_alone(self) -> None:
        """Give all rows the command SKIP, then READ."""
        self.batch.dispatch(Command.SKIP)
        self.compare("SKIP")
        self.batch.dispatch(Command.READ)
        for reference in self.references:
            reference.look()
        self.compare("READ")


# --- checks


def check_replays(game: Game, plays: Sequence[RandomPlay], every: int) -> None:
    """Check that games played before take the same course when played side by side in a batch."""
    rows = Rows(game, [NO_PLAYER] * len(plays), restarts=False)
    rows.begin_all([play.seed for play in plays])
    for ply in range(max(len(play.actions) for play in plays)):
        chosen = [row for row, play in enumerate(plays) if ply < len(play.actions)]
        for row in chosen:
            rows.references[row].step(plays[row].actions[ply])
        rows.batch.step(integers_of(*(plays[row].actions[ply] for row in chosen)), integers_of(*chosen))
        if ply % every == 0 or len(chosen) < len(plays):
            rows.compare(f"STEP {ply + 1}")
    rows.compare("the last STEP")
    rows.leave_alone()


def check_paths(game: Game, plays: Sequence[RandomPlay], seed: int) -> None:
    """Check all commands with and without restarts, observing seats and a low limit of decisions."""
    longest = max(len(play.actions) for play in plays)
    positions = _positions(game, plays)
    nobody, everybody = [NO_PLAYER] * NUM_ROWS, [row % game.num_players for row in range(NUM_ROWS)]
    limited = dataclasses.replace(game, max_decisions=LIMIT)
    for one, seats, restarts in (
        (game, nobody, False),
        (game, everybody, False),
        (game, nobody, True),
        (game, everybody, True),
        (limited, nobody, True),
        (limited, everybody, False),
    ):
        rng = np.random.default_rng([seed, restarts, max(seats) + 1])
        rows = Rows(one, seats, restarts)
        rows.begin_all(list(range(seed, seed + NUM_ROWS)))
        for _ in range(NUM_ROUNDS):
            for row in rng.permutation(NUM_ROWS).tolist():
                _do_something(rows, row, rng)
            rows.leave_alone()
        for position in positions[-3:]:  # of one game: the beginning, the middle and the end
            rows.go_to(1, position)
        rows.play_random(0, longest)
        for player in range(game.num_players):
            rows.forfeit(2, player)
        rows.play_random(2, 1)
        rows.begin(0, seed + NUM_ROWS)


def _do_something(rows: Rows, row: int, rng: np.random.Generator) -> None:
    reference = rows.references[row]
    what = int(rng.integers(8))
    if what == 0:
        rows.begin(row, int(rng.integers(2**62)))
    elif what == 1:
        rows.forfeit(row, int(rng.integers(rows.game.num_players)))
    elif what < 5 or reference.is_over:
        rows.play_random(row, int(rng.integers(1, 6)))
    else:
        rows.step(row, int(rng.choice(legal_of(rows.game, reference.states))))


def check_rows(game: Game, plays: Sequence[RandomPlay]) -> None:
    """Check that the methods of a game do the same to many states in one call as to each state alone."""
    positions = _positions(game, plays)
    many, n = game.new_states(len(positions)), len(positions)
    singles = [game.new_states(1) for _ in positions]
    players = [row % game.num_players for row in range(n)]
    seeds = list(range(n))
    for row, position in enumerate(positions):
        copy_records(position, many[row : row + 1])
        copy_records(position, singles[row])
    looks: dict[str, Callable[[Records, list[int]], NDArray[np.generic]]] = {
        "legal_actions": lambda states, rows: masks_of(game, states),
        "observe": lambda states, rows: observations_of(game, states, [players[row] for row in rows]),
        "returns or terminations": lambda states, rows: results_of(game, states),
    }
    actions = [(legal_of(game, single) or [0])[0] for single in singles]
    changes: dict[str, Callable[[Records, list[int]], None]] = {
        "determinize": lambda states, rows: game.determinize(
            game.params,
            states,
            integers_of(*(players[row] for row in rows)),
            integers_of(*(seeds[row] for row in rows)),
        ),
        "step": lambda states, rows: game.step(game.params, states, integers_of(*(actions[row] for row in rows))),
        "forfeit": lambda states, rows: game.forfeit(game.params, states, integers_of(*(players[row] for row in rows))),
        "reset": lambda states, rows: game.reset(game.params, states, integers_of(*(seeds[row] for row in rows))),
    }
    for name, look in looks.items():
        together = look(many, seeds)
        for row, single in enumerate(singles):
            same = np.array_equal(together[row], look(single, [row])[0])
            fault = f"{name} gives a different result in row {row} of {n} states than for that state alone"
            require(same, game.id, fault)
    for name, change in changes.items():
        copies = game.clone(many)
        change(copies, seeds)
        for row, single in enumerate(singles):
            alone = game.clone(single)
            change(alone, [row])
            fault = f"{name} has a different effect on row {row} of {n} states than on that state alone"
            require_same(game, game.id, copies[row : row + 1], alone, fault)


def _positions(game: Game, plays: Sequence[RandomPlay]) -> list[Records]:
    """Return positions from the beginning, the middle and the end of the games."""
    positions = []
    for play in plays[:2]:
        states = new_game(game, play.seed)
        for ply, action in enumerate(play.actions):
            if ply in {0, len(play.actions) // 2}:
                positions.append(game.clone(states))
            step(game, states, action)
        positions.append(states)
    return positions
