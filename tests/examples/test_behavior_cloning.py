"""The behavior cloning example learns to win."""

from __future__ import annotations

import pytest
import torch

from examples.behavior_cloning import clone, record_games, share_won


@pytest.mark.slow
def test_clone_of_greedy_beats_random(tmp_path):
    torch.manual_seed(1)
    network = clone(record_games(tmp_path, 20), "greedy", 2)
    assert share_won(network, 40) >= 0.7
