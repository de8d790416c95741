"""Draw and Deploy actions (sections 8.1 and 8.2)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.flow import ask, clear_chain, extend_chain, get_data, push_frame, set_data, set_step
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.sack_armies.rules.movement import reveal_in_sight
from sackarmies_env.games.sack_armies.rules.setup import has_field_hex, offer_field_hexes
from sackarmies_env.games.sack_armies.rules.stats import ability_value
from sackarmies_env.games.sack_armies.state.actions import decode_hex, decode_type, hex_action, type_action
from sackarmies_env.games.sack_armies.state.chance import draw_tokens
from sackarmies_env.games.sack_armies.state.constants import (
    NO_TOKEN,
    NUM_KINDS,
    OWNED_LIMIT,
    Ability,
    Band,
    Decision,
    Event,
    Face,
    Frame,
    Kind,
    Verb,
    Zone,
)
from sackarmies_env.games.sack_armies.state.events import log_event
from sackarmies_env.games.sack_armies.state.flow import end_action, open_full_window
from sackarmies_env.games.sack_armies.state.transfer import leave_zone, put_field, put_unit, to_sack
from sackarmies_env.games.sack_armies.state.zones import (
    NUM_DIRECTIONS,
    attach,
    controller_of,
    count_owned_attachments,
    field_at,
    fields_of,
    find_in_zone,
    first_token,
    has_free_slot,
    hex_of,
    is_legal_hex,
    kind_of,
    set_face,
    set_hex,
    tokens_in,
    type_of,
    unit_at,
)

# --- Draw


class DrawStep(IntEnum):
    """Steps of a Draw."""

    DRAWN = 0
    DISCARD = 1


DISCARDED = 0  # index in the frame of a Draw, or of a turn at its end: number of tokens discarded


@njit
def draw_size(params, state, player):
    """Return how many tokens a Draw yields: three by default, plus one for each revealed unit with Draw.

    (R8.1-1, R8.1-2, RA-Draw-1, Q-19, C-draw_count)
    """
    count = params.draw_count
    rest = state.units[player]
    while rest != NO_BITS:
        if ability_value(params, state, first_token(params, player) + lowest_bit(rest), Ability.DRAW) > 0:
            count += 1
        rest = without_lowest(rest)
    return count


@njit
def can_draw(state, player):
    """Return whether a Draw action is legal: the sack is not empty (R8.1-4)."""
    return state.sack_count[player] > 0


@njit
def begin_draw(params, state, player):
    """Begin the Draw action: draw the tokens."""
    push_frame(state, Frame.DRAW, DrawStep.DRAWN)
    draw_tokens(params, state, player, draw_size(params, state, player))


@njit
def run_draw(params, state):
    """Advance a Draw: ask for discards until the General is done or the hand is empty (D-04, R8.1-7, Q-96)."""
    player = state.active
    if state.frame_step[state.frame_top] == DrawStep.DRAWN:
        set_step(state, DrawStep.DISCARD)
        open_full_window(params, state)
    elif state.hand_count[player] == 0:
        finish_draw(params, state)
    else:
        ask(state, player, Decision.DISCARD)


@njit
def log_discards(params, state):
    """Log how many tokens went back to the sack."""
    if get_data(state, DISCARDED) > 0:
        log_event(params, state, Event.DISCARD, state.active, -1, get_data(state, DISCARDED))
        set_data(state, DISCARDED, 0)


@njit
def finish_draw(params, state):
    """End the Draw action."""
    log_discards(params, state)
    end_action(state)


@njit
def run_surplus(params, state):
    """Ask the active General, at the end of their turn, to discard down to the hand limit (R8.1-5)."""
    player = state.active
    if state.general_alive[player] == 1 and state.hand_count[player] > params.hand_limit:
        ask(state, player, Decision.DISCARD)
    else:
        log_discards(params, state)


@njit
def offer_discards(params, state):
    """Offer each type in hand, and DONE once the hand is within the limit (R8.1-8, RA-Draw-2, C-hand_limit)."""
    player = state.current_player
    offer_hand(params, state, player)
    if state.hand_count[player] <= params.hand_limit:
        allow(state, np.int64(Verb.PASS))


@njit
def offer_hand(params, state, player):
    """Offer every type in the hand of `player`."""
    rest = tokens_in(state, player, Zone.HAND)
    while rest != NO_BITS:
        allow(state, type_action(params, type_of(state, first_token(params, player) + lowest_bit(rest))))
        rest = without_lowest(rest)


@njit
def apply_discard(params, state, action):
    """Return a token from hand to the sack, or finish (R8.1-6)."""
    if action == Verb.PASS:
        finish_draw(params, state)
        return
    player = state.current_player
    to_sack(params, state, find_in_zone(params, state, player, Zone.HAND, decode_type(params, action)))
    set_data(state, DISCARDED, get_data(state, DISCARDED) + 1)
    state.window_closed = 0  # all have seen the discard, although it is logged only after the last one


# --- Deploy: where

DEPLOYED = 0  # index in the frame of a Deploy: number of tokens deployed so far


@njit
def controls_field_beside(params, state, player, cell):
    """Return whether `player` controls a battlefield next to `cell`."""
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[cell, direction])
        if neighbor != NO_HEX:
            field = field_at(state, neighbor)
            if field != NO_TOKEN and controller_of(state, field) == player:
                return True
    return False


@njit
def can_deploy_unit_at(params, state, player, cell):
    """Return whether `player` may deploy a unit on `cell`: empty, on or next to a battlefield they control.

    (R3.2.1-6, R8.2.1-4, R8.2.1-5, R8.2.1-6)
    """
    if not is_legal_hex(params, state, cell) or state.cell_unit[cell] != NO_TOKEN:
        return False
    field = field_at(state, cell)
    if field != NO_TOKEN:
        return controller_of(state, field) == player
    return controls_field_beside(params, state, player, cell)


@njit
def band_takes(band, kind):
    """Return whether units with this name band take attachments of `kind`, spells or maneuvers.

    (R3.2.2-6, R8.2.1-13, R8.2.1-14, R8.2.1-15, R9.2-5, R9.3-2, R3.2.3-1)
    """
    if band == Band.GREEN:
        return True
    return (band == Band.BLUE and kind == Kind.SPELL) or (band == Band.RED and kind == Kind.MANEUVER)


@njit
def can_host(params, state, player, unit, kind):
    """Return whether `player` may attach a spell or maneuver to `unit` (R3.2.3-4, R9.2-1, Q-90)."""
    return (
        controller_of(state, unit) == player
        and band_takes(params.type_band[state.token_type[unit]], kind)
        and count_owned_attachments(state, unit) < OWNED_LIMIT
        and has_free_slot(state, unit)
    )


@njit
def find_ground(params, state, player):
    """Mark in `reach_rows` the hexes on and next to the battlefields that `player` controls."""
    for row in range(len(state.reach_rows)):
        state.reach_rows[row] = NO_BITS
    for owner in range(params.num_generals):
        rest = fields_of(state, owner)
        while rest != NO_BITS:
            field = first_token(params, owner) + lowest_bit(rest)
            rest = without_lowest(rest)
            if controller_of(state, field) == player:
                set_hex(params, state.reach_rows, hex_of(state, field))
                for direction in range(NUM_DIRECTIONS):
                    neighbor = np.int64(params.neighbors[hex_of(state, field), direction])
                    if neighbor != NO_HEX:
                        set_hex(params, state.reach_rows, neighbor)


@njit
def has_ground(params, state, player):
    """Return whether `player` may deploy a unit somewhere."""
    for owner in range(params.num_generals):
        rest = fields_of(state, owner)
        while rest != NO_BITS:
            field = first_token(params, owner) + lowest_bit(rest)
            rest = without_lowest(rest)
            if controller_of(state, field) != player:
                continue
            if can_deploy_unit_at(params, state, player, hex_of(state, field)):
                return True
            for direction in range(NUM_DIRECTIONS):
                neighbor = np.int64(params.neighbors[hex_of(state, field), direction])
                if neighbor != NO_HEX and can_deploy_unit_at(params, state, player, neighbor):
                    return True
    return False


@njit
def has_host(params, state, player, kind):
    """Return whether `player` may attach a spell or maneuver to one of their units."""
    rest = state.units[player]
    while rest != NO_BITS:
        if can_host(params, state, player, first_token(params, player) + lowest_bit(rest), kind):
            return True
        rest = without_lowest(rest)
    return False


@njit
def can_deploy_kind(params, state, player, kind):
    """Return whether `player` could deploy a token of this kind anywhere (R8.2-3)."""
    if kind == Kind.UNIT:
        return has_ground(params, state, player)
    if kind == Kind.BATTLEFIELD:
        return has_field_hex(params, state, player)
    return has_host(params, state, player, kind)


@njit
def deployable_kinds(params, state, player):
    """Return the kinds of token in hand that can be deployed, as bits."""
    in_hand = np.int64(0)
    rest = tokens_in(state, player, Zone.HAND)
    while rest != NO_BITS:
        in_hand |= np.int64(1) << kind_of(params, state, first_token(params, player) + lowest_bit(rest))
        rest = without_lowest(rest)
    kinds = np.int64(0)
    for kind in range(NUM_KINDS):
        if (in_hand >> kind) & 1 and can_deploy_kind(params, state, player, kind):
            kinds |= np.int64(1) << kind
    return kinds


# --- Deploy: how


@njit
def may_deploy_more(params, state, player):
    """Return whether `player` may continue a Deploy, up to as many tokens as the hand limit (R8.2-1, Q-92)."""
    return get_data(state, DEPLOYED) < params.hand_limit and deployable_kinds(params, state, player) != 0


@njit
def run_deploy(params, state):
    """Advance a Deploy, token by token, until the General is done or can deploy no more (D-05, Q-21)."""
    player = state.active
    if may_deploy_more(params, state, player):
        ask(state, player, Decision.DEPLOY_TYPE)
    else:
        end_action(state)


@njit
def offer_deploy_types(params, state):
    """Offer the types in hand that can be deployed, and DONE after the first token (R8.2-2)."""
    player = state.current_player
    kinds = deployable_kinds(params, state, player)
    rest = tokens_in(state, player, Zone.HAND)
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if (kinds >> kind_of(params, state, token)) & 1:
            allow(state, type_action(params, type_of(state, token)))
    if get_data(state, DEPLOYED) > 0:
        allow(state, np.int64(Verb.PASS))


@njit
def offer_ground(params, state, player):
    """Offer the hexes on which `player` may deploy a unit."""
    find_ground(params, state, player)
    for row in range(2 * params.radius + 1):
        rest = state.reach_rows[row] & ~state.unit_rows[row]
        first = np.int64(params.row_cell[row]) - np.int64(params.row_column[row])
        while rest != NO_BITS:
            cell = first + lowest_bit(rest)
            rest = without_lowest(rest)
            if can_deploy_unit_at(params, state, player, cell):
                allow(state, hex_action(params, cell))


@njit
def offer_hosts(params, state, player, kind):
    """Offer the hexes of the units to which `player` may attach a spell or maneuver."""
    rest = state.units[player]
    while rest != NO_BITS:
        unit = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if can_host(params, state, player, unit, kind):
            allow(state, hex_action(params, hex_of(state, unit)))


@njit
def offer_deploy_hexes(params, state):
    """Offer the hexes for the chosen token or, for an attachment, those of its possible hosts (D-06)."""
    player = state.current_player
    kind = np.int64(params.type_kind[state.chain[0]])
    if kind == Kind.UNIT:
        offer_ground(params, state, player)
    elif kind == Kind.BATTLEFIELD:
        offer_field_hexes(params, state, player)
    else:
        offer_hosts(params, state, player, kind)


@njit
def apply_deploy_type(params, state, action):
    """Choose the token to deploy, or finish."""
    if action == Verb.PASS:
        end_action(state)
        return
    extend_chain(state, decode_type(params, action))
    ask(state, state.current_player, Decision.DEPLOY_HEX)


@njit
def deploy_unit(params, state, player, unit, cell):
    """Deploy a unit face down; an opposing unit that sights it reveals it at once (R8.2.1-1, R8.2.2-1, Q-23)."""
    leave_zone(params, state, unit)
    put_unit(params, state, unit, cell)
    log_event(params, state, Event.DEPLOY, player, cell, Kind.UNIT)
    reveal_in_sight(params, state)


@njit
def deploy_attachment(params, state, player, token, host, cell):
    """Deploy a spell or maneuver by attaching it face down (R3.2.3-3, R8.2.1-3)."""
    leave_zone(params, state, token)
    attach(state, token, host)
    set_face(params, state, token, Face.DOWN)
    log_event(params, state, Event.DEPLOY, player, cell, -1)


@njit
def apply_deploy_hex(params, state, action):
    """Deploy the chosen token from hand (RB-5)."""
    player = state.current_player
    cell = decode_hex(params, action)
    token = find_in_zone(params, state, player, Zone.HAND, np.int64(state.chain[0]))
    kind = kind_of(params, state, token)
    clear_chain(state)
    set_data(state, DEPLOYED, get_data(state, DEPLOYED) + 1)
    if kind == Kind.UNIT:
        deploy_unit(params, state, player, token, cell)
    elif kind == Kind.BATTLEFIELD:
        leave_zone(params, state, token)
        put_field(params, state, token, cell, player)
    else:
        deploy_attachment(params, state, player, token, unit_at(state, cell), cell)
    open_full_window(params, state)
