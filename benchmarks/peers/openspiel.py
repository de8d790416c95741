"""OpenSpiel from Python, with the fastest masks and observations that its interface offers.

Of the ways tried, these were fastest in every one of the games: ids from `legal_actions()` written into a reused mask
(the list from `legal_actions_mask()` is three to ten times slower with thousands of actions), and the observer of
`open_spiel.python.observation`, which writes into a reused array (`observation_tensor()` builds a list).
"""

from __future__ import annotations

import functools
import random

import numpy as np
import pyspiel
from open_spiel.python.observation import make_observation

from benchmarks.contest import Player, sizes

PACKAGES = ("open-spiel", "numpy")


def _player(name: str, seed: int) -> Player:
    game = pyspiel.load_game(name)
    observer = make_observation(game)
    mask = np.zeros(game.num_distinct_actions(), np.int8)
    draw = random.Random(seed).random
    state = game.new_initial_state()
    legal: list[int] = []

    def play(decisions: int) -> int:
        nonlocal state, legal
        played = 0
        while played < decisions:
            if state.is_terminal():
                state = game.new_initial_state()
            if state.is_chance_node():
                state.apply_action(pyspiel.sample_action(state.chance_outcomes(), draw())[0])
                continue
            mask[legal] = 0
            legal = state.legal_actions()
            mask[legal] = 1
            observer.set_from(state, state.current_player())
            state.apply_action(legal[int(draw() * len(legal))])
            played += 1
        return played

    return Player(play, sizes(game.num_distinct_actions(), observer.tensor))


GAMES = ("backgammon", "dark_chess", "rbc", "banqi")
CONTESTANTS = {name: functools.partial(_player, name) for name in GAMES}
