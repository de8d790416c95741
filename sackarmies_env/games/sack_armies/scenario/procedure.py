"""Procedures as data: every field of the state that a plain position does not show.

`ProcedureDump` writes the fields in which a state differs from the position it shows, and restores them. No number
in them depends on the catalogue, the armies or the order of tokens: codes, tokens, types and hexes are written as
names. A field of the tokens is a list of (token, value) pairs; other lists leave out an end that is as in the position.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.dump import Meaning, RecordDump, as_list
from sackarmies_env.core.messages import quote
from sackarmies_env.core.state import CELL, KEPT, NUMBER, ROW, SEAT, TYPE, StateField, names_of, select
from sackarmies_env.games.sack_armies.config import Config, capacity_for
from sackarmies_env.games.sack_armies.scenario.names import Names
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Decision, Event, Kind, Verb, Victory
from sackarmies_env.games.sack_armies.state.record import STATE_FIELDS, make_state_layout

STREAMS = names_of(STATE_FIELDS, part="streams of chance")
CHANCE = [field for field in select(STATE_FIELDS, role=KEPT) if field.name in STREAMS or field.name.startswith("deck_")]
NOT_WRITTEN = (  # here: the rest of the scenario holds most of them, and must not be contradicted
    *("token_type", "token_owner", "token_zone", "token_hex", "token_host", "token_first", "token_next"),
    *("general_alive", "active", "turn", "terminated", "truncated", "winner"),
    "decisions",  # not part of the position: a game that begins from it counts from there
    "error",  # a game that begins has none
)
PROCEDURE = [
    field
    for field in select(STATE_FIELDS, role=KEPT)
    if field not in CHANCE and field.name not in NOT_WRITTEN and field.part != "forced results"
]
BEGUN_WITH_TYPE = (Decision.SETUP_HEX, Decision.DEPLOY_HEX)  # the choice begins with a type, its other parts are hexes
VALUES: dict[Event, Meaning] = {  # what the value of an event is, if not a plain number
    **dict.fromkeys((Event.PLACE, Event.REVEAL, Event.CASUALTY, Event.CAPTURE, Event.TO_SACK, Event.REMOVE), TYPE),
    **dict.fromkeys((Event.CONTROL, Event.RAISE, Event.ATTACH), TYPE),
    **dict.fromkeys((Event.ANNOUNCE, Event.CANCEL, Event.MISS), Verb),
    Event.MOVE: CELL,
    Event.ELIMINATE: Victory,
    Event.WRONG_KIND: Kind,
}


class ProcedureDump(RecordDump):
    """Writer and reader of the fields of a state, with names for tokens, types and hexes.

    Args:
        config: the configuration.
        names: of what the state holds.
    """

    def __init__(self, config: Config, names: Names) -> None:
        super().__init__(make_state_layout(capacity_for(config)), {SEAT: config.num_generals})
        self.names = names

    def meaning(self, states: NDArray[np.void], field: StateField, place: int) -> Meaning:
        """Return what a number stands for; for choices and events, this depends on the decision and the event."""
        if field.name == "chain":
            return TYPE if place == 0 and int(states["decision"][0]) in BEGUN_WITH_TYPE else CELL
        if field.name == "log_value":
            return VALUES.get(Event(int(states["log_kind"][0][place])), NUMBER)
        return super().meaning(states, field, place)

    def written(self, meaning: Meaning, number: int) -> Any:
        """Return a number in its written form."""
        if meaning == TYPE:
            return self.names.type_name(number)
        if meaning == CELL:
            return self.names.hex_name(number)
        return self.names.token_name(number) if meaning == ROW else super().written(meaning, number)

    def number(self, field: StateField, meaning: Meaning, value: Any) -> int:
        """Return the number that a value stands for.

        Raises:
            ValueError: the field cannot hold it.
        """
        if meaning == TYPE:
            return self.names.type(field.name, value)
        if meaning == CELL:
            return self.names.hex(field.name, value)
        return self.names.token(field.name, value) if meaning == ROW else super().number(field, meaning, value)

    def encode_field(self, states: NDArray[np.void], base: NDArray[np.void], field: StateField) -> Any:
        """Return one field; for a field of the tokens, only the tokens that differ from the base."""
        if not field.name.startswith("token_"):
            return super().encode_field(states, base, field)
        value, default = states[field.name][0], base[field.name][0]
        changed = np.flatnonzero(value != default).tolist()
        return sorted([self.names.token_name(row), int(value[row])] for row in changed)

    def decode_field(self, states: NDArray[np.void], field: StateField, value: Any) -> None:
        """Write one field; a field of the tokens is given as (token, value) pairs."""
        if not field.name.startswith("token_"):
            super().decode_field(states, field, value)
            return
        target = states[field.name][0]
        for pair in as_list(field.name, value, len(target)):
            token, number = as_list(field.name, pair, 2, exact=True)
            row = self.names.token(field.name, token)
            if row == NO_TOKEN:
                raise ValueError(f"{field.name}: {quote(token)} is not a token")
            target[row] = self.bounded(field, number)
