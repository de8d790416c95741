"""Conservation and structure over random play, and masks that are sound and complete."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests.sack_armies.builders.configurations import MOST_CHOICES, Configuration, choices, configurations, seeds
from tests.sack_armies.properties.cases import hold
from tests.sack_armies.properties.coverage import Reached
from tests.sack_armies.properties.invariants import each_legal_action, invariants
from tests.sack_armies.properties.rulings import rulings
from tests.samples import TIMES, examples

LONG = (5, 11)  # seeds of long battles, which have the decisions that short games seldom reach


@examples(5)
@given(configuration=configurations(), seed=seeds(), chosen=choices(40))
def test_tokens_board_and_turns_hold_together_at_every_decision(
    configuration: Configuration, seed: int, chosen: list[int]
):
    hold("invariants", invariants, configuration, seed, chosen)


@examples(3)
@given(configuration=configurations(), seed=seeds(), chosen=choices(5))
def test_every_legal_action_leads_to_a_sound_state(configuration: Configuration, seed: int, chosen: list[int]):
    hold("each_legal_action", each_legal_action, configuration, seed, chosen)


@examples(5)
@given(configuration=configurations(), seed=seeds(), chosen=choices(40))
def test_masks_are_what_the_referee_rules(configuration: Configuration, seed: int, chosen: list[int]):
    hold("rulings", rulings, configuration, seed, chosen)


@pytest.mark.slow
def test_tokens_board_and_turns_hold_together_in_many_games():
    reached = Reached()

    @examples(100)
    @given(configuration=configurations(), seed=seeds(), chosen=choices(250))
    def bouts(configuration: Configuration, seed: int, chosen: list[int]) -> None:
        hold("invariants", reached.noting(invariants), configuration, seed, chosen)

    bouts()
    left = [(2, switches) for switches in reached.untried()]  # values that no game happened to draw
    for generals, switches in left + [(generals, {}) for generals in reached.unplayed()]:
        hold(
            "invariants", reached.noting(invariants), Configuration("catalogue", generals, switches), 1, list(range(60))
        )
    for seed in LONG:
        chosen = np.random.default_rng(seed).integers(0, MOST_CHOICES, 300).tolist()
        hold("invariants", reached.noting(invariants), Configuration("battle", 2, number=seed), seed, chosen)
    print(reached.report())
    if not TIMES:
        assert reached.missing() == []
        assert len(reached.decisions) > 31


@pytest.mark.slow
@examples(25)
@given(configuration=configurations(), seed=seeds(), chosen=choices(40))
def test_every_legal_action_leads_to_a_sound_state_in_many_games(
    configuration: Configuration, seed: int, chosen: list[int]
):
    hold("each_legal_action", each_legal_action, configuration, seed, chosen)


@pytest.mark.slow
@examples(25)
@given(configuration=configurations(), seed=seeds(), chosen=choices(250))
def test_masks_of_many_games_are_what_the_referee_rules(configuration: Configuration, seed: int, chosen: list[int]):
    hold("rulings", rulings, configuration, seed, chosen)
