"""Legal ids as bits: the fields `legal` `(words,)` uint64 and `num_legal` of a state, written out or chosen from."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.bits import ONE, WORD_BITS, count_bits, lowest_bit, without_lowest
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import below, choice_word, next_choice


def num_words(num_actions: int) -> int:
    """Return how many words hold a mask of `num_actions` ids."""
    return (num_actions + WORD_BITS - 1) // WORD_BITS


@njit
def nth_bit(bits, n):
    """Return the place of the set bit that has `n` set bits below it; there must be one."""
    for _ in range(n):
        bits = without_lowest(bits)
    return lowest_bit(bits)


@njit
def choose_legal(state, word):
    """Return the legal id that 32 random bits choose, each equally likely; there must be one."""
    rank = below(word, np.int64(state.num_legal))
    for i in range(len(state.legal)):
        bits = np.uint64(state.legal[i])
        count = count_bits(bits)
        if rank < count:
            return np.int64(i * WORD_BITS + nth_bit(bits, rank))
        rank -= count
    return np.int64(-1)


@njit
def choose_from_mask(stream, action_mask):
    """Return the legal id that the next word of a stream of choices chooses, as `choose_legal` does from bits.

    Args:
        stream: (1,) int64, where the stream stands; goes on.
        action_mask: (num_actions,) int8; -1 is returned where nothing is legal.
    """
    stream[0] = next_choice(stream[0])
    count = np.int64(0)
    for action in range(len(action_mask)):
        count += np.int64(action_mask[action])
    rank = below(choice_word(stream[0]), count)
    for action in range(len(action_mask)):
        rank -= np.int64(action_mask[action])
        if rank < 0:
            return np.int64(action)
    return np.int64(-1)


@njit
def write_mask(state, is_over, row):
    """Write the legal ids as bytes, row (num_actions,) int8, none where `is_over`; many are done at once."""
    for word in range((len(row) + WORD_BITS - 1) // WORD_BITS):
        bits = np.uint64(0) if is_over else state.legal[word]
        part = row[word * WORD_BITS : (word + 1) * WORD_BITS]
        for i in range(len(part)):
            part[i] = np.int8((bits >> np.uint64(i)) & ONE)
