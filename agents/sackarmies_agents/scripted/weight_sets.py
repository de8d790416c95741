"""Weights of scripted agents: named sets are TOML files in a folder; any file of the same form can replace them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import TypeVar

from sackarmies_env.core.messages import join, short_repr, suggestion
from sackarmies_env.core.safe_read import read_toml
from sackarmies_env.core.validation import StrictModel, read_model

LARGEST = 10_000.0  # greatest absolute value of a weight
Limits = Mapping[str, tuple[float, float]]

Model = TypeVar("Model", bound=StrictModel)


def set_names(folder: Path) -> list[str]:
    """Return the names of the sets in a folder, sorted."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load_set(model: type[Model], folder: Path, choice: str | Path, limits: Limits | None = None) -> Model:
    """Return a set of weights.

    Args:
        model: model that names the weights, all numbers.
        folder: folder of the sets that come with the agent.
        choice: the name of one of these sets, or the path of a TOML file.
        limits: as for `read_set`.

    Raises:
        ValueError: there is no such set or file, or it does not hold exactly these weights as finite numbers in range.
    """
    names = set_names(folder)
    if isinstance(choice, str) and choice in names:
        return read_set(model, read_toml(folder / f"{choice}.toml"), f"{choice}.toml", limits)
    path = Path(choice)
    if path.suffix != ".toml" and not os.path.exists(path):
        near = suggestion(str(choice), names)
        raise ValueError(
            f"unknown weights {short_repr(str(choice))}{near}; the sets are {join(names)}; or give a TOML file"
        )
    return read_set(model, read_toml(path), str(path), limits)


def read_set(model: type[Model], data: object, source: str, limits: Limits | None = None) -> Model:
    """Return weights from plain data.

    Args:
        model: model that names the weights.
        data: a table of numbers by name.
        source: name of the data in messages.
        limits: see `range_of`.

    Raises:
        ValueError: a weight is missing, unknown or out of range.
    """
    weights = read_model(model, data, source)
    for name, value in weights.model_dump().items():
        low, high = range_of(name, limits)
        if not isfinite(value) or not low <= value <= high:
            raise ValueError(f"{source}: {name} must be from {low:g} to {high:g}, not {value:g}")
    return weights


def range_of(name: str, limits: Limits | None = None) -> tuple[float, float]:
    """Return the least and the greatest value of a weight.

    Args:
        name: its name.
        limits: these values for some weights, by name; all others may be from -LARGEST to LARGEST.
    """
    return (limits or {}).get(name, (-LARGEST, LARGEST))
