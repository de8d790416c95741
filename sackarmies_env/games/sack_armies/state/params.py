"""Params: the configuration as one record that is passed to kernels; none of it is compiled in."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import WORD_BITS
from sackarmies_env.core.state import record_dtype
from sackarmies_env.games.sack_armies.state.constants import (
    MAX_ABILITIES,
    MAX_CLAUSES,
    MAX_EFFECTS,
    MAX_GENERALS,
    MAX_MATCHES,
    MAX_TYPES,
    NUM_ABILITIES,
)
from sackarmies_env.games.sack_armies.state.layout import NUM_ATTRIBUTES
from sackarmies_env.games.sack_armies.state.record import LARGE

MAX_LISTS = 32

SWITCH_FIELDS = [
    ("draw_count", np.int64),
    ("hand_limit", np.int64),
    ("initial_hand", np.int64),
    ("clockwise_turns", np.int64),  # turn_direction = cw_turns
    ("neutral_by_owner", np.int64),  # neutral_zone_basis = owner
    ("pick_at_placement", np.int64),  # setup_pick = any_at_placement
    ("flip_method", np.int64),  # FlipMethod
    ("windows_full", np.int64),  # reaction_windows = full
    ("windows_targeted_only", np.int64),  # reaction_windows = targeted_only
    ("coord_window_before", np.int64),  # coord_window = before_check or both
    ("coord_window_after", np.int64),  # coord_window = after_check or both
    ("single_counter_late", np.int64),  # counter_timing_single = after_attack_flips
    ("coord_counter_early", np.int64),  # counter_timing_coord = before_flips
    ("auto_forced", np.int64),
    ("auto_ambush", np.int64),
    ("ranged_coord_connected", np.int64),
    ("leadership_must_attack", np.int64),
    ("advance_after_coord", np.int64),
    ("surprise_precludes_counter", np.int64),
    ("sum_simultaneous_damage", np.int64),
    ("scatter_save", np.int64),
    ("augment_stacks", np.int64),
    ("sight_on_reveal", np.int64),
    ("raise_any_legal_hex", np.int64),  # raise_zone = any_legal_hex
    ("blind_known_only", np.int64),  # blind_target_wrong_kind = refuse_known_only
    ("stop_after_failed_check", np.int64),
    ("allow_concede", np.int64),
    ("casualties_public", np.int64),
    ("sack_count_public", np.int64),
    ("open_army_lists", np.int64),
    ("win_only", np.int64),  # reward = win_only
    ("max_turns", np.int64),
    ("no_progress_turns", np.int64),
    ("max_progressive", np.int64),
    ("max_ranks", np.int64),
    ("min_battlefields", np.int64),
    ("copy_limits", np.int16, (3,)),  # copies of a token of rank 1, 2, 3 and higher
]

PARAMS_DTYPE = record_dtype(
    [
        ("num_generals", np.int64),
        ("num_types", np.int64),
        ("num_actions", np.int64),
        ("tokens_per_general", np.int64),  # rows of the state that each General owns
    ],
    SWITCH_FIELDS,
    [
        # --- the board
        ("num_cells", np.int64),
        ("radius", np.int64),
        ("center", np.int64),
        ("cell_q", np.int8, (LARGE.cells,)),
        ("cell_r", np.int8, (LARGE.cells,)),
        ("neighbors", np.int16, (LARGE.cells, 6)),  # NO_HEX off the board
        ("cell_interior", np.int8, (LARGE.cells,)),  # 1: all six neighbors are on the board
        ("row_cell", np.int16, (LARGE.rows,)),  # first cell of row r + R
        ("row_column", np.int8, (LARGE.rows,)),  # q + R of that cell
        # --- armies
        ("army_size", np.int16, (MAX_GENERALS,)),
        ("army_type", np.int16, (MAX_GENERALS, LARGE.tokens)),  # NO_TYPE beyond army_size
        # --- the built-in armies that are legal in this game: what others may well have
        ("num_lists", np.int64),
        ("list_size", np.int16, (MAX_LISTS,)),
        ("list_copies", np.int8, (MAX_LISTS, MAX_TYPES)),
        # --- catalogue, by type
        ("type_kind", np.int8, (MAX_TYPES,)),
        ("type_rank", np.int8, (MAX_TYPES,)),
        ("type_homeland", np.int8, (MAX_TYPES,)),
        ("type_class", np.int8, (MAX_TYPES,)),
        ("type_band", np.int8, (MAX_TYPES,)),
        ("type_movement", np.int16, (MAX_TYPES,)),
        ("type_damage", np.int16, (MAX_TYPES,)),
        ("type_armor", np.int16, (MAX_TYPES,)),
        ("type_keywords", np.int64, (MAX_TYPES,)),  # bits
        ("type_first_keyword", np.int8, (MAX_TYPES,)),  # of a unit: bit number of the first printed, plus 1; 0: none
        ("type_ability", np.int8, (MAX_TYPES, NUM_ABILITIES)),  # greatest printed value: range, damage or 1; 0: none
        ("type_verbs", np.int64, (MAX_TYPES,)),  # bits: verbs that a unit may have from what is printed on it
        ("type_ability_start", np.int16, (MAX_TYPES,)),  # rows of the ability table
        ("type_ability_end", np.int16, (MAX_TYPES,)),
        ("type_limit_start", np.int16, (MAX_TYPES,)),  # rows of limit_match
        ("type_limit_end", np.int16, (MAX_TYPES,)),
        ("type_halts", np.int8, (MAX_TYPES,)),
        ("type_water", np.int8, (MAX_TYPES,)),
        ("type_favors_aquatic", np.int8, (MAX_TYPES,)),
        ("type_exempts_flying", np.int8, (MAX_TYPES,)),
        ("type_exempts_aquatic", np.int8, (MAX_TYPES,)),
        ("type_use", np.int8, (MAX_TYPES,)),  # Use
        ("type_target", np.int8, (MAX_TYPES,)),  # Target
        ("type_target_range", np.int8, (MAX_TYPES,)),
        ("type_retain", np.int8, (MAX_TYPES,)),
        ("type_effect_start", np.int16, (MAX_TYPES,)),  # rows of the effect table
        ("type_effect_end", np.int16, (MAX_TYPES,)),
        ("type_attributes", np.int8, (MAX_TYPES, NUM_ATTRIBUTES)),  # as observations show them; derived from the rest
        # --- abilities, printed or granted
        ("ability_kind", np.int8, (MAX_ABILITIES,)),
        ("ability_value", np.int8, (MAX_ABILITIES,)),  # range, scatter damage, or 1
        ("ability_stat", np.int8, (MAX_ABILITIES,)),  # augment
        ("ability_amount", np.int8, (MAX_ABILITIES,)),  # augment
        ("ability_match", np.int16, (MAX_ABILITIES,)),  # augment, raise: row of the match table
        ("ability_flip", np.int8, (MAX_ABILITIES,)),  # scatter: Flip
        # --- effects of spells, maneuvers, battlefields, printed texts
        ("effect_kind", np.int8, (MAX_EFFECTS,)),
        ("effect_stat", np.int8, (MAX_EFFECTS,)),  # modify
        ("effect_amount", np.int8, (MAX_EFFECTS,)),  # damage, modify; draw: count; reveal: range
        ("effect_flip", np.int8, (MAX_EFFECTS,)),  # Flip
        ("effect_distance", np.int8, (MAX_EFFECTS,)),  # relocate, swap
        ("effect_who", np.int8, (MAX_EFFECTS,)),  # relocate: Who
        ("effect_match", np.int16, (MAX_EFFECTS,)),  # battlefields: units affected; raise: units it may raise
        ("effect_ability", np.int16, (MAX_EFFECTS,)),  # grant: row of the ability table
        # --- a match holds if any of its clauses does; a clause, if all of its conditions do
        ("match_start", np.int16, (MAX_MATCHES,)),
        ("match_end", np.int16, (MAX_MATCHES,)),
        ("match_types", np.uint64, (MAX_MATCHES, MAX_TYPES // WORD_BITS)),  # bits: types that fit; from the rest
        ("clause_keywords", np.int64, (MAX_CLAUSES,)),  # bits that must all be set
        ("clause_homeland", np.int8, (MAX_CLAUSES,)),  # Homeland or NO_CLAUSE
        ("clause_class", np.int8, (MAX_CLAUSES,)),  # UnitClass or NO_CLAUSE
        ("limit_match", np.int16, (MAX_MATCHES,)),  # what must be revealed in play
    ],
)
