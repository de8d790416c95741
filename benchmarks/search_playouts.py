"""What a playout of `search` takes: `python -m benchmarks.search_playouts`.

Positions of the middle game, between different pairs of built-in armies, are searched with a fixed number of playouts,
worlds and evaluations included. Times are those of the processor. The last number printed depends on what the searches
found: where it is the same before and after a change of the code, they found the same.
"""

from __future__ import annotations

import argparse
import time
import zlib

import numpy as np

from benchmarks.machine import describe_machine
from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.sack_armies.agent import GreedyAgent
from sackarmies_agents.search.agent import parts_of
from sackarmies_agents.search.flat import FlatSearch, Settings
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.games.sack_armies.tokens.army import army_ids

FIRST, LAST = 60, 400  # decisions before a position
NOISE = 0.1  # the share of them that are random
FEWEST = 3  # legal ids in a position


def find_position(game: Game, rng: np.random.Generator) -> Records:
    """Return a position `(1,)` of a game of `greedy` against itself, with some random decisions."""
    agent, states = GreedyAgent(GameInfo.of(game)), game.new_states(1)
    masks = np.zeros((1, game.num_actions), np.int8)
    observations = np.zeros((1, game.observation_spec.size), np.int8)
    while True:
        game.reset(game.params, states, rng.integers(2**31, size=1))
        for _ in range(rng.integers(FIRST, LAST)):
            legal = legal_ids(states["legal"][0])
            if not legal:
                break
            game.observe(game.params, states, states["current_player"].astype(np.int64), observations)
            game.legal_actions(game.params, states, masks)
            choice = rng.choice(legal) if rng.random() < NOISE else agent.act(observations[0], masks[0])
            game.step(game.params, states, np.array([choice], np.int64))
        if states["current_player"][0] != NO_PLAYER and states["num_legal"][0] >= FEWEST:
            return states


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="Time playouts of a search.")
    parser.add_argument("--playouts", type=int, default=96, help="for each position")
    parser.add_argument("--pairs", type=int, default=6, help="of armies, with three positions each")
    parser.add_argument("--rounds", type=int, default=12)
    arguments = parser.parse_args()
    rng, ids = np.random.default_rng(0), army_ids()
    searches = []
    for i in range(arguments.pairs):
        game = make_game(2, armies=[ids[i % len(ids)], ids[(3 * i + 5) % len(ids)]])
        parts = parts_of(GameInfo.of(game), ())
        search = FlatSearch(game, parts.make_policy, parts.make_evaluation, Settings(playouts=arguments.playouts))
        searches += [(search, find_position(game, rng)) for _ in range(3)]
    times = []
    for _ in range(arguments.rounds + 1):  # the first one warms up, and compiles
        began = time.process_time()
        found = [search.search(root, int(root["current_player"][0]), seed=1) for search, root in searches]
        count = sum(int(finding.counts.sum()) for finding in found)
        times.append((time.process_time() - began) / count * 1e6)
    digest = zlib.crc32(b"".join(finding.values.tobytes() for finding in found))
    print(" ".join(map(str, describe_machine().values())))
    print(
        f"{count} playouts, {float(np.median(times[1:])):.1f} microseconds each (median of {arguments.rounds} rounds; "
        f"best {min(times[1:]):.1f}); findings {digest:08x}"
    )


if __name__ == "__main__":
    main()
