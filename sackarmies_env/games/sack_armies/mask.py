"""The legal ids of the decision at hand, as bits in the state."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit

ONE = np.uint64(1)
WORD_BITS = 64


@njit
def clear_legal(state):
    """Offer nothing."""
    for word in range(len(state.legal)):
        state.legal[word] = np.uint64(0)
    state.num_legal = 0


@njit
def is_allowed(state, action):
    """Return whether `action` is offered."""
    return (state.legal[action // WORD_BITS] >> np.uint64(action % WORD_BITS)) & ONE == ONE


@njit
def allow(state, action):
    """Offer `action`, which may be offered already."""
    if not is_allowed(state, action):
        state.legal[action // WORD_BITS] |= ONE << np.uint64(action % WORD_BITS)
        state.num_legal += 1


@njit
def first_allowed(state):
    """Return the least id that is offered; there must be one."""
    action = np.int64(0)
    while not is_allowed(state, action):
        action += 1
    return action
