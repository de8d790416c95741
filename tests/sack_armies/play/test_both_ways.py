"""Interpreted and compiled kernels: the same state, byte for byte, after every decision."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies import make_game
from tests.interpreted import interpreted
from tests.samples import many

ARMIES = ("fey_court", "undead", "empire_siege", "shazari_marsh", "nether_sisters", "mongrels")


def trace(num_generals: int, seeds: list[int], plies: int) -> list[str]:
    """Return a digest of state, mask and observation after every decision of some random games."""
    game = make_game(num_generals=num_generals, armies=list(ARMIES[:num_generals]))
    states = game.new_states(1)
    mask = np.zeros((1, game.num_actions), np.int8)
    view = np.zeros((1, game.observation_spec.size), np.int8)
    digests = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        game.reset(game.params, states, np.array([seed], np.int64))
        for _ in range(plies):
            player = int(np.asarray(states)["current_player"][0])
            if player < 0:
                break
            game.legal_actions(game.params, states, mask)
            game.observe(game.params, states, np.array([player], np.int64), view)
            digests.append(hashlib.sha256(states.tobytes() + mask.tobytes() + view.tobytes()).hexdigest()[:16])
            game.step(game.params, states, rng.choice(np.flatnonzero(mask[0]), 1))
    return digests


def interpreted_trace(*arguments: object) -> list[str]:
    """Return the trace from another process, which runs the kernels as plain Python."""
    return list(interpreted("tests.sack_armies.play.test_both_ways", "trace", *arguments))


@pytest.mark.skipif(INTERPRETED, reason="one of the two sides must be compiled")
@pytest.mark.parametrize(("num_generals", "seeds", "plies"), [(2, [1], 120), (3, [3], 60)])
def test_interpreted_and_compiled_games_have_the_same_bytes(num_generals, seeds, plies):
    compiled = trace(num_generals, seeds, plies)
    assert len(compiled) == plies
    assert interpreted_trace(num_generals, seeds, plies) == compiled


@pytest.mark.slow
@pytest.mark.skipif(INTERPRETED, reason="one of the two sides must be compiled")
@pytest.mark.parametrize("num_generals", [2, 4, 6])
def test_whole_games_have_the_same_bytes_both_ways(num_generals):
    seeds = list(range(100, 100 + many(1)))
    compiled = trace(num_generals, seeds, 1200)
    assert interpreted_trace(num_generals, seeds, 1200) == compiled


@pytest.mark.parametrize("count", [50, pytest.param(200, marks=pytest.mark.slow)])
def test_many_games_repeat_to_the_byte(count):
    seeds, plies = ([1], 60) if INTERPRETED else (list(range(count)), 400)
    assert trace(2, seeds, plies) == trace(2, seeds, plies)
