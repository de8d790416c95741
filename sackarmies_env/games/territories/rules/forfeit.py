"""Forfeits: TR-G6."""

from __future__ import annotations

from sackarmies_env.core.flow import clear_chain
from sackarmies_env.core.jit import njit
from sackarmies_env.core.step_batch import is_over
from sackarmies_env.games.territories.rules.result import win_attack
from sackarmies_env.games.territories.rules.victory import eliminate
from sackarmies_env.games.territories.state.battle import clear_board, destroy_on_board, return_from_board
from sackarmies_env.games.territories.state.constants import ATTACKER, DEFENDER, NO_TERRITORY, Decision, Frame


@njit
def is_in_battle(state):
    """Return whether an attack is under way."""
    return state.frame_kind[state.frame_top] == Frame.BATTLE


@njit
def concede_battle(params, state, player):
    """End the battle of a player who forfeits: as defender they lose it, as attacker they lose their units (TR-G6)."""
    if player == state.active:
        destroy_on_board(state, ATTACKER)
        if state.target != NO_TERRITORY:
            return_from_board(state, DEFENDER)
        clear_board(state)
    elif player == state.defender:
        clear_chain(state)
        state.decision = Decision.NONE
        win_attack(params, state)


@njit
def forfeit_game(params, state, player):
    """Take a player out of the game, whoever is the current player (TR-G6, TR-Q51)."""
    if is_in_battle(state):
        concede_battle(params, state, player)
    if state.current_player == player or state.active == player:
        clear_chain(state)
        state.decision = Decision.NONE
    if state.alive[player] == 1 and not is_over(state):
        eliminate(params, state, player)
    if is_over(state) and is_in_battle(state) and state.source != NO_TERRITORY:  # nobody is left to be attacked
        clear_chain(state)
        return_from_board(state, ATTACKER)
        clear_board(state)
