"""Dump of a state: any state as a scenario, with the referee's full truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.chance import forced_left
from sackarmies_env.core.state import alloc
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.games.sack_armies.config import Config
from sackarmies_env.games.sack_armies.play.step_batch import step_batch
from sackarmies_env.games.sack_armies.scenario.fill import ROWS_KEY, assign_rows, fill_state
from sackarmies_env.games.sack_armies.scenario.names import Names, piece_names
from sackarmies_env.games.sack_armies.scenario.procedure import CHANCE, PROCEDURE, STREAMS, ProcedureDump
from sackarmies_env.games.sack_armies.scenario.schema import PILES, Scenario, pieces_of
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Face, Frame, Kind, Victory, Zone
from sackarmies_env.games.sack_armies.tokens.schema import token_data

FACES = {Face.UP: "up", Face.DOWN: "down"}


class Dump:
    """Writer of `states[0]` as a scenario; it notes the rows of the tokens in order of appearance."""

    def __init__(self, params: NDArray[np.void], config: Config, states: NDArray[np.void]) -> None:
        self.params = params
        self.config = config
        self.states = states
        self.state: Any = states.view(np.ndarray)[0]
        self.grid = config.grid
        self.rows: list[int] = []

    def scenario(self) -> dict[str, Any]:
        """Return the scenario as plain data."""
        setup = self.state["frame_kind"][0] == Frame.SETUP
        data: dict[str, Any] = {"game": "sack_armies", "generals": self.config.num_generals}
        data["to_move"] = max(0, int(self.state["current_player" if setup else "active"]))
        data |= {"setup": True} if setup else {"turn": int(self.state["turn"])}
        data |= {"flips": self.flips(), "draws": self.draws()}
        if self.state["terminated"] or self.state["truncated"]:
            data["winner"] = int(self.state["winner"])
            data["victory_type"] = "none"
            if self.state["terminated"]:
                data["victory_type"] = Victory(int(self.state["victory_type"])).name.lower()
        data["switches"] = self.config.switches.changed()
        data["token"] = [token_data(token) for token in self.config.inline_tokens]
        data |= {"battlefield": self.battlefields(), "unit": self.units(), "general": self.generals()}
        return data | self.course(data)

    # --- tokens

    def note(self, row: int) -> str:
        """Note that the token of `row` appears next; return its id."""
        self.rows.append(row)
        return self.config.type_ids[int(self.state["token_type"][row])]

    def on_board(self, kind: Kind) -> list[int]:
        """Return the rows of the tokens of a kind on the board, in rising order."""
        kinds = self.params["type_kind"][0]
        on_board = np.flatnonzero(self.state["token_zone"] == Zone.BATTLEGROUND)
        return [int(row) for row in on_board if kinds[self.state["token_type"][row]] == kind]

    def place(self, row: int) -> dict[str, Any]:
        """Return id, hex and owner of a token on the board."""
        cell = int(self.state["token_hex"][row])
        at = [int(self.grid.q[cell]), int(self.grid.r[cell])]
        return {"token": self.note(row), "at": at, "owner": int(self.state["token_owner"][row])}

    def battlefields(self) -> list[dict[str, Any]]:
        """Return the battlefields on the board."""
        return [
            self.place(row) | {"controller": int(self.state["token_controller"][row])}
            for row in self.on_board(Kind.BATTLEFIELD)
        ]

    def units(self) -> list[dict[str, Any]]:
        """Return the units on the board with what is under them."""
        return [self.unit(row) for row in self.on_board(Kind.UNIT)]

    def unit(self, row: int) -> dict[str, Any]:
        """Return one unit."""
        entry = self.place(row) | {"face": self.face(row)}
        attached, token = [], int(self.state["token_first"][row])
        while token != NO_TOKEN:
            held = {"token": self.note(token), "face": self.face(token), "owner": int(self.state["token_owner"][token])}
            attached.append(held | {"active": bool(self.state["token_active"][token])})
            token = int(self.state["token_next"][token])
        captives = [
            {"token": self.note(token), "owner": int(self.state["token_owner"][token]), "face": self.face(token)}
            for token in self.captives(row)
        ]
        return entry | {"attached": attached, "captives": captives}

    def captives(self, captor: int) -> list[int]:
        """Return the rows of a unit's captives, in order of capture."""
        held = (self.state["token_zone"] == Zone.CAPTURED) & (self.state["token_host"] == captor)
        before = {int(self.state["token_next"][row]): row for row in np.flatnonzero(held).tolist()}
        rows, row = [], before.get(NO_TOKEN)
        while row is not None:
            rows.append(row)
            row = before.get(row)
        return rows[::-1]

    def face(self, row: int) -> str:
        """Return which way a token faces: "up" or "down"."""
        return FACES[Face(int(self.state["token_face"][row]))]

    def generals(self) -> list[dict[str, Any]]:
        """Return what each General has off the board."""
        return [self.general(seat) for seat in range(self.config.num_generals)]

    def general(self, seat: int) -> dict[str, Any]:
        """Return what one General has off the board."""
        entry: dict[str, Any] = {key: self.pile(seat, zone) for key, zone in PILES}
        if not entry["picked"]:
            del entry["picked"]
        return entry if self.state["general_alive"][seat] else entry | {"alive": False}

    def pile(self, seat: int, zone: Zone) -> list[str]:
        """Return the ids of a General's tokens in a zone."""
        there = (self.state["token_zone"] == zone) & (self.state["token_owner"] == seat)
        return [self.note(row) for row in np.flatnonzero(there).tolist()]

    # --- chance and the course of the game

    def flips(self) -> str:
        """Return the forced flips that are left."""
        return " ".join("H" if flip else "T" for flip in forced_left(self.states, "flips")[0])

    def draws(self) -> list[list[str]]:
        """Return the forced draws that are left; an empty list if there are none."""
        queues = forced_left(self.states, "draws")[: self.config.num_generals]
        left = [[self.config.type_ids[token] for token in queue] for queue in queues]
        return left if any(left) else []

    def course(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return `chance` and `procedure`: how the state differs from the position that `data` shows.

        `seed` stands in for streams that are as it begins them: without either, a reset would seed them anew.
        """
        position = Scenario.model_validate(data)
        plain = alloc(self.states.dtype, 1)
        pieces = pieces_of(position)
        fill_state(self.params, self.config, position, pieces, self.rows, plain)
        dump = ProcedureDump(self.config, Names(self.config, pieces, self.rows))
        chance = dump.encode(self.states, plain, CHANCE)
        procedure = {} if self.follows_from(plain, dump) else dump.encode(self.states, plain, PROCEDURE)
        if self.rows != assign_rows(self.params, self.config, pieces):
            procedure[ROWS_KEY] = self.order(piece_names(pieces))
        begun: dict[str, Any] = {} if any(name in chance for name in STREAMS) else {"seed": position.seed}
        return begun | ({"chance": chance} if chance else {}) | ({"procedure": procedure} if procedure else {})

    def order(self, names: list[str]) -> list[list[str]]:
        """Return the names of each General's tokens in the order of their rows; `names` are in order of appearance."""
        per_general = int(self.params["tokens_per_general"][0])
        by_row = sorted(zip(self.rows, names, strict=True))
        return [
            [name for row, name in by_row if row // per_general == seat] for seat in range(self.config.num_generals)
        ]

    def follows_from(self, plain: NDArray[np.void], dump: ProcedureDump) -> bool:
        """Return whether a game that starts from the position `plain` has exactly this state at its first decision."""
        resumed = plain.copy()
        dispatch(step_batch, self.params, resumed, Command.RESUME)
        used = resumed["script_flips_used"].any() or resumed["script_draws_used"].any()
        return not (used or dump.encode(self.states, resumed, PROCEDURE) or dump.encode(plain, resumed, CHANCE))


def to_scenario(params: NDArray[np.void], config: Config, states: NDArray[np.void]) -> dict[str, Any]:
    """Return `states[0]`, in any phase, as a scenario of JSON and TOML types that loads to an equal state.

    Args:
        params: `(1,)`, of `config`.
        config: the configuration that the state belongs to.
        states: `(n,)`, read only.
    """
    return Dump(params, config, states).scenario()
