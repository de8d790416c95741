"""The turn of the greedy agent: troops, standard actions, exchanges, moves, discards."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.compiled import tie_break
from sackarmies_agents.scripted.territories.attacks import NEVER, best_target
from sackarmies_agents.scripted.territories.board import (
    SELF,
    find_distances,
    is_foreign,
    look,
    threat_to,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.games.territories.state.actions import (
    DONE,
    DRAW,
    EXTRA_EXCHANGE,
    EXTRA_MOVE,
    FIRST_CARD,
    FIRST_TERRITORY,
    FIRST_UNIT,
    REINFORCE,
)
from sackarmies_env.games.territories.state.constants import (
    MAX_BORDERS,
    MAX_TERRITORIES,
    NO_TERRITORY,
    NUM_UNITS,
    ODDS,
    Unit,
)
from sackarmies_env.games.territories.state.layout import PLAYER_START, Global, Player

MEAN_ROLL = 3.5
MOST_ATTACKERS_DICE = 10  # troops that attack at once

# --- troops


@njit
def num_prey(board, territory, troops):
    """Return how many neighbors the units of a territory could take without a roll, given `troops` more."""
    prey = np.int64(0)
    strength = min(board.dice[territory] + troops, np.int64(MOST_ATTACKERS_DICE))
    for border in range(MAX_BORDERS):
        neighbor = board.neighbors[territory, border]
        if is_foreign(board, neighbor) and strength >= ODDS * board.dice[neighbor]:
            prey += 1
    return prey


@njit
def lack_of(board, territory):
    """Return how many units a border territory lacks to be held; 0 if no enemy is adjacent."""
    if threat_to(board, territory) == 0:
        return 0.0
    return max(0.0, board.w_hold - board.count[territory])


@njit
def value_of_troops(board, territory, troops, pile):
    """Return the value of placing troops in a territory; `pile` is the weight of each unit already there."""
    if board.border[territory] == 0:
        return -board.w_mass - board.count[territory]
    value = board.w_border * board.border[territory] + board.w_guard * lack_of(board, territory)
    if board.count[territory] >= board.w_mass:
        return value - board.count[territory]
    return value + pile * board.count[territory] + board.w_prey * num_prey(board, territory, troops)


@njit
def choose_place(board, troops, pile):
    """Return the own territory where troops are worth the most."""
    best, choice = NEVER, np.int64(DONE)
    for i in range(board.num_legal):
        action = board.legal[i]
        if action == DONE:
            continue
        value = value_of_troops(board, action - FIRST_TERRITORY, troops, pile) + tie_break(board, action)
        if value > best:
            best, choice = value, action
    return choice


@njit
def troops_for(board, territory):
    """Return how many troops go to the named territory."""
    wanted = np.int64(board.w_mass) - board.count[territory]
    return wanted if wanted > 0 else np.int64(MOST_ATTACKERS_DICE // 2)


# --- standard actions


@njit
def gain_of_reinforcement(board):
    """Return how many troops a reinforcement brings on average."""
    return min(MEAN_ROLL * board.held[SELF], np.float64(board.garrison[Unit.TROOP]))


@njit
def gain_of_march(board):
    """Return how many units an extra move brings nearer to the border."""
    source, _target = best_march(board)
    return board.count[source] - 1.0 if source != NO_TERRITORY else 0.0


@njit
def gain_of_exchange(board):
    """Return how many troops an extra exchange frees for a reinforcement, beyond those in the garrison."""
    unit = best_type(board)
    if unit < 0:
        return 0.0
    freed = num_exchanges(board, unit) * board.unit_value[unit]
    return min(np.float64(freed), MEAN_ROLL * board.held[SELF] - board.garrison[Unit.TROOP])


@njit
def choose_standard(board, seen):
    """Return a card that places troops if there is one, else the best standard action."""
    best, choice = 0.0, np.int64(DONE)
    for i in range(board.num_legal):
        action = board.legal[i]
        value = 0.0
        if action >= FIRST_CARD:
            return action
        if action == REINFORCE:
            value = gain_of_reinforcement(board)
        elif action == DRAW and look(seen, PLAYER_START + Player.CARDS) < board.held[SELF]:
            value = board.w_card
        elif action == EXTRA_MOVE:
            value = board.w_march * gain_of_march(board)
        elif action == EXTRA_EXCHANGE and look(seen, Global.ACTIONS_LEFT) > 1:
            value = board.w_rearm * gain_of_exchange(board)
        if value > best:
            best, choice = value, action
    return choice


# --- exchanges


@njit
def exchanges_in(board, territory, unit):
    """Return how many units of a type a border territory's troops can become, with `keep` of them left, if above 0."""
    if board.owner[territory] != SELF or board.border[territory] == 0:
        return np.int64(0)
    spare = board.units[territory, Unit.TROOP] - max(np.int64(0), np.int64(board.w_keep))
    return max(np.int64(0), spare // board.unit_value[unit])


@njit
def num_exchanges(board, unit):
    """Return how many units of a type troops can become on the whole map."""
    count = np.int64(0)
    for territory in range(MAX_TERRITORIES):
        count += exchanges_in(board, territory, unit)
    return min(count, board.garrison[unit])


@njit
def worth_of_type(board, unit):
    """Return the weight of a unit type that troops can become."""
    if unit == Unit.RIDER:
        return board.w_rider
    return board.w_engine if unit == Unit.ENGINE else board.w_hero


@njit
def best_type(board):
    """Return the best unit type for troops to become now; -1 if there is none."""
    best, choice = 0.0, np.int64(-1)
    if board.garrison[Unit.TROOP] >= board.w_reserve:
        return choice
    for unit in range(1, NUM_UNITS):
        value = num_exchanges(board, unit) * worth_of_type(board, unit)
        if value > best:
            best, choice = value, np.int64(unit)
    return choice


@njit
def choose_trade_in(board):
    """Return troops if they can be exchanged and it pays, else DONE."""
    if best_type(board) > 0:
        for i in range(board.num_legal):
            if board.legal[i] == FIRST_UNIT + Unit.TROOP:
                return board.legal[i]
    return np.int64(DONE)


@njit
def choose_trade_out(board):
    """Return the type that troops become."""
    unit = best_type(board)
    for i in range(board.num_legal):
        if board.legal[i] == FIRST_UNIT + unit:
            return board.legal[i]
    return board.legal[0]


@njit
def choose_exchange(board, seen):
    """Return the territory with the most troops among those where troops can be exchanged, or DONE."""
    best, choice = np.int64(0), np.int64(DONE)
    unit = look(seen, Global.TRADED_OUT)
    if look(seen, Global.TRADED_IN) != Unit.TROOP or board.garrison[Unit.TROOP] >= board.w_reserve:
        return choice
    for i in range(board.num_legal):
        action = board.legal[i]
        if action != DONE and exchanges_in(board, action - FIRST_TERRITORY, unit) > 0:
            troops = board.units[action - FIRST_TERRITORY, Unit.TROOP]
            if troops > best:
                best, choice = troops, action
    return choice


# --- free moves


@njit
def step_of(board, source):
    """Return the own neighbor nearest to the border, the largest of equal ones; NO_TERRITORY if none is nearer."""
    nearest, choice = board.distance[source], np.int64(NO_TERRITORY)
    for border in range(MAX_BORDERS):
        neighbor = board.neighbors[source, border]
        if neighbor != NO_TERRITORY and board.owner[neighbor] == SELF:
            is_nearer = board.distance[neighbor] < nearest
            is_larger = choice != NO_TERRITORY and board.distance[neighbor] == nearest
            if is_nearer or (is_larger and board.count[neighbor] > board.count[choice]):
                nearest, choice = board.distance[neighbor], neighbor
    return choice


@njit
def march_from(board, territory):
    """Return where spare units behind the border march; NO_TERRITORY if there are none, or no nearer neighbor."""
    if board.owner[territory] == SELF and board.border[territory] == 0 and board.count[territory] > 1:
        return step_of(board, territory)
    return np.int64(NO_TERRITORY)


@njit
def best_march(board):
    """Return source and target of the largest march toward the border; NO_TERRITORY twice if there is none."""
    find_distances(board)
    most, source, target = np.int64(0), np.int64(NO_TERRITORY), np.int64(NO_TERRITORY)
    for territory in range(MAX_TERRITORIES):
        step = march_from(board, territory)
        if step != NO_TERRITORY and board.count[territory] > most:
            most, source, target = board.count[territory], np.int64(territory), step
    return source, target


@njit
def is_another_march(board, source, target):
    """Return whether another march is possible after one from source to target: on from there, or from elsewhere."""
    if board.border[target] == 0:
        return True
    for territory in range(MAX_TERRITORIES):
        if territory != source and march_from(board, territory) != NO_TERRITORY:
            return True
    return False


@njit
def choose_move_source(board, seen):
    """Return the territory whose units move, or DONE; before the last move, a card for one more if that is of use."""
    source, target = best_march(board)
    if source == NO_TERRITORY:
        return np.int64(DONE)
    last = board.legal[board.num_legal - 1]
    if last >= FIRST_CARD and look(seen, Global.FREE_MOVES) == 0 and is_another_march(board, source, target):
        return last
    return FIRST_TERRITORY + source


@njit
def choose_move_target(board, seen):
    """Return the next step to the border."""
    find_distances(board)
    step = step_of(board, look(seen, Global.SOURCE))
    return FIRST_TERRITORY + step if step != NO_TERRITORY else board.legal[0]


# --- units that move


@njit
def value_there(board, territory, units):
    """Return the value of the best further attack from a territory with a row of units."""
    _target, value = best_target(board, territory, units)
    return value


@njit
def goes_forward(board, source, target):
    """Return whether most units are better off in the target of an occupation than in its source."""
    board.owner[target] = SELF
    units = board.units[source]
    for unit in range(NUM_UNITS):
        units[unit] += board.units[target, unit]
    ahead, behind = value_there(board, target, units), value_there(board, source, units)
    for unit in range(NUM_UNITS):
        units[unit] -= board.units[target, unit]
    if max(ahead, behind) < board.w_least:
        return threat_to(board, target) >= threat_to(board, source)
    return ahead >= behind


@njit
def units_to_move(board, seen):
    """Return how many units still move from source to target: in a free move all but one, else as many as pays."""
    source, target = look(seen, Global.SOURCE), look(seen, Global.TARGET)
    left = board.count[source]
    if look(seen, Global.NUMBER_0) == 1 or look(seen, Global.ATTACKS) == 0:
        return left - 1
    is_empty = board.count[target] == 0
    if not goes_forward(board, source, target):
        return np.int64(is_empty and left > 1)
    stay = np.int64(board.w_leave) if threat_to(board, source) > 0 else np.int64(1)
    return max(left - stay, np.int64(is_empty and left > 1))


@njit
def choose_move_unit(board, seen):
    """Return the next unit type to move, the strongest first unless just one unit moves, or DONE."""
    count = units_to_move(board, seen)
    if count <= 0:
        return np.int64(DONE)
    source = look(seen, Global.SOURCE)
    for place in range(NUM_UNITS):
        unit = place if count == 1 else NUM_UNITS - 1 - place
        if board.units[source, unit] > 0:
            return np.int64(FIRST_UNIT + unit)
    return np.int64(DONE)


# --- cards and troops that are lost


@njit
def choose_discard(board):
    """Return the card whose discard costs the fewest troops; of equal ones, the one with the smallest amount."""
    best, choice = -NEVER, np.int64(DONE)
    for i in range(board.num_legal):
        card = board.legal[i] - FIRST_CARD
        cost = 10.0 * board.card_penalty[card] + board.card_amount[card]
        if cost < best:
            best, choice = cost, board.legal[i]
    return choice


@njit
def choose_penalty(board):
    """Return where a troop is missed least: behind the border, or where the most units are."""
    best, choice = NEVER, np.int64(DONE)
    for i in range(board.num_legal):
        territory = board.legal[i] - FIRST_TERRITORY
        value = board.count[territory] + (1000.0 if board.count[territory] > 1 else 0.0)
        value += 100.0 if board.border[territory] == 0 else 0.0
        if value > best:
            best, choice = value, board.legal[i]
    return choice
