"""The picture model: what one viewer may see of a position of Sack Armies, as plain data for all painters.

A model never holds an identity that its viewer does not know: a hidden token has a place but no card. Lists are
ordered by hex, seat or name, never by the rows of a state.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sackarmies_env.render.picture import OVER, REFEREE, Hex, Pile

SQRT3 = math.sqrt(3.0)


@dataclass(frozen=True)
class UnitCard:
    """The card of a unit: its effective values and what is printed on it.

    Attributes:
        name: display name.
        code: three letters.
        rank: shown as bars on the edge.
        movement, damage, armor: effective values.
        printed: movement, damage and armor as printed.
        range: range of its shots, 0 if it has none.
        unit_class: "infantry", "cavalry", "missile", "artillery" or "other".
        homeland: display name of its homeland, "" if none.
        band: "black", "blue", "red", "green" or "gray".
        text: abilities and limits in words, "" if none.
    """

    name: str
    code: str
    rank: int
    movement: int
    damage: int
    armor: int
    printed: tuple[int, int, int]
    range: int
    unit_class: str
    homeland: str
    band: str
    text: str


@dataclass(frozen=True)
class AttachmentView:
    """A token under or on a unit.

    Attributes:
        owner: seat that owns it.
        name: display name; None if unknown to the viewer.
        kind: "spell" or "maneuver"; None if unknown to the viewer.
        face_up: whether it is revealed.
        text: what it does; "" if unknown.
    """

    owner: int
    name: str | None
    kind: str | None
    face_up: bool
    text: str = ""


@dataclass(frozen=True)
class UnitView:
    """A unit on the board.

    Attributes:
        at: its hex.
        owner: seat that commands it.
        face_up: whether it is revealed.
        card: what it is; None if unknown to the viewer.
        attachments: in stack order.
        captives: names of the tokens it holds, None for each that the viewer does not know.
        employed: whether it is barred from actions this turn.
        moved: whether it has moved this turn.
        reach: hexes where its move could end, in reading order; empty if the viewer does not know the unit.
        sight: distance in hexes within which it reveals opposing face-down units.
    """

    at: Hex
    owner: int
    face_up: bool
    card: UnitCard | None
    attachments: tuple[AttachmentView, ...] = ()
    captives: tuple[str | None, ...] = ()
    employed: bool = False
    moved: bool = False
    reach: tuple[Hex, ...] = ()
    sight: int = 1


@dataclass(frozen=True)
class TerrainEffect:
    """The effect of a battlefield on a stat of the units on it.

    Attributes:
        stat: "movement", "damage" or "armor".
        amount: amount added.
        whom: which units it affects, in words; "" for all.
    """

    stat: str
    amount: int
    whom: str = ""


@dataclass(frozen=True)
class FieldView:
    """A battlefield.

    Attributes:
        at: its hex.
        owner: seat that brought it into the game.
        controller: seat that the arrow points to.
        name: display name.
        code: three letters.
        rank: shown as bars on the edge.
        water, halts: terrain that changes movement.
        text: its effects in words; "" for plain ground.
        effects: its effects on stats.
        shelters: whether aquatic units on it are safe from some attacks.
    """

    at: Hex
    owner: int
    controller: int
    name: str
    code: str
    rank: int
    water: bool
    halts: bool
    text: str
    effects: tuple[TerrainEffect, ...] = ()
    shelters: bool = False


@dataclass(frozen=True)
class SeatView:
    """What is shown beside the board for one General.

    Attributes:
        seat: index.
        alive: whether still in the game.
        hand_size: number of tokens in hand.
        hand: contents of the hand; None if hidden from the viewer, like the optional values below.
        sack_size: number of tokens in the sack.
        sack: contents of the sack.
        picks_left: number of battlefields picked for Setup and not yet placed.
        picks: which ones.
        casualties: killed units and spent tokens.
        removed: tokens removed from play.
    """

    seat: int
    alive: bool
    hand_size: int
    hand: Pile | None
    sack_size: int | None
    sack: Pile | None
    picks_left: int
    picks: Pile | None
    casualties: Pile | None
    removed: Pile | None


@dataclass(frozen=True)
class PictureData:
    """A position as one viewer may see it.

    Attributes:
        title: name of the game.
        viewer: seat, or REFEREE.
        turn: number of turns begun.
        current: the current player, as far as the viewer may know; OVER if there is none.
        asked: what the current player is asked, in words, as far as the viewer may know.
        announced: the announced attack or effect in words, "" if none.
        aim: (source, target) hexes of what is announced.
        outcome: how the game ended; "" until then.
        hexes: legal hex spaces, in reading order.
        fields, units: in reading order of their hexes.
        seats: in seat order.
        log: last public events in words, latest first.
        notes: further public facts in words.
        choices: hexes that the current player may choose, as far as the viewer may know, in reading order.
        chosen: hexes already chosen in the current compound choice, as far as the viewer may know.
    """

    title: str
    viewer: int | None
    turn: int
    current: int
    asked: str
    announced: str
    aim: tuple[tuple[Hex, Hex], ...]
    outcome: str
    hexes: tuple[Hex, ...]
    fields: tuple[FieldView, ...]
    units: tuple[UnitView, ...]
    seats: tuple[SeatView, ...]
    log: tuple[str, ...]
    notes: tuple[str, ...] = ()
    choices: tuple[Hex, ...] = ()
    chosen: tuple[Hex, ...] = ()

    @property
    def hand(self) -> Pile | None:
        """The viewer's own hand; None for the referee."""
        return None if self.viewer is None else self.seats[self.viewer].hand

    def seat_name(self, seat: int) -> str:
        """Return the name of a seat, as shown to this viewer."""
        return f"General {seat} (you)" if seat == self.viewer else f"General {seat}"

    def headline(self) -> str:
        """Return the state of the game in a sentence."""
        if self.outcome:
            return self.outcome
        if self.current == OVER:
            return "No decision is pending" if self.viewer is REFEREE else "Another General to decide"
        return f"{self.seat_name(self.current)} to decide" + (f": {self.asked}" if self.asked else "")

    def tokens(self) -> dict[tuple[Hex, int], str | None]:
        """Return the names of units and attachments (None if hidden) by hex and place in the stack; 0 is the unit."""
        names: dict[tuple[Hex, int], str | None] = {}
        for unit in self.units:
            names[unit.at, 0] = unit.card.name if unit.card else None
            names |= {(unit.at, slot): attachment.name for slot, attachment in enumerate(unit.attachments, 1)}
        return names


# --- hexes


def center_of(at: Hex) -> tuple[float, float]:
    """Return the center of a pointy-top hex, in units of its radius; x points right, y down."""
    q, r = at
    return SQRT3 * (q + r / 2), 1.5 * r


# --- codes


def codes_of(names: list[str]) -> list[str]:
    """Return a three-letter code for each name, all distinct.

    A single word gives its first three letters; several words give two letters of the first and one of the last (Orc
    Infantry: OrI). If that code is taken, a later name gets other letters of its own, or in the worst case a number.
    """
    taken: set[str] = set()
    codes = []
    for name in names:
        code = next(guess for guess in _guesses(name) if guess not in taken)
        taken.add(code)
        codes.append(code)
    return codes


def _guesses(name: str) -> Iterator[str]:
    """Yield candidate codes for a name, best first."""
    words = [word for word in "".join(c if c.isalnum() else " " for c in name).split() if word.lower() != "of"]
    first, last = (words[0], words[-1]) if words else ("Token", "Token")
    head = first[0].upper()
    letters = first[1:] + last.lower()
    if len(words) > 1:
        yield (head + first[1:2] + last[0].upper()).ljust(3, "_")
        yield (head + last[:2]).ljust(3, "_")
    yield (head + first[1:3]).ljust(3, "_")
    for i, second in enumerate(letters):
        for third in letters[i + 1 :]:
            yield head + second + third
    for number in range(100):
        yield f"{head}{number:02}"
    for number in range(1000):
        yield f"{number:03}"
