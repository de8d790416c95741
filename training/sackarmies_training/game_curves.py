"""What a run's games are like: turns, draws, kinds of victory, and how often seats and armies win."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game, Records
from sackarmies_training.labels import DRAW, WIN
from sackarmies_training.table import table_class

RECENT_GAMES = 500  # that a curve is the mean of
ODD = re.compile(r"[^\w .-]")  # characters of the name of an army that services refuse


class GameCurves:
    """Means over the latest games that have ended, by name.

    - `games/turns`, and shares: `games/drawn`, `games/truncated`;
    - `victory/KIND`: the share of games that ended so;
    - `won/seat_N` and `won/army_NAME`: how often the learner won of the games that it played from a seat, with an army.
    """

    def __init__(self) -> None:
        self._recent: dict[str, deque[float]] = defaultdict(partial(deque, maxlen=RECENT_GAMES))
        self._fresh: set[str] = set()  # names that a game has been added to

    def add(self, game: Game, states: Records, results: NDArray[np.int64], seats: NDArray[np.int64]) -> None:
        """Add games that have ended.

        Args:
            game: what was played.
            states: `(k,)`, in which they ended.
            results: `(k, m)`, WIN, DRAW or LOSS, of the seats of the learner.
            seats: `(k, m)`, which they are.
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
        """Add the games that another one was told of."""
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
    """Return for each kind of victory of a game where it came about, `(k,)`; none where the game has no kinds."""
    name = table_class(game.id).ending
    codes = next((field.codes for field in game.state_layout.fields if field.name == name), None)
    return {} if codes is None else {code.name.lower(): states[name] == code for code in codes if code}


def army_names(game: Game) -> list[str]:
    """Return the name of the army of each seat; none where the game has no armies."""
    armies = game.config.get("armies") or ()
    return [ODD.sub("_", army["name"] if isinstance(army, dict) else str(army)) for army in armies]
