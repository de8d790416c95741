"""Switches of the rules: plain data in, plain data out; numbers of NumPy count as numbers."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pytest
from pydantic import Field

from sackarmies_env.core.switches import OnOff, SwitchTable
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.territories.game import make_game as make_territories


class House(SwitchTable):
    rounds: Annotated[int, Field(ge=1, le=9)] = 4
    open_hands: OnOff = False
    limits: dict[str, int] = Field(default_factory=dict)


def test_only_what_differs_from_the_defaults_is_changed():
    house = House.read({"rounds": 4, "open_hands": "on"})
    assert house.changed() == {"open_hands": True}
    assert House.read(house) is house
    assert House.read(None).changed() == {}


def test_numbers_of_numpy_count_as_plain_ones_in_nested_tables_too():
    given = {"rounds": np.int64(7), "open_hands": np.bool_(True), "limits": {"first": np.int8(2)}}
    changed = House.read(given).changed()
    assert changed == {"rounds": 7, "open_hands": True, "limits": {"first": 2}}
    assert type(changed["limits"]["first"]) is int


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"rounds": np.int64(10)}, r"^house: rounds: must be at most 9, not 10$"),
        ({"rounds": np.float64(2.5)}, r"^house: rounds: must be an integer, not 2\.5$"),
        ({"round": 3}, r'^house: unknown key "round" \(did you mean "rounds"\?\); allowed are "rounds"'),
        ([1], r"^house.*must be a table, not \[1\]$"),
    ],
)
def test_other_values_are_refused_with_a_sentence(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        House.read(given, "house")


def test_games_take_numbers_of_numpy_as_switches():
    game = make_game(switches={"max_turns": np.int64(50), "copy_limits": {1: np.int32(5)}})
    plain = make_game(switches={"max_turns": 50, "copy_limits": {1: 5}})
    assert game.config == plain.config
    assert make_territories(switches={"max_rounds": np.int16(9)}).config["switches"] == {"max_rounds": 9}
