"""The sequence of play: apply a decision, and advance to the next one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.flow import clear_chain
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import first_allowed
from sackarmies_env.core.state import ERROR_STUCK, NO_PLAYER
from sackarmies_env.core.step_batch import is_over
from sackarmies_env.games.territories.play.legal import refresh_legal
from sackarmies_env.games.territories.rules.attack import (
    apply_attack_quantity,
    apply_attack_target,
    apply_attack_unit,
    apply_defense_quantity,
    apply_defense_unit,
    run_answer,
    run_declaration,
)
from sackarmies_env.games.territories.rules.battle_cards import (
    apply_card,
    apply_card_skirmish,
    apply_counter,
    apply_counter_skirmish,
    run_cards,
    run_counters,
)
from sackarmies_env.games.territories.rules.damage import (
    apply_extra_loss,
    apply_extra_loss_unit,
    apply_loss,
    apply_order,
    apply_rout,
    run_loss,
    run_order,
    run_pursuit,
)
from sackarmies_env.games.territories.rules.exchange import apply_exchange, apply_trade_in, run_exchange
from sackarmies_env.games.territories.rules.forfeit import forfeit_game
from sackarmies_env.games.territories.rules.movement import (
    apply_move_quantity,
    apply_move_source,
    apply_move_target,
    apply_move_unit,
    run_move,
)
from sackarmies_env.games.territories.rules.reduce import apply_penalty, apply_reduction
from sackarmies_env.games.territories.rules.reinforce import (
    apply_card_placement,
    apply_reinforcement,
    apply_reinforcement_quantity,
    run_reinforcement,
)
from sackarmies_env.games.territories.rules.rolling import (
    apply_one,
    apply_trade_down,
    apply_two,
    roll,
    run_ones,
    run_twos,
)
from sackarmies_env.games.territories.rules.setup import SetupStep, apply_placement, run_setup
from sackarmies_env.games.territories.rules.skirmishes import (
    apply_extra_die,
    apply_pair,
    apply_reserve_loss,
    run_extra_dice,
    run_pairing,
    run_reserve,
)
from sackarmies_env.games.territories.rules.turn import (
    abandon_turn,
    apply_attack_source,
    apply_standard,
    run_turn,
)
from sackarmies_env.games.territories.state.actions import FIRST_UNIT
from sackarmies_env.games.territories.state.constants import Decision, Frame, Stage, TurnStep
from sackarmies_env.games.territories.state.record import STATE

Array = NDArray[Any]

# --- apply a decision


@njit
def apply(params, state, action):
    """Apply one legal action; `state.decision` is then the follow-up decision, or NONE."""
    decision = state.decision
    state.decision = Decision.NONE
    if decision < Decision.ATTACK_SOURCE:
        apply_before_attacks(params, state, action, decision)
    elif decision < Decision.ONE:
        apply_declaration(params, state, action, decision)
    elif decision < Decision.MOVE_SOURCE:
        apply_in_battle(params, state, action, decision)
    else:
        apply_after_attacks(params, state, action, decision)


@njit
def apply_before_attacks(params, state, action, decision):
    """Apply a choice of the set-up and of steps 1 and 2."""
    if decision == Decision.PLACE:
        apply_placement(params, state, action)
    elif decision == Decision.STANDARD:
        apply_standard(params, state, action)
    elif decision == Decision.REINFORCE:
        apply_reinforcement(state, action)
    elif decision == Decision.REINFORCE_QUANTITY:
        apply_reinforcement_quantity(state, action)
    elif decision == Decision.PLACE_CARD:
        apply_card_placement(state, action)
    elif decision == Decision.TRADE_IN:
        apply_trade_in(params, state, action)
    elif decision == Decision.TRADE_OUT:
        state.traded_out = action - FIRST_UNIT
    else:
        apply_exchange(params, state, action)


@njit
def apply_declaration(params, state, action, decision):
    """Apply a choice of an attack's declaration or of the answer."""
    if decision == Decision.ATTACK_SOURCE:
        apply_attack_source(state, action)
    elif decision == Decision.ATTACK_TARGET:
        apply_attack_target(state, action)
    elif decision == Decision.ATTACK_UNIT:
        apply_attack_unit(params, state, action)
    elif decision == Decision.ATTACK_QUANTITY:
        apply_attack_quantity(state, action)
    elif decision == Decision.DEFENSE_UNIT:
        apply_defense_unit(params, state, action)
    else:
        apply_defense_quantity(state, action)


@njit
def apply_in_battle(params, state, action, decision):
    """Apply a choice on the battle board."""
    if decision == Decision.ONE:
        apply_one(state, action)
    elif decision == Decision.TWO:
        apply_two(state, action)
    elif decision == Decision.TRADE_DOWN:
        apply_trade_down(state, action)
    elif decision == Decision.PAIR:
        apply_pair(state, action)
    elif decision == Decision.RESERVE_LOSS:
        apply_reserve_loss(state, action)
    elif decision == Decision.EXTRA_DIE:
        apply_extra_die(params, state, action)
    elif decision == Decision.COUNTER:
        apply_counter(state, action)
    elif decision == Decision.COUNTER_SKIRMISH:
        apply_counter_skirmish(state, action)
    elif decision == Decision.CARD:
        apply_card(params, state, action)
    elif decision == Decision.CARD_SKIRMISH:
        apply_card_skirmish(params, state, action)
    elif decision == Decision.ORDER:
        apply_order(params, state, action)
    elif decision == Decision.LOSS:
        apply_loss(params, state, action)
    elif decision == Decision.ROUT:
        apply_rout(state, action)
    elif decision == Decision.EXTRA_LOSS:
        apply_extra_loss(state, action)
    else:
        apply_extra_loss_unit(params, state, action)


@njit
def apply_after_attacks(params, state, action, decision):
    """Apply a choice of a move or of steps 4 and 5."""
    if decision == Decision.MOVE_SOURCE:
        apply_move_source(state, action)
    elif decision == Decision.MOVE_TARGET:
        apply_move_target(state, action)
    elif decision == Decision.MOVE_UNIT:
        apply_move_unit(state, action)
    elif decision == Decision.MOVE_QUANTITY:
        apply_move_quantity(state, action)
    elif decision == Decision.REDUCE:
        apply_reduction(params, state, action)
    else:
        apply_penalty(state, action)


# --- advance


@njit
def run_frame(params, state):
    """Run the procedure on top of the stack up to its next step or decision."""
    kind = state.frame_kind[state.frame_top]
    if kind == Frame.SETUP:
        run_setup(params, state)
    elif kind == Frame.TURN:
        run_turn(params, state)
    elif kind == Frame.REINFORCE:
        run_reinforcement(state)
    elif kind == Frame.EXCHANGE:
        run_exchange(params, state)
    elif kind == Frame.MOVE:
        run_move(state)
    else:
        run_battle(params, state)


@njit
def run_battle(params, state):
    """Run the current stage of the attack (TR-A2 to TR-F5)."""
    stage = state.frame_step[state.frame_top]
    if stage == Stage.DECLARE:
        run_declaration(params, state)
    elif stage == Stage.ANSWER:
        run_answer(params, state)
    elif stage == Stage.ATTACK_ROLL or stage == Stage.DEFENSE_ROLL:
        roll(params, state)
    elif stage == Stage.ATTACK_ONES or stage == Stage.DEFENSE_ONES:
        run_ones(params, state)
    elif stage == Stage.ATTACK_TWOS or stage == Stage.DEFENSE_TWOS:
        run_twos(params, state)
    elif stage == Stage.PAIRING:
        run_pairing(state)
    elif stage == Stage.RESERVE:
        run_reserve(state)
    elif stage == Stage.EXTRA_DICE:
        run_extra_dice(state)
    elif stage == Stage.ATTACK_COUNTERS or stage == Stage.DEFENSE_COUNTERS:
        run_counters(state)
    elif stage == Stage.ATTACK_CARDS or stage == Stage.DEFENSE_CARDS:
        run_cards(state)
    elif stage == Stage.ORDER:
        run_order(params, state)
    elif stage == Stage.LOSS:
        run_loss(state)
    else:
        run_pursuit(params, state)


@njit
def is_turn_over(state):
    """Return whether the active player has been eliminated, so that the turn ends at once (TR-G4, TR-G6)."""
    if state.active == NO_PLAYER or state.alive[state.active] == 1:
        return False
    return state.frame_top > 0 or state.frame_step[0] != TurnStep.END


@njit
def run_to_decision(params, state):
    """Run the procedures until a player must decide or the game is over."""
    while not is_over(state) and state.decision == Decision.NONE:
        if is_turn_over(state):
            abandon_turn(state)
        run_frame(params, state)


@njit
def tells_of_cards(state):
    """Return whether the options depend on the current player's cards; such a decision is never taken silently.

    Others can see whether a player is asked, which must not tell them what they cannot know (TR-Q33).
    """
    decision = state.decision
    if decision == Decision.REDUCE:
        return state.hand_count[np.int64(state.current_player)] > 1
    if state.hand_count[np.int64(state.current_player)] == 0:
        return False
    if decision == Decision.MOVE_SOURCE:
        return state.frame_kind[state.frame_top] == Frame.MOVE and state.frame_data[state.frame_top, 0] == 1
    return decision == Decision.STANDARD or decision == Decision.ATTACK_SOURCE or decision == Decision.CARD


@njit
def resume(params, state):
    """Advance to the next decision; those with one option are taken silently unless `tells_of_cards`."""
    if state.truncated == 1:
        state.decision = Decision.NONE
        clear_chain(state)
        return
    run_to_decision(params, state)
    refresh_legal(params, state)
    while state.num_legal == 1 and not tells_of_cards(state):
        apply(params, state, first_allowed(state))
        run_to_decision(params, state)
        refresh_legal(params, state)
    if not is_over(state) and state.num_legal == 0:
        state.error = ERROR_STUCK


@njit
def step_one(params, state, action):
    """Apply a legal `action`, then advance to the next decision or the end."""
    apply(params, state, action)
    resume(params, state)


@njit
def forfeit_one(params, state, player):
    """Apply the forfeit of `player`, whoever is the current player, then advance (TR-G6)."""
    forfeit_game(params, state, player)
    resume(params, state)


@njit
def is_eliminated(params, state, player):
    """Return whether `player` is out of the game, which may go on without them."""
    return state.alive[player] == 0


# --- the initial state


def write_initial(params: Array, states: Array) -> None:
    """Overwrite `states[0]` with a new game before its set-up: full garrisons and a full deck."""
    STATE.clear(states[:1])
    players = int(params["num_players"][0])
    states["alive"][0, :players] = 1
    states["garrison"][0, :players] = params["garrison"][0]
    states["deck"][0] = params["card_copies"][0]
    states["deck_count"] = params["card_copies"][0].sum()
    states["frame_top"] = 0
    states["frame_kind"][0, 0] = Frame.SETUP
    states["frame_step"][0, 0] = SetupStep.DEAL
