"""Forms of observations: the flat vector, its blocks by name, or its planes; and features prepared for networks.

A form depends only on the flat vector and its declaration, so it shows exactly what the vector shows. Forms are views
of the vector: nothing is copied, however many games there are.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sackarmies_env.core.observation import Block, ObservationSpec

FLAT, DICT, PLANES = "flat", "dict", "planes"
FORMS = (FLAT, DICT, PLANES)
VECTOR = "vector"  # in the form "planes": what does not lie on the board


class Form:
    """A form in which observations of one layout are returned.

    Args:
        spec: the layout of the vector.
        name: "flat", the vector `(size,)`; "dict", each block by its name, `(rows, features)`; "planes", a dict with
            "planes" `(channels, rows, columns)` and "vector", all numbers before them.

    Raises:
        ValueError: there is no such form, or the layout has no planes.
    """

    def __init__(self, spec: ObservationSpec, name: str) -> None:
        if name not in FORMS:
            raise ValueError(f"unknown observation form {name!r}: allowed are {', '.join(FORMS)}")
        if name == PLANES and not spec.planes:
            blocks = ", ".join(block.name for block in spec.blocks)
            raise ValueError(
                f"observation={PLANES!r}: the observations of this game have no planes, only the blocks {blocks}; "
                f"use {FLAT!r} or {DICT!r}"
            )
        self.spec = spec
        self.name = name

    @cached_property
    def space(self) -> Any:
        """The space of observations in this form."""
        return self.new_space()

    def new_space(self) -> spaces.Space[Any]:
        """Return a new space of observations in this form; each space has its own generator for samples."""
        low, high = self(self.spec.low), self(self.spec.high)
        if self.name == FLAT:
            return _box(low, high)
        return spaces.Dict({key: _box(low[key], high[key]) for key in low})

    def __call__(self, vectors: NDArray[np.int8]) -> Any:
        """Return observations in this form, as views.

        Args:
            vectors: `(..., size)`; the result has the same leading axes.
        """
        if self.name == FLAT:
            return vectors
        if self.name == DICT:
            return {block.name: self.spec.view(vectors, block.name) for block in self.spec.blocks}
        planes = {PLANES: self.spec.planes_view(vectors)}
        rest = self._size_of_rest
        return planes | {VECTOR: vectors[..., :rest]} if rest else planes

    def vector(self, observation: Any) -> NDArray[np.int8]:
        """Return the vectors `(..., size)` of observations in this form: the inverse of calling it."""
        if self.name == FLAT:
            flat: NDArray[np.int8] = observation
            return flat
        key, part = next(iter(observation.items()))
        leading = part.shape[: part.ndim - len(self.space[key].shape)]
        vectors = np.empty((*leading, self.spec.size), np.int8)
        for name, view in self(vectors).items():
            view[...] = observation[name]
        return vectors

    @property
    def _size_of_rest(self) -> int:
        return self.spec.size - sum(block.size for block in self.spec.planes)


def _box(low: NDArray[np.int8], high: NDArray[np.int8]) -> spaces.Box:
    return spaces.Box(low, high, low.shape, np.int8)


# --- features for networks


class Features(NamedTuple):
    """The features of a block, prepared for networks.

    Attributes:
        codes: `(..., rows, number of codes)` int64, each starting at 0: indices into embedding tables of `code_sizes`.
        numbers: `(..., rows, number of other features)` float32 in [-1, 1].
    """

    codes: NDArray[np.int64]
    numbers: NDArray[np.float32]


def code_sizes(block: Block) -> dict[str, int]:
    """Return the number of values of each code (categorical feature) of a block, in the order of `Features.codes`.

    `torch.nn.Embedding` takes it as `num_embeddings`.
    """
    return {one.name: one.high - one.low + 1 for one in block.features if one.categorical}


def features_of(spec: ObservationSpec, observations: NDArray[np.int8], block: str) -> Features:
    """Return the codes and the numbers of a block.

    Args:
        spec: the layout.
        observations: vectors `(..., size)`.
        block: name of the block.

    Raises:
        ValueError: there is no such block, or the last axis has the wrong length.
    """
    table = spec.view(observations, block)
    is_code = np.array([one.categorical for one in spec.block(block).features])
    lows = np.array([one.low for one in spec.block(block).features], np.int64)
    codes = table[..., is_code].astype(np.int64) - lows[is_code]
    return Features(codes, table[..., ~is_code] / _magnitudes(spec.block(block))[~is_code])


def scaled(spec: ObservationSpec, observations: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return vectors `(..., size)` as float32 in [-1, 1]: each number divided by the greatest magnitude declared.

    Zero stays zero, so unused rows remain empty. Codes are scaled like numbers; `features_of` separates them.
    """
    magnitudes = [np.tile(_magnitudes(block), block.rows) for block in spec.blocks]
    return np.divide(observations, np.concatenate(magnitudes), dtype=np.float32)


def _magnitudes(block: Block) -> NDArray[np.float32]:
    """Return the greatest magnitude of each feature, at least 1."""
    return np.array([max(abs(one.low), abs(one.high), 1) for one in block.features], np.float32)
