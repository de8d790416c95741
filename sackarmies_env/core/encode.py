"""Encoding of numbers and seats for observations, in kernels; `core.observation` declares the features."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.observation import DIGIT_BASE, INT8_HIGH, INT8_LOW, NOBODY, PERCENT
from sackarmies_env.core.state import NO_PLAYER


@njit
def clamp(value):
    """Return `value`, or the nearest number that a feature can hold."""
    return min(np.int64(INT8_HIGH), max(np.int64(INT8_LOW), np.int64(value)))


@njit
def percent(part, whole):
    """Return `part` as a percentage of `whole`, at most 100."""
    return min(np.int64(PERCENT), np.int64(part) * PERCENT // max(np.int64(1), np.int64(whole)))


@njit
def write_digits(out, at, code):
    """Write `code` + 1 as two digits to `out[at]` and the next place; -1 (no code) gives zeros."""
    number = np.int64(code) + 1
    out[at] = number % DIGIT_BASE
    out[at + 1] = number // DIGIT_BASE


@njit
def relative_seat(observer, player, num_players):
    """Return the seat of `player` counted from `observer`, who is 0, in the order of play."""
    seat = np.int64(player) - observer
    return seat if seat >= 0 else seat + np.int64(num_players)


@njit
def relative_seat_or_nobody(observer, player, num_players):
    """Return the seat of `player` as `relative_seat` does, or NOBODY for NO_PLAYER."""
    seat = relative_seat(observer, player, num_players)
    return np.int64(NOBODY) if player == NO_PLAYER else seat
