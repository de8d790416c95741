"""Bounds of the greedy General: a floor may change only values that do not exceed it."""

import numpy as np
import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.sack_armies.attacks import NEVER
from sackarmies_agents.scripted.sack_armies.board import make_board
from sackarmies_agents.scripted.sack_armies.choose import EVERYTHING, survey
from sackarmies_agents.scripted.sack_armies.read import read_board
from sackarmies_agents.scripted.sack_armies.values import action_value
from sackarmies_agents.scripted.sack_armies.weights import load_weights
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.jit import INTERPRETED, njit
from sackarmies_env.core.state import as_records
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision, Verb

BOUNDED = np.array([Verb.MOVE, Verb.MELEE, Verb.RANGED, Verb.MOVE_ATTACK, Verb.COORD_MELEE, Verb.COORD_RANGED])
OFFSETS = np.array([-50.0, -1.0, -1e-6, 1e-6, 1.0, 50.0])  # floors, relative to the value of a verb
STEPS = 3 if INTERPRETED else 60
GAMES = 2 if INTERPRETED else 16


@njit
def worth(boards, observation, verb, fallback, floor):
    """Return the value of a menu verb, exact above `floor`, on a board that has computed nothing yet."""
    board = boards[0]
    board.has_position = 0
    read_board(board, observation)
    survey(board, np.int64(Decision.MENU))
    board.floor = floor
    return action_value(board, verb, fallback)


@njit
def count_wrong(boards, observations, verbs, offsets, found):
    """Count values above a floor that the floor changes, and values not above it that rise above it.

    found: (2,) bool, set once a value below 0 and one above 0 are met.
    """
    wrong = 0
    for i in range(len(observations)):
        for verb in verbs:
            about = worth(boards, observations[i], verb, 0.0, EVERYTHING)
            found[0] |= NEVER < about < 0.0
            found[1] |= about > 0.0
            for offset in offsets:
                floor = about + offset
                exact = worth(boards, observations[i], verb, max(0.0, floor), EVERYTHING)
                value = worth(boards, observations[i], verb, max(0.0, floor), floor)
                wrong += value != exact if exact > floor else value > floor
    return wrong


@pytest.mark.parametrize("weights", ["tuned", "light"])
def test_floors_change_no_value_above_them(weights):
    game = make_game(2, armies=["monsters", "undead"])
    boards = as_records(make_board(GameInfo.of(game), load_weights(weights)))
    batch = Batch(game, GAMES)
    batch.reset(np.arange(GAMES))
    found = np.zeros(2, np.bool_)
    for _ in range(STEPS):
        batch.rollout(7)
        batch.read()
        running = batch.players >= 0
        assert count_wrong(boards, batch.observations[running], BOUNDED, OFFSETS, found) == 0
    assert INTERPRETED or found.all()
