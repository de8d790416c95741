"""Legal ids: for each decision, what the current player may choose."""

from __future__ import annotations

from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import clear_legal
from sackarmies_env.games.territories.rules.attack import (
    offer_attack_quantity,
    offer_attack_target,
    offer_attack_unit,
    offer_defense_quantity,
    offer_defense_unit,
)
from sackarmies_env.games.territories.rules.battle_cards import offer_card, offer_counter
from sackarmies_env.games.territories.rules.damage import (
    offer_extra_loss,
    offer_extra_loss_unit,
    offer_loss,
    offer_order,
)
from sackarmies_env.games.territories.rules.exchange import offer_exchange, offer_trade_in, offer_trade_out
from sackarmies_env.games.territories.rules.movement import (
    offer_move_quantity,
    offer_move_source,
    offer_move_target,
    offer_move_unit,
)
from sackarmies_env.games.territories.rules.reduce import offer_penalty, offer_reduction
from sackarmies_env.games.territories.rules.reinforce import (
    offer_own_territories,
    offer_reinforcement,
    offer_reinforcement_quantity,
)
from sackarmies_env.games.territories.rules.rolling import offer_one, offer_trade_down, offer_two
from sackarmies_env.games.territories.rules.skirmishes import offer_pair, offer_reserve_loss, offer_skirmishes
from sackarmies_env.games.territories.rules.turn import offer_attack_source, offer_standard
from sackarmies_env.games.territories.state.constants import Decision


@njit
def refresh_legal(params, state):
    """Write the legal ids of the current decision; none if nothing is asked."""
    clear_legal(state)
    decision = state.decision
    if decision < Decision.ATTACK_SOURCE:
        offer_before_attacks(params, state, decision)
    elif decision < Decision.ONE:
        offer_declaration(params, state, decision)
    elif decision < Decision.MOVE_SOURCE:
        offer_in_battle(params, state, decision)
    else:
        offer_after_attacks(params, state, decision)


@njit
def offer_before_attacks(params, state, decision):
    """Offer the choices of the set-up and of steps 1 and 2."""
    if decision == Decision.STANDARD:
        offer_standard(params, state)
    elif decision == Decision.REINFORCE:
        offer_reinforcement(state)
    elif decision == Decision.REINFORCE_QUANTITY:
        offer_reinforcement_quantity(state)
    elif decision == Decision.TRADE_IN:
        offer_trade_in(params, state)
    elif decision == Decision.TRADE_OUT:
        offer_trade_out(params, state)
    elif decision == Decision.EXCHANGE:
        offer_exchange(params, state)
    elif decision != Decision.NONE:  # PLACE, PLACE_CARD
        offer_own_territories(state)


@njit
def offer_declaration(params, state, decision):
    """Offer the choices of an attack's declaration and of the answer."""
    if decision == Decision.ATTACK_SOURCE:
        offer_attack_source(params, state)
    elif decision == Decision.ATTACK_TARGET:
        offer_attack_target(params, state)
    elif decision == Decision.ATTACK_UNIT:
        offer_attack_unit(state)
    elif decision == Decision.ATTACK_QUANTITY:
        offer_attack_quantity(state)
    elif decision == Decision.DEFENSE_UNIT:
        offer_defense_unit(params, state)
    else:
        offer_defense_quantity(state)


@njit
def offer_in_battle(params, state, decision):
    """Offer the choices on the battle board."""
    if decision == Decision.ONE:
        offer_one(state)
    elif decision == Decision.TWO:
        offer_two(state)
    elif decision == Decision.TRADE_DOWN:
        offer_trade_down(state)
    elif decision == Decision.PAIR:
        offer_pair(state)
    elif decision == Decision.RESERVE_LOSS:
        offer_reserve_loss(state)
    elif decision == Decision.COUNTER:
        offer_counter(state)
    elif decision == Decision.CARD:
        offer_card(params, state)
    elif decision == Decision.ORDER:
        offer_order(state)
    elif decision == Decision.LOSS or decision == Decision.ROUT:
        offer_loss(state)
    elif decision == Decision.EXTRA_LOSS:
        offer_extra_loss(state)
    elif decision == Decision.EXTRA_LOSS_UNIT:
        offer_extra_loss_unit(state)
    else:  # EXTRA_DIE, COUNTER_SKIRMISH, CARD_SKIRMISH
        offer_skirmishes(state)


@njit
def offer_after_attacks(params, state, decision):
    """Offer the choices of moves and of steps 4 and 5."""
    if decision == Decision.MOVE_SOURCE:
        offer_move_source(params, state)
    elif decision == Decision.MOVE_TARGET:
        offer_move_target(params, state)
    elif decision == Decision.MOVE_UNIT:
        offer_move_unit(state)
    elif decision == Decision.MOVE_QUANTITY:
        offer_move_quantity(state)
    elif decision == Decision.REDUCE:
        offer_reduction(state)
    else:
        offer_penalty(state)
