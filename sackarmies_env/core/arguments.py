"""Conversion of what callers give, rows, seats, seeds and other integers, to what kernels take."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.messages import short_repr

MAX_INTEGER = 2**63 - 1
MIN_INTEGER = -(2**63)
SEED_RANGE = "a seed is an integer from 0 to 2**63 - 1"


def integers(name: str, given: Any, count: int | None) -> NDArray[np.int64]:
    """Convert what a caller gives to integers, `(count,)` int64; int64 arrays are not copied.

    Args:
        name: what it is, for messages.
        given: an array or a list.
        count: how many are required; None for any number.

    Raises:
        ValueError: it is not a list of `count` integers; floats and booleans are not accepted.
    """
    try:
        array = np.asarray(given)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"{name} of type {type(given).__name__}: {_wanted(count)}") from None
    if array.size == 0 and count in {None, 0}:
        return np.zeros(0, np.int64)
    if array.ndim != 1 or (count is not None and len(array) != count) or array.dtype.kind not in "iu":
        raise ValueError(f"{name} of shape {array.shape} and dtype {array.dtype}: {_wanted(count)}")
    if array.dtype.kind == "u" and int(array.max()) > MAX_INTEGER:
        raise ValueError(f"{name} contains {array.max()}: the largest integer allowed is 2**63 - 1")
    return array.astype(np.int64, copy=False)


def _wanted(count: int | None) -> str:
    if count is None:
        return "expected a list of integers"
    return f"expected a list of {count} integer{'' if count == 1 else 's'}"


def integer(name: str, given: Any, smallest: int) -> int:
    """Convert what a caller gives to an integer of at least `smallest`.

    Raises:
        ValueError: it is not one.
    """
    if not is_integer(given) or not smallest <= given <= MAX_INTEGER:
        allowed = "from -2**63 to 2**63 - 1" if smallest == MIN_INTEGER else f"of at least {smallest}"
        raise ValueError(f"{name}={short_repr(given)}: it must be an integer {allowed}")
    return int(given)


def is_integer(given: Any) -> TypeGuard[int | np.integer[Any]]:
    """Return whether a value is an integer, of Python or of NumPy; booleans are none."""
    return isinstance(given, int | np.integer) and not isinstance(given, bool)


def rows_of(given: Any, n: int) -> NDArray[np.int64]:
    """Convert the rows that a caller gives to `(k,)` int64.

    Raises:
        ValueError: a row is not one of the `n` games.
    """
    rows = integers("rows", given, None)
    if len(rows) and (rows.min() < 0 or rows.max() >= n):
        wrong = int(rows[(rows < 0) | (rows >= n)][0])
        raise ValueError(f"there is no game {wrong}: rows are 0 to {n - 1}")
    return rows


def seats_of(name: str, given: Any, count: int, smallest: int, num_players: int) -> NDArray[np.int64]:
    """Convert the players that a caller gives, one per game, to `(count,)` int64.

    Args:
        name: what they are, for messages.
        given: an array or a list.
        count: number of games.
        smallest: 0, or NO_PLAYER (-1) where nobody is allowed too.
        num_players: number of seats.

    Raises:
        ValueError: there is no such player.
    """
    seats = integers(name, given, count)
    if len(seats) and (seats.min() < smallest or seats.max() >= num_players):
        wrong = int(seats[(seats < smallest) | (seats >= num_players)][0])
        raise ValueError(f"{name} contains {wrong}: allowed are {smallest} to {num_players - 1}")
    return seats


def seeds_of(given: Any, count: int) -> NDArray[np.int64]:
    """Convert the seeds that a caller gives, one per game, to `(count,)` int64.

    Raises:
        ValueError: they are not `count` integers from 0 to 2**63 - 1.
    """
    seeds = integers("seeds", given, count)
    if len(seeds) and seeds.min() < 0:
        raise ValueError(f"seeds contains {int(seeds.min())}: {SEED_RANGE}")
    return seeds


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view, which cannot be made writable again.

    It guards against accidents alone: the writable array can be found behind the view's buffer, as Python hides nothing
    from code in its process.
    """
    return np.asarray(array.data.toreadonly())
