"""Losses of learning: of what is said of positions, and of what choices gain."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from sackarmies_agents.learned.sizes import OUTCOMES
from sackarmies_training.ragged import log_probabilities, sums

DECIDED = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)  # chances once the result is known
WORTH = np.array([1.0, 0.0, -1.0], np.float32)  # of win, draw and loss


def autocast(device: torch.device, precision: str) -> contextlib.AbstractContextManager[Any]:
    """Return a context in which a network computes with a precision; weights stay float32."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")


def value_loss(outcomes: Tensor, targets: Tensor) -> Tensor:
    """Return the loss of what a network says of positions: cross-entropy of chances, squared error of values.

    It is 0 where there are no positions, whose mean would be no number.
    """
    if not len(outcomes):
        return outcomes.sum()
    if outcomes.shape[1] == OUTCOMES:
        return functional.cross_entropy(outcomes, targets)
    return functional.mse_loss(outcomes, targets)


def squared_error(scores: Tensor, wanted: Tensor, compared: Tensor, game: Tensor, n: int) -> Tensor:
    """Return by what squares scores differ from what is wanted, `(n,)`, where only differences within a decision count.

    Args:
        scores: `(k,)`.
        wanted: `(k,)`.
        compared: `(k,)` bool, the entries that count.
        game: `(k,)`, the decision each belongs to.
        n: how many decisions there are.
    """
    weight = compared.float()
    error = (scores - wanted) * weight
    mean = sums(error, game, n) / sums(weight, game, n).clamp(min=1)
    return sums((error - mean[game]) ** 2 * weight, game, n)


def expected_loss(logits: Tensor, wanted: Tensor, compared: Tensor, game: Tensor, n: int) -> Tensor:
    """Return how far the policy among compared ids is from the softmax of what is wanted, `(n,)`, but for a constant.

    That is, minus what a choice of the policy gains on average, and minus the entropy of the policy. What is wanted
    counts linearly, so noise in it averages out; a cross-entropy with the softmax as its target would learn which id
    looks best of noisy ones, which favors noise.

    Args:
        logits: `(k,)`.
        wanted: `(k,)`, what ids gain, in the unit of logits.
        compared: `(k,)` bool, the entries that count; a decision of which none does has no loss.
        game: `(k,)`, the decision each belongs to.
        n: how many decisions there are.
    """
    entries = compared.nonzero().squeeze(1)
    owner = game[entries]
    log_probs = log_probabilities(logits[entries], owner, n)
    return sums(log_probs.exp() * (log_probs - wanted[entries]), owner, n)
