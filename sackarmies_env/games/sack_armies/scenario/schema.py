"""The schema of scenarios: what a position as data may hold, and its tokens in order of appearance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from sackarmies_env.core.messages import quote
from sackarmies_env.core.validation import SingleLine, StrictModel, TupleOf
from sackarmies_env.games.sack_armies.state.constants import MAX_GENERALS, Face, Zone
from sackarmies_env.games.sack_armies.state.record import LARGE
from sackarmies_env.games.sack_armies.tokens.schema import Tokens
from sackarmies_env.games.sack_armies.tokens.text_schema import Id

LARGEST = 2**63 - 1  # largest number in a field of a state
MAX_ENTRIES = MAX_GENERALS * LARGE.tokens  # of one kind: no more tokens fit into a game
Seat = Annotated[int, Field(ge=0, lt=MAX_GENERALS)]
FaceName = Literal["up", "down"]
Hex = Annotated[tuple[int, int], Field(strict=False)]  # axial q, r
Pile = Annotated[TupleOf[Id], Field(max_length=MAX_ENTRIES)]
VictoryName = Literal["none", "standard", "decisive", "concession", "draw"]


def flips_alone(text: str) -> str:
    """Return `text` unchanged if it holds nothing but forced flips."""
    if not set(text) <= set("HTht| \t\r\n"):
        raise ValueError(f"expected H and T, with optional spaces and bars, got {quote(text)}")
    return text


Flips = Annotated[str, Field(max_length=2000), AfterValidator(flips_alone)]


def codes_alone(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a state unchanged if they hold nothing but numbers, names and lists of these."""
    for name, value in fields.items():
        rest = [value]
        while rest:
            node = rest.pop()
            if isinstance(node, list | tuple):
                rest.extend(node)
            elif not isinstance(node, str) and not (type(node) is int and -LARGEST <= node <= LARGEST):
                raise ValueError(f"{quote(name)}: expected numbers, names or lists of them, got {quote(node)}")
    return fields


Fields = Annotated[dict[str, Any], AfterValidator(codes_alone)]


class AttachedEntry(StrictModel):
    """A spell or maneuver under or on a unit; entries are in slot order."""

    token: Id
    face: FaceName = "down"
    owner: Seat | None = None  # defaults to the unit's owner
    active: bool | None = None  # a permanent in effect on its host; defaults to whether its owner is not the unit's


class CaptiveEntry(StrictModel):
    """A token that a unit holds captured."""

    token: Id
    owner: Seat
    face: FaceName = "up"


class BattlefieldEntry(StrictModel):
    """A battlefield on the board."""

    token: Id
    at: Hex
    owner: Seat
    controller: Seat | None = None  # defaults to the owner


class UnitEntry(StrictModel):
    """A unit on the board."""

    token: Id
    at: Hex
    owner: Seat
    face: FaceName = "up"
    attached: Annotated[TupleOf[AttachedEntry], Field(max_length=MAX_ENTRIES)] = ()
    captives: Annotated[TupleOf[CaptiveEntry], Field(max_length=MAX_ENTRIES)] = ()


class GeneralEntry(StrictModel):
    """What a General has off the board."""

    hand: Pile = ()
    sack: Pile = ()
    picked: Pile = ()  # for Setup, not yet placed
    casualties: Pile = ()
    removed: Pile = ()
    alive: bool = True


class Scenario(StrictModel):
    """A position, and the results that are forced from there on.

    Attributes:
        game: always "sack_armies".
        title: title for display.
        generals: number of Generals.
        to_move: the General whose turn begins or continues.
        turn: number of the turn.
        setup: the game starts with Setup instead of a turn.
        seed: seed of the chance that is not forced.
        flips: forced flips.
        draws: forced draws, a list for each General.
        switches: those that differ from the defaults.
        token: tokens of this scenario alone.
        battlefield: battlefields on the board.
        unit: units on the board.
        general: one entry for each General, in seat order; if left out, nobody has anything off the board.
        winner: winner of a game that is over; -1 for none.
        victory_type: victory type of a game that is over.
        chance: state of the streams of chance and of the deck, in a dump.
        procedure: where in the sequence of play the game stands, in a dump; without it, a turn begins.
    """

    game: Literal["sack_armies"] = "sack_armies"
    title: Annotated[SingleLine, Field(max_length=200)] = ""
    generals: Annotated[int, Field(ge=2, le=MAX_GENERALS)] = 2
    to_move: Seat = 0
    turn: Annotated[int, Field(ge=0, le=30000)] = 1
    setup: bool = False
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    flips: Flips = ""
    draws: Annotated[TupleOf[Pile], Field(max_length=MAX_GENERALS)] = ()
    switches: dict[str, Any] = Field(default_factory=dict)
    token: Tokens = ()
    battlefield: Annotated[TupleOf[BattlefieldEntry], Field(max_length=MAX_ENTRIES)] = ()
    unit: Annotated[TupleOf[UnitEntry], Field(max_length=MAX_ENTRIES)] = ()
    general: Annotated[TupleOf[GeneralEntry], Field(max_length=MAX_GENERALS)] = ()
    winner: Annotated[int, Field(ge=-1, lt=MAX_GENERALS)] | None = None
    victory_type: VictoryName | None = None
    chance: Fields = Field(default_factory=dict)
    procedure: Fields = Field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether the scenario shows a game after its end."""
        return self.winner is not None or self.victory_type is not None


NO_PIECE = -1  # no host


@dataclass(frozen=True)
class Piece:
    """One token of a scenario; its number is its place in order of appearance.

    Attributes:
        token: id.
        owner: seat.
        zone: where it is.
        face: which side is up.
        entry: where it is in the scenario, for error messages.
        at: hex of a unit or battlefield on the board.
        host: number of the unit it is attached to, or of its captor; NO_PIECE if none.
        controller: seat that the arrow of a battlefield points to; the owner for other tokens.
        active: whether it is a permanent in effect on its host.
    """

    token: str
    owner: int
    zone: Zone
    face: Face
    entry: str
    at: tuple[int, int] | None = None
    host: int = NO_PIECE
    controller: int = 0
    active: bool = False


PILES = (  # key of a General, zone
    ("hand", Zone.HAND),
    ("sack", Zone.SACK),
    ("picked", Zone.PICKED),
    ("casualties", Zone.CASUALTIES),
    ("removed", Zone.REMOVED),
)
FACES = {"up": Face.UP, "down": Face.DOWN}


def pieces_of(scenario: Scenario) -> list[Piece]:
    """Return all tokens in order of appearance: battlefields; units with what is under them; piles."""
    return [*_fields(scenario), *_units(scenario), *_piles(scenario)]


def _fields(scenario: Scenario) -> Iterator[Piece]:
    for index, field in enumerate(scenario.battlefield):
        entry = f"battlefield[{index}] ({field.token} at {field.at[0]},{field.at[1]})"
        controller = field.owner if field.controller is None else field.controller
        yield Piece(field.token, field.owner, Zone.BATTLEGROUND, Face.UP, entry, field.at, controller=controller)


def _units(scenario: Scenario) -> Iterator[Piece]:
    number = len(scenario.battlefield)
    for index, unit in enumerate(scenario.unit):
        entry = f"unit[{index}] ({unit.token} at {unit.at[0]},{unit.at[1]})"
        face = FACES[unit.face]
        yield Piece(unit.token, unit.owner, Zone.BATTLEGROUND, face, entry, unit.at, controller=unit.owner)
        host = number
        for slot, held in enumerate(unit.attached):
            owner = unit.owner if held.owner is None else held.owner
            active = owner != unit.owner if held.active is None else held.active
            where = f"{entry}: attached[{slot}] ({held.token})"
            face = FACES[held.face]
            yield Piece(held.token, owner, Zone.ATTACHED, face, where, host=host, controller=owner, active=active)
        for place, captive in enumerate(unit.captives):
            where = f"{entry}: captives[{place}] ({captive.token})"
            owner, face = captive.owner, FACES[captive.face]
            yield Piece(captive.token, owner, Zone.CAPTURED, face, where, host=host, controller=owner)
        number += 1 + len(unit.attached) + len(unit.captives)


def _piles(scenario: Scenario) -> Iterator[Piece]:
    for seat, general in enumerate(scenario.general):
        for key, zone in PILES:
            for place, token in enumerate(getattr(general, key)):
                entry = f"general[{seat}]: {key}[{place}] ({token})"
                yield Piece(token, seat, zone, Face.DOWN, entry, controller=seat)
