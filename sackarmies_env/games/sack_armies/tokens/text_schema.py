"""The schema of token texts in data files: matches, abilities, effects, terrain and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from sackarmies_env.core.validation import StrictModel, TupleOf
from sackarmies_env.games.sack_armies.state.constants import MAX_CLAUSES

HomelandName = Literal["", "fey_court", "scourge", "empire", "nether_sisters", "shazari"]
ClassName = Literal["other", "infantry", "cavalry", "missile", "artillery"]
StatName = Literal["movement", "damage", "armor"]
DurationName = Literal["turn", "permanent"]

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
Reach = Annotated[int, Field(ge=1, le=40)]
Amount = Annotated[int, Field(ge=-20, le=20)]


def as_list(value: object) -> object:
    """Accept a single table as a list of one; refuse an empty list, which nothing could match."""
    if value == []:
        raise ValueError('an empty list matches nothing; leave "match" out to mean all')
    return [value] if isinstance(value, Mapping) else value


# --- matches


class Clause(StrictModel):
    """Conditions on a unit that must all hold; `homeland = ""` means units without a Homeland."""

    keyword: Id | None = None
    homeland: HomelandName | None = None
    type: ClassName | None = None

    @model_validator(mode="after")
    def needs_a_condition(self) -> Clause:
        """Refuse a table without conditions: leaving out `match` is the way to say "all"."""
        if self.keyword is None and self.homeland is None and self.type is None:
            raise ValueError('a match needs a condition: "keyword", "homeland" or "type"')
        return self


Match = Annotated[TupleOf[Clause], Field(max_length=MAX_CLAUSES), BeforeValidator(as_list)]


# --- abilities


class PlainAbility(StrictModel):
    """An ability without values."""

    kind: Literal["ambush", "aquatic", "capture", "defend", "draw", "flying", "leadership", "move_and_attack"]


class ReachAbility(StrictModel):
    """An ability with a range in hexes."""

    kind: Literal["counter", "dismiss", "dispel", "range", "sight"]
    range: Reach


class AugmentAbility(StrictModel):
    """A bonus to adjacent units; all of them if `match` is left out."""

    kind: Literal["augment"]
    stat: Literal["armor", "damage"]
    amount: Annotated[int, Field(ge=1, le=20)]
    match: Match = ()


class RaiseAbility(StrictModel):
    """Raising the dead; `match` may limit which units."""

    kind: Literal["raise"]
    match: Match = ()


class ScatterAbility(StrictModel):
    """Damage to the neighbors of a target, per success of the flip."""

    kind: Literal["scatter"]
    damage: Annotated[int, Field(ge=1, le=20)] = 1
    flip: Literal["single", "progressive"] = "single"


AnyAbility = PlainAbility | ReachAbility | AugmentAbility | RaiseAbility | ScatterAbility
Ability = Annotated[AnyAbility, Field(discriminator="kind")]


# --- effects of spells, maneuvers and printed action texts


class DamageEffect(StrictModel):
    """Damage to the target, once or per success."""

    kind: Literal["damage"]
    amount: Annotated[int, Field(ge=1, le=99)]
    flip: Literal["none", "single", "progressive"] = "none"


class ModifyEffect(StrictModel):
    """A change of a stat of the target; `duration` follows from the text's `use` and may be left out."""

    kind: Literal["modify"]
    stat: StatName
    amount: Amount
    duration: DurationName | None = None


class GrantEffect(StrictModel):
    """An ability for the target; `duration` as with modify."""

    kind: Literal["grant"]
    ability: Ability
    duration: DurationName | None = None


class RelocateEffect(StrictModel):
    """The host or target goes to an empty legal hex within `distance` of where it is."""

    kind: Literal["relocate"]
    who: Literal["host", "target"] = "host"
    distance: Reach
    flip: Literal["none", "single"] = "none"


class SwapEffect(StrictModel):
    """The host and target, at most `distance` apart, change places."""

    kind: Literal["swap"]
    distance: Reach


class TargetEffect(StrictModel):
    """The target returns to its sack, loses one attachment to casualties, or is out of play for good."""

    kind: Literal["dismiss", "dispel", "counter", "remove"]


class RaiseEffect(StrictModel):
    """One own casualty is deployed next to the host; `match` may limit which."""

    kind: Literal["raise"]
    match: Match = ()


class DrawEffect(StrictModel):
    """The host's General draws tokens into their hand."""

    kind: Literal["draw"]
    count: Annotated[int, Field(ge=1, le=20)]


class RevealEffect(StrictModel):
    """Face-down enemy units within `range` of the host, or of the hex aimed at, turn face up."""

    kind: Literal["reveal"]
    range: Annotated[int, Field(ge=0, le=40)]


AnyEffect = (
    DamageEffect
    | ModifyEffect
    | GrantEffect
    | RelocateEffect
    | SwapEffect
    | TargetEffect
    | RaiseEffect
    | DrawEffect
    | RevealEffect
)
Effect = Annotated[AnyEffect, Field(discriminator="kind")]


class Terrain(StrictModel):
    """A battlefield's change of a stat of the unit on it; any unit if `match` is left out."""

    stat: StatName
    amount: Amount
    match: Match = ()


class Limit(StrictModel):
    """The unit's special abilities work only while another own face-up unit matches."""

    kind: Literal["requires_revealed"]
    match: Match
