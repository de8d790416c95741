"""Seats around a table where players are eliminated one by one, for kernels.

`left` is any list of a state with one number per seat, 0 for those who are out: lives, dice, units.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit


@njit
def count_left(left, num_players):
    """Return how many players are still in the game."""
    count = np.int64(0)
    for player in range(num_players):
        count += np.int64(left[player] > 0)
    return count


@njit
def next_left(left, num_players, player):
    """Return the next player still in the game, `player` if there is no other; somebody must be left."""
    following = (np.int64(player) + 1) % num_players
    while left[following] == 0:
        following = (following + 1) % num_players
    return following


@njit
def share_losses(left, num_players, is_over, out):
    """Write zero-sum returns: eliminated players lose equally; at the end the others share what they lost.

    Args:
        left: as above.
        num_players: number of players.
        is_over: whether the game has ended or was truncated.
        out: (num_players,) float32, what each player has earned: -1 at least, and 1 for the last one left.
    """
    alive = count_left(left, num_players)
    loss = 1.0 / (num_players - 1.0)
    gain = loss * (num_players - alive) / alive if is_over else 0.0
    for player in range(num_players):
        out[player] = np.float32(gain if left[player] > 0 else -loss)
