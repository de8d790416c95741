"""The table: owners, units, cards and the current turn, and how questions are put to players."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from tests.territories.referee.chance import Chance
from tests.territories.referee.rulebook import CARDS, MAX_QUANTITY, UNITS, Map, named

ATTACKER, DEFENDER = "attacker", "defender"
SIDES = (ATTACKER, DEFENDER)
Units = dict[str, int]  # type -> number


class Question(NamedTuple):
    """A question to a player, with the legal answers."""

    player: int
    answers: set[str]


T = TypeVar("T")
Asking = Generator[Question, str, T]  # a part of the game: it asks questions, is sent answers, and returns something


class ForfeitError(Exception):
    """A player forfeits; thrown in place of an answer, whoever is asked."""

    def __init__(self, player: int):
        super().__init__(player)
        self.player = player


class GameOverError(Exception):
    """The game has ended."""


class Card(NamedTuple):
    kind: int
    cycle: int  # number of times the discards had become the deck when it was drawn


@dataclass
class Skirmish:
    """A group of dice of both sides."""

    dice: dict[str, list[int]]
    counters: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, 0))
    cards: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, 0))
    is_over: bool = False


@dataclass
class Battle:
    """The battle board."""

    attacker: int
    source: int
    target: int | None = None
    defender: int | None = None  # None: the attack is not declared yet, or nobody controls the target
    units: dict[str, Units] = field(default_factory=lambda: {side: no_units() for side in SIDES})
    counters: dict[str, list[int]] = field(default_factory=lambda: {side: [] for side in SIDES})
    dice: dict[str, list[int]] = field(default_factory=lambda: {side: [] for side in SIDES})
    skirmishes: list[Skirmish] = field(default_factory=list)
    played: dict[str, list[int]] = field(default_factory=lambda: {side: [] for side in SIDES})

    def owner(self, side: str) -> int | None:
        """Return the player of a side; None if nobody defends."""
        return self.attacker if side == ATTACKER else self.defender

    def player(self, side: str) -> int:
        """Return the player of a side, which must have one."""
        player = self.owner(side)
        assert player is not None
        return player


def no_units() -> Units:
    return dict.fromkeys(UNITS, 0)


def total(units: Units) -> int:
    return sum(units.values())


def types_in(units: Units) -> set[str]:
    """Return the types of which there are units."""
    return {unit for unit, number in units.items() if number}


def quantities(available: int) -> set[str]:
    """Return the quantities that may be named of `available` units (TR-Q32)."""
    return named("quantity", range(1, min(available, MAX_QUANTITY) + 1)) | ({"all"} if available >= 2 else set())


class Table:
    """Everything on the table, in hands and about the current turn."""

    def __init__(self, num_players: int, game_map: Map, chance: Chance, **switches: Any):
        self.players = range(num_players)
        self.map = game_map
        self.chance = chance
        self.pair_per_turn: bool = switches.get("exchange_pair", "per_step") == "per_turn"
        self.has_domination: bool = switches.get("domination", True)
        self.max_attacks: int = switches.get("attacks_per_turn") or game_map.attacks
        self.max_rounds: int = switches.get("max_rounds") or game_map.rounds

        self.owner: dict[int, int | None] = dict.fromkeys(game_map.borders)
        self.units = {territory: no_units() for territory in game_map.borders}
        self.garrison = {player: dict(game_map.garrison) for player in self.players}
        self.hand: dict[int, list[Card]] = {player: [] for player in self.players}
        self.deck = {kind: card.copies for kind, card in CARDS.items()}
        self.discards = dict.fromkeys(CARDS, 0)
        self.cycle = 0
        self.is_alive = dict.fromkeys(self.players, True)
        self.first_player = 0
        self.rounds = 0

        self.active: int | None = None
        self.attacks = 0
        self.victories = 0
        self.is_barred = False
        self.safe: set[int] = set()  # territories that cannot be attacked again in this turn
        self.pair: tuple[str, str] | None = None  # types traded in and out; one pair may bind the whole turn
        self.battle: Battle | None = None

        self.is_terminated = False
        self.is_truncated = False
        self.winner: int | None = None

    # --- territories and units

    def territories(self, player: int) -> list[int]:
        """Return the territories that a player controls."""
        return [territory for territory, owner in self.owner.items() if owner == player]

    def neighbors(self, territory: int) -> tuple[int, ...]:
        return self.map.borders[territory]

    def put(self, player: int, unit: str, number: int, place: Units) -> None:
        """Move units from a player's garrison to a place."""
        move(self.garrison[player], place, unit, number)

    def destroy(self, player: int, unit: str, place: Units, number: int = 1) -> None:
        """Move units of a player from a place to their garrison."""
        move(place, self.garrison[player], unit, number)

    def destroy_all(self, player: int, place: Units) -> None:
        move_all(place, self.garrison[player])

    def leave_if_empty(self, territory: int) -> None:
        """Make a territory without units uncontrolled (TR-Q7)."""
        if not total(self.units[territory]):
            self.owner[territory] = None

    # --- cards

    def has_card(self, player: int, kind: int) -> bool:
        return any(card.kind == kind for card in self.hand[player])

    def can_draw(self) -> bool:
        return any(self.deck.values()) or any(self.discards.values())

    def draw(self, player: int) -> None:
        """Draw a card; the discards first become the deck if it is empty (4.2)."""
        if not any(self.deck.values()):
            self.deck, self.discards = self.discards, dict.fromkeys(CARDS, 0)
            self.cycle += 1
        kind = self.chance.card(player, self.deck)
        self.deck[kind] -= 1
        self.hand[player].append(Card(kind, self.cycle))

    def take_from_hand(self, player: int, kind: int) -> None:
        """Take the oldest card of a kind out of a hand (TR-H3)."""
        hand = self.hand[player]
        hand.remove(next(card for card in hand if card.kind == kind))

    def discard(self, player: int, kind: int) -> None:
        self.take_from_hand(player, kind)
        self.discards[kind] += 1

    # --- questions

    def ask(self, player: int, answers: set[str] | Callable[[], set[str]], *, is_secret: bool = False) -> Asking[str]:
        """Put a question to a player and return the answer; a single legal answer is taken silently.

        Args:
            player: who answers.
            answers: legal answers, or a function that returns them, if another player's forfeit may change them.
            is_secret: whether they depend on hidden cards; then even a single one is asked for (TR-Q33).

        Raises:
            ForfeitError: a player whom the turn or the battle needs forfeits.
        """
        while True:
            legal = answers() if callable(answers) else set(answers)
            if len(legal) == 1 and not is_secret:
                return legal.pop()
            try:
                return (yield Question(player, legal))
            except ForfeitError as forfeit:
                defender = self.battle.defender if self.battle else None
                if forfeit.player in (player, self.active, defender):
                    raise
                self.eliminate(forfeit.player)

    # --- out of the game, and its end

    def eliminate(self, player: int) -> None:
        """Take a player out of the game: units to the garrison, cards to the discards (TR-G4, TR-G6).

        Raises:
            GameOverError: one player is left.
        """
        for territory in self.territories(player):
            self.destroy_all(player, self.units[territory])
            self.owner[territory] = None
        for card in list(self.hand[player]):
            self.discard(player, card.kind)
        self.is_alive[player] = False
        left = self.in_play()
        if len(left) == 1:
            self.win(left[0])

    def in_play(self) -> list[int]:
        return [player for player in self.players if self.is_alive[player]]

    def win(self, player: int) -> None:
        self.is_terminated, self.winner = True, player
        raise GameOverError

    def truncate(self) -> None:
        self.is_truncated = True
        raise GameOverError

    def ranking(self, player: int) -> tuple[int, int]:
        """Return a player's rank in a truncated game: territories, then value of units on the map (TR-G7)."""
        own = self.territories(player)
        return len(own), sum(UNITS[unit].value * number for at in own for unit, number in self.units[at].items())

    def returns(self) -> dict[int, float]:
        """Return what each player has earned so far (TR-G8, TR-Q39)."""
        others = len(self.players) - 1
        earned = {player: 0.0 if self.is_alive[player] else -1 / others for player in self.players}
        if self.is_terminated:
            return {player: 1.0 if player == self.winner else -1 / others for player in self.players}
        if self.is_truncated:
            best = max(self.ranking(player) for player in self.in_play())
            tied = [player for player in self.in_play() if self.ranking(player) == best]
            rest = [player for player in self.in_play() if self.ranking(player) != best]
            lost_before = (len(self.players) - len(self.in_play())) / others
            for player in rest:
                earned[player] = -(1 - lost_before) / len(rest)
            for player in tied:
                earned[player] = (1.0 if rest else lost_before) / len(tied)
        return earned


def move(origin: Units, target: Units, unit: str, number: int) -> None:
    """Move units of a type from one place to another."""
    assert origin[unit] >= number >= 0, (origin, unit, number)
    origin[unit] -= number
    target[unit] += number


def move_all(origin: Units, target: Units) -> None:
    for unit, number in origin.items():
        move(origin, target, unit, number)
