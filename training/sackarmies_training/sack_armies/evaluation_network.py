"""The network of the evaluation of Sack Armies, for training; kernels compute the same from its weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from sackarmies_agents.search.sack_armies.evaluation import HIDDEN, INPUTS, OUTCOMES, PARTS, SUMS, Group, Inputs
from sackarmies_agents.search.sack_armies.features import (
    FIELD_WIDTH,
    NUM_KNOWN,
    NUM_TYPES,
    TOKEN_ROWS,
    UNIT_WIDTH,
    shared_row,
)
from sackarmies_env.registry import load_game
from sackarmies_training.sack_armies.evaluation_games import SEATS, Plan

MASKED = 0.5  # share of types treated as unknown, in a position where some are
JUDGED = 4096  # positions at once when nothing is learned
MAX_TORCH_SEED = 2**63  # seeds of ours may be larger


class Rows(NamedTuple):
    """Tokens, units or battlefields of a minibatch.

    Attributes:
        rows: `(m,)` int64, rows of the weights that they add.
        places: `(m,)` int64, SEATS times the position, plus the seat.
        numbers: `(m, width)` float32.
    """

    rows: torch.Tensor
    places: torch.Tensor
    numbers: torch.Tensor


class Source:
    """Source of minibatches of positions, as the network takes them."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._ends = [np.cumsum(group.counts) for group in self._inputs[:3]]

    def batch(self, chosen: NDArray[np.int64]) -> tuple[Rows, Rows, Rows, torch.Tensor, torch.Tensor]:
        """Return positions: tokens, units, battlefields, what is shared `(n, SEATS, SHARED)`, alive `(n, SEATS)`."""
        tokens, units, fields = (
            self._rows(group, ends, chosen) for group, ends in zip(self._inputs[:3], self._ends, strict=True)
        )
        shared, alive = torch.from_numpy(self._inputs.shared[chosen]), torch.from_numpy(self._inputs.alive[chosen])
        return tokens, units, fields, shared, alive

    @staticmethod
    def _rows(group: Group, ends: NDArray[np.int64], chosen: NDArray[np.int64]) -> Rows:
        counts = group.counts[chosen]
        before = np.cumsum(counts) - counts
        entries = np.repeat(ends[chosen] - counts - before, counts) + np.arange(counts.sum())
        places = np.repeat(np.arange(len(chosen)) * SEATS, counts) + group.seats[entries]
        numbers = torch.from_numpy(group.numbers[entries].astype(np.float32))
        return Rows(torch.from_numpy(group.rows[entries].astype(np.int64)), torch.from_numpy(places), numbers)


class Part(nn.Module):
    """What units or battlefields add to the sums of their Generals."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.types = nn.Embedding(NUM_TYPES, PARTS)
        nn.init.normal_(self.types.weight, std=0.05)
        self.first = nn.Linear(width, PARTS)
        self.last = nn.Linear(PARTS, SUMS, bias=False)

    def forward(self, given: Rows, places: int) -> torch.Tensor:
        """Return what is added for each place, `(places, SUMS)`."""
        parts = torch.relu(self.first(given.numbers) + self.types(given.rows))
        sums: torch.Tensor = self.last(torch.zeros(places, PARTS).index_add(0, given.places, parts))
        return sums

    def weights(self, name: str) -> dict[str, torch.Tensor]:
        """Return the weights, by their names in files."""
        return {
            f"{name}.type_weight": self.types.weight,
            f"{name}.weight": self.first.weight.T,
            f"{name}.bias": self.first.bias,
            f"{name}.sum_weight": self.last.weight.T,
        }


class Network(nn.Module):
    """The evaluation network.

    Args:
        unknown: in training, the share of positions in which some types are treated as unknown.
    """

    def __init__(self, unknown: float = 0.0) -> None:
        super().__init__()
        self.unknown = unknown
        self.knows_types = True  # False: all types are treated as unknown
        self.tokens = nn.Embedding(TOKEN_ROWS, SUMS)
        nn.init.normal_(self.tokens.weight, std=0.02)
        self.bias = nn.Parameter(torch.zeros(SUMS))
        self.units, self.fields = Part(UNIT_WIDTH), Part(FIELD_WIDTH)
        self.hidden, self.outcomes = nn.Linear(INPUTS, HIDDEN), nn.Linear(HIDDEN, OUTCOMES)
        params = load_game("sack_armies").params[0]
        rows = [shared_row(params, known) for known in range(NUM_KNOWN)]
        self._shared_rows = torch.tensor([*rows, *range(NUM_KNOWN, NUM_TYPES)])

    def forward(
        self, tokens: Rows, units: Rows, fields: Rows, shared: torch.Tensor, alive: torch.Tensor
    ) -> torch.Tensor:
        """Return the logits of outcomes for each seat, `(n, SEATS, OUTCOMES)`."""
        if self.training or not self.knows_types:
            tokens, units, fields = self._masked(len(alive), tokens, units, fields)
        places = alive.numel()
        sums = self.bias + self._sums_of(tokens, places)
        sums = torch.relu(sums + self.units(units, places) + self.fields(fields, places))
        own = sums.reshape(*alive.shape, SUMS) * alive[:, :, None]
        others = (alive.sum(1, keepdim=True) - alive.int()).clamp(min=1)[:, :, None]
        mean = (own.sum(1, keepdim=True) - own) / others
        logits: torch.Tensor = self.outcomes(torch.relu(self.hidden(torch.cat([own, mean, shared], dim=2))))
        return logits

    def _sums_of(self, tokens: Rows, places: int) -> torch.Tensor:
        """Return the sums of the weights of tokens for each place, `(places, SUMS)`, without a row for each token."""
        ordered, order = torch.sort(tokens.places, stable=True)
        first = torch.searchsorted(ordered, torch.arange(places))
        sums: torch.Tensor = nn.functional.embedding_bag(tokens.rows[order], self.tokens.weight, first, mode="sum")
        return sums

    def _masked(self, positions: int, *groups: Rows) -> list[Rows]:
        """Return groups in which some types, or all of them, are treated as unknown."""
        masks = (torch.rand(positions, 1) < self.unknown) & (torch.rand(positions, NUM_TYPES) < MASKED)
        masks |= not self.knows_types
        found = []
        for group in groups:
            types = group.rows % NUM_TYPES
            others = group.rows - types + self._shared_rows[types]
            is_masked = masks[group.places // SEATS, types]
            found.append(group._replace(rows=torch.where(is_masked, others, group.rows)))
        return found

    def weights(self) -> dict[str, NDArray[np.float16]]:
        """Return the weights, by their names in files."""
        found = {
            "token_weight": self.tokens.weight,
            "sum_bias": self.bias,
            **self.units.weights("unit"),
            **self.fields.weights("field"),
            "hidden_weight": self.hidden.weight.T,
            "hidden_bias": self.hidden.bias,
            "outcome_weight": self.outcomes.weight.T,
            "outcome_bias": self.outcomes.bias,
        }
        return {name: np.ascontiguousarray(one.detach().numpy().astype(np.float16)) for name, one in found.items()}


def train(
    source: Source, alive: NDArray[np.bool_], targets: NDArray[np.float32], learned: NDArray[np.int64], plan: Plan
) -> Network:
    """Return a network fitted to chances of outcomes, with a learning rate that rises and falls once.

    Args:
        source: source of positions.
        alive: `(n, SEATS)`, seats that count.
        targets: `(n, SEATS, OUTCOMES)`.
        learned: positions to learn from.
        plan: how to learn.
    """
    torch.manual_seed(plan.seed % MAX_TORCH_SEED)
    network = Network(plan.unknown)
    optimizer = torch.optim.AdamW(network.parameters(), plan.learning_rate, weight_decay=plan.weight_decay)
    steps = plan.epochs * -(-len(learned) // plan.minibatch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, plan.learning_rate, total_steps=steps, pct_start=0.2)
    for _ in range(plan.epochs):
        for places in torch.split(torch.randperm(len(learned)), plan.minibatch):
            chosen = learned[places.numpy()]
            logits = network(*source.batch(chosen))[torch.from_numpy(alive[chosen])]
            loss = nn.functional.cross_entropy(logits, torch.from_numpy(targets[chosen][alive[chosen]]))
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call] # torch gives it no types
            optimizer.step()
            schedule.step()
    return network.eval()


def chances_of(network: Network, source: Source, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the chances of outcomes that a network predicts for positions, `(n, SEATS, OUTCOMES)`."""
    with torch.no_grad():
        parts = [
            torch.softmax(network(*source.batch(chosen[first : first + JUDGED])), dim=2).numpy()
            for first in range(0, len(chosen), JUDGED)
        ]
    return np.concatenate(parts) if parts else np.zeros((0, SEATS, OUTCOMES), np.float32)
