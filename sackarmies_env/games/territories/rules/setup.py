"""Set-up: the deal of territories, and the troops that each player adds (TR-DP1)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.flow import ask, get_data, pop_frame, set_data, set_step
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import below, next_draw_word
from sackarmies_env.core.seats import next_left
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.territories.rules.turn import begin_turn
from sackarmies_env.games.territories.state.actions import FIRST_TERRITORY
from sackarmies_env.games.territories.state.constants import Decision, Event
from sackarmies_env.games.territories.state.events import log_at
from sackarmies_env.games.territories.state.forces import place_troops


class SetupStep(IntEnum):
    """Steps of the set-up; its frame counts the placements so far."""

    DEAL = 0
    PLACE = 1


@njit
def undealt(params, state, index):
    """Return the territory at `index` among those that are not dealt yet."""
    place = np.int64(0)
    while True:
        territory = np.int64(params.territories[place])
        if state.territory_owner[territory] == NO_PLAYER:
            if index == 0:
                return territory
            index -= 1
        place += 1


@njit
def deal(params, state):
    """Draw the first player, then deal territories one by one; the rest stay uncontrolled."""
    state.first_player = below(next_draw_word(state), params.num_players)
    for dealt in range(params.dealt * params.num_players):
        territory = undealt(params, state, below(next_draw_word(state), params.num_territories - dealt))
        player = (np.int64(state.first_player) + dealt) % params.num_players
        state.territory_owner[territory] = player
        place_troops(state, player, territory, params.dealt_troops)


@njit
def run_setup(params, state):
    """Deal, ask the players in turn to place their troops, then begin the first turn."""
    if state.frame_step[state.frame_top] == SetupStep.DEAL:
        deal(params, state)
        set_step(state, SetupStep.PLACE)
        return
    placed = get_data(state, 0)
    while placed < params.placements * params.num_players:
        player = (np.int64(state.first_player) + placed) % params.num_players
        if state.alive[player] == 1:
            ask(state, player, Decision.PLACE)
            return
        placed += 1
        set_data(state, 0, placed)
    pop_frame(state)
    first = np.int64(state.first_player)
    if state.alive[first] == 0:
        first = next_left(state.alive, params.num_players, first)
    begin_turn(params, state, first)


@njit
def apply_placement(params, state, action):
    """Put the troops of one placement into a territory (TR-DP1, TR-EV3)."""
    player = np.int64(state.current_player)
    place_troops(state, player, action - FIRST_TERRITORY, params.placed_troops)
    log_at(state, Event.PLACEMENT, player, action - FIRST_TERRITORY, params.placed_troops)
    set_data(state, 0, get_data(state, 0) + 1)
