"""Forced results: what a coin, a die or a draw brings first, before a stream of chance decides.

A game names each kind of chance that can be forced. Its state has queues of results for it: one, or one for each
player. Results are integers: the side of a coin, the number on a die, the type of a card.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import COUNT, Role, StateField, array, part_of_state

NO_RESULT = -1


def chance_fields(
    name: str, queues: int | str, length: int, dtype: type[np.integer[Any]], holds: str, meaning: str
) -> list[StateField]:
    """Return the fields `script_NAME`, `script_NAME_end` and `script_NAME_used`, which are hidden.

    Args:
        name: of a kind of chance, such as "flips".
        queues: 1, or the name of a size: SEAT for a queue for each player.
        length: most results that a queue holds.
        dtype: of a result.
        holds: what a result is, as in `StateField`; FLAG for a coin.
        meaning: a phrase.
    """
    return part_of_state(
        "forced results",
        array(f"script_{name}", dtype, (queues, length), holds, meaning, empty=0),
        array(f"script_{name}_end", np.int16, (queues,), COUNT, "how many there are", limits=(0, length)),
        array(f"script_{name}_used", np.int16, (queues,), COUNT, "how many have been used", limits=(0, length)),
        role=Role.HIDDEN,
    )


@njit
def next_forced(results, ends, used, queue):
    """Return the next forced result of a queue, which is used up by that; NO_RESULT if none is left."""
    place = np.int64(used[queue])
    if place >= ends[queue]:
        return np.int64(NO_RESULT)
    used[queue] = place + 1
    return np.int64(results[queue, place])


@njit
def clear_forced(results, ends, used):
    """Forget all forced results."""
    for queue in range(len(ends)):
        ends[queue] = 0
        used[queue] = 0
        for place in range(results.shape[1]):
            results[queue, place] = 0


def force_results(states: NDArray[np.void], name: str, queues: Sequence[Sequence[int]]) -> None:
    """Force the results of a kind of chance in `states[0]`: of the first queues, in place of those that they had.

    Raises:
        ValueError: more queues or results than a state holds.
    """
    results, ends, used = (states[f"script_{name}{part}"][0] for part in ("", "_end", "_used"))
    if len(queues) > len(ends):
        raise ValueError(f"{name} are forced for {len(queues)} players, but at most {len(ends)} can be")
    for queue, forced in enumerate(queues):
        if len(forced) > results.shape[1]:
            raise ValueError(f"{len(forced)} {name} are forced, but at most {results.shape[1]} can be")
        results[queue] = 0
        results[queue, : len(forced)] = forced
        ends[queue], used[queue] = len(forced), 0


def forced_left(states: NDArray[np.void], name: str) -> list[list[int]]:
    """Return the forced results of a kind of chance in `states[0]` that have not been used, a list for each queue."""
    results, ends, used = (states[f"script_{name}{part}"][0].tolist() for part in ("", "_end", "_used"))
    return [row[first:end] for row, first, end in zip(results, used, ends, strict=True)]
