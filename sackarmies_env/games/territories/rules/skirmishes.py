"""Formation of skirmishes: TR-C1 to TR-C5, TR-DP9 to TR-DP11."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.flow import ask, get_data, set_data, set_step
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.territories.rules.quantities import offer_units
from sackarmies_env.games.territories.rules.result import lose_attack
from sackarmies_env.games.territories.state.actions import FIRST_DIE, FIRST_SKIRMISH, FIRST_UNIT
from sackarmies_env.games.territories.state.battle import destroy_on_board, highest_die, num_dice
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    DEFENDER,
    NUM_FACES,
    STACK,
    Decision,
    Event,
    Stage,
)
from sackarmies_env.games.territories.state.events import log, log_loss
from sackarmies_env.games.territories.state.forces import remove_from_territory, total

RESERVE_DUE = 0  # index into the frame's numbers: units that extra attacker dice still cost in the attacked territory


@njit
def pairing_side(state):
    """Return the side whose dice are paired from the highest down with chosen dice of the other (TR-DP9, TR-Q26)."""
    return ATTACKER if num_dice(state.loose_dice[DEFENDER]) >= num_dice(state.loose_dice[ATTACKER]) else DEFENDER


@njit
def run_pairing(state):
    """Pair dice until a side has none left (TR-C1, TR-C2, TR-C3, TR-EV12)."""
    attackers, defenders = num_dice(state.loose_dice[ATTACKER]), num_dice(state.loose_dice[DEFENDER])
    if attackers > 0 and defenders > 0:
        ask(state, state.defender, Decision.PAIR)
        return
    set_data(state, RESERVE_DUE, attackers)
    if state.num_skirmishes == 0:
        form_undefended(state)  # TR-Q14: only where the defender has no dice
    else:
        sort_skirmishes(state)
    log(state, Event.SKIRMISHES, state.defender, state.num_skirmishes)
    set_step(state, Stage.RESERVE)


@njit
def form_undefended(state):
    """Form a skirmish from each attacker die, the highest first, if the defender has no dice (TR-Q14)."""
    for place in range(NUM_FACES - 1, -1, -1):
        while state.loose_dice[ATTACKER, place] > 0:
            state.loose_dice[ATTACKER, place] -= 1
            state.skirmish_dice[state.num_skirmishes, ATTACKER, place] = 1
            state.num_skirmishes += 1


@njit
def offer_pair(state):
    """Offer the faces among the other side's loose dice (TR-DP9)."""
    other = 1 - pairing_side(state)
    for place in range(NUM_FACES):
        if state.loose_dice[other, place] > 0:
            allow(state, FIRST_DIE + place)


@njit
def apply_pair(state, action):
    """Form a skirmish from the chosen die and the highest loose die of the other side (TR-C1)."""
    side = pairing_side(state)
    skirmish = np.int64(state.num_skirmishes)
    add_die(state, skirmish, side, highest_die(state.loose_dice[side]))
    add_die(state, skirmish, 1 - side, action - FIRST_DIE)
    state.num_skirmishes = skirmish + 1


@njit
def add_die(state, skirmish, side, place):
    """Move a loose die into a skirmish."""
    state.loose_dice[side, place] -= 1
    state.skirmish_dice[skirmish, side, place] += 1


@njit
def sort_skirmishes(state):
    """Number the skirmishes, which have one die per side, by falling attacker dice; equal ones as paired (TR-C5)."""
    for skirmish in range(1, state.num_skirmishes):
        place = np.int64(skirmish)
        while place > 0 and attacker_face(state, place - 1) < attacker_face(state, place):
            swap_dice(state, place - 1, place)
            place -= 1


@njit
def attacker_face(state, skirmish):
    """Return the face of a skirmish's only attacker die, as its place (face - FIRST_FACE)."""
    return highest_die(state.skirmish_dice[skirmish, ATTACKER])


@njit
def swap_dice(state, one, other):
    """Swap the dice of two skirmishes."""
    for side in range(2):
        for place in range(NUM_FACES):
            count = state.skirmish_dice[one, side, place]
            state.skirmish_dice[one, side, place] = state.skirmish_dice[other, side, place]
            state.skirmish_dice[other, side, place] = count


# --- extra dice


@njit
def run_reserve(state):
    """Ask for the units that extra attacker dice cost in the territory, while it has any (TR-C3)."""
    if get_data(state, RESERVE_DUE) > 0 and total(state.territory_units[state.target]) > 0:
        ask(state, state.defender, Decision.RESERVE_LOSS)
    else:
        set_data(state, RESERVE_DUE, 0)
        set_step(state, Stage.EXTRA_DICE)


@njit
def offer_reserve_loss(state):
    """Offer the unit types in the attacked territory (TR-DP10)."""
    offer_units(state, state.territory_units[state.target])


@njit
def apply_reserve_loss(state, action):
    """Remove a unit from the attacked territory (TR-C3, TR-EV12)."""
    remove_from_territory(state, np.int64(state.target), action - FIRST_UNIT)
    set_data(state, RESERVE_DUE, get_data(state, RESERVE_DUE) - 1)
    log_loss(state, state.defender, action - FIRST_UNIT)


@njit
def extra_side(state):
    """Return the side that has loose dice left; the defender if neither has any."""
    return ATTACKER if num_dice(state.loose_dice[ATTACKER]) > 0 else DEFENDER


@njit
def run_extra_dice(state):
    """Ask which skirmish each extra die joins; without a skirmish, nothing is asked (TR-C3, TR-C4, TR-Q12)."""
    side = extra_side(state)
    if num_dice(state.loose_dice[side]) == 0 or state.num_skirmishes == 0:
        set_step(state, Stage.ATTACK_COUNTERS)
    else:
        ask(state, state.active if side == ATTACKER else state.defender, Decision.EXTRA_DIE)


@njit
def offer_skirmishes(state):
    """Offer all skirmishes (TR-DP11)."""
    for skirmish in range(state.num_skirmishes):
        allow(state, FIRST_SKIRMISH + skirmish)


@njit
def apply_extra_die(params, state, action):
    """Add the highest extra die to a skirmish; five defender dice on an attacker die win the battle (TR-C4, TR-Q13).

    This is tested after each die (TR-Q38).
    """
    side, skirmish = extra_side(state), action - FIRST_SKIRMISH
    add_die(state, skirmish, side, highest_die(state.loose_dice[side]))
    if side == DEFENDER and num_dice(state.skirmish_dice[skirmish, DEFENDER]) >= STACK:
        log(state, Event.STACKED, state.defender, skirmish)
        destroy_on_board(state, ATTACKER)
        lose_attack(params, state)
