"""Dump of any state as a scenario, with the referee's full truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.chance import forced_left
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.territories.config import Config
from sackarmies_env.games.territories.scenario.schema import SETUP, card_names, names_of
from sackarmies_env.games.territories.scenario.sequence import FROM, SIDES
from sackarmies_env.games.territories.state.constants import (
    FIRST_FACE,
    NO_TERRITORY,
    NO_UNIT,
    Decision,
    Event,
    Frame,
    Stage,
    TurnStep,
    Unit,
)

UNITS = names_of(Unit)
CHANCE = ("flip_key", "flip_count", "draw_key", "draw_count")
Entry = dict[str, Any]


def to_scenario(config: Config, states: NDArray[np.void]) -> Entry:
    """Return `states[0]`, at any decision or after the end, as a scenario that loads to an equal state.

    Args:
        config: the configuration that the state belongs to.
        states: `(n,)`, read only.
    """
    return Dump(config, states).scenario()


class Dump:
    """Converter of `states[0]` to a scenario."""

    def __init__(self, config: Config, states: NDArray[np.void]) -> None:
        self.config = config
        self.states = states
        self.state: Any = states.view(np.ndarray)[0]
        self.decision = Decision(int(self.state["decision"]))
        self.top = int(self.state["frame_top"])
        self.kind = Frame(int(self.state["frame_kind"][self.top]))
        self.numbers: list[int] = self.state["frame_data"][self.top].tolist()
        self.chosen = int(self.state["chain"][0]) if self.state["chain_length"] else None

    def scenario(self) -> Entry:
        """Return the scenario as plain data."""
        data: Entry = {"game": "territories", "num_players": self.config.num_players, "map": self.config.board.name}
        data["switches"] = self.config.switches.changed()
        data |= {"first_player": int(self.state["first_player"])} | self.turn() | self.end() | self.under_way()
        data |= {"cycle": int(self.state["cycle"])}
        data |= {name: self.pile(name) for name in ("deck", "discards")}
        data |= {"dice": " ".join(map(str, forced_left(self.states, "dice")[0]))}
        draws = [self.cards(queue) for queue in forced_left(self.states, "draws")[: self.config.num_players]]
        data |= {"draws": draws} if any(draws) else {}
        data["chance"] = {name: self.state[name].tolist() for name in CHANCE}
        data |= {"territory": self.territories(), "player": self.players(), "event": self.events()}
        return data

    # --- the course of the game

    def turn(self) -> Entry:
        """Return where the game is in the turn or the set-up."""
        state = self.state
        data: Entry = {"rounds": int(state["rounds"])}
        if state["frame_kind"][0] == Frame.SETUP:
            return data | {"step": SETUP, "placed": int(state["frame_data"][0, 0])}
        step = TurnStep(int(state["frame_step"][0]))
        is_exchange = self.kind == Frame.EXCHANGE and step == TurnStep.ATTACK
        actions, moves, licensed, penalty = state["frame_data"][0].tolist()
        data |= {"active": int(state["active"]), "turn": int(state["turn"])}
        data |= {"step": "exchange" if is_exchange else step.name.lower()}
        data |= {"actions_left": actions, "free_moves": moves}
        data |= {name: int(state[name]) for name in ("attacks", "victories")}
        data |= {"barred": bool(state["barred"])} | ({"licensed": True} if licensed else {})
        data |= {"penalty": penalty} if penalty else {}
        for name in ("traded_in", "traded_out"):
            if state[name] != NO_UNIT:
                data[name] = UNITS[state[name]]
        return data

    def end(self) -> Entry:
        """Return how the game ended; empty if it goes on."""
        if self.state["truncated"]:
            return {"truncated": True}
        return {"winner": int(self.state["winner"])} if self.state["terminated"] else {}

    def under_way(self) -> Entry:
        """Return the procedure that is under way above the turn."""
        if self.kind == Frame.EXCHANGE:
            return {"exchanging": True}
        if self.kind == Frame.REINFORCE:
            entry = {"left": self.numbers[0]}
            return {"reinforcement": entry | ({} if self.chosen is None else {"territory": self.chosen + 1})}
        if self.kind == Frame.MOVE:
            return {"move": self.route() | {"moved": self.numbers[1]} | self.unit()}
        if self.kind == Frame.BATTLE:
            return {"attack": self.attack()}
        return {} if self.chosen is None else {"placing": self.chosen}

    def route(self) -> Entry:
        """Return source and target of an attack or a move."""
        places = {name: int(self.state[name]) for name in ("source", "target")}
        return {name: place + 1 for name, place in places.items() if place != NO_TERRITORY}

    def unit(self) -> Entry:
        """Return the unit type named, whose number is asked; empty if there is none."""
        return {} if self.chosen is None else {"unit": UNITS[self.chosen]}

    # --- the battle board

    def attack(self) -> Entry:
        """Return the attack that is under way."""
        stage = Stage(int(self.state["frame_step"][self.top]))
        data = self.route() | {"stage": stage.name.lower()}
        data |= {name: self.side(side) for side, name in enumerate(SIDES)}
        skirmishes = [self.skirmish(number) for number in range(int(self.state["num_skirmishes"]))]
        data |= {"skirmish": skirmishes} if skirmishes else {}
        return data | self.course(stage) | self.choice(stage)

    def course(self, stage: Stage) -> Entry:
        """Return the numbers of an attack, whose meanings depend on its stage."""
        first, second, third = self.numbers[:3]
        if stage <= Stage.DEFENSE_TWOS:
            return {"ones": first, "twos": second}
        if stage < Stage.ORDER:
            return {"reserve_losses": first} if first else {}
        data: Entry = {"loser": SIDES[first]} | ({"rout": True} if third else {})
        if self.decision == Decision.EXTRA_LOSS_UNIT:
            return data | {"extra_from": next(name for name, number in FROM.items() if number == second)}
        return data | ({"extra": second} if second else {})

    def choice(self, stage: Stage) -> Entry:
        """Return the first part of a choice that is not complete."""
        if self.decision == Decision.TRADE_DOWN:
            return {"trading": True}
        if self.chosen is None or stage in (Stage.DECLARE, Stage.ANSWER):
            return self.unit()
        if stage in (Stage.ATTACK_COUNTERS, Stage.DEFENSE_COUNTERS):
            return {"counter": self.chosen + 1}
        return {"card": card_names()[self.chosen]}

    def side(self, side: int) -> Entry:
        """Return what a side has on the battle board."""
        counters = enumerate(self.state["board_counters"][side].tolist(), 1)
        played = self.state["played"][side].tolist()
        return {
            "units": _units(self.state["board_units"][side]),
            "counters": [bonus for bonus, count in counters for _ in range(count)],
            "dice": _dice(self.state["loose_dice"][side]),
            "cards": [name for name, count in zip(card_names(), played, strict=True) for _ in range(count)],
        }

    def skirmish(self, number: int) -> Entry:
        """Return a skirmish."""
        entry: Entry = {name: _dice(self.state["skirmish_dice"][number, side]) for side, name in enumerate(SIDES)}
        for side, name in enumerate(SIDES):
            entry[f"{name}_counters"] = int(self.state["skirmish_counters"][number, side])
            entry[f"{name}_cards"] = int(self.state["skirmish_cards"][number, side])
        return entry | {"resolved": bool(self.state["skirmish_over"][number])}

    # --- map, cards, events

    def cards(self, kinds: Sequence[int]) -> list[str]:
        """Return the names of cards."""
        return [card_names()[kind] for kind in kinds]

    def pile(self, field: str) -> dict[str, int]:
        """Return a pile of cards: name -> number."""
        counts = self.state[field].tolist()
        return {name: count for name, count in zip(card_names(), counts, strict=True) if count}

    def territories(self) -> list[Entry]:
        """Return the territories with an owner, and those that are safe from attacks."""
        found = []
        for number in self.config.board.numbers:
            owner = int(self.state["territory_owner"][number - 1])
            entry: Entry = {"number": number} | ({} if owner == NO_PLAYER else {"owner": owner})
            units = _units(self.state["territory_units"][number - 1])
            entry |= {} if owner == NO_PLAYER else {"units": units}
            entry |= {"safe": True} if self.state["territory_safe"][number - 1] else {}
            found += [entry] if len(entry) > 1 else []
        return found

    def players(self) -> list[Entry]:
        """Return what each player has off the map."""
        found = []
        for seat in range(self.config.num_players):
            count = int(self.state["hand_count"][seat])
            entry: Entry = {"hand": self.cards(self.state["hand"][seat, :count].tolist())}
            entry |= {"cycles": self.state["hand_cycle"][seat, :count].tolist()} if count else {}
            cycles = zip(card_names(), self.state["taken_cycle"][seat].tolist(), strict=True)
            taken = {name: cycle for name, cycle in cycles if cycle}
            entry |= {"taken": taken} if taken else {}
            rolled = _dice(self.state["rolled"][seat], 1)
            entry |= {"rolled": rolled} if rolled else {}
            entry |= {"garrison": _units(self.state["garrison"][seat])}
            found.append(entry if self.state["alive"][seat] else entry | {"alive": False})
        return found

    def events(self) -> list[Entry]:
        """Return the latest public events, latest first."""
        state, found = self.state, []
        for number in range(int(np.count_nonzero(state["log_kind"]))):
            entry: Entry = {"kind": Event(int(state["log_kind"][number])).name.lower()}
            player, place = int(state["log_player"][number]), int(state["log_place"][number])
            entry |= {} if player == NO_PLAYER else {"player": player}
            entry |= {} if place == NO_TERRITORY else {"territory": place + 1}
            found.append(entry | {"value": int(state["log_value"][number])})
        return found


def _units(counts: NDArray[np.int8]) -> dict[str, int]:
    return {name: count for name, count in zip(UNITS, counts.tolist(), strict=True) if count}


def _dice(counts: NDArray[np.int8], first: int = FIRST_FACE) -> list[int]:
    return [face for face, count in reversed(list(enumerate(counts.tolist(), first))) for _ in range(count)]
