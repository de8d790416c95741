"""The vocabulary of Sack Armies as numbers: zones, kinds, effects, verbs, decisions."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

NO_TOKEN = -1
NO_TYPE = -1
NO_MATCH = -1  # an effect without `match` applies to all
NO_CLAUSE = -1

MAX_GENERALS = 6
MAX_TYPES = 256
MAX_ABILITIES = 512  # rows of the ability table
MAX_EFFECTS = 512  # rows of the effect table
MAX_MATCHES = 256
MAX_CLAUSES = 512
MAX_KEYWORDS = 62  # bits of a signed word
STACK_LIMIT = 8  # most attachments under one unit: the slot ids
OWNED_LIMIT = 3  # most of these owned by the unit's owner (R3.2.2-7)


class Zone(IntEnum):
    """Where a token is (R6.0-1, Q-52)."""

    NONE = 0  # no token: an unused row
    SACK = 1
    HAND = 2
    PICKED = 3  # chosen for Setup, not yet placed (R7.1-1)
    BATTLEGROUND = 4  # a unit or battlefield on a hex
    ATTACHED = 5  # a spell or maneuver under or on a unit
    CASUALTIES = 6
    REMOVED = 7
    CAPTURED = 8  # under a captor


class Face(IntEnum):
    """Unrevealed or revealed (RB-14)."""

    DOWN = 0
    UP = 1


class Member(IntEnum):
    """Part of a unit in a coordinated attack."""

    NONE = 0
    ATTACKS = 1
    DROPPED = 2  # named, but a surprise maneuver has made its attack impossible


class Kind(IntEnum):
    """Token kinds (R3.2-1)."""

    UNIT = 0
    BATTLEFIELD = 1
    SPELL = 2
    MANEUVER = 3


class UnitClass(IntEnum):
    """Unit types (R3.2.2-8); `type` in the catalogue."""

    OTHER = 0
    INFANTRY = 1
    CAVALRY = 2
    MISSILE = 3
    ARTILLERY = 4


class Homeland(IntEnum):
    """Homelands of the base set (R3.2.2-10)."""

    NONE = 0
    FEY_COURT = 1
    SCOURGE = 2
    EMPIRE = 3
    NETHER_SISTERS = 4
    SHAZARI = 5


class Band(IntEnum):
    """Name bands (R3.2.2-6)."""

    BLACK = 0
    BLUE = 1  # spells
    RED = 2  # maneuvers
    GREEN = 3  # both
    GRAY = 4


class Ability(IntEnum):
    """The 16 special abilities (appendix A)."""

    AMBUSH = 0
    AUGMENT = 1
    AQUATIC = 2
    CAPTURE = 3
    COUNTER = 4
    DEFEND = 5
    DISMISS = 6
    DISPEL = 7
    DRAW = 8
    FLYING = 9
    LEADERSHIP = 10
    MOVE_AND_ATTACK = 11
    RAISE = 12
    RANGE = 13
    SCATTER = 14
    SIGHT = 15


NUM_ABILITIES = len(Ability)


class Use(IntEnum):
    """How a spell or maneuver works (R9.2-2, R9.2-15); on a unit, ACTION marks its own printed action text."""

    NONE = 0
    ACTION = 1
    FREE = 2
    PERMANENT = 3


class Target(IntEnum):
    """What an activation is aimed at."""

    HOST = 0
    OWN_UNIT = 1
    ENEMY_UNIT = 2
    ANY_UNIT = 3
    HEX = 4


class Effect(IntEnum):
    """Kinds of effects of spells, maneuvers, battlefields and printed action texts."""

    DAMAGE = 0
    MODIFY = 1
    GRANT = 2
    RELOCATE = 3
    SWAP = 4
    DISMISS = 5
    DISPEL = 6
    COUNTER = 7
    RAISE = 8
    REMOVE = 9
    DRAW = 10
    REVEAL = 11


class Stat(IntEnum):
    """Stats that modifiers change."""

    MOVEMENT = 0
    DAMAGE = 1
    ARMOR = 2


class Flip(IntEnum):
    """Flips that an effect calls for."""

    NONE = 0
    SINGLE = 1
    PROGRESSIVE = 2


class Who(IntEnum):
    """Which unit a relocation moves."""

    HOST = 0
    TARGET = 1


class FlipMethod(IntEnum):
    """Ways to flip (R7.1-4 to R7.1-8)."""

    COIN = 0
    DIE = 1
    DECK = 2
    DECK_JOKERS = 3
    SCRIPTED = 4


class Victory(IntEnum):
    """How the last elimination came about (Q-14)."""

    NONE = 0
    STANDARD = 1
    DECISIVE = 2
    CONCESSION = 3
    DRAW = 4


class Verb(IntEnum):
    """The first ids of the action space (docs/actions.md)."""

    PASS = 0  # also DONE and NO
    YES = 1
    DRAW = 2
    DEPLOY = 3
    MOVE = 4
    MELEE = 5
    RANGED = 6
    COORD_MELEE = 7
    COORD_RANGED = 8
    MOVE_ATTACK = 9
    CAPTURE = 10
    COUNTER_TOKEN = 11
    DISPEL = 12
    DISMISS = 13
    RAISE = 14
    CAST = 15
    CUSTOM = 16
    REVEAL_UNIT = 17
    REVEAL_TOKEN = 18
    SURPRISE = 19
    CONCEDE = 20


NUM_KINDS = len(Kind)
NUM_VERBS = 24  # 21 to 23 are reserved for token texts
NUM_SLOTS = STACK_LIMIT


class Decision(IntEnum):
    """What the current player is asked; the comment names the decision point (docs/rules/index.md)."""

    NONE = 0
    SETUP_PICK = 1  # D-01
    SETUP_TYPE = 2  # D-02
    SETUP_HEX = 3  # D-02
    MENU = 4  # D-03, D-29
    DISCARD = 5  # D-04
    DEPLOY_TYPE = 6  # D-05
    DEPLOY_HEX = 7  # D-06
    REVEAL_HEX = 8  # D-07
    REVEAL_SLOT = 9  # D-07
    MOVE_UNIT = 10  # D-08, D-10
    MOVE_TO = 11  # D-09, D-11
    SOURCE = 12  # D-12, D-13, D-16, D-18, D-19, D-20: the acting unit
    TARGET = 13  # D-12, D-13, D-16, D-18
    COORD_TARGET = 14  # D-14
    COORD_MEMBER = 15  # D-15
    CHARGE_TO = 16  # D-17
    TOKEN_HOST = 17  # D-19
    TOKEN_SLOT = 18  # D-19
    RAISE_TYPE = 19  # D-20
    RAISE_HEX = 20  # D-20
    CAST_HOST = 21  # D-21
    CAST_SLOT = 22  # D-21
    EFFECT_TARGET = 23  # D-21, D-22b: target hex of an activation
    EFFECT_SLOT = 24  # D-21, D-22b: the attachment of the target that is dispelled or countered
    EFFECT_HEX = 25  # D-21, D-22b: where a relocation ends
    EFFECT_TYPE = 26  # D-21, D-22b: the casualty that is raised
    WINDOW = 27  # D-22, D-30
    SURPRISE_SLOT = 28  # D-22b
    AMBUSH = 29  # D-23
    COUNTER = 30  # D-24, D-25
    DESIGNATE = 31  # D-26
    ADVANCE = 32  # D-27
    SAVE = 33  # D-28
    SAVE_SLOT = 34  # D-28


NUM_DECISIONS = len(Decision)


def decision_bits(*decisions: Decision) -> np.uint64:
    """Return a set of decisions as bits."""
    return np.uint64(sum(1 << decision for decision in decisions))


# The decisions by subject; each is in one set.
SETUP_DECISIONS = decision_bits(  # Setup, Draw and Deploy
    *(Decision.SETUP_PICK, Decision.SETUP_TYPE, Decision.SETUP_HEX),
    *(Decision.DISCARD, Decision.DEPLOY_TYPE, Decision.DEPLOY_HEX),
)
ACTION_DECISIONS = decision_bits(  # the choice of an action and of its parts; free reveals
    *(Decision.MENU, Decision.REVEAL_HEX, Decision.REVEAL_SLOT, Decision.MOVE_UNIT, Decision.MOVE_TO),
    *(Decision.SOURCE, Decision.TARGET, Decision.COORD_TARGET, Decision.COORD_MEMBER, Decision.CHARGE_TO),
    *(Decision.TOKEN_HOST, Decision.TOKEN_SLOT, Decision.RAISE_TYPE, Decision.RAISE_HEX),
    *(Decision.CAST_HOST, Decision.CAST_SLOT),
)
EFFECT_DECISIONS = decision_bits(  # what a text is aimed at
    Decision.EFFECT_TARGET, Decision.EFFECT_SLOT, Decision.EFFECT_HEX, Decision.EFFECT_TYPE
)
COMBAT_DECISIONS = decision_bits(  # reactions and the course of a combat
    *(Decision.WINDOW, Decision.SURPRISE_SLOT, Decision.AMBUSH, Decision.COUNTER, Decision.DESIGNATE),
    *(Decision.ADVANCE, Decision.SAVE, Decision.SAVE_SLOT),
)


class Frame(IntEnum):
    """Procedures on the frame stack; each has its own steps (an IntEnum beside the procedure)."""

    SETUP = 0
    TURN = 1
    DRAW = 2
    DEPLOY = 3
    MOVE = 4
    ATTACK = 5
    ACTIVATE = 6  # abilities, spells, maneuvers, printed action texts
    WINDOW = 7


class Event(IntEnum):
    """Kinds of public events in the log; `player`, `hex` and `value` as noted."""

    NONE = 0
    FLIP = 1  # value 1 heads, 0 tails
    ANNOUNCE = 2  # value: verb
    DRAW = 3  # value: number of tokens
    DISCARD = 4  # value: number of tokens
    PLACE = 5  # battlefield put down; value: type
    DEPLOY = 6  # value: kind of token if public, else -1
    MOVE = 7  # hex: destination; value: origin
    REVEAL = 8  # value: type
    CASUALTY = 9  # value: type
    CAPTURE = 10  # value: type
    TO_SACK = 11  # value: type
    REMOVE = 12  # value: type
    CONTROL = 13  # player: new controller; value: type
    ELIMINATE = 14  # value: Victory that it counts as
    CANCEL = 15  # an announcement was cancelled
    MISS = 16  # an attack missed
    TURN = 17  # player: whose turn begins
    RAISE = 18  # value: type
    ATTACH = 19  # a permanent was laid on a unit; value: type
    WRONG_KIND = 20  # a blind Counter or Dispel met another kind
