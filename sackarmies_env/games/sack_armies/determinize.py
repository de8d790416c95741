"""Determinize: from what one General knows to a full state that may be the true one (digest section 6)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import ALL_BITS
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import next_flip_word, seed_streams
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.constants import Decision, FlipMethod, Frame, Verb
from sackarmies_env.games.sack_armies.damage import can_be_saved, is_instance_lethal
from sackarmies_env.games.sack_armies.deploy import DEPLOYED
from sackarmies_env.games.sack_armies.flow import clear_act, clear_attack, clear_chain, get_data, pop_frame
from sackarmies_env.games.sack_armies.guess import guess_army, recall
from sackarmies_env.games.sack_armies.legal import refresh_legal
from sackarmies_env.games.sack_armies.mask import allow, clear_legal
from sackarmies_env.games.sack_armies.plausible import is_hidden
from sackarmies_env.games.sack_armies.stats import effective_armor
from sackarmies_env.games.sack_armies.turn import MOVED
from sackarmies_env.games.sack_armies.zones import controller_of, is_face_up

GUESSES = 30  # at an army that leaves its General a choice, before the true one is taken

# --- future chance


@njit
def forget_script(params, state):
    """Forget what chance was forced to bring; a method that knows only forced flips gets others."""
    for player in range(len(state.script_draws_end)):
        state.script_draws_end[player] = 0
        state.script_draws_used[player] = 0
    if params.flip_method == FlipMethod.SCRIPTED:
        for i in range(state.script_flips_used, state.script_flips_end):
            state.script_flips[i] = np.int64(next_flip_word(state) & np.uint64(1))
    else:
        state.script_flips_end = 0
        state.script_flips_used = 0


# --- what others are in the middle of


@njit
def lock_hidden_armor(params, state, viewer):
    """Let damage to units that `viewer` does not know meet the armor that they have now."""
    for i in range(state.num_damages):
        unit = np.int64(state.damage_target[i])
        if state.token_owner[unit] != viewer and is_hidden(params, state, unit):
            state.damage_armor[i] = effective_armor(params, state, unit)


@njit
def return_to(state, decision, has_begun):
    """Ask again for the next part of an action, or for the action itself if nothing of it is public yet."""
    if has_begun:
        state.decision = decision
    else:
        pop_frame(state)
        state.decision = Decision.MENU


@njit
def retract_choice(state):
    """Take back the unannounced part of the current player's choice: nobody else can know it."""
    kind = state.frame_kind[state.frame_top]
    if state.decision == Decision.DISCARD:
        return
    clear_chain(state)
    if state.attack_announced == 0:
        clear_attack(state)
    if state.act_announced == 0:
        clear_act(state)
    if kind == Frame.TURN:
        state.decision = Decision.MENU
    elif kind == Frame.DEPLOY:
        return_to(state, Decision.DEPLOY_TYPE, get_data(state, DEPLOYED) > 0)
    elif kind == Frame.MOVE:
        return_to(state, Decision.MOVE_UNIT, get_data(state, MOVED) > 0)
    elif kind == Frame.WINDOW:
        state.decision = Decision.WINDOW
    elif state.decision == Decision.SETUP_HEX:
        state.decision = Decision.SETUP_TYPE


@njit
def may_save(params, state):
    """Return whether the current player, who is asked for a save, still has a unit to save."""
    for i in range(state.num_damages):
        unit = np.int64(state.damage_target[i])
        if (
            state.damage_scatter[i] == 1
            and state.damage_saved[i] == 0
            and not is_face_up(state, unit)
            and is_instance_lethal(params, state, i)
            and can_be_saved(params, state, i)
        ):
            return controller_of(state, unit) == state.current_player
    return False


@njit
def renew_choice(params, state):
    """Offer the current player what he could do if the guess were true."""
    refresh_legal(params, state)
    if state.decision == Decision.SAVE and not may_save(params, state):
        clear_legal(state)
        allow(state, np.int64(Verb.PASS))


# --- all of it


@njit
def let_choose(params, state, viewer):
    """Let the current player choose in a guess where he has something to choose, as he has in truth."""
    player = np.int64(state.current_player)
    retract_choice(state)
    renew_choice(params, state)
    for attempt in range(GUESSES + 1):
        if state.num_legal > 0:
            return
        recall(params, state, player, ALL_BITS)
        if attempt < GUESSES:
            guess_army(params, state, player)
        lock_hidden_armor(params, state, viewer)
        renew_choice(params, state)


@njit
def determinize_game(params, state, viewer, seed):
    """Replace what `viewer` does not know by something else that he may believe, future chance included (V-22)."""
    current = np.int64(state.current_player)
    seed_streams(state, seed)
    for player in range(params.num_generals):
        if player != viewer and player != current:
            guess_army(params, state, np.int64(player))
    is_others_choice = current != NO_PLAYER and current != viewer
    if is_others_choice:
        guess_army(params, state, current)
    lock_hidden_armor(params, state, viewer)
    forget_script(params, state)
    if is_others_choice:
        let_choose(params, state, viewer)


@njit
def determinize_games(params, states, players, seeds):
    """Resample in place all that is hidden from each player, consistent with what he knows.

    What he sees stays the same to the byte, and so do his legal actions if he is to act. Tokens keep their places,
    also in a sack whose size is not public; what hidden ones are is guessed as `guess` says. If somebody else is to
    act, his unannounced partial choice is taken back.

    Args:
        params: (1,) PARAMS_DTYPE.
        states: (n,) states, overwritten.
        players: (n,) int64, seats.
        seeds: (n,) int64; equal seeds give equal results.
    """
    for i in range(len(states)):
        determinize_game(params[0], states[i], np.int64(players[i]), seeds[i])
