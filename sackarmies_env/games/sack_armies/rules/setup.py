"""Setup: picks, initiative and the first battlefields (section 7.1)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.flow import ask, clear_chain, extend_chain, get_data, pop_frame, push_frame, set_data, set_step
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow, clear_legal
from sackarmies_env.core.state import ERROR_NONE
from sackarmies_env.games.sack_armies.rules.stats import distance
from sackarmies_env.games.sack_armies.rules.victory import begin_turn_of, next_player
from sackarmies_env.games.sack_armies.state.actions import decode_hex, decode_type, hex_action, type_action
from sackarmies_env.games.sack_armies.state.chance import draw_tokens, flip
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Decision, Frame, Kind, Zone
from sackarmies_env.games.sack_armies.state.flow import TurnStep
from sackarmies_env.games.sack_armies.state.transfer import leave_zone, put_field, to_sack
from sackarmies_env.games.sack_armies.state.zones import (
    NUM_DIRECTIONS,
    controller_of,
    field_at,
    fields_of,
    find_in_zone,
    first_token,
    hex_of,
    kind_of,
    owner_of,
    set_zone,
    tokens_in,
)

SETUP_FIELDS = 5  # battlefields that a General places in Setup (R7.1-1)
GAP = 2  # hex distance that leaves one open hex in between


class SetupStep(IntEnum):
    """Steps of Setup; the frame holds (seat that picks, General one, round, seats done this round)."""

    PICK = 0
    INITIATIVE = 1
    PLACE = 2


PICKER, GENERAL_ONE, ROUND, OFFSET = 0, 1, 2, 3


class Anchor(IntEnum):
    """Reference by which the next battlefield of a General is placed."""

    NOTHING = 0  # the battlefield is the first on the board
    OPPONENT = 1  # it is the General's first
    OWN = 2


# --- picking


@njit
def count_fields(params, state, player, zone):
    """Return how many battlefields `player` owns in `zone`."""
    count = 0
    rest = tokens_in(state, player, zone)
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if kind_of(params, state, token) == Kind.BATTLEFIELD:
            count += 1
    return count


@njit
def pick_field(params, state, token):
    """Set a battlefield aside for Setup, in secret (R7.1-1, Q-07)."""
    leave_zone(params, state, token)
    set_zone(state, token, Zone.PICKED)


@njit
def pick_all_fields(params, state, player):
    """Pick every battlefield of `player`, who has no real choice."""
    rest = tokens_in(state, player, Zone.SACK)
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if kind_of(params, state, token) == Kind.BATTLEFIELD:
            pick_field(params, state, token)


@njit
def run_picks(params, state):
    """Have each General, in seat order, pick five battlefields; ask only those with a choice (D-01, C-setup_pick)."""
    while get_data(state, PICKER) < params.num_generals:
        player = get_data(state, PICKER)
        missing = SETUP_FIELDS - count_fields(params, state, player, Zone.PICKED)
        if state.general_alive[player] == 1 and params.pick_at_placement == 0 and missing > 0:
            if count_fields(params, state, player, Zone.SACK) > missing:
                ask(state, player, Decision.SETUP_PICK)
                return
            pick_all_fields(params, state, player)
        set_data(state, PICKER, player + 1)
    set_step(state, SetupStep.INITIATIVE)


@njit
def offer_fields(params, state, zone):
    """Offer the types of the battlefields that the current player has in `zone`."""
    player = state.current_player
    rest = tokens_in(state, player, zone)
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if kind_of(params, state, token) == Kind.BATTLEFIELD:
            allow(state, type_action(params, np.int64(state.token_type[token])))


@njit
def apply_setup_pick(params, state, action):
    """Pick one battlefield of the chosen type."""
    player = state.current_player
    pick_field(params, state, find_in_zone(params, state, player, Zone.SACK, decode_type(params, action)))


# --- initiative


@njit
def flip_for_initiative(params, state):
    """Flip among the contenders; tails drop out unless nobody flips heads (R7.1-2)."""
    heads = np.int64(0)
    for player in range(params.num_generals):
        if state.general_contending[player] == 1 and flip(params, state, player) == 1:
            heads |= np.int64(1) << player
    if heads == 0:
        return
    for player in range(params.num_generals):
        if (heads >> player) & 1 == 0:
            state.general_contending[player] = 0


@njit
def find_general_one(params, state):
    """Return General one: the last contender in the flips for initiative (R7.1-3)."""
    contenders = 0
    for player in range(params.num_generals):
        state.general_contending[player] = state.general_alive[player]
        contenders += np.int64(state.general_alive[player])
    while contenders > 1 and state.error == ERROR_NONE:
        flip_for_initiative(params, state)
        contenders = 0
        for player in range(params.num_generals):
            contenders += np.int64(state.general_contending[player])
    one = np.int64(0)
    while state.general_contending[one] == 0:
        one += 1
    return one


# --- placement


@njit
def is_own_side(params, state, field, player):
    """Return whether a battlefield counts as `player`'s own for the neutral zone (Q-03, C-neutral_zone_basis)."""
    if params.neutral_by_owner == 1:
        return owner_of(state, field) == player
    return controller_of(state, field) == player


@njit
def touches_opponent(params, state, player, cell):
    """Return whether an opponent's battlefield lies next to `cell`, which must not be on the edge of the board."""
    for direction in range(NUM_DIRECTIONS):
        field = field_at(state, np.int64(params.neighbors[cell, direction]))
        if field != NO_TOKEN and not is_own_side(params, state, field, player):
            return True
    return False


@njit
def may_hold_field(params, state, player, cell):
    """Return whether a battlefield of `player` may lie on `cell` at all.

    The hex must be empty, with all its neighbors on the board and no opposing battlefield among them: the neutral zone
    holds for the whole game (R7.1-16, R7.1-18, R8.2.1-9, R8.2.1-11, R8.2.1-12, Q-06, R2.0-4).
    """
    return (
        params.cell_interior[cell] == 1
        and state.cell_field[cell] == NO_TOKEN
        and state.cell_unit[cell] == NO_TOKEN
        and not touches_opponent(params, state, player, cell)
    )


@njit
def find_hexes_beside(params, state, player, field, offers):
    """Return whether `player` may place a battlefield next to `field`; with `offers`, offer such hexes instead."""
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[hex_of(state, field), direction])
        if neighbor != NO_HEX and may_hold_field(params, state, player, neighbor):
            if not offers:
                return True
            allow(state, hex_action(params, neighbor))
    return False


@njit
def find_field_hexes(params, state, player, offers):
    """Return whether `player` may place a battlefield next to their own; with `offers`, offer such hexes instead."""
    for owner in range(params.num_generals):
        rest = fields_of(state, owner)
        while rest != NO_BITS:
            field = first_token(params, owner) + lowest_bit(rest)
            rest = without_lowest(rest)
            if is_own_side(params, state, field, player) and find_hexes_beside(params, state, player, field, offers):
                return True
    return False


@njit
def has_field_hex(params, state, player):
    """Return whether `player` may place a battlefield next to one of their own (R8.2.1-10)."""
    return find_field_hexes(params, state, player, False)


@njit
def offer_field_hexes(params, state, player):
    """Offer the hexes where `player` may place a battlefield next to one of their own (R7.1-15, R4.2-4)."""
    find_field_hexes(params, state, player, True)


@njit
def offer_across_the_gap(params, state, player, field):
    """Offer the hexes for a battlefield exactly one open hex away from `field`, an opposing one (R7.1-12, Q-04)."""
    cell = hex_of(state, field)
    for direction in range(NUM_DIRECTIONS):
        between = np.int64(params.neighbors[cell, direction])
        if between == NO_HEX:
            continue
        for onward in range(NUM_DIRECTIONS):
            other = np.int64(params.neighbors[between, onward])
            if (
                other != NO_HEX
                and distance(params, other, cell) == GAP
                and may_hold_field(params, state, player, other)
            ):
                allow(state, hex_action(params, other))


@njit
def offer_first_hexes(params, state, player):
    """Offer the hexes for the first battlefield of `player`, relative to those of opponents (R7.1-14, Q-05)."""
    for owner in range(params.num_generals):
        rest = fields_of(state, owner)
        while rest != NO_BITS:
            field = first_token(params, owner) + lowest_bit(rest)
            rest = without_lowest(rest)
            if not is_own_side(params, state, field, player):
                offer_across_the_gap(params, state, player, field)


@njit
def find_anchor(params, state, player):
    """Return the reference by which the next battlefield of `player` is placed."""
    anchor = np.int64(Anchor.NOTHING)
    for owner in range(params.num_generals):
        if fields_of(state, owner) != NO_BITS:
            if owner == player:
                return np.int64(Anchor.OWN)
            anchor = np.int64(Anchor.OPPONENT)
    return anchor


@njit
def offer_setup_hexes(params, state):
    """Offer the hexes for the next battlefield of the current player (D-02)."""
    player = state.current_player
    anchor = find_anchor(params, state, player)
    if anchor == Anchor.OWN:
        offer_field_hexes(params, state, player)
    elif anchor == Anchor.OPPONENT:
        offer_first_hexes(params, state, player)
    else:
        allow(state, hex_action(params, params.center))


@njit
def has_setup_hex(params, state, player):
    """Return whether there is room for another battlefield of `player`."""
    anchor = find_anchor(params, state, player)
    if anchor == Anchor.OWN:
        return has_field_hex(params, state, player)
    if anchor == Anchor.NOTHING:
        return True
    clear_legal(state)  # used as scratch: legal ids are found anew for the next current player
    offer_first_hexes(params, state, player)
    return state.num_legal > 0


@njit
def return_a_pick(params, state, player):
    """Return one picked battlefield to the sack, because there is no room for it (Q-75)."""
    picked = tokens_in(state, player, Zone.PICKED)
    if picked != NO_BITS:
        to_sack(params, state, first_token(params, player) + lowest_bit(picked))


@njit
def placement_zone(params):
    """Return the zone from which battlefields are placed in Setup."""
    return Zone.SACK if params.pick_at_placement == 1 else Zone.PICKED


@njit
def run_placement(params, state):
    """Go around five times from General one; in each round, ask every General with room to place one battlefield.

    (R7.1-9, R7.1-11, R7.1-17)
    """
    while get_data(state, ROUND) < SETUP_FIELDS:
        while get_data(state, OFFSET) < params.num_generals:
            player = (get_data(state, GENERAL_ONE) + get_data(state, OFFSET)) % params.num_generals
            if state.general_alive[player] == 1 and count_fields(params, state, player, placement_zone(params)) > 0:
                if has_setup_hex(params, state, player):
                    ask(state, player, Decision.SETUP_TYPE)
                    return
                return_a_pick(params, state, player)
            set_data(state, OFFSET, get_data(state, OFFSET) + 1)
        set_data(state, ROUND, get_data(state, ROUND) + 1)
        set_data(state, OFFSET, 0)


@njit
def apply_setup_type(params, state, action):
    """Choose the battlefield to place."""
    extend_chain(state, decode_type(params, action))
    ask(state, state.current_player, Decision.SETUP_HEX)


@njit
def apply_setup_hex(params, state, action):
    """Place the chosen battlefield."""
    player = state.current_player
    token = find_in_zone(params, state, player, placement_zone(params), np.int64(state.chain[0]))
    clear_chain(state)
    leave_zone(params, state, token)
    put_field(params, state, token, decode_hex(params, action), player)
    set_data(state, OFFSET, get_data(state, OFFSET) + 1)


@njit
def begin_first_turn(params, state, one):
    """Leave Setup: General one takes the first turn (R7.2-1, Q-08, C-initial_hand)."""
    pop_frame(state)
    for player in range(params.num_generals):
        if params.initial_hand > 0 and state.general_alive[player] == 1:
            draw_tokens(params, state, player, params.initial_hand)
    push_frame(state, Frame.TURN, TurnStep.START)
    begin_turn_of(params, state, one if state.general_alive[one] == 1 else next_player(params, state, one))


@njit
def run_setup(params, state):
    """Advance Setup to its next step or decision (R2.0-2)."""
    step = state.frame_step[state.frame_top]
    if step == SetupStep.PICK:
        run_picks(params, state)
    elif step == SetupStep.INITIATIVE:
        set_data(state, GENERAL_ONE, find_general_one(params, state))
        set_step(state, SetupStep.PLACE)
    else:
        run_placement(params, state)
        if state.decision == Decision.NONE:
            begin_first_turn(params, state, get_data(state, GENERAL_ONE))
