"""The sequence of play: begin a game, apply a decision, advance to the next one, and find what players have earned."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.bits import has_bit
from sackarmies_env.core.flow import clear_chain, push_frame
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import first_allowed
from sackarmies_env.core.state import ERROR_STUCK, NO_PLAYER
from sackarmies_env.core.step_batch import is_over
from sackarmies_env.games.sack_armies.play.legal import refresh_legal
from sackarmies_env.games.sack_armies.rules.activate import apply_effect_choice, apply_raise_hex, run_activate
from sackarmies_env.games.sack_armies.rules.attack import (
    AttackStep,
    apply_advance,
    apply_ambush,
    apply_charge,
    apply_counter,
    apply_designation,
    is_attack_alive,
    is_choice_left,
    run_attack,
)
from sackarmies_env.games.sack_armies.rules.coordinate import apply_coord_member, apply_coord_target
from sackarmies_env.games.sack_armies.rules.damage import apply_save, apply_save_slot
from sackarmies_env.games.sack_armies.rules.deploy import (
    apply_deploy_hex,
    apply_deploy_type,
    apply_discard,
    run_deploy,
    run_draw,
)
from sackarmies_env.games.sack_armies.rules.movement import reveal_in_sight
from sackarmies_env.games.sack_armies.rules.setup import (
    SetupStep,
    apply_setup_hex,
    apply_setup_pick,
    apply_setup_type,
    run_setup,
)
from sackarmies_env.games.sack_armies.rules.stats import refresh_stats
from sackarmies_env.games.sack_armies.rules.turn import (
    apply_cast_slot,
    apply_menu,
    apply_move_to,
    apply_move_unit,
    apply_raise_type,
    apply_source,
    apply_target,
    apply_token_host,
    apply_token_slot,
    run_move,
    run_turn,
)
from sackarmies_env.games.sack_armies.rules.victory import eliminate_player
from sackarmies_env.games.sack_armies.rules.window import (
    apply_reveal_hex,
    apply_reveal_slot,
    apply_surprise_slot,
    apply_window,
    run_window,
)
from sackarmies_env.games.sack_armies.state.chance import shuffle_deck
from sackarmies_env.games.sack_armies.state.constants import (
    ACTION_DECISIONS,
    EFFECT_DECISIONS,
    SETUP_DECISIONS,
    Decision,
    Frame,
    Victory,
    Zone,
)
from sackarmies_env.games.sack_armies.state.flow import TurnStep, drop_to_turn, is_in_window, retract_choice
from sackarmies_env.games.sack_armies.state.record import clear_states
from sackarmies_env.games.sack_armies.state.zones import first_token, rebuild, set_zone

Array = NDArray[Any]

# --- one state: begin


@njit
def fill_sacks(params, state):
    """Put every army into its General's sack (R2.0-1, R3.1-1, R4.2-1)."""
    for player in range(params.num_generals):
        start = first_token(params, player)
        for i in range(params.army_size[player]):
            token = start + i
            state.token_type[token] = params.army_type[player, i]
            state.token_owner[token] = player
            state.token_controller[token] = player
            set_zone(state, token, Zone.SACK)
        state.sack_count[player] = params.army_size[player]


# --- one state: apply a decision


@njit
def apply_in_setup(params, state, action, decision):
    """Apply a choice of Setup, Draw or Deploy."""
    if decision == Decision.SETUP_PICK:
        apply_setup_pick(params, state, action)
    elif decision == Decision.SETUP_TYPE:
        apply_setup_type(params, state, action)
    elif decision == Decision.SETUP_HEX:
        apply_setup_hex(params, state, action)
    elif decision == Decision.DISCARD:
        apply_discard(params, state, action)
    elif decision == Decision.DEPLOY_TYPE:
        apply_deploy_type(params, state, action)
    else:
        apply_deploy_hex(params, state, action)


@njit
def apply_in_action(params, state, action, decision):
    """Apply a choice that begins an action or a free reveal."""
    if decision == Decision.MENU:
        apply_menu(params, state, action)
    elif decision == Decision.REVEAL_HEX:
        apply_reveal_hex(params, state, action)
    elif decision == Decision.REVEAL_SLOT:
        apply_reveal_slot(params, state, action)
    elif decision == Decision.MOVE_UNIT:
        apply_move_unit(params, state, action)
    elif decision == Decision.MOVE_TO:
        apply_move_to(params, state, action)
    elif decision == Decision.SOURCE or decision == Decision.CAST_HOST:
        apply_source(params, state, action)
    elif decision == Decision.TARGET:
        apply_target(params, state, action)
    elif decision == Decision.COORD_TARGET:
        apply_coord_target(params, state, action)
    elif decision == Decision.COORD_MEMBER:
        apply_coord_member(params, state, action)
    elif decision == Decision.CHARGE_TO:
        apply_charge(params, state, action)
    elif decision == Decision.TOKEN_HOST:
        apply_token_host(params, state, action)
    elif decision == Decision.TOKEN_SLOT:
        apply_token_slot(params, state, action)
    elif decision == Decision.RAISE_TYPE:
        apply_raise_type(params, state, action)
    elif decision == Decision.RAISE_HEX:
        apply_raise_hex(params, state, action)
    else:
        apply_cast_slot(params, state, action)


@njit
def apply_in_combat(params, state, action, decision):
    """Apply a reaction, or a choice during combat."""
    if decision == Decision.WINDOW:
        apply_window(params, state, action)
    elif decision == Decision.SURPRISE_SLOT:
        apply_surprise_slot(params, state, action)
    elif decision == Decision.AMBUSH:
        apply_ambush(params, state, action)
    elif decision == Decision.COUNTER:
        apply_counter(state, action)
    elif decision == Decision.DESIGNATE:
        apply_designation(params, state, action)
    elif decision == Decision.ADVANCE:
        apply_advance(params, state, action)
    elif decision == Decision.SAVE:
        apply_save(params, state, action)
    else:
        apply_save_slot(params, state, action)


@njit
def apply(params, state, action):
    """Apply one legal action; then `state.decision` is the follow-up that it asks for, or NONE."""
    decision = state.decision
    state.decision = Decision.NONE
    if has_bit(SETUP_DECISIONS, decision):
        apply_in_setup(params, state, action, decision)
    elif has_bit(ACTION_DECISIONS, decision):
        apply_in_action(params, state, action, decision)
    elif has_bit(EFFECT_DECISIONS, decision):
        apply_effect_choice(params, state, action, decision)
    else:
        apply_in_combat(params, state, action, decision)


# --- one state: advance


@njit
def run_frame(params, state):
    """Advance the procedure on top of the stack to its next step or decision."""
    kind = state.frame_kind[state.frame_top]
    if kind == Frame.SETUP:
        run_setup(params, state)
    elif kind == Frame.TURN:
        run_turn(params, state)
    elif kind == Frame.DRAW:
        run_draw(params, state)
    elif kind == Frame.DEPLOY:
        run_deploy(params, state)
    elif kind == Frame.MOVE:
        run_move(params, state)
    elif kind == Frame.ATTACK:
        run_attack(params, state)
    elif kind == Frame.ACTIVATE:
        run_activate(params, state)
    else:
        run_window(params, state)


@njit
def is_activating(state):
    """Return whether a General who is still in the game is carrying out an activation."""
    return state.frame_kind[state.frame_top] == Frame.ACTIVATE and state.general_alive[state.act_player] == 1


@njit
def is_turn_cut_short(state):
    """Return whether the active General has been eliminated in the middle of their turn, which then ends (see Q-16).

    A surprise maneuver that has led to it is carried out to the end first, including its retain flip.
    """
    if state.active == NO_PLAYER or state.general_alive[state.active] == 1 or is_activating(state):
        return False
    return state.frame_top > 0 or state.frame_step[0] != TurnStep.END


@njit
def run_to_decision(params, state):
    """Run the procedures until a General must choose or the game is over."""
    while not is_over(state) and state.decision == Decision.NONE:
        if is_turn_cut_short(state):
            reveal_in_sight(params, state)  # a unit that was revealed in the attack may see others
            drop_to_turn(state, TurnStep.END)
        run_frame(params, state)


@njit
def abandon(state):
    """Abandon what was under way in a game that has been truncated in the middle of a turn or of Setup."""
    if state.active == NO_PLAYER:
        state.decision = Decision.NONE
        clear_chain(state)
    else:
        drop_to_turn(state, TurnStep.END)


@njit
def advance(params, state, takes_forced):
    """Advance to the next decision; with the switch, forced ones are taken silently (V-20, C-auto_forced)."""
    run_to_decision(params, state)
    refresh_stats(params, state)
    refresh_legal(params, state)
    while takes_forced and params.auto_forced == 1 and state.num_legal == 1:
        apply(params, state, first_allowed(state))
        run_to_decision(params, state)
        refresh_stats(params, state)
        refresh_legal(params, state)
    if not is_over(state) and state.num_legal == 0:
        state.error = ERROR_STUCK


@njit
def resume(params, state):
    """Advance a state from outside to its next decision; one that is asked already stays as it is.

    A sample may stand at a decision with one legal id: it goes back to what a General may have been asked.
    """
    if state.truncated == 1:
        abandon(state)
    advance(params, state, state.decision == Decision.NONE)


@njit
def step_one(params, state, action):
    """Apply a legal `action`, then advance to the next decision or the end."""
    apply(params, state, action)
    advance(params, state, True)


@njit
def does_decision_stand(params, state, leaver):
    """Return whether the decision asked in an attack or activation still stands, now that `leaver` is gone."""
    kind = state.frame_kind[state.frame_top]
    if (kind != Frame.ATTACK and kind != Frame.ACTIVATE) or is_over(state) or state.current_player == leaver:
        return False
    if kind == Frame.ACTIVATE:
        return is_activating(state)
    before_damage = state.frame_step[state.frame_top] <= AttackStep.COUNTER_FLIPS
    if state.general_alive[state.active] == 0 or (before_damage and not is_attack_alive(state)):
        return False
    return is_choice_left(params, state)


@njit
def forfeit_one(params, state, player):
    """Have `player` concede at any time, no matter who the current player is."""
    eliminate_player(params, state, player, Victory.CONCESSION)
    if is_in_window(state):
        state.window_heard = params.num_generals  # those who passed before this public event have still passed
    if not does_decision_stand(params, state, player):
        retract_choice(state)
        state.decision = Decision.NONE  # the procedure on top of the stack asks again
    advance(params, state, True)


# --- one state: what players have earned


@njit
def has_lost(state, player):
    """Return whether `player` has been eliminated, and not together with all who were left."""
    return state.general_alive[player] == 0 and state.general_drawn[player] == 0


@njit
def final_gain(params, state, num_lost):
    """Return what each player who has not lost earns when the game is over: equal shares of what the others have lost.

    Under `win_only` a winner gets 1, and there are no other gains (Q-97).
    """
    if params.win_only == 1:
        return np.float64(state.winner != NO_PLAYER)
    others = np.float64(params.num_generals) - 1.0
    return np.float64(num_lost) / others / (np.float64(params.num_generals) - np.float64(num_lost))


@njit
def returns_one(params, state, out):
    """Write what each player has earned: the loss of a loser at once, the gain of the others at the end (C-reward)."""
    num_lost = 0
    for player in range(params.num_generals):
        num_lost += np.int64(has_lost(state, player))
    loss = 0.0 if params.win_only == 1 else -1.0 / (np.float64(params.num_generals) - 1.0)
    gain = final_gain(params, state, num_lost) if is_over(state) else 0.0
    for player in range(params.num_generals):
        out[player] = np.float32(loss if has_lost(state, player) else gain)


@njit
def is_eliminated(params, state, player):
    """Return whether `player` is out of a game, which may go on."""
    return state.general_alive[player] == 0


# --- the state that games begin as


@njit
def prepare(params, state):
    """Make an empty record a new game, with armies in their sacks and Setup to come (C-seed)."""
    for player in range(params.num_generals):
        state.general_alive[player] = 1
    rebuild(params, state)
    shuffle_deck(params, state)
    fill_sacks(params, state)
    push_frame(state, Frame.SETUP, SetupStep.PICK)


def write_initial(params: Array, states: Array) -> None:
    """Overwrite `states[0]` with a new game."""
    clear_states(states[:1])
    prepare(params[0], states[0])
