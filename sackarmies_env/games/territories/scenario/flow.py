"""Validation of what is under way: compiled rules trust a state, so its parts must be consistent.

At most one thing is under way above the turn: a reinforcement, an exchange step, a move or an attack. Each may hold
the first part of a choice; then the second part is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.messages import join, quote
from sackarmies_env.games.territories.config import Config
from sackarmies_env.games.territories.data.schema import load_rulebook
from sackarmies_env.games.territories.scenario.battle import battle_faults
from sackarmies_env.games.territories.scenario.fill import units_out
from sackarmies_env.games.territories.scenario.schema import MOST_FREE_MOVES, SETUP, STANDARD, Scenario, TerritoryEntry
from sackarmies_env.games.territories.scenario.sequence import actions_left
from sackarmies_env.games.territories.state.constants import NUM_UNITS, Effect, Unit

STEPS = {  # the steps in which each may be under way
    "placing": ("standard",),
    "reinforcement": ("standard",),
    "exchanging": ("standard", "exchange"),
    "move": ("standard", "attack", "move"),
    "attack": ("attack",),
}
OCCUPIES = "attack"  # the step in which a move is the occupation of a target


def flow_faults(config: Config, params: NDArray[np.void], scenario: Scenario) -> list[str]:
    """Return the inconsistencies in what is under way; an empty list if there are none.

    A game that is over is not played on, so only its form is checked.

    Args:
        config: configuration of the scenario.
        params: `(1,)`, that configuration as parameters.
        scenario: a position in which `problems_of` finds no faults.
    """
    faults = [*_kinds(scenario)]
    if faults or scenario.is_over:
        return faults
    board = {each.number: each for each in scenario.territory}
    faults = [*_setup(params, scenario), *_exchange(params, scenario), *_penalty(scenario)]
    faults += [*_free_moves(scenario), *_reinforcement(params, scenario, board)]
    faults += _move(config, scenario, board)
    return faults or list(battle_faults(config, params, scenario, board))


def _kinds(scenario: Scenario) -> Iterator[str]:
    """Check that at most one thing is under way, in a step that allows it."""
    under_way = [key for key in STEPS if getattr(scenario, key)]
    if len(under_way) > 1:
        yield f"{join(under_way)} cannot be combined: only one of them can be under way"
    for key in under_way:
        if scenario.step not in STEPS[key]:
            yield f"{key}: not possible in the step {quote(scenario.step)}; allowed are {join(STEPS[key])}"
    if scenario.placed and scenario.step != SETUP:
        yield f"placed is {scenario.placed}, but the step is {quote(scenario.step)}, not {quote(SETUP)}"


def _setup(params: NDArray[np.void], scenario: Scenario) -> Iterator[str]:
    """Check that all remaining placements can be made (TR-DP1)."""
    if not scenario.is_setup:
        return
    each, players = int(params["placements"][0]), scenario.num_players
    if scenario.placed >= each * players:
        yield f"placed is {scenario.placed}, but the set-up ends after {each * players} placements"
    left = params["garrison"][0, Unit.TROOP] - units_out(scenario)[:, Unit.TROOP]
    for seat, player in enumerate(scenario.players):
        order = (seat - scenario.first_player) % players
        due = sum(number % players == order for number in range(scenario.placed, each * players))
        troops = due * int(params["placed_troops"][0])
        if player.alive and left[seat] < troops:
            yield f"player {seat} must still place {troops} troops, but has {left[seat]} in the garrison"


def _exchange(params: NDArray[np.void], scenario: Scenario) -> Iterator[str]:
    """Check that the types to exchange differ, and that both are given unless the second is asked."""
    traded = scenario.traded_in, scenario.traded_out
    if traded == (None, None):
        return
    if scenario.traded_in is None or (scenario.traded_out is None and not scenario.exchanging):
        yield "traded_in and traded_out must be given together"
    elif traded[0] == traded[1]:
        yield f"traded_in and traded_out must be different types, not both {quote(traded[0])}"
    elif scenario.traded_out is None and not _can_trade(params, scenario, Unit[scenario.traded_in.upper()]):
        yield f"traded_in is {quote(traded[0])}, but this type cannot be traded in for any other"


def _can_trade(params: Any, scenario: Scenario, traded_in: Unit) -> bool:
    """Return whether a type can be traded in for any other (TR-X2, TR-X3)."""
    values = params["unit_value"][0]
    most = [each.units.counts[traded_in] for each in scenario.territory if each.owner == scenario.mover]
    left = params["garrison"][0] - units_out(scenario)[scenario.mover or 0]
    return any(
        unit != traded_in and left[unit] > 0 and values[traded_in] * max(most, default=0) >= values[unit]
        for unit in range(NUM_UNITS)
    )


def _penalty(scenario: Scenario) -> Iterator[str]:
    """Check that a penalty is paid in the step of that name, with troops on the map (TR-G2)."""
    if scenario.penalty and scenario.step != "penalty":
        yield f'penalty is {scenario.penalty}, but the step is {quote(scenario.step)}, not "penalty"'
    troops = sum(each.units.troop for each in scenario.territory if each.owner == scenario.mover)
    if scenario.penalty > troops:
        yield f"penalty is {scenario.penalty}, but player {scenario.mover} has {troops} troops on the map"


def _free_moves(scenario: Scenario) -> Iterator[str]:
    """Check that there are few enough free moves, even if all cards that give one are played (TR-Card-8)."""
    cards = [card for card in load_rulebook().card if card.effect == Effect.FREE_MOVE]
    hand = scenario.players[scenario.mover or 0].hand
    held = sum(hand.count(card.name) for card in cards)
    to_draw = actions_left(scenario) if scenario.step == STANDARD else 0
    more = min(held + to_draw, sum(card.copies for card in cards))
    if scenario.free_moves + more > MOST_FREE_MOVES:
        yield (
            f"free_moves is {scenario.free_moves}, but must be at most {MOST_FREE_MOVES - more}, since cards may allow "
            f"{more} more"
        )


def _reinforcement(params: Any, scenario: Scenario, board: dict[int, TerritoryEntry]) -> Iterator[str]:
    """Check that troops go to an own territory, and that some are left to place (TR-T3)."""
    if scenario.reinforcement is None or scenario.reinforcement.territory is None:
        return
    number = scenario.reinforcement.territory
    if _owner(board, number) != scenario.mover:
        yield f"reinforcement.territory is {number}, but player {scenario.mover} does not control it"
    if scenario.reinforcement.left == 0:
        yield f"reinforcement.territory is {number}, but no troops are left to place"
    if params["garrison"][0, Unit.TROOP] == units_out(scenario)[scenario.mover or 0, Unit.TROOP]:
        yield f"reinforcement.territory is {number}, but player {scenario.mover} has no troops in the garrison"


def _owner(board: dict[int, TerritoryEntry], number: int) -> int | None:
    return board[number].owner if number in board else None


def _move(config: Config, scenario: Scenario, board: dict[int, TerritoryEntry]) -> Iterator[str]:
    """Check that a move leads to a neighbor: an own one, or one that nobody controls where an occupation begins."""
    move, mover = scenario.move, scenario.mover
    if move is None:
        return
    if move.source is None:
        if move.target is not None or move.moved or move.unit is not None or scenario.step == OCCUPIES:
            yield "move.source: the key is missing"
        return
    source = board.get(move.source)
    if source is None or source.owner != mover or not sum(source.units.counts):
        yield f"move.source is {move.source}, but player {mover} has no units there"
        return
    borders = next(each.borders for each in config.board.territory if each.number == move.source)
    if move.target is None:
        if move.moved or move.unit is not None or scenario.step == OCCUPIES:
            yield "move.target: the key is missing"
        elif all(_owner(board, number) != mover for number in borders):
            yield f"move.source is {move.source}, but player {mover} controls no neighbor of it"
        return
    if move.target not in borders:
        yield f"move.target is {move.target}, but the neighbors of {move.source} are {join(borders)}"
    owner, there = _owner(board, move.target), board.get(move.target)
    is_taken = scenario.step != OCCUPIES or move.moved > 0
    if owner != (mover if is_taken else None):
        controller = f"player {mover}" if is_taken else "nobody"
        yield f"move.target is {move.target}, but must be a territory that {controller} controls"
    elif move.moved > (units := 0 if there is None else sum(there.units.counts)):
        yield f"move.moved is {move.moved}, but the number of units in {move.target} is {units}"
    if move.unit is not None and source.units.counts[Unit[move.unit.upper()]] == 0:
        yield f"move.unit is {quote(move.unit)}, but there is none in {move.source}"
