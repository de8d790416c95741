"""Random play that detects faults of the rules, by a referee's second opinion on each mask and by invariants.

Not part of the test suite, which plays the same bouts compiled and far longer (`tests/sack_armies/referee`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from sackarmies_env.core.state import copy_records
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Verb
from tests.sack_armies.builders.derived import DERIVED, rebuild_derived
from tests.sack_armies.builders.random_games import (
    bout_options,
    random_play,
    referee_bout,
    shelling_options,
    volley_options,
)
from tests.sack_armies.builders.twin_worlds import plain, record

PLIES = 60


@pytest.mark.parametrize("seed", range(32))
def test_masks(seed: int) -> None:
    assert referee_bout(bout_options(seed), seed, PLIES).total() == PLIES


@pytest.mark.parametrize("seed", range(8))
def test_random_play_with_much_damage_keeps_masks_legal(seed: int) -> None:
    options = shelling_options(seed)
    assert referee_bout(options, seed, PLIES, liked=(Verb.RANGED, Verb.PASS)).total() == PLIES


@pytest.mark.parametrize("seed", range(8))
def test_random_play_with_many_shots_keeps_masks_legal(seed: int) -> None:
    options = volley_options(seed)
    assert referee_bout(options, seed, PLIES, liked=[Verb.COORD_RANGED]).total() == PLIES


@pytest.mark.parametrize("seed", range(100, 112))
def test_random_play_keeps_tokens_and_derived_indexes(seed: int) -> None:
    game = make_game(**bout_options(seed))
    anew = game.new_states(1)
    tokens: Counter[Any] = Counter()
    for ply, (states, _) in enumerate(random_play(game, seed, PLIES)):
        state = plain(states)
        now = Counter(zip(state["token_type"].tolist(), state["token_owner"].tolist(), strict=True))
        tokens = tokens or now
        assert now == tokens
        if ply % 5 == 0:
            copy_records(states, anew)
            rebuild_derived(game.params[0], record(anew))
            for name in DERIVED:
                np.testing.assert_array_equal(state[name], plain(anew)[name], err_msg=name)
