"""Zones: where tokens are, with queries and derived indexes (chapters 3 and 6)."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, bit, has_bit, lowest_bit, without_lowest
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, STACK_LIMIT, Face, Kind, Use, Zone
from sackarmies_env.games.sack_armies.state.events import show_log
from sackarmies_env.games.sack_armies.state.record import NUM_STATS

NUM_DIRECTIONS = 6


@njit
def type_of(state, token):
    """Return the type of `token`: its row in the catalogue."""
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
    return np.int64(player) * params.tokens_per_general


@njit
def rows_per_general(state):
    """Return how many rows a General owns: a constant of the record, known to the compiler."""
    return len(state.token_zone) // len(state.units)


@njit
def is_unit_on_board(state, token):
    """Return whether `token` is a unit standing on the battleground (R6.0-4)."""
    per_general = rows_per_general(state)
    return has_bit(state.units[token // per_general], token % per_general)


@njit
def tokens_in(state, player, zone):
    """Return the tokens that `player` owns in `zone` as bits: bit t is row `first_token + t`."""
    return state.zone_tokens[player, zone]


@njit
def owned_tokens(state, player):
    """Return as bits the tokens of `player`, wherever they are."""
    owned = NO_BITS
    for zone in range(np.int64(Zone.SACK), state.zone_tokens.shape[1]):
        owned |= state.zone_tokens[player, zone]
    return owned


@njit
def fields_of(state, player):
    """Return the battlefields that `player` owns on the battleground, as bits."""
    return state.zone_tokens[player, Zone.BATTLEGROUND] & ~state.units[player]


@njit
def set_zone(state, token, zone):
    """Record that `token` is now in `zone`."""
    player = token // rows_per_general(state)
    mark = bit(token % rows_per_general(state))
    state.zone_tokens[player, state.token_zone[token]] &= ~mark
    state.zone_tokens[player, zone] |= mark
    state.token_zone[token] = zone


@njit
def put_bit(words, state, token, value):
    """Add `token` to a set with one word per General if `value` is 1; else remove it."""
    player = token // rows_per_general(state)
    mark = bit(token % rows_per_general(state))
    if value == 1:
        words[player] |= mark
    else:
        words[player] &= ~mark


@njit
def outdate_stats(state):
    """Mark the stats of every unit as out of date: a token that is turned up may meet a limit anywhere."""
    for player in range(len(state.fresh_stats)):
        state.fresh_stats[player] = NO_BITS


@njit
def outdate_stats_of(state, unit):
    """Mark the stats of `unit` as out of date, unless it is NO_TOKEN."""
    if unit != NO_TOKEN:
        put_bit(state.fresh_stats, state, unit, 0)


@njit
def outdate_stats_around(params, state, cell):
    """Mark the stats of the units on and next to `cell` as out of date."""
    outdate_stats_of(state, unit_at(state, cell))
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[cell, direction])
        if neighbor != NO_HEX:
            outdate_stats_of(state, unit_at(state, neighbor))


@njit
def outdate_stats_by(params, state, unit):
    """Mark the stats of `unit` and its neighbors as out of date, unless it is NO_TOKEN or off the board."""
    if unit != NO_TOKEN and hex_of(state, unit) != NO_HEX:
        outdate_stats_around(params, state, hex_of(state, unit))


@njit
def outdate_limited_stats(params, state, player):
    """Mark stats around limited units of `player` as out of date: a revealed unit that may meet one comes or goes."""
    rest = state.units[player]
    while rest != NO_BITS:
        unit = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if params.type_limit_end[state.token_type[unit]] > params.type_limit_start[state.token_type[unit]]:
            outdate_stats_around(params, state, hex_of(state, unit))


@njit
def outdate_stats_by_face(params, state, token):
    """Mark as out of date the stats that may change as `token` is turned."""
    zone = state.token_zone[token]
    if zone == Zone.BATTLEGROUND:
        outdate_stats_by(params, state, np.int64(token))
        outdate_limited_stats(params, state, owner_of(state, token))
    elif zone == Zone.ATTACHED:
        outdate_stats_by(params, state, np.int64(state.token_host[token]))


@njit
def set_face(params, state, token, face):
    """Turn `token` face up or face down."""
    if state.token_face[token] != face:
        outdate_stats_by_face(params, state, token)
    state.token_face[token] = face
    put_bit(state.face_up, state, token, face)


@njit
def set_seen(state, token, seen):
    """Set the `token_seen` of `token`: whether its identity was ever public, and until when."""
    state.token_seen[token] = seen
    put_bit(state.seen, state, token, seen > 0)


@njit
def set_hex(params, rows, cell):
    """Add `cell` to a set of hexes, with one word per row of the board."""
    rows[np.int64(params.cell_r[cell]) + params.radius] |= bit(np.int64(params.cell_q[cell]) + params.radius)


@njit
def clear_hex(params, rows, cell):
    """Remove `cell` from a set of hexes."""
    rows[np.int64(params.cell_r[cell]) + params.radius] &= ~bit(np.int64(params.cell_q[cell]) + params.radius)


@njit
def has_hex(params, rows, cell):
    """Return whether `cell` is in a set of hexes."""
    row = np.int64(params.cell_r[cell]) + params.radius
    return has_bit(rows[row], np.int64(params.cell_q[cell]) + params.radius)


@njit
def is_legal_hex(params, state, cell):
    """Return whether `cell` holds a battlefield or lies next to one."""
    return has_hex(params, state.legal_rows, cell)


# --- derived indexes


@njit
def clear_stats_of(state, token):
    """Clear the stats of a token that is no longer on the board."""
    for stat in range(NUM_STATS):
        state.token_stats[token, stat] = 0


@njit
def clear_stats(state):
    """Clear the stats of all tokens, to be computed anew."""
    outdate_stats(state)
    for token in range(len(state.token_stats)):
        clear_stats_of(state, token)


@njit
def mark_legal_hexes(params, state, cell):
    """Mark `cell`, which holds a battlefield, and its neighbors as legal hex spaces (R8.3-4, R8.3-5, RB-9)."""
    set_hex(params, state.legal_rows, cell)
    for direction in range(NUM_DIRECTIONS):
        neighbor = np.int64(params.neighbors[cell, direction])
        if neighbor != NO_HEX:
            set_hex(params, state.legal_rows, neighbor)


@njit
def insert_key(state, key):
    """Add a token on the board to `board_keys`, which is sorted by hex."""
    i = state.num_board
    while i > 0 and state.board_keys[i - 1] > key:
        state.board_keys[i] = state.board_keys[i - 1]
        i -= 1
    state.board_keys[i] = key
    state.num_board += 1


@njit
def remove_key(state, key):
    """Remove a token from `board_keys`."""
    i = np.int64(0)
    while state.board_keys[i] != key:
        i += 1
    state.num_board -= 1
    for j in range(i, state.num_board):
        state.board_keys[j] = state.board_keys[j + 1]
    state.board_keys[state.num_board] = 0


@njit
def enter_unit(params, state, unit, cell):
    """Add a unit on `cell` to the indexes of the board."""
    state.cell_unit[cell] = unit
    state.units[unit // rows_per_general(state)] |= bit(unit % rows_per_general(state))
    set_hex(params, state.unit_rows, cell)
    insert_key(state, 2 * cell + 1)
    outdate_stats_around(params, state, cell)


@njit
def enter_field(params, state, field, cell):
    """Add a battlefield on `cell` to the indexes of the board."""
    state.cell_field[cell] = field
    set_hex(params, state.field_rows, cell)
    insert_key(state, 2 * cell)
    if params.type_halts[state.token_type[field]] == 1:
        set_hex(params, state.halt_rows, cell)
    mark_legal_hexes(params, state, cell)
    outdate_stats_of(state, unit_at(state, cell))


@njit
def clear_indexes(state):
    """Clear all that is derived from the token rows."""
    for cell in range(len(state.cell_unit)):
        state.cell_unit[cell] = NO_TOKEN
        state.cell_field[cell] = NO_TOKEN
    for i in range(len(state.board_keys)):
        state.board_keys[i] = 0
    state.num_board = 0
    clear_stats(state)
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
    """Rebuild all indexes from the token rows and the log; the stats of units are then out of date."""
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
    """Return whether a free or permanent text is in effect: attached and revealed.

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
def detach(params, state, token):
    """Remove `token` from the stack of its host."""
    host = np.int64(state.token_host[token])
    if is_face_up(state, token):
        outdate_stats_by(params, state, host)
    if state.token_first[host] == token:
        state.token_first[host] = state.token_next[token]
    else:
        before = np.int64(state.token_first[host])
        while state.token_next[before] != token:
            before = np.int64(state.token_next[before])
        state.token_next[before] = state.token_next[token]
    state.token_host[token] = NO_TOKEN
    state.token_next[token] = NO_TOKEN


# --- captives


@njit
def captive_before(state, captor, token):
    """Return the captive of `captor` just before `token`, or the latest one for NO_TOKEN; NO_TOKEN if there is none."""
    for player in range(len(state.units)):
        rest = tokens_in(state, player, Zone.CAPTURED)
        while rest != NO_BITS:
            other = player * rows_per_general(state) + lowest_bit(rest)
            rest = without_lowest(rest)
            if state.token_host[other] == captor and state.token_next[other] == token:
                return np.int64(other)
    return np.int64(NO_TOKEN)


@njit
def first_captive(state, captor):
    """Return the earliest captive that `captor` still holds, or NO_TOKEN; `token_next` leads to the rest."""
    first = np.int64(NO_TOKEN)
    before = captive_before(state, captor, np.int64(NO_TOKEN))
    while before != NO_TOKEN:
        first = before
        before = captive_before(state, captor, first)
    return first


@njit
def link_captive(state, token, captor):
    """Put `token` under `captor`, after its other captives: their order is public, that of rows is not."""
    latest = captive_before(state, captor, np.int64(NO_TOKEN))
    set_zone(state, token, Zone.CAPTURED)
    state.token_host[token] = captor
    state.token_next[token] = NO_TOKEN
    if latest != NO_TOKEN:
        state.token_next[latest] = token


@njit
def unlink_captive(state, token):
    """Take `token` out from under its captor."""
    before = captive_before(state, np.int64(state.token_host[token]), token)
    if before != NO_TOKEN:
        state.token_next[before] = state.token_next[token]
    state.token_host[token] = NO_TOKEN
    state.token_next[token] = NO_TOKEN


# --- hands, sacks and piles by type


@njit
def find_in_zone(params, state, player, zone, type_id):
    """Return a token of type `type_id` that `player` owns in `zone`, or NO_TOKEN.

    Copies are alike, except that some in a pile lie face up. Others see whether a face-up copy is taken, so the choice
    must not depend on rows: a face-up copy goes first.
    """
    found = np.int64(NO_TOKEN)
    rest = tokens_in(state, player, zone)
    while rest != NO_BITS:
        token = first_token(params, player) + lowest_bit(rest)
        rest = without_lowest(rest)
        if state.token_type[token] == type_id:
            if is_face_up(state, token):
                return token
            if found == NO_TOKEN:
                found = token
    return found
