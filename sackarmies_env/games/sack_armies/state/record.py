"""The state record: the whole truth of one game, field by field."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.chance import chance_fields
from sackarmies_env.core.events import event_fields
from sackarmies_env.core.flow import flow_fields
from sackarmies_env.core.legal import legal_fields
from sackarmies_env.core.state import (
    BITS,
    CELL,
    CODE,
    COMMON_FIELDS,
    COUNT,
    FLAG,
    NUMBER,
    ROW,
    SEAT,
    TYPE,
    Role,
    StateField,
    StateLayout,
    array,
    part_of_state,
    scalar,
)
from sackarmies_env.games.sack_armies.state.constants import (
    Decision,
    Event,
    Face,
    Frame,
    Member,
    Stat,
    Verb,
    Victory,
    Zone,
)

MAX_FRAMES = 5
FRAME_DATA = 6
MAX_CHAIN = 6
MAX_LOG = 24
LOG_WIDTH = 9  # numbers per event in observations
MAX_SCRIPT_FLIPS = 128
MAX_SCRIPT_DRAWS = 48
PASSING_LIMIT = 32  # per General: most surprises with passing effects; most augments that the dead leave
MAX_INSTANCES = 14  # a hit and a counter, each scattered over six neighbors
MAX_RETURNS = 250  # cap of `returns`: all later ones get this number
NUM_STATS = len(Stat)
STATS = "effective stats"
PRINTED = 0  # in ghost_rows: the augments printed on the dead unit
IN_SIGHT = 255  # in token_seen: the identity is public now


class Capacity(NamedTuple):
    """Sizes of a state record; a configuration uses the smallest capacity that holds it."""

    generals: int
    cells: int
    rows: int  # of the board
    tokens: int  # per General, at most 64: sets of them are the bits of a word
    legal_words: int  # 64 action ids each


def max_modifiers(generals: int) -> int:
    """Return the most texts with passing effects in a turn: the others' surprises, the active General's action.

    One spare entry lets a position in the middle of that action be read without checking how far it has come.
    """
    return PASSING_LIMIT * (generals - 1) + 2


def max_ghosts(generals: int) -> int:
    """Return the most augments that a turn's dead can leave; two spare, as above, if the action grants and raises."""
    return PASSING_LIMIT * generals + 2


SMALL = Capacity(2, 271, 19, 40, 8)  # two Generals in the standard game
LARGE = Capacity(6, 919, 35, 64, 19)  # up to six Generals, bigger armies and boards


# Sizes of lists: SEAT, CELL, ROW, and those below.
BOARD_ROW = "board_row"
OWN_ROW = "own_row"  # tokens of one General
LEGAL_WORD = "legal_word"
MODIFIER = "modifier"
GHOST = "ghost"

FLOW_FIELDS = [  # the lowest procedure, Setup or the turn, is always there; chains hold cells, tokens and types
    field._replace(limits=(0, MAX_FRAMES - 1)) if field.name == "frame_top" else field
    for field in flow_fields(MAX_FRAMES, FRAME_DATA, MAX_CHAIN, Decision, Frame, Verb)
]

# Token t is row t of the `token_` fields; General g owns the rows from g * tokens on, so rows follow the army lists and
# must never show in an observation (V-01 to V-23). In sets of tokens, bit t of General g is row g * tokens + t; in sets
# of hexes, bit q + R of row r + R is a hex.
STATE_FIELDS: tuple[StateField, ...] = (
    *COMMON_FIELDS,
    *part_of_state(
        "the game",
        scalar("active", SEAT, "the General whose turn it is; NO_PLAYER in Setup"),
        scalar("victory_type", CODE, "Victory", codes=Victory),
        scalar("last_progress_turn", COUNT, "turn of the last death, control change or placement (Q-70)"),
        scalar("deck_red", COUNT, "red cards left in the shared deck (Q-68)"),
        scalar("deck_black", COUNT, "black cards left"),
        scalar("deck_jokers", COUNT, "jokers left"),
    ),
    *part_of_state(
        "tokens",
        array("token_type", np.int16, (ROW,), TYPE, "row of the catalogue; NO_TYPE for an unused row"),
        array("token_owner", np.int8, (ROW,), SEAT, "who brought it in (R3.2-2)", empty=0),
        array(
            "token_controller", np.int8, (ROW,), SEAT, "who commands it; of a battlefield: its arrow (R3.2-3)", empty=0
        ),
        array("token_zone", np.int8, (ROW,), CODE, "Zone", codes=Zone),
        array(
            "token_face", np.int8, (ROW,), CODE, "Face; hidden from opponents while DOWN (R8.2.2-1, R9.2-7)", codes=Face
        ),
        array("token_hex", np.int16, (ROW,), CELL, "of a unit or battlefield on the battleground; else NO_HEX"),
        array("token_host", np.int16, (ROW,), ROW, "unit it is attached to, or captor; else NO_TOKEN"),
        array("token_first", np.int16, (ROW,), ROW, "first attachment of a unit (slot 0); else NO_TOKEN"),
        array(
            "token_next", np.int16, (ROW,), ROW, "next attachment of its host or captive of its captor; else NO_TOKEN"
        ),
        array("token_active", np.int8, (ROW,), FLAG, "1: a permanent in effect on its host (R9.2-15)"),
        array("token_employed", np.int8, (ROW,), FLAG, "1 until the end of the turn (RB-6)"),
        array("token_moved", np.int8, (ROW,), FLAG, "1: moved this turn (R8.3-2)"),
        array("token_member", np.int8, (ROW,), CODE, "Member: its part in the coordinated attack", codes=Member),
        array(
            "token_seen",
            np.uint8,
            (ROW,),
            COUNT,
            "0: its identity was never public; IN_SIGHT; 1 + `returns` as it went",
        ),
        array("token_drawn", np.uint8, (ROW,), COUNT, "`returns` when it left the sack, for all that others know"),
        array(
            "token_kind_known",
            np.int8,
            (ROW,),
            FLAG,
            "1: its kind came to light (Q-49); in a sack: it came from play face down",
        ),
        array("token_min_movement", np.int8, (ROW,), COUNT, "farthest public move while face down"),
        array("token_min_armor", np.int8, (ROW,), NUMBER, "face down, printed armor is publicly at least this"),
    ),
    *part_of_state(
        "board",
        array("cell_unit", np.int16, (CELL,), ROW, "unit on the cell; NO_TOKEN if none; from token_hex"),
        array("cell_field", np.int16, (CELL,), ROW, "battlefield on the cell; NO_TOKEN if none"),
        role=Role.DERIVED,
    ),
    *part_of_state(
        "sets",
        array("zone_tokens", np.uint64, (SEAT, len(Zone)), BITS, "tokens in each zone"),
        array("units", np.uint64, (SEAT,), BITS, "of zone BATTLEGROUND, the units; the rest are battlefields"),
        array("face_up", np.uint64, (SEAT,), BITS, "tokens face up, whatever zone they are in"),
        array("seen", np.uint64, (SEAT,), BITS, "tokens whose token_seen is not 0"),
        array("unit_rows", np.uint64, (BOARD_ROW,), BITS, "hexes with a unit"),
        array("field_rows", np.uint64, (BOARD_ROW,), BITS, "hexes with a battlefield"),
        array("legal_rows", np.uint64, (BOARD_ROW,), BITS, "hexes on or next to a battlefield (R8.3-4)"),
        array("halt_rows", np.uint64, (BOARD_ROW,), BITS, "battlefields that end the moves of most units"),
        array(
            "board_keys", np.int16, (ROW,), COUNT, "2 * cell for a battlefield, 2 * cell + 1 for a unit, rising; then 0"
        ),
        scalar("num_board", COUNT, "entries of board_keys"),
        role=Role.DERIVED,
    ),
    *part_of_state(
        STATS,
        array("fresh_stats", np.uint64, (SEAT,), BITS, "units whose token_stats are up to date: at a decision, all"),
        array("token_stats", np.int32, (ROW, NUM_STATS), NUMBER, "movement, damage, armor of a unit now; else 0"),
        role=Role.DERIVED,
    ),
    *part_of_state(
        "Generals",
        array("general_alive", np.int8, (SEAT,), FLAG, "1: in the game"),
        array("general_drawn", np.int8, (SEAT,), FLAG, "1: among the last, who were eliminated together (Q-13)"),
        array("general_contending", np.int8, (SEAT,), FLAG, "1: still in the flips for initiative (R7.1-2)"),
        array("returns", np.uint8, (SEAT,), COUNT, "own tokens that went from play to the sack, up to MAX_RETURNS"),
        array(
            "sack_emptied", np.int8, (SEAT,), FLAG, "1: a draw has emptied the sack in public: since then all can count"
        ),
        array("sack_count", np.int16, (SEAT,), COUNT, "tokens in the sack; from token_zone", role=Role.DERIVED),
        array("hand_count", np.int16, (SEAT,), COUNT, "tokens in hand; from token_zone", role=Role.DERIVED),
    ),
    *chance_fields("flips", 1, MAX_SCRIPT_FLIPS, np.int8, FLAG, "forced flips, 1 for heads"),
    *chance_fields("draws", SEAT, MAX_SCRIPT_DRAWS, np.int16, TYPE, "types of forced draws"),
    *FLOW_FIELDS,
    *part_of_state(
        "control flow",
        scalar(
            "check_failed",
            FLAG,
            "1: a check failed, or an attack or activation was cancelled, this turn (R8.4.5-13, Q-18)",
        ),
        scalar(
            "window_closed",
            COUNT,
            "1 + position at which a window has just closed; 0 after anything public",
            limits=(0, LARGE.generals),
        ),
        scalar(
            "window_heard",
            COUNT,
            "passes in the window, open or just closed, up to the last that others noticed",
            limits=(0, LARGE.generals),
        ),
    ),
    *part_of_state(
        "attack",  # public from the announcement on
        scalar(
            "attack_verb",
            CODE,
            "MELEE, RANGED, COORD_MELEE, COORD_RANGED, MOVE_ATTACK; 0 when none",
            codes=Verb,
        ),
        scalar("attack_unit", ROW, "attacker; NO_TOKEN if coordinated"),
        scalar("attack_target", ROW, "defender; may change through a surprise maneuver"),
        scalar("attack_hex", CELL, "hex aimed at (R9.3-5)"),
        scalar("attack_announced", FLAG, "1: others know of it"),
        scalar("attack_ambush", FLAG, "1: an ambush flip succeeded"),
        scalar("attack_surprised", FLAG, "1: the defender has used a surprise maneuver since it became the defender"),
        scalar("attack_countered", FLAG, "1: the defender counter-attacks"),
        scalar("attack_designated", ROW, "attacker that takes the counter"),
        scalar("attack_no_advance", FLAG, "1: RA-MoveAttack-6"),
        scalar("attack_moved", FLAG, "1: a Move and Attack has moved"),
        scalar("attack_successes", COUNT, "flips that succeeded"),
        scalar("counter_successes", COUNT, "flips of the counter-attack that succeeded"),
        scalar("attack_killed", FLAG, "1: the attackers' own hit was lethal (Q-38)"),
    ),
    *part_of_state(
        "activation",  # public from the announcement on
        scalar("act_verb", CODE, "CAPTURE ... CUSTOM or SURPRISE; 0 when none", codes=Verb),
        scalar("act_player", SEAT, "the General who activates; NO_PLAYER when none"),
        scalar("act_unit", ROW, "acting unit or host"),
        scalar("act_token", ROW, "spell or maneuver activated; NO_TOKEN for abilities and printed texts"),
        scalar("act_target", ROW, "target unit"),
        scalar("act_hex", CELL, "target hex"),
        scalar("act_slot", ROW, "attachment to counter or dispel"),
        scalar("act_to", CELL, "where a relocation ends"),
        scalar("act_type", TYPE, "type to raise"),
        scalar("act_announced", FLAG, "1: others know of it"),
        scalar("act_effect", COUNT, "next effect row of the running text"),
    ),
    *part_of_state(
        "effects that end with the turn",
        *part_of_state(
            "",
            array("modifier_token", np.int16, (MODIFIER,), ROW, "unit that a text works on", empty=0),
            array("modifier_type", np.int16, (MODIFIER,), TYPE, "of the text", empty=0),
            array(
                "modifier_rows",
                np.int8,
                (MODIFIER,),
                COUNT,
                "that many effects of the text, from the first, have been applied",
            ),
            counted_by="num_modifiers",
        ),
        scalar("num_modifiers", COUNT, "entries of the modifiers"),
        *part_of_state(
            "",
            array("ghost_hex", np.int16, (GHOST,), CELL, "where an augmenter died (RA-Augment-6)", empty=0),
            array(
                "ghost_type", np.int16, (GHOST,), TYPE, "what augmented: the unit, or a text that granted it", empty=0
            ),
            array(
                "ghost_rows",
                np.int8,
                (GHOST,),
                COUNT,
                "that many effects of the text, from the first; PRINTED for the unit",
            ),
            array("ghost_controller", np.int8, (GHOST,), SEAT, "General whose units it augments", empty=0),
            array("ghost_same", np.int8, (GHOST,), FLAG, "1: it is the same dead unit as in the entry before"),
            counted_by="num_ghosts",
        ),
        scalar("num_ghosts", COUNT, "entries of the ghosts"),
    ),
    *part_of_state(
        "damage of the exchange being resolved (P-DAMAGE)",
        *part_of_state(
            "",
            array("damage_target", np.int16, (MAX_INSTANCES,), ROW, "unit that is hit", empty=0),
            array("damage_amount", np.int32, (MAX_INSTANCES,), NUMBER, "damage"),
            array("damage_armor", np.int32, (MAX_INSTANCES,), NUMBER, "locked effective armor of the target"),
            array("damage_scatter", np.int8, (MAX_INSTANCES,), FLAG, "1: scatter"),
            array("damage_saved", np.int8, (MAX_INSTANCES,), COUNT, "Save of damage.py: how far D-28 has come"),
            counted_by="num_damages",
        ),
        scalar("num_damages", COUNT, "entries of the damages"),
    ),
    *event_fields(MAX_LOG, "log_hex", Event),
    *part_of_state(
        "public events, latest first",
        array(
            "log_shown",
            np.int8,
            (MAX_LOG * LOG_WIDTH,),
            NUMBER,
            "the same as observations show it, seats apart",
            role=Role.DERIVED,
        ),
    ),
    *legal_fields(LEGAL_WORD),
    *part_of_state(
        "scratch",
        array("reach_rows", np.uint64, (BOARD_ROW,), BITS, "P-REACH: hexes that can be entered"),
        array("reach_edge", np.uint64, (BOARD_ROW,), BITS, "P-REACH: those entered by the last step that go on"),
        array("reach_open", np.uint64, (BOARD_ROW,), BITS, "P-REACH: hexes that may be passed and are not reached"),
        array("reach_halts", np.uint64, (BOARD_ROW,), BITS, "P-REACH: hexes that end the move"),
        array("true_type", np.int16, (OWN_ROW,), TYPE, "determinize: types that a General is known to have", empty=0),
        array("true_seen", np.uint8, (OWN_ROW,), COUNT, "determinize: their token_seen"),
        array("sample_back", np.int8, (ROW,), COUNT, "determinize: Back, the kind as far as all know it"),
        scalar("sample_lax", COUNT, "determinize: what does not count, see plausible.py"),
        scalar("sample_done", BITS, "determinize: rows that have their new type", dtype=np.uint64),
        role=Role.SCRATCH,
    ),
)


@functools.cache
def make_state_layout(capacity: Capacity) -> StateLayout:
    """Return the layout of the state record for `capacity`."""
    generals, cells, rows, per_general, legal_words = capacity
    sizes = {SEAT: generals, CELL: cells, ROW: generals * per_general, BOARD_ROW: rows, OWN_ROW: per_general}
    lists = {LEGAL_WORD: legal_words, MODIFIER: max_modifiers(generals), GHOST: max_ghosts(generals)}
    return StateLayout(STATE_FIELDS, {**sizes, **lists})


def clear_states(states: NDArray[np.void]) -> None:
    """Clear every record of `states`: nobody in play, no tokens, nothing in progress."""
    dtype = states.dtype
    names = ("general_alive", "cell_unit", "unit_rows", "true_type", "legal")
    make_state_layout(Capacity(*(dtype[name].shape[0] for name in names))).clear(states)


def make_state_dtype(capacity: Capacity) -> np.dtype[np.void]:
    """Return the dtype of the state record for `capacity`."""
    return make_state_layout(capacity).dtype
