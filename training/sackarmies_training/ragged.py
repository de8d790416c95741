"""Ragged rows: what belongs to the legal ids of several decisions, one decision after the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor

from sackarmies_agents.learned.network import Advice, Place, Reasons


def joined_advice(parts: Iterable[Advice | None]) -> Advice | None:
    """Return advice on decisions one after the other; all parts have as much of it, or none."""
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
    """Return advice on some decisions, and on the entries that belong to them."""
    worths, reasons = advice.worths, advice.reasons
    if reasons is not None:
        reasons = Reasons(reasons.plans[entries], reasons.parts[entries], reasons.notes[rows])
    return Advice(advice.chosen[rows], None if worths is None else worths[entries], reasons)


def owners(counts: Tensor) -> Tensor:
    """Return for each entry which row it belongs to, where row i has `counts[i]` entries."""
    return torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)


def log_probabilities(scores: Tensor, game: Tensor, n: int) -> Tensor:
    """Return the logarithm of the softmax of scores `(k,)` over the entries of each of `n` decisions."""
    highest = torch.full((n,), -torch.inf, device=scores.device).scatter_reduce(0, game, scores.detach(), "amax")
    shifted = scores - highest[game]
    return shifted - sums(shifted.exp(), game, n).log()[game]


def sums(values: Tensor, game: Tensor, n: int) -> Tensor:
    """Return the sum of values `(k,)` over the entries of each of `n` decisions."""
    return torch.zeros(n, device=values.device).index_add(0, game, values)


def draw(log_probs: Tensor, game: Tensor, n: int) -> Tensor:
    """Return an entry of each of `n` decisions, drawn from probabilities `(k,)`: its index, `(n,)`."""
    keys = log_probs - (-torch.rand_like(log_probs).clamp(1e-20, 1 - 1e-7).log()).log()
    highest = torch.full((n,), -torch.inf, device=keys.device).scatter_reduce(0, game, keys, "amax")
    winners = (keys == highest[game]).nonzero().squeeze(1)
    if len(winners) < n:
        raise ValueError("training has diverged: scores are no numbers; resume with a lower learning rate")
    return torch.zeros(n, dtype=torch.int64, device=keys.device).index_put((game[winners],), winners)


class Choices(NamedTuple):
    """Decisions in tensors, with what belongs to their legal ids, `(m,)`, one decision after the other.

    Attributes:
        observations: `(k, size)` int8.
        advice: of these decisions and ids; None where nobody advises.
        first: `(k + 1,)` int64, where the legal ids of each decision begin.
        actions: `(m,)` int64, legal ids.
        weights: `(m,)` of the policy that played, logarithms of its probabilities; of a teacher, probabilities.
    """

    observations: Tensor
    advice: Advice | None
    first: Tensor
    actions: Tensor
    weights: Tensor

    def to(self, device: torch.device) -> Choices:
        """Return these on a device."""
        advice = None if self.advice is None else self.advice.to(device)
        rest = (tensor.to(device) for tensor in (self.first, self.actions, self.weights))
        return Choices(self.observations.to(device), advice, *rest)

    def pick(self, rows: Tensor, others: Tensor) -> tuple[Tensor, Advice | None, Place, Tensor]:
        """Return what a network is given for decisions whose ids are scored, `rows`, and for `others`.

        Returns:
            Observations of both, one after the other, and advice on them; the ids of `rows`, and where they stand in
            `actions`.
        """
        counts = self.first[rows + 1] - self.first[rows]
        game = owners(counts)
        entry = torch.arange(len(game), device=game.device) + (self.first[rows] - (counts.cumsum(0) - counts))[game]
        both = torch.cat([rows, others])
        advice = None if self.advice is None else picked_advice(self.advice, both, entry)
        return self.observations[both], advice, Place(game, self.actions[entry]), entry
