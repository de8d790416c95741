"""The picture model: what one viewer may see of a position, as plain data that every painter draws from.

A model holds no identity that its viewer does not know: a hidden token has no card here, only a place. Lists are
ordered by hex, seat or name, never by the rows of a state.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

Hex = tuple[int, int]  # axial (q, r)
Pile = tuple[tuple[str, int], ...]  # (name, copies), sorted by name

REFEREE = None  # the viewer who sees all
OVER = -1  # no current player
SQRT3 = math.sqrt(3.0)


@dataclass(frozen=True)
class UnitCard:
    """What is printed on a unit, effective values first.

    Attributes:
        name: for people.
        code: three letters.
        rank: bars on the edge.
        movement, damage, armor: effective values.
        printed: movement, damage and armor as printed.
        range: reach of its shots, 0 without.
        unit_class: "infantry", "cavalry", "missile", "artillery" or "other".
        homeland: for people, "" without.
        band: "black", "blue", "red", "green" or "gray".
        text: abilities and limits in words, "" without.
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
        name: None while the viewer does not know it.
        kind: "spell", "maneuver", or None while the viewer does not know.
        face_up: revealed.
        text: what it does, "" if unknown.
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
        face_up: revealed.
        card: what it is; None while the viewer does not know.
        attachments: in the order of the stack.
        captives: names of the tokens it holds, None for each that the viewer does not know.
        employed: barred from actions this turn.
        moved: has moved this turn.
        reach: hexes on which a move of it could end, in reading order; none while the viewer does not know the unit.
        sight: how many hexes far it sees what opponents keep face down.
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
    """What a battlefield does to a stat of a unit on it.

    Attributes:
        stat: "movement", "damage" or "armor".
        amount: what is added.
        whom: which units, in words; "" for all.
    """

    stat: str
    amount: int
    whom: str = ""


@dataclass(frozen=True)
class FieldView:
    """A battlefield.

    Attributes:
        at: its hex.
        owner: seat that brought it in.
        controller: seat that the arrow points to.
        name: for people.
        code: three letters.
        rank: bars on the edge.
        water, halts: terrain that changes movement.
        text: its effects in words, "" for plain ground.
        effects: what it does to stats.
        shelters: aquatic units on it are safe from some attacks.
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
    """What lies beside the board for one General.

    Attributes:
        seat: index.
        alive: still in the game.
        hand_size: tokens in hand.
        hand: None if hidden from the viewer; so are the following.
        sack_size: tokens in the sack.
        sack: contents of the sack.
        picks_left: battlefields picked for Setup and not yet placed.
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
class Picture:
    """A position as one viewer may see it.

    Attributes:
        title: the game.
        viewer: seat, or REFEREE.
        turn: turns begun.
        current: the current player, OVER when there is none.
        asked: what that seat is asked, in words, as far as the viewer may know.
        announced: attack or effect that is announced, in words, "" if none.
        aim: from where and to where it goes.
        outcome: how the game ended, "" before.
        hexes: legal hex spaces, in reading order.
        fields, units: in the order of their hexes.
        seats: in seat order.
        log: last public events in words, latest first.
        notes: further public facts in words.
        choices: hexes that the current player may choose, as far as the viewer may know, in reading order.
        chosen: hexes that the current player has chosen for the same choice, as far as the viewer may know.
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
        """Return what to call a seat, to this viewer."""
        return f"General {seat} (you)" if seat == self.viewer else f"General {seat}"

    def headline(self) -> str:
        """Return the state of the game in a sentence."""
        if self.outcome:
            return self.outcome
        if self.current == OVER:
            return "Nobody is to decide"
        return f"{self.seat_name(self.current)} to decide" + (f": {self.asked}" if self.asked else "")


@dataclass(frozen=True)
class LogLine:
    """Something that happened, as one viewer may know it.

    Attributes:
        text: in words.
        kind: "turn" where one begins, "casualty", "control", "elimination", "end", "flip", "choice", "" for others.
        at: where, None if nowhere.
    """

    text: str
    kind: str = ""
    at: Hex | None = None


def pile_text(pile: Pile) -> str:
    """Return a pile in words: `2 Plain, Walking Tree`, or `none`."""
    return ", ".join(f"{copies} {name}" if copies > 1 else name for name, copies in pile) or "none"


# --- hexes


def reading_order(at: Hex) -> tuple[int, int]:
    """Sort key of hexes: rows from top to bottom, in a row from left to right."""
    return at[1], at[0]


def center_of(at: Hex) -> tuple[float, float]:
    """Return the middle of a hex with corners up and down, in units of its radius; x to the right, y down."""
    q, r = at
    return SQRT3 * (q + r / 2), 1.5 * r


# --- codes


def codes_of(names: list[str]) -> list[str]:
    """Return a three-letter code for each name, all distinct.

    One word gives its first three letters, several give two letters of the first and one of the last (Orc Infantry:
    OrI); a later name whose code is taken gets other letters of the name, in the worst case a number.
    """
    taken: set[str] = set()
    codes = []
    for name in names:
        code = next(guess for guess in _guesses(name) if guess not in taken)
        taken.add(code)
        codes.append(code)
    return codes


def _guesses(name: str) -> Iterator[str]:
    """Yield codes for a name, the best first."""
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
