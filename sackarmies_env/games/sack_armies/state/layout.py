"""The layout of an observation: every number that an agent sees, by name (V-01 to V-23).

Kernels take the position of each number from this declaration: the columns below are computed from its tables.
Blocks whose size depends on the configuration come last, so that the others have fixed positions.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from sackarmies_env.core.observation import (
    INT8_LOW,
    PERCENT,
    Block,
    Feature,
    ObservationSpec,
    code,
    columns,
    coordinates,
    digits,
    flag,
    number,
    seat,
)
from sackarmies_env.games.sack_armies.state.constants import (
    MAX_TYPES,
    NUM_DECISIONS,
    NUM_SLOTS,
    STACK_LIMIT,
    Ability,
    Band,
    Event,
    Flip,
    Homeland,
    Kind,
    Stat,
    Target,
    UnitClass,
    Use,
    Verb,
    Victory,
)
from sackarmies_env.games.sack_armies.state.record import LARGE, LOG_WIDTH, MAX_LOG

UNTOLD = -1  # for a count that is not public
OFF_BOARD = -18  # both coordinates of "no hex"; boards reach to 17


class Place(IntEnum):
    """Where a token of the block `tokens` is; NONE marks an unused row."""

    NONE = 0
    HAND = 1  # own hand
    PICKED = 2  # own, set aside for Setup
    BATTLEGROUND = 3
    ATTACHED = 4
    CAPTURED = 5
    REMOVED = 6  # from play, whoever owns it


class Shown(IntEnum):
    """Kind of a token as the observer knows it."""

    UNKNOWN = 0  # a face-down attachment of somebody else
    UNIT = 1
    BATTLEFIELD = 2
    SPELL = 3
    MANEUVER = 4


SHOWN_OFFSET = Shown.UNIT - Kind.UNIT  # the kinds come in the order of Kind


class ShownFace(IntEnum):
    """Face of a token, and whether its text works."""

    DOWN = 0
    UP = 1
    IN_EFFECT = 2  # a free spell or maneuver that is revealed, or a permanent one that has been cast


class Over(IntEnum):
    """State of the game."""

    PLAYING = 0
    ENDED = 1  # by the rules
    TRUNCATED = 2  # by a limit


class Augmented(IntEnum):
    """Stat that an augmenter improves."""

    NONE = 0
    MOVEMENT = 1
    DAMAGE = 2
    ARMOR = 3


AUGMENTED_OFFSET = Augmented.MOVEMENT - Stat.MOVEMENT


class Role(IntEnum):
    """A token's part in an attack or activation in progress."""

    NONE = 0
    ACTS = 1
    DESIGNATED = 2  # the attacker that takes the counter-attack
    TARGET = 3  # the defender; the unit, spell or maneuver that an activation is aimed at


# --- features


def _seat(name: str, doc: str, *, may_be_nobody: bool = True) -> Feature:
    return seat(name, doc, LARGE.generals, may_be_nobody=may_be_nobody)


def _hex(prefix: str, doc: str) -> tuple[Feature, ...]:
    return coordinates(prefix, "qr", doc, OFF_BOARD, -OFF_BOARD - 1)


def _type(prefix: str, doc: str) -> tuple[Feature, ...]:
    return digits(f"{prefix}type", f"Type {doc}", MAX_TYPES - 1)


GLOBAL_FEATURES: tuple[Feature, ...] = (
    flag("is_current", "the observer is the current player."),
    Feature(
        "decision",
        0,
        NUM_DECISIONS - 1,
        "What the observer is asked (table below); 0 if somebody else is.",
        True,
    ),
    _seat("active_seat", "General whose turn it is, in Setup nobody."),
    number("turn_percent", "Turns begun, as a share of the turn limit.", high=PERCENT),
    number("idle_percent", "Turns without progress, as a share of their limit.", high=PERCENT),
    flag("check_failed", "a check failed, or an attack or activation was cancelled, this turn."),
    code("over", Over, "State of the game"),
    _seat("winner", "Winner."),
    code("victory", Victory, "How the last elimination came about"),
    number("deck_red", "Cards of success left in the deck; 0 if no deck is used (V-21).", high=26),
    number("deck_black", "Cards of failure left in the deck.", high=26),
    number("deck_jokers", "Jokers left in the deck.", high=2),
    Feature("chain_verb", 0, max(Verb), "Verb of the observer's choice so far (table of actions).", True),
    *_hex("chain_", "the hex that the observer has chosen so far"),
    *_hex("chain_second_", "the second hex that they have chosen"),
    *_type("chain_", "that they have chosen"),
    Feature("attack_verb", 0, max(Verb), "Verb of the announced attack; 0: none.", True),
    *_hex("attack_", "the hex that is attacked"),
    flag("attack_ambush", "the ambush flip succeeded."),
    flag("attack_surprised", "the defender has used a surprise maneuver since it became the defender."),
    flag("attack_countered", "the defender counter-attacks."),
    flag("attack_no_advance", "the attacker may not advance."),
    flag("attack_moved", "the unit of the Move and Attack has moved."),
    number("attack_successes", "Successes flipped for the attack."),
    number("counter_successes", "Successes flipped for the counter-attack."),
    flag("attack_killed", "the attack's own hit is lethal."),
    Feature("act_verb", 0, max(Verb), "Verb of the announced activation; 0: none.", True),
    *_hex("act_", "the hex aimed at"),
    *_hex("act_to_", "the end of a relocation"),
    *_type("act_", "to be raised"),
)

LOG_FEATURES: tuple[Feature, ...] = (
    code("kind", Event, "Event"),
    _seat("seat", "General concerned."),
    *_hex("", "the hex concerned"),
    *_hex("from_", "where a move began"),
    *_type("", "of the token, if the event tells one"),
    number(
        "number",
        "Flip: 1 heads, 0 tails. Announcement: verb. Draw, discard: tokens. Deployment: as `kind` of the block "
        "`tokens`. Elimination: as `victory` of the block `globals`.",
    ),
)

GENERAL_FEATURES: tuple[Feature, ...] = (
    flag("alive", "still in the game."),
    flag("active", "it is their turn."),
    flag("contending", "still in the flips for initiative; after them General one alone."),
    number("sack", "Tokens in the sack; -1: not public.", UNTOLD),
    number("hand", "Tokens in hand."),
    number("to_place", "Battlefields set aside for Setup and not yet placed."),
    number("casualties", "Tokens in the casualties pile."),
    number("removed", "Tokens removed from play."),
    number("captured", "Units and attachments held captive by others."),
    number("fields_owned", "Battlefields on the battleground that they put down."),
    number("fields_controlled", "Battlefields whose arrow points to them."),
    number("fields_kept", "Battlefields that they put down and control: without any they are eliminated."),
    number("units", "Units on the battleground."),
    number("units_down", "Of these, face down."),
)

STATE_FEATURES: tuple[Feature, ...] = (
    code("place", Place, "Where it is; 0 marks an unused row"),
    *_hex("", "the token, of its host or of its captor"),
    _seat("owner", "Seat of the owner.", may_be_nobody=False),
    _seat("controller", "Seat of the controller.", may_be_nobody=False),
    code("face", ShownFace, "Face"),
    number("slot", "Position of an attachment in its stack.", high=NUM_SLOTS - 1),
    flag("employed", "employed until the end of the turn."),
    flag("moved", "moved this turn."),
    number("attachments", "Spells and maneuvers under or on the unit.", high=STACK_LIMIT),
    number("captives", "Tokens under the unit that it holds captive."),
    code("attack_role", Role, "Part in the attack"),
    code("act_role", Role, "Part in the activation"),
    number("public_movement", "Face-down unit: its printed movement is publicly at least this."),
    number("public_armor", "Face-down unit: its printed armor is publicly at least this.", INT8_LOW),
)

FIRST_ALONE = "Of alternatives, only the first is shown."

# What follows from the type alone, as in `params.type_attributes`; effects may change the stats.
ATTRIBUTE_FEATURES: tuple[Feature, ...] = (
    code("kind", Shown, "Kind"),
    *_type("", "or 0 if unknown"),
    number("effective_movement", "Movement of the unit after visible effects; off the board as printed."),
    number("effective_damage", "Damage rating of the unit after visible effects; off the board as printed."),
    number("effective_armor", "Armor of the unit after visible effects; off the board as printed.", INT8_LOW),
    number("rank", "Rank."),
    code("homeland", Homeland, "Homeland of a unit"),
    code("class", UnitClass, "Type of a unit"),
    code("band", Band, "Name band of a unit"),
    number("movement", "Printed movement of a unit; of another token, what it adds to movement.", INT8_LOW),
    number("damage", "Printed damage rating of a unit; of another token, what it adds to damage.", INT8_LOW),
    number("armor", "Printed armor of a unit; of another token, what it adds to armor.", INT8_LOW),
    *(
        number(
            ability.name.lower(),
            "Unit: value of this ability (a range, a damage, or 1), while face up as it works now. Spell, maneuver: it "
            "grants the ability or does what the ability does."
            + (
                " Battlefield: such units are exempt from its halt."
                if ability in (Ability.FLYING, Ability.AQUATIC)
                else ""
            ),
        )
        for ability in Ability
    ),
    code("flip", Flip, "Flip for scatter, damage or relocation"),
    code("augmented", Augmented, "Stat that it augments"),
    number("augment_amount", "How much it augments.", INT8_LOW),
    number("match_class", f"Type of the units concerned, plus 1; 0: any. {FIRST_ALONE}", high=len(UnitClass)),
    number("match_homeland", f"Homeland of the units concerned, plus 1; 0: any. {FIRST_ALONE}", high=len(Homeland)),
    number("match_keyword", f"Keyword of the units concerned, plus 1; 0: any. {FIRST_ALONE}", high=64),
    number("keyword", "First keyword of a unit, plus 1; 0: none.", high=64),
    flag("limited", "a printed limit must be met."),
    code("use", Use, "How its text is used"),
    code("target", Target, "What an activation is aimed at"),
    number("target_range", "Greatest distance of the target."),
    flag("retain", "flip to retain."),
    number("strike", "Damage that its text inflicts."),
    number("relocate", "Hexes that its text relocates."),
    number("swap", "Distance over which its text swaps units."),
    flag("remove", "its text removes from play."),
    flag("halts", "the battlefield halts movement."),
    flag("water", "the battlefield has water effects."),
    flag("favors_aquatic", "the battlefield favors aquatic units."),
)

TOKEN_FEATURES = STATE_FEATURES + ATTRIBUTE_FEATURES
NUM_ATTRIBUTES = len(ATTRIBUTE_FEATURES)


def type_features(num_generals: int) -> tuple[Feature, ...]:
    """Return the features of the block `types`."""
    seats = range(num_generals)
    return (
        number("own_sack", "Copies in the observer's own sack."),
        *(number(f"casualties_{seat}", f"Copies in the casualties pile of seat {seat}.") for seat in seats),
        *(
            number(f"known_{seat}", f"Copies that seat {seat} is known to have, somewhere out of sight.")
            for seat in seats[1:]
        ),
    )


# --- columns, for kernels

Global: Any = columns("GlobalColumns", GLOBAL_FEATURES)
Log: Any = columns("LogColumns", LOG_FEATURES)
General: Any = columns("GeneralColumns", GENERAL_FEATURES)
Token: Any = columns("TokenColumns", TOKEN_FEATURES)
Attribute: Any = columns("AttributeColumns", ATTRIBUTE_FEATURES)

GLOBAL_WIDTH = len(GLOBAL_FEATURES)
GENERAL_WIDTH = len(GENERAL_FEATURES)
TOKEN_WIDTH = len(TOKEN_FEATURES)
FIRST_ATTRIBUTE = len(STATE_FEATURES)

GLOBAL_START = 0
LOG_START = GLOBAL_START + GLOBAL_WIDTH
GENERAL_START = LOG_START + MAX_LOG * LOG_WIDTH

# Columns of the block `types`: own sack, then casualties of each seat, then what is known of each seat but the first.
OWN_SACK = 0
CASUALTIES = 1


def make_observation_spec(num_generals: int, num_types: int, tokens_per_general: int) -> ObservationSpec:
    """Return the layout of observations for a configuration."""
    return ObservationSpec(
        [
            Block(
                "globals",
                1,
                GLOBAL_FEATURES,
                "The decision, what is announced, the turn. Seats count from the observer.",
            ),
            Block("log", MAX_LOG, LOG_FEATURES, "Public events, latest first; unused rows have kind 0."),
            Block("generals", num_generals, GENERAL_FEATURES, "The Generals, the observer first, counter-clockwise."),
            Block("types", num_types, type_features(num_generals), "Piles as counts, one row a type of the catalogue."),
            Block(
                "tokens",
                num_generals * tokens_per_general,
                TOKEN_FEATURES,
                "Tokens as objects: the observer's hand and picks by type, then hex by hex the battlefield, the unit, "
                "its attachments in the order of their stack, its captives in the order of capture; last what was "
                "removed from play, by seat and type. Unused rows are zero. A token that the observer does not know "
                "shows only its place, owner, face and what is public.",
            ),
        ]
    )
