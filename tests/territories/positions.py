"""Random positions in the middle of things: armies of all types side by side, hands of several cycles of the deck."""

from __future__ import annotations

import random

import numpy as np

from sackarmies_env.games.territories.state.constants import NUM_CARDS, TurnStep
from tests.territories.builders import UNITS, Table, table
from tests.territories.referee.random_play import options_of
from tests.territories.referee.rulebook import CARDS, MAPS

STEPS = (TurnStep.STANDARD, TurnStep.STANDARD, TurnStep.EXCHANGE, TurnStep.ATTACK, TurnStep.MOVE, TurnStep.REDUCE)
MOST = {"troop": 9, "rider": 4, "engine": 2, "hero": 1}  # in a territory
EMPTY = 0.15  # of the territories
LARGEST_HAND = 8
CYCLES = 3


def random_table(seed: int) -> Table:
    """Return a position of a seed: all numbers of players, both maps, all switches, player 0 at a step of the turn."""
    rng = random.Random(seed)
    given = options_of(seed)
    players, game_map = given["num_players"], MAPS[given["game_map"]]
    numbers = sorted(game_map.borders)
    rng.shuffle(numbers)
    left = [dict(game_map.garrison) for _ in range(players)]
    territories = {}
    for place, number in enumerate(numbers):
        owner = place if place < players else rng.randrange(players)
        if place < players or rng.random() >= EMPTY:
            territories[number] = (owner, some_units(rng, left[owner]))
    cards = [kind for kind, card in CARDS.items() for _ in range(card.copies)]
    rng.shuffle(cards)
    hands = {player: [cards.pop() for _ in range(rng.randint(0, LARGEST_HAND))] for player in range(players)}
    found = table(
        territories,
        rng.choice(STEPS),
        hands,
        actions_left=rng.randint(0, 2),
        num_players=players,
        map=given["game_map"],
        switches=given["switches"],
    )
    spread_over_cycles(found, rng)
    return found


def some_units(rng: random.Random, left: dict[str, int]) -> dict[str, int]:
    """Return units of a territory, at least a troop, and take them out of what its owner has left."""
    units = {unit: min(rng.randint(0, MOST[unit]) * (rng.random() < 0.5), left[unit]) for unit in UNITS}
    units["troop"] = max(units["troop"], 1)
    for unit, count in units.items():
        left[unit] -= count
    return {unit: count for unit, count in units.items() if count}


def spread_over_cycles(found: Table, rng: random.Random) -> None:
    """Let the cards in hand come from several cycles of the deck, and put some of the deck on the discards."""
    state = found.states[0]
    state["cycle"] = rng.randrange(CYCLES)
    for player, count in enumerate(state["hand_count"]):
        state["hand_cycle"][player, :count] = sorted(rng.randint(0, int(state["cycle"])) for _ in range(count))
    if state["cycle"] > 0:
        thrown = np.array([rng.randint(0, int(state["deck"][kind])) for kind in range(NUM_CARDS)], np.int8)
        state["deck"] -= thrown
        state["discards"] += thrown
        state["deck_count"] = state["deck"].sum()
