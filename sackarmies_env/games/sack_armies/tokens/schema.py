"""The schema of data files: what tokens and armies may contain. Any other key is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, model_validator

from sackarmies_env.core.messages import join, join_faults, quote, repeated
from sackarmies_env.core.validation import MultiLine, SingleLine, StrictModel, TupleOf, read_model
from sackarmies_env.games.sack_armies.state.constants import MAX_ABILITIES, MAX_KEYWORDS, MAX_MATCHES, MAX_TYPES
from sackarmies_env.games.sack_armies.tokens.text_schema import (
    Ability,
    ClassName,
    Effect,
    GrantEffect,
    HomelandName,
    Id,
    Limit,
    ModifyEffect,
    RelocateEffect,
    SwapEffect,
    Terrain,
)

BandName = Literal["black", "blue", "red", "green", "gray"]
TargetName = Literal["host", "own_unit", "enemy_unit", "any_unit", "hex"]


# --- tokens


class BaseToken(StrictModel):
    """The fields that tokens of every kind have."""

    id: Id
    name: Annotated[SingleLine, Field(min_length=1, max_length=60)] = ""  # derived from the id if left out
    rank: Annotated[int, Field(ge=1, le=20)] = 1
    reconstructed: bool = False  # not given by the rulebook: our own value

    @model_validator(mode="before")
    @classmethod
    def name_from_id(cls, data: object) -> object:
        """Derive the name from the id if it is left out."""
        if isinstance(data, Mapping) and "name" not in data and isinstance(data.get("id"), str) and data["id"]:
            return {**data, "name": data["id"].replace("_", " ").title()[:60]}
        return data


class Text(BaseToken):
    """A token with a text that is activated, or always in effect."""

    range: Annotated[int, Field(ge=0, le=40)] | None = None  # from the host to the target
    target: TargetName | None = None  # defaults to own_unit for a swap, else to the host
    effects: Annotated[TupleOf[Effect], Field(max_length=6)] = ()

    @property
    def aim(self) -> TargetName:
        """What the text is aimed at, stated or implied."""
        if self.target is not None:
            return self.target
        return "own_unit" if any(effect.kind == "swap" for effect in self.effects) else "host"

    @property
    def reach(self) -> int:
        """How far the target may be from the host; 0 where the host itself is meant."""
        distances = [effect.distance for effect in self.effects if isinstance(effect, SwapEffect)]
        return min([*distances, *([self.range] if self.range is not None else [])], default=0)


class Unit(Text):
    """A unit; `use = "action"` with effects gives it a printed action text."""

    kind: Literal["unit"]
    homeland: HomelandName = ""
    type: ClassName = "other"
    band: BandName = "black"
    movement: Annotated[int, Field(ge=0, le=20)] = 1
    damage: Annotated[int, Field(ge=0, le=99)] = 1
    armor: Annotated[int, Field(ge=0, le=99)] = 1
    keywords: Annotated[TupleOf[Id], Field(max_length=MAX_KEYWORDS)] = ()
    abilities: Annotated[TupleOf[Ability], Field(max_length=MAX_ABILITIES)] = ()
    limits: Annotated[TupleOf[Limit], Field(max_length=MAX_MATCHES)] = ()
    use: Literal["action"] | None = None

    @model_validator(mode="after")
    def holds_together(self) -> Unit:
        """Refuse repeated abilities or keywords, and a text that cannot work."""
        problems = repeated([ability.kind for ability in self.abilities if ability.kind != "augment"], "ability")
        problems += repeated(list(self.keywords), "keyword")
        if self.use is None and (self.effects or self.target is not None or self.range is not None):
            problems.append(
                'a printed action text needs use = "action"; a shooting range is an ability of kind "range"'
            )
        if self.use is not None:
            problems += text_problems(self, self.use)
        return accepted(self, problems)


class Battlefield(BaseToken):
    """A battlefield with its terrain."""

    kind: Literal["battlefield"]
    halts: bool = False
    water: bool = False
    favors_aquatic: bool = False
    exempt: Annotated[TupleOf[Literal["flying", "aquatic"]], Field(max_length=2)] = ()  # units that it does not halt
    effects: Annotated[TupleOf[Terrain], Field(max_length=6)] = ()

    @model_validator(mode="after")
    def holds_together(self) -> Battlefield:
        """Refuse terrain whose parts make no sense together."""
        problems = repeated(list(self.exempt), "exemption")
        if self.exempt and not self.halts:
            problems.append('"exempt" requires halts = true')
        if self.favors_aquatic and not self.water:
            problems.append("favors_aquatic = true needs water = true")
        problems += [zero_problem(effect.stat) for effect in self.effects if effect.amount == 0]
        return accepted(self, problems)


class Attachment(Text):
    """A spell or maneuver."""

    kind: Literal["spell", "maneuver"]
    use: Literal["action", "free", "permanent"]
    retain: bool = False  # flip to retain

    @model_validator(mode="after")
    def holds_together(self) -> Attachment:
        """Refuse a text that cannot work."""
        problems = text_problems(self, self.use)
        if self.retain and self.use != "action":
            problems.append(
                f'retain = true needs use = "action", since {quote(self.use)} tokens stay on the battleground'
            )
        return accepted(self, problems)


AnyToken = Unit | Battlefield | Attachment
Token = Annotated[AnyToken, Field(discriminator="kind")]
Tokens = Annotated[TupleOf[Token], Field(max_length=MAX_TYPES)]
Checked = TypeVar("Checked")

LASTING = ("modify", "grant")  # effects that have a duration
ONE_OF_A_KIND = ("relocate", "swap", "dismiss", "dispel", "counter", "raise", "remove", "draw", "reveal")
EXCLUSIVE = (("dispel", "counter"), ("relocate", "swap"), ("relocate", "raise"))  # both ask for the same choice
NEED_A_UNIT = ("damage", "modify", "grant", "dismiss", "dispel", "counter", "remove")
NOT_THE_HOST = ("dismiss", "swap")


def accepted(token: Checked, problems: list[str]) -> Checked:
    """Return `token` if it has no problems.

    Raises:
        ValueError: if there are problems, naming all of them.
    """
    if problems:
        raise ValueError("; ".join(problems))
    return token


def text_problems(text: Text, use: str) -> list[str]:
    """Return what keeps a text with effects from working, as sentences."""
    kinds: list[str] = [effect.kind for effect in text.effects]
    problems = [] if kinds else ["a text needs at least one effect"]
    problems += [
        f"a text may have only one effect of kind {quote(kind)}" for kind in ONE_OF_A_KIND if kinds.count(kind) > 1
    ]
    problems += [
        f"{quote(a)} and {quote(b)} cannot be combined in a text" for a, b in EXCLUSIVE if a in kinds and b in kinds
    ]
    if use != "action":
        problems += [
            f'{quote(kind)} requires use = "action"; use = {quote(use)} allows only {join(LASTING)}'
            for kind in dict.fromkeys(kinds)
            if kind not in LASTING
        ]
    wanted = "turn" if use == "action" else "permanent"
    for effect in text.effects:
        if isinstance(effect, ModifyEffect | GrantEffect) and effect.duration not in (None, wanted):
            problems.append(
                f"the duration must be {quote(wanted)} with use = {quote(use)}, not {quote(effect.duration)}"
            )
        if isinstance(effect, ModifyEffect) and effect.amount == 0:
            problems.append(zero_problem(effect.stat))
    return problems + aim_problems(text, use, kinds)


def zero_problem(stat: str) -> str:
    """Return a sentence about an effect that changes nothing."""
    return f"the effect on {stat} has amount 0; use another amount or remove it"


def aim_problems(text: Text, use: str, kinds: list[str]) -> list[str]:
    """Return what is wrong with the target and range of a text, as sentences."""
    problems = []
    if use == "free" and (text.target not in (None, "host") or text.range is not None):
        problems.append('a text with use = "free" applies to its host and cannot have a target or range')
    elif text.aim == "host" and text.range is not None:
        problems.append("a text aimed at its host cannot have a range")
    elif text.aim != "host" and text.range is None and "swap" not in kinds:
        problems.append(f"target {quote(text.aim)} needs a range")
    if text.aim == "hex":
        problems += [
            f"{quote(kind)} needs a unit as target, not a hex" for kind in dict.fromkeys(kinds) if kind in NEED_A_UNIT
        ]
        if use == "permanent":
            problems.append("a permanent text needs a unit as target, not a hex")
    if text.aim == "host":
        problems += [f"{quote(kind)} cannot be aimed at the host itself" for kind in NOT_THE_HOST if kind in kinds]
    for effect in text.effects:
        if isinstance(effect, SwapEffect) and text.aim != "own_unit":
            problems.append('"swap" needs target = "own_unit"')
        if isinstance(effect, RelocateEffect) and effect.who == "target" and text.aim in ("host", "hex"):
            problems.append('"relocate" with who = "target" needs a unit as target')
    return problems


# --- files


class CatalogueFile(StrictModel):
    """A catalogue: tokens in the order of their numbers."""

    token: Tokens


class ArmyFile(StrictModel):
    """An army: copies by id, and its own tokens if it brings any."""

    name: Annotated[SingleLine, Field(min_length=1, max_length=60)]
    description: Annotated[MultiLine, Field(max_length=400)] = ""
    tokens: Annotated[dict[Id, Annotated[int, Field(ge=1, le=64)]], Field(max_length=MAX_TYPES)]
    token: Tokens = ()


def read_tokens(data: object, source: str) -> tuple[AnyToken, ...]:
    """Return a list of token tables as tokens.

    Raises:
        ValueError: as `read_model`; also if an id is repeated.
    """
    tokens = read_model(CatalogueFile, {"token": data}, source).token
    return unique(tokens, source)


def unique(tokens: tuple[AnyToken, ...], source: str) -> tuple[AnyToken, ...]:
    """Return `tokens` if their ids differ.

    Raises:
        ValueError: if ids are repeated, naming them.
    """
    problems = repeated([token.id for token in tokens], "id")
    if problems:
        raise ValueError(join_faults(problems, source))
    return tokens


def token_data(token: AnyToken) -> dict[str, Any]:
    """Return a token as plain data, with the keys that were given for it."""
    return token.model_dump(mode="json", exclude_unset=True)
