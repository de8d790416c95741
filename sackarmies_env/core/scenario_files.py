"""Sources of scenarios: a TOML file, the name of one that comes with a game, or equivalent data."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sackarmies_env.core.messages import printable, short_repr, shorten, suggestion
from sackarmies_env.core.safe_read import read_toml

ScenarioSource = Mapping[str, Any] | str | Path


def built_in_names(folder: Path) -> tuple[str, ...]:
    """Return the names of the scenarios in the folder of a game, sorted."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def name_of(source: ScenarioSource) -> str:
    """Return the name of a scenario in messages: the name of its file, or "scenario"."""
    return "scenario" if isinstance(source, Mapping) else shorten(printable(Path(source).name))


def read_source(source: ScenarioSource, folder: Path, lists: str) -> tuple[str, dict[str, Any]]:
    """Return the name of a scenario in messages, and its data, which is not validated.

    Args:
        source: the path of a TOML file, the name of a built-in scenario, or an equivalent dict.
        folder: of the built-in ones.
        lists: the command that lists them.

    Raises:
        ValueError: there is no such file or built-in scenario, or it is not TOML.
    """
    if isinstance(source, Mapping):
        return name_of(source), dict(source)
    if not isinstance(source, str | Path) or source == "":  # as a path, "" is the current folder
        raise ValueError(f"scenario: expected a name, a file path or a table, got {short_repr(source)}")
    path = Path(source)
    if isinstance(source, str) and path.suffix != ".toml" and not os.path.exists(path):
        names = built_in_names(folder)
        if source not in names:
            raise ValueError(
                f"unknown scenario {short_repr(source)}{suggestion(source, names)}; give the path of a TOML file or a "
                f"built-in name, see `{lists}`"
            )
        path = folder / f"{source}.toml"
    return name_of(path), read_toml(path)
