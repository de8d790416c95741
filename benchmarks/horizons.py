"""How much values of positions some turns later tell of the end of the game: `python -m benchmarks.horizons`.

Positions are drawn from games of `greedy` against itself, between all armies, where searches spend playouts. In each,
the scripted choice and another legal action are played on in the same sampled worlds, by `greedy` and to the end. What
the other action gains, as the evaluation tells it after so many turns and as the game tells it in the end, has a part
that all worlds share and a part that is chance. Products of different worlds tell them apart: their mean is a moment of
the shared part alone. The slope says how much of a gain that a search of many worlds finds is left in the end; the
noise is what each world adds. Errors are standard errors. A game won is worth 2 more than one lost.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from benchmarks.search_methods.guessing import draw_positions
from benchmarks.search_methods.play import seed_of
from sackarmies_agents.agent import GameInfo
from sackarmies_agents.search.agent import parts_of
from sackarmies_agents.search.flat import Bench
from sackarmies_agents.search.rounds import derived_seed, prior_choice, sample_world
from sackarmies_agents.search.sack_armies.focus import focus
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.simulator import is_over, play_on, read_returns, reseed, step, value_of

Array = NDArray[np.float64]


@njit(counted=True)
def play_out(simulator, policy, evaluation, states, models, player, seed, values):
    """Let the policy play to the end; chance is seeded anew in each turn, as searches do.

    Args:
        simulator: of the game.
        policy: plays all seats.
        evaluation: of positions.
        states: (1,), overwritten.
        models: (num_players,) int64, the variant of the policy that each seat plays.
        player: for whom.
        seed: of chance.
        values: (t + 1,) float64, overwritten: worth at the ends of the first t turns, and the return in the end.
    """
    first = states[0].turn
    known = np.int64(0)
    while not is_over(states[0]):
        play_on(simulator, policy, states, models, states[0].turn)
        reseed(states[0], derived_seed(seed, states[0].turn))
        if not is_over(states[0]) and states[0].turn - first < len(values):
            known = states[0].turn - first
            values[known - 1] = value_of(simulator, evaluation, states, player)
    for place in range(known, len(values)):
        values[place] = read_returns(simulator, states)[player]


@njit(counted=True)
def compare(simulator, policy, evaluation, root, scratch, models, player, actions, seeds, gains):
    """Write what the second of two actions gains over the first in each world.

    Args:
        simulator: of the game.
        policy: plays all seats.
        evaluation: of positions.
        root: (1,), a state of the player's information set.
        scratch: (2,) states, overwritten.
        models: (num_players,) int64, the variant of the policy that each seat plays.
        player: the current player.
        actions: (2,) int64, legal ids.
        seeds: (w,) int64, of the worlds.
        gains: (w, t + 1) float64, overwritten: at the ends of the first t turns, and in the end.
    """
    values = np.zeros((2, gains.shape[1]))
    for world in range(len(seeds)):
        sample_world(simulator, root, scratch[:1], player, seeds[world])
        for i in range(2):
            scratch[1] = scratch[0]
            step(simulator, scratch[1:], actions[i])
            play_out(simulator, policy, evaluation, scratch[1:], models, player, seeds[world], values[i])
        gains[world] = values[1] - values[0]


def gains_in(game: Game, positions: list[Records], seed: int, worlds: int, turns: int) -> list[Array]:
    """Return the gains of a random other action in each position, `(worlds, turns + 1)`."""
    parts, known = parts_of(GameInfo.of(game), ()), [game.conceal(player) for player in range(game.num_players)]
    benches = [Bench(one, parts.make_policy(one), parts.make_evaluation(one)) for one in known]
    rng, found = np.random.default_rng(seed), []
    for states in positions:
        player = int(states["current_player"][0])
        bench = benches[player]
        prior = int(prior_choice(bench.simulator, bench.policy, states, 0))
        other = int(rng.choice([action for action in legal_ids(states["legal"][0]) if action != prior]))
        gains = np.zeros((worlds, turns + 1))
        given = (
            states,
            bench.scratch,
            bench.models,
            player,
            np.array([prior, other]),
            rng.integers(2**62, size=worlds),
        )
        compare(*bench.tools, *given, gains)
        found.append(gains)
    return found


def shared_products(first: Array, second: Array) -> Array:
    """Return the mean product of two gains `(n, worlds)` over pairs of different worlds, in each position: `(n,)`."""
    worlds = first.shape[1]
    same = (first * second).sum(axis=1)
    products: Array = (first.sum(axis=1) * second.sum(axis=1) - same) / (worlds * (worlds - 1))
    return products


def main() -> None:
    """Play, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--each", type=int, default=20, help="positions of a game")
    parser.add_argument("--worlds", type=int, default=4)
    parser.add_argument("--turns", type=int, nargs="+", default=[3, 5, 8, 12, 18, 26, 40])
    parser.add_argument("--seed", type=int, default=5)
    given = parser.parse_args()
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
        print(f"| {turn} | {' | '.join(cells)} | {both / own:.2f} ± {error / own:.2f} |")


if __name__ == "__main__":
    main()
