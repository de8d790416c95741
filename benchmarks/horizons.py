"""How well the value of a position some turns later predicts the end of the game: `python -m benchmarks.horizons`.

Positions are drawn from games of `greedy` against itself, between all armies, where searches spend playouts. In each,
the scripted choice and one other legal action are played on to the end by `greedy`, in the same sampled worlds. The
gain of the other action, by the evaluation some turns later and by the result at the end, has a part that all worlds
share and a part that is chance. Products of gains in different worlds separate the two: their mean is a moment of the
shared part alone. The slope says how much of a gain found by a search of many worlds is left at the end. The noise is
what each world adds. Errors are standard errors. A win is worth 2 more than a loss.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from benchmarks.search_methods.guessing import draw_positions
from benchmarks.search_methods.play import seed_of
from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.sack_armies.weights import DEFAULT
from sackarmies_agents.search.agent import parts_of
from sackarmies_agents.search.flat import Bench
from sackarmies_agents.search.horizons import compare_actions
from sackarmies_agents.search.sack_armies.focus import focus
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.simulator import choose_next

Array = NDArray[np.float64]

ALL_TURNS = 401  # by then a game has been truncated, whatever turn it starts from


def gains_in(game: Game, positions: list[Records], seed: int, worlds: int, turns: int) -> list[Array]:
    """Return the gains of one random other action in each position, `(worlds, turns + 1)`; the last is at the end."""
    parts, known = parts_of(GameInfo.of(game), (DEFAULT,)), [game.conceal(player) for player in range(game.num_players)]
    benches = [Bench(one, parts.make_policy(one), parts.make_evaluation(one)) for one in known]
    rng, found = np.random.default_rng(seed), []
    for states in positions:
        player = int(states["current_player"][0])
        bench = benches[player]
        prior = int(choose_next(bench.simulator, bench.policy, states, 0))
        other = int(rng.choice([action for action in legal_ids(states["legal"][0]) if action != prior]))
        actions, gains = np.array([prior, other]), np.zeros((worlds, turns + 1))
        for world, world_seed in enumerate(rng.integers(2**62, size=worlds)):
            worths = np.zeros((2, ALL_TURNS))
            given = states, bench.scratch, bench.models, player, actions, np.arange(ALL_TURNS), np.array([world_seed])
            compare_actions(*bench.tools, *given, worths)
            gain = worths[1] - worths[0]
            gains[world] = [*gain[:turns], gain[-1]]
        found.append(gains)
    return found


def shared_products(first: Array, second: Array) -> Array:
    """Return, for each position, the mean product of two gains `(n, worlds)` over pairs of different worlds: `(n,)`."""
    worlds = first.shape[1]
    same = (first * second).sum(axis=1)
    products: Array = (first.sum(axis=1) * second.sum(axis=1) - same) / (worlds * (worlds - 1))
    return products


def main() -> None:
    """Play the games and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--each", type=int, default=20, help="positions of a game")
    parser.add_argument("--worlds", type=int, default=4)
    parser.add_argument("--turns", type=int, nargs="+", default=[3, 5, 8, 12, 18, 26, 40])
    parser.add_argument("--seed", type=int, default=5)
    given = parser.parse_args()
    if given.worlds < 2:
        parser.error(f"--worlds is {given.worlds}: at least 2 are needed, as gains in different worlds are compared")
    found: list[Array] = []
    for number in range(given.games):
        game, positions = draw_positions(given.seed, number, given.each, focus)
        found += gains_in(game, positions, seed_of(given.seed, "worlds", number), given.worlds, max(given.turns))
    gains = np.stack(found)
    print(" ".join(map(str, describe_machine().values())))
    print(f"{len(gains)} positions of {given.games} games, {given.worlds} worlds each")
    print("| turns later | shared | noise | with the end | slope |\n| ---: | ---: | ---: | ---: | ---: |")
    for turn in given.turns:
        gain = gains[:, :, turn - 1]
        own, products = shared_products(gain, gain).mean(), shared_products(gain, gains[:, :, -1])
        both, error = products.mean(), products.std() / np.sqrt(len(products))
        cells = [f"{own:.4f}", f"{(gain**2).mean() - own:.3f}", f"{both:.4f} ± {error:.4f}"]
        print(f"| {turn} | {' | '.join(cells)} | {both / own:.2f} ± {error / abs(own):.2f} |")


if __name__ == "__main__":
    main()
