"""How features of observations enter networks: codes are looked up, numbers are scaled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.observation import Feature

UNBOUNDED = 127  # declared bound of features without a small one; their usual values are a few
USUAL = 8.0
LIMIT = 4.0  # scaled numbers are clipped to plus or minus this


class FeatureColumns(NamedTuple):
    """Columns of rows of features.

    Attributes:
        coded: `(c,)` int64, columns of codes.
        starts: `(c,)` int64, what to add to each code to find its weights among those of all codes.
        plain: `(p,)` int64, columns of numbers.
        scale: `(p,)` float32, factor of each number.
        num_codes: total number of codes in all columns.
    """

    coded: NDArray[np.int64]
    starts: NDArray[np.int64]
    plain: NDArray[np.int64]
    scale: NDArray[np.float32]
    num_codes: int


def columns_of(features: Sequence[Feature], without: Collection[str] = ()) -> FeatureColumns:
    """Return the columns of rows of `features`, except those named in `without`."""
    columns = [column for column, feature in enumerate(features) if feature.name not in without]
    coded = [column for column in columns if features[column].categorical]
    plain = [column for column in columns if not features[column].categorical]
    sizes = [features[column].high - features[column].low + 1 for column in coded]
    lows = np.array([features[column].low for column in coded], np.int64)
    return FeatureColumns(
        coded=np.array(coded, np.int64),
        starts=np.cumsum([0, *sizes], dtype=np.int64)[: len(sizes)] - lows,
        plain=np.array(plain, np.int64),
        scale=np.array([1 / usual_size(features[column]) for column in plain], np.float32),
        num_codes=sum(sizes),
    )


def usual_size(feature: Feature) -> float:
    """Return what to divide a feature by so that it is usually between -1 and 1."""
    bound = max(abs(feature.low), abs(feature.high))
    return USUAL if bound >= UNBOUNDED else float(max(bound, 1))
