"""Legal ids as bits: writing and reading the fields `legal` `(words,)` uint64 and `num_legal`, and choosing an id."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.bits import NO_BITS, ONE, WORD_BITS, bit, count_bits, has_bit, nth_bit
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import below, choice_word, next_choice
from sackarmies_env.core.state import (
    BITS,
    COMMON_FIELDS,
    COUNT,
    SEAT,
    Role,
    StateField,
    StateLayout,
    array,
    part_of_state,
    scalar,
)

NO_ACTION = -1


def num_words(num_actions: int) -> int:
    """Return how many words hold a mask of `num_actions` ids."""
    return (num_actions + WORD_BITS - 1) // WORD_BITS


def legal_fields(words: int | str) -> list[StateField]:
    """Return the fields of a state for up to 64 * `words` ids; the other functions of this module use them.

    Args:
        words: a number, or the name of a size that a `StateLayout` knows.
    """
    return part_of_state(
        "legal actions",
        array("legal", np.uint64, (words,), BITS, "bit a % 64 of word a // 64: the current player may take action a"),
        scalar("num_legal", COUNT, "bits that are set"),
        role=Role.DERIVED,
    )


def make_layout(num_actions: int, num_players: int, *fields: StateField) -> StateLayout:
    """Return the state layout of a game: common fields, with room for its actions and seats, and its own fields."""
    common = (*COMMON_FIELDS, *legal_fields(num_words(num_actions)))
    return StateLayout((*common, *fields), {SEAT: num_players})


def legal_ids(state_legal: NDArray[np.uint64]) -> list[int]:
    """Return the ids whose bits are set in the field `legal` of one state, ascending."""
    octets = np.ascontiguousarray(state_legal).view(np.uint8)
    return [int(action) for action in np.flatnonzero(np.unpackbits(octets, bitorder="little"))]


# --- offering


@njit
def clear_legal(state):
    """Clear all legal ids."""
    for word in range(len(state.legal)):
        state.legal[word] = np.uint64(0)
    state.num_legal = 0


@njit
def is_allowed(state, action):
    """Return whether `action` is offered."""
    return has_bit(state.legal[action // WORD_BITS], action % WORD_BITS)


@njit
def allow(state, action):
    """Offer `action`; it may be offered already."""
    if not is_allowed(state, action):
        state.legal[action // WORD_BITS] |= bit(action % WORD_BITS)
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
    """Return the lowest id that is offered; there must be one."""
    action = np.int64(0)
    while not is_allowed(state, action):
        action += 1
    return action


# --- choosing


@njit
def choose_legal(state, word):
    """Return the legal id that 32 random bits choose, all equally likely; NO_ACTION if nothing is legal."""
    rank = below(word, np.int64(state.num_legal))
    for i in range(len(state.legal)):
        bits = np.uint64(state.legal[i])
        count = count_bits(bits)
        if rank < count:
            return np.int64(i * WORD_BITS + nth_bit(bits, rank))
        rank -= count
    return np.int64(NO_ACTION)


@njit
def choose_from_mask(stream, action_mask):
    """Return the legal id that the next word of a stream of choices chooses, as `choose_legal` does from bits.

    Args:
        stream: (1,) int64, the stream, advanced by one.
        action_mask: (num_actions,) int8; NO_ACTION is returned if nothing is legal.
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
    return np.int64(NO_ACTION)


# --- as a mask


@njit
def write_mask(state, is_over, row):
    """Write the legal ids as bytes into row (num_actions,) int8, none if `is_over`; many are written at once."""
    for word in range((len(row) + WORD_BITS - 1) // WORD_BITS):
        bits = np.uint64(0) if is_over else state.legal[word]
        part = row[word * WORD_BITS : (word + 1) * WORD_BITS]
        for i in range(len(part)):
            part[i] = np.int8((bits >> np.uint64(i)) & ONE)
