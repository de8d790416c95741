"""Constants of Territories, and its vocabulary as codes: units, effects of cards, steps, decisions, events."""

from __future__ import annotations

from enum import IntEnum

MAX_PLAYERS = 4
MAX_TERRITORIES = 20
NUM_UNITS = 4  # types of units
NUM_CARDS = 12  # kinds of cards
MAX_BORDERS = 6  # of a territory
MAX_HAND = 24  # at the end of a turn at most one card per territory, and up to two drawn in the next turn
STANDARD_ACTIONS = 2  # per turn, at most (TR-T1)
MAX_ATTACKERS = 10  # units per attack (TR-A2)
DICE_A_UNIT = 2  # at most
MAX_SKIRMISHES = MAX_ATTACKERS * DICE_A_UNIT
NUM_COUNTERS = 3  # kinds of skirmish counters: +1, +2, +3
FIRST_FACE = 2  # ones leave the board as soon as they are rolled
NUM_FACES = 5  # 2 to 6
DIE_FACES = 6
MAX_QUANTITY = 20  # the largest that has its own action id
ODDS = 5  # attacker dice per defender die that win at once (TR-A5)
STACK = 5  # defender dice on an attacker die that win the battle (TR-C4)
ROUT = 10  # lead in points that gives the defender a rout (TR-E4)
NO_TERRITORY = -1
NO_UNIT = -1
NO_CARD = -1
ATTACKER, DEFENDER = 0, 1  # sides of the battle board


class Unit(IntEnum):
    """Types of units, in rising value."""

    TROOP = 0
    RIDER = 1
    ENGINE = 2
    HERO = 3


class Effect(IntEnum):
    """What a card does."""

    NOTHING = 0
    SKIRMISH_BONUS = 1  # adds `amount` to the player's total in one skirmish
    BATTLE_BONUS = 2  # adds `amount` to the player's total in every skirmish
    ENEMY_PENALTY = 3  # subtracts `amount` from the enemy's total in one skirmish
    LEVEL_GROUND = 4  # defender only: the attacker's elevation does not count in this battle
    EXTRA_DIE = 5  # adds a die of face `amount` to the player's side of one skirmish
    PLACE_TROOPS = 6  # step 1: up to `amount` troops into one own territory
    FREE_MOVE = 7  # step 4: one more free move
    CANCEL_ATTACK = 8  # defender only: the attack is called off and the territory is safe for the turn
    EXTRA_ATTACK = 9  # one attack while barred, after a victory in the turn


class Frame(IntEnum):
    """Kinds of procedures."""

    NONE = 0
    SETUP = 1
    TURN = 2
    REINFORCE = 3
    EXCHANGE = 4
    MOVE = 5
    BATTLE = 6


class TurnStep(IntEnum):
    """Steps of a turn (TR-T1)."""

    STANDARD = 0
    EXCHANGE = 1
    ATTACK = 2
    MOVE = 3
    REDUCE = 4
    PENALTY = 5
    END = 6


class Stage(IntEnum):
    """Stages of an attack, in order."""

    DECLARE = 0
    ANSWER = 1
    ATTACK_ROLL = 2
    ATTACK_ONES = 3
    ATTACK_TWOS = 4
    DEFENSE_ROLL = 5
    DEFENSE_ONES = 6
    DEFENSE_TWOS = 7
    PAIRING = 8
    RESERVE = 9
    EXTRA_DICE = 10
    ATTACK_COUNTERS = 11
    ATTACK_CARDS = 12
    DEFENSE_COUNTERS = 13
    DEFENSE_CARDS = 14
    ORDER = 15
    LOSS = 16
    PURSUIT = 17  # losses of a skirmish beyond the ordinary one: TR-E4, TR-E5
    COUNT = 18  # the remaining units decide (TR-F2)


class Decision(IntEnum):
    """What players are asked (TR-DP1 to TR-DP19)."""

    NONE = 0
    PLACE = 1
    STANDARD = 2
    REINFORCE = 3
    REINFORCE_QUANTITY = 4
    PLACE_CARD = 5
    TRADE_IN = 6
    TRADE_OUT = 7
    EXCHANGE = 8
    ATTACK_SOURCE = 9
    ATTACK_TARGET = 10
    ATTACK_UNIT = 11
    ATTACK_QUANTITY = 12
    DEFENSE_UNIT = 13
    DEFENSE_QUANTITY = 14
    ONE = 15
    TWO = 16
    TRADE_DOWN = 17
    PAIR = 18
    RESERVE_LOSS = 19
    EXTRA_DIE = 20
    COUNTER = 21
    COUNTER_SKIRMISH = 22
    CARD = 23
    CARD_SKIRMISH = 24
    ORDER = 25
    LOSS = 26
    ROUT = 27
    EXTRA_LOSS = 28
    EXTRA_LOSS_UNIT = 29
    MOVE_SOURCE = 30
    MOVE_TARGET = 31
    MOVE_UNIT = 32
    MOVE_QUANTITY = 33
    REDUCE = 34
    PENALTY = 35


class Event(IntEnum):
    """Public events, each with the meaning of `log_value` beside it; TR-EV numbers are those of the rules."""

    NONE = 0
    TURN = 1  # TR-EV1: nothing
    STANDARD = 2  # TR-EV2: the action's number, 1 to 4
    REINFORCEMENT = 3  # TR-EV3: total of the roll
    PLACEMENT = 4  # TR-EV3: troops
    DRAW = 5  # TR-EV4: cards in hand
    RESHUFFLE = 6  # TR-EV5: number of cards
    EXCHANGE = 7  # TR-EV6: in-type * 4 + out-type; the number traded in follows from their values (TR-Q2)
    ATTACK = 8  # TR-EV7: attacking units; place: the target
    CANCELLED = 9  # TR-EV8
    DEFENSE = 10  # TR-EV9: defending units
    OVERRUN = 11  # TR-EV10: attacker dice
    ROLL = 12  # TR-EV11: dice; their faces are those last rolled by the player
    UNIT_LOST = 13  # TR-EV11, 12, 16: type + 4 * (number - 1), for equal losses in a row
    UNIT_TRADED = 14  # TR-EV11: type that became a troop
    SKIRMISHES = 15  # TR-EV12: their number
    STACKED = 16  # TR-C4: the skirmish
    CARD = 17  # TR-EV14, TR-EV20: kind
    PASS = 18  # TR-EV15
    SKIRMISH = 19  # TR-EV16: attacker's total minus the defender's
    VICTORY = 20  # TR-EV17: 1 if further attacks are barred
    MOVE = 21  # TR-EV18, TR-EV19: units moved; place: the target
    DISCARD = 22  # TR-EV20, TR-EV21: kind + 12 * (number - 1), for equal discards in a row
    OUT = 23  # TR-EV21
    OVER = 24  # TR-EV22: 1 if truncated
    SOURCE = 25  # TR-EV7: attacker dice; place: the territory that the attack comes from
