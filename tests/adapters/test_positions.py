"""Positions as values: returns at the end of zero-sum games."""

from __future__ import annotations

import random

import pytest

from sackarmies_env.adapters.positions import Table, balanced
from sackarmies_env.registry import load_game
from tests.core.toy_game import make_duel


@pytest.mark.parametrize(
    "make", [lambda: make_duel(4), lambda: make_duel(6), lambda: load_game("territories", num_players=4)]
)
def test_returns_of_zero_sum_games_add_up_to_zero(make):
    """Not just up to the rounding error of thirds and fifths in float32, which OpenSpiel refuses."""
    table, rng, rounded = Table(make()), random.Random(0), 0
    for seed in range(12):
        node = table.begin(seed)
        while node.player >= 0:
            node = node.play(rng.choice(node.legal))
        assert abs(sum(node.returns)) < 1e-12
        assert max(map(abs, node.returns)) <= 1
        assert node.returns == pytest.approx(table._results[0, 0].tolist(), abs=1e-7)
        rounded += node.returns != table._results[0, 0].tolist()
    assert rounded


def test_balanced_returns_keep_their_largest_magnitude():
    third = 0.3333333432674408
    assert balanced([1.0, -third, -third, -third]) == pytest.approx([1, -1 / 3, -1 / 3, -1 / 3], abs=1e-16)
    assert balanced([1.0, -third, -third, -third])[0] == 1
    for returns in ([0.0, 0.0], [1.0, -1.0], [5.0, -2.5, -2.5]):
        assert balanced(returns) == returns
