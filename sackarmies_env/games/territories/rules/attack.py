"""Declaration of an attack and the answer to it: TR-A1 to TR-A6, TR-DP6, TR-DP7."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.flow import ask, clear_chain, extend_chain, pop_frame, push_frame, set_step
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.territories.rules.movement import offer_cards_with
from sackarmies_env.games.territories.rules.quantities import offer_quantities, offer_units, quantity_of
from sackarmies_env.games.territories.rules.result import win_attack
from sackarmies_env.games.territories.state.actions import DONE, FIRST_CARD, FIRST_TERRITORY, FIRST_UNIT
from sackarmies_env.games.territories.state.battle import (
    clear_board,
    dice_of,
    move_to_board,
    return_from_board,
    take_counters,
)
from sackarmies_env.games.territories.state.cards import discard_card
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    DEFENDER,
    MAX_ATTACKERS,
    MAX_TERRITORIES,
    NO_TERRITORY,
    ODDS,
    Decision,
    Effect,
    Event,
    Frame,
    Stage,
)
from sackarmies_env.games.territories.state.events import log, log_at
from sackarmies_env.games.territories.state.forces import total


@njit
def can_be_attacked(state, territory):
    """Return whether the active player may attack a territory: not their own, and not made safe by a card (TR-A2)."""
    return state.territory_owner[territory] != state.active and state.territory_safe[territory] == 0


@njit
def can_attack_from(params, state, territory):
    """Return whether a territory is the active player's and has a neighbor that can be attacked (TR-A2)."""
    if state.territory_owner[territory] != state.active:
        return False
    for border in range(params.neighbors.shape[1]):
        neighbor = np.int64(params.neighbors[territory, border])
        if neighbor != NO_TERRITORY and can_be_attacked(state, neighbor):
            return True
    return False


@njit
def can_attack(params, state):
    """Return whether the active player can declare any attack."""
    for territory in range(MAX_TERRITORIES):
        if can_attack_from(params, state, territory):
            return True
    return False


@njit
def offer_attack_sources(params, state):
    """Offer the territories that an attack can come from."""
    for territory in range(MAX_TERRITORIES):
        if can_attack_from(params, state, territory):
            allow(state, FIRST_TERRITORY + territory)


@njit
def open_attack(state, source):
    """Begin to declare an attack from a territory (TR-A2)."""
    push_frame(state, Frame.BATTLE, Stage.DECLARE)
    state.source = source
    state.decision = Decision.ATTACK_TARGET


@njit
def offer_attack_target(params, state):
    """Offer the neighbors of the source that can be attacked (TR-DP6)."""
    for border in range(params.neighbors.shape[1]):
        neighbor = np.int64(params.neighbors[state.source, border])
        if neighbor != NO_TERRITORY and can_be_attacked(state, neighbor):
            allow(state, FIRST_TERRITORY + neighbor)


@njit
def apply_attack_target(state, action):
    """Record the target."""
    state.target = action - FIRST_TERRITORY


# --- units of the attacker


@njit
def attackers_left(state):
    """Return how many more units can join the attack: at most ten, all from the source (TR-A2)."""
    return min(
        MAX_ATTACKERS - total(state.board_units[ATTACKER]),
        total(state.territory_units[state.source]),
    )


@njit
def run_declaration(params, state):
    """Ask for units until the attack is complete, then declare it."""
    if attackers_left(state) > 0:
        ask(state, state.active, Decision.ATTACK_UNIT)
    else:
        declare_attack(params, state)


@njit
def offer_attack_unit(state):
    """Offer the unit types in the source, and DONE once a unit has been named (TR-Q43, TR-DP6)."""
    if total(state.board_units[ATTACKER]) > 0:
        allow(state, DONE)
    offer_units(state, state.territory_units[state.source])


@njit
def apply_attack_unit(params, state, action):
    """Record the unit type, or declare the attack."""
    if action == DONE:
        declare_attack(params, state)
    else:
        extend_chain(state, action - FIRST_UNIT)
        state.decision = Decision.ATTACK_QUANTITY


@njit
def most_attackers(state):
    """Return how many units of the named type can join the attack."""
    available = np.int64(state.territory_units[state.source, np.int64(state.chain[0])])
    return min(available, attackers_left(state))


@njit
def offer_attack_quantity(state):
    """Offer the numbers of units of the named type that can attack (TR-DP6)."""
    offer_quantities(state, most_attackers(state))


@njit
def apply_attack_quantity(state, action):
    """Put units of the named type on the board."""
    count = quantity_of(action, most_attackers(state))
    unit = np.int64(state.chain[0])
    clear_chain(state)
    move_to_board(state, ATTACKER, unit, count)


@njit
def declare_attack(params, state):
    """Declare the attack; without a defender it is won at once (TR-A3, TR-Q30, TR-A6, TR-EV7)."""
    state.attacks += 1
    state.defender = state.territory_owner[state.target]
    take_counters(params, state, ATTACKER)
    log_at(state, Event.ATTACK, state.active, state.target, total(state.board_units[ATTACKER]))
    log_at(state, Event.SOURCE, state.active, state.source, dice_of(params, state.board_units[ATTACKER]))
    if state.defender == NO_PLAYER:
        win_attack(params, state)
    else:
        set_step(state, Stage.ANSWER)


# --- the answer


@njit
def run_answer(params, state):
    """Ask for defending units until the answer is complete (TR-A4, TR-Q44)."""
    if total(state.territory_units[state.target]) > 0:
        ask(state, state.defender, Decision.DEFENSE_UNIT)
    else:
        declare_defense(params, state)


@njit
def offer_defense_unit(params, state):
    """Offer the unit types in the target, DONE, and at first cards that cancel the attack (TR-DP7).

    The defender need not name any unit; once they have named one, no card is offered (TR-Q9, TR-Q35).
    """
    allow(state, DONE)
    offer_units(state, state.territory_units[state.target])
    if total(state.board_units[DEFENDER]) == 0:
        offer_cards_with(params, state, Effect.CANCEL_ATTACK)


@njit
def apply_defense_unit(params, state, action):
    """Record the unit type, declare the defense, or cancel the attack with a card."""
    if action == DONE:
        declare_defense(params, state)
    elif action >= FIRST_CARD:
        cancel_attack(state, action - FIRST_CARD)
    else:
        extend_chain(state, action - FIRST_UNIT)
        state.decision = Decision.DEFENSE_QUANTITY


@njit
def cancel_attack(state, kind):
    """Send the attackers back; the territory is safe for the rest of the turn (TR-EV8, TR-Card-9)."""
    discard_card(state, np.int64(state.defender), kind)
    log(state, Event.CARD, state.defender, kind)
    log_at(state, Event.CANCELLED, state.defender, state.target, 0)
    state.territory_safe[state.target] = 1
    return_from_board(state, ATTACKER)
    clear_board(state)
    pop_frame(state)


@njit
def offer_defense_quantity(state):
    """Offer the numbers of units of the named type that can defend."""
    offer_quantities(state, state.territory_units[state.target, np.int64(state.chain[0])])


@njit
def apply_defense_quantity(state, action):
    """Put units of the named type on the board."""
    unit = np.int64(state.chain[0])
    count = quantity_of(action, state.territory_units[state.target, unit])
    clear_chain(state)
    move_to_board(state, DEFENDER, unit, count)


@njit
def declare_defense(params, state):
    """Declare the defense; five attacker dice per defender die win at once (TR-A5, TR-Q8, TR-EV9, TR-EV10)."""
    take_counters(params, state, DEFENDER)
    log(state, Event.DEFENSE, state.defender, total(state.board_units[DEFENDER]))
    attackers = dice_of(params, state.board_units[ATTACKER])
    if attackers >= ODDS * dice_of(params, state.board_units[DEFENDER]):
        log(state, Event.OVERRUN, state.active, attackers)
        win_attack(params, state)
    else:
        set_step(state, Stage.ATTACK_ROLL)
