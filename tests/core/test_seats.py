"""Players still in the game, and how they share the losses of eliminated players."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.core.seats import count_left, next_left, share_losses


def test_next_player_is_one_who_is_left():
    left = np.array([0, 2, 0, 1, 5], np.int8)  # four players: the last seat is unused
    assert [next_left(left, 4, player) for player in range(4)] == [1, 3, 3, 1]
    assert next_left(np.array([0, 1], np.int8), 2, 1) == 1
    assert count_left(left, 4) == 2


@pytest.mark.parametrize(
    ("left", "is_over", "returns"),
    [
        ([1, 1, 1], False, [0, 0, 0]),
        ([1, 0, 1], False, [0, -0.5, 0]),
        ([1, 0, 1], True, [0.25, -0.5, 0.25]),
        ([0, 0, 3], True, [-0.5, -0.5, 1]),
        ([1, 1, 1], True, [0, 0, 0]),
    ],
)
def test_losses_are_shared_at_the_end(left, is_over, returns):
    out = np.zeros(3, np.float32)
    share_losses(np.array(left, np.int8), 3, is_over, out)
    assert out.tolist() == returns
