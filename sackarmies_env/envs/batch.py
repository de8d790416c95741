"""Many games of one kind side by side, with all that adapters need to know of them after each decision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import NO_ACTION, SKIP, Game
from sackarmies_env.core.state import ERROR_NONE
from sackarmies_env.envs.match import engine_error


class Batch:
    """`n` games; all arrays are overwritten in place.

    Attributes:
        game: what is played.
        states: `(n,)` records.
        players: `(n,)` int8, who is to act; NO_PLAYER in games that are over.
        terminated: `(n,)` int8, 1 for games ended by the rules.
        truncated: `(n,)` int8, 1 for games cut off.
        action_masks: `(n, num_actions)` int8, of those to act; zero in games that are over.
        observations: `(n, size)` int8, of those to act; zero in games that are over.
        returns: `(n, num_players)` float32, earned so far.
        out: `(n, num_players)` int8, 1 for players for whom the game is over by the rules.
    """

    def __init__(self, game: Game, n: int) -> None:
        self.game = game
        self.states = game.new_states(n)
        raw = self.states.view(np.ndarray)
        self.players: NDArray[np.int8] = raw["current_player"]
        self.terminated: NDArray[np.int8] = raw["terminated"]
        self.truncated: NDArray[np.int8] = raw["truncated"]
        self._errors: NDArray[np.int8] = raw["error"]
        self.action_masks = np.zeros((n, game.num_actions), np.int8)
        self.observations = np.zeros((n, game.observation_spec.size), np.int8)
        self.returns = np.zeros((n, game.num_players), np.float32)
        self.out = np.zeros((n, game.num_players), np.int8)

    def __len__(self) -> int:
        return len(self.states)

    def begin(self, rows: NDArray[np.int64], seeds: NDArray[np.int64]) -> None:
        """Start new games in `rows` from `seeds`, int64 both."""
        game = self.game
        if len(rows) == len(self):
            game.reset(game.params, self.states, seeds)
        else:
            for place, row in enumerate(rows.tolist()):
                game.reset(game.params, self.states[row : row + 1], seeds[place : place + 1])
        self.read(rows)

    def begin_forced(self, seeds: NDArray[np.int64], flips: str, draws: list[list[str]]) -> None:
        """Start all games anew with the same forced results.

        Raises:
            ValueError: the game cannot take them.
        """
        for row, seed in enumerate(seeds.tolist()):
            self.game.start(self.states[row : row + 1], seed, flips, draws)
        self.read(np.arange(len(self)))

    def read(self, rows: NDArray[np.int64]) -> None:
        """Bring the outputs of `rows` up to date."""
        self.play(rows, np.full(len(rows), NO_ACTION, np.int64))

    def play(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Apply one legal decision each in `rows`, and leave the other games alone."""
        chosen = actions
        if len(rows) != len(self):
            chosen = np.full(len(self), SKIP, np.int64)
            chosen[rows] = actions
        game = self.game
        game.advance(game.params, self.states, chosen, self.action_masks, self.observations, self.returns, self.out)
        if self._errors.any():
            raise engine_error(int(self._errors[self._errors != ERROR_NONE][0]))

    def observe(self, row: int, seat: int) -> NDArray[np.int8]:
        """Return what a player sees in one game, a new array `(size,)`."""
        game, out = self.game, np.empty((1, self.observations.shape[1]), np.int8)
        game.observe(game.params, self.states[row : row + 1], np.array([seat], np.int64), out)
        observation: NDArray[np.int8] = out[0]
        return observation
