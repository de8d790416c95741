"""What one viewer may see of a position of Territories, as plain data that its pictures are drawn from.

All is public but the kinds of cards in the hands of others and in the deck (TR-H1, TR-H2); of these there are numbers
alone here, unless the viewer is the referee. So are the legal ids, which tell of cards: they are the current player's.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import NO_PLAYER, as_records
from sackarmies_env.games.territories.data.schema import Card, Map, load_map, load_rulebook
from sackarmies_env.games.territories.rules.damage import total_of
from sackarmies_env.games.territories.rules.turn import ACTIONS_LEFT
from sackarmies_env.games.territories.state.actions import FIRST_CARD, FIRST_TERRITORY
from sackarmies_env.games.territories.state.constants import (
    FIRST_FACE,
    Decision,
    Effect,
    Frame,
    Stage,
    TurnStep,
)
from sackarmies_env.render.board import OVER, Pile
from sackarmies_env.render.canvas import Canvas
from sackarmies_env.render.shapes import Point, Scene
from sackarmies_env.render.theme import Colors

SIDES = ("attacker", "defender")
EFFECTS = {
    Effect.NOTHING: "no use",
    Effect.SKIRMISH_BONUS: "+{} in one skirmish",
    Effect.BATTLE_BONUS: "+{} in every skirmish of a battle",
    Effect.ENEMY_PENALTY: "-{} for the enemy in one skirmish",
    Effect.LEVEL_GROUND: "defender: the attacker's height does not count",
    Effect.EXTRA_DIE: "one more die, a {}, in a skirmish",
    Effect.PLACE_TROOPS: "step 1: up to {} troops into one territory",
    Effect.FREE_MOVE: "step 4: one more free move",
    Effect.CANCEL_ATTACK: "defender: the attack is called off",
    Effect.EXTRA_ATTACK: "one more attack when barred, after a victory",
}


@dataclass(frozen=True)
class TerritoryView:
    """A territory.

    Attributes:
        number: as players name it.
        elevation: its height.
        owner: seat that controls it, NO_PLAYER for nobody.
        units: of each type.
        is_safe: it cannot be attacked in this turn.
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
        seat: who fights, NO_PLAYER for the defender of a territory without units.
        territory: number of the one that it fights from, 0 before it is chosen.
        units: of each type on the board.
        counters: not yet assigned, by bonus - 1.
        dice: not yet in a skirmish, by face - FIRST_FACE.
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
    """A skirmish; tuples hold the attacker's, then the defender's.

    Attributes:
        number: as players name it.
        dice: by face - FIRST_FACE.
        totals: dice, counters, cards and the ground together.
        is_over: it has been resolved.
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
        """The side with the higher total; a tie is the defender's."""
        return 0 if self.totals[0] > self.totals[1] else 1


@dataclass(frozen=True)
class BattleView:
    """An attack under way; `stage` is it in words."""

    stage: str
    sides: tuple[SideView, SideView]
    skirmishes: tuple[SkirmishView, ...]


@dataclass(frozen=True)
class PlayerView:
    """What lies beside the map for one player.

    Attributes:
        seat: index.
        alive: still in the game.
        territories: number of those under control.
        garrison: units of each type.
        num_cards: in hand.
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
    """A kind of cards.

    Attributes:
        name: for people.
        effect: what it does, in words.
        copies: in the game.
        discarded: on the pile of discards.
        held: in the viewer's hand; None for the referee.
        is_offered: the viewer may name it now.
    """

    name: str
    effect: str
    copies: int
    discarded: int
    held: int | None
    is_offered: bool


@dataclass(frozen=True)
class TurnView:
    """How far the turn and the game are.

    Attributes:
        active: whose turn it is, NO_PLAYER in the set-up.
        step: of the turn, or what is under way in it, in words.
        actions_left: standard actions.
        attacks, max_attacks: declared in this turn, and how many may be.
        barred: no further attacks in this turn.
        round, max_rounds: the present one, and how many there are.
        domination: territories that win at the end of a turn; 0: none do.
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
class TerritoriesPicture:
    """A position as one viewer may see it; see `drawable.Drawable`.

    Attributes:
        title: the game.
        viewer: seat, or None for the referee.
        turn: turns begun.
        current: the current player, OVER when there is none.
        asked: what they are asked, in words.
        outcome: how the game ended, "" before.
        progress: of the turn and the game.
        territories: by rising number.
        move: numbers of the territories that an attack or move comes from and goes to, 0 for none.
        battle: None without one.
        players: in seat order.
        cards: each kind.
        deck_size: cards in the deck.
        deck: which ones; None for all but the referee.
        choices: numbers of territories that the viewer may choose.
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

    def player_name(self, seat: int) -> str:
        """Return what to call a seat, to this viewer."""
        return f"Player {seat} (you)" if seat == self.viewer else f"Player {seat}"

    def headline(self) -> str:
        """Return the state of the game in a sentence."""
        if self.outcome:
            return self.outcome
        return "Nobody is to decide" if self.current == OVER else f"{self.player_name(self.current)}: {self.asked}"

    def scene(self, colors: Colors) -> Scene:
        """Return the picture as shapes."""
        from sackarmies_env.render.territories_scene import make_scene

        return make_scene(self, colors)

    def lines(self, canvas: Canvas) -> list[str]:
        """Return the position as text."""
        from sackarmies_env.render.territories_text import text_lines

        return text_lines(self, canvas)


def drawing(game: Game, states: NDArray[np.void], viewer: int | None) -> TerritoriesPicture:
    """Return `states[0]` as `viewer` (a seat, or None for the referee) may see it."""
    view = _View(game, states, viewer)
    current = view.number("current_player")
    return TerritoriesPicture(
        title="Territories",
        viewer=viewer,
        turn=view.number("turn"),
        current=OVER if current == NO_PLAYER else current,
        asked=words_of(Decision(view.number("decision"))),
        outcome=view.outcome(),
        progress=view.progress(),
        territories=tuple(view.territory(place) for place in range(len(view.map.territory))),
        move=(view.number("source") + 1, view.number("target") + 1),
        battle=view.battle(),
        players=tuple(view.player(seat) for seat in range(game.num_players)),
        cards=tuple(view.card(kind) for kind in range(len(view.kinds))),
        deck_size=view.number("deck_count"),
        deck=view.pile(view.row("deck")) if viewer is None else None,
        choices=tuple(number for number in view.map.numbers if FIRST_TERRITORY + number - 1 in view.legal),
    )


def words_of(member: Decision | Frame | Stage | TurnStep) -> str:
    """Return a name of the rules in words."""
    return member.name.lower().replace("_", " ")


@functools.cache
def card_effect(card: Card) -> str:
    """Return what a card does, in words."""
    cost = f"; discarded it costs {card.penalty} troop{'s' if card.penalty > 1 else ''}" if card.penalty else ""
    return EFFECTS[card.effect].format(card.amount) + cost


class _View:
    """One state as one viewer may see it."""

    def __init__(self, game: Game, states: NDArray[np.void], viewer: int | None) -> None:
        self.map: Map = load_map(game.config["map"])
        self.kinds = load_rulebook().card
        self.params = game.params
        self.states = as_records(states[:1].copy())
        self.viewer = viewer
        is_asked = viewer is None or viewer == self.number("current_player")
        self.legal = frozenset(legal_ids(self.states["legal"][0])) if is_asked else frozenset[int]()

    def number(self, field: str, *index: int) -> int:
        """Return a number of the state."""
        return int(self.states[field][0][index])

    def row(self, field: str, *index: int) -> tuple[int, ...]:
        """Return a row of numbers of the state."""
        return tuple(int(value) for value in self.states[field][0][index])

    def param(self, name: str) -> int:
        """Return a number of the configuration."""
        return int(self.params[name][0])

    def pile(self, counts: tuple[int, ...]) -> Pile:
        """Return cards, counted by kind, by name: no order of a state gets into a picture."""
        return tuple(sorted((self.kinds[kind].name, count) for kind, count in enumerate(counts) if count))

    def territory(self, place: int) -> TerritoryView:
        """Return a territory by its place on the map."""
        data = self.map.territory[place]
        row = data.number - 1
        return TerritoryView(
            number=data.number,
            elevation=data.elevation,
            owner=self.number("territory_owner", row),
            units=self.row("territory_units", row),
            is_safe=self.number("territory_safe", row) == 1,
            center=data.center,
            outline=data.outline,
        )

    def player(self, seat: int) -> PlayerView:
        """Return what is known of a player; cards in hand by name if the viewer sees them."""
        num_cards = self.number("hand_count", seat)
        hand = None
        if self.viewer in (None, seat):
            held = self.row("hand", seat)[:num_cards]
            hand = self.pile(tuple(held.count(kind) for kind in range(len(self.kinds))))
        return PlayerView(
            seat=seat,
            alive=self.number("alive", seat) == 1,
            territories=self.row("territory_owner").count(seat),
            garrison=self.row("garrison", seat),
            num_cards=num_cards,
            hand=hand,
        )

    def card(self, kind: int) -> CardView:
        """Return a kind of cards."""
        data, held = self.kinds[kind], None
        if self.viewer is not None:
            held = self.row("hand", self.viewer)[: self.number("hand_count", self.viewer)].count(kind)
        return CardView(
            name=data.name,
            effect=card_effect(data),
            copies=data.copies,
            discarded=self.number("discards", kind),
            held=held,
            is_offered=FIRST_CARD + kind in self.legal,
        )

    # --- what is going on

    def frames(self) -> list[Frame]:
        """Return the procedures under way."""
        return [Frame(kind) for kind in self.row("frame_kind")[: self.number("frame_top") + 1]]

    def progress(self) -> TurnView:
        """Return how far the turn and the game are."""
        frames = self.frames()
        in_turn = frames[:1] == [Frame.TURN]
        step = frames[-1] if len(frames) > 1 else TurnStep(self.number("frame_step", 0))
        rounds = self.number("rounds")
        return TurnView(
            active=self.number("active"),
            step=words_of(step) if in_turn else "set-up",
            actions_left=self.number("frame_data", 0, ACTIONS_LEFT) if in_turn else 0,
            attacks=self.number("attacks"),
            max_attacks=self.param("attacks_per_turn"),
            barred=self.number("barred") == 1,
            round=min(rounds + 1, self.param("max_rounds")),
            max_rounds=self.param("max_rounds"),
            domination=self.param("domination"),
        )

    def battle(self) -> BattleView | None:
        """Return the attack under way."""
        if Frame.BATTLE not in self.frames():
            return None
        stage = self.number("frame_step", self.frames().index(Frame.BATTLE))
        return BattleView(
            stage=words_of(Stage(stage)),
            sides=(self.side(0, "active", "source"), self.side(1, "defender", "target")),
            skirmishes=tuple(self.skirmish(number) for number in range(self.number("num_skirmishes"))),
        )

    def side(self, side: int, seat: str, territory: str) -> SideView:
        """Return a side of the battle board."""
        return SideView(
            seat=self.number(seat),
            territory=self.number(territory) + 1,
            units=self.row("board_units", side),
            counters=self.row("board_counters", side),
            dice=self.row("loose_dice", side),
            cards=self.pile(self.row("played", side)),
        )

    def skirmish(self, number: int) -> SkirmishView:
        """Return a skirmish with its totals as the rules add them up."""
        records = self.params[0], self.states[0], np.int64(number)
        return SkirmishView(
            number=number,
            dice=(self.row("skirmish_dice", number, 0), self.row("skirmish_dice", number, 1)),
            totals=(int(total_of(*records, np.int64(0))), int(total_of(*records, np.int64(1)))),
            is_over=self.number("skirmish_over", number) == 1,
        )

    def outcome(self) -> str:
        """Return how the game ended, "" before."""
        if not self.number("terminated") and not self.number("truncated"):
            return ""
        winner = self.number("winner")
        how = "after the last round" if self.number("truncated") else f"in turn {self.number('turn')}"
        return f"The game is over {how}" + ("" if winner == NO_PLAYER else f": player {winner} has won")
