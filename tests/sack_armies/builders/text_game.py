"""Games played by text: a scenario, the text forms of actions, and questions about the position."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sackarmies_env.core.chance import forced_left
from sackarmies_env.games import sack_armies
from sackarmies_env.games.sack_armies.rules import stats
from sackarmies_env.games.sack_armies.scenario.document import start_scenario, to_scenario
from sackarmies_env.games.sack_armies.state.constants import Decision, Face, Zone
from tests.sack_armies.builders import entry

SCENARIOS = Path(sack_armies.__file__).parent / "scenario" / "built_in"

# Board B1 of the worked examples: five plain battlefields a General, the neutral hex (1,0) next to both.
B1 = {0: ["0,0", "-1,0", "-2,0", "-1,1", "-2,1"], 1: ["2,0", "3,0", "4,0", "3,-1", "4,-1"]}


def at(text: str) -> list[int]:
    """Return the coordinates in "1,-1"."""
    return [int(number) for number in text.split(",")]


def token(token_id: str, **values: Any) -> dict[str, Any]:
    """Return an inline unit `token_id`: M1 D1 A1 without abilities, unless `values` say otherwise."""
    return {"id": token_id, "kind": "unit", "movement": 1, "damage": 1, "armor": 1} | values


def unit(token_id: str, hex_text: str, owner: int = 0, **values: Any) -> dict[str, Any]:
    """Return a face-up unit entry; `values` such as `face="down"`, `attached=[attachment(...)]`."""
    return {"token": token_id, "at": at(hex_text), "owner": owner, "face": "up"} | values


def attachment(token_id: str, face: str = "down", owner: int | None = None, **values: Any) -> dict[str, Any]:
    """Return an attachment entry; the owner defaults to the host's."""
    return {"token": token_id, "face": face} | ({} if owner is None else {"owner": owner}) | values


def field(hex_text: str, owner: int = 0, token_id: str = "plain", controller: int | None = None) -> dict[str, Any]:
    """Return a battlefield entry; the controller defaults to the owner."""
    return {
        "token": token_id,
        "at": at(hex_text),
        "owner": owner,
        "controller": owner if controller is None else controller,
    }


def position(
    tokens: list[dict[str, Any]],
    units: list[dict[str, Any]],
    flips: str = "",
    fields: list[dict[str, Any]] | None = None,
    **keys: Any,
) -> dict[str, Any]:
    """Return a scenario on board B1 (or on `fields`) for two Generals, General 0 to move, default switches.

    Each General has one unit in the sack that never enters the game, so that nobody runs out of units; `keys` are
    further entries of the scenario (`to_move`, `switches`, `draws`, `general`, `generals`).
    """
    spare = {"hand": [], "sack": ["spare"], "casualties": [], "removed": []}
    generals = keys.get("generals", 2)
    return {
        "game": "sack_armies",
        "generals": generals,
        "to_move": 0,
        "flips": flips,
        "token": [{"id": "spare", "kind": "unit", "movement": 1, "damage": 1, "armor": 1}, *tokens],
        "battlefield": [field(h, g) for g, hexes in B1.items() for h in hexes] if fields is None else fields,
        "unit": units,
        "general": [spare] * generals,
    } | keys


@dataclass(frozen=True)
class UnitView:
    """One unit on the board as the referee sees it."""

    id: str
    owner: int
    face: str
    attachments: tuple[str, ...]  # ids in slot order
    attachment_faces: tuple[str, ...]
    captives: tuple[str, ...]  # ids, sorted
    employed: bool
    moved: bool


@dataclass(frozen=True)
class FieldView:
    """One battlefield as everybody sees it."""

    id: str
    owner: int
    controller: int


class TextGame:
    """One game from a scenario, played by text; each text is an action of the current player."""

    def __init__(self, scenario: dict[str, Any] | str | Path) -> None:
        game = start_scenario(scenario)
        self.config = game.config
        self.params = game.params
        self.states = game.states
        self.text = game.text
        self.type_ids = self.config.type_ids

    def copy(self) -> TextGame:
        """Return an independent table with the same game, to try several continuations."""
        other = copy.copy(self)
        other.states = self.states.copy()
        return other

    # --- playing

    def do(self, *texts: str) -> TextGame:
        """Play the texts in order; raises ValueError at the first that is not legal."""
        for text in texts:
            action = self.text.parse_action(self.states, text)
            entry.step(self.params, self.states, np.array([action], np.int64))
            assert self.state["error"] == 0, f"engine error {self.state['error']} after {text!r}"
        return self

    def pass_all(self) -> TextGame:
        """Pass in reaction windows until something else is asked."""
        while self.decision == Decision.WINDOW:
            self.do("pass")
        return self

    def legal(self) -> list[str]:
        """Return the texts of the legal actions, in the order of the mask."""
        mask = np.zeros((1, self.text.num_actions), np.int8)
        entry.legal_actions(self.params, self.states, mask)
        return [self.text.format(int(action)) for action in np.flatnonzero(mask[0])]

    # --- asking

    @property
    def state(self) -> Any:
        """The record of the game; read it as `state["field"]`."""
        return self.states.view(np.ndarray)[0]

    @property
    def player(self) -> int:
        """The current player, -1 once the game is over."""
        return int(self.state["current_player"])

    @property
    def active(self) -> int:
        """Seat whose turn it is."""
        return int(self.state["active"])

    @property
    def turn(self) -> int:
        """Turns begun so far."""
        return int(self.state["turn"])

    @property
    def decision(self) -> Decision:
        """What the current player is asked."""
        return Decision(int(self.state["decision"]))

    @property
    def terminated(self) -> bool:
        """Whether the rules ended the game."""
        return bool(self.state["terminated"])

    @property
    def winner(self) -> int:
        """Seat of the winner, -1 while there is none."""
        return int(self.state["winner"])

    def alive(self, general: int) -> bool:
        """Return whether the General is still in the game."""
        return bool(self.state["general_alive"][general])

    def unit(self, hex_text: str) -> UnitView | None:
        """Return the unit on a hex such as "1,-1"."""
        state = self.state
        row = int(state["cell_unit"][self.config.grid.cell(*at(hex_text))])
        if row < 0:
            return None
        stack = []
        attached = int(state["token_first"][row])
        while attached >= 0:
            stack.append(attached)
            attached = int(state["token_next"][attached])
        held = np.flatnonzero((state["token_zone"] == Zone.CAPTURED) & (state["token_host"] == row))
        return UnitView(
            self._id(row),
            int(state["token_owner"][row]),
            self._face(row),
            tuple(self._id(attached) for attached in stack),
            tuple(self._face(attached) for attached in stack),
            tuple(sorted(self._id(int(captive)) for captive in held)),
            bool(state["token_employed"][row]),
            bool(state["token_moved"][row]),
        )

    def stat(self, hex_text: str, name: str) -> int:
        """Return the effective "movement", "damage" or "armor" of the unit on a hex."""
        row = int(self.state["cell_unit"][self.config.grid.cell(*at(hex_text))])
        stat = {
            "movement": stats.effective_movement,
            "damage": stats.effective_damage,
            "armor": stats.effective_armor,
        }[name]
        return int(stat(self.params[0], self.states[0], np.int64(row)))

    def field(self, hex_text: str) -> FieldView | None:
        """Return the battlefield on a hex."""
        row = int(self.state["cell_field"][self.config.grid.cell(*at(hex_text))])
        if row < 0:
            return None
        return FieldView(self._id(row), int(self.state["token_owner"][row]), int(self.state["token_controller"][row]))

    def zone(self, general: int, zone: Zone) -> list[str]:
        """Return the ids of the tokens that the General owns in a zone, sorted."""
        state = self.state
        rows = np.flatnonzero((state["token_zone"] == zone) & (state["token_owner"] == general))
        return sorted(self._id(int(row)) for row in rows)

    def casualties(self, general: int) -> list[str]:
        """Return the ids on the General's casualties pile, sorted."""
        return self.zone(general, Zone.CASUALTIES)

    def removed(self, general: int) -> list[str]:
        """Return the ids of the General's tokens removed from play, sorted."""
        return self.zone(general, Zone.REMOVED)

    def hand(self, general: int) -> list[str]:
        """Return the ids in the General's hand, sorted."""
        return self.zone(general, Zone.HAND)

    def sack(self, general: int) -> list[str]:
        """Return the ids in the General's sack, sorted."""
        return self.zone(general, Zone.SACK)

    def flips_left(self) -> int:
        """Return how many forced flips are left."""
        return len(forced_left(self.states, "flips")[0])

    def dump(self) -> dict[str, Any]:
        """Return the position as a scenario."""
        return to_scenario(self.params, self.config, self.states)

    def _id(self, row: int) -> str:
        return self.type_ids[int(self.state["token_type"][row])]

    def _face(self, row: int) -> str:
        return "up" if self.state["token_face"][row] == Face.UP else "down"
