"""Observations in words: what each number of a vector stands for, from the layout that the game declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sackarmies_env.registry import DEFAULT_GAME, load_game

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sackarmies_env.core.game import Game
    from sackarmies_env.core.observation import Block

SINGLE_INDENT = "  "


def describe_observation(observation: Any, game: Game | None = None) -> str:
    """Return what an observation says, as text: a table for each block, with the meaning of each feature.

    Rows of which all numbers are 0 or the smallest possible are left out: nothing is there. Numbers that are codes are
    listed with the meaning of their codes.

    Args:
        observation: a vector `(size,)`, or a dict that holds it as "observation".
        game: whose observation it is, `env.unwrapped.game`; None for Sack Armies as it is without options.

    Raises:
        ValueError: the layout of the game has another size.
    """
    import numpy as np

    spec = (load_game(DEFAULT_GAME) if game is None else game).observation_spec
    vector = np.asarray(observation["observation"] if isinstance(observation, Mapping) else observation)
    if vector.shape != (spec.size,):
        hint = ": give the game it is of, env.unwrapped.game" if game is None else ""
        raise ValueError(f"an observation of shape {vector.shape}, but the game's have ({spec.size},){hint}")
    return "\n".join(line for block in spec.blocks for line in _table(block, spec.view(vector, block.name))) + "\n"


def _table(block: Block, rows: NDArray[Any]) -> Iterator[str]:
    """Yield the lines on one block: a feature a line where it has one row, else a row a line."""
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
