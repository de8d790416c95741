"""Observations in words: what each number of a vector means, from the layout that the game declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.observation import Block, ObservationSpec

SINGLE_INDENT = "  "


def describe(observation: Any, spec: ObservationSpec) -> str:
    """Return an observation in words, see `environments.describe_observation`.

    Raises:
        ValueError: the observation does not have the size of the layout.
    """
    vector = np.asarray(observation["observation"] if isinstance(observation, Mapping) else observation)
    if vector.shape != (spec.size,):
        raise ValueError(
            f"the observation has the shape {vector.shape}, but those of the game have ({spec.size},): give the game "
            "that it belongs to, env.unwrapped.game"
        )
    return "\n".join(line for block in spec.blocks for line in _table(block, spec.view(vector, block.name))) + "\n"


def _table(block: Block, rows: NDArray[Any]) -> Iterator[str]:
    """Yield the lines for a block: one line per feature if it has a single row, else one line per row."""
    yield f"{block.name}: {block.doc}"
    if block.rows == 1:
        width = max(len(feature.name) for feature in block.features)
        for feature, value in zip(block.features, rows[0].tolist(), strict=True):
            yield f"{SINGLE_INDENT}{feature.name:<{width}} {value:>4}  {feature.doc}"
    else:
        yield from _rows(block, rows)
    yield ""


def _rows(block: Block, rows: NDArray[Any]) -> Iterator[str]:
    lows = [feature.low for feature in block.features]
    shown = [row for row in range(len(rows)) if ((rows[row] != 0) & (rows[row] != lows)).any()]
    used = [at for at in range(len(lows)) if any(rows[row][at] not in {0, lows[at]} for row in shown)]
    for at in used:
        yield f"{SINGLE_INDENT}{block.features[at].name}: {block.features[at].doc}"
    for row in shown:
        values = " ".join(f"{block.features[at].name}={rows[row][at]}" for at in used)
        yield f"{SINGLE_INDENT}[{row}] {values}"
    if len(shown) < len(rows):
        yield f"{SINGLE_INDENT}{len(rows) - len(shown)} of {len(rows)} rows: nothing"
