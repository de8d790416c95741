"""Checks of games that look alike: what a player receives and believes must be the same until they can be told apart.

Two games are played side by side with the same actions of a player. As long as the player has observed the same in
both, the mask, the texts, the returns and the worlds that `determinize` makes of them must be the same too. None of
this needs to know what is hidden in the game. The pairs are games of different seeds that begin alike, which find what
`determinize` always keeps, and a true position and a world of it, which find what shows only later.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.testing.probe import (
    legal_of,
    masks_of,
    observations_of,
    player_of,
    received_by,
    require,
    step,
    world_of,
)
from sackarmies_env.testing.worlds import check_same_world

NUM_SEEDS = 48  # games that are searched for pairs that begin alike
NUM_PAIRS = 3  # pairs that are played on, for each player
DECISIONS = 12  # decisions for which a pair of games is played on
DECISIONS_OF_WORLD = 3  # decisions for which a true position and a world are played on
NUM_TEXTS = 3  # texts of the first, and of the last, legal actions that are compared at a decision

Pair = tuple[Records, Records]


def check_beginnings(game: Game, seed: int) -> None:
    """Check pairs of games of different seeds that begin alike for a player."""
    states = game.new_states(NUM_SEEDS)
    game.reset(game.params, states, np.arange(seed, seed + NUM_SEEDS, dtype=np.int64))
    for player in range(game.num_players):
        pairs = [
            (
                f"{game.id}, games of seeds {seed + one} and {seed + other}, which look alike to player {player}",
                (game.clone(states[one : one + 1]), game.clone(states[other : other + 1])),
            )
            for one, other in _pairs_alike(game, states, player)
        ]
        for place, pair in pairs:
            _check_received(game, place, pair, player, "")
        for place, pair in pairs[:NUM_PAIRS]:
            _check_pair(game, place, pair, player, DECISIONS)


def check_worlds_alike(game: Game, place: str, states: Records, seed: int) -> None:
    """Check a position, whose game and ply `place` names, with a world of it that looks alike, for each player."""
    for player in range(game.num_players):
        pair = game.clone(states), world_of(game, states, player, seed)
        _check_pair(game, f"{place}, and a world that looks alike to player {player}", pair, player, DECISIONS_OF_WORLD)


def _pairs_alike(game: Game, states: Records, player: int) -> list[tuple[int, int]]:
    """Return pairs of rows that look alike to `player`."""
    seen = observations_of(game, states, [player] * len(states))
    groups = defaultdict(list)
    for row, observation in enumerate(seen):
        groups[observation.tobytes(), int(states["current_player"][row])].append(row)
    return [pair for rows in groups.values() for pair in pairwise(rows)]


def _check_pair(game: Game, place: str, pair: Pair, player: int, decisions: int) -> None:
    """Check two states that have looked alike to `player` so far, now and for as long as they do."""
    rng = np.random.default_rng(decisions)
    one, other = pair
    for number in range(decisions):
        where = f" {number} decisions later" if number else ""
        current = player_of(one)
        if current == NO_PLAYER:
            return
        seen = [observations_of(game, states, [player])[0] for states in pair]
        if not np.array_equal(*seen) or player_of(other) != current:
            return  # the player can tell them apart by now
        _check_received(game, place, pair, player, where)
        expected, found = world_of(game, one, player, number), world_of(game, other, player, number)
        check_same_world(game, place, expected, found, player, where)
        actions = _choose(game, pair, rng)
        for states, action in zip(pair, actions, strict=True):
            step(game, states, action)


def _check_received(game: Game, place: str, pair: Pair, player: int, where: str) -> None:
    """Check that `player`, who has the same observations in two games, receives the same mask, texts and results."""
    one, other = pair
    legal: list[int] = []
    if player_of(one) == player:
        same = np.array_equal(masks_of(game, one), masks_of(game, other))
        require(same, place, f"legal_actions reveals hidden information to player {player}{where}")
        legal = legal_of(game, one)
    some = [*legal[:NUM_TEXTS], *legal[-NUM_TEXTS:]]
    first, second = received_by(game, one, player, some), received_by(game, other, player, some)
    for source, given in first.items():
        require(given == second[source], place, f"{source} reveals hidden information to player {player}{where}")


def _choose(game: Game, pair: Pair, rng: np.random.Generator) -> list[int]:
    """Return a legal action for each of two games, the same in both if there is one."""
    legal = [legal_of(game, states) for states in pair]
    action = int(rng.choice(legal[0]))
    return [action, action if action in legal[1] else int(rng.choice(legal[1]))]
