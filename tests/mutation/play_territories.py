"""Random play that detects faults of the rules of Territories, by comparison with the referee and by invariants.

Not part of the test suite, which plays the same games compiled and far longer (`tests/territories`).
"""

from __future__ import annotations

import pytest

from tests.territories.properties.bout import Bout
from tests.territories.referee.lockstep import play_both
from tests.territories.referee.middle import play_both_from
from tests.territories.referee.random_play import options_of

DECISIONS = 60


@pytest.mark.parametrize("seed", range(100))
def test_masks(seed: int) -> None:
    assert play_both_from(seed, DECISIONS, forfeits=0.02 if seed % 5 == 4 else 0.0).total() > 0


@pytest.mark.parametrize("seed", range(6))
def test_whole_games_agree_with_the_referee(seed: int) -> None:
    options = options_of(seed)
    options["switches"]["max_rounds"] = 3
    assert play_both(seed, options, decisions=250).total() > 0


@pytest.mark.parametrize("seed", range(10))
def test_invariants_hold(seed: int) -> None:
    bout = Bout(1000 + seed, is_new=False)
    bout.play_at_random(DECISIONS, forfeits=0.01)
    assert bout.met
