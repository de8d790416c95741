"""Twin worlds in batches: rows that one seat cannot tell apart, and what that seat is told in each."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.batch import Batch
from sackarmies_env.core.state import copies_of, copy_records
from tests.sack_armies.builders.twin_worlds import without_lists

CHANCE = ("flip_key", "flip_count", "draw_key", "draw_count")  # fields of future chance


class Told(NamedTuple):
    """What a seat is told at one moment: what it sees, and the rest, which must follow from what it has seen."""

    seen: bytes
    rest: Any


def make_twins(batches: Sequence[Batch], seat: int, seed: int) -> int:
    """Turn all games but the first into worlds that `seat` cannot tell from the first, with the same future chance.

    Returns the number of worlds that differ from the first game.
    """
    game, truth = batches[0].game, batches[0].states[:1].copy()
    differing = 0
    for number, batch in enumerate(batches):
        worlds = copies_of(truth, np.zeros(len(batch), np.int64))
        seats, seeds = np.full(len(batch), seat), seed + number * len(batch) + np.arange(len(batch))
        game.determinize(without_lists(game.params), worlds, seats, seeds)
        for name in set(CHANCE) & set(worlds.dtype.names or ()):
            worlds[name] = truth[name][0]
        if number == 0:
            copy_records(truth, worlds[:1])
        copy_records(worlds, batch.states)
        batch.read()
        differing += sum(batch.states[row : row + 1].tobytes() != truth.tobytes() for row in range(len(batch)))
    return differing


def choose(observations: NDArray[np.int8], masks: NDArray[np.int8], mistakes: int = 0) -> NDArray[np.int64]:
    """Return an action for each row: any legal one, but always the same for the same view; -1 if none is legal.

    `mistakes`: one in this many decisions is illegal (-1); 0 for none.
    """
    actions = np.full(len(masks), -1, np.int64)
    for row, (seen, mask) in enumerate(zip(observations, masks, strict=True)):
        number, legal = zlib.crc32(seen.tobytes() + mask.tobytes()), np.flatnonzero(mask)
        if len(legal) and not (mistakes and number // 1000 % mistakes == 0):
            actions[row] = legal[number % len(legal)]
    return actions


def row_of(infos: dict[str, Any], row: int) -> dict[str, Any]:
    """Return the infos of one row in their order, without keys that the mask "_key" excludes for it."""
    told: dict[str, Any] = {}
    for key, value in infos.items():
        if not key.startswith("_") and infos.get(f"_{key}", np.ones(row + 1, np.bool_))[row]:
            told[key] = row_of(value, row) if isinstance(value, dict) else _plain(value[row])
    return told


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(content) for key, content in value.items()}
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def compare(worlds: list[list[Told]]) -> int:
    """Check that each world tells the same as row 0 until their views differ.

    Returns the number of moments that were alike.
    """
    alike = 0
    for told in worlds[1:]:
        for moment, (one, other) in enumerate(zip(worlds[0], told, strict=False)):
            if one.seen != other.seen:
                break
            assert repr(one.rest) == repr(other.rest), f"what is told at moment {moment} depends on what is hidden"
            alike += 1
    return alike
