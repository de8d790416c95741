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
def write_worths(boards, observations, fallbacks, floors, out):
    """Write values to `out`; it, `fallbacks` and `floors` are (observation, verb of BOUNDED, floor)."""
    for i, j, k in np.ndindex(out.shape):
        out[i, j, k] = worth(boards, observations[i], BOUNDED[j], fallbacks[i, j, k], floors[i, j, k])


def worths(boards, observations, fallbacks, floors):
    """Return the values of menu verbs above floors."""
    out = np.zeros(floors.shape)
    write_worths(boards, observations, fallbacks, floors, out)
    return out


@pytest.mark.parametrize("weights", ["tuned", "light"])
def test_floors_change_no_value_above_them(weights):
    game = make_game(2, armies=["monsters", "undead"])
    boards = as_records(make_board(GameInfo.of(game), load_weights(weights)))
    batch = Batch(game, GAMES)
    batch.reset(np.arange(GAMES))
    found = np.zeros(2, np.bool_)  # values below 0, and above
    for _ in range(STEPS):
        batch.rollout(7)
        batch.read()
        running = batch.players >= 0
        seen = batch.observations[running]
        nothing = np.zeros((len(seen), len(BOUNDED), 1))
        about = worths(boards, seen, nothing, nothing + EVERYTHING)
        found |= [((about > NEVER) & (about < 0.0)).any(), (about > 0.0).any()]
        floors = about + OFFSETS
        fallbacks = np.maximum(0.0, floors)
        exact = worths(boards, seen, fallbacks, np.full_like(floors, EVERYTHING))
        value = worths(boards, seen, fallbacks, floors)
        assert not np.where(exact > floors, value != exact, value > floors).any()
    assert INTERPRETED or found.all()
