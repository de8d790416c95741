"""Movement: who may move where (8.3, P-REACH)."""

from __future__ import annotations

from tests.sack_armies.referee.board import is_empty, is_legal_hex, is_water, neighbors, terrain_of
from tests.sack_armies.referee.position import Hex, Position, Token
from tests.sack_armies.referee.stats import effective_movement, has


def movable(position: Position) -> list[Token]:
    """Return the units that a Move action may move, or move next (R8.3-1, R8.3-2, R8.4.5-11, D-08, D-10)."""
    return [unit for unit in position.own_units() if not unit.employed and not unit.moved and reach(position, unit)]


def reach(position: Position, unit: Token) -> set[Hex]:
    """Return where a unit may move with its current movement (P-REACH, R8.3-3, R8.3-10, Q-20)."""
    assert unit.hex is not None
    seen = {unit.hex}
    frontier = {unit.hex}
    for _ in range(effective_movement(position, unit)):
        entered = {
            neighbor
            for hex_ in frontier
            for neighbor in neighbors(position, hex_)
            if neighbor not in seen and may_enter(position, unit, neighbor)
        }
        seen |= entered
        frontier = {hex_ for hex_ in entered if not is_halted(position, unit, hex_)}
    return {hex_ for hex_ in seen if is_empty(position, hex_)}


def may_enter(position: Position, unit: Token, hex_: Hex) -> bool:
    """Return whether a unit may move into or through a hex (R8.3-7, R8.3-8, R8.3-9, R8.3-13)."""
    if not is_legal_hex(position, hex_):
        return False
    other = position.unit_on.get(hex_)
    if other is None or other.controller == unit.controller:
        return True
    # RA-Flying-1, RA-Flying-2, RA-Aquatic-2
    return (
        has(position, unit, "flying")
        or has(position, other, "flying")
        or (has(position, unit, "aquatic") and is_water(position, hex_))
    )


def is_halted(position: Position, unit: Token, hex_: Hex) -> bool:
    """Return whether a battlefield ends the move of a unit that enters it (R8.3-12, RA-Flying-5, RA-Aquatic-2)."""
    terrain = terrain_of(position, hex_)
    if terrain is None or not terrain.halts:
        return False
    is_exempt = any(has(position, unit, ability) for ability in terrain.exempt)
    return not is_exempt and not (terrain.water and has(position, unit, "aquatic"))
