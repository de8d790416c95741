"""Examples with libraries that need an environment of their own: run by `make libraries LIB=...`, skipped elsewhere."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch, request):
    """The examples name files of the repository."""
    monkeypatch.chdir(request.config.rootpath)


def test_rllib_learns():
    pytest.importorskip("ray.rllib.algorithms.ppo", reason="make libraries LIB=rllib", exc_type=ImportError)
    from examples.rllib_ppo import train

    before, after = train()
    assert before < 0.1
    assert after > before + 0.1


def test_agilerl_learns():
    pytest.importorskip("agilerl", reason="make libraries LIB=agilerl")
    from examples.agilerl_ppo import train

    means = train()
    assert means[0] < 0.35
    assert sum(means[-3:]) / 3 > means[0] + 0.1


def test_pufferlib_learns():
    pytest.importorskip("pufferlib", reason="make libraries LIB=pufferlib")
    from examples.pufferlib_ppo import train

    means = train()
    assert means[0] < 0.35
    assert sum(means[-3:]) / 3 > means[0] + 0.1
