"""Observations by name, read by their declared layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.observation import DIGIT_BASE, ObservationSpec
from sackarmies_env.games.sack_armies.state.constants import Event
from sackarmies_env.games.sack_armies.state.layout import Place, make_observation_spec
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.text_game import TextGame, at

Row = dict[str, Any]


def spec_of(table: TextGame) -> ObservationSpec:
    """Return the layout of observations of a table."""
    return make_observation_spec(
        table.config.num_generals, len(table.type_ids), int(table.params["tokens_per_general"][0])
    )


def observation(table: TextGame, viewer: int) -> NDArray[np.int8]:
    """Return the observation of `viewer`, within its bounds."""
    spec = spec_of(table)
    out = np.zeros((1, spec.size), np.int8)
    entry.observe(table.params, table.states, np.array([viewer], np.int64), out)
    assert (out[0] >= spec.low).all()
    assert (out[0] <= spec.high).all()
    return out[0]


class Seen:
    """The observation of `viewer` at a table; rows are dicts of features, with `type` for its two digits."""

    def __init__(self, table: TextGame, viewer: int) -> None:
        self.spec = spec_of(table)
        self.vector = observation(table, viewer)
        self.type_ids = table.type_ids

    def rows(self, block: str) -> list[Row]:
        """Return all rows of a block."""
        names = [feature.name for feature in self.spec.block(block).features]
        return [
            self._with_type(dict(zip(names, row.tolist(), strict=True))) for row in self.spec.view(self.vector, block)
        ]

    def _with_type(self, row: Row) -> Row:
        if "type_low" in row:
            number = row["type_low"] + DIGIT_BASE * row["type_high"]
            row["type"] = self.type_ids[number - 1] if number else None
        return row

    @property
    def globals(self) -> Row:
        """The only row of the block `globals`."""
        return self.rows("globals")[0]

    @property
    def log(self) -> list[Row]:
        """Public events, latest first."""
        return [row for row in self.rows("log") if row["kind"] != Event.NONE]

    def events(self, kind: Event) -> list[Row]:
        """Return the public events of a kind, latest first."""
        return [row for row in self.log if row["kind"] == kind]

    @property
    def generals(self) -> list[Row]:
        """Rows of the Generals, the viewer first."""
        return self.rows("generals")

    def type(self, token_id: str) -> Row:
        """Return the counts of a type in piles."""
        return self.rows("types")[self.type_ids.index(token_id)]

    def counts(self, column: str) -> dict[str, int]:
        """Return the types with copies in a pile, and how many."""
        rows = zip(self.type_ids, self.rows("types"), strict=True)
        return {token_id: row[column] for token_id, row in rows if row[column]}

    def tokens(self, **features: Any) -> list[Row]:
        """Return the listed tokens that have these features."""
        used = [row for row in self.rows("tokens") if row["place"] != Place.NONE]
        return [row for row in used if all(row[name] == value for name, value in features.items())]

    def on(self, hex_text: str, **features: Any) -> list[Row]:
        """Return the tokens listed on a hex."""
        q, r = at(hex_text)
        return self.tokens(q=q, r=r, **features)
