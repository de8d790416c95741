"""How well the evaluation of search predicts how games of an agent end: `python -m benchmarks.calibration`.

The agent plays all seats of games of two Generals, over all built-in armies, and positions are taken from starts of
turns. The evaluation that comes with the package has learned from games of `greedy`; `--evaluation` judges another one.
Log loss is in nats, beside that of always predicting the mean outcome of these games. Intervals are over games.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.search.sack_armies.evaluation import OUTCOMES, WIN, make_evaluation
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.game import Game, Records
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_env.registry import load_game
from sackarmies_training.matches import PlayedGame, Seating, play_games
from sackarmies_training.sack_armies.evaluation_games import DUEL, LOT, outcomes_of
from sackarmies_training.sack_armies.fit_evaluation import Bin, bins_of, calibration_error, draw_reliability, log_loss
from sackarmies_training.seeds import derive

RATE = 0.1  # share of the starts of turns at which a position is taken


class Calibration(NamedTuple):
    """How well the ends of games are predicted.

    Attributes:
        positions: number of positions, counted for each General.
        log_loss: log loss of the evaluation, in nats.
        base: log loss of the mean outcome of these games.
        bins: predicted and observed shares of wins, see `bins_of`.
    """

    positions: int
    log_loss: float
    base: float
    bins: tuple[Bin, ...]


def play_lot(agent: str, seed: int, lot: int) -> tuple[Game, list[PlayedGame]]:
    """Return games of an agent against itself, all with the same armies."""
    rng = np.random.default_rng(derive(seed, "calibration", lot))
    armies = [army_ids()[number] for number in rng.integers(len(army_ids()), size=DUEL)]
    game = load_game("sack_armies", armies=armies)
    seeds, line_ups = rng.integers(2**62, size=LOT).tolist(), [[agent] * DUEL] * LOT
    seating = Seating(line_ups, lambda text: make_agent(text, GameInfo.of(game)), derive(seed, "agents", lot), seeds)
    played = play_games(game, line_ups, seeds, seating)
    for one in played:
        if one.forfeits:
            raise RuntimeError(f"{agent} failed: {one.forfeits[0].reason}")
    return game, played


def positions_of(game: Game, played: PlayedGame, rng: np.random.Generator) -> list[Records]:
    """Return states `(1,)` of a game at starts of turns, drawn at random."""
    states, found = game.new_states(1), []
    game.start(states, played.seed)
    turn = 0
    for action in played.actions:
        if states["turn"][0] != turn:
            turn = int(states["turn"][0])
            if rng.random() < RATE:
                found.append(game.clone(states))
        game.step(game.params, states, [action])
    return found


def chances_of(game: Game, positions: Sequence[Records], source: str | None) -> NDArray[np.float32]:
    """Return the predicted chances of win, draw and loss, `(n, DUEL, OUTCOMES)`."""
    evaluation = make_evaluation(game, source)
    chances = np.zeros((len(positions), DUEL, OUTCOMES), np.float32)
    for number, states in enumerate(positions):
        for player in range(DUEL):
            evaluation.evaluate(evaluation.model, game.params, states, player)
            chances[number, player] = evaluation.model["outcomes"][0]
    return chances


def judge(agent: str, games: int, seed: int, source: str | None) -> Calibration:
    """Play games, and return how well their ends are predicted."""
    rng = np.random.default_rng(derive(seed, "positions"))
    chances, outcomes, numbers = [], [], []
    for lot in range(-(-games // LOT)):
        game, played = play_lot(agent, seed, lot)
        for number, one in enumerate(played):
            positions = positions_of(game, one, rng)
            chances.append(chances_of(game, positions, source).reshape(-1, OUTCOMES))
            outcomes.append(np.tile(outcomes_of(np.array(one.returns)), len(positions)))
            numbers.append(np.full(len(outcomes[-1]), lot * LOT + number))
    predicted, ended = np.concatenate(chances), np.concatenate(outcomes)
    shares = np.bincount(ended, minlength=OUTCOMES) / len(ended)
    return Calibration(
        positions=len(ended),
        log_loss=log_loss(predicted, ended),
        base=log_loss(np.tile(shares, (len(ended), 1)), ended),
        bins=tuple(bins_of(predicted[:, WIN], ended == WIN, np.concatenate(numbers))),
    )


def main() -> None:
    """Print the report as Markdown, and draw it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agent", default="search:level=fast", help="plays all seats")
    parser.add_argument("--evaluation", help="file of weights; by default those of the package")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path, metavar="SVG")
    options = parser.parse_args()
    games = -(-options.games // LOT) * LOT
    found = judge(options.agent, games, options.seed, options.evaluation)
    if options.picture is not None:
        write_safely(options.picture, draw_reliability(found.bins))
    print(f"{describe_machine()}\n\n{games:,} games of {options.agent} against itself, {found.positions:,} positions")
    print(f"log loss {found.log_loss:.3f}, of the mean outcome {found.base:.3f}")
    print(f"calibration error of wins {calibration_error(found.bins):.3f}\n")
    print("| positions | predicted | won | 95% interval |\n| --- | --- | --- | --- |")
    for one in found.bins:
        print(f"| {one.positions:,} | {one.predicted:.3f} | {one.won:.3f} | {one.low:.3f} to {one.high:.3f} |")


if __name__ == "__main__":
    main()
