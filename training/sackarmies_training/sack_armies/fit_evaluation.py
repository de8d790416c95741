"""Learns what positions of Sack Armies are worth to search, from whole games: `sackarmies fit-evaluation`.

Games of a General against itself, over all built-in armies, are cut at starts of turns drawn at random, and a small
network learns how they ended for each General: win, draw or loss. Games are held out, never single positions: positions
of one game end alike.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import RenderableType
from torch import nn

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_agents.search.sack_armies.evaluation import DRAW, HIDDEN, INPUTS, LOSS, OUTCOMES, WIN, inputs_of
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.step_batch import Ending
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_env.registry import load_game
from sackarmies_training.fitting import add_numbers, plain_table, titled
from sackarmies_training.ladder.picture import INK, LINE, PALE, PAPER, SETTINGS
from sackarmies_training.matches import Seating
from sackarmies_training.seeds import derive

PLAYERS = (2, 2, 2, 3, 4)  # Generals of one lot of games after the other
LOT = 64  # games with the same armies, side by side
HELD_OUT = 10  # every tenth lot
BINS = 10  # of the reliability table

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Plan:
    """What an evaluation learns from, and how.

    Attributes:
        agent: text form of the General that plays all seats.
        games: how many, at least.
        seed: of all that is random.
        noise: share of its decisions that are taken at random instead, so that more is seen.
        rate: share of the starts of turns that are looked at.
        epochs: times that all positions are learned from.
        learning_rate: of AdamW, at its highest.
        weight_decay: of AdamW.
        minibatch: positions a step.
    """

    agent: str = "greedy"
    games: int = 20_000
    seed: int = 1
    noise: float = 0.03
    rate: float = 0.12
    epochs: int = 12
    learning_rate: float = 3e-3
    weight_decay: float = 3e-3
    minibatch: int = 1024


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions and how they ended.

    Attributes:
        inputs: `(n, INPUTS)` float32, of the network.
        outcomes: `(n,)` int64, WIN, DRAW or LOSS.
        lots: `(n,)` int64, number of the lot of games.
        players: `(n,)` int64, Generals in the game.
    """

    inputs: NDArray[np.float32]
    outcomes: NDArray[np.int64]
    lots: NDArray[np.int64]
    players: NDArray[np.int64]

    def held_out(self) -> NDArray[np.bool_]:
        """Return which positions are kept from learning."""
        kept: NDArray[np.bool_] = self.lots % HELD_OUT == 0
        return kept


@dataclass(frozen=True)
class Report:
    """How well the chances of positions that were held out are predicted.

    Attributes:
        positions: how many, and how many were learned from.
        log_loss: in nats, of the network.
        base: of the mean outcome for the number of Generals, which knows nothing of the position.
        reliability: for each tenth of the predicted chance of a win: positions, mean prediction, share that won.
    """

    positions: tuple[int, int]
    log_loss: float
    base: float
    reliability: tuple[tuple[int, float, float], ...]

    @property
    def calibration_error(self) -> float:
        """Mean distance of predicted chances from what happened, over the bins of `reliability`."""
        total = sum(count for count, _, _ in self.reliability)
        return sum(count * abs(predicted - won) for count, predicted, won in self.reliability) / total


def collect(plan: Plan, progress: Progress) -> Positions:
    """Play games and return positions of them; `progress` is called with the number of games that ended."""
    parts: list[Positions] = []
    played = lot = 0
    while played < plan.games:
        parts.append(play_lot(plan, lot))
        progress(LOT)
        played += LOT
        lot += 1
    return Positions(*(np.concatenate([getattr(part, name) for part in parts]) for name in Positions.__annotations__))


def play_lot(plan: Plan, lot: int) -> Positions:
    """Play one lot of games to their ends, and return positions of them."""
    rng = np.random.default_rng(derive(plan.seed, "lot", lot))
    players = PLAYERS[lot % len(PLAYERS)]
    armies = [army_ids()[number] for number in rng.integers(len(army_ids()), size=players)]
    game = load_game("sack_armies", num_generals=players, armies=armies)
    info = GameInfo.of(game)
    seating = Seating([[plan.agent] * players] * LOT, lambda text: make_agent(text, info), derive(plan.seed, "a", lot))
    noise = RandomAgent(int(rng.integers(2**31)))
    batch = Batch(game, LOT, restarts=False)
    batch.reset(rng.integers(2**62, size=LOT))
    turns = batch.states["turn"].copy()
    running, seen = np.arange(LOT), []
    while len(running):
        begun = running[batch.states["turn"][running] != turns[running]]
        turns[running] = batch.states["turn"][running]
        chosen = begun[rng.random(len(begun)) < plan.rate]
        for player in range(players):
            rows = chosen[batch.states["general_alive"][chosen, player] == 1]
            seen.append((rows, np.full(len(rows), player), inputs_of(game.params, batch.states[rows], player)))
        choices = seating.choose(running, batch)
        for reason in choices.faults.values():
            raise ValueError(f"the General {plan.agent!r} {reason}")
        at_random = rng.random(len(running)) < plan.noise
        drawn = noise.act_batch(batch.observations[running], batch.action_masks[running])
        batch.step(np.where(at_random, drawn, choices.actions), running)
        running = running[batch.ended[running] == Ending.RUNNING]
    rows, seats, inputs = (np.concatenate([part[i] for part in seen]) for i in range(3))
    outcomes = outcomes_of(batch.states["winner"][rows], seats)
    size = len(rows)
    return Positions(inputs, outcomes, np.full(size, lot), np.full(size, players))


def outcomes_of(winners: NDArray[np.int64], seats: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how games ended for seats, `(n,)`: a game without a winner is a draw."""
    return np.where(winners == seats, WIN, np.where(winners < 0, DRAW, LOSS)).astype(np.int64)


def fit(positions: Positions, plan: Plan) -> tuple[dict[str, NDArray[np.float32]], Report]:
    """Return weights of the network, by the names of the fields of MODEL_DTYPE, and how good they are."""
    torch.manual_seed(plan.seed)
    learned, tested = ~positions.held_out(), positions.held_out()
    offset = positions.inputs[learned].mean(axis=0)
    spread = positions.inputs[learned].std(axis=0)
    scale = np.where(spread > 1e-6, 1.0 / np.maximum(spread, 1e-6), 0.0).astype(np.float32)
    scaled = torch.from_numpy((positions.inputs - offset) * scale)
    first, last = nn.Linear(INPUTS, HIDDEN), nn.Linear(HIDDEN, OUTCOMES)
    network = nn.Sequential(first, nn.ReLU(), last)
    train(network, scaled[learned], torch.from_numpy(positions.outcomes[learned]), plan)
    with torch.no_grad():
        chances = torch.softmax(network(scaled[tested]), dim=1).numpy()
    report = judge(chances, positions, int(learned.sum()))
    weights = {
        "offset": offset,
        "scale": scale,
        "hidden_weight": first.weight.detach().numpy().T.copy(),
        "hidden_bias": first.bias.detach().numpy(),
        "outcome_weight": last.weight.detach().numpy().T.copy(),
        "outcome_bias": last.bias.detach().numpy(),
    }
    return weights, report


def train(network: nn.Module, inputs: torch.Tensor, outcomes: torch.Tensor, plan: Plan) -> None:
    """Fit a network to outcomes, with a learning rate that rises and falls once."""
    optimizer = torch.optim.AdamW(network.parameters(), plan.learning_rate, weight_decay=plan.weight_decay)
    steps = plan.epochs * -(-len(inputs) // plan.minibatch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, plan.learning_rate, total_steps=steps)
    for _ in range(plan.epochs):
        for chosen in torch.split(torch.randperm(len(inputs)), plan.minibatch):
            loss = nn.functional.cross_entropy(network(inputs[chosen]), outcomes[chosen])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call] # torch gives it no types
            optimizer.step()
            schedule.step()


def judge(chances: NDArray[np.float32], positions: Positions, learned: int) -> Report:
    """Return how good predicted chances `(n, OUTCOMES)` of the positions held out are."""
    tested = positions.held_out()
    outcomes, players = positions.outcomes[tested], positions.players[tested]
    base = np.zeros((len(outcomes), OUTCOMES))
    for count in np.unique(players):
        known = positions.outcomes[~tested & (positions.players == count)]
        base[players == count] = np.bincount(known, minlength=OUTCOMES) / max(1, len(known))
    bins = np.minimum((chances[:, WIN] * BINS).astype(int), BINS - 1)
    table = [
        (int((bins == b).sum()), float(chances[bins == b, WIN].mean()), float((outcomes[bins == b] == WIN).mean()))
        for b in range(BINS)
        if (bins == b).any()
    ]
    return Report((len(outcomes), learned), log_loss(chances, outcomes), log_loss(base, outcomes), tuple(table))


def log_loss(chances: NDArray[np.floating], outcomes: NDArray[np.int64]) -> float:
    """Return the mean log loss of predicted chances `(n, OUTCOMES)`, in nats."""
    return float(-np.log(np.maximum(chances[np.arange(len(outcomes)), outcomes], 1e-9)).mean())


def reliability_table(report: Report) -> RenderableType:
    """Return predicted chances of a win beside what happened."""
    table = plain_table()
    add_numbers(table, ("positions", "predicted", "won"))
    for count, predicted, won in report.reliability:
        table.add_row(f"{count:,}", f"{predicted:.3f}", f"{won:.3f}")
    return titled("Chances of a win in positions held out", table)


def draw_reliability(report: Report) -> bytes:
    """Return a picture of predicted chances of a win beside what happened, as SVG; equal reports give equal bytes.

    Raises:
        ImportError: there is no matplotlib.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    counts, predicted, won = (np.array(column) for column in zip(*report.reliability, strict=True))
    spread = 1.96 * np.sqrt(won * (1.0 - won) / counts)
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(4.6, 4.6), layout="constrained", facecolor=PAPER)
        axes = figure.add_subplot(xlabel="predicted chance of a win", ylabel="share won, 95% interval", aspect="equal")
        axes.plot([0, 1], [0, 1], "--", color=PALE)
        axes.errorbar(predicted, won, spread, fmt="o", color=LINE, markersize=4)
        axes.set_title(f"{counts.sum():,} positions of games held out", color=INK, fontsize=10)
        axes.grid(alpha=0.3)
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def save(weights: dict[str, NDArray[np.float32]], path: Path) -> None:
    """Write the weights as a file that `evaluation.load_weights` reads."""
    content = io.BytesIO()
    np.savez(content, **weights)  # type: ignore[arg-type] # its stubs take keywords for options
    write_safely(path, content.getvalue())
