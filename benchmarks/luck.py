"""What taking luck out of results is worth: `python -m benchmarks.luck --pairs 1000`.

Agents play pairs of games with the default options. For each match: the share of the points with its interval, the same
with the luck of flips or dice taken out by exact odds (`sackarmies_training.stats.luck`), and how many games less give
an interval as narrow. Time is that of the processor, a game. Then the mean of all corrections: 0 but for chance.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.machine import describe_machine
from sackarmies_env.registry import load_game
from sackarmies_training.evaluate import Plan, evaluate, played_units
from sackarmies_training.stats.luck import LuckMeter, adjusted_score
from sackarmies_training.stats.match import Match

MATCHES = ("greedy/random", "greedy/greedy:weights=first")


def main() -> None:
    """Play, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="sack_armies", help="id of a game")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--matches", nargs="+", default=MATCHES, help="agent/opponent")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    game = load_game(given.game)
    LuckMeter(game).measure(evaluate(game, "random", "greedy", Plan(1, seed=0), lambda games: None)[1], [0, 0])  # warm
    print("| match | pairs | points | luck taken out | games saved | ms a game to play | to measure luck |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for text in given.matches:
        agent, _, opponent = text.partition("/")
        begun = time.process_time()
        played = evaluate(game, agent, opponent, Plan(given.pairs, seed=given.seed), lambda games: None)[1]
        between = time.process_time()
        adjusted = adjusted_score(game, agent, played)
        ended = time.process_time()
        scores = [Match(agent, opponent, played_units(played)).score, adjusted.score]
        shown = [f"{one.value:.1%} ({one.low:.1%} to {one.high:.1%})" for one in scores]
        costs = [f"{1e3 * spent / len(played):.0f}" for spent in (between - begun, ended - between)]
        cells = [f"`{agent}` against `{opponent}`", str(given.pairs), *shown, f"{1 - adjusted.ratio:.0%}", *costs]
        print(f"| {' | '.join(cells)} |", flush=True)
    luck = LuckMeter(game).measure(played, [one.agents.index(agent) for one in played])
    corrections = np.array([one for parts in luck for one in parts])
    error = corrections.std() / np.sqrt(len(corrections))
    print(f"mean of {len(corrections):,} corrections: {corrections.mean():+.5f}, standard error {error:.5f}")
    print(" ".join(map(str, describe_machine().values())))


if __name__ == "__main__":
    main()
