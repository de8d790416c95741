"""Snapshots of a game as plain data, of the referee's table and of the engine's state."""

from __future__ import annotations

from typing import Any

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from tests.territories.referee.game import Referee
from tests.territories.referee.rulebook import CARDS, UNITS
from tests.territories.referee.table import SIDES, Skirmish, Table, no_units

Snapshot = dict[str, Any]


def or_none(seat: Any) -> int | None:
    return None if seat < 0 else int(seat)


# --- the referee's


def referee_snapshot(referee: Referee) -> Snapshot:
    """Return all that the referee knows, hidden facts included."""
    table = referee.table
    return {
        "player": referee.player,
        "legal": sorted(referee.legal),
        "active": table.active,
        "first_player": table.first_player,
        "rounds": table.rounds,
        "attacks": table.attacks,
        "victories": table.victories,
        "barred": table.is_barred,
        "safe": sorted(table.safe),
        "owners": dict(table.owner),
        "units": {territory: dict(units) for territory, units in table.units.items()},
        "garrison": {player: dict(units) for player, units in table.garrison.items()},
        "alive": dict(table.is_alive),
        "hands": {player: [tuple(card) for card in hand] for player, hand in table.hand.items()},
        "deck": dict(table.deck),
        "discards": dict(table.discards),
        "cycle": table.cycle,
        "board": board_of(table),
        "terminated": table.is_terminated,
        "truncated": table.is_truncated,
        "winner": table.winner,
        "returns": [np.float32(earned) for earned in table.returns().values()],
    }


def board_of(table: Table) -> Snapshot:
    """Return what is on the battle board; unassigned dice and counters are sorted."""
    battle = table.battle
    return {
        "units": {side: dict(battle.units[side]) if battle else no_units() for side in SIDES},
        "counters": {side: sorted(battle.counters[side]) if battle else [] for side in SIDES},
        "dice": {side: sorted(battle.dice[side]) if battle else [] for side in SIDES},
        "played": {side: sorted(battle.played[side]) if battle else [] for side in SIDES},
        "skirmishes": [plain_skirmish(skirmish) for skirmish in battle.skirmishes] if battle else [],
    }


def plain_skirmish(skirmish: Skirmish) -> Snapshot:
    return {
        "dice": {side: sorted(skirmish.dice[side]) for side in SIDES},
        "counters": dict(skirmish.counters),
        "cards": dict(skirmish.cards),
        "over": skirmish.is_over,
    }


# --- the engine's


def engine_snapshot(game: Game, states: Records, territories: list[int]) -> Snapshot:
    """Return the same snapshot, taken from the state `states[0]`.

    Args:
        game: the game.
        states: `(n,)`.
        territories: numbers of the territories on the map.
    """
    state = states[0]
    returns = np.zeros((1, game.num_players), np.float32)
    game.returns(game.params, states[:1], returns)
    players = range(game.num_players)
    is_over = bool(state["terminated"] or state["truncated"])
    return {
        "player": or_none(state["current_player"]),
        "legal": [] if is_over else legal_ids(state["legal"]),
        "active": or_none(state["active"]),
        "first_player": int(state["first_player"]),
        "rounds": int(state["rounds"]),
        "attacks": int(state["attacks"]),
        "victories": int(state["victories"]),
        "barred": bool(state["barred"]),
        "safe": [number for number in territories if state["territory_safe"][number - 1]],
        "owners": {number: or_none(state["territory_owner"][number - 1]) for number in territories},
        "units": {number: read_units(state["territory_units"][number - 1]) for number in territories},
        "garrison": {player: read_units(state["garrison"][player]) for player in players},
        "alive": {player: bool(state["alive"][player]) for player in players},
        "hands": {player: read_hand(state, player) for player in players},
        "deck": read_cards(state["deck"]),
        "discards": read_cards(state["discards"]),
        "cycle": int(state["cycle"]),
        "board": read_board(state),
        "terminated": bool(state["terminated"]),
        "truncated": bool(state["truncated"]),
        "winner": or_none(state["winner"]),
        "returns": list(returns[0]),
    }


def read_units(numbers: Any) -> dict[str, int]:
    return dict(zip(UNITS, numbers.tolist(), strict=True))


def read_cards(numbers: Any) -> dict[int, int]:
    return dict(zip(CARDS, numbers.tolist(), strict=True))


def read_hand(state: Any, player: int) -> list[tuple[int, int]]:
    number = int(state["hand_count"][player])
    kinds, cycles = state["hand"][player][:number].tolist(), state["hand_cycle"][player][:number].tolist()
    return [(kind + 1, cycle) for kind, cycle in zip(kinds, cycles, strict=True)]


def read_faces(numbers: Any) -> list[int]:
    """Return the faces of dice from their counts by face, from 2 up."""
    return [face for face, number in enumerate(numbers.tolist(), start=2) for _ in range(number)]


def read_board(state: Any) -> Snapshot:
    bonuses = {
        side: [
            bonus for bonus, number in enumerate(state["board_counters"][row].tolist(), start=1) for _ in range(number)
        ]
        for row, side in enumerate(SIDES)
    }
    played = {
        side: [kind for kind, number in read_cards(state["played"][row]).items() for _ in range(number)]
        for row, side in enumerate(SIDES)
    }
    return {
        "units": {side: read_units(state["board_units"][row]) for row, side in enumerate(SIDES)},
        "counters": bonuses,
        "dice": {side: read_faces(state["loose_dice"][row]) for row, side in enumerate(SIDES)},
        "played": played,
        "skirmishes": [read_skirmish(state, place) for place in range(int(state["num_skirmishes"]))],
    }


def read_skirmish(state: Any, place: int) -> Snapshot:
    return {
        "dice": {side: read_faces(state["skirmish_dice"][place, row]) for row, side in enumerate(SIDES)},
        "counters": {side: int(state["skirmish_counters"][place, row]) for row, side in enumerate(SIDES)},
        "cards": {side: int(state["skirmish_cards"][place, row]) for row, side in enumerate(SIDES)},
        "over": bool(state["skirmish_over"][place]),
    }
