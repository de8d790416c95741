"""Elimination, domination, truncation and returns: TR-G4 to TR-G8."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.seats import count_left, next_left
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import is_over
from sackarmies_env.games.territories.state.cards import discard_hand
from sackarmies_env.games.territories.state.constants import Decision, Event
from sackarmies_env.games.territories.state.events import log
from sackarmies_env.games.territories.state.forces import clear_territory, num_controlled, value_on_map


@njit
def end_game(state, winner):
    """End the game with a winner (TR-G5, TR-EV22)."""
    state.terminated = 1
    state.winner = winner
    state.current_player = NO_PLAYER
    state.decision = Decision.NONE
    log(state, Event.OVER, winner, 0)


@njit
def eliminate(params, state, player):
    """Take a player out of the game: units to the garrison, the hand openly to the discards (TR-G4, TR-G6, TR-EV21)."""
    for territory in range(len(state.territory_owner)):
        if state.territory_owner[territory] == player:
            clear_territory(state, territory)
    state.alive[player] = 0
    log(state, Event.OUT, player, 0)
    discard_hand(state, player)
    if count_left(state.alive, params.num_players) == 1:
        end_game(state, next_left(state.alive, params.num_players, player))


@njit
def eliminate_landless(params, state):
    """Eliminate every player who no longer controls a territory (TR-G4)."""
    for player in range(params.num_players):
        if not is_over(state) and state.alive[player] == 1 and num_controlled(state, player) == 0:
            eliminate(params, state, player)


@njit
def dominates(params, state, player):
    """Return whether a player controls enough territories to win at the end of a turn (TR-G5)."""
    return params.domination > 0 and num_controlled(state, player) >= params.domination


@njit
def truncate(state):
    """End the game after its last round (TR-G7, TR-EV22)."""
    state.truncated = 1
    state.current_player = NO_PLAYER
    state.decision = Decision.NONE
    log(state, Event.OVER, NO_PLAYER, 1)


# --- returns


@njit
def ranks_below(params, state, player, other):
    """Return whether `player` ranks below `other`: fewer territories, then less exchange value on the map (TR-G7)."""
    difference = num_controlled(state, player) - num_controlled(state, other)
    if difference != 0:
        return difference < 0
    return value_on_map(params, state, player) < value_on_map(params, state, other)


@njit
def is_at_the_top(params, state, player):
    """Return whether a player is in play and nobody ranks above them: the winner, or a leader of a truncated game."""
    if state.alive[player] == 0:
        return False
    if state.terminated == 1:
        return state.winner == player
    for other in range(params.num_players):
        if state.alive[other] == 1 and ranks_below(params, state, player, other):
            return False
    return True


@njit
def write_returns(params, state, out):
    """Write what each player has earned: those at the top share what the others have lost (TR-G8, TR-Q39)."""
    loss_of_one = 1.0 / (np.float64(params.num_players) - 1.0)
    num_out, num_top = np.int64(0), np.int64(0)
    for player in range(params.num_players):
        num_out += np.int64(state.alive[player] == 0)
        num_top += np.int64(is_over(state) and is_at_the_top(params, state, player))
    num_rest = params.num_players - num_out - num_top
    rest_loses = 1.0 - np.float64(num_out) * loss_of_one if num_rest > 0 else 0.0
    lost = np.float64(num_out) * loss_of_one + rest_loses
    for player in range(params.num_players):
        if state.alive[player] == 0:
            out[player] = np.float32(-loss_of_one)
        elif not is_over(state):
            out[player] = np.float32(0.0)
        elif is_at_the_top(params, state, player):
            out[player] = np.float32(lost / np.float64(num_top))
        else:
            out[player] = np.float32(-rest_loses / np.float64(num_rest))
