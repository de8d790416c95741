"""Tables of the rules: maps, units, cards and action ids, typed in by hand and read from no other file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# --- units


class UnitType(NamedTuple):
    value: int  # at an exchange
    dice: int
    counter: int  # bonus of its skirmish counter; 0: none


UNITS = {
    "troop": UnitType(value=1, dice=1, counter=0),
    "rider": UnitType(value=3, dice=1, counter=1),
    "engine": UnitType(value=5, dice=2, counter=2),
    "hero": UnitType(value=8, dice=2, counter=3),
}

# --- cards, by the number of their kind


class CardKind(NamedTuple):
    copies: int
    penalty: int = 0  # troops that a discard in step 5 costs


CARDS = {
    1: CardKind(6),
    2: CardKind(4),
    3: CardKind(4),
    4: CardKind(2, penalty=1),
    5: CardKind(4),
    6: CardKind(3),
    7: CardKind(4),
    8: CardKind(3),
    9: CardKind(2, penalty=2),
    10: CardKind(2),
    11: CardKind(3),
    12: CardKind(3, penalty=3),
}
REINFORCING, MARCH, CANCELLATION, ONE_MORE_ATTACK = 7, 8, 9, 10  # played outside of TR-DP13
LEVEL_GROUND, EXTRA_DIE = 6, 11
OWN_BONUS = {1: 2, 2: 4}  # to the own total of one skirmish
ENEMY_BONUS = {5: -2}  # to the enemy's
BATTLE_BONUS = {3: 1, 4: 2}  # to the own total of every skirmish
EXTRA_DIE_FACE = 3
CARD_TROOPS = 4  # the most that card 7 places
ATTACKER_CARDS = {1, 2, 3, 4, 5, 11}  # of TR-DP13
DEFENDER_CARDS = ATTACKER_CARDS | {LEVEL_GROUND}
SKIRMISH_CARDS = {1, 2, 5, 11}  # played for one skirmish

# --- the battle

MAX_ATTACKERS = 10
ODDS = 5  # attacker dice to a defender die that win at once
STACK = 5  # defender dice in one skirmish that win the battle
ROUT = 10  # points of the defender above the attacker

# --- maps


class Map(NamedTuple):
    borders: dict[int, tuple[int, ...]]
    elevation: dict[int, int]
    dealt: dict[int, int]  # number of players -> territories of each
    dealt_troops: int  # in each of them
    placements: int  # of each player in the set-up
    garrison: dict[str, int]  # of each player, units on the map included
    domination: int  # territories that win
    rounds: int
    attacks: int  # of a turn


PLACED_TROOPS = 3

FULL = Map(
    borders={
        1: (2, 6),
        2: (1, 3, 6, 7),
        3: (2, 4, 8),
        4: (3, 5, 8, 9),
        5: (4, 9, 10),
        6: (1, 2, 7, 11, 12),
        7: (2, 6, 8, 12, 13),
        8: (3, 4, 7, 9, 14),
        9: (4, 5, 8, 10, 14, 15),
        10: (5, 9, 15),
        11: (6, 12, 16),
        12: (6, 7, 11, 13, 16, 17),
        13: (7, 12, 14, 17, 18),
        14: (8, 9, 13, 15, 19),
        15: (9, 10, 14, 19, 20),
        16: (11, 12, 17),
        17: (12, 13, 16, 18),
        18: (13, 17, 19),
        19: (14, 15, 18, 20),
        20: (15, 19),
    },
    elevation={
        **{1: 0, 2: 1, 3: 2, 4: 1, 5: 0},
        **{6: 1, 7: 2, 8: 3, 9: 2, 10: 1},
        **{11: 1, 12: 2, 13: 3, 14: 2, 15: 1},
        **{16: 0, 17: 1, 18: 2, 19: 1, 20: 0},
    },
    dealt={2: 8, 3: 6, 4: 5},
    dealt_troops=3,
    placements=4,
    garrison={"troop": 60, "rider": 20, "engine": 12, "hero": 6},
    domination=17,
    rounds=40,
    attacks=20,
)
SMALL = Map(
    borders={1: (2, 6), 2: (1, 3, 6), 3: (2, 4), 4: (3, 5), 5: (4,), 6: (1, 2, 11), 11: (6,)},
    elevation={1: 0, 2: 1, 3: 2, 4: 1, 5: 0, 6: 1, 11: 1},
    dealt={2: 3},
    dealt_troops=6,
    placements=2,
    garrison={"troop": 30, "rider": 10, "engine": 6, "hero": 3},
    domination=6,
    rounds=20,
    attacks=8,
)
MAPS = {"full": FULL, "small": SMALL}

# --- the numbers of actions, by their texts

ACTION_IDS = {
    "done": 0,
    "reinforce": 1,
    "draw": 2,
    "extra move": 3,
    "extra exchange": 4,
    **{f"quantity {number}": 4 + number for number in range(1, 21)},
    "all": 25,
    **{unit: 26 + place for place, unit in enumerate(UNITS)},
    **{f"die {face}": 28 + face for face in range(2, 7)},
    **{f"skirmish {place}": 35 + place for place in range(20)},
    **{f"territory {number}": 54 + number for number in range(1, 21)},
    **{f"card {kind}": 74 + kind for kind in CARDS},
    **{f"counter {bonus}": 86 + bonus for bonus in (1, 2, 3)},
    "remove": 90,
    "trade": 91,
    "from board": 92,
    "from territory": 93,
}
MAX_QUANTITY = 20  # the largest with a text of its own


def named(kind: str, numbers: Iterable[int]) -> set[str]:
    """Return the texts "kind number" of some numbers."""
    return {f"{kind} {number}" for number in numbers}


def number_of(text: str) -> int:
    """Return the number at the end of a text: 5 of "territory 5"."""
    return int(text.rsplit(maxsplit=1)[1])
