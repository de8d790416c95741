"""The engine's masks against the rulings of an independent referee, id by id, over random play."""

from __future__ import annotations

from collections import Counter

import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies.state.constants import Decision, Verb
from tests.sack_armies.builders.random_games import (
    GENERALS,
    bout_options,
    referee_bout,
    shelling_options,
    switches_of,
    volley_options,
)
from tests.sack_armies.builders.random_tokens import switch_values
from tests.sack_armies.builders.twin_worlds import CONFIGURATIONS
from tests.sack_armies.referee.decisions import RULINGS
from tests.samples import many

SAMPLE = range(3 if INTERPRETED else 40)
PLIES = 10 if INTERPRETED else 180
SHELLING = (Verb.RANGED, Verb.PASS)
LONG_CHUNKS = 10
LONG_GAMES = many(3)  # per chunk
LONG_PLIES = 600


def test_the_referee_rules_on_every_decision():
    assert set(RULINGS) == set(Decision) - {Decision.NONE}


@pytest.mark.parametrize("seed", SAMPLE)
def test_masks_agree_with_the_referee(seed):
    met = referee_bout(bout_options(seed), seed, PLIES)
    assert met.total() == PLIES


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_masks_agree_with_the_referee_in_worlds_of_hidden_information(name):
    assert referee_bout(CONFIGURATIONS[name], 1, PLIES).total() == PLIES


@pytest.mark.parametrize("seed", range(2 if INTERPRETED else 12))
def test_masks_agree_with_the_referee_under_shelling(seed):
    assert referee_bout(shelling_options(seed), seed, PLIES, liked=SHELLING).total() == PLIES


@pytest.mark.parametrize("seed", range(2 if INTERPRETED else 8))
def test_masks_agree_with_the_referee_in_volleys(seed):
    assert referee_bout(volley_options(seed), seed, PLIES, liked=[Verb.COORD_RANGED]).total() == PLIES


def test_the_sample_has_every_value_of_every_switch():
    tried = [switches_of(bout_options(seed)) for seed in range(40)]
    untried = {
        (name, value)
        for name, values in switch_values().items()
        for value in values
        if not any(switches.get(name, values[0]) == value for switches in tried)
    }
    assert untried == set()
    assert set(GENERALS) == {2, 3, 4, 6}


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_masks_agree_with_the_referee_for_long(chunk):
    met: Counter[Decision] = Counter()
    for seed in range(1000 + chunk * LONG_GAMES, 1000 + (chunk + 1) * LONG_GAMES):
        met += referee_bout(bout_options(seed), seed, LONG_PLIES)
    assert met.total() == LONG_GAMES * LONG_PLIES


@pytest.mark.slow
def test_every_decision_is_met():
    met: Counter[Decision] = Counter()
    for seed, options in enumerate(CONFIGURATIONS.values()):
        met += referee_bout(options, seed, many(750))
    for seed in range(many(10)):
        met += referee_bout(volley_options(seed), seed, 300, liked=[Verb.COORD_RANGED])
        met += referee_bout(shelling_options(seed), seed, 300, liked=SHELLING)
    assert set(met) == set(Decision) - {Decision.NONE}
