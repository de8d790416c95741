"""Plans of the greedy General: what each legal id leads to, if it begins a longer choice."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.sack_armies.attacks import (
    NEVER,
    aim_value,
    can_aim,
    is_attack,
    joint_attack,
    may_attack,
)
from sackarmies_agents.scripted.sack_armies.board import NO_CELL, NO_UNIT, is_mine, look, see, type_at, type_of_row
from sackarmies_agents.scripted.sack_armies.deploy import best_move, can_host, hand_value, host_value
from sackarmies_agents.scripted.sack_armies.odds import is_ranged
from sackarmies_agents.scripted.sack_armies.reactions import first_attacker
from sackarmies_agents.scripted.sack_armies.values import chosen_unit, in_hand, source_value
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import NUM_SLOTS, NUM_VERBS, Decision, Verb
from sackarmies_env.games.sack_armies.state.layout import Global, Shown, Token

ACTOR, GOAL = 0, 1  # in a plan: id of the acting unit's hex, or of the type of a token in hand; id of a hex
UNNAMED = -1  # in their place: there is none, or the id itself or the choice so far names it already
FLOOR = 4.0 * NEVER  # below all values

# --- the best of each kind


@njit
def cell_id(board, cell):
    """Return the id that names `cell`; UNNAMED for NO_CELL."""
    return NUM_VERBS + board.num_types + NUM_SLOTS + cell if cell != NO_CELL else np.int64(UNNAMED)


@njit
def best_target(board, verb, unit):
    """Return the best target for own `unit` to do what `verb` names; NO_UNIT if there is none."""
    best, found = NEVER, np.int64(NO_UNIT)
    for other in range(board.num_on_board):
        target = np.int64(other)
        is_possible = may_attack(board, unit, target, verb) if is_attack(verb) else can_aim(board, verb, unit, target)
        if is_possible:
            value = aim_value(board, verb, unit, target)
            if value > best:
                best, found = value, target
    return found


@njit
def deed_value(board, verb, unit):
    """Return the value of the best way for own `unit` to do what `verb` names."""
    return best_move(board, unit, FLOOR) if verb == Verb.MOVE else source_value(board, verb, unit)


@njit
def best_actor(board, verb):
    """Return the own unit that would best do what `verb` names; NO_UNIT if none can."""
    best, found = NEVER, np.int64(NO_UNIT)
    for unit in range(board.num_on_board):
        if is_mine(board, unit):
            value = deed_value(board, verb, np.int64(unit))
            if value > best:
                best, found = value, np.int64(unit)
    return found


@njit
def best_in_hand(board):
    """Return the index in hand of the token that is best deployed; -1 if none is worth deploying."""
    best, found = 0.0, np.int64(-1)
    for i in range(board.num_hand):
        value = hand_value(board, np.int64(i))
        if value > best:
            best, found = value, np.int64(i)
    return found


@njit
def entry_of(board, i):
    """Return the cell where token `i` of the hand is best deployed; NO_CELL for none, and for battlefields."""
    if hand_value(board, i) == NEVER or look(board, board.hand_row[i], Token.KIND) == Shown.BATTLEFIELD:
        return np.int64(NO_CELL)
    if board.hand_unit[i] != NO_UNIT:
        return board.entry_end[board.hand_unit[i]]
    best, found = NEVER, np.int64(NO_CELL)
    for unit in range(board.num_on_board):
        if is_mine(board, unit) and can_host(board, np.int64(unit), board.hand_row[i]):
            value = host_value(board, np.int64(unit))
            if value > best:
                best, found = value, board.unit_cell[unit]
    return found


@njit
def goal_of(board, verb, unit):
    """Return the cell where own `unit` would do what `verb` names; NO_CELL if there is none, or none is planned."""
    if verb == Verb.MOVE:
        return board.move_end[unit] if best_move(board, unit, FLOOR) > NEVER else np.int64(NO_CELL)
    if verb == Verb.CAST or verb == Verb.CUSTOM or verb == Verb.RAISE:
        return np.int64(NO_CELL)
    target = best_target(board, verb, unit)
    return board.unit_cell[target] if target != NO_UNIT else np.int64(NO_CELL)


# --- plans: each function writes one and returns the unit that acts and the cell where it acts


@njit
def plan_joint_attack(board, verb, plan):
    """Plan a coordinated attack; the hardest-hitting attacker stands for all."""
    best, found = NEVER, np.int64(NO_UNIT)
    for i in range(board.num_enemies):
        enemy = board.enemies[i]
        if board.unit_up[enemy] == 1:
            value = joint_attack(board, enemy, is_ranged(verb), 0.0)
            if value > best:
                best, found = value, enemy
    if found == NO_UNIT:
        return np.int64(NO_UNIT), np.int64(NO_CELL)
    joint_attack(board, found, is_ranged(verb), 0.0)  # lists its attackers again
    leader = board.queue[0]
    plan[ACTOR] = cell_id(board, board.unit_cell[leader])
    plan[GOAL] = cell_id(board, board.unit_cell[found])
    return leader, board.unit_cell[found]


@njit
def plan_deployment(board, i, plan):
    """Plan to deploy token `i` of the hand."""
    cell = entry_of(board, i)
    plan[GOAL] = cell_id(board, cell)
    return board.hand_unit[i], cell


@njit
def plan_verb(board, verb, plan):
    """Plan the action that a verb of the menu begins."""
    if verb == Verb.DEPLOY:
        i = best_in_hand(board)
        if i == -1:
            return np.int64(NO_UNIT), np.int64(NO_CELL)
        plan[ACTOR] = NUM_VERBS + type_of_row(board, board.hand_row[i])
        return plan_deployment(board, i, plan)
    if verb == Verb.COORD_MELEE or verb == Verb.COORD_RANGED:
        return plan_joint_attack(board, verb, plan)
    is_idle = verb == Verb.DRAW or verb == Verb.PASS or verb == Verb.CONCEDE
    if is_idle or verb == Verb.REVEAL_TOKEN or verb == Verb.REVEAL_UNIT:
        return np.int64(NO_UNIT), np.int64(NO_CELL)
    unit = best_actor(board, verb)
    if unit == NO_UNIT:
        return unit, np.int64(NO_CELL)
    cell = goal_of(board, verb, unit)
    plan[ACTOR] = cell_id(board, board.unit_cell[unit])
    plan[GOAL] = cell_id(board, cell)
    return unit, cell


@njit
def plan_hex(board, decision, cell, plan):
    """Plan what naming a hex leads to."""
    if decision == Decision.MOVE_UNIT or decision == Decision.SOURCE:
        verb = np.int64(Verb.MOVE) if decision == Decision.MOVE_UNIT else see(board, Global.CHAIN_VERB)
        unit = board.cell_unit[cell]
        goal = goal_of(board, verb, unit)
        plan[GOAL] = cell_id(board, goal)
        return unit, goal
    if decision == Decision.MOVE_TO or decision == Decision.TARGET:
        return chosen_unit(board), cell
    if decision == Decision.CHARGE_TO:
        return first_attacker(board), cell
    if decision == Decision.DEPLOY_HEX:
        i = in_hand(board, type_at(board, np.int64(Global.CHAIN_TYPE_LOW)))
        return board.hand_unit[i] if i != -1 else np.int64(NO_UNIT), cell
    return np.int64(NO_UNIT), cell


@njit
def plan_id(board, decision, action, plan):
    """Write what a legal id leads to into `plan` (2,), see ACTOR and GOAL.

    Returns:
        The unit that acts, on the board or in hand, and the cell where it acts; NO_UNIT and NO_CELL for none.
    """
    plan[:] = UNNAMED
    board.floor = FLOOR
    if decision == Decision.MENU:
        return plan_verb(board, action, plan)
    cell = action - (NUM_VERBS + board.num_types + NUM_SLOTS)
    if cell >= 0:
        return plan_hex(board, decision, cell, plan)
    if decision == Decision.DEPLOY_TYPE and action >= NUM_VERBS:
        i = in_hand(board, action - NUM_VERBS)
        if i != -1:
            return plan_deployment(board, i, plan)
    return np.int64(NO_UNIT), np.int64(NO_CELL)
