"""Kept choices of the ladder's frozen rungs: run `python -m tests.rungs --write` after an intended change."""

from __future__ import annotations

import pytest

from sackarmies_env.core.jit import INTERPRETED
from tests import rungs

QUICK = ["random", "first", "greedy", "search low", "trained", "search fast"]
SLOW = ["search medium", "search strong"]
MOST = 0.05  # share of choices that may differ: machines may round differently, which can decide near ties

pytestmark = pytest.mark.skipif(INTERPRETED, reason="searches take hours interpreted")


def share_of_other_choices(chosen, kept):
    """Return the share of positions in which a rung does not make the kept choice."""
    assert len(chosen) == len(kept)
    return sum(one != other for one, other in zip(chosen, kept, strict=True)) / len(kept)


@pytest.mark.parametrize("players", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_fast_rungs_make_the_kept_choices(players):
    kept = rungs.kept_choices(players)
    for name, chosen in rungs.choices_of(players, QUICK).items():
        assert share_of_other_choices(chosen, kept[name]) <= MOST, name


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_slow_rungs_make_the_kept_choices(players):
    kept = rungs.kept_choices(players)
    assert [name for name in kept if name not in QUICK] == SLOW
    for name, chosen in rungs.choices_of(players, SLOW).items():
        assert share_of_other_choices(chosen, kept[name]) <= MOST, name


@pytest.mark.parametrize("players", [2, 4])
def test_choices_of_all_rungs_are_kept(players):
    kept = rungs.kept_choices(players)
    assert list(kept) == list(rungs.rungs_of(players))
    assert {len(choices) for choices in kept.values()} == {rungs.POSITIONS[players]}
