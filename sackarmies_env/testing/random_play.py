"""Random play, directly on the kernels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.state import ERROR_NONE, NO_PLAYER


class RandomPlay:
    """One game in which every legal action is equally likely.

    Iterating advances to each decision and yields the action that will be taken there. Meanwhile, `states` and
    `action_mask` show the decision and must not be written to. Iteration stops when the game is over or after
    `max_plies` decisions.

    Args:
        game: the game to play.
        seed: seed of the game.
        choice_seed: seed of the choices.
        max_plies: maximum number of decisions.
    """

    def __init__(self, game: Game, seed: int, choice_seed: int = 0, max_plies: int = 1_000_000) -> None:
        self.game = game
        self.seed = seed
        self.states = game.new_states(1)
        self.action_mask: NDArray[np.int8] = np.zeros((1, game.num_actions), np.int8)
        self.actions: list[int] = []
        self._rng = np.random.default_rng([seed, choice_seed])
        self._max_plies = max_plies
        game.reset(game.params, self.states, np.array([seed], np.int64))

    @property
    def player(self) -> int:
        """The current player; NO_PLAYER once the game is over."""
        return int(self.states["current_player"][0])

    def __iter__(self) -> Iterator[int]:
        game, states = self.game, self.states
        while self.player != NO_PLAYER and len(self.actions) < self._max_plies:
            game.legal_actions(game.params, states, self.action_mask)
            legal = np.flatnonzero(self.action_mask[0])
            if not len(legal):
                raise AssertionError(
                    f"{self.where()}: player {self.player} is the current player but has no legal action"
                )
            action = int(legal[self._rng.integers(len(legal))])
            yield action
            self.actions.append(action)
            game.step(game.params, states, np.array([action], np.int64))
            if states["error"][0] != ERROR_NONE:
                raise AssertionError(f"{self.where()}: the state reports error {states['error'][0]}")

    def where(self) -> str:
        """Return the game, seed and ply as text, for messages."""
        return f"{self.game.id}, seed {self.seed}, ply {len(self.actions)}"

    def play(self) -> Records:
        """Play to the end and return the last state."""
        for _ in self:
            pass
        return self.states
