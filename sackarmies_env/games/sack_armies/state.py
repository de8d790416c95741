"""The whole truth of one game as one flat record."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from sackarmies_env.core.state import COMMON_FIELDS, record_dtype
from sackarmies_env.games.sack_armies.constants import Zone

MAX_FRAMES = 5
FRAME_DATA = 6
MAX_CHAIN = 6
MAX_LOG = 24
LOG_WIDTH = 9  # numbers that observations show of an event
MAX_SCRIPT_FLIPS = 128
MAX_SCRIPT_DRAWS = 48
PASSING_LIMIT = 32  # surprises of a General whose effects pass with the turn; augments that its dead leave
MAX_INSTANCES = 14  # a hit and a counter, each scattered over six neighbors
MAX_RETURNS = 250  # returns after that many count as one
PRINTED = 0  # in ghost_rows: the augments printed on the dead unit
IN_SIGHT = 255  # in token_seen: the identity is public now


class Capacity(NamedTuple):
    """Sizes that a state record is laid out for; a configuration uses the smallest that holds it."""

    generals: int
    cells: int
    rows: int  # of the board
    tokens: int  # a General, at most 64: sets of them are bits of a word
    legal_words: int  # 64 action ids each


def max_modifiers(generals: int) -> int:
    """Return how many texts can have passing effects in a turn: surprises of all but the active one, its own action.

    One more lets a position be read in the middle of that action without a look at how far it has come.
    """
    return PASSING_LIMIT * (generals - 1) + 2


def max_ghosts(generals: int) -> int:
    """Return how many augments the dead of a turn can leave; two more, as above, if the action grants and raises."""
    return PASSING_LIMIT * generals + 2


SMALL = Capacity(2, 271, 19, 40, 8)  # two Generals in the standard game
LARGE = Capacity(6, 919, 35, 64, 19)  # up to six Generals, bigger armies and boards


@functools.cache
def make_state_dtype(capacity: Capacity) -> np.dtype[np.void]:
    """Return the state dtype for `capacity`, one object each: numba takes microseconds a call to compare equal ones.

    Token t is row t of the `token_` fields; General g owns the rows from g * tokens on, so rows follow the army lists
    and must never show in an observation (digest section 6).
    """
    generals, cells, rows, per_general, legal_words = capacity
    tokens = generals * per_general
    modifiers, ghosts = max_modifiers(generals), max_ghosts(generals)
    return record_dtype(
        COMMON_FIELDS,
        [
            ("decision", np.int8),  # Decision asked of current_player
            ("active", np.int8),  # the General whose turn it is; NO_PLAYER in Setup
            ("victory_type", np.int8),  # Victory
            ("last_progress_turn", np.int16),  # turn of the last death, control change or placement
            ("deck_red", np.int8),  # cards left in the shared deck
            ("deck_black", np.int8),
            ("deck_jokers", np.int8),
            # --- tokens
            ("token_type", np.int16, (tokens,)),  # row of the catalogue; NO_TYPE for an unused row
            ("token_owner", np.int8, (tokens,)),  # who brought it in (R3.2-2)
            ("token_controller", np.int8, (tokens,)),  # who commands it; of a battlefield: its arrow (R3.2-3)
            ("token_zone", np.int8, (tokens,)),  # Zone
            ("token_face", np.int8, (tokens,)),  # Face; hidden from opponents while DOWN (R8.2.2-1, R9.2-7)
            ("token_hex", np.int16, (tokens,)),  # cell of a unit or battlefield on the battleground; else NO_HEX
            ("token_host", np.int16, (tokens,)),  # unit it is attached to, or captor; else NO_TOKEN
            ("token_first", np.int16, (tokens,)),  # first attachment of a unit (slot 0); else NO_TOKEN
            ("token_next", np.int16, (tokens,)),  # next attachment of its host or captive of its captor; else NO_TOKEN
            ("token_active", np.int8, (tokens,)),  # 1: a permanent in effect on its host (R9.2-15)
            ("token_employed", np.int8, (tokens,)),  # 1 until the end of the turn (RB-6)
            ("token_moved", np.int8, (tokens,)),  # 1: moved this turn (R8.3-2)
            ("token_member", np.int8, (tokens,)),  # 1: takes part in the coordinated attack
            ("token_seen", np.uint8, (tokens,)),  # 0: its identity was never public; IN_SIGHT; 1 + `returns` as it went
            ("token_drawn", np.uint8, (tokens,)),  # `returns` when it left the sack, for all that others know
            (
                "token_kind_known",
                np.int8,
                (tokens,),
            ),  # 1: its kind came to light; in a sack: it came from play face down
            ("token_min_movement", np.int8, (tokens,)),  # farthest public move while face down
            ("token_min_armor", np.int8, (tokens,)),  # face down, printed armor is publicly at least this
            # --- board
            ("cell_unit", np.int16, (cells,)),  # unit on the cell; NO_TOKEN if none (derived from token_hex)
            ("cell_field", np.int16, (cells,)),  # battlefield on the cell; NO_TOKEN if none (derived)
            # --- sets as bits, all derived: bit t of General g is token g * tokens + t; bit q + R of row r + R is a hex
            ("zone_tokens", np.uint64, (generals, len(Zone))),
            ("units", np.uint64, (generals,)),  # of zone BATTLEGROUND, the units; the rest are battlefields
            ("face_up", np.uint64, (generals,)),  # whatever zone they are in
            ("seen", np.uint64, (generals,)),  # token_seen is not 0
            ("unit_rows", np.uint64, (rows,)),
            ("field_rows", np.uint64, (rows,)),
            ("legal_rows", np.uint64, (rows,)),  # on or next to a battlefield (R8.3-4)
            ("halt_rows", np.uint64, (rows,)),  # battlefields that end the moves of most units
            ("board_keys", np.int16, (tokens,)),  # 2 * cell for a battlefield, 2 * cell + 1 for a unit, rising; then 0
            ("num_board", np.int16),
            # --- Generals
            ("general_alive", np.int8, (generals,)),
            ("general_drawn", np.int8, (generals,)),  # 1: fell in the elimination that left nobody
            ("general_contending", np.int8, (generals,)),  # still in the flips for initiative (R7.1-2)
            ("returns", np.uint8, (generals,)),  # tokens of his that went from play to his sack, up to MAX_RETURNS
            (
                "sack_told",
                np.int8,
                (generals,),
            ),  # 1: a draw has emptied the sack in public: since then all can count
            ("sack_count", np.int16, (generals,)),  # derived from token_zone
            ("hand_count", np.int16, (generals,)),  # derived from token_zone
            # --- script: forced chance, used up before the streams
            ("script_flips", np.int8, (MAX_SCRIPT_FLIPS,)),
            ("script_flips_end", np.int16),
            ("script_flips_used", np.int16),
            ("script_draws", np.int16, (generals, MAX_SCRIPT_DRAWS)),  # types
            ("script_draws_end", np.int16, (generals,)),
            ("script_draws_used", np.int16, (generals,)),
            # --- control flow: a stack of procedures, the lowest is Setup or the turn
            ("frame_top", np.int8),
            ("frame_kind", np.int8, (MAX_FRAMES,)),  # Frame
            ("frame_step", np.int8, (MAX_FRAMES,)),  # step of that procedure
            ("frame_data", np.int16, (MAX_FRAMES, FRAME_DATA)),  # its few numbers; see each procedure
            ("chain", np.int16, (MAX_CHAIN,)),  # partial choice of current_player: cells, tokens, types
            ("chain_length", np.int8),
            ("chain_verb", np.int8),  # verb the chain began with; known to current_player only
            ("stumbled", np.int8),  # 1: a check failed or an attack was cancelled this turn (R8.4.5-13, Q-18)
            # --- the announced attack (public from the announcement on)
            ("attack_verb", np.int8),  # MELEE, RANGED, COORD_MELEE, COORD_RANGED, MOVE_ATTACK; 0 when none
            ("attack_unit", np.int16),  # attacker; NO_TOKEN if coordinated
            ("attack_target", np.int16),  # defender; may change through a surprise maneuver
            ("attack_hex", np.int16),  # hex aimed at (R9.3-5)
            ("attack_announced", np.int8),  # 1: others know of it
            ("attack_ambush", np.int8),  # 1: an ambush flip succeeded
            ("attack_surprised", np.int8),  # 1: a surprise maneuver was used
            ("attack_countered", np.int8),  # 1: the defender counter-attacks
            ("attack_designated", np.int16),  # attacker that takes the counter
            ("attack_no_advance", np.int8),  # 1: RA-MoveAttack-6
            ("attack_moved", np.int8),  # 1: a Move and Attack has moved
            ("attack_successes", np.int8),
            ("counter_successes", np.int8),
            ("attack_killed", np.int8),  # 1: the attackers' own hit was lethal (Q-38)
            # --- the announced activation (public from the announcement on)
            ("act_verb", np.int8),  # CAPTURE ... CUSTOM or SURPRISE; 0 when none
            ("act_player", np.int8),  # the General who activates; NO_PLAYER when none
            ("act_unit", np.int16),  # acting unit or host
            ("act_token", np.int16),  # spell or maneuver activated; NO_TOKEN for abilities and printed texts
            ("act_target", np.int16),  # target unit
            ("act_hex", np.int16),  # target hex
            ("act_slot", np.int16),  # attachment to counter or dispel
            ("act_to", np.int16),  # where a relocation ends
            ("act_type", np.int16),  # type to raise
            ("act_announced", np.int8),
            ("act_effect", np.int8),  # next effect row of the running text
            # --- effects that end with the turn
            ("modifier_token", np.int16, (modifiers,)),  # unit that a text works on
            ("modifier_type", np.int16, (modifiers,)),  # of the text
            (
                "modifier_rows",
                np.int8,
                (modifiers,),
            ),  # that many effects of the text, from the first, have been applied
            ("num_modifiers", np.int16),
            ("ghost_hex", np.int16, (ghosts,)),  # where an augmenter died (RA-Augment-6)
            ("ghost_type", np.int16, (ghosts,)),  # what augmented: the unit, or a text that granted it
            ("ghost_rows", np.int8, (ghosts,)),  # that many effects of the text, from the first; PRINTED for the unit
            ("ghost_controller", np.int8, (ghosts,)),
            ("ghost_same", np.int8, (ghosts,)),  # 1: it is the same dead unit as in the entry before
            ("num_ghosts", np.int16),
            # --- damage of the exchange being resolved (P-DAMAGE)
            ("damage_target", np.int16, (MAX_INSTANCES,)),
            ("damage_amount", np.int32, (MAX_INSTANCES,)),
            ("damage_armor", np.int32, (MAX_INSTANCES,)),  # locked effective armor of the target
            ("damage_scatter", np.int8, (MAX_INSTANCES,)),  # 1: scatter
            ("damage_saved", np.int8, (MAX_INSTANCES,)),  # Save of damage.py: how far D-28 has come
            ("num_damages", np.int8),
            # --- public events, latest first
            ("log_kind", np.int8, (MAX_LOG,)),  # Event
            ("log_player", np.int8, (MAX_LOG,)),
            ("log_hex", np.int16, (MAX_LOG,)),
            ("log_value", np.int16, (MAX_LOG,)),
            ("log_shown", np.int8, (MAX_LOG * LOG_WIDTH,)),  # the same as observations show it, seats apart (derived)
            # --- derived: legal ids of current_player as bits; and scratch
            ("legal", np.uint64, (legal_words,)),
            ("num_legal", np.int16),
            ("reach_rows", np.uint64, (rows,)),  # scratch of P-REACH: hexes that can be entered
            ("reach_edge", np.uint64, (rows,)),  # scratch of P-REACH: those entered by the last step that go on
            ("reach_open", np.uint64, (rows,)),  # scratch of P-REACH: hexes that may be passed and are not reached
            ("reach_halts", np.uint64, (rows,)),  # scratch of P-REACH: hexes that end the move
            ("aided", np.uint64, (generals,)),  # scratch of observations: units that others may augment
            ("guess_type", np.int16, (per_general,)),  # scratch of determinize: types that a General is known to have
            ("guess_seen", np.uint8, (per_general,)),  # scratch of determinize: their token_seen
            ("guess_back", np.int8, (tokens,)),  # scratch of determinize: Back, the kind as far as all know it
            ("guess_lax", np.int8),  # scratch of determinize: what does not count, see plausible.py
            ("guess_done", np.uint64),  # scratch of determinize: rows that have their new type, as bits
        ],
    )
