"""Schemas of the data files: units, cards and maps."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from sackarmies_env.core.messages import quote, suggestion
from sackarmies_env.core.safe_read import read_toml
from sackarmies_env.core.validation import SingleLine, StrictModel, TupleOf, read_model
from sackarmies_env.games.territories.data.outlines import drawn_borders, outline_faults
from sackarmies_env.games.territories.state.constants import (
    DICE_A_UNIT,
    DIE_FACES,
    FIRST_FACE,
    MAX_BORDERS,
    MAX_TERRITORIES,
    NUM_CARDS,
    NUM_COUNTERS,
    NUM_UNITS,
    STANDARD_ACTIONS,
    Effect,
    Unit,
)

FOLDER = Path(__file__).parent
RULEBOOK_FILE = FOLDER / "rulebook.toml"
MAP_FOLDER = FOLDER / "maps"
MAX_CORNERS = 100  # of an outline
MAX_PIXEL = 2000
Reason = Annotated[SingleLine, Field(min_length=10)]  # for numbers that the source text does not give
Pixel = Annotated[int, Field(ge=0, le=MAX_PIXEL)]
Point = Annotated[tuple[Pixel, Pixel], Field(strict=False)]


def effect_named(value: object) -> object:
    """Return the effect with this name.

    Raises:
        ValueError: there is no such effect.
    """
    names = {effect.name.lower(): effect for effect in Effect}
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"unknown effect {quote(value)}{suggestion(value, names)}; known effects: {', '.join(names)}")
    return names[value]


class UnitType(StrictModel):
    """A unit type.

    Attributes:
        id: its name in actions and positions.
        value: exchange value (TR-X3).
        dice: number that each unit rolls in a battle.
        counter: bonus of the skirmish counter that each unit brings; 0: none.
        reconstructed: reason for these numbers, which the source text does not give.
    """

    id: SingleLine
    value: Annotated[int, Field(ge=1, le=100)]
    dice: Annotated[int, Field(ge=1, le=DICE_A_UNIT)]
    counter: Annotated[int, Field(ge=0, le=NUM_COUNTERS)] = 0
    reconstructed: Reason


class Card(StrictModel):
    """A kind of card.

    Attributes:
        name: as shown, and as scenarios write it.
        copies: number in the deck.
        effect: what it does.
        amount: see `Effect`.
        penalty: troops that its owner loses when it is discarded (TR-G2).
        reconstructed: reason for this card, which the source text does not give.
    """

    name: SingleLine
    copies: Annotated[int, Field(ge=0, le=10)]
    effect: Annotated[Effect, BeforeValidator(effect_named)]
    amount: Annotated[int, Field(ge=0, le=6)] = 0
    penalty: Annotated[int, Field(ge=0, le=9)] = 0
    reconstructed: Reason

    @model_validator(mode="after")
    def _has_a_face(self) -> Card:
        if self.effect == Effect.EXTRA_DIE and not FIRST_FACE <= self.amount <= DIE_FACES:
            raise ValueError(f"amount must be a face of a die from {FIRST_FACE} to {DIE_FACES}, not {self.amount}")
        return self


class Rulebook(StrictModel):
    """Units and cards."""

    unit: Annotated[TupleOf[UnitType], Field(min_length=NUM_UNITS, max_length=NUM_UNITS)]
    card: Annotated[TupleOf[Card], Field(min_length=NUM_CARDS, max_length=NUM_CARDS)]

    @model_validator(mode="after")
    def _has_the_units(self) -> Rulebook:
        names = [unit.id for unit in self.unit]
        if names != [unit.name.lower() for unit in Unit]:
            raise ValueError(f"the units must be {', '.join(u.name.lower() for u in Unit)}, not {', '.join(names)}")
        return self


class Drawing(StrictModel):
    """How pictures show the map.

    Attributes:
        reconstructed: reason for the drawing; the source text has no map.
    """

    reconstructed: Reason


class Territory(StrictModel):
    """A space of the map.

    Attributes:
        number: as players name it, from 1 on.
        elevation: higher ground helps in battle (TR-F5).
        borders: numbers of the adjacent territories.
        center: where pictures write its contents, in pixels from the top left of the map.
        outline: its corners in order, as drawn in pictures.
    """

    number: Annotated[int, Field(ge=1, le=MAX_TERRITORIES)]
    elevation: Annotated[int, Field(ge=0, le=9)]
    borders: Annotated[TupleOf[int], Field(min_length=1, max_length=MAX_BORDERS)]
    center: Point
    outline: Annotated[TupleOf[Point], Field(min_length=3, max_length=MAX_CORNERS)]


class Limits(StrictModel):
    """Limits that end the game or a turn's attacks.

    Attributes:
        reconstructed: reason for these numbers, as in all these classes.
        max_rounds: number of rounds after which the game is truncated (TR-G7).
        attacks_per_turn: maximum number of attacks in a turn (TR-A6).
        domination: number of territories that wins at the end of a turn (TR-G5).
    """

    reconstructed: Reason
    max_rounds: Annotated[int, Field(ge=1, le=1000)]
    attacks_per_turn: Annotated[int, Field(ge=1, le=100)]
    domination: Annotated[int, Field(ge=1, le=MAX_TERRITORIES)]


class Setup(StrictModel):
    """What players start with."""

    reconstructed: Reason
    dealt: dict[str, Annotated[int, Field(ge=1, le=MAX_TERRITORIES)]]
    dealt_troops: Annotated[int, Field(ge=1, le=20)]
    placements: Annotated[int, Field(ge=0, le=20)]
    placed_troops: Annotated[int, Field(ge=1, le=20)]
    first_actions: Annotated[int, Field(ge=0, le=STANDARD_ACTIONS)]


class Garrison(StrictModel):
    """Units of each player."""

    reconstructed: Reason
    troop: Annotated[int, Field(ge=1, le=100)]
    rider: Annotated[int, Field(ge=0, le=100)]
    engine: Annotated[int, Field(ge=0, le=100)]
    hero: Annotated[int, Field(ge=0, le=100)]

    @property
    def units(self) -> list[int]:
        """Numbers of units, by type."""
        return [self.troop, self.rider, self.engine, self.hero]


class Map(StrictModel):
    """A map, and the numbers of the game that go with its size.

    Attributes:
        name: as passed to `make_game`.
        reconstructed: reason for a map of our own.
        players: minimum and maximum number of players.
        limits: what ends the game or a turn's attacks.
        setup: what players start with.
        garrison: units of each player.
        drawing: how pictures show it.
        territory: the spaces, in ascending order of number.
    """

    name: SingleLine
    reconstructed: Reason
    players: Annotated[TupleOf[int], Field(min_length=2, max_length=2)]
    limits: Limits
    setup: Setup
    garrison: Garrison
    drawing: Drawing
    territory: Annotated[TupleOf[Territory], Field(min_length=2, max_length=MAX_TERRITORIES)]

    @model_validator(mode="after")
    def _fits_together(self) -> Map:
        numbers = [each.number for each in self.territory]
        if numbers != sorted(set(numbers)):
            raise ValueError("the territories must be in ascending order of number, each number once")
        borders = {each.number: each.borders for each in self.territory}
        for number, others in borders.items():
            for other in others:
                if number not in borders.get(other, ()):
                    raise ValueError(f"territory {number} borders on {other}, but {other} does not border on {number}")
        for players in range(self.players[0], self.players[1] + 1):
            if players * self.setup.dealt.get(str(players), MAX_TERRITORIES) > len(numbers):
                raise ValueError(
                    f"setup.dealt must give {players} players at most {len(numbers) // players} territories each"
                )
        return self

    @model_validator(mode="after")
    def _is_drawn_as_it_is(self) -> Map:
        outlines = {each.number: each.outline for each in self.territory}
        faults = list(outline_faults(outlines, {each.number: each.center for each in self.territory}))
        drawn = drawn_borders(outlines)
        for each in self.territory:
            if drawn[each.number] != set(each.borders):
                shown = ", ".join(map(str, sorted(drawn[each.number]))) or "none"
                said = ", ".join(map(str, sorted(each.borders)))
                faults.append(f"the outline of territory {each.number} touches {shown}, but it borders on {said}")
        if faults:
            raise ValueError("; ".join(faults))
        return self

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of its territories."""
        return tuple(each.number for each in self.territory)


@functools.cache
def load_rulebook() -> Rulebook:
    """Return the units and cards of the rulebook file.

    Raises:
        ValueError: the file is invalid.
    """
    return read_model(Rulebook, read_toml(RULEBOOK_FILE), RULEBOOK_FILE.name)


@functools.cache
def map_names() -> tuple[str, ...]:
    """Return the names of the maps."""
    return tuple(sorted(path.stem for path in MAP_FOLDER.glob("*.toml")))


def load_map(name: str) -> Map:
    """Return the map with this name.

    Raises:
        ValueError: there is no such map, or its file is invalid.
    """
    if not isinstance(name, str) or name not in map_names():
        raise ValueError(
            f"unknown map {quote(name)}{suggestion(name, map_names())}; known maps: {', '.join(map_names())}"
        )
    return _read_map(name)


@functools.cache
def _read_map(name: str) -> Map:
    path = MAP_FOLDER / f"{name}.toml"
    data: dict[str, Any] = read_toml(path)
    return read_model(Map, data, path.name)
