"""Chance: Philox2x32-10, a counter-based generator (Salmon et al., "Parallel random numbers", 2011).

A stream is a key of two 32-bit words and a counter; the counter is all that changes, so a state replays exactly and
streams never overlap. All products stay below 2**64, hence the same result with and without the compiler.

Random *choices* (random opponents, random play) are not chance of the game and have their own generator, SplitMix64
(Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014), started by the seed of the game: a seed
alone determines a whole game of random play. It also determines the seed of the next game, where games follow each
other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.jit import njit, wrapping_arithmetic

MASK32 = np.uint64(0xFFFFFFFF)
SHIFT32 = np.uint64(32)
MULTIPLIER = np.uint64(0xD256D193)
WEYL = np.uint64(0x9E3779B9)
ROUNDS = 10
FLIP_STREAM = np.uint64(0)
DRAW_STREAM = np.uint64(0x5DEECE66)
MASK63 = np.uint64(0x7FFFFFFFFFFFFFFF)  # seeds and streams of choices fit int64 without a sign
STEP = np.uint64(0x9E3779B97F4A7C15)
MIX_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
MIX_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
CHOICES = np.uint64(0x2545F4914F6CDD1D)
FOLLOWING_FACTOR = np.uint64(6364136223846793005)  # Knuth's linear congruential generator: one cycle of all seeds
FOLLOWING_STEP = np.uint64(1442695040888963407)


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
    """Key the two streams of chance of `state` by a 64-bit seed and start them at zero."""
    word = np.uint64(seed)
    low = word & MASK32
    high = word >> SHIFT32
    state.flip_key[0] = np.uint32(low)
    state.flip_key[1] = np.uint32(high ^ FLIP_STREAM)
    state.draw_key[0] = np.uint32(low)
    state.draw_key[1] = np.uint32(high ^ DRAW_STREAM)
    state.flip_count = 0
    state.draw_count = 0


def chance_of(seeds: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Return what `seed_streams` writes for each of the seeds `(n,)`, by field name."""
    words = seeds.astype(np.uint64)
    low, high = words & MASK32, words >> SHIFT32
    count = np.zeros(len(seeds), np.int64)
    flips, draws = (np.stack([low, high ^ stream], axis=1).astype(np.uint32) for stream in (FLIP_STREAM, DRAW_STREAM))
    return {"flip_key": flips, "flip_count": count, "draw_key": draws, "draw_count": count}


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


@njit
@wrapping_arithmetic
def mix(word):
    """Return 64 bits (uint64) that depend on all bits of `word`, one to one: the finalizer of SplitMix64."""
    bits = np.uint64(word)
    bits = (bits ^ (bits >> MIX_SHIFTS[0])) * MIX_FACTORS[0]
    bits = (bits ^ (bits >> MIX_SHIFTS[1])) * MIX_FACTORS[1]
    return bits ^ (bits >> MIX_SHIFTS[2])


@njit
def choice_stream(seed):
    """Return the first position of the stream of random choices of the game of `seed`, int64."""
    return np.int64(mix(np.uint64(seed) ^ CHOICES) & MASK63)


@njit
@wrapping_arithmetic
def next_choice(stream):
    """Return the next position of a stream of choices, int64; `choice_word` of it is the next random word."""
    return np.int64((np.uint64(stream) + STEP) & MASK63)


@njit
def choice_word(stream):
    """Return the 32 random bits (uint64) at a position in a stream of choices."""
    return mix(stream) >> SHIFT32


@njit
def seed_choice(seed, purpose, n):
    """Return an integer in [0, n) that depends on a seed and a purpose (a small number) alone; n at most 2**31."""
    return below(mix(np.uint64(choice_stream(seed)) ^ (np.uint64(purpose) << SHIFT32)) >> SHIFT32, n)


@njit
@wrapping_arithmetic
def following_seed(seed):
    """Return the seed of the game after the game of `seed`, int64, from 0 to 2**63 - 1."""
    return np.int64((np.uint64(seed) * FOLLOWING_FACTOR + FOLLOWING_STEP) & MASK63)
