"""Random choices, some biased by a liking, so that play often reaches attacks, cards and eliminations."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from tests.territories.referee.game import TEXTS, Referee

LIKING = 20.0  # weight of a liked action, where others have 1 and disliked ones 1 / LIKING
LIKINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # what is liked, and what is disliked
    "any": ((), ()),
    "warlike": (("territory", "all", "reinforce", "trade"), ("done", "extra move", "remove")),
    "scholar": (("draw", "card", "all", "territory"), ("done", "extra move", "extra exchange")),
    "trader": (("territory", "rider", "engine", "hero", "extra exchange", "reinforce"), ("done",)),
    "meek": (("reinforce", "quantity 1"), ("all",)),
}
STANDARD_OPTIONS: dict[str, Any] = {"num_players": 2, "game_map": "full", "switches": {}}


def options_of(seed: int) -> dict[str, Any]:
    """Return a referee's arguments for a seed; seeds cover all numbers of players, both maps and all switches."""
    rng = random.Random(seed)
    num_players = rng.choice((2, 2, 3, 4))
    game_map = "small" if num_players == 2 and rng.random() < 0.5 else "full"
    switches: dict[str, Any] = {}
    if rng.random() < 0.4:
        switches["exchange_pair"] = "per_turn"
    if rng.random() < 0.4:
        switches["domination"] = False
    if rng.random() < 0.3:
        switches["attacks_per_turn"] = rng.choice((1, 2, 5))
    if rng.random() < 0.3:
        switches["max_rounds"] = rng.choice((1, 3, 8))
    return {"num_players": num_players, "game_map": game_map, "switches": switches}


def choose(rng: random.Random, legal: list[int], liking: str) -> int:
    """Choose a legal action at random, biased by a liking."""
    liked, disliked = LIKINGS[liking]
    weights = [
        LIKING if TEXTS[action].startswith(liked) else 1 / LIKING if TEXTS[action].startswith(disliked) else 1.0
        for action in legal
    ]
    return rng.choices(legal, weights)[0]


class RandomPlayers:
    """Players who choose at random, each with a liking, and forfeit now and then."""

    def __init__(self, seed: int, num_players: int, forfeits: float = 0.0, likings: Sequence[str] = tuple(LIKINGS)):
        self.rng = random.Random(seed)
        self.likings = [self.rng.choice(likings) for _ in range(num_players)]
        self.forfeits = forfeits  # probability at each decision

    def next_move(self, player: int, legal: list[int], in_play: list[int]) -> int:
        """Return an action, or -1 - p for player p forfeiting."""
        if self.rng.random() < self.forfeits:
            return -1 - self.rng.choice(in_play)
        return choose(self.rng, legal, self.likings[player])


def play_alone(seed: int, options: dict[str, Any], forfeits: float = 0.0) -> Iterator[Referee]:
    """Play a game with the referee alone; yield it at each decision and at the end."""
    referee = Referee(seed, **options)
    players = RandomPlayers(seed, options["num_players"], forfeits)
    yield referee
    while referee.player is not None:
        move = players.next_move(referee.player, sorted(referee.legal), referee.table.in_play())
        if move < 0:
            referee.forfeit(-1 - move)
        else:
            referee.act(move)
        yield referee
