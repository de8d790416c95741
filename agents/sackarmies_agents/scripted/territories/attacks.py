"""Attacks of the greedy agent: odds, values of targets, choice of attackers and defenders."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.compiled import tie_break
from sackarmies_agents.scripted.territories.board import (
    MAX_LOGARITHM,
    SELF,
    SIDE_WIDTH,
    is_foreign,
    look,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.games.territories.state.actions import DONE, FIRST_CARD, FIRST_TERRITORY, FIRST_UNIT
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    DEFENDER,
    MAX_ATTACKERS,
    MAX_BORDERS,
    MAX_TERRITORIES,
    NO_TERRITORY,
    NUM_CARDS,
    NUM_UNITS,
    ODDS,
    Effect,
    Unit,
)
from sackarmies_env.games.territories.state.layout import SIDE_START, Global, Side

NEVER = -1e9

# --- forces


@njit
def plan_force(board, units):
    """Write which units of a row would attack: at most ten, strong types first, some troops among them."""
    slots = np.int64(MAX_ATTACKERS)
    others = max(np.int64(0), slots - min(np.int64(board.w_fodder), units[Unit.TROOP]))  # more fodder than slots: none
    board.force_units = 0
    board.force_dice = 0
    board.force_counters = 0
    for place in range(NUM_UNITS):
        unit = NUM_UNITS - 1 - place
        count = min(units[unit], slots if unit == Unit.TROOP else min(slots, others))
        board.force[unit] = count
        slots -= count
        others -= count
        board.force_units += count
        board.force_dice += count * board.unit_dice[unit]
        board.force_counters += count * board.unit_counter[unit]


@njit(inlined=True)
def log_ratio(board, one, other):
    """Return the logarithm of the ratio of two counts, each at least 1."""
    most = np.int64(MAX_LOGARITHM - 1)
    return board.logarithm[min(one, most)] - board.logarithm[min(other, most)]


@njit
def chance_of(board, source, target):
    """Return the chance that the planned force wins an attack; 1 if it wins without a roll."""
    if board.force_dice >= ODDS * board.dice[target]:
        return 1.0
    odds = board.w_odds_base + board.w_odds_dice * log_ratio(board, board.force_dice, board.dice[target])
    odds += board.w_odds_units * log_ratio(board, board.force_units, board.count[target])
    odds += board.w_odds_counters * (board.force_counters - board.counters[target])
    if board.elevation[source] > board.elevation[target]:
        odds += board.w_odds_height
    elif board.elevation[source] < board.elevation[target]:
        odds -= board.w_odds_height
    return 1.0 / (1.0 + np.exp(-odds))


# --- targets


@njit
def worth_of(board, target):
    """Return the value of taking a territory from its present owner, if any."""
    worth = board.w_take + board.w_beyond * (board.border[target])
    if board.held[SELF] + 1 >= board.map_domination[board.map]:
        worth += board.w_win
    owner = board.owner[target]
    if owner >= 0:
        worth += board.w_enemy + board.w_destroy * board.value[target] + board.w_finish / board.held[owner]
    return worth


@njit
def value_of_attack(board, source, target):
    """Return the value of an attack by the planned force."""
    chance = chance_of(board, source, target)
    worth = worth_of(board, target)
    if chance >= 1.0:
        return worth + board.w_sure
    return chance * worth - (1.0 - chance) * board.w_fail


@njit
def best_target(board, source, units):
    """Return the best target to attack from a territory with a row of units, and its value (NEVER if there is none)."""
    best, choice = NEVER, np.int64(0)
    plan_force(board, units)
    for border in range(MAX_BORDERS):
        target = board.neighbors[source, border]
        if is_foreign(board, target) and board.safe[target] == 0:
            value = value_of_attack(board, source, target) + tie_break(board, target)
            if value > best:
                best, choice = value, target
    return choice, best


@njit
def choose_source(board):
    """Return the source of the best attack, or the card that must first lift the bar, or DONE if none is worth it."""
    best, source = board.w_least, np.int64(NO_TERRITORY)
    for territory in range(MAX_TERRITORIES):
        if board.owner[territory] != SELF or board.count[territory] < 2:
            continue
        _target, value = best_target(board, territory, board.units[territory])
        if value > best:
            best, source = value, np.int64(territory)
    if source == NO_TERRITORY:
        return np.int64(DONE)
    last = board.legal[board.num_legal - 1]
    return last if last >= FIRST_CARD else FIRST_TERRITORY + source


@njit
def choose_target(board, source):
    """Return the best target of an attack from `source`."""
    target, _value = best_target(board, source, board.units[source])
    return FIRST_TERRITORY + target


# --- units on the battle board


@njit(inlined=True)
def on_board(seen, side, unit):
    """Return how many units of a type a side has on the battle board."""
    return look(seen, SIDE_START + side * SIDE_WIDTH + Side.TROOP + unit)


@njit
def plan_attack(board, seen):
    """Plan the force of the attack being declared; a single unit if the target is empty."""
    source, target = look(seen, Global.SOURCE), look(seen, Global.TARGET)
    for unit in range(NUM_UNITS):
        board.units[source, unit] += on_board(seen, ATTACKER, unit)
    plan_force(board, board.units[source])
    if board.count[target] == 0:
        is_named = False
        for unit in range(NUM_UNITS):
            board.force[unit] = 0 if is_named else min(board.force[unit], np.int64(1))
            is_named = is_named or board.force[unit] > 0


@njit
def choose_attack_unit(board, seen):
    """Return the next unit type that the planned force still lacks, or DONE."""
    plan_attack(board, seen)
    for place in range(NUM_UNITS):
        unit = NUM_UNITS - 1 - place
        if board.force[unit] > on_board(seen, ATTACKER, unit):
            return np.int64(FIRST_UNIT + unit)
    return np.int64(DONE)


@njit
def attack_quantity(board, seen):
    """Return how many units of the named type attack."""
    plan_attack(board, seen)
    unit = look(seen, Global.CHAIN)
    return board.force[unit] - on_board(seen, ATTACKER, unit)


# --- the answer


@njit
def dice_on_board(board, seen, side):
    """Return how many dice the units of a side on the battle board roll."""
    dice = np.int64(0)
    for unit in range(NUM_UNITS):
        dice += board.unit_dice[unit] * on_board(seen, side, unit)
    return dice


@njit
def count_attackers(board, seen):
    """Set the totals of the planned force to those of the attackers on the battle board."""
    board.force_units = 0
    board.force_dice = 0
    board.force_counters = 0
    for unit in range(NUM_UNITS):
        count = on_board(seen, ATTACKER, unit)
        board.force_units += count
        board.force_dice += count * board.unit_dice[unit]
        board.force_counters += count * board.unit_counter[unit]


@njit
def cancelling_card(board):
    """Return the legal id of a card that cancels the attack, or DONE."""
    for i in range(board.num_legal):
        card = board.legal[i] - FIRST_CARD
        if 0 <= card < NUM_CARDS and board.card_effect[card] == Effect.CANCEL_ATTACK:
            return board.legal[i]
    return np.int64(DONE)


@njit
def missing_dice(board, seen):
    """Return how many more dice the defender wants on the battle board; 0 if the attack is won even against all."""
    count_attackers(board, seen)
    target, has = look(seen, Global.TARGET), dice_on_board(board, seen, DEFENDER)
    if board.force_dice >= ODDS * (board.dice[target] + has):
        return np.int64(0)
    return max(np.int64(0), board.force_dice + np.int64(board.w_margin) - has)


@njit
def choose_defense_unit(board, seen):
    """Return a card that cancels a dangerous attack, the next unit type to defend, or DONE."""
    missing = missing_dice(board, seen)
    card = cancelling_card(board)
    if card != DONE:
        chance = chance_of(board, look(seen, Global.SOURCE), look(seen, Global.TARGET))
        if chance >= board.w_cancel:
            return card
    if missing == 0:
        return np.int64(DONE)
    for place in range(NUM_UNITS):
        unit = NUM_UNITS - 1 - place
        if board.units[look(seen, Global.TARGET), unit] > 0:
            return np.int64(FIRST_UNIT + unit)
    return np.int64(DONE)


@njit
def defense_quantity(board, seen):
    """Return how many units of the named type defend."""
    dice = board.unit_dice[look(seen, Global.CHAIN)]
    return (missing_dice(board, seen) + dice - 1) // dice
