"""The board: adjacency, range, legal hexes and terrain (3.2.1, 8.3)."""

from __future__ import annotations

import functools

from sackarmies_env.games.sack_armies.tokens.schema import Battlefield
from tests.sack_armies.referee.position import Hex, Position, Token

STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))


@functools.cache
def distance(one: Hex, other: Hex) -> int:
    """Return how many hexes apart two hexes are: range counts rings, and nothing blocks it (R8.4.4-2, Q-27)."""
    q, r = one[0] - other[0], one[1] - other[1]
    return max(abs(q), abs(r), abs(q + r))


def gap(one: Token, other: Token) -> int:
    """Return the range from one token on the board to another (R8.4.4-2)."""
    assert one.hex is not None and other.hex is not None
    return distance(one.hex, other.hex)


def is_adjacent(one: Token, other: Token) -> bool:
    """Return whether two tokens on the board share an edge (R8.3-5)."""
    return gap(one, other) == 1


def neighbors(position: Position, hex_: Hex) -> list[Hex]:
    """Return the hexes of the board that share an edge with a hex (R8.3-5)."""
    return [near for near in around(hex_) if near in position.cell_of]


@functools.cache
def around(hex_: Hex) -> tuple[Hex, ...]:
    """Return the six hexes that share an edge with a hex, on the board or not."""
    return tuple((hex_[0] + q, hex_[1] + r) for q, r in STEPS)


def is_legal_hex(position: Position, hex_: Hex) -> bool:
    """Return whether a hex has a battlefield, or is next to one (R8.3-4)."""
    return any(near in position.field_on for near in [hex_, *neighbors(position, hex_)])


def is_empty(position: Position, hex_: Hex) -> bool:
    """Return whether no unit is on a hex (R8.2.1-6, R8.3-10)."""
    return hex_ not in position.unit_on


def terrain_of(position: Position, hex_: Hex | None) -> Battlefield | None:
    """Return the battlefield on a hex as it is printed (R3.2.1-7)."""
    battlefield = position.field_on.get(hex_)
    if battlefield is None:
        return None
    assert isinstance(battlefield.text, Battlefield)
    return battlefield.text


def is_water(position: Position, hex_: Hex | None) -> bool:
    """Return whether a hex has a battlefield with water (RA-Aquatic-1)."""
    terrain = terrain_of(position, hex_)
    return terrain is not None and terrain.water
