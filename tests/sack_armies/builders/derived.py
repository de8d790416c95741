"""Derived fields of the record, computed from scratch: the oracle for fields that are kept up to date."""

from __future__ import annotations

from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import Role, select
from sackarmies_env.games.sack_armies.rules.stats import refresh_stats
from sackarmies_env.games.sack_armies.state.record import STATE_FIELDS
from sackarmies_env.games.sack_armies.state.zones import rebuild

LEGAL = "legal actions"  # a part of the state with an oracle elsewhere
DERIVED = tuple(field.name for field in select(STATE_FIELDS, role=Role.DERIVED) if field.part != LEGAL)


@njit
def rebuild_derived(params, state):
    """Compute all derived fields except the legal ids."""
    rebuild(params, state)
    refresh_stats(params, state)
