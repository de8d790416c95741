"""Fog of war in random configurations, over whole games and for every General."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sack_armies.builders.configurations import Configuration, choices, configurations, seeds
from tests.sack_armies.properties.bout import Bout, Check
from tests.sack_armies.properties.cases import hold, told
from tests.sack_armies.properties.fog import alike, guesses, no_leaks, play_whole
from tests.samples import examples

CHECKS: dict[str, Check] = {"no_leaks": no_leaks, "alike": alike, "guesses": guesses}


@pytest.mark.parametrize("name", CHECKS)
def test_observations_and_masks_do_not_depend_on_hidden_information(name: str):
    @examples(6)
    @given(configuration=configurations(), seed=seeds(), chosen=choices(20))
    def bouts(configuration: Configuration, seed: int, chosen: list[int]) -> None:
        hold(name, CHECKS[name], configuration, seed, chosen)

    bouts()


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_observations_and_masks_hide_information_in_whole_games(name: str):
    lengths: Counter[int] = Counter()
    check = partial(alike, lengths=lengths) if name == "alike" else CHECKS[name]

    @examples(10)
    @given(configuration=configurations(), seed=seeds(), plies=st.integers(0, 600))
    def games(configuration: Configuration, seed: int, plies: int) -> None:
        bout = Bout(configuration.options(), seed)
        with told(name, bout):
            play_whole(bout, check(bout), plies)

    games()
    if name == "alike":
        compared = sum(length * pairs for length, pairs in lengths.items())
        print(f"{lengths.total()} pairs of worlds, {compared} choices alike, at most {max(lengths)} in a row")
        assert compared > 1000
