"""The picture of a Sack Armies position for one viewer, as V-01 to V-23 let each General see it.

The rule that observations use also decides which tokens in play are known; for hands, sacks and piles,
`View.sees_pile` decides.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import as_records
from sackarmies_env.games.sack_armies.rules.setup import SETUP_FIELDS
from sackarmies_env.games.sack_armies.state.actions import TYPE_BASE
from sackarmies_env.games.sack_armies.state.constants import (
    NO_TOKEN,
    NUM_SLOTS,
    Ability,
    Band,
    Decision,
    Event,
    Face,
    FlipMethod,
    Homeland,
    Kind,
    Member,
    UnitClass,
    Verb,
    Zone,
)
from sackarmies_env.games.sack_armies.state.record import MAX_CHAIN
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Battlefield
from sackarmies_env.games.sack_armies.tokens.text import effect_text, match_text
from sackarmies_env.games.sack_armies.words.event_sentences import log_of, tokens_of, verb_words
from sackarmies_env.render.canvas import Canvas
from sackarmies_env.render.picture import OVER, Hex, Pile, reading_order
from sackarmies_env.render.sack_armies.model import (
    AttachmentView,
    FieldView,
    PictureData,
    SeatView,
    TerrainEffect,
    UnitCard,
    UnitView,
    codes_of,
)
from sackarmies_env.render.sack_armies.scene import make_scene
from sackarmies_env.render.sack_armies.text import board_lines, summary_lines, text_lines
from sackarmies_env.render.sack_armies.text_words import hex_lines
from sackarmies_env.render.sack_armies.units import ARMOR, DAMAGE, MOVEMENT, RANGE, SIGHT, look
from sackarmies_env.render.sack_armies.words import event_words, names_of, outcome_words, question
from sackarmies_env.render.shapes import Scene
from sackarmies_env.render.theme import Colors

HOMELANDS = {
    Homeland.NONE: "",
    Homeland.FEY_COURT: "Fey Court",
    Homeland.SCOURGE: "Scourge",
    Homeland.EMPIRE: "Empire",
    Homeland.NETHER_SISTERS: "Nether Sisters",
    Homeland.SHAZARI: "Shazari",
}
TYPE_FIRST = (Decision.SETUP_HEX, Decision.DEPLOY_HEX)  # here the choice began with a token, not with a hex
CARD_GAMES = (FlipMethod.DECK, FlipMethod.DECK_JOKERS)


class Picture(PictureData):
    """A position that draws itself; see `render.picture.HexBoard`."""

    def scene(self, colors: Colors) -> Scene:
        """Return the picture as shapes, in light colors."""
        return make_scene(self)

    def lines(self, canvas: Canvas) -> list[str]:
        """Return the position as text."""
        return text_lines(self, canvas)

    def unasked(self) -> Picture:
        """Return the picture without the current player: in a reaction window, that would tell who has a choice."""
        return replace(self, asked="", current=OVER, choices=(), chosen=())

    def board_lines(self, canvas: Canvas, labels: Mapping[Hex, str], height: int | None) -> list[str]:
        """Return the board alone as text."""
        return board_lines(self, canvas, labels, height)

    def summary_lines(self, canvas: Canvas) -> list[str]:
        """Return what a player needs besides the board as text."""
        return summary_lines(self, canvas)

    def hex_lines(self, canvas: Canvas, at: Hex, name: Callable[[int], str]) -> list[str]:
        """Return what is on a hex as text."""
        return hex_lines(self, canvas, at, name)


@functools.lru_cache(maxsize=8)
def types_of(game: Game) -> tuple[tuple[AnyToken, str], ...]:
    """Return every type of a configuration with its code, in the order of the types; codes do not depend on it."""
    known = tokens_of(game)
    states = game.new_states(1)
    texts = [game.format_action(states, TYPE_BASE + row) for row in range(int(game.params["num_types"][0]))]
    tokens = [known[text.removeprefix("type ")] for text in texts]
    by_name = sorted(tokens, key=lambda token: (token.name, token.id))
    codes = dict(zip((token.id for token in by_name), codes_of([token.name for token in by_name]), strict=True))
    return tuple((token, codes[token.id]) for token in tokens)


def terrain_effects(token: AnyToken) -> tuple[TerrainEffect, ...]:
    """Return the effects of a battlefield on stats."""
    effects = token.effects if isinstance(token, Battlefield) else ()
    return tuple(TerrainEffect(effect.stat, effect.amount, match_text(effect.match)) for effect in effects)


def picture(game: Game, states: NDArray[np.void], viewer: int | None) -> Picture:
    """Return `states[0]` as `viewer` (a seat, or None for the referee) may see it.

    It names the current player only to that player and the referee: in a reaction window, it would tell who has a
    choice, which depends on face-down tokens.
    """
    view = View(game, states, viewer)
    current = view.number("current_player")
    mine = (viewer is None or viewer == current) and current >= 0
    may_pass = mine and Verb.PASS in legal_ids(states["legal"][0])
    return Picture(
        title="Sack Armies",
        viewer=viewer,
        turn=view.number("turn"),
        current=current if mine else OVER,
        asked=question(view.number("decision"), view.number("chain_verb"), may_pass) if mine else "",
        announced=view.announced(),
        aim=view.aim(),
        outcome=view.outcome(),
        hexes=view.hexes(),
        fields=view.fields(),
        units=view.units(),
        seats=tuple(view.seat(seat) for seat in range(game.num_players)),
        log=view.log(),
        notes=view.notes(),
        choices=view.choices() if mine else (),
        chosen=view.chosen() if mine else (),
    )


class View:
    """One state as one viewer may see it."""

    def __init__(self, game: Game, states: NDArray[np.void], viewer: int | None) -> None:
        self.types = types_of(game)
        self.names = names_of(game)
        self.params = game.params
        self.states = as_records(states[:1].copy())  # a copy, as a look writes to it
        self.viewer = viewer
        self.look = look(self.params, self.states, viewer)

    def number(self, field: str, *index: int) -> int:
        """Return a number from the state."""
        return int(self.states[field][0][index])

    def switch(self, name: str) -> bool:
        """Return whether a switch is on."""
        return bool(self.params[name][0])

    def looked_up(self, token: int, column: int) -> int:
        """Return a number of a unit on the board."""
        return int(self.look.numbers[token, column])

    # --- tokens

    def knows(self, token: int) -> bool:
        """Return whether the viewer knows what a token is."""
        return bool(self.look.known[token])

    def sees_pile(self, seat: int, public: bool) -> bool:
        """Return whether the viewer knows a pile of `seat`, which is `public` or known only to its General."""
        return public or self.viewer is None or self.viewer == seat

    def tokens(self, zone: Zone) -> list[int]:
        """Return the rows of the tokens in a zone; a picture must not show their order."""
        return [int(token) for token in np.flatnonzero(self.states["token_zone"][0] == zone)]

    def token_data(self, token: int) -> tuple[AnyToken, str]:
        """Return the type of a token, with its code."""
        return self.types[self.number("token_type", token)]

    def kind(self, token: int) -> Kind:
        """Return the kind of a token."""
        return Kind[self.token_data(token)[0].kind.upper()]

    def pile(self, zone: Zone, seat: int) -> Pile:
        """Return the tokens of `seat` in a zone by name."""
        mine = [token for token in self.tokens(zone) if self.number("token_owner", token) == seat]
        return tuple(sorted(Counter(self.token_data(token)[0].name for token in mine).items()))

    # --- the board

    def hex(self, cell: int) -> Hex:
        """Return the coordinates of a cell."""
        return int(self.params["cell_q"][0][cell]), int(self.params["cell_r"][0][cell])

    def hex_text(self, cell: int) -> str:
        """Return a cell as `q,r`; "" if there is none."""
        return "{},{}".format(*self.hex(cell)) if cell >= 0 else ""

    def hexes(self) -> tuple[Hex, ...]:
        """Return the legal hex spaces."""
        return self.hexes_in(self.states["legal_rows"][0])

    def hexes_in(self, rows: NDArray[np.uint64]) -> tuple[Hex, ...]:
        """Return a set of hexes in reading order; `rows` has one word of bits for each row of the board."""
        radius = int(self.params["radius"][0])
        bits = np.unpackbits(np.ascontiguousarray(rows)[:, None].view(np.uint8), axis=1, bitorder="little")
        hexes = ((int(q) - radius, int(r) - radius) for r, q in zip(*bits.nonzero(), strict=True))
        return tuple(sorted(hexes, key=reading_order))

    def fields(self) -> tuple[FieldView, ...]:
        """Return the battlefields on the board."""
        placed = [token for token in self.tokens(Zone.BATTLEGROUND) if self.kind(token) == Kind.BATTLEFIELD]
        return tuple(sorted(map(self.field, placed), key=lambda field: reading_order(field.at)))

    def field(self, token: int) -> FieldView:
        """Return one battlefield."""
        data, code = self.token_data(token)
        return FieldView(
            at=self.hex(self.number("token_hex", token)),
            owner=self.number("token_owner", token),
            controller=self.number("token_controller", token),
            name=data.name,
            code=code,
            rank=data.rank,
            water=bool(self.params["type_water"][0][self.number("token_type", token)]),
            halts=bool(self.params["type_halts"][0][self.number("token_type", token)]),
            text=effect_text(data),
            effects=terrain_effects(data),
            shelters=isinstance(data, Battlefield) and data.favors_aquatic,
        )

    def units(self) -> tuple[UnitView, ...]:
        """Return the units on the board, each as far as the viewer knows it."""
        placed = [token for token in self.tokens(Zone.BATTLEGROUND) if self.kind(token) == Kind.UNIT]
        return tuple(sorted(map(self.unit, placed), key=lambda unit: reading_order(unit.at)))

    def unit(self, token: int) -> UnitView:
        """Return one unit."""
        held = [each for each in self.tokens(Zone.CAPTURED) if self.number("token_host", each) == token]
        known = sorted(self.token_data(each)[0].name for each in held if self.knows(each))
        face_up = self.number("token_face", token) == Face.UP
        card = self.card(token) if self.knows(token) else None
        return UnitView(
            at=self.hex(self.number("token_hex", token)),
            owner=self.number("token_controller", token),
            face_up=face_up,
            card=card,
            attachments=tuple(map(self.attachment, self.stack(token))),
            captives=(*known, *[None] * (len(held) - len(known))),
            employed=self.number("token_employed", token) == 1,
            moved=self.number("token_moved", token) == 1,
            reach=self.hexes_in(self.look.reach[token] & ~self.states["unit_rows"][0]),
            sight=self.looked_up(token, SIGHT),
        )

    def card(self, token: int) -> UnitCard:
        """Return the card of a unit that the viewer knows; effects in force are face up, so every viewer sees them."""
        data, code = self.token_data(token)
        row = self.number("token_type", token)
        printed = tuple(int(self.params[f"type_{stat}"][0][row]) for stat in ("movement", "damage", "armor"))
        face_up = self.number("token_face", token) == Face.UP
        return UnitCard(
            name=data.name,
            code=code,
            rank=data.rank,
            movement=self.looked_up(token, MOVEMENT),
            damage=self.looked_up(token, DAMAGE),
            armor=self.looked_up(token, ARMOR),
            printed=(printed[0], printed[1], printed[2]),
            range=self.looked_up(token, RANGE) if face_up else int(self.params["type_ability"][0][row][Ability.RANGE]),
            unit_class=UnitClass(int(self.params["type_class"][0][row])).name.lower(),
            homeland=HOMELANDS[Homeland(int(self.params["type_homeland"][0][row]))],
            band=Band(int(self.params["type_band"][0][row])).name.lower(),
            text=effect_text(data),
        )

    def stack(self, unit: int) -> Iterable[int]:
        """Yield the attachments of a unit in the order of their slots."""
        token = self.number("token_first", unit)
        while token != NO_TOKEN:
            yield token
            token = self.number("token_next", token)

    def attachment(self, token: int) -> AttachmentView:
        """Return one attachment; while it is face down, others may have learned its kind, but no more."""
        data, _ = self.token_data(token)
        known = self.knows(token)
        return AttachmentView(
            owner=self.number("token_owner", token),
            name=data.name if known else None,
            kind=data.kind if known or self.number("token_kind_known", token) == 1 else None,
            face_up=self.number("token_face", token) == Face.UP,
            text=effect_text(data) if known else "",
        )

    # --- beside the board

    def seat(self, seat: int) -> SeatView:
        """Return what is shown beside the board for one General."""
        private = self.sees_pile(seat, public=False)
        open_piles = self.sees_pile(seat, self.switch("casualties_public"))
        sack_size, picks_left = self.sack_and_picks(seat)
        return SeatView(
            seat=seat,
            alive=self.number("general_alive", seat) == 1,
            hand_size=self.number("hand_count", seat),
            hand=self.pile(Zone.HAND, seat) if private else None,
            sack_size=sack_size if self.sees_pile(seat, self.switch("sack_count_public")) else None,
            sack=self.pile(Zone.SACK, seat) if private else None,
            picks_left=picks_left,
            picks=self.pile(Zone.PICKED, seat) if private else None,
            casualties=self.pile(Zone.CASUALTIES, seat) if open_piles else None,
            removed=self.pile(Zone.REMOVED, seat) if open_piles else None,
        )

    def sack_and_picks(self, seat: int) -> tuple[int, int]:
        """Return the sizes of sack and picks; while picks are secret, others see the sizes after all picks are made."""
        sack, picks = self.number("sack_count", seat), sum(copies for _, copies in self.pile(Zone.PICKED, seat))
        if self.number("decision") == Decision.SETUP_PICK and self.viewer not in (None, seat):
            return sack + picks - SETUP_FIELDS, SETUP_FIELDS
        return sack, picks

    # --- what is going on

    def announced(self) -> str:
        """Return the announced attack and effect in words."""
        told = []
        for stage in ("attack", "act"):
            if self.number(f"{stage}_announced") == 1:
                target = self.hex_text(self.number(f"{stage}_hex"))
                words = verb_words(self.number(f"{stage}_verb"))
                told.append(words + (f" at {target}" if target else ""))
        return ", then ".join(told)

    def aim(self) -> tuple[tuple[Hex, Hex], ...]:
        """Return the (source, target) hexes of the announced attack and effect."""
        pairs = set()
        if self.number("attack_announced") == 1:
            members = [int(token) for token in np.flatnonzero(self.states["token_member"][0] == Member.ATTACKS)]
            pairs |= self.pairs([*members, self.number("attack_unit")], self.number("attack_hex"))
        if self.number("act_announced") == 1:
            pairs |= self.pairs([self.number("act_unit")], self.number("act_hex"))
        return tuple(sorted(pairs))

    def pairs(self, sources: list[int], target: int) -> set[tuple[Hex, Hex]]:
        """Return the (source, target) hexes from each unit to a cell, where both exist and differ."""
        cells = [self.number("token_hex", token) for token in sources if token != NO_TOKEN]
        return {(self.hex(cell), self.hex(target)) for cell in cells if cell >= 0 and target >= 0 and cell != target}

    def choices(self) -> tuple[Hex, ...]:
        """Return the hexes among the legal actions."""
        first = TYPE_BASE + int(self.params["num_types"][0]) + NUM_SLOTS
        cells = [action - first for action in legal_ids(self.states["legal"][0]) if action >= first]
        return tuple(sorted(map(self.hex, cells), key=reading_order))

    def chosen(self) -> tuple[Hex, ...]:
        """Return the hexes chosen so far, in the order of the choice; members of a coordinated attack by cell."""
        if self.number("decision") in TYPE_FIRST:
            return ()
        cells = [self.number("chain", place) for place in range(MAX_CHAIN)]
        if self.number("decision") == Decision.COORD_MEMBER:
            members = np.flatnonzero(self.states["token_member"][0] == Member.ATTACKS)
            cells += sorted(self.number("token_hex", int(token)) for token in members)
        return tuple(self.hex(cell) for cell in cells if cell >= 0)

    def outcome(self) -> str:
        """Return how the game ended; "" until then."""
        if not self.number("terminated") and not self.number("truncated"):
            return ""
        truncated = bool(self.number("truncated"))
        return outcome_words(self.number("winner"), self.number("victory_type"), truncated, self.number("turn"))

    def log(self) -> tuple[str, ...]:
        """Return the public events in words, latest first."""
        events = log_of(self.states.view(np.ndarray)[0])
        return tuple(event_words(event, self.names) for event in events if event.kind != Event.NONE)

    def notes(self) -> tuple[str, ...]:
        """Return further public facts: the cards left in the deck."""
        if int(self.params["flip_method"][0]) not in CARD_GAMES:
            return ()
        cards = [f"{self.number(f'deck_{color}')} {color}" for color in ("red", "black", "jokers")]
        return (f"Left in the deck: {', '.join(cards[:2])}" + (f", {cards[2]}" if self.number("deck_jokers") else ""),)
