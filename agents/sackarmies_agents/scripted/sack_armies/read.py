"""Reading of one observation into the tables of the greedy General."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.sack_armies.board import (
    AMBUSHES,
    AQUATIC,
    CHANGES_STATS,
    CHARGES,
    CLOSED,
    DEFENDS,
    FAVORS_AQUATIC,
    FLIES,
    HALTS,
    LABEL_BITS,
    LEADS,
    MOVE_UNKNOWN,
    NO_CELL,
    NO_FIELD,
    NO_UNIT,
    NOBODY,
    SCATTERS,
    SEALED,
    SELF,
    SPARES_AQUATIC,
    SPARES_WINGED,
    SWIMS,
    UNKNOWN,
    UNREACHED,
    UNWEIGHED,
    WATER,
    WINGED,
    armor_bonus,
    cell_from,
    concerns,
    damage_bonus,
    look,
    look_general,
    mask_of,
    read_label,
    see,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import Use
from sackarmies_env.games.sack_armies.state.layout import (
    GENERAL_START,
    TOKEN_WIDTH,
    General,
    Global,
    Place,
    Shown,
    ShownFace,
    Token,
)

PART = 240  # numbers of 8 bits that are summed in 16: the sum of any 256 fits
LATE = 30.0  # percent of the turns that a game may take, before haste sets in

# --- units


@njit(inlined=True)
def trait_if(board, row, column, trait):
    """Return `trait` if a feature of a token is above 0, else 0."""
    return np.int64(trait) if look(board, row, column) > 0 else np.int64(0)


@njit(inlined=True)
def read_traits(board, unit, row):
    """Read which abilities a known unit has, and which of them work now."""
    winged = trait_if(board, row, Token.FLYING, WINGED)
    aquatic = trait_if(board, row, Token.AQUATIC, AQUATIC)
    traits = winged | aquatic
    traits |= trait_if(board, row, Token.AMBUSH, AMBUSHES)
    traits |= trait_if(board, row, Token.LEADERSHIP, LEADS)
    traits |= trait_if(board, row, Token.MOVE_AND_ATTACK, CHARGES)
    traits |= trait_if(board, row, Token.SCATTER, SCATTERS)
    if board.unit_up[unit] == 1:
        traits |= trait_if(board, row, Token.DEFEND, DEFENDS)
        traits |= (FLIES if winged != 0 else 0) | (SWIMS if aquatic != 0 else 0)
    board.unit_traits[unit] = traits
    return traits


@njit(inlined=True)
def label_of(board, row):
    """Return class, homeland and keyword of a known unit in one number, in bytes as texts demand them."""
    label = look(board, row, Token.KEYWORD)
    label = (label << LABEL_BITS) | (look(board, row, Token.HOMELAND) + 1)
    return (label << LABEL_BITS) | (look(board, row, Token.CLASS) + 1)


@njit(inlined=True)
def read_known_unit(board, unit, row):
    """Read the stats of a unit that is known; in hand the printed ones."""
    on_board = look(board, row, Token.PLACE) == Place.BATTLEGROUND
    board.unit_move[unit] = look(board, row, Token.EFFECTIVE_MOVEMENT if on_board else Token.MOVEMENT)
    board.unit_damage[unit] = look(board, row, Token.EFFECTIVE_DAMAGE if on_board else Token.DAMAGE)
    board.unit_armor[unit] = look(board, row, Token.EFFECTIVE_ARMOR if on_board else Token.ARMOR)
    board.unit_reach[unit] = look(board, row, Token.RANGE)
    board.unit_sight[unit] = max(np.int64(1), look(board, row, Token.SIGHT) * board.unit_up[unit])
    board.unit_label[unit] = label_of(board, row)
    charges = (read_traits(board, unit, row) & CHARGES) != 0
    board.unit_notice[unit] = max(board.unit_reach[unit], board.unit_move[unit] + 1 if charges else np.int64(1))
    board.unit_value[unit] = board.w_body + board.w_rank * look(board, row, Token.RANK)


@njit(inlined=True)
def sample_unit(board, unit, row):
    """Assume a plain soldier where a unit is not known, at least as good as it has shown itself."""
    board.unit_move[unit] = max(np.int64(1), look(board, row, Token.PUBLIC_MOVEMENT))
    board.unit_damage[unit] = 2
    board.unit_armor[unit] = max(np.int64(2), look(board, row, Token.PUBLIC_ARMOR))
    board.unit_reach[unit] = 0
    board.unit_sight[unit] = 1
    board.unit_notice[unit] = 1
    board.unit_traits[unit] = 0
    board.unit_label[unit] = 0
    board.unit_value[unit] = board.w_body + board.w_rank * board.w_guessed_rank


@njit(inlined=True)
def add_enemy(board, unit):
    """Add a unit on the board to the enemies."""
    i = board.num_enemies
    board.num_enemies += 1
    board.enemies[i] = unit
    board.unit_pressers[unit] = UNKNOWN


@njit
def read_unit(board, row, cell):
    """Add a unit on the board or in hand (`cell` NO_CELL) to the table."""
    unit = board.num_units
    board.num_units += 1
    board.unit_cell[unit] = cell
    board.unit_row[unit] = row
    board.unit_seat[unit] = look(board, row, Token.CONTROLLER)
    board.unit_up[unit] = look(board, row, Token.FACE) != ShownFace.DOWN
    board.unit_known[unit] = look(board, row, Token.TYPE_LOW) != 0 or look(board, row, Token.TYPE_HIGH) != 0
    board.unit_attached[unit] = look(board, row, Token.ATTACHMENTS)
    board.unit_idle[unit] = look(board, row, Token.EMPLOYED) == 0
    board.unit_spare_armor[unit] = 0
    board.unit_spare_damage[unit] = 0
    board.move_known[unit] = MOVE_UNKNOWN
    if board.unit_known[unit] == 1:
        read_known_unit(board, unit, row)
    else:
        sample_unit(board, unit, row)
    board.unit_value[unit] += board.w_attached * board.unit_attached[unit]
    if cell != NO_CELL:
        open_cell(board, cell)
        board.cell_unit[cell] = unit
        board.cell_guard[cell] = NOBODY if (board.unit_traits[unit] & FLIES) != 0 else board.unit_seat[unit]
        if board.unit_seat[unit] != SELF:
            add_enemy(board, unit)
    return unit


# --- battlefields


@njit
def read_field(board, row, cell):
    """Add a battlefield, and its hex and those around it to the ground."""
    field = board.num_fields
    board.num_fields += 1
    board.field_cell[field] = cell
    board.field_row[field] = row
    board.field_owner[field] = look(board, row, Token.OWNER)
    board.field_controller[field] = look(board, row, Token.CONTROLLER)
    board.field_damage[field] = look(board, row, Token.DAMAGE)
    board.field_armor[field] = look(board, row, Token.ARMOR)
    board.field_traits[field] = field_traits(board, row)
    board.field_label[field] = read_label(board, row)
    board.field_mask[field] = mask_of(board.field_label[field])
    board.cell_field[cell] = field
    open_cell(board, cell)
    for direction in range(6):
        neighbor = board.neighbors[cell, direction]
        if neighbor != NO_CELL:
            open_cell(board, neighbor)


@njit(inlined=True)
def field_traits(board, row):
    """Return the traits of a battlefield."""
    traits = trait_if(board, row, Token.HALTS, HALTS) | trait_if(board, row, Token.FLYING, SPARES_WINGED)
    traits |= trait_if(board, row, Token.AQUATIC, SPARES_AQUATIC)
    traits |= trait_if(board, row, Token.WATER, WATER | SPARES_AQUATIC)
    traits |= trait_if(board, row, Token.FAVORS_AQUATIC, FAVORS_AQUATIC)
    changes = look(board, row, Token.DAMAGE) != 0 or look(board, row, Token.ARMOR) != 0
    return traits | (CHANGES_STATS if changes else 0)


@njit(inlined=True)
def open_cell(board, cell):
    """Add a cell to the ground that units can stand on."""
    if board.cell_steps[cell] == CLOSED:
        board.cell_steps[cell] = UNREACHED
        board.ground[board.num_ground] = cell
        board.num_ground += 1


# --- all tokens


@njit(inlined=True)
def clear_board(board):
    """Forget the last observation: only what it filled."""
    for i in range(board.num_ground):
        cell = board.ground[i]
        board.cell_field[cell] = NO_FIELD
        board.cell_steps[cell] = CLOSED
        board.cell_pull[cell] = SEALED
    for unit in range(board.num_on_board):
        board.cell_unit[board.unit_cell[unit]] = NO_UNIT
        board.cell_guard[board.unit_cell[unit]] = NOBODY
    board.pair_unit = NO_UNIT
    board.num_units = 0
    board.num_on_board = 0
    board.num_enemies = 0
    board.num_fields = 0
    board.num_stacked = 0
    board.num_hand = 0
    board.num_ground = 0


@njit(inlined=True)
def read_row(board, row, place):
    """Read one token."""
    cell = cell_from(board, look(board, row, Token.Q), look(board, row, Token.R))
    kind = look(board, row, Token.KIND)
    if place == Place.HAND:
        board.hand_row[board.num_hand] = row
        board.num_hand += 1
    elif place == Place.ATTACHED:
        board.stacked_row[board.num_stacked] = row
        board.stacked_host[board.num_stacked] = board.cell_unit[cell]
        board.num_stacked += 1
    elif place == Place.BATTLEGROUND:
        if kind == Shown.BATTLEFIELD:
            read_field(board, row, cell)
        else:
            read_unit(board, row, cell)


@njit
def read_hand(board):
    """Add the units in hand to the table, after those on the board."""
    for i in range(board.num_hand):
        row = board.hand_row[i]
        is_unit = look(board, row, Token.KIND) == Shown.UNIT
        board.hand_worth[i] = UNWEIGHED
        board.hand_unit[i] = read_unit(board, row, np.int64(NO_CELL)) if is_unit else np.int64(NO_UNIT)


@njit
def bare_stats(board):
    """Take the terrain that each unit stands on out of its armor and damage."""
    for unit in range(board.num_on_board):
        cell = board.unit_cell[unit]
        if board.unit_known[unit] == 1 and concerns(board, board.cell_field[cell], np.int64(unit)):
            board.unit_armor[unit] -= armor_bonus(board, np.int64(unit), cell)
            board.unit_damage[unit] -= damage_bonus(board, np.int64(unit), cell)


@njit(inlined=True)
def is_spare(board, row):
    """Return whether `row` is a free spell or maneuver of the observer's that is not revealed yet."""
    return (
        look(board, row, Token.OWNER) == SELF
        and look(board, row, Token.USE) == Use.FREE
        and look(board, row, Token.FACE) == ShownFace.DOWN
    )


@njit
def count_spares(board):
    """Add to own units what their unrevealed free spells and maneuvers will add."""
    for i in range(board.num_stacked):
        row = board.stacked_row[i]
        if is_spare(board, row):
            unit = board.stacked_host[i]
            armor = look(board, row, Token.ARMOR)
            damage = look(board, row, Token.DAMAGE)
            board.unit_spare_armor[unit] += armor
            board.unit_spare_damage[unit] += damage
            board.unit_armor[unit] += armor
            board.unit_damage[unit] += damage


# --- how things stand


@njit
def strength(board, seat):
    """Return how much of an army a General has left: tokens on the board and still to come."""
    total = 2.0 + look_general(board, seat, General.UNITS) + 0.7 * look_general(board, seat, General.HAND)
    return total + 0.7 * max(np.int64(0), look_general(board, seat, General.SACK))


@njit
def weigh_caution(board):
    """Value own losses less the stronger one is, and the longer nothing has happened."""
    others = 0.0
    count = 0.0
    for seat in range(1, board.num_players):
        if look_general(board, seat, General.ALIVE) == 1:
            others += strength(board, np.int64(seat))
            count += 1.0
    ratio = others / max(1.0, count) / strength(board, np.int64(SELF))
    board.haste = max(0.0, (see(board, Global.TURN_PERCENT) - LATE) / (100.0 - LATE))
    board.caution = min(1.25, max(0.6, ratio)) * (1.0 - 0.006 * see(board, Global.IDLE_PERCENT))
    board.caution *= (1.0 - 0.5 * board.haste) * board.w_caution


@njit
def scarcity(board, seat):
    """Return by how much the units of a General are dearer because few tokens are left to them."""
    left = look_general(board, seat, General.UNITS) + look_general(board, seat, General.HAND)
    left += max(np.int64(0), look_general(board, seat, General.SACK))
    return min(4.0, max(1.0, board.w_scarce / max(np.int64(1), left)))


@njit
def weigh_scarcity(board):
    """Value units more, the fewer tokens their General has left: the last ones decide the game."""
    for seat in range(board.num_players):
        board.seat_scarcity[seat] = scarcity(board, np.int64(seat))
    for unit in range(board.num_units):
        board.unit_value[unit] *= board.seat_scarcity[board.unit_seat[unit]]


# --- the observation


@njit(inlined=True)
def sum_up(observation, end):
    """Return the sum of the first `end` numbers of an observation.

    It is taken by parts, so that 16 bits hold the sum of each: sums of 32 bits take twice as long.
    """
    total = np.int64(0)
    for start in range(0, end, PART):
        part = np.int16(0)
        for i in range(np.uint64(start), np.uint64(min(start + PART, end))):
            part = np.int16(part + observation[i])
        total += part
    return total


@njit(inlined=True)
def copy_observation(board, observation):
    """Copy an observation up to its last token, and sum it up; the unused rows behind are zero.

    Returns:
        Whether the position is another one than that of the observation before. What the observer has chosen so far and
        what has been announced are no part of it, nor are the parts that tokens have in it and the events.
    """
    end = board.rows_start
    while end <= board.last_row and observation[end + Token.PLACE] != Place.NONE:
        end += TOKEN_WIDTH
    differs = np.int8(end != board.rows_end) | np.int8(board.has_position == 0)
    differs |= board.seen[Global.TURN_PERCENT] ^ observation[Global.TURN_PERCENT]
    differs |= board.seen[Global.IDLE_PERCENT] ^ observation[Global.IDLE_PERCENT]
    for i in range(GENERAL_START):
        board.seen[i] = observation[i]
    # Narrow numbers, of which the processor takes many at once: numba would make all of them int64.
    changed = np.int8(0)
    for i in range(np.uint64(GENERAL_START), np.uint64(end)):
        changed = np.int8(changed | ((board.seen[i] ^ observation[i]) & board.lasting[i]))
        board.seen[i] = observation[i]
    board.checksum = sum_up(observation, end)
    board.rows_end = end
    return differs != 0 or changed != 0


@njit
def read_board(board, observation):
    """Read an observation, `(size,)` int8, into the tables, unless they are those of its position already."""
    if copy_observation(board, observation):
        read_position(board)


@njit
def read_position(board):
    """Read the position in the copy of the observation into the tables."""
    clear_board(board)
    for row in range(board.rows_start, board.rows_end, TOKEN_WIDTH):
        read_row(board, np.int64(row), look(board, row, Token.PLACE))
    board.num_on_board = board.num_units
    read_hand(board)
    bare_stats(board)
    count_spares(board)
    weigh_scarcity(board)
    weigh_caution(board)
    board.is_light = board.w_prospect == 0.0 and board.w_danger == 0.0
    board.surveyed = 0
    board.has_position = 1
