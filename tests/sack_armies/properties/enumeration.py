"""Enumeration of all deals of a General's hidden tokens when army lists are open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from sackarmies_env.core.game import Game
from sackarmies_env.games.sack_armies.state.constants import Band, Kind, Zone
from tests.sack_armies.builders.twin_worlds import States, plain, unknown_to

Piece = tuple[int, int]  # type of a hidden token, and since when it is known: its `token_seen`
Deal = tuple[Piece, ...]  # what each hidden token is, by row

TAKEN = {Band.BLUE: {Kind.SPELL}, Band.RED: {Kind.MANEUVER}, Band.GREEN: {Kind.SPELL, Kind.MANEUVER}}


class Hidden:
    """What `viewer` does not know of the tokens of `owner`: their rows, and what they may be.

    All ways to deal the remaining tokens to the remaining places are equally likely. So are all deals, since each
    `Deal` stands for equally many ways.
    """

    def __init__(self, game: Game, states: States, viewer: int, owner: int) -> None:
        self.params: Any = game.params.view(np.ndarray)[0]
        self.state = plain(states)
        unknown = unknown_to(self.state, viewer) & (self.state["token_owner"] == owner)
        self.rows: list[int] = np.flatnonzero(unknown).tolist()
        self.owner = owner

    def deals(self) -> list[Deal]:
        """Return all possible deals, sorted."""
        return sorted(self._fill({}, Counter(self.read(self.state))))

    def read(self, world: Any) -> Deal:
        """Return what the hidden tokens are in a world."""
        return tuple((int(world["token_type"][row]), int(world["token_seen"][row])) for row in self.rows)

    def _fill(self, given: dict[int, Piece], left: Counter[Piece]) -> Iterator[Deal]:
        """Yield the deals that extend what is `given` to the first rows."""
        if len(given) == len(self.rows):
            types = {row: type_id for row, (type_id, _) in given.items()}
            if all(self.fits(row, types) for row in self.rows):
                yield tuple(given.values())
            return
        for piece in sorted(left):
            if left[piece] and self.may_be(self.rows[len(given)], *piece):
                yield from self._fill({**given, self.rows[len(given)]: piece}, left - Counter([piece]))

    def kind(self, type_id: int) -> Kind:
        """Return the kind of a type."""
        return Kind(int(self.params["type_kind"][type_id]))

    def may_be(self, row: int, type_id: int, seen: int) -> bool:
        """Return whether the place alone allows a type (section 6, V-08, V-12, V-14, V-15).

        A token that was seen going to the sack must have left it after that (V-17).
        """
        zone, kind = Zone(int(self.state["token_zone"][row])), self.kind(type_id)
        came_face_down = zone == Zone.SACK and self.state["token_kind_known"][row] == 1
        if seen and (zone != Zone.SACK or came_face_down) and self.state["token_drawn"][row] < seen - 1:
            return False
        if zone == Zone.BATTLEGROUND:
            return (
                kind == Kind.UNIT
                and self.params["type_movement"][type_id] >= self.state["token_min_movement"][row]
                and self.params["type_armor"][type_id] >= self.state["token_min_armor"][row]
            )
        if zone in (Zone.ATTACHED, Zone.CAPTURED):
            known = self.state["token_kind_known"][row] == 1
            return kind == self.kind(self.state["token_type"][row]) if known else kind in TAKEN[Band.GREEN]
        if zone == Zone.PICKED:
            return kind == Kind.BATTLEFIELD
        if zone in (Zone.CASUALTIES, Zone.REMOVED) or came_face_down:
            lost = self.kind(self.state["token_type"][row])
            return kind == lost or {kind, lost} == TAKEN[Band.GREEN]
        return True

    def fits(self, row: int, given: dict[int, int]) -> bool:
        """Return whether an attachment fits its host, or a captive that it may have come with (R3.2.2-6)."""
        zone = Zone(int(self.state["token_zone"][row]))
        if zone == Zone.ATTACHED:
            return self.kind(given[row]) in self.taken_by(int(self.state["token_host"][row]), given)
        if zone == Zone.CAPTURED:
            captives = np.flatnonzero(
                (self.state["token_zone"] == Zone.CAPTURED)
                & (self.state["token_host"] == self.state["token_host"][row])
                & (self.state["token_owner"] == self.owner)
            )
            return any(self.kind(given[row]) in self.taken_by(captive, given) for captive in captives.tolist())
        return True

    def taken_by(self, unit: int, given: dict[int, int]) -> set[Kind]:
        """Return the kinds that may be attached to a unit."""
        type_id = given.get(unit, int(self.state["token_type"][unit]))
        return TAKEN.get(Band(int(self.params["type_band"][type_id])), set())
