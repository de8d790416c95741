"""What one viewer may see of a Territories position, as plain data from which its pictures are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from sackarmies_env.games.territories.state.constants import FIRST_FACE
from sackarmies_env.render.picture import OVER, Pile
from sackarmies_env.render.shapes import Point

SIDES = ("attacker", "defender")


@dataclass(frozen=True)
class TerritoryView:
    """A territory.

    Attributes:
        number: as players name it.
        elevation: its height.
        owner: seat that controls it, or NO_PLAYER.
        units: number of units of each type.
        is_safe: whether it cannot be attacked in this turn.
        center, outline: where it is drawn, see `data.schema.Territory`.
    """

    number: int
    elevation: int
    owner: int
    units: tuple[int, ...]
    is_safe: bool
    center: Point
    outline: tuple[Point, ...]


@dataclass(frozen=True)
class SideView:
    """A side of the battle board.

    Attributes:
        seat: seat that fights; NO_PLAYER for the defender of a territory without units.
        territory: number of the territory that it fights from; 0 until it is chosen.
        units: number of units of each type on the board.
        counters: number of counters not yet assigned, by bonus - 1.
        dice: number of dice not yet in a skirmish, by face - FIRST_FACE.
        cards: played in this battle.
    """

    seat: int
    territory: int
    units: tuple[int, ...]
    counters: tuple[int, ...]
    dice: tuple[int, ...]
    cards: Pile


@dataclass(frozen=True)
class SkirmishView:
    """A skirmish; tuples hold the attacker's value, then the defender's.

    Attributes:
        number: as players name it.
        dice: number of dice, by face - FIRST_FACE.
        totals: dice, counters, cards and the ground together.
        is_over: whether it has been resolved.
    """

    number: int
    dice: tuple[tuple[int, ...], tuple[int, ...]]
    totals: tuple[int, int]
    is_over: bool

    def bonus(self, side: int) -> int:
        """Return what is added to the dice of a side."""
        return self.totals[side] - sum(count * (place + FIRST_FACE) for place, count in enumerate(self.dice[side]))

    @property
    def winner(self) -> int:
        """The side with the higher total; the defender wins ties."""
        return 0 if self.totals[0] > self.totals[1] else 1


@dataclass(frozen=True)
class BattleView:
    """An attack in progress; `stage` is its stage in words."""

    stage: str
    sides: tuple[SideView, SideView]
    skirmishes: tuple[SkirmishView, ...]


@dataclass(frozen=True)
class PlayerView:
    """What is shown beside the map for one player.

    Attributes:
        seat: index.
        alive: whether still in the game.
        territories: number of territories under control.
        garrison: number of units of each type.
        num_cards: number of cards in hand.
        hand: which ones; None if hidden from the viewer.
    """

    seat: int
    alive: bool
    territories: int
    garrison: tuple[int, ...]
    num_cards: int
    hand: Pile | None


@dataclass(frozen=True)
class CardView:
    """A kind of card.

    Attributes:
        name: display name.
        effect: what it does, in words.
        copies: number in the game.
        discarded: number in the discards.
        held: number in the viewer's hand; None for the referee.
        is_offered: whether it may be chosen now, as far as the viewer may know.
    """

    name: str
    effect: str
    copies: int
    discarded: int
    held: int | None
    is_offered: bool


@dataclass(frozen=True)
class TurnView:
    """The progress of the turn and the game.

    Attributes:
        active: seat whose turn it is; NO_PLAYER in the set-up.
        step: step of the turn, or what is in progress in it, in words.
        actions_left: standard actions left.
        attacks, max_attacks: number of attacks declared in this turn, and the maximum.
        barred: whether further attacks are barred in this turn.
        round, max_rounds: the current round, and the number of rounds.
        domination: number of territories that wins at the end of a turn; 0 if no number does.
    """

    active: int
    step: str
    actions_left: int
    attacks: int
    max_attacks: int
    barred: bool
    round: int
    max_rounds: int
    domination: int


@dataclass(frozen=True)
class PictureData:
    """A position as one viewer may see it.

    Attributes:
        title: name of the game.
        viewer: seat, or None for the referee.
        turn: number of turns begun.
        current: the current player, OVER if there is none.
        asked: what they are asked, in words.
        outcome: how the game ended; "" until then.
        progress: of the turn and the game.
        territories: by rising number.
        move: numbers of the territories that an attack or move comes from and goes to, 0 for none.
        battle: the attack in progress, or None.
        players: in seat order.
        cards: one entry for each kind.
        deck_size: number of cards in the deck.
        deck: which ones; None for all but the referee.
        choices: numbers of the territories that may be chosen now, as far as the viewer may know.
        log: last public events in words, latest first.
    """

    title: str
    viewer: int | None
    turn: int
    current: int
    asked: str
    outcome: str
    progress: TurnView
    territories: tuple[TerritoryView, ...]
    move: tuple[int, int]
    battle: BattleView | None
    players: tuple[PlayerView, ...]
    cards: tuple[CardView, ...]
    deck_size: int
    deck: Pile | None
    choices: tuple[int, ...]
    log: tuple[str, ...]

    @property
    def hand(self) -> Pile | None:
        """The viewer's own hand; None for the referee."""
        return None if self.viewer is None else self.players[self.viewer].hand

    def player_name(self, seat: int) -> str:
        """Return the name of a seat, as shown to this viewer."""
        return f"Player {seat} (you)" if seat == self.viewer else f"Player {seat}"

    def headline(self) -> str:
        """Return the state of the game in a sentence."""
        if self.outcome:
            return self.outcome
        return "No decision is pending" if self.current == OVER else f"{self.player_name(self.current)}: {self.asked}"
