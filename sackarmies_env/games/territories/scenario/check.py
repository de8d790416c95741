"""Validation of positions: the invariants of every position, and messages that name the faulty entry.

Compiled rules trust a state: an invalid position could make them index past the end of their tables. What is under way
is checked by `flow`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.messages import counted, join, quote
from sackarmies_env.core.observation import INT8_HIGH
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.territories.config import Config
from sackarmies_env.games.territories.scenario.fill import cards_out, piles_of, sides_of, units_out
from sackarmies_env.games.territories.scenario.schema import END, MOST_TURNS, STANDARD, Scenario, card_names, names_of
from sackarmies_env.games.territories.scenario.sequence import actions_left, attacks_of, fewest_attacks
from sackarmies_env.games.territories.state.constants import (
    MAX_HAND,
    NUM_CARDS,
    NUM_UNITS,
    STANDARD_ACTIONS,
    Event,
    Unit,
)
from sackarmies_env.games.territories.state.record import MAX_SCRIPT_DICE

UNITS = names_of(Unit)
VALUES = {  # of events whose value encodes something that has a name, see `Event`
    Event.STANDARD: range(1, 5),
    Event.DRAW: range(1, MAX_HAND + 1),
    Event.EXCHANGE: range(NUM_UNITS**2),
    Event.UNIT_LOST: range(INT8_HIGH + 1),
    Event.UNIT_TRADED: range(NUM_UNITS),
    Event.CARD: range(NUM_CARDS),
    Event.DISCARD: range(INT8_HIGH + 1),
}

# In their sentences; others name a player, or continue one that does.
NAMES_NOBODY = (Event.RESHUFFLE, Event.CANCELLED, Event.SKIRMISHES)
NAMES_TERRITORY = (Event.PLACEMENT, Event.ATTACK, Event.SOURCE, Event.CANCELLED, Event.VICTORY, Event.MOVE)


def problems_of(config: Config, params: NDArray[np.void], scenario: Scenario) -> list[str]:
    """Return the faults of a position, except in what is under way; an empty list if there are none.

    Args:
        config: configuration of the scenario.
        params: `(1,)`, that configuration as parameters.
        scenario: the position.
    """
    problems = [*_seats(scenario), *_places(config, scenario), *_turn(params, scenario), *_events(scenario)]
    if problems:
        return problems
    return [
        *_control(scenario),
        *_units(params, scenario),
        *_hands(scenario),
        *_taken(scenario),
        *_cards(params, scenario),
    ]


def _seats(scenario: Scenario) -> Iterator[str]:
    """Check that all seats named are in the game."""
    last = scenario.num_players - 1
    named: list[tuple[str, int | None]] = [
        (key, getattr(scenario, key)) for key in ("first_player", "active", "winner")
    ]
    named += [(f"territory[{place}].owner", each.owner) for place, each in enumerate(scenario.territory)]
    named += [(f"event[{place}].player", each.player) for place, each in enumerate(scenario.event)]
    for key, seat in named:
        if seat is not None and seat > last:
            yield f"{key} is {seat}, but the players are 0 to {last}"
    for key in ("player", "draws"):
        if (given := len(getattr(scenario, key))) not in (0, scenario.num_players):
            yield f"{key} has {given} entries, but there are {scenario.num_players} players"


def _places(config: Config, scenario: Scenario) -> Iterator[str]:
    """Check that all territories named are on the map, and that none is given twice."""
    numbers = config.board.numbers
    named: list[tuple[str, int | None]] = [
        (f"territory[{place}].number", each.number) for place, each in enumerate(scenario.territory)
    ]
    named += [(f"event[{place}].territory", each.territory) for place, each in enumerate(scenario.event)]
    for key, entry in (("move", scenario.move), ("attack", scenario.attack)):
        if entry is not None:
            named += [(f"{key}.source", entry.source), (f"{key}.target", entry.target)]
    if scenario.reinforcement is not None:
        named.append(("reinforcement.territory", scenario.reinforcement.territory))
    for key, number in named:
        if number is not None and number not in numbers:
            yield f"{key} is {number}, but the territories of the map {quote(scenario.map)} are {join(numbers)}"
    given = [each.number for each in scenario.territory]
    for number in sorted({number for number in given if given.count(number) > 1}):
        yield f"territory {number} is given {given.count(number)} times"


def _turn(params: NDArray[np.void], scenario: Scenario) -> Iterator[str]:
    """Check that turn, rounds, attacks and forced dice are possible, and that ending and chance are consistent."""
    if scenario.is_setup:
        if scenario.active is not None or scenario.turn:
            yield "active and turn must be left out in the set-up: no turn has begun"
    elif scenario.turn == 0:
        yield 'turn must be at least 1, not 0, unless the step is "setup"'
    if scenario.winner is not None and scenario.truncated:
        yield f"winner is {scenario.winner}, but a truncated game has none"
    seats = dict(enumerate(scenario.player))
    if scenario.winner in seats and not seats[scenario.winner].alive:
        yield f"winner is {scenario.winner}, but this player is out of the game"
    rounds = int(params["max_rounds"][0])
    if scenario.rounds > rounds or (scenario.rounds == rounds and not scenario.is_over):
        yield f"rounds is {scenario.rounds}, but the game is truncated after {rounds}"
    yield from _numbers(rounds, scenario)
    attacks, most, least = attacks_of(scenario), int(params["attacks_per_turn"][0]), fewest_attacks(scenario)
    if not least <= attacks <= most:
        yield (
            f"attacks is {attacks}, but must be at least {least}, the attacks won and under way, and at most {most}, "
            "the limit of a turn"
        )
    if scenario.seed is not None and scenario.chance is not None:
        yield "seed and chance cannot be combined: each sets the state of chance"
    faces = [letter for letter in scenario.dice if letter not in " |"]
    if not set(faces) <= set("123456"):
        yield f"dice: expected faces 1 to 6, with optional spaces and bars, got {quote(scenario.dice)}"
    elif len(faces) > MAX_SCRIPT_DICE:
        yield f"dice forces {len(faces)} dice, but at most {MAX_SCRIPT_DICE} can be forced"


def _numbers(max_rounds: int, scenario: Scenario) -> Iterator[str]:
    """Check that turns and cycles can still be counted at the end of the game, even if each draw begins a cycle."""
    if scenario.is_over:
        return
    place = 0 if scenario.mover is None else (scenario.mover - scenario.first_player) % scenario.num_players
    to_come = scenario.num_players * (max_rounds - scenario.rounds) - place - int(not scenario.is_setup)
    draws = STANDARD_ACTIONS * to_come + (actions_left(scenario) if scenario.step == STANDARD else 0)
    for key, number, more in (("turn", scenario.turn or 1, to_come), ("cycle", scenario.cycle, draws)):
        if number + more > MOST_TURNS:
            yield f"{key} is {number}, but must be at most {MOST_TURNS - more}, since the game may reach {more} more"


def _events(scenario: Scenario) -> Iterator[str]:
    """Check that events have the player and the territory that their sentences name, and possible values."""
    for place, each in enumerate(scenario.event):
        kind = Event[each.kind.upper()]
        is_truncation = kind == Event.OVER and each.value != 0
        if each.player is None and kind not in NAMES_NOBODY and not is_truncation:
            yield f"event[{place}].player is required for the kind {quote(each.kind)}"
        if each.territory is None and kind in NAMES_TERRITORY:
            yield f"event[{place}].territory is required for the kind {quote(each.kind)}"
        allowed = VALUES.get(kind)
        if allowed is not None and each.value not in allowed:
            bounds = f"from {allowed.start} to {allowed.stop - 1}"
            yield f"event[{place}].value is {each.value}, but must be {bounds} for the kind {quote(each.kind)}"


def _control(scenario: Scenario) -> Iterator[str]:
    """Check that owners have units in their territories and all in play control one (TR-G3, TR-G4)."""
    alive = [player.alive for player in scenario.players]
    fighting = _fighting(scenario)
    for each in scenario.territory:
        count = sum(each.units.counts)
        if each.owner is None and count:
            yield f"territory {each.number} has {counted(count, 'unit')}, but no owner"
        elif each.owner is not None and not alive[each.owner]:
            yield f"territory {each.number} belongs to player {each.owner}, who is out of the game"
        elif each.owner is not None and not (count or each.number in fighting or scenario.is_over):
            yield f"territory {each.number} has an owner, but no units"
    if scenario.is_over:
        return
    if sum(alive) < 2:
        yield f"{counted(sum(alive), 'player')} in play, but at least 2 are needed unless the game is over"
    owners = {each.owner for each in scenario.territory}
    for seat, is_alive in enumerate(alive):
        if is_alive and seat not in owners:
            yield f"player {seat} controls no territory and would be eliminated"
    if scenario.mover is not None and not alive[scenario.mover]:
        yield f"active is {scenario.mover}, but this player is out of the game"


def _fighting(scenario: Scenario) -> list[int | None]:
    """Return the territories that have units on the battle board, which may be all their units."""
    attack = scenario.attack
    if attack is None:
        return []
    sides = ((attack.source, attack.attacker), (attack.target, attack.defender))
    return [number for number, side in sides if any(side.units.counts)]


def _units(params: NDArray[np.void], scenario: Scenario) -> Iterator[str]:
    """Check that map, battle board and garrison add up to all units of a player (TR-Q24)."""
    out, most = units_out(scenario), params["garrison"][0].astype(np.int64)
    for seat, player in enumerate(scenario.players):
        for unit, name in enumerate(UNITS):
            used = int(out[seat, unit])
            if used > most[unit]:
                yield (
                    f"player {seat} has {used} units {quote(name)} on the map and the battle board, but only "
                    f"{most[unit]} in all"
                )
            elif player.garrison is not None and player.garrison.counts[unit] != most[unit] - used:
                yield (
                    f"player[{seat}].garrison.{name} is {player.garrison.counts[unit]}, but must be "
                    f"{most[unit] - used}: {used} of {most[unit]} are on the map and the battle board"
                )
    if any(seat == NO_PLAYER and sum(side.units.counts) for seat, side in sides_of(scenario)):
        yield "attack.defender has units on the battle board, but nobody defends yet"


def _hands(scenario: Scenario) -> Iterator[str]:
    """Check that hands fit into a state, and that the cycles of their cards are in drawing order (TR-H3)."""
    for seat, player in enumerate(scenario.player):
        if player.hand and not player.alive:
            yield f"player[{seat}] is out of the game, but has cards"
        if len(player.hand) > (most := MAX_HAND - _draws_to_come(scenario, seat)):
            yield f"player[{seat}].hand has {len(player.hand)} cards, but at most {most} fit"
        if player.cycles is None:
            continue
        if len(player.cycles) != len(player.hand):
            yield f"player[{seat}].cycles has {len(player.cycles)} numbers for {counted(len(player.hand), 'card')}"
        if list(player.cycles) != sorted(player.cycles) or max(player.cycles, default=0) > scenario.cycle:
            bounds = f"in ascending order and at most {scenario.cycle}, the current cycle"
            yield f"player[{seat}].cycles must be {bounds}, not {quote(list(player.cycles))}"


def _draws_to_come(scenario: Scenario, seat: int) -> int:
    """Return how many cards a player may still draw before they reduce their hand (TR-G2)."""
    if scenario.is_over or (seat == scenario.mover and scenario.step not in (STANDARD, END)):
        return 0
    return actions_left(scenario) if seat == scenario.mover and scenario.step == STANDARD else STANDARD_ACTIONS


def _taken(scenario: Scenario) -> Iterator[str]:
    """Check that no card in hand is older than one of its kind that has left the hand (TR-H3)."""
    for seat, player in enumerate(scenario.player):
        cycles = (scenario.cycle,) * len(player.hand) if player.cycles is None else player.cycles
        for name, taken in player.taken.items():
            held = [cycle for card, cycle in zip(player.hand, cycles, strict=False) if card == name]
            if taken > scenario.cycle:
                yield f"player[{seat}].taken.{name} is {taken}, but the current cycle is {scenario.cycle}"
            elif min(held, default=taken) < taken:
                yield (
                    f"player[{seat}].taken.{name} is {taken}, but the hand has an older one, of the cycle {min(held)}, "
                    "which would have been taken first"
                )


def _cards(params: NDArray[np.void], scenario: Scenario) -> Iterator[str]:
    """Check that each card is in exactly one place."""
    copies = params["card_copies"][0].astype(np.int64)
    deck, discards = piles_of(params, scenario)
    used = cards_out(scenario)
    for kind, name in enumerate(card_names()):
        counts = int(used[kind]), int(deck[kind]), int(discards[kind])
        if sum(counts) == copies[kind] and min(counts) >= 0:
            continue
        given = sum(pile.get(name, 0) for pile in (scenario.deck, scenario.discards) if pile is not None)
        yield (
            f"there are {copies[kind]} cards {quote(name)}, but {counts[0]} are in hands and on the table, and {given} "
            f"in deck and discards"
        )
