"""Random mid-game positions: armies of all types side by side, hands from several cycles of the deck."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from sackarmies_env.games.territories.state.constants import TurnStep
from tests.territories.builders import UNITS, Table, table
from tests.territories.referee.random_play import options_of
from tests.territories.referee.rulebook import CARDS, MAPS

STEPS = (TurnStep.STANDARD, TurnStep.STANDARD, TurnStep.EXCHANGE, TurnStep.ATTACK, TurnStep.MOVE, TurnStep.REDUCE)
MOST = {"troop": 9, "rider": 4, "engine": 2, "hero": 1}  # per territory
EMPTY = 0.15  # share of the territories
LATE = 0.25  # share of positions where one player has nearly all territories: close to domination and elimination
LARGEST_HAND = 8
CYCLES = 3


class Position(NamedTuple):
    """A position in which player 0 is at a step of the turn.

    Attributes:
        options: arguments of a referee.
        territories: number -> owner and units; all others are empty.
        step: step of the turn.
        hands: player -> kinds of cards, numbered from 1.
        cycles: player -> deck cycles of these cards.
        thrown: kinds of cards on the discards instead of in the deck, numbered from 1.
        num_actions: standard actions left in step 1.
    """

    options: dict[str, Any]
    territories: dict[int, tuple[int, dict[str, int]]]
    step: TurnStep
    hands: dict[int, list[int]]
    cycles: dict[int, list[int]]
    thrown: list[int]
    cycle: int
    num_actions: int


def random_position(seed: int) -> Position:
    """Return the position of a seed; seeds cover all numbers of players, both maps and all switches."""
    rng = random.Random(seed)
    options = options_of(seed)
    players, game_map = options["num_players"], MAPS[options["game_map"]]
    numbers = sorted(game_map.borders)
    rng.shuffle(numbers)
    is_late = rng.random() < LATE
    leaders = [rng.randrange(players)] if is_late else range(players)
    left = [dict(game_map.garrison) for _ in range(players)]
    territories = {}
    for place, number in enumerate(numbers):
        owner = place if place < players else rng.choice(leaders)
        if place < players or is_late or rng.random() >= EMPTY:
            territories[number] = (owner, some_units(rng, left[owner], len(numbers) - place))
    cards = [kind for kind, card in CARDS.items() for _ in range(card.copies)]
    rng.shuffle(cards)
    hands = {player: [cards.pop() for _ in range(rng.randint(0, LARGEST_HAND))] for player in range(players)}
    cycle = rng.randrange(CYCLES)
    cycles = {player: sorted(rng.randint(0, cycle) for _ in hand) for player, hand in hands.items()}
    thrown = rng.sample(cards, rng.randint(0, len(cards))) if cycle else []
    return Position(options, territories, rng.choice(STEPS), hands, cycles, thrown, cycle, rng.randint(0, 2))


def random_table(seed: int) -> Table:
    """Return the engine at the position of a seed."""
    position = random_position(seed)
    options = position.options
    found = table(
        position.territories,
        position.step,
        position.hands,
        actions_left=position.num_actions,
        num_players=options["num_players"],
        map=options["game_map"],
        switches=options["switches"],
    )
    state = found.states[0]
    state["cycle"] = position.cycle
    for player, cycles in position.cycles.items():
        state["hand_cycle"][player, : len(cycles)] = cycles
    for kind in position.thrown:
        state["deck"][kind - 1] -= 1
        state["discards"][kind - 1] += 1
    state["deck_count"] = state["deck"].sum()
    return found


def some_units(rng: random.Random, left: dict[str, int], territories: int) -> dict[str, int]:
    """Choose the units of a territory, at least one troop, and take them out of what its owner has left.

    Args:
        rng: source of random choices.
        left: units that the owner has left, changed in place; a troop is kept for each further territory.
        territories: number of territories still without units, this one included.
    """
    spare = left | {"troop": left["troop"] - territories}
    units = {unit: min(rng.randint(0, MOST[unit]) * (rng.random() < 0.5), spare[unit]) for unit in UNITS}
    units["troop"] = max(units["troop"], 1)
    for unit, count in units.items():
        left[unit] -= count
    return {unit: count for unit, count in units.items() if count}
