"""Interpreted and compiled kernels give the same bytes of state, mask, observation and sample at every decision."""

from __future__ import annotations

import hashlib
import random

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.testing.probe import masks_of, observations_of, results_of, world_of
from tests.interpreted import interpreted
from tests.samples import many
from tests.territories.properties.bout import start_of

FORFEITS = 0.005


def trace(seeds: list[int], plies: int) -> list[str]:
    """Return a digest of all outputs at each decision of some random games; odd seeds start new games."""
    digests = []
    for seed in seeds:
        game, states = start_of(seed, is_new=seed % 2 == 1)
        rng = random.Random(seed)
        for ply in range(plies):
            player = int(states["current_player"][0])
            if player < 0:
                break
            seats = range(game.num_players)
            told = hashlib.sha256(
                states.tobytes() + masks_of(game, states).tobytes() + results_of(game, states).tobytes()
            )
            for seat in seats:
                told.update(observations_of(game, states, [seat]).tobytes())
                told.update(world_of(game, states, seat, ply).tobytes())
            digests.append(told.hexdigest()[:16])
            if rng.random() < FORFEITS:
                game.forfeit(game.params, states, np.array([rng.choice(np.flatnonzero(states["alive"][0]).tolist())]))
            else:
                game.step(game.params, states, np.array([rng.choice(legal_ids(states["legal"][0]))]))
    return digests


@pytest.mark.skipif(INTERPRETED, reason="one of the two sides must be compiled")
@pytest.mark.parametrize("seeds", [[0, 1, 2, 3], pytest.param(list(range(4, 4 + many(8))), marks=pytest.mark.slow)])
def test_interpreted_and_compiled_games_have_the_same_bytes(seeds):
    plies = 60 if len(seeds) < 10 else 150
    compiled = trace(seeds, plies)
    assert len(compiled) > 20 * len(seeds)
    assert interpreted("tests.territories.test_both_ways", "trace", seeds, plies) == compiled
