"""Learns what positions of Sack Armies are worth to search, from whole games: `sackarmies fit-evaluation`.

Games of `greedy`, or of another General, against itself, over all built-in armies, are cut at starts of turns drawn at
random, and a small network learns how they ended for each General: win, draw or loss. Games are held out, never single
positions: positions of one game end alike.

How a game ends is mostly luck, so the network learns twice. First, two networks learn from half of the games each, and
say what the positions of the other half are worth. What a position is then taken to be worth is a mean of these values
for the later positions of its game, the next one most of all, and of how the game ended.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import RenderableType

from sackarmies_agents.search.sack_armies.evaluation import OUTCOMES, TYPES, WIN
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_training.fitting import add_numbers, plain_table, titled
from sackarmies_training.ladder.picture import INK, LINE, PALE, PAPER, SETTINGS
from sackarmies_training.sack_armies.evaluation_games import DUEL, Plan, Positions, collect, player_of
from sackarmies_training.sack_armies.evaluation_network import Source, chances_of, train
from sackarmies_training.stats.estimate import wilson

__all__ = ["DUEL", "Plan", "Positions", "collect", "draw_reliability", "fit", "player_of", "reliability_table", "save"]

BINS = 10  # of the reliability table
FOLDS = 2
FEWER = 1  # by how many epochs less networks learn from one fold
Z = 1.96  # standard errors, either way, of a 95% interval
EXACT = 1e-9  # standard errors below this are rounding

Array = NDArray[np.float32]


class Bin(NamedTuple):
    """Held-out positions, counted for each General, whose predicted chance of a win lies in the same tenth.

    Attributes:
        positions: number of them.
        predicted: mean predicted chance of a win.
        won: share that won.
        low: lower end of the 95% interval of that share, see `share_interval`.
        high: upper end.
    """

    positions: int
    predicted: float
    won: float
    low: float
    high: float


@dataclass(frozen=True)
class Report:
    """How well the outcomes of held-out positions are predicted.

    Attributes:
        positions: number of held-out positions, and of those that were learned from.
        log_loss: log loss of the network, in nats.
        base: log loss of the mean outcome for the number of Generals, which knows nothing of the position.
        two: both for positions of two Generals.
        unknown: log loss of the network if all types are treated as unknown.
        reliability: for each tenth of the predicted chance of a win that has positions.
    """

    positions: tuple[int, int]
    log_loss: float
    base: float
    two: tuple[float, float]
    unknown: float
    reliability: tuple[Bin, ...]


def fit(positions: Positions, plan: Plan) -> tuple[dict[str, NDArray[np.float16]], Report]:
    """Return the weights of the network, by their names in files, and a report on how good they are."""
    source, alive = Source(positions.inputs), positions.inputs.alive
    learned = ~positions.held_out()
    ended = np.eye(OUTCOMES, dtype=np.float32)[positions.outcomes]
    folds, values = positions.rounds % FOLDS, np.zeros_like(ended)
    for fold in range(FOLDS):
        others = np.flatnonzero(learned & (folds != fold))
        network = train(source, alive, ended, others, replace(plan, epochs=max(1, plan.epochs - FEWER)))
        own = np.flatnonzero(folds == fold)
        values[own] = chances_of(network, source, own)
    targets = looking_back(positions, values, ended, plan.trust)
    network = train(source, alive, targets, np.flatnonzero(learned), plan)
    tested = np.flatnonzero(~learned)
    chances = chances_of(network, source, tested)
    network.knows_types = False
    report = judge(positions, chances, chances_of(network, source, tested))
    return network.weights(), report


def looking_back(positions: Positions, values: Array, ended: Array, trust: float) -> Array:
    """Return what positions are taken to be worth, as chances of outcomes `(n, SEATS, OUTCOMES)`.

    Args:
        positions: those of a game follow each other.
        values: chances of outcomes, as predicted for each position.
        ended: actual outcomes, 1 or 0; they count where a game has no later position, or a seat is eliminated.
        trust: weight of what follows after the next position, 0 to 1; the prediction for the next one has the rest.
    """
    targets = ended.copy()
    for i in range(len(targets) - 2, -1, -1):
        if positions.games[i] == positions.games[i + 1]:
            goes_on = positions.inputs.alive[i + 1]
            targets[i, goes_on] = (trust * targets[i + 1] + (1.0 - trust) * values[i + 1])[goes_on]
    return targets


def judge(positions: Positions, chances: Array, unknowing: Array) -> Report:
    """Return a report on predicted chances of the held-out positions, each `(n, SEATS, OUTCOMES)`."""
    tested = positions.held_out()
    alive = positions.inputs.alive[tested]
    players, games = (
        np.broadcast_to(column[tested][:, None], alive.shape)[alive] for column in (positions.players, positions.games)
    )
    outcomes, chances, unknowing = positions.outcomes[tested][alive], chances[alive], unknowing[alive]
    base = np.zeros((len(outcomes), OUTCOMES))
    for count in np.unique(players):
        rows = ~tested & (positions.players == count)
        known = positions.outcomes[rows][positions.inputs.alive[rows]]
        base[players == count] = np.bincount(known, minlength=OUTCOMES) / max(1, len(known))
    two = players == 2
    return Report(
        positions=(len(outcomes), int(positions.inputs.alive[~tested].sum())),
        log_loss=log_loss(chances, outcomes),
        base=log_loss(base, outcomes),
        two=(log_loss(chances[two], outcomes[two]), log_loss(base[two], outcomes[two])),
        unknown=log_loss(unknowing, outcomes),
        reliability=tuple(bins_of(chances[:, WIN], outcomes == WIN, games)),
    )


def bins_of(chances: Array, won: NDArray[np.bool_], games: NDArray[np.int64]) -> Iterator[Bin]:
    """Yield the tenths of the predicted chance of a win that have positions.

    Args:
        chances: `(n,)`, predicted.
        won: `(n,)`, what happened.
        games: `(n,)`, number of the game of each.
    """
    bins = np.minimum((chances * BINS).astype(int), BINS - 1)
    for number in np.unique(bins):
        rows = bins == number
        ends = share_interval(won[rows], games[rows])
        yield Bin(int(rows.sum()), float(chances[rows].mean()), float(won[rows].mean()), *ends)


def share_interval(won: NDArray[np.bool_], games: NDArray[np.int64]) -> tuple[float, float]:
    """Return the ends of the 95% interval of a share that won.

    Only games are independent: positions of one game, and its Generals, end together. So the standard error is that of
    the deviations from the share, summed by game. Where it is zero, as for a share of 0 or 1, the interval is that of
    Wilson, with games as trials.

    Args:
        won: `(n,)`.
        games: `(n,)`, number of the game of each.
    """
    share = float(won.mean())
    numbers, places = np.unique(games, return_inverse=True)
    error = float(np.sqrt((np.bincount(places, won - share) ** 2).sum())) / len(won)
    if error < EXACT:
        return wilson(share, len(numbers))
    return max(0.0, share - Z * error), min(1.0, share + Z * error)


def log_loss(chances: NDArray[np.floating], outcomes: NDArray[np.int64]) -> float:
    """Return the mean log loss of predicted chances `(n, OUTCOMES)`, in nats."""
    return float(-np.log(np.maximum(chances[np.arange(len(outcomes)), outcomes], 1e-9)).mean())


def reliability_table(report: Report) -> RenderableType:
    """Return predicted chances of a win beside what happened."""
    table = plain_table()
    add_numbers(table, ("positions", "predicted", "won"))
    for one in report.reliability:
        table.add_row(f"{one.positions:,}", f"{one.predicted:.3f}", f"{one.won:.3f}")
    return titled("Chances of a win in positions held out", table)


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the mean distance of predicted chances from what happened, over all positions of the bins."""
    total = sum(one.positions for one in bins)
    return sum(one.positions * abs(one.predicted - one.won) for one in bins) / total


def draw_reliability(bins: Sequence[Bin]) -> bytes:
    """Return a picture of predicted chances of a win beside what happened, as SVG; equal bins give equal bytes.

    Bars are 95% intervals of shares that won; they count games, not positions, as independent.

    Raises:
        ImportError: there is no matplotlib.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    counts, predicted, won, low, high = (np.array(column) for column in zip(*bins, strict=True))
    spread = np.abs([won - low, high - won])  # rounding may leave an end of the interval on the other side of the share
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(4.6, 4.6), layout="constrained", facecolor=PAPER)
        axes = figure.add_subplot(xlabel="predicted chance of a win", aspect="equal")
        axes.set_ylabel("share won, 95% interval over games")
        axes.plot([0, 1], [0, 1], "--", color=PALE)
        axes.errorbar(predicted, won, spread, fmt="o", color=LINE, markersize=4)
        axes.set_title(f"{counts.sum():,} positions of games held out", color=INK, fontsize=10)
        axes.grid(alpha=0.3)
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def save(weights: dict[str, NDArray[np.float16]], path: Path) -> None:
    """Write the weights as a file that `evaluation.load_weights` reads."""
    content = io.BytesIO()
    types = {TYPES: np.array(list(load_catalogue()))}
    np.savez(content, **weights, **types)  # type: ignore[arg-type] # its stubs take keywords for options
    write_safely(path, content.getvalue())
