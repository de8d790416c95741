"""Pictures as plain data, for programs that draw them elsewhere: the modules in `web/`, in a browser."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from sackarmies_env.render.board import Picture


def picture_data(picture: Picture) -> dict[str, Any]:
    """Return a picture as JSON data: its fields by their names, tuples as lists."""
    data: dict[str, Any] = plain(picture)
    return data


def plain(value: Any) -> Any:
    """Return dataclasses as dicts and tuples as lists, whatever they are nested in."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value
