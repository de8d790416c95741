"""The legal actions of the current decision: one `offer_` function for each decision."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import has_bit
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow, clear_legal
from sackarmies_env.games.sack_armies.rules.abilities import offer_raise_hexes
from sackarmies_env.games.sack_armies.rules.attack import offer_advance, offer_charge_hexes, offer_designations
from sackarmies_env.games.sack_armies.rules.coordinate import offer_coord_members, offer_coord_targets
from sackarmies_env.games.sack_armies.rules.damage import offer_save_slots
from sackarmies_env.games.sack_armies.rules.deploy import offer_deploy_hexes, offer_deploy_types, offer_discards
from sackarmies_env.games.sack_armies.rules.effects import (
    offer_effect_hexes,
    offer_effect_targets,
    offer_effect_types,
    offer_slots,
    running_text,
    stripped_kind,
)
from sackarmies_env.games.sack_armies.rules.setup import offer_fields, offer_setup_hexes, placement_zone
from sackarmies_env.games.sack_armies.rules.turn import (
    offer_cast_slots,
    offer_menu,
    offer_move_hexes,
    offer_move_units,
    offer_raise_types,
    offer_sources,
    offer_targets,
    offer_token_slots,
)
from sackarmies_env.games.sack_armies.rules.window import (
    offer_reveal_hexes,
    offer_reveal_slots,
    offer_surprise_slots,
    offer_window,
)
from sackarmies_env.games.sack_armies.state.constants import (
    ACTION_DECISIONS,
    COMBAT_DECISIONS,
    EFFECT_DECISIONS,
    SETUP_DECISIONS,
    Decision,
    Verb,
    Zone,
)


@njit
def offer_yes_or_no(state):
    """Offer YES and PASS."""
    allow(state, np.int64(Verb.PASS))
    allow(state, np.int64(Verb.YES))


@njit
def offer_effect_slots(params, state):
    """Offer the attachments of the target that the running text may remove."""
    kind = stripped_kind(params, running_text(state))
    offer_slots(params, state, state.act_player, state.act_target, kind)


@njit
def offer_in_setup(params, state, decision):
    """Offer the choices of Setup, Draw and Deploy."""
    if decision == Decision.SETUP_PICK:
        offer_fields(params, state, np.int64(Zone.SACK))
    elif decision == Decision.SETUP_TYPE:
        offer_fields(params, state, np.int64(placement_zone(params)))
    elif decision == Decision.SETUP_HEX:
        offer_setup_hexes(params, state)
    elif decision == Decision.DISCARD:
        offer_discards(params, state)
    elif decision == Decision.DEPLOY_TYPE:
        offer_deploy_types(params, state)
    else:
        offer_deploy_hexes(params, state)


@njit
def offer_in_action(params, state, decision):
    """Offer the choices that begin an action or a free reveal."""
    if decision == Decision.MENU:
        offer_menu(params, state)
    elif decision == Decision.REVEAL_HEX:
        offer_reveal_hexes(params, state)
    elif decision == Decision.REVEAL_SLOT:
        offer_reveal_slots(params, state)
    elif decision == Decision.MOVE_UNIT:
        offer_move_units(params, state)
    elif decision == Decision.MOVE_TO:
        offer_move_hexes(params, state)
    elif decision == Decision.SOURCE or decision == Decision.CAST_HOST:
        offer_sources(params, state)
    elif decision == Decision.TARGET or decision == Decision.TOKEN_HOST:
        offer_targets(params, state)
    elif decision == Decision.COORD_TARGET:
        offer_coord_targets(params, state)
    elif decision == Decision.COORD_MEMBER:
        offer_coord_members(params, state)
    elif decision == Decision.CHARGE_TO:
        offer_charge_hexes(params, state)
    elif decision == Decision.TOKEN_SLOT:
        offer_token_slots(params, state)
    elif decision == Decision.RAISE_TYPE:
        offer_raise_types(params, state)
    elif decision == Decision.RAISE_HEX:
        offer_raise_hexes(params, state)
    else:
        offer_cast_slots(params, state)


@njit
def offer_in_effect(params, state, decision):
    """Offer what a text can be aimed at."""
    if decision == Decision.EFFECT_TARGET:
        offer_effect_targets(params, state)
    elif decision == Decision.EFFECT_SLOT:
        offer_effect_slots(params, state)
    elif decision == Decision.EFFECT_HEX:
        offer_effect_hexes(params, state)
    else:
        offer_effect_types(params, state)


@njit
def offer_in_combat(params, state, decision):
    """Offer reactions, and the choices during combat."""
    if decision == Decision.WINDOW:
        offer_window(params, state)
    elif decision == Decision.SURPRISE_SLOT:
        offer_surprise_slots(params, state)
    elif decision == Decision.DESIGNATE:
        offer_designations(params, state)
    elif decision == Decision.ADVANCE:
        offer_advance(params, state)
    elif decision == Decision.SAVE_SLOT:
        offer_save_slots(params, state)
    else:
        offer_yes_or_no(state)


@njit
def refresh_legal(params, state):
    """Write the legal ids of the current player, from all that they know and nothing else (V-16)."""
    clear_legal(state)
    decision = state.decision
    if has_bit(ACTION_DECISIONS, decision):
        offer_in_action(params, state, decision)
    elif has_bit(SETUP_DECISIONS, decision):
        offer_in_setup(params, state, decision)
    elif has_bit(EFFECT_DECISIONS, decision):
        offer_in_effect(params, state, decision)
    elif has_bit(COMBAT_DECISIONS, decision):
        offer_in_combat(params, state, decision)
