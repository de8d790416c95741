"""Names in a dump: references to tokens, types and hexes, whose numbers depend on the catalogue, armies and order.

A token is named by its place: `unit 1,0`, `battlefield 1,0`, `attached 1,0 2` (host and slot), `captive 1,0 1` (captor
and order of capture), `sack 0 wisps 1` (pile, owner, id, number of the copy). A type is named by its id, a hex by its
coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence

from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.messages import quote, suggestion
from sackarmies_env.games.sack_armies.config import Config
from sackarmies_env.games.sack_armies.scenario.schema import PILES, Piece
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, NO_TYPE, Zone

NOTHING = "-"  # no token, type or hex
PILE_KEYS = {zone: key for key, zone in PILES}
HELD = {Zone.ATTACHED: "attached", Zone.CAPTURED: "captive"}  # by a unit


def piece_names(pieces: Sequence[Piece]) -> list[str]:
    """Return the name of each token of a position, whatever the order in which hexes and piles are listed."""
    names: list[str] = []
    counts: dict[str, int] = {}
    for piece in pieces:
        if piece.at is not None:
            kind = "battlefield" if piece.entry.startswith("battlefield") else "unit"
            names.append(f"{kind} {_hex_name(piece.at)}")
            continue
        place = f"{PILE_KEYS.get(piece.zone)} {piece.owner} {piece.token}"
        if piece.zone in HELD:
            place = f"{HELD[piece.zone]} {_hex_name(pieces[piece.host].at)}"
        counts[place] = counts.get(place, -1) + 1
        names.append(f"{place} {counts[place]}")
    return names


def _hex_name(at: tuple[int, int] | None) -> str:
    return NOTHING if at is None else f"{at[0]},{at[1]}"


class Names:
    """A two-way mapping between the numbers in a state of one configuration and their names.

    Args:
        config: the configuration.
        pieces: the tokens of the position.
        rows: row of each token.
    """

    def __init__(self, config: Config, pieces: Sequence[Piece], rows: Sequence[int]) -> None:
        tokens, grid = piece_names(pieces), config.grid
        self.tokens = {NOTHING: NO_TOKEN} | dict(zip(tokens, rows, strict=True))
        self.types = {NOTHING: NO_TYPE} | {name: number for number, name in enumerate(config.type_ids)}
        self.hexes = {NOTHING: NO_HEX} | {name: cell for cell, name in enumerate(grid.names)}
        self._token_names, self._type_names, self._hex_names = (
            {number: name for name, number in table.items()} for table in (self.tokens, self.types, self.hexes)
        )

    def token_name(self, row: int) -> str:
        """Return the name of the token in a row."""
        return self._token_names.get(row, NOTHING)

    def type_name(self, number: int) -> str:
        """Return the id of a type."""
        return self._type_names.get(number, NOTHING)

    def hex_name(self, cell: int) -> str:
        """Return the coordinates of a cell."""
        return self._hex_names.get(cell, NOTHING)

    def token(self, field: str, name: object) -> int:
        """Return the row of a token; `field` is named in the error message.

        Raises:
            ValueError: there is no such token.
        """
        if not isinstance(name, str) or name not in self.tokens:
            near = suggestion(name, self.tokens) if isinstance(name, str) else ""
            raise ValueError(
                f'{field}: unknown token {quote(name)}{near}; tokens are named by place, such as "unit 1,0"'
            )
        return self.tokens[name]

    def type(self, field: str, name: object) -> int:
        """Return the number of a type.

        Raises:
            ValueError: there is no such type.
        """
        if not isinstance(name, str) or name not in self.types:
            near = suggestion(name, self.types) if isinstance(name, str) else ""
            raise ValueError(f"{field}: there is no token with the id {quote(name)}{near}")
        return self.types[name]

    def hex(self, field: str, name: object) -> int:
        """Return the cell of a hex.

        Raises:
            ValueError: there is no such hex on the board.
        """
        if not isinstance(name, str) or name not in self.hexes:
            raise ValueError(f'{field}: there is no hex {quote(name)} on the board; hexes are written as "1,-2"')
        return self.hexes[name]
