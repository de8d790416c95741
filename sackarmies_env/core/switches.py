"""Switches of the rules: what the players of a game may agree to change. Each game has a table of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BeforeValidator, model_validator

from sackarmies_env.core.validation import StrictModel, read_model


def switch_value(value: object) -> object:
    """Accept "on" and "off" for true and false."""
    return {"on": True, "off": False}.get(value, value) if isinstance(value, str) else value


OnOff = Annotated[bool, BeforeValidator(switch_value)]


def plain(value: Any) -> Any:
    """Return a number of NumPy as one of Python, in tables as well; any other value unchanged."""
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return value.item() if isinstance(value, np.generic) else value


class SwitchTable(StrictModel):
    """Switches with their defaults."""

    @model_validator(mode="before")
    @classmethod
    def _accept_numpy(cls, data: Any) -> Any:
        return plain(data)

    @classmethod
    def read(cls, data: Mapping[str, Any] | Self | None, source: str = "switches") -> Self:
        """Return switches from plain data; switches left out keep their defaults.

        Raises:
            ValueError: with a line for each unknown switch and each value that is not allowed.
        """
        if isinstance(data, cls):
            return data
        return read_model(cls, {} if data is None else data, source)

    def changed(self) -> dict[str, Any]:
        """Return the switches that differ from the defaults, as plain data."""
        return self.model_dump(mode="json", exclude_defaults=True)
