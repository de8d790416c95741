"""Sets of small numbers as the bits of a uint64: a loop over the members takes one round per member.

The idiom in all kernels:

    rest = bits
    while rest != NO_BITS:
        member = lowest_bit(rest)
        rest = without_lowest(rest)
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import count_ones, count_trailing_zeros, njit

ONE = np.uint64(1)
NO_BITS = np.uint64(0)
WORD_BITS = 64


@njit
def bit(member):
    """Return the set of one member, an int64 below 64."""
    return ONE << np.uint64(member)


@njit
def has_bit(bits, member):
    """Return whether `member` is in the set."""
    return (bits >> np.uint64(member)) & ONE == ONE


@njit
def lowest_bit(bits):
    """Return the least member of a non-empty set, int64."""
    return np.int64(count_trailing_zeros(bits))


@njit
def without_lowest(bits):
    """Return the set without its least member; it must have one."""
    return bits & (bits - ONE)


@njit
def nth_bit(bits, n):
    """Return the member of a set that has exactly `n` smaller ones, int64; there must be one."""
    for _ in range(n):
        bits = without_lowest(bits)
    return lowest_bit(bits)


@njit
def count_bits(bits):
    """Return the number of members, int64."""
    return np.int64(count_ones(bits))
