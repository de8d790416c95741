"""Attacks: who may attack whom, alone or together, counter-attacks, advances (8.4)."""

from __future__ import annotations

from sackarmies_env.games.sack_armies.state.constants import Verb
from tests.sack_armies.referee.board import gap, is_adjacent, is_empty, is_legal_hex, neighbors, terrain_of
from tests.sack_armies.referee.movement import is_halted, reach
from tests.sack_armies.referee.position import Hex, Position, Token, turned_up
from tests.sack_armies.referee.stats import ability_range, effective_movement, has

MELEE_VERBS = (Verb.MELEE, Verb.COORD_MELEE, Verb.MOVE_ATTACK)


def is_melee(verb: Verb) -> bool:
    """Return whether a verb announces a melee attack (R8.4.5-3, RA-MoveAttack-4)."""
    return verb in MELEE_VERBS


def may_strike(position: Position, attacker: Token, defender: Token) -> bool:
    """Return whether no immunity bars a melee attack (RA-Flying-3, RA-Aquatic-3)."""
    if has(position, defender, "flying") and not has(position, attacker, "flying"):
        return False
    terrain = terrain_of(position, defender.hex)
    is_at_home = terrain is not None and terrain.favors_aquatic and has(position, defender, "aquatic")
    return not is_at_home or has(position, attacker, "aquatic")


def can_attack(position: Position, attacker: Token, defender: Token, verb: Verb) -> bool:
    """Return whether a unit may attack another, turning face up to do so (P-CANTARGET, R8.2.2-8, R8.4.4-5, Q-27)."""
    if defender.controller == attacker.controller or not defender.face_up or attacker.employed:
        return False
    with turned_up(attacker):
        if is_melee(verb):
            return is_adjacent(attacker, defender) and may_strike(position, attacker, defender)
        return gap(attacker, defender) <= ability_range(position, attacker, "range")


def attack_targets(position: Position, attacker: Token, verb: Verb) -> list[Token]:
    """Return the units that a unit may attack alone (D-12, D-13)."""
    return [unit for unit in position.units if can_attack(position, attacker, unit, verb)]


# --- Move and Attack


def charge_targets(position: Position, attacker: Token) -> list[Token]:
    """Return the targets of a unit's Move and Attack, hidden or not (P-MOVEATTACK, RA-MoveAttack-2, D-16)."""
    if attacker.employed:
        return []
    with turned_up(attacker):
        if not has(position, attacker, "move_and_attack"):
            return []
        return [
            unit
            for unit in position.units
            if unit.controller != attacker.controller
            and (not unit.face_up or may_strike(position, attacker, unit))
            and charge_hexes(position, attacker, unit)
        ]


def charge_hexes(position: Position, attacker: Token, target: Token) -> set[Hex]:
    """Return where a charge at a target may end, at least a step from its start (RA-MoveAttack-3, Q-61, D-17)."""
    assert target.hex is not None
    return reach(position, attacker) & set(neighbors(position, target.hex))


# --- coordinated attacks


def coordination_targets(position: Position, verb: Verb) -> list[Token]:
    """Return the targets on which a coordinated attack can be completed (R8.4.5-2, D-14)."""
    return [unit for unit in position.units if may_join(position, unit, verb, [])]


def may_join(position: Position, target: Token, verb: Verb, members: list[Token]) -> list[Token]:
    """Return who may join a coordinated attack so that it can still be completed (R8.4.5-5, R8.4.5-8, Q-28, D-15)."""
    able = [unit for unit in position.own_units() if can_attack(position, unit, target, verb)]
    if verb == Verb.COORD_RANGED:
        able = [unit for unit in able if any(is_adjacent(unit, other) for other in able)]
        if position.switches.ranged_coord_connected and members:
            able = [unit for unit in able if may_hang_together(unit, members, able)]
    if len(able) < 2:
        return []
    return [unit for unit in able if unit not in members]


def is_complete(position: Position, verb: Verb, members: list[Token]) -> bool:
    """Return whether the attackers named so far may attack (R8.4.5-8, Q-28, Q-29, C-ranged_coord_connected)."""
    if len(members) < 2:
        return False
    if verb == Verb.COORD_MELEE:
        return True
    if position.switches.ranged_coord_connected:
        return len(group_of(members[0], members)) == len(members)
    return all(any(is_adjacent(unit, other) for other in members) for unit in members)


def may_hang_together(unit: Token, members: list[Token], able: list[Token]) -> bool:
    """Return whether one more attacker can be connected with those named, perhaps by others in between (Q-29)."""
    return unit in group_of(members[0], able)


def group_of(unit: Token, units: list[Token]) -> list[Token]:
    """Return those of `units` that are connected with `unit` (Q-29)."""
    group = [unit]
    for member in group:
        group += [other for other in units if other not in group and is_adjacent(member, other)]
    return group


# --- counter-attack and advance


def can_counter(position: Position, defender: Token, attacker: Token, verb: Verb) -> bool:
    """Return whether a defender may counter-attack an attacker (P-CANCOUNTER, RA-Flying-4, RA-Aquatic-4, Q-36)."""
    if is_melee(verb):
        return is_adjacent(defender, attacker)
    reaches = ability_range(position, defender, "range")
    return gap(defender, attacker) <= (reaches if reaches > 0 else 1)


def attackers(position: Position) -> list[Token]:
    """Return the units that make the announced attack (R8.4.1-2, Q-84)."""
    if position.attack.unit is not None:
        return [position.attack.unit]
    return [unit for unit in position.units if unit.member]


def counter_choices(position: Position) -> list[Token]:
    """Return the attackers that the defender may counter-attack (R8.4.1-3, R8.4.5-19, R8.4.5-22, D-24 to D-26)."""
    attack = position.attack
    barred = attack.ambush or (attack.surprised and position.switches.surprise_precludes_counter)
    if attack.target is None or barred:  # RA-Ambush-3, Q-40
        return []
    return [unit for unit in attackers(position) if can_counter(position, attack.target, unit, attack.verb)]


def may_ambush(position: Position) -> bool:
    """Return whether the attacker is asked for an ambush flip (RA-Ambush-1, RA-Ambush-4, Q-60, C-auto_ambush)."""
    attack = position.attack
    is_single_melee = attack.verb in (Verb.MELEE, Verb.MOVE_ATTACK) and attack.unit is not None
    return is_single_melee and has(position, attackers(position)[0], "ambush") and not position.switches.auto_ambush


def may_advance(position: Position) -> list[Token]:
    """Return the attackers that may take the place of the killed defender (R8.4.3-1, R8.4.3-3, Q-37 to Q-39)."""
    attack = position.attack
    if not is_melee(attack.verb) or not attack.killed or attack.hex is None or attack.worn_out:
        return []
    if attack.unit is None and not position.switches.advance_after_coord:
        return []
    if not is_legal_hex(position, attack.hex) or not is_empty(position, attack.hex):
        return []
    return [
        unit
        for unit in attackers(position)
        if unit in position.units and attack.hex in neighbors_of(position, unit)
        if effective_movement(position, unit) > 0
    ]


def follow(before: Position | None, now: Position) -> Position:
    """Note in `now` whether a charge ended where a battlefield halts the unit, and return it (RA-MoveAttack-6).

    That is judged by the first position after the move: a surprise maneuver may put the unit elsewhere, or take away
    what exempts it.

    Args:
        before: the position of the previous decision; None if there was none.
        now: the position of the decision after it.
    """
    attack = now.attack
    if not attack.moved or attack.unit is None:
        return now
    old = before.attack if before is not None else None
    if old is not None and old.moved and old.unit is not None and old.unit.row == attack.unit.row:
        attack.worn_out = old.worn_out
    elif attack.unit.hex is not None:
        attack.worn_out = is_halted(now, attack.unit, attack.unit.hex)  # not if it is exempt: Q-63
    return now


def neighbors_of(position: Position, unit: Token) -> list[Hex]:
    """Return the hexes around a unit (R8.3-5)."""
    assert unit.hex is not None
    return neighbors(position, unit.hex)
