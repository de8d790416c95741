"""Zones: where tokens are and how they pass from one place to another (chapters 3 and 6)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, bit, has_bit, lowest_bit, without_lowest
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.constants import NO_TOKEN, NO_TYPE, STACK_LIMIT, Event, Face, Kind, Use, Zone
from sackarmies_env.games.sack_armies.events import log_event, show_log
from sackarmies_env.games.sack_armies.state import IN_SIGHT, MAX_RETURNS

NUM_DIRECTIONS = 6


@njit
def type_of(state, token):
    """Return the row of the catalogue that `token` is a copy of."""
    return np.int64(state.token_type[token])


@njit
def owner_of(state, token):
    """Return who brought `token` into the game; it never changes (R3.2-2)."""
    return np.int64(state.token_owner[token])


@njit
def controller_of(state, token):
    """Return who commands `token` now (R3.2-3)."""
    return np.int64(state.token_controller[token])


@njit
def kind_of(params, state, token):
    """Return whether `token` is a unit, battlefield, spell or maneuver (R3.2-1)."""
    return np.int64(params.type_kind[state.token_type[token]])


@njit
def seen_of(state, token):
    """Return whether and how long the identity of `token` has been public: see `token_seen`."""
    return np.int64(state.token_seen[token])


@njit
def is_face_up(state, token):
    """Return whether `token` is revealed (RB-14)."""
    return state.token_face[token] == Face.UP


@njit
def unit_at(state, cell):
    """Return the unit on `cell`, or NO_TOKEN."""
    return np.int64(state.cell_unit[cell])


@njit
def field_at(state, cell):
    """Return the battlefield on `cell`, or NO_TOKEN."""
    return np.int64(state.cell_field[cell])


@njit
def hex_of(state, token):
    """Return the cell of a unit or battlefield on the battleground, or NO_HEX."""
    return np.int64(state.token_hex[token])


@njit
def first_token(params, player):
    """Return the first row that `player` owns."""
    return np.int64(player) * np.int64(params.tokens_per_general)


@njit
def rows_per_general(state):
    """Return how many rows a General owns: a constant of the record, known to the compiler."""
    return len(state.token_zone) // len(state.units)


@njit
def is_unit_on_board(params, state, token):
    """Return whether `token` is a unit standing on the battleground (R6.0-4)."""
    per_general = rows_per_general(state)
    return has_bit(state.units[token // per_general], token % per_general)


@njit
def tokens_in(state, player, zone):
    """Return the tokens that `player` owns in `zone` as bits: bit t is row `first_token + t`."""
    return state.zone_tokens[player, zone]


@njit
def fields_of(state, player):
    """Return the battlefields that `player` owns on the battleground, as bits."""
    return state.zone_tokens[player, Zone.BATTLEGROUND] & ~state.units[player]


@njit
def set_zone(state, token, zone):
    """Note that `token` is in `zone` now."""
    player = token // rows_per_general(state)
    mark = bit(token % rows_per_general(state))
    state.zone_tokens[player, state.token_zone[token]] &= ~mark
    state.zone_tokens[player, zone] |= mark
    state.token_zone[token] = zone


@njit
def put_bit(words, state, token, value):
    """Put `token` into a set that has a word for each General, or take it out."""
    player = token // rows_per_general(state)
    mark = bit(token % rows_per_general(state))
    if value == 1:
        words[player] |= mark
    else:
        words[player] &= ~mark


@njit
def set_face(state, token, face):
    """Turn `token` up or down."""
    state.token_face[token] = face
    put_bit(state.face_up, state, token, face)


@njit
def set_seen(state, token, seen):
    """Note whether the identity of `token` has been public, and how long: see `token_seen`."""
    state.token_seen[token] = seen
    put_bit(state.seen, state, token, seen > 0)


@njit
def set_hex(params, rows, cell):
    """Add `cell` to a set of hexes, a word a row of the board."""
    rows[np.int64(params.cell_r[cell]) + np.int64(params.radius)] |= bit(
        np.int64(params.cell_q[cell]) + np.int64(params.radius)
    )


@njit
def clear_hex(params, rows, cell):
    """Take `cell` out of a set of hexes."""
    rows[np.int64(params.cell_r[cell]) + np.int64(params.radius)] &= ~bit(
        np.int64(params.cell_q[cell]) + np.int64(params.radius)
    )


@njit
def has_hex(params, rows, cell):
    """Return whether `cell` is in a set of hexes."""
    row = np.int64(params.cell_r[cell]) + np.int64(params.radius)
    return has_bit(rows[row], np.int64(params.cell_q[cell]) + np.int64(params.radius))


@njit
def is_hidden_row(state, token):
    """Return whether nobody but its owner can tell which token this row is now."""
    zone = state.token_zone[token]
    return zone == Zone.SACK or zone == Zone.HAND or zone == Zone.PICKED or state.token_face[token] == Face.DOWN


@njit
def mark_seen(state, token):
    """Note that the identity of `token` is public: opponents count copies of a type, they cannot tell them apart.

    What comes to light may be any copy that was seen before and can have got there since. The one that went away last
    is no longer looked for: what is known of the others then follows from what was known of it.
    """
    own = seen_of(state, token)
    found = np.int64(token)
    start = token - token % rows_per_general(state)
    for other in range(start, start + rows_per_general(state)):
        if (
            state.token_seen[other] > state.token_seen[found]
            and state.token_type[other] == state.token_type[token]
            and is_hidden_row(state, np.int64(other))
            and is_late_enough(state, token, seen_of(state, np.int64(other)))
        ):
            found = np.int64(other)
    set_seen(state, found, own)
    set_seen(state, token, IN_SIGHT)


@njit
def is_late_enough(state, token, seen):
    """Return whether `token` left the sack after a copy of which `token_seen` is this had gone away."""
    return state.token_drawn[token] + 1 >= seen


@njit
def is_legal_hex(params, state, cell):
    """Return whether `cell` holds a battlefield or lies next to one."""
    return has_hex(params, state.legal_rows, cell)


# --- derived indexes


@njit
def mark_legal_hexes(params, state, cell):
    """Mark `cell`, which holds a battlefield, and its neighbours as legal hex spaces (R8.3-4, R8.3-5, RB-9)."""
    set_hex(params, state.legal_rows, cell)
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[cell, direction])
        if neighbor != NO_HEX:
            set_hex(params, state.legal_rows, neighbor)


@njit
def insert_key(state, key):
    """Add a token on the board to the list of them, which is sorted by hex."""
    i = np.int64(state.num_board)
    while i > 0 and state.board_keys[i - 1] > key:
        state.board_keys[i] = state.board_keys[i - 1]
        i -= 1
    state.board_keys[i] = key
    state.num_board += 1


@njit
def remove_key(state, key):
    """Take a token off the list of those on the board."""
    i = np.int64(0)
    while state.board_keys[i] != key:
        i += 1
    state.num_board -= 1
    for j in range(i, np.int64(state.num_board)):
        state.board_keys[j] = state.board_keys[j + 1]
    state.board_keys[state.num_board] = 0


@njit
def enter_unit(params, state, unit, cell):
    """Enter a unit on `cell` in the indexes of the board."""
    state.cell_unit[cell] = unit
    state.units[unit // rows_per_general(state)] |= bit(unit % rows_per_general(state))
    set_hex(params, state.unit_rows, cell)
    insert_key(state, 2 * cell + 1)


@njit
def enter_field(params, state, field, cell):
    """Enter a battlefield on `cell` in the indexes of the board."""
    state.cell_field[cell] = field
    set_hex(params, state.field_rows, cell)
    insert_key(state, 2 * cell)
    if params.type_halts[state.token_type[field]] == 1:
        set_hex(params, state.halt_rows, cell)
    mark_legal_hexes(params, state, cell)


@njit
def clear_indexes(state):
    """Empty all that is derived from the token rows."""
    for cell in range(len(state.cell_unit)):
        state.cell_unit[cell] = NO_TOKEN
        state.cell_field[cell] = NO_TOKEN
    for i in range(len(state.board_keys)):
        state.board_keys[i] = 0
    state.num_board = 0
    for row in range(len(state.unit_rows)):
        state.unit_rows[row] = NO_BITS
        state.field_rows[row] = NO_BITS
        state.legal_rows[row] = NO_BITS
        state.halt_rows[row] = NO_BITS
    for player in range(len(state.sack_count)):
        state.sack_count[player] = 0
        state.hand_count[player] = 0
        state.units[player] = NO_BITS
        state.face_up[player] = NO_BITS
        state.seen[player] = NO_BITS
        for zone in range(state.zone_tokens.shape[1]):
            state.zone_tokens[player, zone] = NO_BITS


@njit
def rebuild(params, state):
    """Derive all indexes anew from the token rows and the log: the oracle of what is kept up to date."""
    clear_indexes(state)
    show_log(params, state)
    for token in range(len(state.token_zone)):
        zone = state.token_zone[token]
        state.zone_tokens[token // rows_per_general(state), zone] |= bit(token % rows_per_general(state))
        put_bit(state.face_up, state, token, state.token_face[token])
        put_bit(state.seen, state, token, state.token_seen[token] > 0)
        if zone == Zone.SACK:
            state.sack_count[state.token_owner[token]] += 1
        elif zone == Zone.HAND:
            state.hand_count[state.token_owner[token]] += 1
        elif zone == Zone.BATTLEGROUND:
            cell = np.int64(state.token_hex[token])
            if kind_of(params, state, token) == Kind.BATTLEFIELD:
                enter_field(params, state, token, cell)
            else:
                enter_unit(params, state, token, cell)


# --- attachments


@njit
def count_attachments(state, unit):
    """Return how many spells and maneuvers lie under or on `unit`."""
    count = 0
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        count += 1
        attachment = np.int64(state.token_next[attachment])
    return count


@njit
def count_owned_attachments(state, unit):
    """Return how many of the attachments of `unit` are owned by its owner (R3.2.2-7, R3.2.3-6, Q-65)."""
    count = 0
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        if state.token_owner[attachment] == state.token_owner[unit]:
            count += 1
        attachment = np.int64(state.token_next[attachment])
    return count


@njit
def has_free_slot(state, unit):
    """Return whether one more attachment can be addressed under `unit`."""
    return count_attachments(state, unit) < STACK_LIMIT


@njit
def attachment_in_slot(state, unit, slot):
    """Return the attachment of `unit` at position `slot` of its stack, or NO_TOKEN."""
    attachment = np.int64(state.token_first[unit])
    for _ in range(slot):
        if attachment == NO_TOKEN:
            return attachment
        attachment = np.int64(state.token_next[attachment])
    return attachment


@njit
def is_in_effect(params, state, attachment):
    """Return whether a free or permanent text works: attached and revealed.

    (R9.2-4, R9.2-7, R9.3-1, R9.2-3, Q-86)
    """
    if state.token_face[attachment] != Face.UP:
        return False
    use = params.type_use[state.token_type[attachment]]
    return use == Use.FREE or (use == Use.PERMANENT and state.token_active[attachment] == 1)


@njit
def attach(state, token, host):
    """Slide `token` under `host`, last in its stack (R3.2.3-2)."""
    set_zone(state, token, Zone.ATTACHED)
    state.token_host[token] = host
    state.token_next[token] = NO_TOKEN
    last = np.int64(state.token_first[host])
    if last == NO_TOKEN:
        state.token_first[host] = token
        return
    while state.token_next[last] != NO_TOKEN:
        last = np.int64(state.token_next[last])
    state.token_next[last] = token


@njit
def detach(state, token):
    """Take `token` out of the stack of its host."""
    host = np.int64(state.token_host[token])
    if state.token_first[host] == token:
        state.token_first[host] = state.token_next[token]
    else:
        before = np.int64(state.token_first[host])
        while state.token_next[before] != token:
            before = np.int64(state.token_next[before])
        state.token_next[before] = state.token_next[token]
    state.token_host[token] = NO_TOKEN
    state.token_next[token] = NO_TOKEN


# --- units and battlefields on the board


@njit
def put_unit(params, state, unit, cell):
    """Stand `unit` on an empty `cell` (R3.2.1-4, R8.2.1-7, R3.2.1-3)."""
    set_zone(state, unit, Zone.BATTLEGROUND)
    state.token_hex[unit] = cell
    enter_unit(params, state, unit, cell)


@njit
def lift_unit(params, state, unit):
    """Take `unit` off its cell; whoever calls puts it somewhere at once."""
    cell = np.int64(state.token_hex[unit])
    if cell != NO_HEX:
        state.cell_unit[cell] = NO_TOKEN
        clear_hex(params, state.unit_rows, cell)
        remove_key(state, 2 * cell + 1)
        state.units[unit // rows_per_general(state)] &= ~bit(unit % rows_per_general(state))
        state.token_hex[unit] = NO_HEX


@njit
def put_field(params, state, field, cell, player):
    """Put a battlefield down, face up, its arrow towards `player` (R3.2.1-1, R5.0-1, R7.1-10, R8.2.1-8)."""
    set_zone(state, field, Zone.BATTLEGROUND)
    set_face(state, field, Face.UP)
    mark_seen(state, field)
    state.token_controller[field] = player
    state.token_hex[field] = cell
    enter_field(params, state, field, cell)
    state.last_progress_turn = state.turn
    log_event(params, state, Event.PLACE, player, cell, type_of(state, field))


# --- leaving a zone


@njit
def clear_token(state, token):
    """Forget what `token` was and did in play; out of it nobody can track it (Q-64)."""
    state.token_controller[token] = state.token_owner[token]
    set_face(state, token, Face.DOWN)
    state.token_hex[token] = NO_HEX
    state.token_host[token] = NO_TOKEN
    state.token_first[token] = NO_TOKEN
    state.token_next[token] = NO_TOKEN
    state.token_active[token] = 0
    state.token_employed[token] = 0
    state.token_moved[token] = 0
    state.token_member[token] = 0
    state.token_kind_known[token] = 0
    state.token_min_movement[token] = 0
    state.token_min_armor[token] = 0


@njit
def forget_draw(params, state, token):
    """Let `token` leave the hand such that it may be any token of it: others cannot tell.

    It may be the one drawn last, and the tokens that stay may be all but the one drawn first.
    """
    owner = owner_of(state, token)
    first = np.int64(token)
    last = np.int64(state.token_drawn[token])
    rest = tokens_in(state, owner, Zone.HAND)
    while rest != NO_BITS:
        other = first_token(params, owner) + lowest_bit(rest)
        rest = without_lowest(rest)
        last = max(last, np.int64(state.token_drawn[other]))
        if state.token_drawn[other] < state.token_drawn[first]:
            first = other
    state.token_drawn[first] = state.token_drawn[token]
    state.token_drawn[token] = last


@njit
def are_alike(kind, other):
    """Return whether two kinds of tokens look the same face down in play: spells and maneuvers do."""
    return kind == other or (is_attachment(kind) and is_attachment(other))


@njit
def is_attachment(kind):
    """Return whether a kind is attached to units."""
    return kind == Kind.SPELL or kind == Kind.MANEUVER


@njit
def forget_kinds(params, state, token):
    """Let `token` leave the sack such that it may be any token of it, also one that came there face down from play.

    The sack can no longer be relied on to hold one of any kind that did.
    """
    owner = owner_of(state, token)
    for kind in (Kind.UNIT, Kind.BATTLEFIELD, Kind.SPELL):
        found = np.int64(token) if is_back_known(params, state, token, kind) else np.int64(NO_TOKEN)
        rest = tokens_in(state, owner, Zone.SACK)
        while rest != NO_BITS and found == NO_TOKEN:
            other = first_token(params, owner) + lowest_bit(rest)
            rest = without_lowest(rest)
            if is_back_known(params, state, other, kind):
                found = other
        if found != NO_TOKEN:
            state.token_kind_known[found] = 0


@njit
def is_back_known(params, state, token, kind):
    """Return whether all know that `token`, which came face down to a sack, looks like one of this kind."""
    return state.token_kind_known[token] == 1 and are_alike(kind_of(params, state, token), kind)


@njit
def leave_zone(params, state, token):
    """Take `token` out of whatever zone it is in: a token is in exactly one (R6.0-1)."""
    zone = state.token_zone[token]
    owner = np.int64(state.token_owner[token])
    if zone == Zone.SACK:
        state.sack_count[owner] -= 1
        state.token_drawn[token] = state.returns[owner]
        if state.returns[owner] > 0:
            forget_kinds(params, state, token)
    elif zone == Zone.HAND:
        state.hand_count[owner] -= 1
        forget_draw(params, state, token)
    elif zone == Zone.ATTACHED:
        detach(state, token)
    elif zone == Zone.BATTLEGROUND:
        lift_unit(params, state, token)
    clear_token(state, token)


@njit
def to_sack(params, state, token):
    """Return `token` to its owner's sack, where others know it to be if they knew it before (R6.0-2)."""
    owner = owner_of(state, token)
    was_in_hand = state.token_zone[token] == Zone.HAND
    was_up = is_face_up(state, token)
    leave_zone(params, state, token)
    set_zone(state, token, Zone.SACK)
    state.sack_count[owner] += 1
    if was_in_hand:
        return
    returns = min(np.int64(state.returns[owner]) + 1, MAX_RETURNS)
    state.returns[owner] = returns
    if was_up:
        set_seen(state, token, returns + 1)
    else:
        state.token_kind_known[token] = 1


@njit
def to_hand(params, state, token):
    """Put `token` into its owner's hand (R6.0-3)."""
    leave_zone(params, state, token)
    set_zone(state, token, Zone.HAND)
    state.hand_count[state.token_owner[token]] += 1


@njit
def show_in_pile(params, state, token, was_up):
    """Lay a token on a pile face up if all may know it: piles are public, or it was revealed (C-casualties_public)."""
    if params.casualties_public == 1 or was_up:
        set_face(state, token, Face.UP)
        mark_seen(state, token)


@njit
def shown_type(state, token, public):
    """Return what the log may say of `token`: its type if that is public, else NO_TYPE."""
    if public or state.token_face[token] == Face.UP:
        return type_of(state, token)
    return np.int64(NO_TYPE)


@njit
def to_casualties(params, state, token):
    """Put a killed or spent token on its owner's casualties pile (R6.0-5, RB-4, RB-16)."""
    was_up = is_face_up(state, token)
    leave_zone(params, state, token)
    set_zone(state, token, Zone.CASUALTIES)
    show_in_pile(params, state, token, was_up)


@njit
def to_removed(params, state, token):
    """Set `token` aside outside the game for good; no effect brings it back (R6.0-7, R3.2.2-12)."""
    was_up = is_face_up(state, token)
    leave_zone(params, state, token)
    set_zone(state, token, Zone.REMOVED)
    show_in_pile(params, state, token, was_up)


@njit
def to_captor(params, state, token, captor):
    """Put `token` under `captor`, out of play; face-down attachments stay face down."""
    face = state.token_face[token]
    leave_zone(params, state, token)
    set_zone(state, token, Zone.CAPTURED)
    state.token_host[token] = captor
    set_face(state, token, face)


@njit
def release_captives(params, state, captor):
    """Return all that `captor` holds to the sacks of the owners (RA-Capture-6, Q-52)."""
    for player in range(params.num_generals):
        rest = tokens_in(state, player, Zone.CAPTURED)
        while rest != NO_BITS:
            token = first_token(params, player) + lowest_bit(rest)
            rest = without_lowest(rest)
            if state.token_host[token] == captor:
                if state.general_alive[player] == 1:
                    to_sack(params, state, token)
                else:
                    to_casualties(params, state, token)


@njit
def leave_play(params, state, unit, zone, attachments_zone):
    """Send `unit` to `zone` and its attachments to theirs; captives go free (R6.0-8, R9.2-10, RA-Capture-5, Q-85)."""
    release_captives(params, state, unit)
    attachment = np.int64(state.token_first[unit])
    while attachment != NO_TOKEN:
        following = np.int64(state.token_next[attachment])
        if attachments_zone == Zone.REMOVED:
            to_removed(params, state, attachment)
        else:
            to_casualties(params, state, attachment)
        attachment = following
    if zone == Zone.SACK:
        to_sack(params, state, unit)
    elif zone == Zone.REMOVED:
        to_removed(params, state, unit)
    else:
        to_casualties(params, state, unit)


# --- hands, sacks and piles by type


@njit
def find_in_zone(params, state, player, zone, type_id):
    """Return a token of type `type_id` that `player` owns in `zone`, or NO_TOKEN; copies are alike."""
    rest = tokens_in(state, player, zone)
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        if state.token_type[token] == type_id:
            return token
        rest = without_lowest(rest)
    return np.int64(NO_TOKEN)


@njit
def clear_rows(state):
    """Make every token row an unused one."""
    for token in range(len(state.token_zone)):
        state.token_type[token] = NO_TYPE
        state.token_owner[token] = 0
        state.token_zone[token] = Zone.NONE
        set_seen(state, token, 0)
        state.token_drawn[token] = 0
        clear_token(state, token)
