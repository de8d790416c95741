"""The behavior cloning example learns to win."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from examples.behavior_cloning import clone, record_games, share_won


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Limit torch to one thread: more are much slower on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_clone_of_greedy_beats_random(tmp_path):
    torch.manual_seed(1)
    network = clone(record_games(tmp_path, 20), "greedy", 2)
    assert share_won(network, 40) >= 0.7
