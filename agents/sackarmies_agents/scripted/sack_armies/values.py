"""Value of each legal id to the greedy General at the current decision."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.sack_armies.attacks import (
    NEVER,
    aim_value,
    best_aim,
    best_stack_value,
    joint_attack,
    stack_value,
    verb_value,
)
from sackarmies_agents.scripted.sack_armies.board import (
    CHARGES,
    NO_UNIT,
    cell_from,
    gap_between,
    is_a,
    is_mine,
    look,
    see,
    type_at,
    type_of_row,
    unit_on,
)
from sackarmies_agents.scripted.sack_armies.deploy import (
    best_move,
    deploy_value,
    draw_value,
    field_site_value,
    hand_value,
    host_value,
    keep_value,
    move_value,
)
from sackarmies_agents.scripted.sack_armies.odds import is_ranged
from sackarmies_agents.scripted.sack_armies.places import better_place, place_value
from sackarmies_agents.scripted.sack_armies.reactions import (
    advance_value,
    attack_target,
    best_surprise,
    best_token_unveiling,
    best_unveiling,
    counter_value,
    designation_value,
    first_attacker,
    surprise_on,
    surprise_value,
    unveil_token_value,
    unveil_value,
)
from sackarmies_agents.scripted.sack_armies.read import is_spare
from sackarmies_agents.scripted.sack_armies.texts import (
    acting_unit,
    activation_value,
    best_cast_of,
    best_custom_of,
    best_text_value,
    running_row,
    text_value,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import NUM_SLOTS, NUM_VERBS, Decision, Target, Verb
from sackarmies_env.games.sack_armies.state.layout import OWN_SACK, TOKEN_WIDTH, Global, Place, Shown, Token

# --- what has been chosen so far


@njit
def chosen_unit(board):
    """Return the unit on the first hex of the choice so far, or NO_UNIT."""
    return unit_on(board, cell_from(board, see(board, Global.CHAIN_Q), see(board, Global.CHAIN_R)))


@njit
def stacked_at(board, host, slot):
    """Return the entry of the spell or maneuver in a slot of `host`, or -1."""
    for i in range(board.num_stacked):
        if board.stacked_host[i] == host and look(board, board.stacked_row[i], Token.SLOT) == slot:
            return np.int64(i)
    return np.int64(-1)


@njit
def in_hand(board, token_type):
    """Return the index in hand of a token of this type, or -1."""
    for i in range(board.num_hand):
        if type_of_row(board, board.hand_row[i]) == token_type:
            return np.int64(i)
    return np.int64(-1)


@njit
def is_attack_on(board):
    """Return whether an attack has been announced."""
    return see(board, Global.ATTACK_VERB) != 0 and attack_target(board) != NO_UNIT


# --- reveals on one's own turn


@njit
def readying_value(board, i):
    """Return the value of revealing entry `i` of the spells and maneuvers so that its host can attack with it."""
    row = board.stacked_row[i]
    host = board.stacked_host[i]
    if not is_spare(board, row) or board.unit_idle[host] == 0:
        return NEVER
    reach = look(board, row, Token.RANGE)
    if look(board, row, Token.MOVE_AND_ATTACK) > 0 and not is_a(board, host, CHARGES):
        reach = max(reach, board.unit_move[host] + 1)
    for enemy in range(board.num_on_board):
        gap = gap_between(board, board.unit_cell[enemy], board.unit_cell[host])
        if not is_mine(board, enemy) and board.unit_up[enemy] == 1 and board.unit_reach[host] < gap <= reach:
            return board.unit_value[enemy]
    return NEVER


@njit
def best_readying(board, host):
    """Return the value of the best such reveal for `host` (NO_UNIT: for any unit)."""
    best = NEVER
    for i in range(board.num_stacked):
        if host == NO_UNIT or board.stacked_host[i] == host:
            best = max(best, readying_value(board, np.int64(i)))
    return best


@njit
def reveal_hex_value(board, unit):
    """Return the value of choosing `unit` for a reveal, of itself or of something beneath it."""
    if see(board, Global.CHAIN_VERB) == Verb.REVEAL_UNIT:
        return unveil_value(board, unit) if is_attack_on(board) else -board.unit_value[unit]
    return best_token_unveiling(board, unit) if is_attack_on(board) else best_readying(board, unit)


# --- verbs


@njit
def action_value(board, verb, fallback):
    """Return the value of beginning an action on one's own turn.

    `fallback`: the value of what is left if the check of a coordinated attack fails.
    """
    if verb == Verb.DRAW:
        return draw_value(board)
    if verb == Verb.DEPLOY:
        return deploy_value(board)
    if verb == Verb.MOVE:
        return move_value(board, board.floor)
    if verb == Verb.RAISE:
        return board.w_raising
    if verb == Verb.CAST or verb == Verb.CUSTOM:
        return activation_value(board, verb)
    if verb == Verb.REVEAL_TOKEN:
        ready = best_readying(board, np.int64(NO_UNIT))
        return -NEVER if ready > NEVER else NEVER
    if verb == Verb.REVEAL_UNIT:
        return NEVER
    if verb == Verb.CONCEDE:
        return 2.0 * NEVER
    if verb == Verb.PASS:
        return 0.0
    return verb_value(board, verb, fallback)


@njit
def answer_value(board, decision, verb):
    """Return the value of a verb as the answer to a question; that of PASS is 0."""
    if decision == Decision.WINDOW:
        if verb == Verb.PASS:
            return 0.0
        if not is_attack_on(board):
            return NEVER
        if verb == Verb.SURPRISE:
            return best_surprise(board)
        if verb == Verb.REVEAL_UNIT:
            return best_unveiling(board)
        return best_token_unveiling(board, np.int64(NO_UNIT))
    if verb == Verb.PASS:
        return 0.0
    if decision == Decision.COUNTER:
        return counter_value(board)
    if decision == Decision.ADVANCE:
        return advance_value(board, first_attacker(board))
    return 1.0  # an ambush costs nothing, and what can be saved is saved


# --- types


@njit
def known_value(board, token_type):
    """Return the value of units of a type, going by one on the board or in hand; a guess if there is none."""
    for unit in range(board.num_units):
        if type_of_row(board, board.unit_row[unit]) == token_type:
            return board.w_body + board.w_rank * look(board, board.unit_row[unit], Token.RANK)
    return board.w_body + board.w_rank * board.w_guessed_rank


@njit
def pick_value(board, token_type):
    """Return the value of placing a battlefield of this type first, where the fighting will be."""
    for row in range(board.rows_start, board.rows_end, TOKEN_WIDTH):
        if look(board, row, Token.PLACE) == Place.PICKED and type_of_row(board, row) == token_type:
            return np.float64(look(board, row, Token.ARMOR) + look(board, row, Token.DAMAGE))
    return 0.0


@njit
def type_value(board, decision, token_type):
    """Return the value of naming a type."""
    if decision == Decision.SETUP_PICK:  # copies are limited by rank: what is rare is good
        return -np.float64(see(board, board.types_start + token_type * board.types_width + OWN_SACK))
    if decision == Decision.SETUP_TYPE:
        return pick_value(board, token_type)
    if decision == Decision.RAISE_TYPE or decision == Decision.EFFECT_TYPE:
        return known_value(board, token_type)
    i = in_hand(board, token_type)
    if i == -1:
        return NEVER
    return -keep_value(board, i) if decision == Decision.DISCARD else hand_value(board, i)


# --- slots


@njit
def slot_value(board, decision, slot):
    """Return the value of naming an attachment slot."""
    host = chosen_unit(board)
    if decision == Decision.TOKEN_SLOT:
        host = unit_on(board, cell_from(board, see(board, Global.CHAIN_SECOND_Q), see(board, Global.CHAIN_SECOND_R)))
    elif decision == Decision.EFFECT_SLOT:
        host = unit_on(board, cell_from(board, see(board, Global.ACT_Q), see(board, Global.ACT_R)))
    elif decision == Decision.SURPRISE_SLOT:
        host = attack_target(board)
    i = stacked_at(board, host, slot)
    if i == -1:
        return 0.0
    if decision == Decision.REVEAL_SLOT:
        return unveil_token_value(board, i) if is_attack_on(board) else readying_value(board, i)
    if decision == Decision.CAST_SLOT:
        return best_text_value(board, board.stacked_row[i], host)
    if decision == Decision.SURPRISE_SLOT:
        return surprise_value(board, i)
    return stack_value(board, i)


# --- hexes


@njit
def entry_value(board, cell):
    """Return the value of deploying the chosen token to `cell`."""
    i = in_hand(board, type_at(board, np.int64(Global.CHAIN_TYPE_LOW)))
    if i == -1:
        return 0.0
    if board.hand_unit[i] != NO_UNIT:
        return better_place(board, board.hand_unit[i], cell, board.floor)
    if look(board, board.hand_row[i], Token.KIND) == Shown.BATTLEFIELD:
        return field_site_value(board, cell)
    return host_value(board, board.cell_unit[cell])


@njit
def source_value(board, verb, unit):
    """Return the value of `unit` doing what `verb` names."""
    if verb == Verb.CAST:
        return best_cast_of(board, unit)
    if verb == Verb.CUSTOM:
        return best_custom_of(board, unit)
    if verb == Verb.RAISE:
        return board.cell_pull[board.unit_cell[unit]]
    return best_aim(board, verb, unit)


@njit
def effect_value(board, decision, cell):
    """Return the value of aiming the running text at `cell`, or of ending its relocation there."""
    host = acting_unit(board)
    if host == NO_UNIT:
        return 0.0
    row = running_row(board, host)
    if decision == Decision.EFFECT_HEX:
        moved = host
        if look(board, row, Token.TARGET) != Target.HOST:
            moved = unit_on(board, cell_from(board, see(board, Global.ACT_Q), see(board, Global.ACT_R)))
        return place_value(board, moved, cell) if moved != NO_UNIT else 0.0
    if see(board, Global.ACT_VERB) == Verb.SURPRISE:
        return surprise_on(board, row, attack_target(board), cell)
    return text_value(board, row, host, cell)


@njit
def hex_value(board, decision, cell):
    """Return the value of naming a hex."""
    if decision == Decision.SETUP_HEX:
        return field_site_value(board, cell)
    if decision == Decision.DEPLOY_HEX:
        return entry_value(board, cell)
    if decision == Decision.MOVE_TO:
        return better_place(board, chosen_unit(board), cell, board.floor)
    if decision == Decision.CHARGE_TO:
        return better_place(board, first_attacker(board), cell, board.floor)
    if decision == Decision.RAISE_HEX:
        return board.cell_want[cell] + board.w_pull * board.cell_pull[cell]
    if decision == Decision.EFFECT_TARGET or decision == Decision.EFFECT_HEX:
        return effect_value(board, decision, cell)
    return unit_choice_value(board, decision, board.cell_unit[cell])


@njit
def unit_choice_value(board, decision, unit):
    """Return the value of naming `unit` by its hex."""
    verb = see(board, Global.CHAIN_VERB)
    if decision == Decision.MOVE_UNIT:
        return best_move(board, unit, board.floor)
    if decision == Decision.SOURCE or decision == Decision.CAST_HOST:
        return source_value(board, verb, unit)
    if decision == Decision.TARGET:
        return aim_value(board, verb, chosen_unit(board), unit)
    if decision == Decision.COORD_TARGET:
        return joint_attack(board, unit, is_ranged(verb), 0.0)
    if decision == Decision.COORD_MEMBER:
        return 1.0 if board.unit_named[unit] == 1 else -1.0
    if decision == Decision.TOKEN_HOST:
        return best_stack_value(board, unit)
    if decision == Decision.DESIGNATE:
        return designation_value(board, unit)
    if decision == Decision.ADVANCE:
        return advance_value(board, unit)
    return reveal_hex_value(board, unit)


# --- any id except those of the menu


@njit
def value_of(board, decision, action):
    """Return the value of `action` at any decision except the menu."""
    if action < NUM_VERBS:
        return answer_value(board, decision, action)
    token_type = action - NUM_VERBS
    if token_type < board.num_types:
        return type_value(board, decision, token_type)
    slot = token_type - board.num_types
    if slot < NUM_SLOTS:
        return slot_value(board, decision, slot)
    return hex_value(board, decision, slot - NUM_SLOTS)
