"""Duel: a small game of hidden cards, which shows that adapters and checks depend on no rules.

Each of two to six players has three secret cards, worth 1 to 4, and two lives. In turn, players play a card and name an
opponent. A card that beats that opponent's best card costs the opponent a life; a lower one costs the player a life.
The card played is shown to all and replaced by a secret draw. A player without lives is eliminated, and the last one
left wins. After `max_turns` turns the game is truncated.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from sackarmies_env.core.actions import ActionSpace, numbered_segment
from sackarmies_env.core.chance import (
    NO_RESULT,
    ForcedKind,
    chance_fields,
    clear_forced,
    next_forced,
    sample_worlds,
)
from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow, clear_legal, make_layout
from sackarmies_env.core.observation import Block, Feature, ObservationSpec
from sackarmies_env.core.rng import below, next_draw_word
from sackarmies_env.core.seats import count_left, next_left, share_losses
from sackarmies_env.core.state import COUNT, NO_PLAYER, SEAT, Role, alloc, array, record_dtype, scalar
from sackarmies_env.core.step_batch import Rules, is_over, run_commands

NUM_CARDS = 4  # values 1 to 4: the first ids
MAX_PLAYERS = 6
HAND = 3
LIVES = 2
MAX_DRAWS = 16
NO_CARD = 0
CARDS = {f"card_{value}": value for value in range(1, NUM_CARDS + 1)}

PARAMS_DTYPE = record_dtype([("num_players", np.int64), ("max_turns", np.int64)])
STATE = make_layout(
    NUM_CARDS + MAX_PLAYERS,
    MAX_PLAYERS,
    array("cards", np.int8, (SEAT, HAND), COUNT, "values", role=Role.HIDDEN),
    array("lives", np.int8, (SEAT,), COUNT, "left; 0: eliminated"),
    scalar("pending", COUNT, "card chosen by the current player, before the opponent is named", role=Role.HIDDEN),
    scalar("shown", COUNT, "card played last"),
    *chance_fields("draws", SEAT, MAX_DRAWS, np.int8, COUNT, "cards that are drawn first"),
)


# --- rules


@njit
def draw(state, player):
    """Return a new card of `player`: the next forced one, or a random one."""
    card = next_forced(state.script_draws, state.script_draws_end, state.script_draws_used, player)
    return 1 + below(next_draw_word(state), NUM_CARDS) if card == NO_RESULT else card


@njit
def end_turn(params, state):
    """Pass to the next player, or end the game."""
    player = np.int64(state.current_player)
    state.pending = NO_CARD
    if count_left(state.lives, params.num_players) == 1:
        state.terminated = 1
        state.winner = next_left(state.lives, params.num_players, player)
        state.current_player = NO_PLAYER
    elif state.turn >= params.max_turns:
        state.truncated = 1
        state.current_player = NO_PLAYER
    else:
        state.turn += 1
        state.current_player = next_left(state.lives, params.num_players, player)


@njit
def fight(params, state, target):
    """Compare the pending card with the best one of `target`, and replace the pending card."""
    player, card, best, slot = np.int64(state.current_player), np.int64(state.pending), np.int64(0), np.int64(0)
    for i in range(HAND):
        best = max(best, np.int64(state.cards[target, i]))
        if state.cards[player, i] == card:
            slot = np.int64(i)
    if card > best:
        state.lives[target] -= 1
    elif card < best:
        state.lives[player] -= 1
    state.cards[player, slot] = draw(state, player)
    state.shown = card
    end_turn(params, state)


@njit
def offer(params, state):
    """Make the cards in hand legal, or the opponents to name."""
    clear_legal(state)
    if state.pending == NO_CARD:
        for i in range(HAND):
            allow(state, np.int64(state.cards[state.current_player, i]) - 1)
    else:
        for player in range(params.num_players):
            if player != state.current_player and state.lives[player] > 0:
                allow(state, NUM_CARDS + player)


@njit
def sort_hand(state, player):
    """Sort the cards of a player."""
    for i in range(HAND):
        for j in range(i):
            card, earlier = np.int64(state.cards[player, i]), np.int64(state.cards[player, j])
            state.cards[player, i] = max(card, earlier)
            state.cards[player, j] = min(card, earlier)


# --- what core.step_batch needs


@njit
def step(params, state, action):
    """Play a card, or name an opponent; an only opponent is named automatically."""
    if action >= NUM_CARDS:
        fight(params, state, action - NUM_CARDS)
    else:
        state.pending = action + 1
        if count_left(state.lives, params.num_players) == 2:
            fight(params, state, next_left(state.lives, params.num_players, state.current_player))


@njit
def resume(params, state):
    """Deal the cards of a game that has not begun."""
    if state.turn == 0:
        for player in range(params.num_players):
            for slot in range(HAND):
                state.cards[player, slot] = draw(state, player)
        state.turn, state.current_player = 1, 0
    if state.truncated == 1:
        state.pending = NO_CARD


@njit
def forfeit(params, state, player):
    """Take all lives of a player."""
    state.lives[player] = 0
    if count_left(state.lives, params.num_players) == 1 or state.current_player == player:
        end_turn(params, state)


@njit
def observe(params, state, viewer, out):
    """Write the viewer's own cards, what everyone sees, and all lives, the viewer's first."""
    for value in range(NUM_CARDS):
        out[value] = 0
    for slot in range(HAND):
        out[state.cards[viewer, slot] - 1] += 1
    out[NUM_CARDS] = state.pending if state.current_player == viewer else NO_CARD
    out[NUM_CARDS + 1] = state.shown
    out[NUM_CARDS + 2] = (max(np.int64(state.current_player), 0) - viewer) % params.num_players
    for i in range(params.num_players):
        out[NUM_CARDS + 3 + i] = state.lives[(viewer + i) % params.num_players]


@njit
def returns(params, state, out):
    """Write the losses of eliminated players, and at the end what the others gain from them."""
    share_losses(state.lives, params.num_players, is_over(state), out)


@njit
def is_eliminated(params, state, player):
    """Return whether a player has no life left."""
    return state.lives[player] == 0


RULES = Rules(step, resume, forfeit, observe, returns, is_eliminated, offer)


@njit
def step_batch(params, states, commands, slots, action_masks, packed_masks, observations, results):  # noqa: PLR0917 - contract
    """Run commands; the contract is that of `core.step_batch`."""
    run_commands(RULES, params, states, commands, slots, action_masks, packed_masks, observations, results)


@njit
def sample_hidden(params, state, viewer):
    """Redeal the cards of the others and take back a card that another player has chosen."""
    sort_hand(state, viewer)  # nobody sees its order
    clear_forced(state.script_draws, state.script_draws_end, state.script_draws_used)
    for player in range(params.num_players):
        for slot in range(HAND):
            if player != viewer:
                state.cards[player, slot] = 1 + below(next_draw_word(state), NUM_CARDS)
    if state.current_player != viewer:
        state.pending = NO_CARD  # nobody else knows whether a card has been chosen already
    if not is_over(state):
        offer(params, state)


@njit
def determinize(params, states, players, seeds):
    """Sample worlds; the contract is that of `Game`."""
    sample_worlds(sample_hidden, params, states, players, seeds)


# --- the game


def initial_state(num_players: int, states: Any) -> None:
    """Give every player their lives; the cards are dealt when the game begins."""
    states["lives"][0, :num_players] = LIVES


def make_spec(num_players: int) -> ObservationSpec:
    """Return the layout of observations."""
    own = tuple(Feature(f"card_{value}", 0, HAND, "cards of this value in hand") for value in range(1, NUM_CARDS + 1))
    table = (
        Feature("pending", 0, NUM_CARDS, "own card chosen, 0 for none"),
        Feature("shown", 0, NUM_CARDS, "card played last"),
        Feature("to_act", 0, num_players - 1, "seats from self to the current player"),
    )
    return ObservationSpec(
        [
            Block("hand", 1, own, "own cards"),
            Block("table", 1, table, "what all see"),
            Block("players", num_players, (Feature("lives", 0, LIVES, "lives left"),), "self first"),
        ]
    )


def make_duel(num_players: int = 2, max_turns: int = 60) -> Game:
    """Build the game for 2 to 6 players."""
    params = alloc(PARAMS_DTYPE, 1)
    params["num_players"] = num_players
    params["max_turns"] = max_turns
    return Game(
        id="duel",
        num_players=num_players,
        actions=ActionSpace(
            [numbered_segment("card", NUM_CARDS, first=1), numbered_segment("player", num_players)],
            advice="write a card such as 'card 1', or an opponent such as 'player 0'",
        ),
        state_layout=STATE,
        observation_spec=make_spec(num_players),
        params=params,
        config={"num_players": num_players, "max_turns": max_turns},
        build=make_duel,
        step_batch=step_batch,
        initial_state=functools.partial(initial_state, num_players),
        forced_kinds=(ForcedKind("draws", (CARDS,) * num_players),),
        determinize_batch=determinize,
        describe_decision=lambda states: "OPPONENT" if states["pending"][0] else "CARD",
        zero_sum=True,
    )
