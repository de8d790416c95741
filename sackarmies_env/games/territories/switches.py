"""Rule switches: what players may agree to change, with defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from sackarmies_env.core.validation import StrictModel, read_model


def switch_value(value: object) -> object:
    """Return True for "on" and False for "off"; any other value is returned unchanged."""
    return {"on": True, "off": False}.get(value, value) if isinstance(value, str) else value


OnOff = Annotated[bool, BeforeValidator(switch_value)]


class Switches(StrictModel):
    """Rules that players may agree to change.

    Attributes:
        exchange_pair: "per_step": each exchange step has its own pair of types; "per_turn": the first pair of a turn
            binds all its steps (TR-X1, TR-Q3).
        domination: controlling most of the map at the end of one's turn wins (TR-G5).
        attacks_per_turn: maximum number of attacks in a turn (TR-A6); None: the map's limit.
        max_rounds: number of rounds after which the game is truncated (TR-G7); None: the map's limit.
    """

    exchange_pair: Literal["per_step", "per_turn"] = "per_step"
    domination: OnOff = True
    attacks_per_turn: Annotated[int, Field(ge=1, le=100)] | None = None
    max_rounds: Annotated[int, Field(ge=1, le=1000)] | None = None

    def changed(self) -> dict[str, Any]:
        """Return the switches that differ from the defaults, as plain data."""
        return self.model_dump(mode="json", exclude_defaults=True)


def read_switches(data: Mapping[str, Any] | Switches | None, source: str = "switches") -> Switches:
    """Parse switches from plain data; missing keys keep their defaults.

    Raises:
        ValueError: with one line for each unknown switch and each invalid value.
    """
    if isinstance(data, Switches):
        return data
    return read_model(Switches, {} if data is None else data, source)
