"""The state record: the whole truth of one game, field by field."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.chance import chance_fields
from sackarmies_env.core.events import event_fields
from sackarmies_env.core.flow import flow_fields
from sackarmies_env.core.legal import legal_fields, num_words
from sackarmies_env.core.state import (
    BITS,
    CELL,
    COMMON_FIELDS,
    COUNT,
    FLAG,
    NUMBER,
    SEAT,
    Role,
    StateLayout,
    array,
    part_of_state,
    scalar,
)
from sackarmies_env.games.territories.state.actions import NUM_ACTIONS
from sackarmies_env.games.territories.state.constants import (
    DIE_FACES,
    MAX_HAND,
    MAX_PLAYERS,
    MAX_SKIRMISHES,
    MAX_TERRITORIES,
    NUM_CARDS,
    NUM_COUNTERS,
    NUM_FACES,
    NUM_UNITS,
    Decision,
    Event,
    Frame,
)

MAX_FRAMES = 3
FRAME_DATA = 4
MAX_CHAIN = 3
MAX_LOG = 24  # more than the 23 events that one decision causes at most, so none of them is pushed out
MAX_SCRIPT_DICE = 64
MAX_SCRIPT_DRAWS = 8

# Dimensions of fields: SEAT, CELL (a territory) and those below.
UNIT = "unit"
CARD = "card"
SIDE = "side"
SKIRMISH = "skirmish"

STATE = StateLayout(
    (
        *COMMON_FIELDS,
        *legal_fields(num_words(NUM_ACTIONS)),
        *part_of_state(
            "the game",
            scalar("active", SEAT, "whose turn it is; NO_PLAYER in the set-up"),
            scalar("first_player", SEAT, "who began"),
            scalar("rounds", COUNT, "rounds that are over (TR-G7)"),
        ),
        *part_of_state(
            "map",
            array("territory_owner", np.int8, (CELL,), SEAT, "who controls it (TR-G3)"),
            array("territory_units", np.int8, (CELL, UNIT), COUNT, "units there; not those on the battle board"),
            array("territory_safe", np.int8, (CELL,), FLAG, "1: cannot be attacked again in this turn"),
        ),
        *part_of_state(
            "players",
            array("alive", np.int8, (SEAT,), FLAG, "1: in play"),
            array("garrison", np.int8, (SEAT, UNIT), COUNT, "units not on the map and not on the battle board"),
        ),
        *part_of_state(
            "cards",
            array("hand", np.int8, (SEAT, MAX_HAND), CARD, "kinds in the order of drawing; known to the owner alone"),
            array("hand_cycle", np.int16, (SEAT, MAX_HAND), COUNT, "of the deck they were drawn from (TR-H3)", empty=0),
            array("hand_count", np.int8, (SEAT,), COUNT, "cards in hand"),
            array(
                "taken_cycle",
                np.int16,
                (SEAT, CARD),
                COUNT,
                "of the deck that a card of the kind last left the hand from; none in hand is older (TR-H3)",
            ),
            array("deck", np.int8, (CARD,), COUNT, "cards of each kind left in the deck", role=Role.HIDDEN),
            array("discards", np.int8, (CARD,), COUNT, "cards of each kind on the pile of discards"),
            scalar("deck_count", COUNT, "cards left in the deck"),
            scalar("cycle", COUNT, "how often the discards have become the deck"),
        ),
        *part_of_state(
            "cards",
            array("pool", np.int8, (CARD,), COUNT, "cards of one cycle that belief deals"),
            array("holders", np.int8, (CARD,), BITS, "other players who can hold one of them; the next seat is 1"),
            role=Role.SCRATCH,
        ),
        *part_of_state(
            "turn",
            scalar("attacks", COUNT, "declared in this turn (TR-A6)"),
            scalar("victories", COUNT, "attacks won in this turn"),
            scalar("barred", FLAG, "1: no further attacks in this turn (TR-F3)"),
            scalar("traded_in", UNIT, "type that exchanges trade in"),
            scalar("traded_out", UNIT, "type that exchanges trade out"),
        ),
        *part_of_state(
            "battle",
            scalar("defender", SEAT, "whose territory is attacked"),
            scalar("source", CELL, "territory that the attack or move comes from"),
            scalar("target", CELL, "territory that is attacked or moved to"),
            array("board_units", np.int8, (SIDE, UNIT), COUNT, "units on the battle board"),
            array("board_counters", np.int8, (SIDE, NUM_COUNTERS), COUNT, "counters not yet assigned, by bonus - 1"),
            array("loose_dice", np.int8, (SIDE, NUM_FACES), COUNT, "dice not yet in a skirmish, by face - 2"),
            array("played", np.int8, (SIDE, CARD), COUNT, "cards played in this battle"),
            array(
                "rolled", np.int8, (SEAT, DIE_FACES), COUNT, "dice of each player's latest roll in battle, by face - 1"
            ),
            scalar("num_skirmishes", COUNT, "skirmishes of this battle", limits=(0, MAX_SKIRMISHES)),
            array("skirmish_dice", np.int8, (SKIRMISH, SIDE, NUM_FACES), COUNT, "by face - 2"),
            array("skirmish_counters", np.int8, (SKIRMISH, SIDE), COUNT, "sum of the counters assigned"),
            array("skirmish_cards", np.int8, (SKIRMISH, SIDE), NUMBER, "what cards for it add to the side's total"),
            array("skirmish_over", np.int8, (SKIRMISH,), FLAG, "1: resolved"),
        ),
        *chance_fields("dice", 1, MAX_SCRIPT_DICE, np.int8, COUNT, "faces that are rolled first"),
        *chance_fields("draws", SEAT, MAX_SCRIPT_DRAWS, np.int8, CARD, "kinds that players draw first"),
        *flow_fields(MAX_FRAMES, FRAME_DATA, MAX_CHAIN, Decision, Frame),
        *event_fields(MAX_LOG, "log_place", Event),
    ),
    {SEAT: MAX_PLAYERS, CELL: MAX_TERRITORIES, UNIT: NUM_UNITS, CARD: NUM_CARDS, SIDE: 2, SKIRMISH: MAX_SKIRMISHES},
)
