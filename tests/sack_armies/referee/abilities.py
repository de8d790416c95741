"""Action abilities of units: what they may be aimed at (9.1, appendix A)."""

from __future__ import annotations

from sackarmies_env.games.sack_armies.state.constants import Verb, Zone
from tests.sack_armies.referee.attacks import attack_targets, charge_targets
from tests.sack_armies.referee.board import gap, is_adjacent, is_empty, is_legal_hex
from tests.sack_armies.referee.deploy import may_enter_play
from tests.sack_armies.referee.position import Hex, Position, Token, turned_up
from tests.sack_armies.referee.stats import ability_range, fits, has, near, raise_abilities

KIND_OF_TOKEN = {Verb.COUNTER_TOKEN: "maneuver", Verb.DISPEL: "spell"}  # RA-Counter-1, RA-Dispel-1
ABILITY_OF_VERB = {Verb.COUNTER_TOKEN: "counter", Verb.DISPEL: "dispel"}


def sources(position: Position, verb: Verb) -> list[Token]:
    """Return the units that can carry out a verb to the end (D-12, D-13, D-16, D-18, D-19, D-20)."""
    return [unit for unit in position.own_units() if not unit.employed and choices(position, unit, verb)]


def choices(position: Position, unit: Token, verb: Verb) -> list[Token]:
    """Return what a unit's attack or ability may be aimed at: units, hosts of attachments, casualties."""
    if verb in (Verb.MELEE, Verb.RANGED):
        return attack_targets(position, unit, verb)
    if verb == Verb.MOVE_ATTACK:
        return charge_targets(position, unit)
    with turned_up(unit):  # R8.2.2-8
        if verb == Verb.CAPTURE:
            return capture_targets(position, unit)
        if verb == Verb.DISMISS:
            return dismiss_targets(position, unit)
        if verb in KIND_OF_TOKEN:
            return token_hosts(position, unit, verb)
        return raisable(position, unit)


def capture_targets(position: Position, captor: Token) -> list[Token]:
    """Return what `captor` may capture: revealed adjacent enemies, flyers too (RA-Capture-1, R8.2.2-2, Q-52)."""
    if not has(position, captor, "capture"):
        return []
    return [
        unit
        for unit in position.units
        if unit.controller != captor.controller and unit.face_up and is_adjacent(unit, captor)
    ]


def dismiss_targets(position: Position, dismisser: Token) -> list[Token]:
    """Return what `dismisser` may dismiss: revealed enemies, own units, not itself (RA-Dismiss-1, -3, Q-50, Q-51)."""
    return [
        unit
        for unit in position.units
        if unit is not dismisser
        and (unit.face_up or unit.controller == dismisser.controller)
        and gap(unit, dismisser) <= ability_range(position, dismisser, "dismiss")
    ]


def token_hosts(position: Position, unit: Token, verb: Verb) -> list[Token]:
    """Return the hosts in range with a token to counter or dispel (RA-Counter-2 to 4, RA-Dispel-2, RA-Dispel-3)."""
    if not has(position, unit, ABILITY_OF_VERB[verb]):
        return []
    reaches = ability_range(position, unit, ABILITY_OF_VERB[verb])
    return [
        host
        for host in position.units
        if gap(host, unit) <= reaches and token_slots(position, host, KIND_OF_TOKEN[verb])
    ]


def token_slots(position: Position, host: Token, kind: str) -> list[int]:
    """Return the attachments that may be chosen as being of a kind (Q-49, Q-50, C-blind_target_wrong_kind).

    If the switch allows, one whose kind the General does not know may be chosen at a risk.
    """
    at_a_risk = position.switches.blind_target_wrong_kind == "spend"
    slots = []
    for slot, token in enumerate(host.attachments):
        is_known = token.face_up or token.kind_known or token.owner == position.player
        if token.text.kind == kind if is_known else at_a_risk:
            slots.append(slot)
    return slots


def raisable(position: Position, raiser: Token) -> list[Token]:
    """Return the own casualties that a unit may try to raise, even without room (RA-Raise-1, Q-53)."""
    return [
        token
        for token in position.pile(position.player, Zone.CASUALTIES)
        if token.text.kind == "unit"
        and any(fits(ability.match, token) for ability in raise_abilities(position, raiser))
    ]


def raise_hexes(position: Position, raiser: Token) -> list[Hex]:
    """Return where a raised unit may come in (RA-Raise-3, Q-53, C-raise_zone)."""
    around = [hex_ for hex_ in near(raiser) if hex_ in position.cell_of and is_empty(position, hex_)]
    if position.switches.raise_zone == "any_legal_hex":
        return [hex_ for hex_ in around if is_legal_hex(position, hex_)]
    return [hex_ for hex_ in around if may_enter_play(position, hex_)]
