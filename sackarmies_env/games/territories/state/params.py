"""Kernel parameters: the configuration as one record; none of it is compiled in."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.state import record_dtype
from sackarmies_env.games.territories.state.constants import MAX_BORDERS, MAX_TERRITORIES, NUM_CARDS, NUM_UNITS

PARAMS_DTYPE = record_dtype(
    [
        ("num_players", np.int64),
        # The map.
        ("num_territories", np.int64),
        ("territories", np.int16, (MAX_TERRITORIES,)),  # ids on the map, ascending; then NO_TERRITORY
        ("neighbors", np.int16, (MAX_TERRITORIES, MAX_BORDERS)),  # ascending; then NO_TERRITORY
        ("elevation", np.int16, (MAX_TERRITORIES,)),  # -1: not on this map
        ("dealt", np.int64),  # territories dealt to each player
        ("dealt_troops", np.int64),  # in each territory dealt
        ("placements", np.int64),  # per player in the set-up
        ("placed_troops", np.int64),  # at each placement
        ("first_actions", np.int64),  # standard actions in the first turn
        ("garrison", np.int16, (NUM_UNITS,)),  # per player, including units on the map
        # Units.
        ("unit_value", np.int16, (NUM_UNITS,)),
        ("unit_dice", np.int16, (NUM_UNITS,)),
        ("unit_counter", np.int16, (NUM_UNITS,)),  # bonus of its counter; 0: none
        # Cards.
        ("card_copies", np.int16, (NUM_CARDS,)),
        ("card_effect", np.int16, (NUM_CARDS,)),  # Effect
        ("card_amount", np.int16, (NUM_CARDS,)),
        ("card_penalty", np.int16, (NUM_CARDS,)),  # troops that a discard costs
        # Switches.
        ("pair_per_turn", np.int64),  # exchange_pair = per_turn
        ("domination", np.int64),  # number of territories that wins at the end of a turn; 0: off
        ("attacks_per_turn", np.int64),
        ("max_rounds", np.int64),
    ]
)
