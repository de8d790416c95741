"""Spells, maneuvers and printed action texts: which may be activated, and their targets (9.2, 9.3, P-ACTIVATE)."""

from __future__ import annotations

from sackarmies_env.games.sack_armies.state.constants import Zone
from sackarmies_env.games.sack_armies.tokens.schema import Attachment, Text
from sackarmies_env.games.sack_armies.tokens.text_schema import AnyEffect, RaiseEffect, RelocateEffect
from tests.sack_armies.referee.abilities import token_slots
from tests.sack_armies.referee.board import distance, is_empty, is_legal_hex
from tests.sack_armies.referee.deploy import has_room
from tests.sack_armies.referee.position import Hex, Position, Token, turned_up
from tests.sack_armies.referee.stats import fits, limits_met, unit_text

NEVER_THE_HOST = ("dismiss", "swap")
KIND_OF_EFFECT = {"dispel": "spell", "counter": "maneuver"}


def text_of(host: Token, token: Token | None) -> Text:
    """Return the text that is activated: that of a spell or maneuver, or the action text printed on the unit."""
    text = unit_text(host) if token is None else token.text
    assert isinstance(text, Text)
    return text


def effect_of(text: Text, *kinds: str) -> AnyEffect | None:
    """Return the effect of one of these kinds in a text; there is at most one."""
    return next((effect for effect in text.effects if effect.kind in kinds), None)


# --- who may activate what on their own turn


def casters(position: Position) -> list[Token]:
    """Return the units that can activate a spell or maneuver attached to them (R8.0-1, Q-90, D-21)."""
    return [unit for unit in position.own_units() if cast_slots(position, unit)]


def cast_slots(position: Position, host: Token) -> list[int]:
    """Return the slots of a unit's spells and maneuvers that can be activated (R3.2.3-5, R9.2-2, R9.2-15, D-21)."""
    if host.employed:
        return []
    return [
        slot
        for slot, token in enumerate(host.attachments)
        if is_castable(token, position.player) and text_targets(position, host, token)
    ]


def is_castable(token: Token, player: int) -> bool:
    """Return whether an attachment can be activated: an own one, neither free nor in effect (R9.2-12, -15)."""
    assert isinstance(token.text, Attachment)
    return token.owner == player and token.text.use != "free" and not token.active


def customs(position: Position) -> list[Token]:
    """Return the units whose printed action text can be activated (R9.1-2, R8.2.2-8, R3.2.2-13)."""
    return [
        unit
        for unit in position.own_units()
        if unit_text(unit).use == "action"
        and not unit.employed
        and limits_met(position, unit)
        and text_targets(position, unit, None)
    ]


# --- targets


def text_targets(position: Position, host: Token, token: Token | None) -> list[Hex]:
    """Return the hexes a text may be aimed at such that all its choices can be made (R9.1-4, R9.2-13, R8.2.1-16)."""
    text = text_of(host, token)
    with turned_up(host):  # R8.2.2-8
        if text.aim == "hex":
            spaces = [hex_ for hex_ in position.hexes if is_legal_hex(position, hex_)]  # RB-9
            return [
                hex_
                for hex_ in spaces
                if is_within(host, hex_, text.reach) and is_feasible(position, host, token, None)
            ]
        return [
            unit.hex
            for unit in position.units
            if unit.hex is not None
            and is_within(host, unit.hex, text.reach)
            and may_be_aimed_at(host, text, unit)
            and is_feasible(position, host, token, unit)
        ]


def is_within(host: Token, hex_: Hex, reach: int) -> bool:
    """Return whether a hex is in range of a host, as for a ranged attack (R9.1-4)."""
    assert host.hex is not None
    return distance(host.hex, hex_) <= reach


def may_be_aimed_at(host: Token, text: Text, unit: Token) -> bool:
    """Return whether a text may target a unit (R8.2.1-16).

    Enemies must be revealed, except as hosts of what a text counters or dispels, if it does nothing else (R8.2.2-2,
    R8.2.2-3, RA-0-1, RA-Counter-2, RA-Dispel-2).
    """
    is_in_view = unit.face_up or all(effect.kind in KIND_OF_EFFECT for effect in text.effects)
    is_own = unit.controller == host.controller
    if unit is host and any(effect.kind in NEVER_THE_HOST for effect in text.effects):
        return False
    if text.aim == "host":
        return unit is host
    if text.aim == "own_unit":
        return is_own
    if text.aim == "enemy_unit":
        return not is_own and is_in_view
    return is_own or is_in_view


def is_feasible(position: Position, host: Token, token: Token | None, target: Token | None) -> bool:
    """Return whether all choices of a text beyond its target can be made (obligation 1 of section 5)."""
    text = text_of(host, token)
    if effect_of(text, "dispel", "counter") is not None:
        assert target is not None
        if not effect_slots(position, host, token, target):
            return False
    if effect_of(text, "relocate") is not None and not effect_hexes(position, host, token, target):
        return False
    if effect_of(text, "raise") is not None and not effect_types(position, host, token):
        return False
    if isinstance(text, Attachment) and text.use == "permanent":
        assert target is not None and token is not None
        return has_room(target, token)
    return True


def effect_slots(position: Position, host: Token, token: Token | None, target: Token) -> list[int]:
    """Return the attachments of the target that a text may dispel or counter (RA-Dispel-2, RA-Counter-2, Q-49)."""
    effect = effect_of(text_of(host, token), "dispel", "counter")
    assert effect is not None
    slots = token_slots(position, target, KIND_OF_EFFECT[effect.kind])
    return [slot for slot in slots if not is_activated(target.attachments[slot], token)]


def is_activated(attached: Token, token: Token | None) -> bool:
    """Return whether an attachment is the one being activated, which has left the stack by then (Q-67)."""
    return attached is token


def effect_hexes(position: Position, host: Token, token: Token | None, target: Token | None) -> list[Hex]:
    """Return where a relocation may end: empty legal hexes near where the unit is (R8.3-4, R8.3-10, X-08)."""
    effect = effect_of(text_of(host, token), "relocate")
    assert isinstance(effect, RelocateEffect)
    moved = host if effect.who == "host" else target
    assert moved is not None and moved.hex is not None
    return [
        hex_
        for hex_ in position.hexes
        if distance(hex_, moved.hex) <= effect.distance and is_empty(position, hex_) and is_legal_hex(position, hex_)
    ]


def effect_types(position: Position, host: Token, token: Token | None) -> list[Token]:
    """Return the own casualties that a text may raise (RA-0-1, RA-Raise-1)."""
    effect = effect_of(text_of(host, token), "raise")
    assert isinstance(effect, RaiseEffect)
    return [
        casualty
        for casualty in position.pile(position.player, Zone.CASUALTIES)
        if casualty.text.kind == "unit" and fits(effect.match, casualty)
    ]
