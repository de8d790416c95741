"""The legal ids of the decision at hand, as bits in the state."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import NO_BITS, ONE, WORD_BITS, count_bits
from sackarmies_env.core.jit import njit


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
def allow_all(state, first, bits):
    """Offer `first` + i for each bit i of `bits`."""
    word = first // WORD_BITS
    shift = np.uint64(first % WORD_BITS)
    low = (bits << shift) & ~state.legal[word]
    state.legal[word] |= low
    state.num_legal += count_bits(low)
    high = (bits >> ONE) >> (np.uint64(WORD_BITS - 1) - shift)
    if high != NO_BITS:
        high &= ~state.legal[word + 1]
        state.legal[word + 1] |= high
        state.num_legal += count_bits(high)


@njit
def first_allowed(state):
    """Return the least id that is offered; there must be one."""
    action = np.int64(0)
    while not is_allowed(state, action):
        action += 1
    return action
