"""How well the evaluation of search predicts how games of an agent end: `python -m benchmarks.calibration`.

The agent plays all seats of games of two Generals, over all built-in armies, and positions are taken from starts of
turns. The evaluation that comes with the package has learned from games of `greedy`; `--evaluation` judges another one.
Log loss is in nats, beside that of always predicting the mean outcome of these games. Intervals are over games.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from sackarmies_agents.search.sack_armies.evaluation import OUTCOMES, WIN, make_evaluation
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.game import Game, Records
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_env.registry import load_game
from sackarmies_training.sack_armies.evaluation_games import DUEL, LOT, Plan, outcomes_of, play_agent
from sackarmies_training.sack_armies.fit_evaluation import Report, bins_of, draw_reliability, log_loss
from sackarmies_training.seeds import derive


def chances_of(game: Game, states: Records, source: str | None) -> NDArray[np.float32]:
    """Return the predicted chances of win, draw and loss, `(n, DUEL, OUTCOMES)`."""
    evaluation = make_evaluation(game, source)
    chances = np.zeros((len(states), DUEL, OUTCOMES), np.float32)
    for number in range(len(states)):
        for player in range(DUEL):
            evaluation.evaluate(evaluation.model, game.params, states[number : number + 1], player)
            chances[number, player] = evaluation.model["outcomes"][0]
    return chances


def judge(plan: Plan, source: str | None) -> tuple[Report, int]:
    """Play games, and return how well their ends are predicted, and the number of games."""
    chances, outcomes, games = [], [], []
    for lot in range(-(-plan.games // LOT)):
        rng = np.random.default_rng(derive(plan.seed, "calibration", lot))
        armies = [army_ids()[number] for number in rng.integers(len(army_ids()), size=DUEL)]
        game = load_game("sack_armies", armies=armies)
        states, counts, ends = play_agent(game, plan, rng)
        chances.append(chances_of(game, states, source))
        outcomes.append(np.repeat(outcomes_of(ends), counts, axis=0))
        games.append(lot * LOT + np.repeat(np.arange(LOT), counts))
    predicted, ended = np.concatenate(chances).reshape(-1, OUTCOMES), np.concatenate(outcomes).ravel()
    shares = np.bincount(ended, minlength=OUTCOMES) / len(ended)
    found, base = log_loss(predicted, ended), log_loss(np.tile(shares, (len(ended), 1)), ended)
    bins = tuple(bins_of(predicted[:, WIN], ended == WIN, np.concatenate(games).repeat(DUEL)))
    return Report((len(ended), 0), found, base, (found, base), float("nan"), bins), len(chances) * LOT


def main() -> None:
    """Print the report as Markdown, and draw it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agent", default="search:level=fast", help="plays all seats")
    parser.add_argument("--evaluation", help="file of weights; by default those of the package")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path, metavar="SVG")
    options = parser.parse_args()
    plan = Plan(agent=options.agent, games=options.games, seed=options.seed, noise=0.0)
    report, games = judge(plan, options.evaluation)
    if options.picture is not None:
        write_safely(options.picture, draw_reliability(report))
    print(
        f"{describe_machine()}\n\n{games:,} games of {options.agent} against itself, {report.positions[0]:,} positions"
    )
    print(f"log loss {report.log_loss:.3f}, of the mean outcome {report.base:.3f}")
    print(f"calibration error of wins {report.calibration_error:.3f}\n")
    print("| positions | predicted | won | 95% interval |\n| --- | --- | --- | --- |")
    for one in report.reliability:
        print(f"| {one.positions:,} | {one.predicted:.3f} | {one.won:.3f} | {one.low:.3f} to {one.high:.3f} |")


if __name__ == "__main__":
    main()
