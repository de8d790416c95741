"""Action abilities: Capture, Counter, Dismiss, Dispel, Raise (appendix A)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, lowest_bit, without_lowest
from sackarmies_env.core.flow import ask
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow
from sackarmies_env.games.sack_armies.rules.deploy import can_deploy_unit_at
from sackarmies_env.games.sack_armies.rules.movement import reveal, reveal_in_sight
from sackarmies_env.games.sack_armies.rules.stats import ability_if_revealed, distance, has_ability_for, matches
from sackarmies_env.games.sack_armies.state.actions import hex_action, type_action
from sackarmies_env.games.sack_armies.state.chance import flip
from sackarmies_env.games.sack_armies.state.constants import (
    NO_TOKEN,
    Ability,
    Decision,
    Event,
    Face,
    Kind,
    Zone,
)
from sackarmies_env.games.sack_armies.state.events import log_event
from sackarmies_env.games.sack_armies.state.transfer import (
    leave_play,
    leave_zone,
    put_unit,
    release_captives,
    shown_type,
    to_captor,
    to_casualties,
)
from sackarmies_env.games.sack_armies.state.zones import (
    NUM_DIRECTIONS,
    controller_of,
    find_in_zone,
    first_token,
    hex_of,
    is_face_up,
    is_legal_hex,
    kind_of,
    owner_of,
    set_face,
    tokens_in,
    type_of,
)

# --- Capture


@njit
def can_capture(params, state, unit, target):
    """Return whether `unit`, a captor, may try to capture `target`: adjacent, opposing, revealed.

    (RA-Capture-1, R9.1-4)
    """
    return (
        controller_of(state, target) != controller_of(state, unit)
        and is_face_up(state, target)
        and distance(params, hex_of(state, unit), hex_of(state, target)) == 1
    )


@njit
def capture(params, state, unit, target):
    """Flip; on heads `target` and its attachments go under `unit`, out of play.

    (RA-Capture-3, RA-Capture-4, RA-Capture-2)
    """
    if flip(params, state, controller_of(state, unit)) == 0:
        return
    log_event(params, state, Event.CAPTURE, owner_of(state, target), hex_of(state, target), type_of(state, target))
    release_captives(params, state, target)
    attachment = np.int64(state.token_first[target])
    while attachment != NO_TOKEN:
        following = np.int64(state.token_next[attachment])
        to_captor(params, state, attachment, unit)
        attachment = following
    to_captor(params, state, target, unit)


# --- Dismiss


@njit
def can_dismiss(params, state, unit, target):
    """Return whether `unit` may dismiss `target`: another unit in range, friendly or revealed.

    (RA-Dismiss-3, Q-50, Q-51)
    """
    if target == unit or (controller_of(state, target) != controller_of(state, unit) and not is_face_up(state, target)):
        return False
    gap = distance(params, hex_of(state, unit), hex_of(state, target))
    return gap <= ability_if_revealed(params, state, unit, Ability.DISMISS)


@njit
def dismiss(params, state, target):
    """Return a unit to its owner's sack and send its attachments to casualties (RA-Dismiss-1, RA-Dismiss-2)."""
    shown = shown_type(state, target, False)
    log_event(params, state, Event.TO_SACK, owner_of(state, target), hex_of(state, target), shown)
    leave_play(params, state, target, Zone.SACK, Zone.CASUALTIES)


# --- Counter and Dispel


@njit
def may_choose_slot(params, state, player, attachment, kind):
    """Return whether `player`, by what they know, may aim at `attachment` with an effect on tokens of `kind`.

    A token being activated has left its stack, so that nothing can be aimed at it.

    (RA-Counter-2, RA-Dispel-2, Q-49, C-blind_target_wrong_kind)
    """
    if attachment == state.act_token:
        return False
    known = (
        is_face_up(state, attachment)
        or state.token_owner[attachment] == player
        or state.token_kind_known[attachment] == 1
    )
    if known:
        return kind_of(params, state, attachment) == kind
    return params.blind_known_only == 0


@njit
def has_slot_for(params, state, player, unit, kind):
    """Return whether `player` may aim at some attachment of `unit`."""
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        if may_choose_slot(params, state, player, attachment, kind):
            return True
        attachment = np.int64(state.token_next[attachment])
    return False


@njit
def can_reach_tokens(params, state, unit, host, ability):
    """Return whether `unit` may counter or dispel an attachment of `host`, which may be the unit itself.

    (RA-Counter-3, RA-Dispel-3, RA-Counter-4)
    """
    gap = distance(params, hex_of(state, unit), hex_of(state, host))
    kind = Kind.MANEUVER if ability == Ability.COUNTER else Kind.SPELL
    return gap <= ability_if_revealed(params, state, unit, ability) and has_slot_for(
        params, state, controller_of(state, unit), host, kind
    )


@njit
def strip_attachment(params, state, attachment, kind):
    """Send an attachment of `kind` to its owner's casualties; one of the other kind stays, and its kind becomes known.

    (RA-Counter-1, RA-Dispel-1, R9.2-11, Q-82)
    """
    host = np.int64(state.token_host[attachment])
    cell = hex_of(state, host)
    if kind_of(params, state, attachment) != kind:
        state.token_kind_known[attachment] = 1
        log_event(params, state, Event.WRONG_KIND, owner_of(state, attachment), cell, kind)
        return
    shown = shown_type(state, attachment, params.casualties_public == 1)
    log_event(params, state, Event.CASUALTY, owner_of(state, attachment), cell, shown)
    to_casualties(params, state, attachment)


# --- Raise


@njit
def can_raise(params, state, token, raiser, match):
    """Return whether a casualty is a unit that may be raised by an ability of `raiser`, or by a text with `match`.

    (RA-Raise-1, R6.0-6)
    """
    type_id = type_of(state, token)
    if params.type_kind[type_id] != Kind.UNIT:
        return False
    if raiser == NO_TOKEN:
        return matches(params, match, type_id)
    return has_ability_for(params, state, raiser, Ability.RAISE, type_id)


@njit
def has_raisable(params, state, player, raiser, match):
    """Return whether `player` has a casualty that the unit `raiser`, or the text, may raise."""
    rest = tokens_in(state, player, Zone.CASUALTIES)
    while rest != NO_BITS:
        if can_raise(params, state, first_token(params, player) + lowest_bit(rest), raiser, match):
            return True
        rest = without_lowest(rest)
    return False


@njit
def offer_raisable(params, state, player, raiser, match):
    """Offer the types of the casualties that the unit `raiser`, or the text, may raise (D-20)."""
    rest = tokens_in(state, player, Zone.CASUALTIES)
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if can_raise(params, state, token, raiser, match):
            allow(state, type_action(params, type_of(state, token)))


@njit
def can_raise_at(params, state, player, cell):
    """Return whether a raised unit may enter on `cell` (Q-53, C-raise_zone)."""
    if params.raise_any_legal_hex == 1:
        return is_legal_hex(params, state, cell) and state.cell_unit[cell] == NO_TOKEN
    return can_deploy_unit_at(params, state, player, cell)


@njit
def has_raise_hex(params, state, player, raiser):
    """Return whether there is a hex next to `raiser` where a raised unit may enter."""
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[hex_of(state, raiser), direction])
        if neighbor != NO_HEX and can_raise_at(params, state, player, neighbor):
            return True
    return False


@njit
def offer_raise_hexes(params, state):
    """Offer the hexes next to the raiser where the raised unit may enter."""
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[hex_of(state, state.act_unit), direction])
        if neighbor != NO_HEX and can_raise_at(params, state, state.act_player, neighbor):
            allow(state, hex_action(params, neighbor))


@njit
def begin_raise(params, state):
    """Flip for a Raise; after heads, ask for the hex if there is one (RA-Raise-2, RA-Raise-4)."""
    player = state.act_player
    raiser = state.act_unit
    if flip(params, state, player) == 0 or state.token_zone[raiser] != Zone.BATTLEGROUND:
        return
    if find_in_zone(params, state, player, Zone.CASUALTIES, state.act_type) == NO_TOKEN:
        return
    if has_raise_hex(params, state, player, raiser):
        ask(state, player, Decision.RAISE_HEX)


@njit
def raise_unit(params, state, cell):
    """Bring the chosen casualty into play, face up and without attachments (RA-Raise-3)."""
    player = state.act_player
    unit = find_in_zone(params, state, player, Zone.CASUALTIES, state.act_type)
    leave_zone(params, state, unit)
    put_unit(params, state, unit, cell)
    log_event(params, state, Event.RAISE, player, cell, type_of(state, unit))
    set_face(params, state, unit, Face.DOWN)
    reveal(params, state, unit)
    reveal_in_sight(params, state)
