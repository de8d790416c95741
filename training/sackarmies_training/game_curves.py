"""Statistics of a run's games: turns, draws, kinds of victory, and how often seats and armies win."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game, Records
from sackarmies_training.labels import DRAW, WIN
from sackarmies_training.table.game_table import table_class

RECENT_GAMES = 500  # games that a curve is the mean of
ODD = re.compile(r"[^\w .-]")  # characters in the name of an army that services refuse


class GameCurves:
    """Means over the latest finished games, by name.

    - `games/turns`, and shares of games: `games/drawn`, `games/truncated`;
    - `victory/KIND`: share of games that ended with this kind of victory;
    - `won/seat_N` and `won/army_NAME`: share of games that the learner won from a seat, or with an army.
    """

    def __init__(self) -> None:
        self._recent: dict[str, deque[float]] = defaultdict(partial(deque, maxlen=RECENT_GAMES))
        self._fresh: set[str] = set()  # names with games since the last `take`

    def add(self, game: Game, states: Records, results: NDArray[np.int64], seats: NDArray[np.int64]) -> None:
        """Add games that have ended.

        Args:
            game: the game that was played.
            states: `(k,)`, final states.
            results: `(k, m)`, WIN, DRAW or LOSS, for the seats of the learner.
            seats: `(k, m)`, these seats.
        """
        if not len(states):
            return
        self._extend("games/turns", states["turn"])
        self._extend("games/drawn", (results == DRAW).any(axis=1))
        self._extend("games/truncated", states["truncated"] != 0)
        for kind, share in kinds_of_victory(game, states).items():
            self._extend(f"victory/{kind}", share)
        won, names = (results == WIN).ravel(), army_names(game)
        for seat, is_won in zip(seats.ravel().tolist(), won.tolist(), strict=True):
            self._extend(f"won/seat_{seat}", [is_won])
            if names:
                self._extend(f"won/army_{names[seat]}", [is_won])

    def join(self, other: GameCurves) -> None:
        """Add the games of another `GameCurves`."""
        for name, values in other._recent.items():
            self._extend(name, values)

    def _extend(self, name: str, values: Iterable[float]) -> None:
        self._recent[name].extend(float(value) for value in values)
        self._fresh.add(name)

    def take(self) -> dict[str, float]:
        """Return the means of all names with games since the last call."""
        means = {name: float(np.mean(self._recent[name])) for name in sorted(self._fresh)}
        self._fresh.clear()
        return means


def kinds_of_victory(game: Game, states: Records) -> dict[str, NDArray[np.bool_]]:
    """Return for each kind of victory which games ended with it, `(k,)` bool; empty if the game has no kinds."""
    name = table_class(game.id).ending
    codes = next((field.codes for field in game.state_layout.fields if field.name == name), None)
    return {} if codes is None else {code.name.lower(): states[name] == code for code in codes if code}


def army_names(game: Game) -> list[str]:
    """Return the name of the army of each seat; empty if the game has no armies."""
    armies = game.config.get("armies") or ()
    return [ODD.sub("_", army["name"] if isinstance(army, dict) else str(army)) for army in armies]
