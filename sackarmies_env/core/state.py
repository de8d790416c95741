"""Record dtypes and their allocation: state is read the same way with and without the compiler."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.jit import INTERPRETED

COMMON_FIELDS: list[tuple[Any, ...]] = [
    ("current_player", np.int8),  # seat to act; NO_PLAYER once the game is over
    ("turn", np.int16),  # turns begun so far, over all players
    ("terminated", np.int8),  # 1: ended by the rules
    ("truncated", np.int8),  # 1: cut off by a turn limit
    ("winner", np.int8),  # seat; NO_PLAYER while open or drawn
    ("error", np.int8),  # core.state.ERROR_*; a fault of the engine or of a script, never of play
    ("flip_key", np.uint32, (2,)),  # core.rng: key of the stream of flips
    ("flip_count", np.int32),
    ("draw_key", np.uint32, (2,)),  # core.rng: key of the stream of draws
    ("draw_count", np.int32),
]

NO_PLAYER = -1

ERROR_NONE = 0
ERROR_SCRIPT_EXHAUSTED = 1  # flip_method "scripted" ran out of forced results
ERROR_CAPACITY = 2  # a fixed-size table of the state overflowed
ERROR_STUCK = 3  # a decision without a legal action was reached


def record_dtype(*parts: list[tuple[Any, ...]]) -> np.dtype[np.void]:
    """Return the aligned structured dtype with the fields of all `parts`, in order."""
    return np.dtype([field for part in parts for field in part], align=True)


def alloc(dtype: np.dtype[np.void], n: int) -> NDArray[np.void]:
    """Return `(n,)` zeroed records; interpreted, `states[i].field` must work, so a recarray view is made."""
    array = np.zeros(n, dtype=dtype)
    return array.view(np.recarray) if INTERPRETED else array


def as_records(array: NDArray[np.void]) -> NDArray[np.void]:
    """Return `array` in the form that kernels take in this mode (see `alloc`)."""
    return array.view(np.recarray) if INTERPRETED else array.view(np.ndarray)


def copy_records(source: NDArray[np.void], target: NDArray[np.void]) -> None:
    """Copy `source` over `target` as bytes, several times faster than a field-wise structured copy."""
    target.view(np.uint8)[...] = source.view(np.uint8)


def engine_error(code: int, where: str = "") -> Exception:
    """Return what to raise for a fault that a state reports; `where` says in which game."""
    place = f" {where}" if where else ""
    if code == ERROR_SCRIPT_EXHAUSTED:
        return ValueError(
            f"the forced flips are used up{place}, and with flip_method 'scripted' nothing else decides: "
            "give more of them"
        )
    return RuntimeError(
        f"the rules engine reports fault {code}{place} (see ERROR_ in core/state.py): please report this game"
    )
