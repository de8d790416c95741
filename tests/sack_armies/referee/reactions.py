"""Reveals, reaction windows, surprise maneuvers, saves (8.2.2, 9.3, P-WINDOW, D-28)."""

from __future__ import annotations

from sackarmies_env.games.sack_armies.tokens.schema import Attachment
from tests.sack_armies.referee.position import Position, Token, turned_up
from tests.sack_armies.referee.stats import effective_armor
from tests.sack_armies.referee.texts import is_castable, text_targets


def hidden_units(position: Position) -> list[Token]:
    """Return the own units that may be turned up (R8.2.2-9, D-07)."""
    return [unit for unit in position.own_units() if not unit.face_up]


def hidden_hosts(position: Position) -> list[Token]:
    """Return the own units with a free attachment that may be turned up (R8.2.2-12, R9.2-6, Q-48, D-07)."""
    return [unit for unit in position.own_units() if hidden_slots(position, unit)]


def hidden_slots(position: Position, host: Token) -> list[int]:
    """Return the slots of own face-down free attachments (R9.2-8, R9.2-9, D-07)."""
    return [
        slot
        for slot, token in enumerate(host.attachments)
        if isinstance(token.text, Attachment)
        and token.text.use == "free"
        and not token.face_up
        and token.owner == position.player
    ]


def surprise_slots(position: Position) -> list[int]:
    """Return the defender's maneuvers that may answer the attack (R9.3-3, R9.3-8, R9.3-9, Q-41, Q-42, Q-80, D-22b).

    A permanent maneuver counts as an action maneuver too (R9.3-10).
    """
    defender = position.attack.target
    if not position.is_window_on_attack or defender is None or defender.controller != position.player:
        return []
    return [
        slot
        for slot, token in enumerate(defender.attachments)
        if token.text.kind == "maneuver"
        and is_castable(token, position.player)
        and text_targets(position, defender, token)
    ]


# --- saves from scatter


def scatter_victims(position: Position) -> list[Token]:
    """Return the own face-down units that scatter kills, for which no save has been asked yet (Q-55, D-28)."""
    victims = [hit.target for hit in position.hits if hit.is_scatter and not hit.asked]
    return [
        unit
        for unit in dict.fromkeys(victims)
        if unit.controller == position.player and not unit.face_up and is_killed(position, unit)
    ]


def half_saved(position: Position) -> list[Token]:
    """Return the own units that were turned up for a save and need an attachment to survive (Q-55, D-28)."""
    asked = [hit.target for hit in position.hits if hit.is_scatter and hit.asked]
    return [
        unit
        for unit in dict.fromkeys(asked)
        if unit.controller == position.player
        and unit.face_up
        and is_killed(position, unit)
        and save_slots(position, unit)
    ]


def is_killed(position: Position, unit: Token) -> bool:
    """Return whether a unit dies of the hits it takes now (R3.2.2-5, Q-34, Q-35, C-sum_simultaneous_damage)."""
    amounts = [hit.amount for hit in position.hits if hit.target is unit]
    worst = sum(amounts) if position.switches.sum_simultaneous_damage else max(amounts)
    return worst > 0 and worst >= effective_armor(position, unit)


def can_be_saved(position: Position, unit: Token) -> bool:
    """Return whether a unit survives if revealed, along with the free attachments it needs (RA-Scatter-8, Q-55)."""
    if not position.switches.scatter_save:
        return False
    with turned_up(unit):
        return not is_killed(position, unit) or bool(save_slots(position, unit))


def save_slots(position: Position, unit: Token) -> list[int]:
    """Return the hidden free attachments that help a revealed unit, if together they save it (Q-55, D-28)."""
    armor = effective_armor(position, unit)
    helpful = []
    for slot in hidden_slots(position, unit):
        with turned_up(unit.attachments[slot]):
            if effective_armor(position, unit) > armor:
                helpful.append(slot)
    with turned_up(*(unit.attachments[slot] for slot in helpful)):
        return [] if is_killed(position, unit) else helpful
