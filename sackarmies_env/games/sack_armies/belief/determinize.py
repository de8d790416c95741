"""Determinization: a full state that is consistent with what one General knows (V-01 to V-23)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.chance import clear_forced
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow, clear_legal
from sackarmies_env.core.rng import below, next_draw_word, next_flip_word, seed_streams
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.belief.decision import erase_passes, hide_choice
from sackarmies_env.games.sack_armies.belief.erase import erase_hidden, exchange, hidden_tokens
from sackarmies_env.games.sack_armies.belief.plausible import fits_place, is_hidden, may_be
from sackarmies_env.games.sack_armies.belief.sample import resample_army, sample_army
from sackarmies_env.games.sack_armies.play.legal import refresh_legal
from sackarmies_env.games.sack_armies.rules.damage import can_be_saved, is_instance_lethal
from sackarmies_env.games.sack_armies.rules.stats import effective_armor, refresh_stats
from sackarmies_env.games.sack_armies.state.constants import Decision, FlipMethod, Verb
from sackarmies_env.games.sack_armies.state.flow import TurnStep, drop_to_turn
from sackarmies_env.games.sack_armies.state.scratch import clear_leftovers
from sackarmies_env.games.sack_armies.state.zones import (
    controller_of,
    first_token,
    is_face_up,
    owner_of,
    type_of,
)

NUM_SAMPLES = 30  # samples of an army tried for one that leaves its General a choice, before one is changed to do so

# --- future chance


@njit
def clear_forced_results(params, state):
    """Clear the remaining forced results; a flip method that uses only forced flips gets others."""
    clear_forced(state.script_draws, state.script_draws_end, state.script_draws_used)
    clear_forced(state.script_flips, state.script_flips_end, state.script_flips_used)
    if params.flip_method == FlipMethod.SCRIPTED:
        state.script_flips_end[0] = state.script_flips.shape[1]
        for i in range(state.script_flips.shape[1]):
            state.script_flips[0, i] = np.int64(next_flip_word(state) & np.uint64(1))


# --- what others are in the middle of


@njit
def lock_hidden_armor(params, state, viewer):
    """Set the locked armor of damaged units that `viewer` does not know to the armor that they have now."""
    for i in range(state.num_damages):
        unit = np.int64(state.damage_target[i])
        if state.token_owner[unit] != viewer and is_hidden(state, unit):
            state.damage_armor[i] = effective_armor(params, state, unit)


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
    """Offer the current player the actions that they would have if the sample were true."""
    refresh_legal(params, state)
    if state.decision == Decision.SAVE and not may_save(params, state):
        clear_legal(state)
        allow(state, np.int64(Verb.PASS))


# --- all of it


@njit
def has_choice(params, state, viewer):
    """Return whether the current player has a choice in the sample as it is now."""
    lock_hidden_armor(params, state, viewer)
    renew_choice(params, state)
    return state.num_legal > 0


@njit
def find_choice(params, state, viewer):
    """Change one hidden token of the current player, or exchange two, to give them a choice; return whether it did."""
    player = state.current_player
    pool = hidden_tokens(state, player)
    while pool != NO_BITS:
        token = first_token(params, player) + lowest_bit(pool)
        pool = without_lowest(pool)
        if params.open_army_lists == 1 or state.token_seen[token] > 0:
            if exchange_for_choice(params, state, viewer, token):
                return True
        elif change_for_choice(params, state, viewer, token):
            return True
    return False


@njit
def change_for_choice(params, state, viewer, token):
    """Change the hidden `token` to a type that gives its General a choice; return whether there is one."""
    type_id = type_of(state, token)
    offset = below(next_draw_word(state), params.num_types)
    for i in range(params.num_types):
        state.token_type[token] = (offset + i) % params.num_types
        if fits_place(params, state, token, type_of(state, token), 0, True) and has_choice(params, state, viewer):
            return True
    state.token_type[token] = type_id
    return False


@njit
def exchange_for_choice(params, state, viewer, token):
    """Exchange the hidden `token` for one that gives its General a choice; return whether there is one."""
    rest = hidden_tokens(state, owner_of(state, token))
    while rest != NO_BITS:
        other = first_token(params, owner_of(state, token)) + lowest_bit(rest)
        rest = without_lowest(rest)
        if may_be(params, state, token, other) and may_be(params, state, other, token):
            exchange(state, token, other)
            if has_choice(params, state, viewer):
                return True
            exchange(state, token, other)
    return False


@njit
def leave_no_choice(params, state):
    """Have the current player, with no choice in any sample tried, save nobody or be out by conceding, see R8.0-3."""
    if state.decision == Decision.SAVE_SLOT:
        state.decision = Decision.SAVE
        renew_choice(params, state)
    else:
        drop_to_turn(state, TurnStep.MENU)
        state.decision = Decision.MENU
        clear_legal(state)
        allow(state, np.int64(Verb.CONCEDE))


@njit
def let_choose(params, state, viewer):
    """Resample until the current player has a choice, as they have in truth."""
    if has_choice(params, state, viewer):
        return
    for _ in range(NUM_SAMPLES):
        resample_army(params, state, state.current_player)
        if has_choice(params, state, viewer):
            return
    if not find_choice(params, state, viewer):
        leave_no_choice(params, state)


@njit
def determinize_game(params, state, viewer, seed):
    """Replace all that `viewer` does not know by something possible, future chance included (V-22)."""
    current = state.current_player
    is_others_choice = current != NO_PLAYER and current != viewer
    seed_streams(state, seed)
    state.decisions = 0  # how many decisions others have made is hidden
    if is_others_choice:
        hide_choice(params, state)
    erase_passes(state)
    erase_hidden(params, state, viewer)
    for player in range(params.num_generals):
        if player != viewer and player != current:
            sample_army(params, state, np.int64(player))
    if is_others_choice:
        sample_army(params, state, current)
    clear_forced_results(params, state)
    lock_hidden_armor(params, state, viewer)
    if is_others_choice:
        let_choose(params, state, viewer)
    clear_leftovers(state)
    refresh_stats(params, state)


@njit
def determinize_games(params, states, players, seeds):
    """Resample in place all that is hidden from each player, consistent with what they know.

    What they see stays the same to the byte, and so do their legal actions if they are the current player. Hidden
    tokens are sampled as `sample` describes, and rows are reassigned. If another player is the current one, the game
    goes back to the first decision that they may have been asked, as `decision` describes. States that a player cannot
    tell apart become the same, to the byte, with the same seed.

    Args:
        params: (1,) PARAMS_DTYPE.
        states: (n,) states, overwritten.
        players: (n,) int64, seats.
        seeds: (n,) int64; equal seeds give equal results.
    """
    for i in range(len(states)):
        determinize_game(params[0], states[i], np.int64(players[i]), seeds[i])
