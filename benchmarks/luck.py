"""What taking luck out of results is worth: `python -m benchmarks.luck --pairs 1000`.

Agents play pairs of games with the default options. The table gives for each match the share of the points with its
interval, and the same with the luck of flips or dice taken out by exact odds (`sackarmies_training.stats.luck`). Then
it gives the share of games saved, for an interval as narrow, by taking out that luck, the luck of draws alone
(`benchmarks.luck_of_draws`), or both. The saving is negative if an interval becomes wider; its own intervals are
percentiles of bootstrap resamples of pairs. Time is processor time per game. Below the table stand the means of all
corrections, which are 0 except for chance.

With `--values trained`, positions after draws are valued by the trained General of Sack Armies, who sees hands.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.luck_of_draws import DrawMeter, TrainedValues
from benchmarks.machine import describe_machine
from sackarmies_env.core.game import Game
from sackarmies_env.registry import load_game
from sackarmies_training.evaluate import Plan, evaluate, played_units
from sackarmies_training.matches import PlayedGame
from sackarmies_training.stats.estimate import ENDS
from sackarmies_training.stats.luck import Adjusted, LuckMeter, resampling_weights, unit_shares
from sackarmies_training.stats.match import Match

MATCHES = ("greedy/random", "greedy/greedy:weights=first")
HEAD = ("match", "pairs", "points", "luck taken out", "games saved by flips or dice", "by draws", "by both")
COSTS = ("ms a game to play", "to measure flips or dice", "draws")
Luck = list[list[float]]  # corrections of each game


def main() -> None:
    """Play the matches and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="sack_armies", help="id of a game")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--matches", nargs="+", default=MATCHES, help="agent/opponent")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--values", choices=("evaluation", "trained"), default="evaluation", help="for draws")
    given = parser.parse_args()
    game = load_game(given.game)
    flips = LuckMeter(game)
    draws = DrawMeter(game, TrainedValues(game) if given.values == "trained" else flips.values)
    warm = evaluate(game, "random", "greedy", Plan(1, seed=0), lambda games: None)[1]
    for meter in (flips, draws):
        meter.measure(warm, [0, 0])
    cells = (*HEAD, *COSTS)
    print(f"| {' | '.join(cells)} |\n|{' --- |' * len(cells)}", flush=True)
    found = [measure(game, text, Plan(given.pairs, seed=given.seed), flips, draws) for text in given.matches]
    for text, both in zip(given.matches, found, strict=True):
        for kind, luck in zip(("flips or dice", "draws"), both, strict=True):
            print(f"{text}, {kind}: {mean_sentence(luck)}")
    print(f"draws not measured: {draws.num_left}")
    print(" ".join(map(str, describe_machine().values())))


def measure(game: Game, text: str, plan: Plan, flips: LuckMeter, draws: DrawMeter) -> tuple[Luck, Luck]:
    """Play a match, print its row, and return the corrections for flips or dice and for draws."""
    agent, _, opponent = text.partition("/")
    times = [time.process_time()]
    played = evaluate(game, agent, opponent, plan, lambda games: None)[1]
    times.append(time.process_time())
    seats = [one.agents.index(agent) for one in played]
    found: list[Luck] = []
    for meter in (flips, draws):
        found.append(meter.measure(played, seats))
        times.append(time.process_time())
    both = [one + other for one, other in zip(*found, strict=True)]
    scores = [
        Match(agent, opponent, played_units(played)).score,
        Adjusted.of(unit_shares(agent, played, found[0]), len(played)).score,
    ]
    shown = [f"{one.value:.1%} ({one.low:.1%} to {one.high:.1%})" for one in scores]
    saved = [games_saved(agent, played, luck) for luck in (*found, both)]
    costs = [f"{1e3 * spent / len(played):.0f}" for spent in np.diff(times)]
    cells = [f"`{agent}` against `{opponent}`", f"{plan.seeds:,}", *shown, *saved, *costs]
    print(f"| {' | '.join(cells)} |", flush=True)
    return found[0], found[1]


def games_saved(agent: str, played: Sequence[PlayedGame], luck: Luck) -> str:
    """Return by how much the variance over pairs falls, with an interval."""
    shares = unit_shares(agent, played, luck)
    weights = np.concatenate([np.full((1, len(shares)), 1 / len(shares)), resampling_weights(len(shares))])
    variances = weights @ shares**2 - (weights @ shares) ** 2  # (1 + resamples, 2)
    if variances[:, 0].min() < 1e-12:
        return "no variance"
    saved = 1 - variances[:, 1] / variances[:, 0]
    low, high = np.quantile(saved[1:], ENDS)
    return f"{saved[0]:.1%} ({low:.1%} to {high:.1%})"


def mean_sentence(luck: Luck) -> str:
    """Return a sentence with the number of corrections and their mean with its standard error."""
    corrections = np.array([one for parts in luck for one in parts])
    error = corrections.std() / np.sqrt(max(1, len(corrections)))
    mean = corrections.mean() if len(corrections) else 0.0
    return f"mean of {len(corrections):,} corrections {mean:+.6f}, standard error {error:.6f}"


if __name__ == "__main__":
    main()
