"""Clearing of scratch fields and unused list entries, so that equal positions are equal byte for byte."""

from __future__ import annotations

from sackarmies_env.core.jit import literal_unroll, njit
from sackarmies_env.core.state import Role, names_of
from sackarmies_env.games.sack_armies.state.record import STATE_FIELDS

SCRATCH_NUMBERS = names_of(STATE_FIELDS, role=Role.SCRATCH, shape=())
SCRATCH_LISTS = tuple(name for name in names_of(STATE_FIELDS, role=Role.SCRATCH) if name not in SCRATCH_NUMBERS)
DAMAGES = names_of(STATE_FIELDS, counted_by="num_damages")
MODIFIERS = names_of(STATE_FIELDS, counted_by="num_modifiers")
GHOSTS = names_of(STATE_FIELDS, counted_by="num_ghosts")


@njit
def clear_from(numbers, start):
    """Zero `numbers` from index `start` on."""
    for i in range(start, len(numbers)):
        numbers[i] = 0


@njit
def clear_scratch(state):
    """Clear the scratch fields, which kernels use while they work."""
    for name in literal_unroll(SCRATCH_LISTS):
        clear_from(state[name], 0)
    for name in literal_unroll(SCRATCH_NUMBERS):
        state[name] = 0


@njit
def clear_leftovers(state):
    """Clear scratch fields and unused list entries: leftovers of earlier exchanges are never read but could leak."""
    for name in literal_unroll(DAMAGES):
        clear_from(state[name], state.num_damages)
    for name in literal_unroll(MODIFIERS):
        clear_from(state[name], state.num_modifiers)
    for name in literal_unroll(GHOSTS):
        clear_from(state[name], state.num_ghosts)
    clear_scratch(state)
