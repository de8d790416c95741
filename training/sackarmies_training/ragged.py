"""Ragged rows: values for the legal ids of several decisions, one decision after another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sackarmies_agents.learned.network import Advice, Place, Reasons
from sackarmies_training.divergence import diverged


def joined_advice(parts: Iterable[Advice | None]) -> Advice | None:
    """Concatenate advice on decisions; all parts must hold the same kinds of advice, or all be None."""
    given = [part for part in parts if part is not None]
    if not given:
        return None
    worths = [part.worths for part in given if part.worths is not None]
    reasons = [part.reasons for part in given if part.reasons is not None]
    return Advice(
        torch.cat([part.chosen for part in given]),
        torch.cat(worths) if worths else None,
        Reasons(*map(torch.cat, zip(*reasons, strict=True))) if reasons else None,
    )


def picked_advice(advice: Advice, rows: Tensor, entries: Tensor) -> Advice:
    """Return the advice on the decisions `rows` and on the legal ids `entries`."""
    worths, reasons = advice.worths, advice.reasons
    if reasons is not None:
        plans, parts = (given.index_select(0, entries) for given in (reasons.plans, reasons.parts))
        reasons = Reasons(plans, parts, reasons.notes.index_select(0, rows))
    return Advice(advice.chosen[rows], None if worths is None else worths[entries], reasons)


def legal_places(packed_masks: NDArray[np.uint64], device: torch.device) -> Place:
    """Return the legal ids of `n` games, from bit masks `(n, words)`."""
    bits = np.unpackbits(packed_masks.view(np.uint8), axis=1, bitorder="little").view(np.bool_)
    game, action = np.divmod(np.flatnonzero(bits), bits.shape[1])
    return Place(torch.from_numpy(game).to(device), torch.from_numpy(action).to(device))


def owners(counts: Tensor) -> Tensor:
    """Return the row of each entry, where row i has `counts[i]` entries."""
    return torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)


def log_probabilities(scores: Tensor, game: Tensor, n: int) -> Tensor:
    """Return the log-softmax of scores `(k,)` over the entries of each of `n` decisions."""
    highest = torch.full((n,), -torch.inf, device=scores.device).scatter_reduce(0, game, scores.detach(), "amax")
    shifted = scores - highest[game]
    return shifted - sums(shifted.exp(), game, n).log()[game]


def sums(values: Tensor, game: Tensor, n: int) -> Tensor:
    """Sum values `(k,)` over the entries of each of `n` decisions."""
    return torch.zeros(n, device=values.device).index_add(0, game, values)


def draw(log_probs: Tensor, game: Tensor, n: int) -> Tensor:
    """Draw an entry of each of `n` decisions from log-probabilities `(k,)`; return their indices, `(n,)`."""
    keys = log_probs - (-torch.rand_like(log_probs).clamp(1e-20, 1 - 1e-7).log()).log()
    highest = torch.full((n,), -torch.inf, device=keys.device).scatter_reduce(0, game, keys, "amax")
    winners = (keys == highest[game]).nonzero().squeeze(1)
    if len(winners) < n:
        raise diverged("scores")
    return torch.zeros(n, dtype=torch.int64, device=keys.device).index_put((game[winners],), winners)


class Choices(NamedTuple):
    """`k` decisions as tensors, with their `m` legal ids, one decision after another.

    Attributes:
        observations: `(k, size)` int8.
        advice: on these decisions and ids; None without an advisor.
        first: `(k + 1,)` int64, offsets: decision i has the legal ids `first[i]` up to `first[i + 1]`.
        actions: `(m,)` int64, legal ids.
        weights: `(m,)`, log-probabilities of the policy that played, or probabilities given by a teacher.
    """

    observations: Tensor
    advice: Advice | None
    first: Tensor
    actions: Tensor
    weights: Tensor

    def to(self, device: torch.device) -> Choices:
        """Return the decisions with all tensors on `device`."""
        advice = None if self.advice is None else self.advice.to(device)
        rest = (tensor.to(device) for tensor in (self.first, self.actions, self.weights))
        return Choices(self.observations.to(device), advice, *rest)

    def pick(self, rows: Tensor, others: Tensor) -> tuple[Tensor, Advice | None, Place, Tensor]:
        """Return a network's inputs for `rows`, decisions whose ids are scored, and `others`, whose ids are not.

        Returns:
            Observations of `rows`, then of `others`; advice on them; the ids of `rows`; the indices of these ids in
            `actions`.
        """
        counts = self.first[rows + 1] - self.first[rows]
        game = owners(counts)
        entry = torch.arange(len(game), device=game.device) + (self.first[rows] - (counts.cumsum(0) - counts))[game]
        both = torch.cat([rows, others])
        advice = None if self.advice is None else picked_advice(self.advice, both, entry)
        observations = self.observations.index_select(0, both)  # indexing would copy byte by byte
        return observations, advice, Place(game, self.actions[entry]), entry
