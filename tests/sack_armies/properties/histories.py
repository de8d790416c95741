"""Possible beliefs after draws, deployments and dismissals, by the whole course of the game.

Other tests check a sample against what a state remembers. Here that memory is not used: all worlds that are possible at
the start are enumerated, and each public event keeps those that it allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from sackarmies_env.core.game import Game
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision, Face, Kind, Verb, Zone
from tests.sack_armies.builders.fights import able, scenario, text
from tests.sack_armies.builders.text_game import token, unit
from tests.sack_armies.builders.twin_worlds import act, guess, plain

VIEWER, OWNER = 0, 1
TOKENS = [
    token("ant"),
    token("bee"),
    token("cat"),
    token("banisher", abilities=[able("dismiss", range=9)]),
    text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=4),
]
NAMES = ("ant", "ant", "bee", "cat", "bolt")  # a General gets some of these at random
SPOTS = ("4,0", "4,-1", "5,-1")
QUIET = (Verb.DRAW, Verb.DEPLOY, Verb.DISMISS, Verb.REVEAL_UNIT)  # turns that move nothing and kill nobody

Pile = tuple[int, ...]  # types, sorted
Where = tuple[Zone, Face]


class World(NamedTuple):
    """What General 1 hides; `board` holds (hex, type) of the face-down units, sorted."""

    sack: Pile
    hand: Pile
    board: tuple[tuple[int, int], ...]


def without_one(pile: Pile) -> Iterator[tuple[int, Pile]]:
    """Yield each type of a pile, with the pile that is left without it."""
    for type_id in set(pile):
        at = pile.index(type_id)
        yield type_id, pile[:at] + pile[at + 1 :]


def with_one(pile: Pile, type_id: int) -> Pile:
    """Return a pile with one more token."""
    return tuple(sorted((*pile, type_id)))


def begin(rng: np.random.Generator) -> Game:
    """Return a position in which General 1 hides a few tokens and has a unit that dismisses."""
    names = rng.permutation(NAMES).tolist()
    spots = list(SPOTS[: rng.integers(2, 4)])
    units = [unit("banisher", "3,0", OWNER)]
    for spot in spots:
        down = rng.random() < 0.4
        name = next(name for name in names if name != "bolt")
        names.remove(name)
        units.append(unit(name, spot, OWNER, face="down" if down else "up"))
    in_hand = int(rng.integers(0, 2))
    piles = {"hand": names[:in_hand], "sack": [*names[in_hand:], "cat"], "casualties": [], "removed": []}
    spare = {"hand": [], "sack": ["spare"] * 15, "casualties": [], "removed": []}
    switches = {"open_army_lists": True, "draw_count": int(rng.integers(1, 3)), "hand_limit": int(rng.integers(1, 4))}
    ours = unit("ant", "-2,0", VIEWER)
    return make_game(scenario=scenario(TOKENS, [ours, *units], general=[spare, piles], to_move=1, switches=switches))


class Course:
    """A game in which General 1 draws, deploys, reveals and dismisses, and all that General 0 may believe of them.

    Attributes:
        worlds: worlds that all public events so far allow.
        cells: hex on which each row stands, or stood last.
        returns: number of tokens that have gone from play to the sack.
        num_turns: turns that General 1 has taken.
    """

    def __init__(self, number: int) -> None:
        self.rng = np.random.default_rng(number)
        self.game = begin(self.rng)
        self.states = self.game.new_states(1)
        self.game.reset(self.game.params, self.states, np.array([number], np.int64))
        self.cells = dict(enumerate(plain(self.states)["token_hex"].tolist()))
        self.worlds = set(self._deals())
        self.returns = self.num_turns = 0

    # --- tokens

    def _where(self) -> dict[int, Where]:
        """Return the zone and face of each token of General 1."""
        state = plain(self.states)
        own = (state["token_owner"] == OWNER) & (state["token_zone"] != Zone.NONE)
        return {
            row: (Zone(int(state["token_zone"][row])), Face(int(state["token_face"][row])))
            for row in np.flatnonzero(own).tolist()
        }

    def _rows(self, zone: Zone) -> list[int]:
        """Return the rows of General 1 that are hidden in a zone."""
        state = plain(self.states)
        is_there = (state["token_zone"] == zone) & (state["token_face"] == Face.DOWN)
        rows: list[int] = np.flatnonzero((state["token_owner"] == OWNER) & is_there).tolist()
        return rows

    def _cells(self) -> list[int]:
        """Return the hexes of the units of General 1 that lie face down."""
        return sorted(int(plain(self.states)["token_hex"][row]) for row in self._rows(Zone.BATTLEGROUND))

    def _type(self, row: int) -> int:
        """Return the true type of a token."""
        return int(plain(self.states)["token_type"][row])

    def _is_unit(self, type_id: int) -> bool:
        return int(self.game.params["type_kind"][0, type_id]) == Kind.UNIT

    # --- worlds

    def _world(self, board: Iterable[int], hand: Iterable[int], sack: Iterable[int]) -> World:
        """Return the world in which tokens of these types lie on board, in hand and in the sack."""
        pairs = zip(self._cells(), board, strict=True)
        return World(tuple(sorted(sack)), tuple(sorted(hand)), tuple(sorted(pairs)))

    def _deals(self) -> Iterator[World]:
        """Yield every deal of what General 1 hides at the start."""
        board, hand, sack = (self._rows(zone) for zone in (Zone.BATTLEGROUND, Zone.HAND, Zone.SACK))
        types = [self._type(row) for row in (*board, *hand, *sack)]
        for deal in set(permutations(types)):
            lying, rest = deal[: len(board)], deal[len(board) :]
            if all(self._is_unit(type_id) for type_id in lying):
                yield self._world(lying, rest[: len(hand)], rest[len(hand) :])

    def read(self, state: Any) -> World:
        """Return the world in `state`, whose tokens lie where they do now."""
        hidden = (state["token_owner"] == OWNER) & (state["token_face"] == Face.DOWN)
        piles = (state["token_type"][hidden & (state["token_zone"] == zone)] for zone in (Zone.HAND, Zone.SACK))
        board = (state["token_type"][state["cell_unit"][cell]] for cell in self._cells())
        return self._world(*([int(type_id) for type_id in types] for types in (board, *piles)))

    def guesses(self, number: int) -> set[World]:
        """Return the worlds in the first `number` samples for General 0."""
        return {self.read(plain(guess(self.game, self.states, VIEWER, seed))) for seed in range(number)}

    # --- play

    def turn(self) -> bool:
        """Have General 1 and then General 0 take a quiet turn; return whether both could."""
        self.num_turns += 1
        return all(self._quiet_turn(seat) for seat in (OWNER, VIEWER))

    def _quiet_turn(self, seat: int) -> bool:
        """Have a General take a random quiet turn (General 0 only draws); return whether they could."""
        verbs = QUIET if seat == OWNER else (Verb.DRAW,)
        while True:
            state = plain(self.states)
            legal = legal_ids(state["legal"])
            if state["decision"] == Decision.MENU:
                if state["active"] != seat:
                    return True
                legal = [action for action in legal if action in verbs]
            elif Verb.PASS in legal and state["decision"] == Decision.WINDOW:
                legal = [Verb.PASS]
            if not legal:
                return False
            before = self._where()
            act(self.game, self.states, int(self.rng.choice(legal)))
            self._note(before, self._where())

    def _note(self, before: dict[int, Where], after: dict[int, Where]) -> None:
        """Keep the worlds that the latest public event allows, updated by it."""
        cells = plain(self.states)["token_hex"].tolist()
        self.cells |= {row: cells[row] for row, (zone, _) in after.items() if zone == Zone.BATTLEGROUND}
        down = (Zone.BATTLEGROUND, Face.DOWN)
        for row, (zone, face) in after.items():
            was = before[row]
            if was == (zone, face):
                continue
            self.returns += zone == Zone.SACK and was[0] == Zone.BATTLEGROUND
            if was == down and zone == Zone.SACK:
                self.worlds = {self._gone(world, row) for world in self.worlds}
            elif zone == Zone.SACK and was[1] == Face.UP:
                type_id = self._type(row)
                self.worlds = {world._replace(sack=with_one(world.sack, type_id)) for world in self.worlds}
            elif zone == Zone.HAND:
                self.worlds = {new for world in self.worlds for new in self._drawn(world)}
            elif zone == Zone.SACK:
                self.worlds = {new for world in self.worlds for new in self._discarded(world)}
            elif was[0] == Zone.HAND:
                self.worlds = {new for world in self.worlds for new in self._deployed(world, row)}
            if was[0] in (Zone.HAND, Zone.BATTLEGROUND) and (zone, face) == (Zone.BATTLEGROUND, Face.UP):
                self.worlds = set(self._shown(row))

    def _gone(self, world: World, row: int) -> World:
        """Return the world after the unit of a row has gone to the sack, face down."""
        board = dict(world.board)
        sack = with_one(world.sack, board.pop(self.cells[row]))
        return world._replace(sack=sack, board=tuple(board.items()))

    def _drawn(self, world: World) -> Iterator[World]:
        """Yield the worlds after any token of the sack has been drawn."""
        for type_id, sack in without_one(world.sack):
            yield world._replace(sack=sack, hand=with_one(world.hand, type_id))

    def _discarded(self, world: World) -> Iterator[World]:
        """Yield the worlds after any token in hand has gone to the sack."""
        for type_id, hand in without_one(world.hand):
            yield world._replace(sack=with_one(world.sack, type_id), hand=hand)

    def _deployed(self, world: World, row: int) -> Iterator[World]:
        """Yield the worlds after any unit in hand has been deployed."""
        for type_id, hand in without_one(world.hand):
            if self._is_unit(type_id):
                yield world._replace(hand=hand, board=tuple(sorted((*world.board, (self.cells[row], type_id)))))

    def _shown(self, row: int) -> Iterator[World]:
        """Yield the worlds in which the unit of a row has the type now revealed, without that unit."""
        for world in self.worlds:
            board = dict(world.board)
            if board.pop(self.cells[row]) == self._type(row):
                yield world._replace(board=tuple(board.items()))
