"""Perft: the number of sequences of decisions; a changed number means a changed rule."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.game import Game, Records


def perft(game: Game, states: Records, depth: int) -> int:
    """Return the number of sequences of `depth` legal decisions from `states[0]`.

    Chance follows the streams in the state. Sequences that end the game sooner do not count.

    Args:
        game: the game to play.
        states: `(n,)`; only the first is used, and none is changed.
        depth: at least 0.
    """
    if depth == 0:
        return 1
    legal = _legal(game, states)
    return len(legal) if depth == 1 else sum(perft(game, _after(game, states, action), depth - 1) for action in legal)


def perft_divide(game: Game, states: Records, depth: int) -> dict[str, int]:
    """Return the number of sequences of `depth` decisions, keyed by the text of the first; `depth` is at least 1."""
    return {
        game.format_action(states, action): perft(game, _after(game, states, action), depth - 1)
        for action in _legal(game, states)
    }


def _legal(game: Game, states: Records) -> list[int]:
    mask = np.zeros((1, game.num_actions), np.int8)
    game.legal_actions(game.params, states[:1], mask)
    legal: list[int] = np.flatnonzero(mask[0]).tolist()
    return legal


def _after(game: Game, states: Records, action: int) -> Records:
    child = game.clone(states[:1])
    game.step(game.params, child, np.array([action], np.int64))
    return child
