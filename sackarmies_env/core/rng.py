"""Chance: Philox2x32-10, a counter-based generator (Salmon et al., "Parallel random numbers", 2011).

A stream is a key of two 32-bit words and a counter; the counter is all that changes, so a state replays exactly and
streams never overlap. All products stay below 2**64, hence the same result with and without the compiler.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit

MASK32 = np.uint64(0xFFFFFFFF)
SHIFT32 = np.uint64(32)
MULTIPLIER = np.uint64(0xD256D193)
WEYL = np.uint64(0x9E3779B9)
ROUNDS = 10
FLIP_STREAM = np.uint64(0)
DRAW_STREAM = np.uint64(0x5DEECE66)


@njit
def philox(key, high, counter):
    """Return 32 random bits (uint64) of counter word `counter` in the stream `(key, high)`."""
    k = np.uint64(key) & MASK32
    left = np.uint64(counter) & MASK32
    right = np.uint64(high) & MASK32
    for _ in range(ROUNDS):
        product = MULTIPLIER * left
        left = (product >> SHIFT32) ^ k ^ right
        right = product & MASK32
        k = (k + WEYL) & MASK32
    return left


@njit
def below(word, n):
    """Map 32 random bits to an integer in [0, n), by multiply and shift (bias below n / 2**32)."""
    return np.int64((np.uint64(word) * np.uint64(n)) >> SHIFT32)


@njit
def seed_streams(state, seed):
    """Key the two streams of chance of `state` by a seed of 64 bits and start them at zero."""
    word = np.uint64(seed)
    low = word & MASK32
    high = word >> SHIFT32
    state.flip_key[0] = np.uint32(low)
    state.flip_key[1] = np.uint32(high ^ FLIP_STREAM)
    state.draw_key[0] = np.uint32(low)
    state.draw_key[1] = np.uint32(high ^ DRAW_STREAM)
    state.flip_count = 0
    state.draw_count = 0


@njit
def next_flip_word(state):
    """Return the next 32 bits of the stream of flips."""
    word = philox(state.flip_key[0], state.flip_key[1], state.flip_count)
    state.flip_count += 1
    return word


@njit
def next_draw_word(state):
    """Return the next 32 bits of the stream of draws."""
    word = philox(state.draw_key[0], state.draw_key[1], state.draw_count)
    state.draw_count += 1
    return word
