"""Many games of one kind side by side, with what their current players see: driven straight through the kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import NO_ACTION, SKIP, Game
from sackarmies_env.core.state import ERROR_NONE


class GameBatch:
    """`n` games and the outputs of the kernels for them.

    Attributes:
        game: what is played.
        states: `(n,)` records.
        action_masks: `(n, num_actions)` int8, of the current players; zero in games that are over.
        observations: `(n, size)` int8, of the current players; zero in games that are over.
        returns: `(n, num_players)` float32, earned so far.
        terminations: `(n, num_players)` int8, 1 for players who are out.
    """

    def __init__(self, game: Game, n: int) -> None:
        self.game = game
        self.states = game.new_states(n)
        self.action_masks = np.zeros((n, game.num_actions), np.int8)
        self.observations = np.zeros((n, game.observation_spec.size), np.int8)
        self.returns = np.zeros((n, game.num_players), np.float32)
        self.terminations = np.zeros((n, game.num_players), np.int8)
        self.seeds = np.zeros(n, np.int64)

    def __len__(self) -> int:
        return len(self.states)

    @property
    def players(self) -> NDArray[np.int64]:
        """Who is to act, `(n,)` int64; negative in games that are over."""
        players: NDArray[np.int64] = self.states["current_player"].astype(np.int64)
        return players

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which games have ended, `(n,)`."""
        ended: NDArray[np.bool_] = (self.states["terminated"] != 0) | (self.states["truncated"] != 0)
        return ended

    def start(self, rows: NDArray[np.int64], seeds: Sequence[int] | NDArray[np.int64]) -> None:
        """Start new games in `rows`, up to their first decisions."""
        for row, seed in zip(rows.tolist(), seeds, strict=True):
            self.seeds[row] = seed
            self.game.reset(self.game.params, self.states[row : row + 1], self.seeds[row : row + 1])
        self._advance(rows, np.full(len(rows), NO_ACTION, np.int64))

    def step(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Apply one legal decision each in `rows` and leave the other games alone.

        Raises:
            RuntimeError: the engine reports a fault of its own.
        """
        self._advance(rows, actions)
        faults = rows[self.states["error"][rows] != ERROR_NONE]
        if len(faults):
            row = int(faults[0])
            raise RuntimeError(
                f"the engine reports error {self.states['error'][row]} in the game of seed {self.seeds[row]}, "
                f"turn {self.states['turn'][row]}: this is a bug, please report it"
            )

    def _advance(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        chosen = np.full(len(self), SKIP, np.int64)
        chosen[rows] = actions
        game = self.game
        game.advance(
            game.params, self.states, chosen, self.action_masks, self.observations, self.returns, self.terminations
        )
