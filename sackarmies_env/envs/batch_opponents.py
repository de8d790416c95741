"""Opponents in the games of a vector environment: which seats they play, and their actions."""

from __future__ import annotations

import copy
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.arguments import integers
from sackarmies_env.core.batch import Batch, Rows
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import Command, Ending
from sackarmies_env.envs.opponents import (
    Opponent,
    OpponentChoice,
    RandomOpponent,
    close_opponents,
    given_objects,
    is_informed,
    make_opponents,
    misplay,
    reset_opponent,
)


class BatchOpponents:
    """The opponents in each game of a batch, indexed by the number of seats from the learner to them.

    If all of them play at random, they do so inside the kernel, in the call that applies the learner's action.

    Args:
        choice: as in `make_opponents`; an object that does not share batches is copied for each game, and one copy
            plays all seats of the object there.
        batch: the games; they do not restart by themselves.

    Attributes:
        plays_inside: whether all opponents play at random.
        numbers: `(n,)`, numbers of the games in messages; may be replaced if they belong to a larger environment.
    """

    def __init__(self, choice: OpponentChoice, batch: Batch) -> None:
        self._batch = batch
        self._given = given_objects(choice)
        self.numbers: Rows = np.arange(len(batch))
        self.opponents: list[list[Opponent]] = []
        copied: list[dict[int, Any]] = [{} for _ in range(len(batch))]  # memo of `deepcopy` for each game
        for opponent in make_opponents(choice, batch.game):
            is_one = isinstance(opponent, RandomOpponent) or shares_batch(opponent)
            self.opponents.append([opponent if is_one else copy_opponent(opponent, memo) for memo in copied])
        self.plays_inside = all(isinstance(games[0], RandomOpponent) for games in self.opponents)

    def close(self) -> None:
        """Stop the programs of opponents; a given object that plays all games is left to its owner."""
        close_opponents((one for opponents in self.opponents for one in opponents), self._given)

    def begin(self, seats: NDArray[np.int64], rows: Rows, seeds: NDArray[np.int64]) -> None:
        """Record new games in `rows`, with the learner's `seats` `(n,)`, and reset the opponents."""
        if self.plays_inside:
            self._batch.seats[rows] = seats[rows]
            return
        for place, opponents in enumerate(self.opponents, start=1):
            if shares_batch(opponents[0]):
                reset_opponent(opponents[0], int(seeds[0]), place)  # one seed for all games would be predictable
            elif not isinstance(opponents[0], RandomOpponent):
                for row, seed in zip(rows.tolist(), seeds.tolist(), strict=True):
                    reset_opponent(opponents[row], seed, place)

    def play_others(self, seats: NDArray[np.int64], rows: Rows) -> None:
        """Have the opponents play in `rows` until the learner is the current player or its game is over.

        Raises:
            ValueError: an opponent chose an illegal action.
        """
        batch = self._batch
        while not self.plays_inside:
            players, learners = batch.players[rows], seats[rows]
            is_running = (batch.ended[rows] == Ending.RUNNING) & (batch.terminations[rows, learners] == 0)
            rows = rows[is_running & (players != learners) & (players != NO_PLAYER)]
            if not len(rows):
                return
            kinds, arguments = self._choose(rows, seats[rows])
            batch.dispatch(kinds, rows, arguments)

    def _choose(self, rows: Rows, learners: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the kinds and arguments of commands to `rows`: what the current players do."""
        batch = self._batch
        kinds, arguments = np.full(len(rows), Command.RANDOM, np.int64), np.ones(len(rows), np.int64)
        places = (batch.players[rows] - learners) % batch.game.num_players - 1
        for place, opponents in enumerate(self.opponents):
            chosen = np.flatnonzero(places == place)
            if not len(chosen) or isinstance(opponents[0], RandomOpponent):
                continue
            kinds[chosen] = Command.STEP
            arguments[chosen] = self._ask(opponents, rows[chosen])
        return kinds, arguments

    def _ask(self, opponents: list[Opponent], rows: Rows) -> NDArray[np.int64]:
        """Return the actions of the opponents at one place, who are given copies of their observations."""
        batch, first = self._batch, opponents[0]
        if shares_batch(first):
            name = f"answers of the opponent {type(first).__name__}"
            actions = integers(name, ask_shared(first, batch, rows), len(rows))
        elif is_informed(first):
            actions = np.zeros(len(rows), np.int64)
            for at, row in enumerate(rows.tolist()):
                actions[at] = ask_shared(opponents[row], batch, rows[at : at + 1])[0]
        else:
            actions = np.zeros(len(rows), np.int64)
            for at, row in enumerate(rows.tolist()):
                answer = opponents[row].act(batch.observations[row].copy(), batch.action_masks[row].copy())
                if not _is_id(answer, batch.game.num_actions):
                    raise ValueError(self._misplay(opponents, row, answer))
                actions[at] = answer
        refused = np.flatnonzero(~batch.are_legal(actions, rows))
        if len(refused):
            raise ValueError(self._misplay(opponents, int(rows[refused[0]]), int(actions[refused[0]])))
        return actions

    def _misplay(self, opponents: list[Opponent], row: int, answer: Any) -> str:
        return f"{misplay(opponents[row], answer, self._batch.game.num_actions)} in game {self.numbers[row]}"


def copy_opponent(opponent: Opponent, memo: dict[int, Any]) -> Opponent:
    """Return a copy of an opponent that plays independently of it.

    Args:
        opponent: the opponent to copy.
        memo: memo of `deepcopy`, what has been copied for the same game.

    Raises:
        ValueError: the opponent cannot be copied.
    """
    try:
        return copy.deepcopy(opponent, memo)
    except Exception as error:  # its own methods may raise anything
        name, reason = type(opponent).__name__, str(error) or type(error).__name__
        raise ValueError(f"opponent {name} cannot be copied: {reason}") from error


def ask_shared(opponent: Any, batch: Batch, rows: Rows) -> Any:
    """Return the actions that one object chooses for the current players of several games; they may be illegal.

    Raises:
        ValueError: an informed opponent did not answer with one integer for each game.
    """
    if not is_informed(opponent):
        return opponent.act_batch(batch.observations[rows], batch.action_masks[rows])
    actions = np.zeros(len(rows), np.int64)
    for player in np.unique(batch.players[rows]).tolist():
        places = np.flatnonzero(batch.players[rows] == player)
        answer = opponent.act_informed(batch.information_sets(player, rows[places]))
        actions[places] = integers(f"answers of the opponent {type(opponent).__name__}", answer, len(places))
    return actions


def _is_id(answer: Any, num_actions: int) -> bool:
    try:
        return 0 <= index(answer) < num_actions
    except TypeError:
        return False


def shares_batch(opponent: Any) -> bool:
    """Return whether one instance of an opponent plays many games at once."""
    return bool(getattr(opponent, "shares_batch", False))
