"""The sequence of play: apply a decision, advance to the next one, and the kernels over many states."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import write_mask
from sackarmies_env.core.rng import seed_streams
from sackarmies_env.core.state import ERROR_NONE, ERROR_STUCK, NO_PLAYER
from sackarmies_env.games.sack_armies.activate import apply_effect_choice, apply_raise_hex, run_activate
from sackarmies_env.games.sack_armies.attack import (
    AttackStep,
    apply_advance,
    apply_ambush,
    apply_charge,
    apply_counter,
    apply_designation,
    is_attack_alive,
    run_attack,
)
from sackarmies_env.games.sack_armies.chance import shuffle_deck
from sackarmies_env.games.sack_armies.constants import Decision, Frame, Victory, Zone
from sackarmies_env.games.sack_armies.coordinate import apply_coord_member, apply_coord_target
from sackarmies_env.games.sack_armies.damage import apply_save, apply_save_slot
from sackarmies_env.games.sack_armies.deploy import (
    apply_deploy_hex,
    apply_deploy_type,
    apply_discard,
    run_deploy,
    run_draw,
)
from sackarmies_env.games.sack_armies.events import clear_log
from sackarmies_env.games.sack_armies.flow import (
    TurnStep,
    clear_act,
    clear_attack,
    clear_chain,
    drop_to_turn,
    push_frame,
)
from sackarmies_env.games.sack_armies.forget import clear_leftovers
from sackarmies_env.games.sack_armies.legal import refresh_legal
from sackarmies_env.games.sack_armies.mask import clear_legal, first_allowed
from sackarmies_env.games.sack_armies.setup import (
    SetupStep,
    apply_setup_hex,
    apply_setup_pick,
    apply_setup_type,
    run_setup,
)
from sackarmies_env.games.sack_armies.state import FRAME_DATA, MAX_FRAMES
from sackarmies_env.games.sack_armies.transfer import clear_rows
from sackarmies_env.games.sack_armies.turn import (
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
from sackarmies_env.games.sack_armies.victory import eliminate_player
from sackarmies_env.games.sack_armies.window import (
    apply_reveal_hex,
    apply_reveal_slot,
    apply_surprise_slot,
    apply_window,
    run_window,
)
from sackarmies_env.games.sack_armies.zones import first_token, rebuild, set_zone

# --- one state: begin


@njit
def clear_general(params, state, player):
    """Let `player` begin with nothing."""
    state.general_alive[player] = 1 if player < params.num_generals else 0
    state.general_drawn[player] = 0
    state.general_contending[player] = 0
    state.returns[player] = 0
    state.sack_told[player] = 0
    state.script_draws_end[player] = 0
    state.script_draws_used[player] = 0
    for i in range(state.script_draws.shape[1]):
        state.script_draws[player, i] = 0


@njit
def clear_records(state):
    """Forget frames and script."""
    state.frame_top = -1
    for i in range(MAX_FRAMES):
        state.frame_kind[i] = 0
        state.frame_step[i] = 0
        for j in range(FRAME_DATA):
            state.frame_data[i, j] = 0
    state.script_flips_end = 0
    state.script_flips_used = 0
    for i in range(len(state.script_flips)):
        state.script_flips[i] = 0


@njit
def clear_lists(state):
    """Wipe lists and scratch, so that equal games are equal to the byte, whatever was in the record before."""
    state.num_modifiers = 0
    state.num_ghosts = 0
    state.num_damages = 0
    clear_leftovers(state)


@njit
def clear_state(params, state):
    """Make an empty game of `state`: all Generals in play, no tokens, nothing under way."""
    state.current_player = NO_PLAYER
    state.turn = 0
    state.terminated = 0
    state.truncated = 0
    state.winner = NO_PLAYER
    state.error = ERROR_NONE
    state.decision = Decision.NONE
    state.active = NO_PLAYER
    state.victory_type = Victory.NONE
    state.last_progress_turn = 0
    state.stumbled = 0
    clear_lists(state)
    for player in range(len(state.general_alive)):
        clear_general(params, state, player)
    clear_records(state)
    clear_log(params, state)
    clear_chain(state)
    clear_attack(state)
    clear_act(state)
    clear_rows(state)
    clear_legal(state)
    rebuild(params, state)
    shuffle_deck(params, state)


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


@njit
def prepare_one(params, state, seed):
    """Lay out a new game, ready for Setup; a script of chance may be added before it advances (C-seed)."""
    clear_state(params, state)
    seed_streams(state, seed)
    fill_sacks(params, state)
    push_frame(state, Frame.SETUP, SetupStep.PICK)


@njit
def reset_one(params, state, seed):
    """Begin a new game and advance to its first decision."""
    prepare_one(params, state, seed)
    advance(params, state)


# --- one state: apply a decision


@njit
def apply_in_setup(params, state, action, decision):
    """Apply a choice of Setup, Draw or Deploy, or of the menu."""
    if decision == Decision.SETUP_PICK:
        apply_setup_pick(params, state, action)
    elif decision == Decision.SETUP_TYPE:
        apply_setup_type(params, state, action)
    elif decision == Decision.SETUP_HEX:
        apply_setup_hex(params, state, action)
    elif decision == Decision.MENU:
        apply_menu(params, state, action)
    elif decision == Decision.DISCARD:
        apply_discard(params, state, action)
    elif decision == Decision.DEPLOY_TYPE:
        apply_deploy_type(params, state, action)
    elif decision == Decision.DEPLOY_HEX:
        apply_deploy_hex(params, state, action)
    elif decision == Decision.REVEAL_HEX:
        apply_reveal_hex(params, state, action)
    else:
        apply_reveal_slot(params, state, action)


@njit
def apply_in_action(params, state, action, decision):
    """Apply a choice that begins an action."""
    if decision == Decision.MOVE_UNIT:
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
def apply_in_reaction(params, state, action, decision):
    """Apply a choice of an effect, a reaction or a combat."""
    if decision <= Decision.EFFECT_TYPE:
        apply_effect_choice(params, state, action, decision)
    elif decision == Decision.WINDOW:
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
    """Apply one legal action; a follow-up that it asks for stands in `state.decision`, else that is NONE."""
    decision = np.int64(state.decision)
    state.decision = Decision.NONE
    if decision <= Decision.REVEAL_SLOT:
        apply_in_setup(params, state, action, decision)
    elif decision <= Decision.CAST_SLOT:
        apply_in_action(params, state, action, decision)
    else:
        apply_in_reaction(params, state, action, decision)


# --- one state: advance


@njit
def run_frame(params, state):
    """Go on with the procedure on top of the stack; return whether a General must choose."""
    kind = state.frame_kind[state.frame_top]
    if kind == Frame.SETUP:
        return run_setup(params, state)
    if kind == Frame.TURN:
        return run_turn(params, state)
    if kind == Frame.DRAW:
        return run_draw(params, state)
    if kind == Frame.DEPLOY:
        return run_deploy(params, state)
    if kind == Frame.MOVE:
        return run_move(params, state)
    if kind == Frame.ATTACK:
        return run_attack(params, state)
    if kind == Frame.ACTIVATE:
        return run_activate(params, state)
    return run_window(params, state)


@njit
def is_over(state):
    """Return whether the game has ended or was cut off."""
    return state.terminated == 1 or state.truncated == 1


@njit
def is_activating(state):
    """Return whether a General who is still in the game is carrying out an activation."""
    return state.frame_kind[state.frame_top] == Frame.ACTIVATE and state.general_alive[state.act_player] == 1


@njit
def is_turn_cut_short(state):
    """Return whether the active General has been eliminated in the middle of their turn, which then ends (see Q-16).

    A surprise maneuver that has led to it is carried out to the end first, its retain flip included.
    """
    if state.active == NO_PLAYER or state.general_alive[state.active] == 1 or is_activating(state):
        return False
    return state.frame_top > 0 or state.frame_step[0] != TurnStep.END


@njit
def run_to_decision(params, state):
    """Run the procedures until somebody must choose or the game is over."""
    while not is_over(state) and state.decision == Decision.NONE:
        if is_turn_cut_short(state):
            drop_to_turn(state, TurnStep.END)
        run_frame(params, state)


@njit
def advance(params, state):
    """Advance to the next decision; forced ones are taken silently if so agreed (V-20, C-auto_forced)."""
    run_to_decision(params, state)
    refresh_legal(params, state)
    while params.auto_forced == 1 and state.num_legal == 1:
        apply(params, state, first_allowed(state))
        run_to_decision(params, state)
        refresh_legal(params, state)
    if not is_over(state) and state.num_legal == 0:
        state.error = ERROR_STUCK


@njit
def step_one(params, state, action):
    """Apply a legal `action`, then advance to the next decision or the end; a finished game stays as it is."""
    if is_over(state):
        return
    apply(params, state, action)
    advance(params, state)


@njit
def does_decision_stand(params, state, leaver):
    """Return whether what is asked in an attack or activation is still the question, now that `leaver` is gone."""
    kind = state.frame_kind[state.frame_top]
    if (kind != Frame.ATTACK and kind != Frame.ACTIVATE) or is_over(state) or state.current_player == leaver:
        return False
    if kind == Frame.ACTIVATE:
        return is_activating(state)
    before_damage = state.frame_step[state.frame_top] <= AttackStep.COUNTER_FLIPS
    return state.general_alive[state.active] == 1 and (not before_damage or is_attack_alive(params, state))


@njit
def retract_choice(state):
    """Take back what was being chosen but not announced; the procedure at hand asks anew."""
    clear_chain(state)
    if state.act_announced == 0:
        clear_act(state)
    if state.attack_announced == 0:
        clear_attack(state)
    state.decision = Decision.NONE


@njit
def forfeit_one(params, state, player):
    """Let `player` concede at any time, whoever is to act."""
    if is_over(state) or state.general_alive[player] == 0:
        return
    eliminate_player(params, state, player, Victory.CONCESSION)
    if not does_decision_stand(params, state, player):
        retract_choice(state)
    advance(params, state)


# --- many states


@njit
def reset_games(params, states, seeds):
    """Begin new games: params (1,), states (n,), seeds (n,) int64."""
    for i in range(len(states)):
        reset_one(params[0], states[i], seeds[i])


@njit
def prepare_games(params, states, seeds):
    """Lay out new games that have not advanced yet: write the script, then call `advance.resume_games`."""
    for i in range(len(states)):
        prepare_one(params[0], states[i], seeds[i])


@njit
def step_games(params, states, actions):
    """Apply one legal action each: actions (n,) int64."""
    for i in range(len(states)):
        step_one(params[0], states[i], np.int64(actions[i]))


@njit
def forfeit_games(params, states, players):
    """Let `players[i]` concede in `states[i]`; NO_PLAYER for nobody."""
    for i in range(len(states)):
        if players[i] != NO_PLAYER:
            forfeit_one(params[0], states[i], np.int64(players[i]))


@njit
def legal_games(params, states, action_mask):
    """Write the legal ids of each current player: action_mask (n, num_actions) int8."""
    for i in range(len(states)):
        write_mask(states[i], False, action_mask[i])


@njit
def has_lost(state, player):
    """Return whether `player` has been eliminated, and not together with all who were left."""
    return state.general_alive[player] == 0 and state.general_drawn[player] == 0


@njit
def final_gain(params, state, num_lost):
    """Return what each player who has not lost earns when the game is over: equal parts of what the others have lost.

    Under `win_only` a winner gets 1, and nobody anything else (Q-97).
    """
    if params.win_only == 1:
        return np.float64(state.winner != NO_PLAYER)
    others = np.float64(params.num_generals) - 1.0
    return np.float64(num_lost) / others / (np.float64(params.num_generals) - np.float64(num_lost))


@njit
def returns_one(params, state, out):
    """Write what each player has earned: the share of a loser at once, the gain of the others at the end (C-reward)."""
    num_lost = 0
    for player in range(params.num_generals):
        num_lost += np.int64(has_lost(state, player))
    loss = 0.0 if params.win_only == 1 else -1.0 / (np.float64(params.num_generals) - 1.0)
    gain = final_gain(params, state, num_lost) if is_over(state) else 0.0
    for player in range(params.num_generals):
        out[player] = np.float32(loss if has_lost(state, player) else gain)


@njit
def returns_games(params, states, out):
    """Write the returns so far: out (n, num_generals) float32."""
    for i in range(len(states)):
        returns_one(params[0], states[i], out[i])


@njit
def is_out(params, state, player):
    """Return whether the game is over for `player` by the rules: it has ended, or he is eliminated."""
    return state.terminated == 1 or state.general_alive[player] == 0


@njit
def terminations_games(params, states, out):
    """Write 1 for each player who is out of the game: out (n, num_generals) int8."""
    for i in range(len(states)):
        for player in range(np.int64(params[0].num_generals)):
            out[i, player] = is_out(params[0], states[i], player)
