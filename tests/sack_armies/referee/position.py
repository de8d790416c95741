"""Positions as plain Python objects, read from the state record, for the referee's rulings.

Nothing is computed here: texts of tokens come from the models of the data files, not from the tables of the kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.games.sack_armies.config import Config
from sackarmies_env.games.sack_armies.state.constants import (
    NO_TOKEN,
    NUM_SLOTS,
    NUM_VERBS,
    Decision,
    Face,
    Frame,
    Member,
    Verb,
    Zone,
)
from sackarmies_env.games.sack_armies.state.flow import WindowKind
from sackarmies_env.games.sack_armies.state.record import PRINTED
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Text, Unit
from sackarmies_env.games.sack_armies.tokens.text_schema import AnyEffect, AugmentAbility, GrantEffect

Hex = tuple[int, int]

FLAGS = ("active", "employed", "moved", "kind_known")  # of a token: true or false


@dataclass(eq=False)
class Token:
    """One token of somebody's army, wherever it is."""

    row: int
    type: int  # number of its type
    text: AnyToken  # what is printed on it
    owner: int
    controller: int  # of a battlefield: whom the arrow points to
    zone: Zone
    face_up: bool
    hex: Hex | None  # on the battleground
    active: bool  # a permanent in effect
    employed: bool
    moved: bool
    member: bool  # takes part in the coordinated attack
    kind_known: bool  # face down, but everybody knows whether it is a spell or a maneuver
    host: Token | None = None
    attachments: list[Token] = field(default_factory=list)  # by slot


@dataclass
class Attack:
    """The announced attack."""

    verb: Verb
    unit: Token | None  # None in a coordinated attack
    target: Token | None
    hex: Hex | None
    surprised: bool  # the defender has used a surprise maneuver since it became the defender
    killed: bool
    ambush: bool
    moved: bool  # a Move and Attack has moved
    worn_out: bool = False  # where its move ended, it could not have moved on; noted by attacks.follow


@dataclass
class Activation:
    """An activation, as far as it has been chosen."""

    verb: Verb
    unit: Token | None
    token: Token | None  # spell or maneuver; None for abilities and printed action texts
    target: Token | None
    hex: Hex | None


@dataclass
class Hit:
    """One instance of damage that is about to be applied."""

    target: Token
    amount: int
    is_scatter: bool
    asked: bool  # its General has been asked for a save


@dataclass
class Ghost:
    """A bonus of a dead augmenter, until the end of the turn."""

    augmenter: int  # the same for all bonuses of one dead unit
    hex: Hex
    controller: int
    ability: AugmentAbility


@dataclass
class Position:
    """All that matters for one decision."""

    switches: Switches
    num_generals: int
    num_types: int
    hexes: list[Hex]  # by number of the cell
    tokens: list[Token]
    alive: list[bool]
    player: int
    active: int
    decision: Decision
    verb: Verb  # the verb that the partial choice began with
    chosen: list[int]  # partial choice: numbers of cells, types or slots
    frame: Frame
    numbers: list[int]  # of the procedure under way
    check_failed: bool  # a check failed or an attack was cancelled this turn
    attack: Attack
    act: Activation
    hits: list[Hit]
    modifiers: list[tuple[Token, AnyEffect]]  # until the end of the turn
    ghosts: list[Ghost]

    def __post_init__(self) -> None:
        self.cell_of = {hex_: cell for cell, hex_ in enumerate(self.hexes)}
        on_board = [token for token in self.tokens if token.zone == Zone.BATTLEGROUND]
        self.units = [token for token in on_board if token.text.kind == "unit"]
        self.fields = [token for token in on_board if token.text.kind == "battlefield"]
        self.unit_on = {unit.hex: unit for unit in self.units}
        self.field_on = {battlefield.hex: battlefield for battlefield in self.fields}

    def pile(self, player: int, zone: Zone) -> list[Token]:
        """Return the tokens that a General owns in a zone."""
        return [token for token in self.tokens if token.owner == player and token.zone == zone]

    def own_units(self) -> list[Token]:
        """Return the units of the current player."""
        return [unit for unit in self.units if unit.controller == self.player]

    def chosen_hex(self, index: int) -> Hex:
        """Return a hex of the partial choice."""
        return self.hexes[self.chosen[index]]

    def chosen_unit(self, index: int) -> Token:
        """Return the unit on a hex of the partial choice."""
        return self.unit_on[self.chosen_hex(index)]

    @property
    def is_window_on_attack(self) -> bool:
        """Whether a reaction window answers an attack, and not a Move and Attack that has yet to move (Q-42)."""
        return self.frame == Frame.WINDOW and self.numbers[0] == WindowKind.ATTACK

    # --- ids (docs/actions.md)

    def type_id(self, token: Token) -> int:
        """Return the action that names the type of a token."""
        return NUM_VERBS + token.type

    def slot_id(self, slot: int) -> int:
        """Return the action that names an attachment slot."""
        return NUM_VERBS + self.num_types + slot

    def hex_id(self, hex_: Hex | None) -> int:
        """Return the action that names a hex, or the unit on it."""
        assert hex_ is not None
        return NUM_VERBS + self.num_types + NUM_SLOTS + self.cell_of[hex_]


@contextmanager
def turned_up(*tokens: Token) -> Iterator[None]:
    """Turn tokens face up within a `with` block, to see what would be legal if they were revealed."""
    faces = [token.face_up for token in tokens]
    for token in tokens:
        token.face_up = True
    try:
        yield
    finally:
        for token, face in zip(tokens, faces, strict=True):
            token.face_up = face


# --- reading the state record


def read_position(config: Config, states: NDArray[np.void]) -> Position:
    """Return the position in `states[0]`."""
    state: Any = states.view(np.ndarray)[0]
    grid = config.grid
    hexes = list(zip(grid.q.tolist(), grid.r.tolist(), strict=True))
    by_row = read_tokens(config, state, hexes)
    top = int(state["frame_top"])
    return Position(
        switches=config.switches,
        num_generals=config.num_generals,
        num_types=len(config.tokens),
        hexes=hexes,
        tokens=list(by_row.values()),
        alive=state["general_alive"].astype(bool).tolist(),
        player=int(state["current_player"]),
        active=int(state["active"]),
        decision=Decision(int(state["decision"])),
        verb=Verb(int(state["chain_verb"])),
        chosen=state["chain"][: int(state["chain_length"])].tolist(),
        frame=Frame(int(state["frame_kind"][top])),
        numbers=state["frame_data"][top].tolist(),
        check_failed=bool(state["check_failed"]),
        attack=read_attack(state, by_row, hexes),
        act=read_activation(state, by_row, hexes),
        hits=read_hits(state, by_row),
        modifiers=read_modifiers(config, state, by_row),
        ghosts=read_ghosts(config, state, hexes),
    )


def read_tokens(config: Config, state: Any, hexes: list[Hex]) -> dict[int, Token]:
    """Return all tokens by row, linked with their hosts."""
    names = ("type", "owner", "controller", "zone", "face", "hex", "first", "next", "member")
    columns = {name: state[f"token_{name}"].tolist() for name in (*names, *FLAGS)}
    tokens: dict[int, Token] = {}
    for row, zone in enumerate(columns["zone"]):
        if zone == Zone.NONE:
            continue
        at = {name: column[row] for name, column in columns.items()}
        flags: Any = {name: bool(at[name]) for name in FLAGS}
        tokens[row] = Token(
            row=row,
            type=at["type"],
            text=config.tokens[at["type"]],
            owner=at["owner"],
            controller=at["controller"],
            zone=Zone(zone),
            face_up=at["face"] == Face.UP,
            hex=hexes[at["hex"]] if zone == Zone.BATTLEGROUND else None,
            member=at["member"] == Member.ATTACKS,
            **flags,
        )
    for row, token in tokens.items():
        if token.zone == Zone.BATTLEGROUND:
            link = columns["first"][row]
            while link != NO_TOKEN:
                token.attachments.append(tokens[link])
                tokens[link].host = token
                link = columns["next"][link]
    return tokens


def read_attack(state: Any, by_row: dict[int, Token], hexes: list[Hex]) -> Attack:
    """Return the announced attack."""
    cell = int(state["attack_hex"])
    return Attack(
        verb=Verb(int(state["attack_verb"])),
        unit=by_row.get(int(state["attack_unit"])),
        target=by_row.get(int(state["attack_target"])),
        hex=hexes[cell] if cell >= 0 else None,
        surprised=bool(state["attack_surprised"]),
        killed=bool(state["attack_killed"]),
        ambush=bool(state["attack_ambush"]),
        moved=bool(state["attack_moved"]),
    )


def read_activation(state: Any, by_row: dict[int, Token], hexes: list[Hex]) -> Activation:
    """Return the activation under way."""
    cell = int(state["act_hex"])
    return Activation(
        verb=Verb(int(state["act_verb"])),
        unit=by_row.get(int(state["act_unit"])),
        token=by_row.get(int(state["act_token"])),
        target=by_row.get(int(state["act_target"])),
        hex=hexes[cell] if cell >= 0 else None,
    )


def read_hits(state: Any, by_row: dict[int, Token]) -> list[Hit]:
    """Return the damage that is about to be applied."""
    return [
        Hit(
            target=by_row[int(state["damage_target"][i])],
            amount=int(state["damage_amount"][i]),
            is_scatter=bool(state["damage_scatter"][i]),
            asked=bool(state["damage_saved"][i]),
        )
        for i in range(int(state["num_damages"]))
    ]


def read_modifiers(config: Config, state: Any, by_row: dict[int, Token]) -> list[tuple[Token, AnyEffect]]:
    """Return the effects of texts on units until the end of the turn; the state counts the effects of each text."""
    found = []
    for i in range(int(state["num_modifiers"])):
        for effect in effects_of(config, int(state["modifier_type"][i]), int(state["modifier_rows"][i])):
            found.append((by_row[int(state["modifier_token"][i])], effect))
    return found


def read_ghosts(config: Config, state: Any, hexes: list[Hex]) -> list[Ghost]:
    """Return the bonuses of dead augmenters: what was printed on them, and what texts granted them."""
    ghosts: list[Ghost] = []
    augmenter = 0
    for i in range(int(state["num_ghosts"])):
        number, count = int(state["ghost_type"][i]), int(state["ghost_rows"][i])
        augmenter += not state["ghost_same"][i]
        if count == PRINTED:
            unit = config.tokens[number]
            assert isinstance(unit, Unit)
            abilities = list(unit.abilities)
        else:
            granted = effects_of(config, number, count)
            abilities = [effect.ability for effect in granted if isinstance(effect, GrantEffect)]
        place, controller = hexes[int(state["ghost_hex"][i])], int(state["ghost_controller"][i])
        ghosts += [Ghost(augmenter, place, controller, one) for one in abilities if isinstance(one, AugmentAbility)]
    return ghosts


def effects_of(config: Config, number: int, count: int) -> tuple[AnyEffect, ...]:
    """Return the first `count` effects of a text."""
    text = config.tokens[number]
    assert isinstance(text, Text)
    return text.effects[:count]
