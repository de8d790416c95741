"""The picture of a Territories position for one viewer.

Everything is public except the kinds of cards in other players' hands and in the deck (TR-H1, TR-H2): unless the viewer
is the referee, the picture holds only their numbers. Legal ids reveal cards too, so only the current player and the
referee see them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import NO_PLAYER, as_records
from sackarmies_env.games.territories.data.schema import Map, load_map, load_rulebook
from sackarmies_env.games.territories.rules.damage import total_of
from sackarmies_env.games.territories.rules.turn import ACTIONS_LEFT
from sackarmies_env.games.territories.state.actions import FIRST_CARD, FIRST_TERRITORY
from sackarmies_env.games.territories.state.constants import Decision, Event, Frame, Stage, TurnStep
from sackarmies_env.games.territories.words.sentences import ASKED, card_effect, event_words, words_of
from sackarmies_env.render.canvas import Canvas
from sackarmies_env.render.picture import OVER, Pile
from sackarmies_env.render.shapes import Scene
from sackarmies_env.render.territories.model import (
    BattleView,
    CardView,
    PictureData,
    PlayerView,
    SideView,
    SkirmishView,
    TerritoryView,
    TurnView,
)
from sackarmies_env.render.territories.scene import make_scene
from sackarmies_env.render.territories.text import text_lines
from sackarmies_env.render.theme import Colors


class Picture(PictureData):
    """A position that draws itself; see `render.picture.Drawable`."""

    def scene(self, colors: Colors) -> Scene:
        """Return the picture as shapes."""
        return make_scene(self, colors)

    def lines(self, canvas: Canvas) -> list[str]:
        """Return the position as text."""
        return text_lines(self, canvas)

    def unasked(self) -> Picture:
        """Return the same picture: all players know who is asked what."""
        return self


def picture(game: Game, states: NDArray[np.void], viewer: int | None) -> Picture:
    """Return `states[0]` as `viewer` (a seat, or None for the referee) may see it."""
    view = _View(game, states, viewer)
    current = view.number("current_player")
    return Picture(
        title="Territories",
        viewer=viewer,
        turn=view.number("turn"),
        current=OVER if current == NO_PLAYER else current,
        asked=ASKED[Decision(view.number("decision"))],
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
        log=view.log(),
    )


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
        """Return a number from the state."""
        return int(self.states[field][0][index])

    def row(self, field: str, *index: int) -> tuple[int, ...]:
        """Return a row of numbers from the state."""
        return tuple(int(value) for value in self.states[field][0][index])

    def param(self, name: str) -> int:
        """Return a number from the configuration."""
        return int(self.params[name][0])

    def pile(self, counts: tuple[int, ...]) -> Pile:
        """Return counts of cards by kind as a pile sorted by name, so that it shows no order of the state."""
        return tuple(sorted((self.kinds[kind].name, count) for kind, count in enumerate(counts) if count))

    def territory(self, place: int) -> TerritoryView:
        """Return a territory by its index on the map."""
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
        """Return what is known of a player, with the cards in hand by name if the viewer may see them."""
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
        """Return a kind of card."""
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
        """Return the procedures in progress, lowest first."""
        return [Frame(kind) for kind in self.row("frame_kind")[: self.number("frame_top") + 1]]

    def progress(self) -> TurnView:
        """Return the progress of the turn and the game."""
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
        """Return the attack in progress, or None."""
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
        """Return a skirmish, with its totals as computed by the rules."""
        records = self.params[0], self.states[0], np.int64(number)
        return SkirmishView(
            number=number,
            dice=(self.row("skirmish_dice", number, 0), self.row("skirmish_dice", number, 1)),
            totals=(int(total_of(*records, np.int64(0))), int(total_of(*records, np.int64(1)))),
            is_over=self.number("skirmish_over", number) == 1,
        )

    def log(self) -> tuple[str, ...]:
        """Return the latest public events in words."""
        fields = ("log_kind", "log_player", "log_place", "log_value")
        events = zip(*(self.row(field) for field in fields), strict=True)
        return tuple(
            event_words(Event(kind), f"player {player}", place + 1, value)
            for kind, player, place, value in events
            if kind != Event.NONE
        )

    def outcome(self) -> str:
        """Return how the game ended; "" until then."""
        if not self.number("terminated") and not self.number("truncated"):
            return ""
        turn = self.number("turn")
        if self.number("terminated"):
            return f"The game is over in turn {turn}: player {self.number('winner')} has won"
        if self.number("rounds") >= self.param("max_rounds"):
            return "The game is over after the last round"
        return f"The game was truncated in turn {turn}"
