"""Decisions of the greedy agent: each kind of decision has its own rule."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.compiled import list_legal
from sackarmies_agents.scripted.territories.attacks import (
    attack_quantity,
    choose_attack_unit,
    choose_defense_unit,
    choose_source,
    choose_target,
    defense_quantity,
)
from sackarmies_agents.scripted.territories.battle import (
    cheapest,
    choose_card,
    choose_card_skirmish,
    choose_counter_skirmish,
    choose_extra_die,
    choose_extra_loss,
    choose_order,
    choose_pair,
    choose_two,
    largest_counter,
)
from sackarmies_agents.scripted.territories.board import look, read_board
from sackarmies_agents.scripted.territories.turn import (
    choose_discard,
    choose_exchange,
    choose_move_source,
    choose_move_target,
    choose_move_unit,
    choose_penalty,
    choose_place,
    choose_standard,
    choose_trade_in,
    choose_trade_out,
    troops_for,
    units_to_move,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.games.territories.state.actions import ALL, FIRST_QUANTITY
from sackarmies_env.games.territories.state.constants import MAX_QUANTITY, Decision
from sackarmies_env.games.territories.state.layout import Global

NUM_PLACED = 3  # troops per placement in the set-up


@njit
def quantity_id(board, wanted):
    """Return the legal id of a quantity, or the one nearest to it."""
    if wanted > MAX_QUANTITY and board.legal[board.num_legal - 1] == ALL:
        most = board.legal[board.num_legal - 2]
        return most if most == FIRST_QUANTITY + MAX_QUANTITY - 1 else np.int64(ALL)
    last = FIRST_QUANTITY + min(max(wanted, np.int64(1)), np.int64(MAX_QUANTITY)) - 1
    choice = board.legal[0]
    for i in range(board.num_legal):
        if board.legal[i] <= last:
            choice = board.legal[i]
    return choice


@njit
def choose_before_attacks(board, seen, decision):
    """Choose in the set-up and in steps 1 and 2."""
    read_board(board, seen)
    if decision == Decision.PLACE:
        return choose_place(board, np.int64(NUM_PLACED), board.w_setup_pile)
    if decision == Decision.STANDARD:
        return choose_standard(board, seen)
    if decision == Decision.REINFORCE:
        return choose_place(board, look(seen, Global.NUMBER_0), board.w_pile)
    if decision == Decision.REINFORCE_QUANTITY:
        return quantity_id(board, troops_for(board, look(seen, Global.CHAIN)))
    if decision == Decision.PLACE_CARD:
        return choose_place(board, look(seen, Global.CHAIN), board.w_pile)
    if decision == Decision.TRADE_IN:
        return choose_trade_in(board)
    if decision == Decision.TRADE_OUT:
        return choose_trade_out(board)
    return choose_exchange(board, seen)


@njit
def choose_declaration(board, seen, decision):
    """Choose in the declaration of an attack and the answer to it."""
    read_board(board, seen)
    if decision == Decision.ATTACK_SOURCE:
        return choose_source(board)
    if decision == Decision.ATTACK_TARGET:
        return choose_target(board, look(seen, Global.SOURCE))
    if decision == Decision.ATTACK_UNIT:
        return choose_attack_unit(board, seen)
    if decision == Decision.ATTACK_QUANTITY:
        return quantity_id(board, attack_quantity(board, seen))
    if decision == Decision.DEFENSE_UNIT:
        return choose_defense_unit(board, seen)
    return quantity_id(board, defense_quantity(board, seen))


@njit
def choose_in_battle(board, seen, decision):
    """Choose on the battle board; losses are of the cheapest type, except that a rout takes the enemy's dearest."""
    if decision == Decision.TWO:
        return choose_two(board, seen)
    if decision == Decision.PAIR:
        return choose_pair(board, seen)
    if decision == Decision.EXTRA_DIE:
        return choose_extra_die(board, seen)
    if decision == Decision.COUNTER:
        return largest_counter(board)
    if decision == Decision.COUNTER_SKIRMISH:
        return choose_counter_skirmish(board, seen)
    if decision == Decision.CARD:
        return choose_card(board, seen)
    if decision == Decision.CARD_SKIRMISH:
        return choose_card_skirmish(board, seen)
    if decision == Decision.ORDER:
        return choose_order(board, seen)
    if decision == Decision.ROUT:
        return board.legal[board.num_legal - 1]
    if decision == Decision.EXTRA_LOSS:
        return choose_extra_loss(board)
    return cheapest(board)


@njit
def choose_after_attacks(board, seen, decision):
    """Choose in moves and in steps 4 and 5."""
    read_board(board, seen)
    if decision == Decision.MOVE_SOURCE:
        return choose_move_source(board, seen)
    if decision == Decision.MOVE_TARGET:
        return choose_move_target(board, seen)
    if decision == Decision.MOVE_UNIT:
        return choose_move_unit(board, seen)
    if decision == Decision.MOVE_QUANTITY:
        return quantity_id(board, units_to_move(board, seen))
    if decision == Decision.REDUCE:
        return choose_discard(board)
    return choose_penalty(board)


@njit
def choose(board, seen, mask):
    """Return the best legal id."""
    list_legal(board, mask)
    if board.num_legal == 1:
        return board.legal[0]
    decision = look(seen, Global.DECISION)
    if decision < Decision.ATTACK_SOURCE:
        return choose_before_attacks(board, seen, decision)
    if decision < Decision.ONE:
        return choose_declaration(board, seen, decision)
    if decision < Decision.MOVE_SOURCE:
        return choose_in_battle(board, seen, decision)
    return choose_after_attacks(board, seen, decision)


@njit
def choose_batch(boards, observations, masks, actions):
    """Choose for many games.

    Args:
        boards: (1,) BOARD_DTYPE, scratch.
        observations: (n, size) int8.
        masks: (n, num_actions) int8, each row with at least one 1.
        actions: (n,) int64, overwritten.
    """
    for i in range(len(observations)):
        actions[i] = choose(boards[0], observations[i], masks[i])
