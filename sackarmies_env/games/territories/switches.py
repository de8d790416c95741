"""Rule switches: what players may agree to change, with defaults."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sackarmies_env.core.switches import OnOff, SwitchTable


class Switches(SwitchTable):
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
