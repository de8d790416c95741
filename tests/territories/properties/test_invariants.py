"""Invariants hold in games that Hypothesis draws choice by choice, and in whole games."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import examples
from tests.territories.properties.bout import Bout

FORFEIT = 99  # of a hundred choices, the one that is a forfeit


def play(bout: Bout, chosen: list[int]) -> None:
    """Play by choices: indices into the legal actions, counted from the back, because `done` comes first."""
    for number in chosen:
        if bout.is_over:
            return
        if number == FORFEIT:
            bout.forfeit(int(bout.states["current_player"][0]))
        else:
            bout.act(bout.legal[-1 - number % len(bout.legal)])


def bouts(seed: int, is_new: bool, chosen: list[int], decisions: int) -> None:
    bout = Bout(seed, is_new=is_new)
    play(bout, chosen)
    bout.play_at_random(decisions, forfeits=0.002)


SEEDS = st.integers(0, 10_000)
CHOICES = st.lists(st.integers(0, FORFEIT), max_size=60)


@examples(40)
@given(seed=SEEDS, is_new=st.booleans(), chosen=CHOICES)
def test_invariants_hold(seed: int, is_new: bool, chosen: list[int]) -> None:
    bouts(seed, is_new, chosen, 30)


@pytest.mark.slow
def test_every_legal_action_keeps_the_invariants():
    @examples(10)
    @given(seed=SEEDS, is_new=st.booleans(), chosen=CHOICES)
    def games(seed: int, is_new: bool, chosen: list[int]) -> None:
        bout = Bout(seed, is_new=is_new)
        for number in chosen:
            if bout.is_over:
                break
            bout.try_every_action()
            bout.act(bout.legal[number % len(bout.legal)])

    games()


@pytest.mark.slow
def test_invariants_hold_in_whole_games():
    met: Counter[str] = Counter()
    longest_battle = longest_turn = decisions = 0

    @examples(10)
    @given(seed=SEEDS, is_new=st.booleans())
    def games(seed: int, is_new: bool) -> None:
        nonlocal longest_battle, longest_turn, decisions
        bout = Bout(seed, is_new=is_new)
        bout.play_at_random(4000, forfeits=0.0005)
        met.update({decision.name: number for decision, number in bout.met.items()})
        decisions += bout.met.total()
        longest_battle = max(longest_battle, bout.watch.longest_battle)
        longest_turn = max(longest_turn, bout.watch.longest_turn)

    games()
    print(f"{decisions} decisions of {len(met)} kinds; longest battle {longest_battle}, longest turn {longest_turn}")
    assert len(met) > 30
