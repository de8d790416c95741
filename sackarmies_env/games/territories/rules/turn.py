"""The turn and its steps: TR-T1, TR-T2, and the end of a turn."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.flow import (
    ask,
    clear_chain,
    clear_frames,
    extend_chain,
    get_data,
    push_frame,
    set_data,
    set_step,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.core.seats import next_left
from sackarmies_env.core.step_batch import is_over
from sackarmies_env.games.territories.rules.attack import can_attack, offer_attack_sources, open_attack
from sackarmies_env.games.territories.rules.exchange import can_exchange_at_all, open_exchange
from sackarmies_env.games.territories.rules.movement import FREE_MOVES, can_move, offer_cards_with, open_free_move
from sackarmies_env.games.territories.rules.reduce import run_penalty, run_reduction
from sackarmies_env.games.territories.rules.reinforce import open_reinforcement
from sackarmies_env.games.territories.rules.victory import dominates, eliminate_landless, end_game, truncate
from sackarmies_env.games.territories.state.actions import (
    DONE,
    DRAW,
    EXTRA_EXCHANGE,
    EXTRA_MOVE,
    FIRST_CARD,
    FIRST_TERRITORY,
    REINFORCE,
)
from sackarmies_env.games.territories.state.battle import clear_board
from sackarmies_env.games.territories.state.cards import can_draw, discard_card, draw_card
from sackarmies_env.games.territories.state.constants import (
    NO_UNIT,
    STANDARD_ACTIONS,
    Decision,
    Effect,
    Event,
    Frame,
    TurnStep,
    Unit,
)
from sackarmies_env.games.territories.state.events import log

ACTIONS_LEFT, LICENSE = 0, 2  # indices into the frame's numbers; LICENSE: 1 if a card allows an attack while barred


@njit
def begin_turn(params, state, player):
    """Begin the turn of a player: two standard actions, fewer in the first turn of the game (TR-T1, TR-T2).

    The first turn of the game counts as such, whoever takes it (TR-EV1, TR-Q52).
    """
    state.active = player
    state.turn += 1
    state.attacks = 0
    state.victories = 0
    state.barred = 0
    state.traded_in = NO_UNIT
    state.traded_out = NO_UNIT
    for territory in range(len(state.territory_safe)):
        state.territory_safe[territory] = 0
    log(state, Event.TURN, player, 0)
    push_frame(state, Frame.TURN, TurnStep.STANDARD)
    set_data(state, ACTIONS_LEFT, params.first_actions if state.turn == 1 else np.int64(STANDARD_ACTIONS))
    set_data(state, FREE_MOVES, 1)


@njit
def run_turn(params, state):
    """Run the current step of the turn (TR-T1)."""
    step = state.frame_step[state.frame_top]
    if step == TurnStep.STANDARD:
        run_standard(state)
    elif step == TurnStep.EXCHANGE:
        set_step(state, TurnStep.ATTACK)
        open_exchange(state, 1)
    elif step == TurnStep.ATTACK:
        run_attacks(params, state)
    elif step == TurnStep.MOVE:
        run_free_moves(params, state)
    elif step == TurnStep.REDUCE:
        run_reduction(state)
    elif step == TurnStep.PENALTY:
        run_penalty(params, state)
    else:
        end_turn(params, state)


# --- step 1: standard actions


@njit
def garrison_troops(state):
    """Return the number of troops in the active player's garrison."""
    return np.int64(state.garrison[np.int64(state.active), Unit.TROOP])


@njit
def has_cards(state):
    """Return whether the active player has any card, which is public; only then are they asked for one (TR-Q33)."""
    return state.hand_count[np.int64(state.active)] > 0


@njit
def run_standard(state):
    """Ask for a standard action, and after the last one for a card that places troops (TR-T2, TR-DP2).

    Each is asked for once the previous one is done (TR-Q5, TR-Q36).
    """
    if get_data(state, ACTIONS_LEFT) > 0 or (has_cards(state) and garrison_troops(state) > 0):
        ask(state, state.active, Decision.STANDARD)
    else:
        set_step(state, TurnStep.EXCHANGE)


@njit
def offer_standard(params, state):
    """Offer the standard actions that would have an effect (TR-T3 to TR-T6), and cards that place troops (TR-Q47)."""
    allow(state, DONE)
    if get_data(state, ACTIONS_LEFT) > 0:
        if garrison_troops(state) > 0:
            allow(state, REINFORCE)
        if can_draw(state):
            allow(state, DRAW)
        if can_move(params, state):
            allow(state, EXTRA_MOVE)
        if can_exchange_at_all(params, state):
            allow(state, EXTRA_EXCHANGE)
    if garrison_troops(state) > 0:
        offer_cards_with(params, state, Effect.PLACE_TROOPS)


@njit
def apply_standard(params, state, action):
    """Take a standard action, play a card that places troops, or go on to step 2 (TR-DP2, TR-EV2, TR-EV14)."""
    if action == DONE:
        set_step(state, TurnStep.EXCHANGE)
        return
    if action >= FIRST_CARD:
        discard_card(state, np.int64(state.active), action - FIRST_CARD)
        log(state, Event.CARD, state.active, action - FIRST_CARD)
        extend_chain(state, params.card_amount[action - FIRST_CARD])
        state.decision = Decision.PLACE_CARD
        return
    set_data(state, ACTIONS_LEFT, get_data(state, ACTIONS_LEFT) - 1)
    log(state, Event.STANDARD, state.active, action)
    if action == REINFORCE:
        open_reinforcement(state)
    elif action == DRAW:
        draw_card(state, np.int64(state.active))
    elif action == EXTRA_MOVE:
        open_free_move(state, 0)
    else:
        open_exchange(state, 0)


# --- step 3: attacks


@njit
def is_barred(state):
    """Return whether further attacks are barred and no card has lifted that (TR-F3, TR-Q25)."""
    return state.barred == 1 and get_data(state, LICENSE) == 0


@njit
def run_attacks(params, state):
    """Ask for an attack while more are possible; if barred, only after a victory and with cards (TR-A1, TR-DP6).

    No card lifts the limit on attacks per turn (TR-A6, TR-Q34).
    """
    possible = state.attacks < params.attacks_per_turn and can_attack(params, state)
    if possible and (not is_barred(state) or (state.victories > 0 and has_cards(state))):
        ask(state, state.active, Decision.ATTACK_SOURCE)
    else:
        set_step(state, TurnStep.MOVE)


@njit
def offer_attack_source(params, state):
    """Offer the sources of an attack, or while barred the card that lifts the bar (TR-DP6)."""
    allow(state, DONE)
    if is_barred(state):
        offer_cards_with(params, state, Effect.EXTRA_ATTACK)
    else:
        offer_attack_sources(params, state)


@njit
def apply_attack_source(state, action):
    """Begin an attack, play the card that lifts the bar, or go on to step 4 (TR-Card-10, TR-Q53)."""
    if action == DONE:
        set_data(state, LICENSE, 0)
        set_step(state, TurnStep.MOVE)
    elif action >= FIRST_CARD:
        discard_card(state, np.int64(state.active), action - FIRST_CARD)
        log(state, Event.CARD, state.active, action - FIRST_CARD)
        set_data(state, LICENSE, 1)
    else:
        set_data(state, LICENSE, 0)
        open_attack(state, action - FIRST_TERRITORY)


# --- step 4: the free move


@njit
def run_free_moves(params, state):
    """Begin the free move, or another one granted by a card (TR-G1, TR-DP17)."""
    left = get_data(state, FREE_MOVES)
    if left > 0 and (has_cards(state) or can_move(params, state)):
        set_data(state, FREE_MOVES, left - 1)
        open_free_move(state, 1)
    else:
        set_step(state, TurnStep.REDUCE)


# --- step 6: the end


@njit
def abandon_turn(state):
    """End the turn at once, whatever is under way, because the active player is out."""
    clear_frames(state)
    clear_chain(state)
    clear_board(state)
    push_frame(state, Frame.TURN, TurnStep.END)


@njit
def end_turn(params, state):
    """End the turn: check elimination, domination and the round limit, then begin the next turn (TR-G4 to TR-G7)."""
    eliminate_landless(params, state)
    if is_over(state):
        return
    player = np.int64(state.active)
    if state.alive[player] == 1 and dominates(params, state, player):
        end_game(state, player)
        return
    following = next_left(state.alive, params.num_players, player)
    if order_of(params, state, following) <= order_of(params, state, player):
        state.rounds += 1
    if state.rounds >= params.max_rounds:
        truncate(state)
        return
    clear_frames(state)
    begin_turn(params, state, following)


@njit
def order_of(params, state, player):
    """Return the place of a player in turn order (TR-Q45)."""
    return (np.int64(player) - np.int64(state.first_player)) % params.num_players
