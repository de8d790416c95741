"""The result of a battle: TR-F1 to TR-F4."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.flow import pop_frame
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import is_over
from sackarmies_env.games.territories.rules.movement import open_occupation
from sackarmies_env.games.territories.rules.victory import eliminate_landless
from sackarmies_env.games.territories.state.battle import (
    clear_board,
    destroy_on_board,
    return_from_board,
)
from sackarmies_env.games.territories.state.constants import ATTACKER, DEFENDER, Event
from sackarmies_env.games.territories.state.events import log_at
from sackarmies_env.games.territories.state.forces import clear_territory, total, update_control


@njit
def win_attack(params, state):
    """End a battle that the attacker has won: all defenders are destroyed, and the attacker may move in (TR-F4).

    A player left without territory is out before the attacker moves in (TR-Q50, TR-EV17).
    """
    source, target = np.int64(state.source), np.int64(state.target)
    state.victories += 1
    log_at(state, Event.VICTORY, state.active, target, state.barred)
    if state.defender != NO_PLAYER:
        destroy_on_board(state, DEFENDER)
        clear_territory(state, target)
    return_from_board(state, ATTACKER)
    clear_board(state)
    pop_frame(state)
    eliminate_landless(params, state)
    if not is_over(state):
        open_occupation(state, source, target)


@njit
def lose_attack(params, state):
    """End a battle that the attacker has lost: further attacks are barred, surviving units return (TR-F3, TR-EV17)."""
    source, target = np.int64(state.source), np.int64(state.target)
    state.barred = 1
    log_at(state, Event.VICTORY, state.defender, target, 1)
    return_from_board(state, ATTACKER)
    return_from_board(state, DEFENDER)
    update_control(state, source)
    clear_board(state)
    pop_frame(state)
    eliminate_landless(params, state)


@njit
def decide_battle(params, state):
    """End a battle in favor of the side with more units on the board; the defender wins ties (TR-F2, TR-Q18)."""
    if total(state.board_units[ATTACKER]) > total(state.board_units[DEFENDER]):
        win_attack(params, state)
    else:
        lose_attack(params, state)


@njit
def lose_board(params, state, side):
    """End a battle in which a side has no units left on the board (TR-F1, TR-Q28)."""
    if side == ATTACKER:
        lose_attack(params, state)
    else:
        win_attack(params, state)
