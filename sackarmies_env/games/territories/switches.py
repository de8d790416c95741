"""The switches of the rules: what players may agree to change, with its default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from sackarmies_env.core.validation import StrictModel, read_model


def switch_value(value: object) -> object:
    """Accept "on" and "off" for true and false."""
    return {"on": True, "off": False}.get(value, value) if isinstance(value, str) else value


OnOff = Annotated[bool, BeforeValidator(switch_value)]


class Switches(StrictModel):
    """Agreements on the rules.

    Attributes:
        exchange_pair: each exchange step has a pair of types of its own, or all steps of a turn share the first
            (TR-X1, TR-Q3).
        domination: most of the map wins at the end of a turn (TR-G5).
        attacks_per_turn: at most (TR-A6); None: as the map says.
        max_rounds: after so many the game is truncated (TR-G7); None: as the map says.
    """

    exchange_pair: Literal["per_step", "per_turn"] = "per_step"
    domination: OnOff = True
    attacks_per_turn: Annotated[int, Field(ge=1, le=100)] | None = None
    max_rounds: Annotated[int, Field(ge=1, le=1000)] | None = None

    def changed(self) -> dict[str, Any]:
        """Return the switches that differ from the defaults, as plain data."""
        return self.model_dump(mode="json", exclude_defaults=True)


def read_switches(data: Mapping[str, Any] | Switches | None, source: str = "switches") -> Switches:
    """Return switches from plain data; what is left out keeps its default.

    Raises:
        ValueError: with a line for each unknown switch and each value that is not allowed.
    """
    if isinstance(data, Switches):
        return data
    return read_model(Switches, {} if data is None else data, source)
