"""Battles of the greedy agent: own ones and twos, pairing, extra dice, counters, cards, order, losses."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.territories.attacks import NEVER, on_board
from sackarmies_agents.scripted.territories.board import (
    CARD_WIDTH,
    SELF,
    SIDE_WIDTH,
    SKIRMISH_WIDTH,
    TERRITORY_WIDTH,
    look,
)
from sackarmies_env.core.jit import njit
from sackarmies_env.games.territories.state.actions import (
    DONE,
    FIRST_CARD,
    FIRST_COUNTER,
    FIRST_DIE,
    FIRST_SKIRMISH,
    FIRST_UNIT,
    FROM_BOARD,
    FROM_TERRITORY,
    REMOVE,
    TRADE,
)
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    DEFENDER,
    FIRST_FACE,
    NUM_CARDS,
    NUM_FACES,
    NUM_UNITS,
    STACK,
    Effect,
)
from sackarmies_env.games.territories.state.layout import (
    CARD_START,
    SIDE_START,
    SKIRMISH_START,
    TERRITORY_START,
    Card,
    Global,
    Side,
    Skirmish,
    Territory,
)

# --- reading the battle


@njit(inlined=True)
def own_side(seen):
    """Return the observer's side in the battle."""
    return ATTACKER if look(seen, Global.ACTIVE) == SELF else DEFENDER


@njit(inlined=True)
def elevation_of(seen, territory):
    """Return the height of a territory."""
    return look(seen, TERRITORY_START + territory * TERRITORY_WIDTH + Territory.ELEVATION)


@njit(inlined=True)
def loose(seen, side, place):
    """Return how many dice of a face a side has outside skirmishes."""
    return look(seen, SIDE_START + side * SIDE_WIDTH + Side.LOOSE_2 + place)


@njit
def num_loose(seen, side):
    """Return how many dice a side has outside skirmishes."""
    count = np.int64(0)
    for place in range(NUM_FACES):
        count += loose(seen, side, place)
    return count


@njit
def highest_loose(seen, side):
    """Return the highest face among a side's dice outside skirmishes; 0 if it has none."""
    for place in range(NUM_FACES - 1, -1, -1):
        if loose(seen, side, place) > 0:
            return np.int64(place + FIRST_FACE)
    return np.int64(0)


@njit
def height_bonus(board, seen, side):
    """Return what elevation adds to a side's totals, unless a card levels the ground."""
    source, target = elevation_of(seen, look(seen, Global.SOURCE)), elevation_of(seen, look(seen, Global.TARGET))
    if side == DEFENDER:
        return np.int64(target > source)
    for kind in range(NUM_CARDS):
        is_played = look(seen, CARD_START + kind * CARD_WIDTH + Card.DEFENDER) > 0
        if is_played and board.card_effect[kind] == Effect.LEVEL_GROUND:
            return np.int64(0)
    return np.int64(source > target)


@njit
def battle_bonus(board, seen, side):
    """Return what elevation and cards for the whole battle add to a side's totals."""
    bonus = height_bonus(board, seen, side)
    for kind in range(NUM_CARDS):
        if board.card_effect[kind] == Effect.BATTLE_BONUS:
            bonus += board.card_amount[kind] * look(seen, CARD_START + kind * CARD_WIDTH + Card.ATTACKER + side)
    return bonus


@njit
def read_battle(board, seen):
    """Write the current totals of both sides in all skirmishes."""
    attack_bonus, defense_bonus = battle_bonus(board, seen, ATTACKER), battle_bonus(board, seen, DEFENDER)
    for skirmish in range(look(seen, Global.NUM_SKIRMISHES)):
        row = SKIRMISH_START + skirmish * SKIRMISH_WIDTH
        attack, defense, dice = attack_bonus, defense_bonus, np.int64(0)
        for place in range(NUM_FACES):
            attack += look(seen, row + Skirmish.ATTACKER_2 + place) * (place + FIRST_FACE)
            defenders = look(seen, row + Skirmish.DEFENDER_2 + place)
            defense += defenders * (place + FIRST_FACE)
            dice += defenders
        attack += look(seen, row + Skirmish.ATTACKER_COUNTERS) + look(seen, row + Skirmish.ATTACKER_CARDS)
        defense += look(seen, row + Skirmish.DEFENDER_COUNTERS) + look(seen, row + Skirmish.DEFENDER_CARDS)
        board.attack[skirmish] = attack
        board.defense[skirmish] = defense + max(np.int64(1), dice)


@njit(inlined=True)
def deficit(board, side, skirmish):
    """Return how many points a side lacks to win a skirmish; 0 or less if it wins."""
    gap = board.attack[skirmish] - board.defense[skirmish]
    return 1 - gap if side == ATTACKER else gap


@njit
def num_flipped(board, seen, side, amount):
    """Return how many skirmishes a side would win only with `amount` more points in each."""
    count = np.int64(0)
    for skirmish in range(look(seen, Global.NUM_SKIRMISHES)):
        count += np.int64(0 < deficit(board, side, skirmish) <= amount)
    return count


@njit
def best_skirmish(board, seen, side, amount):
    """Return where points help a side most: at the largest deficit they cover, else at the one nearest to zero."""
    best, choice = NEVER, np.int64(0)
    for skirmish in range(look(seen, Global.NUM_SKIRMISHES)):
        lack = deficit(board, side, skirmish)
        if 0 < lack <= amount:
            value = 1000.0 + lack
        elif lack > 0:
            value = 500.0 - lack
        else:
            value = 0.0 + lack  # already won: prefer the narrowest win
        if value > best:
            best, choice = value, np.int64(skirmish)
    return choice


# --- losses


@njit
def cheapest(board):
    """Return the cheapest type among the legal ids."""
    for i in range(board.num_legal):
        if board.legal[i] >= FIRST_UNIT:
            return board.legal[i]
    return board.legal[0]


@njit
def choose_two(board, seen):
    """Return whether to remove a troop or trade another unit down for a two, whichever costs less."""
    if board.num_legal == 1:
        return board.legal[0]
    side = own_side(seen)
    for unit in range(1, NUM_UNITS):
        if on_board(seen, side, unit) > 0:
            is_dearer = board.unit_value[unit] - 1.0 > 1.0 + board.w_body
            return np.int64(REMOVE if is_dearer else TRADE)
    return np.int64(REMOVE)


@njit
def choose_extra_loss(board):
    """Return where to take an extra loss: the territory if possible, since the board decides the battle."""
    return np.int64(FROM_TERRITORY) if board.legal[board.num_legal - 1] == FROM_TERRITORY else np.int64(FROM_BOARD)


# --- dice


@njit
def choose_own_die(board, seen):
    """Return the own die against the attacker's highest: the lowest that wins, else the lowest to avoid extra loss."""
    points = highest_loose(seen, ATTACKER) + battle_bonus(board, seen, ATTACKER)
    bonus = 1 + battle_bonus(board, seen, DEFENDER)
    for i in range(board.num_legal):
        if board.legal[i] - FIRST_DIE + FIRST_FACE + bonus >= points:
            return board.legal[i]
    for i in range(board.num_legal):
        if 2 * (board.legal[i] - FIRST_DIE + FIRST_FACE + bonus) > points:
            return board.legal[i]
    return board.legal[0]


@njit
def choose_enemy_die(board, seen):
    """Return the attacker's die to set against the own highest: the highest that it beats, else the highest of all."""
    points = highest_loose(seen, DEFENDER) + 1 + battle_bonus(board, seen, DEFENDER)
    bonus = battle_bonus(board, seen, ATTACKER)
    for place in range(board.num_legal):
        action = board.legal[board.num_legal - 1 - place]
        if action - FIRST_DIE + FIRST_FACE + bonus <= points:
            return action
    return board.legal[board.num_legal - 1]


@njit
def choose_pair(board, seen):
    """Return the face of the die to pair next."""
    if num_loose(seen, DEFENDER) >= num_loose(seen, ATTACKER):
        return choose_own_die(board, seen)
    return choose_enemy_die(board, seen)


@njit
def largest_stack(seen):
    """Return the skirmish with the most defender dice, and their number."""
    most, choice = np.int64(0), np.int64(0)
    for skirmish in range(look(seen, Global.NUM_SKIRMISHES)):
        dice = np.int64(0)
        for place in range(NUM_FACES):
            dice += look(seen, SKIRMISH_START + skirmish * SKIRMISH_WIDTH + Skirmish.DEFENDER_2 + place)
        if dice > most:
            most, choice = dice, np.int64(skirmish)
    return choice, most


@njit
def choose_extra_die(board, seen):
    """Return where an extra die goes: on a stack that wins the battle if there are enough dice, else where it helps."""
    side = own_side(seen)
    if side == DEFENDER:
        stack, dice = largest_stack(seen)
        if dice + num_loose(seen, DEFENDER) >= STACK:
            return FIRST_SKIRMISH + stack
    read_battle(board, seen)
    return FIRST_SKIRMISH + best_skirmish(board, seen, side, highest_loose(seen, side) + np.int64(side == DEFENDER))


# --- counters and cards


@njit
def choose_counter_skirmish(board, seen):
    """Return the skirmish for the named counter."""
    read_battle(board, seen)
    return FIRST_SKIRMISH + best_skirmish(board, seen, own_side(seen), look(seen, Global.CHAIN) + 1)


@njit
def points_of(board, card, side):
    """Return how many points a card gives a side in a skirmish."""
    if board.card_effect[card] == Effect.LEVEL_GROUND:
        return np.int64(1)
    return board.card_amount[card] + np.int64(board.card_effect[card] == Effect.EXTRA_DIE and side == DEFENDER)


@njit
def flips_of(board, seen, card, side):
    """Return how many skirmishes a card would turn into wins."""
    count = num_flipped(board, seen, side, points_of(board, card, side))
    effect = board.card_effect[card]
    if effect == Effect.LEVEL_GROUND:
        return count if height_bonus(board, seen, ATTACKER) > 0 else np.int64(0)
    return count if effect == Effect.BATTLE_BONUS else min(count, np.int64(1))


@njit
def lead_of(board, seen, side):
    """Return a side's lead in units after the skirmishes as they stand; more than 0 wins."""
    lead = np.int64(side == DEFENDER)  # the defender wins ties
    for unit in range(NUM_UNITS):
        lead += on_board(seen, side, unit) - on_board(seen, 1 - side, unit)
    for skirmish in range(look(seen, Global.NUM_SKIRMISHES)):
        lead += 1 if deficit(board, side, skirmish) <= 0 else -1
    return lead


@njit
def choose_card(board, seen):
    """Return the card that turns most skirmishes, the smallest of equal ones; DONE if the battle is decided anyway."""
    side = own_side(seen)
    read_battle(board, seen)
    lead = lead_of(board, seen, side)
    best, turned, choice = 0.0, np.int64(0), np.int64(DONE)
    for i in range(board.num_legal):
        card = board.legal[i] - FIRST_CARD
        if card < 0:
            continue
        flips = flips_of(board, seen, card, side)
        turned += flips
        value = flips - 0.01 * board.card_amount[card]
        if flips > 0 and value > best:
            best, choice = value, board.legal[i]
    if lead > board.w_spare or lead + 2 * turned <= 0:
        return np.int64(DONE)
    return choice


@njit
def choose_card_skirmish(board, seen):
    """Return the skirmish for the named card."""
    side = own_side(seen)
    read_battle(board, seen)
    return FIRST_SKIRMISH + best_skirmish(board, seen, side, points_of(board, look(seen, Global.CHAIN), side))


@njit
def choose_order(board, seen):
    """Return the skirmish that the defender wins by the largest margin."""
    read_battle(board, seen)
    best, choice = -NEVER, board.legal[0]
    for i in range(board.num_legal):
        lack = np.float64(deficit(board, DEFENDER, board.legal[i] - FIRST_SKIRMISH))
        if lack < best:
            best, choice = lack, board.legal[i]
    return choice


@njit
def largest_counter(board):
    """Return the id of the largest legal counter."""
    return max(board.legal[board.num_legal - 1], np.int64(FIRST_COUNTER))
