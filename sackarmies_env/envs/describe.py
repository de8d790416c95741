"""Observations in words: what each number of a vector means, from the layout that the game declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import join, short_repr
from sackarmies_env.core.observation import Block, ObservationSpec
from sackarmies_env.envs.spaces import ACTION_MASK, OBSERVATION
from sackarmies_env.envs.structured import DICT, PLANES, Form

SINGLE_INDENT = "  "
ADVICE = "give one observation, and the environment that it comes from"


def describe(observation: Any, source: Any) -> str:
    """Return an observation in words, see `environments.describe_observation`.

    Raises:
        ValueError: the observation is not one of the layout, or `source` has none.
    """
    spec = layout_of(source)
    vector = _vector(observation, spec)
    return "\n".join(line for block in spec.blocks for line in _table(block, spec.view(vector, block.name))) + "\n"


def layout_of(source: Any) -> ObservationSpec:
    """Return the layout of observations of a game or an environment; a layout is returned as it is.

    Raises:
        ValueError: it is none of these.
    """
    if isinstance(source, ObservationSpec | Game):
        return source if isinstance(source, ObservationSpec) else source.observation_spec
    env = getattr(source, "unwrapped", source)
    game, padding = getattr(env, "game", None), getattr(env, "padding", None)
    if not isinstance(game, Game):
        raise ValueError(
            f"game={short_repr(source)}: it must be a game, an environment of this package or a layout of observations"
        )
    return game.observation_spec if padding is None else padding.spec


def _vector(observation: Any, spec: ObservationSpec) -> NDArray[Any]:
    """Return the vector of an observation in any form, with or without its mask."""
    if isinstance(observation, Mapping) and {OBSERVATION} <= observation.keys() <= {OBSERVATION, ACTION_MASK}:
        observation = observation[OBSERVATION]
    if isinstance(observation, Mapping):
        form = Form(spec, PLANES if PLANES in observation and spec.planes else DICT)
        expected = {name: part.shape for name, part in form(spec.low).items()}
        shapes = {name: np.shape(part) for name, part in observation.items()}
        if shapes != expected:
            raise ValueError(f"the observation has the parts {_parts(shapes)}, not {_parts(expected)}: {ADVICE}")
        return form.vector({name: np.asarray(part) for name, part in observation.items()})
    vector = np.asarray(observation)
    if vector.shape != (spec.size,):
        raise ValueError(f"the observation has the shape {vector.shape}, not ({spec.size},): {ADVICE}")
    return vector


def _parts(shapes: Mapping[Any, tuple[int, ...]]) -> str:
    return join(f"{name} {shape}" for name, shape in shapes.items())


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
