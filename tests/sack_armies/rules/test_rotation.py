"""Rotational symmetry: a position turned by 60 degrees offers the same actions, turned likewise (Q-74)."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies import make_game
from tests.sack_armies.builders.random_games import offered_ids, random_play, volley_options
from tests.sack_armies.builders.twin_worlds import States, act, battle, plain

PLIES = 50 if INTERPRETED else 300
CALM = {"scatter_save": False}  # who is asked first about a save depends on the order of the neighbors


def turned(at: list[int], sixths: int) -> list[int]:
    """Return the coordinates of a hex after `sixths` turns by 60 degrees about the center."""
    q, r = at
    for _ in range(sixths):
        q, r = -r, q + r
    return [q, r]


def turned_scenario(scenario: dict[str, Any], sixths: int) -> dict[str, Any]:
    """Return a position turned about the center of the board, with saves from scatter off."""
    scenario = copy.deepcopy(scenario)
    for piece in (*scenario["unit"], *scenario["battlefield"]):
        piece["at"] = turned(list(piece["at"]), sixths)
    scenario["switches"] = scenario.get("switches", {}) | CALM
    return scenario


def turned_text(text: str, sixths: int) -> str:
    """Return the text of an action, turned if it names a hex."""
    if not text.startswith("hex "):
        return text
    q, r = turned([int(number) for number in text.removeprefix("hex ").split(",")], sixths)
    return f"hex {q},{r}"


def offered(game: Game, states: States, sixths: int = 0) -> list[str]:
    """Return the legal actions as sorted texts, their hexes turned."""
    return sorted(turned_text(game.format_action(states, action), sixths) for action in offered_ids(game, states))


@pytest.mark.parametrize("sixths", range(1, 6))
@pytest.mark.parametrize("name", ["battle", "volley 0", "volley 1"])
def test_a_turned_position_is_played_alike(name, sixths):
    scenario = battle() if name == "battle" else volley_options(int(name[-1]))["scenario"]
    game = make_game(scenario=turned_scenario(scenario, 0))
    other = make_game(scenario=turned_scenario(scenario, sixths))
    seed = 7 + sixths
    worlds = other.new_states(1)
    other.reset(other.params, worlds, np.array([seed]))
    for states, action in random_play(game, seed, PLIES):
        if action < 0:
            break  # another game begins
        assert offered(other, worlds) == offered(game, states, sixths)
        assert plain(worlds)["current_player"] == plain(states)["current_player"]
        text = turned_text(game.format_action(states, action), sixths)
        act(other, worlds, other.parse_action(worlds, text))
