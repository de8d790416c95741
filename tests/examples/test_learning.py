"""The reinforcement learning examples: in a short run, each learns to beat random play.

Random play earns 0.23 from seat 0, and 0 over both seats. Each mean is over at least three hundred games.
"""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch, request):
    """Change to the root of the repository, because the examples name files there."""
    monkeypatch.chdir(request.config.rootpath)


def test_ppo_of_one_seat_learns():
    from examples.ppo_one_seat import train

    means = train()
    assert means[0] < 0.35
    assert sum(means[-3:]) / 3 > 0.45


@pytest.fixture
def in_territories(monkeypatch):
    """Return a function that makes an example play Territories, by changing the constants that name its game."""

    def change(example):
        monkeypatch.setattr(example, "ID", example.ID.replace("SackArmies", "Territories"))
        monkeypatch.setattr(example, "GAME", {"scenario": "c1_two_territories"})

    return change


def test_ppo_of_one_seat_learns_territories(in_territories):
    """Random play earns about 0, as the first two rollouts do; the last eight earned 0.95 to 0.98 from three seeds."""
    from examples import ppo_one_seat

    in_territories(ppo_one_seat)
    means = ppo_one_seat.train(updates=32)
    assert sum(means[:2]) / 2 < 0.25
    assert sum(means[-8:]) / 8 > 0.8


def test_other_examples_play_territories(in_territories):
    from examples import ppo_all_seats, torchrl_ppo

    in_territories(ppo_all_seats)
    assert -1 <= ppo_all_seats.train(updates=1) <= 1
    in_territories(torchrl_ppo)
    assert all(-1 <= mean <= 1 for mean in torchrl_ppo.train(updates=2))


def test_ppo_of_all_seats_learns():
    from examples.ppo_all_seats import train

    assert train() > 0.1


def test_maskable_ppo_of_stable_baselines3_learns():
    from examples.sb3_maskable_ppo import train

    before, after = train()
    assert before < 0.35
    assert after > 0.4


def test_torchrl_learns():
    from examples.torchrl_ppo import train

    means = train()
    assert means[0] < 0.35
    assert sum(means[-3:]) / 3 > means[0] + 0.1


def test_tianshou_learns():
    from examples.tianshou_ppo import train

    before, after = train()
    assert before < 0.35
    assert after > before + 0.1
