"""Positions for drawing tests."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.games.sack_armies import make_game

SMALL: dict[str, Any] = {
    "game": "sack_armies",
    "generals": 2,
    "to_move": 0,
    "token": [
        {"id": "guard", "kind": "unit", "type": "infantry", "band": "green", "damage": 2, "armor": 3, "rank": 2},
        {"id": "scout", "kind": "unit", "type": "cavalry", "band": "green", "movement": 3},
        {"id": "ward", "kind": "spell", "use": "free", "effects": [{"kind": "modify", "stat": "armor", "amount": 2}]},
        {"id": "dash", "kind": "maneuver", "use": "action", "effects": [{"kind": "relocate", "distance": 1}]},
    ],
    "battlefield": [
        {"token": "plain", "at": [0, 0], "owner": 0, "controller": 0},
        {"token": "woods", "at": [2, 0], "owner": 1, "controller": 0},
        {"token": "plain", "at": [2, -1], "owner": 1, "controller": 1},
    ],
    "unit": [
        {
            "token": "guard",
            "at": [0, 0],
            "owner": 0,
            "face": "up",
            "attached": [{"token": "ward", "face": "up", "owner": 0}, {"token": "dash", "face": "down", "owner": 0}],
        },
        {"token": "scout", "at": [-1, 0], "owner": 0, "face": "down"},
        {
            "token": "scout",
            "at": [3, -1],
            "owner": 1,
            "face": "down",
            "attached": [{"token": "ward", "face": "down", "owner": 1}],
        },
    ],
    "general": [
        {"hand": ["guard", "plain"], "sack": ["guard", "guard", "ward"], "casualties": ["dash"], "removed": []},
        {"hand": ["dash"], "sack": ["guard", "ward"], "casualties": [], "removed": ["scout"]},
    ],
}


def twin() -> dict[str, Any]:
    """Return SMALL, changed only in what General 0 cannot know about General 1."""
    other = copy.deepcopy(SMALL)
    unit = other["unit"][2]
    unit["token"] = "guard"
    unit["attached"][0]["token"] = "dash"
    other["general"][1] |= {"hand": ["ward"], "sack": ["scout", "ward"]}
    return other


def start(scenario: dict[str, Any] | str) -> tuple[Game, NDArray[np.void]]:
    """Return the game of a scenario and its state at the first decision."""
    game = make_game(scenario=scenario)
    states = game.new_states(1)
    game.reset(game.params, states, np.array([0], np.int64))
    return game, states


def play(game: Game, states: NDArray[np.void], *texts: str) -> None:
    """Play actions by their texts."""
    for text in texts:
        game.step(game.params, states, np.array([game.parse_action(states, text)], np.int64))


def play_random(game: Game, states: NDArray[np.void], seed: int, plies: int) -> None:
    """Start a new game and play legal actions at random."""
    rng = np.random.default_rng(seed)
    mask = np.zeros((1, game.num_actions), np.int8)
    game.reset(game.params, states, np.array([seed], np.int64))
    for _ in range(plies):
        game.legal_actions(game.params, states, mask)
        legal = np.flatnonzero(mask[0])
        if legal.size:
            game.step(game.params, states, rng.choice(legal, 1))
