"""Reveals, reaction windows, surprise maneuvers, saves (8.2.2, 9.3, P-WINDOW, D-28)."""

from __future__ import annotations

from sackarmies_env.games.sack_armies.schema import Attachment
from tests.referee.position import Position, Token
from tests.referee.texts import text_targets


def hidden_units(position: Position) -> list[Token]:
    """Return the own units that may be turned up (R8.2.2-9, D-07)."""
    return [unit for unit in position.own_units() if not unit.face_up]


def hidden_hosts(position: Position) -> list[Token]:
    """Return the own units with a free attachment that may be turned up (R8.2.2-12, R9.2-6, Q-48, D-07)."""
    return [unit for unit in position.own_units() if hidden_slots(position, unit)]


def hidden_slots(position: Position, host: Token) -> list[int]:
    """Return the slots of own free attachments that lie face down (R9.2-8, R9.2-9, D-07)."""
    return [
        slot
        for slot, token in enumerate(host.attachments)
        if isinstance(token.text, Attachment)
        and token.text.use == "free"
        and not token.face_up
        and token.owner == position.player
    ]


def surprise_slots(position: Position) -> list[int]:
    """Return the defender's maneuvers that may answer the attack (R9.3-3, R9.3-8, R9.3-9, Q-41, Q-42, Q-80, D-22b)."""
    defender = position.attack.target
    if not position.is_window_on_attack or defender is None or defender.controller != position.player:
        return []
    return [
        slot
        for slot, token in enumerate(defender.attachments)
        if isinstance(token.text, Attachment)
        and token.text.kind == "maneuver"
        and token.text.use == "action"
        and token.owner == position.player
        and text_targets(position, defender, token)
    ]
