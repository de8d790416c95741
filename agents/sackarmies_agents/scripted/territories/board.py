"""Board of the greedy agent: territories and forces read from one observation, and data known in advance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.territories.weights import Weights
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import alloc, record_dtype
from sackarmies_env.games.territories.data.schema import load_map, load_rulebook, map_names
from sackarmies_env.games.territories.state.actions import NUM_ACTIONS
from sackarmies_env.games.territories.state.constants import (
    MAX_BORDERS,
    MAX_PLAYERS,
    MAX_SKIRMISHES,
    MAX_TERRITORIES,
    NO_TERRITORY,
    NUM_CARDS,
    NUM_UNITS,
)
from sackarmies_env.games.territories.state.layout import (
    PLAYER_START,
    TERRITORY_START,
    Card,
    Player,
    Side,
    Skirmish,
    Territory,
    make_observation_spec,
)

SELF = 0  # the observer's seat
NOWHERE = -2  # owner or height of a territory that is not on the map
MAPS = tuple(sorted((load_map(name) for name in map_names()), key=lambda board: -len(board.territory)))
MAX_LOGARITHM = 256
TERRITORY_WIDTH, SIDE_WIDTH = len(Territory), len(Side)
SKIRMISH_WIDTH, CARD_WIDTH = len(Skirmish), len(Card)

BOARD_DTYPE = record_dtype(
    [(f"w_{name}", np.float64) for name in Weights.model_fields],
    [(name, np.int64) for name in ("num_players", "seed", "checksum")],
    # All maps, largest first: heights (NOWHERE if a map has no such territory), borders, and the number of territories
    # that wins. The heights in an observation tell which map is played; `neighbors` is a copy of its borders.
    [
        ("map_elevation", np.int64, (len(MAPS), MAX_TERRITORIES)),
        ("map_neighbors", np.int64, (len(MAPS), MAX_TERRITORIES, MAX_BORDERS)),
        ("map_domination", np.int64, (len(MAPS),)),
        ("map", np.int64),
        ("neighbors", np.int64, (MAX_TERRITORIES, MAX_BORDERS)),  # ascending; then NO_TERRITORY
    ],
    [
        ("unit_value", np.int64, (NUM_UNITS,)),
        ("unit_dice", np.int64, (NUM_UNITS,)),
        ("unit_counter", np.int64, (NUM_UNITS,)),
        ("card_effect", np.int64, (NUM_CARDS,)),
        ("card_amount", np.int64, (NUM_CARDS,)),
        ("card_penalty", np.int64, (NUM_CARDS,)),
        ("logarithm", np.float64, (MAX_LOGARITHM,)),  # of the index, from 1 on
    ],
    # Read from an observation; `owner` is NOWHERE where the map has no such territory.
    [("held", np.int64, (MAX_PLAYERS,))],
    [(name, np.int64, (MAX_TERRITORIES,)) for name in ("owner", "count", "dice", "value", "counters", "border")],
    [(name, np.int64, (MAX_TERRITORIES,)) for name in ("elevation", "safe", "distance")],
    [("units", np.int64, (MAX_TERRITORIES, NUM_UNITS)), ("garrison", np.int64, (NUM_UNITS,))],
    # The attackers that a territory would send.
    [("force", np.int64, (NUM_UNITS,)), ("force_units", np.int64), ("force_dice", np.int64)],
    [("force_counters", np.int64)],
    # The skirmishes of the battle: totals of both sides.
    [("attack", np.int64, (MAX_SKIRMISHES,)), ("defense", np.int64, (MAX_SKIRMISHES,))],
    [("num_legal", np.int64), ("legal", np.int64, (NUM_ACTIONS + 1,))],
)


def make_board(info: GameInfo, weights: Weights) -> NDArray[np.void]:
    """Return `(1,)` of BOARD_DTYPE, ready to read observations of a game.

    Args:
        info: the game.
        weights: weights of the agent.

    Raises:
        ValueError: the game's observations are not those of Territories.
    """
    is_ours = info.game_id == "territories"
    if not is_ours or info.observation_spec != make_observation_spec(info.num_players):
        raise ValueError(f"the greedy agent reads observations of 'territories', not these of {info.game_id!r}")
    board = alloc(BOARD_DTYPE, 1)
    values: dict[str, Any] = {f"w_{name}": weight for name, weight in weights.model_dump().items()}
    values |= {"num_players": info.num_players, "map": -1, "map_neighbors": NO_TERRITORY, "map_elevation": NOWHERE}
    values["logarithm"] = np.log(np.maximum(1, np.arange(MAX_LOGARITHM)))
    for name, value in values.items():
        board[name][0] = value
    for number, each in enumerate(MAPS):
        board["map_domination"][0, number] = each.limits.domination
        for place in each.territory:
            board["map_elevation"][0, number, place.number - 1] = place.elevation
            for border, other in enumerate(sorted(place.borders)):
                board["map_neighbors"][0, number, place.number - 1, border] = other - 1
    rulebook = load_rulebook()
    for number, unit in enumerate(rulebook.unit):
        for name in ("value", "dice", "counter"):
            board[f"unit_{name}"][0, number] = getattr(unit, name)
    for number, card in enumerate(rulebook.card):
        for name in ("effect", "amount", "penalty"):
            board[f"card_{name}"][0, number] = getattr(card, name)
    return board


# --- reading


@njit(inlined=True)
def look(seen, place):
    """Return number `place` of an observation; np.uint64 avoids the code that numba adds for negative indices."""
    return np.int64(seen[np.uint64(place)])


@njit
def is_map(board, seen, number):
    """Return whether the heights of all territories of a map match the observation."""
    for territory in range(MAX_TERRITORIES):
        height = board.map_elevation[number, territory]
        if height != NOWHERE and height != look(
            seen, TERRITORY_START + territory * TERRITORY_WIDTH + Territory.ELEVATION
        ):
            return False
    return True


@njit
def find_map(board, seen):
    """Determine which map is played, and copy its borders."""
    number = np.int64(0)
    while number + 1 < len(board.map_domination) and not is_map(board, seen, number):
        number += 1
    if number == board.map:
        return
    board.map = number
    for territory in range(MAX_TERRITORIES):
        for border in range(MAX_BORDERS):
            board.neighbors[territory, border] = board.map_neighbors[number, territory, border]


@njit
def read_board(board, seen):
    """Read all territories, and the observer's garrison."""
    find_map(board, seen)
    for player in range(MAX_PLAYERS):
        board.held[player] = 0
    board.checksum = 0
    for territory in range(MAX_TERRITORIES):
        read_territory(board, seen, territory)
    for unit in range(NUM_UNITS):
        board.garrison[unit] = look(seen, PLAYER_START + Player.GARRISON_TROOP + unit)
    for territory in range(MAX_TERRITORIES):
        board.border[territory] = num_foreign(board, territory)


@njit(inlined=True)
def read_territory(board, seen, territory):
    """Read the owner and the units of a territory."""
    row = TERRITORY_START + territory * TERRITORY_WIDTH
    elevation = board.map_elevation[board.map, territory]
    board.elevation[territory] = elevation
    board.safe[territory] = look(seen, row + Territory.SAFE)
    owner = look(seen, row + Territory.OWNER) if elevation != NOWHERE else np.int64(NOWHERE)
    board.owner[territory] = owner
    if owner >= 0:
        board.held[owner] += 1
    count, dice, value, counters = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for unit in range(NUM_UNITS):
        units = look(seen, row + Territory.TROOP + unit)
        board.units[territory, unit] = units
        count += units
        dice += units * board.unit_dice[unit]
        value += units * board.unit_value[unit]
        counters += units * board.unit_counter[unit]
    board.count[territory] = count
    board.dice[territory] = dice
    board.value[territory] = value
    board.counters[territory] = counters
    board.checksum = (board.checksum * 31 + value * 5 + owner) % 1000003


@njit(inlined=True)
def is_foreign(board, territory):
    """Return whether a neighbor exists, is on the map, and is not the observer's."""
    return territory != NO_TERRITORY and board.owner[territory] != SELF and board.owner[territory] != NOWHERE


@njit
def num_foreign(board, territory):
    """Return how many neighbors of a territory are not the observer's."""
    count = np.int64(0)
    for border in range(MAX_BORDERS):
        count += np.int64(is_foreign(board, board.neighbors[territory, border]))
    return count


@njit
def threat_to(board, territory):
    """Return the number of dice of the strongest enemy next to a territory."""
    most = np.int64(0)
    for border in range(MAX_BORDERS):
        neighbor = board.neighbors[territory, border]
        if is_foreign(board, neighbor):
            most = max(most, board.dice[neighbor])
    return most


@njit
def find_distances(board):
    """Write the distance of each own territory from the border, in steps through own territories."""
    for territory in range(MAX_TERRITORIES):
        at_border = board.owner[territory] == SELF and board.border[territory] > 0
        board.distance[territory] = 0 if at_border else MAX_TERRITORIES
    changed = True
    while changed:
        changed = False
        for territory in range(MAX_TERRITORIES):
            if board.owner[territory] == SELF and has_shorter_way(board, territory):
                changed = True


@njit
def has_shorter_way(board, territory):
    """Shorten an own territory's distance to the border through its neighbors; return whether that was possible."""
    distance = board.distance[territory]
    for border in range(MAX_BORDERS):
        neighbor = board.neighbors[territory, border]
        if neighbor != NO_TERRITORY and board.owner[neighbor] == SELF:
            board.distance[territory] = min(board.distance[territory], board.distance[neighbor] + 1)
    return board.distance[territory] < distance
