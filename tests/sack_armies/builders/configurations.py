"""Hypothesis strategies: games under random switches, and choices to play them with.

Numbers shrink to the smallest and switches to the standard rules, so that only what matters is left of a failure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sackarmies_env.games.sack_armies.switches import Switches
from tests.sack_armies.builders.random_battles import VOLLEY_TOKENS, random_battle, shelling
from tests.sack_armies.builders.random_games import NUM_TOKENS
from tests.sack_armies.builders.random_tokens import Data, random_army, random_tokens, switch_values

GENERALS = (2, 3, 4, 6)
# How a game begins: in Setup, with armies of catalogue or random tokens, or in the middle of a battle.
STARTS = ("battle", "catalogue", "inline", "volley", "shelling")
LIMITS: dict[str, list[Any]] = {  # switches that `switch_values` leaves out; the default comes first
    "max_turns": [400, 30, 8],
    "no_progress_turns": [120, 6],
    "max_ranks": [40, 20, 60],
    "min_battlefields": [5, 7],
    "copy_limits": [None, {"1": 5, "2": 3}],
}
BOARD = {"grid_radius": [None, 5, 8]}  # a battle needs room
MOST_CHOICES = 255
FEWEST_SWITCHES = (0, 4, 12)  # changed in a game, at least
MOST_SWITCHES = 16


@dataclass(frozen=True)
class Configuration:
    """How a game begins, and with which switches.

    Attributes:
        start: one of STARTS.
        num_generals: number of Generals.
        switches: those that differ from the defaults.
        number: seed of the random tokens, armies and positions.
    """

    start: str
    num_generals: int
    switches: Data = field(default_factory=dict)
    number: int = 0

    def options(self) -> Data:
        """Return the arguments of `make_game`."""
        rng = np.random.default_rng(self.number)
        if self.start == "shelling":
            return {"scenario": shelling(rng, self.switches)}
        tokens = VOLLEY_TOKENS if self.start == "volley" else random_tokens(rng, NUM_TOKENS)
        if self.start in ("battle", "volley"):
            return {"scenario": random_battle(rng, self.num_generals, tokens, self.switches)}
        inline = tokens if self.start == "inline" else []
        armies = [random_army(rng, inline, Switches.read(self.switches)) for _ in range(self.num_generals)]
        return {"num_generals": self.num_generals, "armies": armies, "switches": self.switches}


def all_values() -> dict[str, list[Any]]:
    """Return the values to try of every switch, the default first."""
    return switch_values() | LIMITS | BOARD


@st.composite
def agreements(draw: st.DrawFn, start: str) -> Data:
    """Draw switches that differ from the defaults."""
    values = all_values()
    if start not in ("catalogue", "inline"):
        del values["grid_radius"]
    fewest = draw(st.sampled_from(FEWEST_SWITCHES))
    names = draw(st.lists(st.sampled_from(list(values)), unique=True, min_size=fewest, max_size=MOST_SWITCHES))
    return {name: draw(st.sampled_from(values[name][1:])) for name in names}


@st.composite
def configurations(draw: st.DrawFn, starts: tuple[str, ...] = STARTS, **fixed: Any) -> Configuration:
    """Draw a configuration.

    Args:
        draw: draw function of hypothesis.
        starts: how the game may begin.
        fixed: switches that are not drawn.
    """
    start = draw(st.sampled_from(starts))
    num_generals = draw(st.sampled_from(GENERALS)) if start != "shelling" else 2
    return Configuration(start, num_generals, draw(agreements(start)) | fixed, draw(st.integers(0, 999)))


@st.composite
def choices(draw: st.DrawFn, most: int) -> list[int]:
    """Draw up to `most` choices, each to be taken modulo the number of legal actions."""
    count = draw(st.integers(0, most))
    return draw(st.lists(st.integers(0, MOST_CHOICES), min_size=count, max_size=count))


def seeds() -> st.SearchStrategy[int]:
    """Return a strategy for seeds of games."""
    return st.integers(0, 9999)
