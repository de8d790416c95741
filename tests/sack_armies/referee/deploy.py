"""Draw, deploy and Setup: which tokens go where (7.1, 8.1, 8.2)."""

from __future__ import annotations

from sackarmies_env.games.sack_armies.state.constants import NUM_SLOTS, Zone
from sackarmies_env.games.sack_armies.tokens.schema import Unit
from tests.sack_armies.referee.board import distance, is_empty, neighbors
from tests.sack_armies.referee.position import Hex, Position, Token

OWNED_LIMIT = 3  # R3.2.2-7
BANDS = {"spell": ("blue", "green"), "maneuver": ("red", "green")}  # R3.2.3-4


def deployable(position: Position) -> list[Token]:
    """Return the tokens in hand that can be deployed somewhere (R8.2-3, D-05)."""
    return [token for token in position.pile(position.player, Zone.HAND) if deploy_hexes(position, token)]


def deploy_hexes(position: Position, token: Token) -> list[Hex]:
    """Return where a token in hand may be deployed; for attachments, the hexes of their hosts (R8.2.1, D-06)."""
    if token.text.kind == "unit":
        return [hex_ for hex_ in position.hexes if is_empty(position, hex_) and may_enter_play(position, hex_)]
    if token.text.kind == "battlefield":
        return [hex_ for hex_ in position.hexes if may_lie(position, hex_)]
    hosts = [unit for unit in position.own_units() if takes(unit, token)]
    return [unit.hex for unit in hosts if unit.hex is not None]


def may_enter_play(position: Position, hex_: Hex) -> bool:
    """Return whether the General may deploy a unit on a hex, if it is empty (R3.2.1-6, R8.2.1-4, R8.2.1-5)."""
    there = position.field_on.get(hex_)
    if there is not None:
        return there.controller == position.player
    return any(
        near in position.field_on and position.field_on[near].controller == position.player
        for near in neighbors(position, hex_)
    )


def may_lie(position: Position, hex_: Hex) -> bool:
    """Return whether the General may put a battlefield on a hex (R8.2.1-9 to 12, Q-03, Q-06, C-neutral_zone_basis)."""
    by_owner = position.switches.neutral_zone_basis == "owner"
    around = [position.field_on[near] for near in neighbors(position, hex_) if near in position.field_on]
    holders = {battlefield.owner if by_owner else battlefield.controller for battlefield in around}
    return (
        hex_ not in position.field_on
        and is_empty(position, hex_)
        and holders == {position.player}
        and is_interior(position, hex_)
    )


def is_interior(position: Position, hex_: Hex) -> bool:
    """Return whether all six neighbors are on the board (Q-06)."""
    return len(neighbors(position, hex_)) == 6


def takes(unit: Token, token: Token) -> bool:
    """Return whether a spell or maneuver may be deployed under a unit (R3.2.3-4, R8.2.1-13 to 15)."""
    assert isinstance(unit.text, Unit)
    return unit.text.band in BANDS[token.text.kind] and has_room(unit, token)


def has_room(unit: Token, token: Token) -> bool:
    """Return whether a unit has room for one more attachment (R3.2.2-7, R3.2.3-6, Q-65)."""
    others = [attached for attached in unit.attachments if attached is not token]
    if token.owner == unit.owner and sum(other.owner == unit.owner for other in others) >= OWNED_LIMIT:
        return False
    return len(others) < NUM_SLOTS


# --- draw


def may_draw(position: Position) -> bool:
    """Return whether the sack has something to draw (R8.1-3, R8.1-4)."""
    return bool(position.pile(position.player, Zone.SACK))


def may_stop_discarding(position: Position) -> bool:
    """Return whether the hand is small enough to end the turn (R8.1-5, D-04, C-hand_limit)."""
    return len(position.pile(position.player, Zone.HAND)) <= position.switches.hand_limit


# --- Setup


def setup_stock(position: Position) -> list[Token]:
    """Return the battlefields that a General may still place in Setup (R7.1-1, Q-07, C-setup_pick)."""
    zone = Zone.PICKED if position.switches.setup_pick == "pick" else Zone.SACK
    return [token for token in position.pile(position.player, zone) if token.text.kind == "battlefield"]


def setup_hexes(position: Position) -> list[Hex]:
    """Return where the next battlefield of Setup may be placed (R7.1-9 to 17, Q-04, Q-05, Q-06, D-02)."""
    if not position.fields:
        return [(0, 0)]
    own = [battlefield.hex for battlefield in position.fields if battlefield.owner == position.player]
    others = [battlefield.hex for battlefield in position.fields if battlefield.owner != position.player]
    found = []
    for hex_ in position.hexes:
        gaps = [distance(hex_, other) for other in others if other is not None]
        touches = any(distance(hex_, mine) == 1 for mine in own if mine is not None)
        is_free = hex_ not in position.field_on and min(gaps, default=2) >= 2 and is_interior(position, hex_)
        if is_free and (touches if own else 2 in gaps):
            found.append(hex_)
    return found
