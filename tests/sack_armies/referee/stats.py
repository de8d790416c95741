"""Special abilities in effect and effective stats of units (3.2.2, 9.1, appendix A)."""

from __future__ import annotations

from collections.abc import Sequence

from sackarmies_env.games.sack_armies.tokens.schema import Attachment, Unit
from sackarmies_env.games.sack_armies.tokens.text_schema import (
    AnyAbility,
    AnyEffect,
    AugmentAbility,
    Clause,
    GrantEffect,
    ModifyEffect,
    RaiseAbility,
    ReachAbility,
)
from tests.sack_armies.referee.board import is_adjacent, is_water, terrain_of
from tests.sack_armies.referee.position import Position, Token


def unit_text(unit: Token) -> Unit:
    """Return what is printed on a unit."""
    assert isinstance(unit.text, Unit)
    return unit.text


def fits(match: Sequence[Clause], unit: Token) -> bool:
    """Return whether a text applies to a unit: all conditions of one clause must hold (RA-Augment-2 to 4, Q-59)."""
    text = unit_text(unit)
    return not match or any(
        (clause.keyword is None or clause.keyword in text.keywords)
        and (clause.homeland is None or clause.homeland == text.homeland)
        and (clause.type is None or clause.type == text.type)
        for clause in match
    )


# --- effects of texts


def effects_on(position: Position, unit: Token) -> list[AnyEffect]:
    """Return the effects of texts on a unit: free, permanent, and for this turn (R9.2-4, R9.2-15, R9.1-3)."""
    at_work: list[AnyEffect] = []
    for token in unit.attachments:
        text = token.text
        assert isinstance(text, Attachment)
        if (text.use == "free" and token.face_up) or (text.use == "permanent" and token.active):
            at_work += text.effects
    return at_work + [effect for token, effect in position.modifiers if token is unit]


def limits_met(position: Position, unit: Token) -> bool:
    """Return whether another revealed unit of the same General satisfies each printed Limit (R3.2.2-13)."""
    return all(
        any(
            other.face_up and other.controller == unit.controller and fits(limit.match, other)
            for other in position.units
            if other is not unit
        )
        for limit in unit_text(unit).limits
    )


def abilities(position: Position, unit: Token) -> list[AnyAbility]:
    """Return the special abilities of a unit, printed and granted; a face-down unit has none (R9.1-7, R9.1-8)."""
    if not unit.face_up:
        return []
    printed = list(unit_text(unit).abilities) if limits_met(position, unit) else []
    granted = [effect.ability for effect in effects_on(position, unit) if isinstance(effect, GrantEffect)]
    return printed + granted


def has(position: Position, unit: Token, kind: str) -> bool:
    """Return whether a unit has a special ability now (R9.1-7)."""
    return any(ability.kind == kind for ability in abilities(position, unit))


def ability_range(position: Position, unit: Token, kind: str) -> int:
    """Return the range of an ability of a unit, 0 if it does not have it (R8.4.4-1)."""
    ranges = [
        ability.range
        for ability in abilities(position, unit)
        if isinstance(ability, ReachAbility) and ability.kind == kind
    ]
    return max(ranges, default=0)


def raise_abilities(position: Position, unit: Token) -> list[RaiseAbility]:
    """Return a unit's abilities to raise casualties (RA-Raise-1)."""
    return [ability for ability in abilities(position, unit) if isinstance(ability, RaiseAbility)]


# --- effective stats


def changes(position: Position, unit: Token, stat: str) -> int:
    """Return what texts and terrain add to a stat of a unit (R3.2.1-7, R9.1-6)."""
    by_texts = sum(
        effect.amount
        for effect in effects_on(position, unit)
        if isinstance(effect, ModifyEffect) and effect.stat == stat
    )
    return by_texts + by_terrain(position, unit, stat)


def by_terrain(position: Position, unit: Token, stat: str) -> int:
    """Return what the battlefield under a unit adds, no matter who controls it (R3.2.1-7, RA-Aquatic-1)."""
    terrain = terrain_of(position, unit.hex)
    if terrain is None:
        return 0
    amounts = [effect.amount for effect in terrain.effects if effect.stat == stat and fits(effect.match, unit)]
    if is_water(position, unit.hex) and has(position, unit, "aquatic"):
        amounts = [amount for amount in amounts if amount > 0]
    return sum(amounts)


def effective_movement(position: Position, unit: Token) -> int:
    """Return a unit's movement now (R3.2.2-1)."""
    return max(0, unit_text(unit).movement + changes(position, unit, "movement"))


def effective_armor(position: Position, unit: Token) -> int:
    """Return a unit's armor now, without Defend; it may be 0 or less (R3.2.2-4, R3.2.2-5)."""
    return unit_text(unit).armor + changes(position, unit, "armor") + augmented(position, unit, "armor")


def augmented(position: Position, unit: Token, stat: str) -> int:
    """Return what adjacent augmenters and ghosts of dead ones add (RA-Augment-1 to 6, Q-57, C-augment_stacks).

    Only a revealed unit profits: otherwise Q-55 would have no reason to reveal it.
    """
    if not unit.face_up:
        return 0
    given: dict[int, int] = {}  # by augmenter: the living by row, the dead by negative numbers
    for other in position.units:
        if other is not unit and other.controller == unit.controller and is_adjacent(other, unit):
            augments = [ability for ability in abilities(position, other) if isinstance(ability, AugmentAbility)]
            given[other.row] = sum(bonus(ability, unit, stat) for ability in augments)
    for ghost in position.ghosts:
        if ghost.controller == unit.controller and ghost.hex in near(unit):
            given[-ghost.augmenter] = given.get(-ghost.augmenter, 0) + bonus(ghost.ability, unit, stat)
    return sum(given.values()) if position.switches.augment_stacks else max(given.values(), default=0)


def bonus(augment: AugmentAbility, unit: Token, stat: str) -> int:
    """Return what one Augment adds to a stat of an adjacent unit (RA-Augment-1 to 4)."""
    return augment.amount if augment.stat == stat and fits(augment.match, unit) else 0


def near(unit: Token) -> set[tuple[int, int]]:
    """Return the hexes around a unit (R8.3-5)."""
    assert unit.hex is not None
    q, r = unit.hex
    return {(q + 1, r), (q + 1, r - 1), (q, r - 1), (q - 1, r), (q - 1, r + 1), (q, r + 1)}
