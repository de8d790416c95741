"""Positions at the bounds of scenarios are accepted, and so is every position that play reaches from them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import ERROR_NONE
from sackarmies_env.games.territories import load_scenario, make_game
from sackarmies_env.games.territories.state.actions import DONE, DRAW, FIRST_CARD
from sackarmies_env.games.territories.state.constants import NUM_CARDS
from tests.territories.scenario.bounds import BOUNDS
from tests.territories.scenario.test_round_trip import check_round_trip

GREEDY = {DRAW, *range(FIRST_CARD, FIRST_CARD + NUM_CARDS)}  # what counts up goes on counting
PLIES = 25
GAMES = 3


@pytest.mark.parametrize("name", BOUNDS)
def test_position_beyond_a_bound_is_refused(name):
    with pytest.raises(ValueError, match="scenario") as error:
        load_scenario(BOUNDS[name].beyond)
    assert BOUNDS[name].message in str(error.value)


@pytest.mark.parametrize("name", BOUNDS)
def test_play_from_a_position_at_a_bound_leads_to_accepted_ones(name):
    game = make_game(scenario=BOUNDS[name].at)
    for seed in range(GAMES):
        rng, states = random.Random(seed), game.new_states(1)
        game.start(states, seed)
        for _ in range(PLIES):
            assert states["error"][0] == ERROR_NONE
            check_round_trip(game, states)
            if states["current_player"][0] < 0:
                break
            legal = legal_ids(states["legal"][0])
            liked = GREEDY.intersection(legal) or ({DONE}.intersection(legal) if rng.random() < 0.5 else set())
            game.step(game.params, states, np.array([rng.choice(sorted(liked) or legal)]))
