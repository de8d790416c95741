"""Losses: of values predicted for positions, and of what choices gain."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from sackarmies_agents.learned.sizes import OUTCOMES
from sackarmies_training.ragged import log_probabilities, sums

DECIDED = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)  # chances once the result is known


def worths(loss: float) -> NDArray[np.float32]:
    """Return what win, draw and loss are worth, `(3,)`: the returns that `value_of` counts them as."""
    return np.array([1.0, 0.0, loss], np.float32)


def autocast(device: torch.device, precision: str) -> contextlib.AbstractContextManager[Any]:
    """Return a context in which networks compute with a precision; weights stay float32."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")


def chances_of(outcomes: Tensor) -> Tensor:
    """Turn a network's logits into chances of win, draw and loss `(n, 3)`; values `(n, 1)` stay values."""
    return outcomes.float().softmax(dim=1) if outcomes.shape[1] == OUTCOMES else outcomes.float()


def value_loss(outcomes: Tensor, targets: Tensor) -> Tensor:
    """Return the value loss: cross-entropy for logits of outcomes, mean squared error for values.

    It is 0 if there are no positions, where the mean would be NaN.
    """
    if not len(outcomes):
        return outcomes.sum()
    if outcomes.shape[1] == OUTCOMES:
        return functional.cross_entropy(outcomes, targets)
    return functional.mse_loss(outcomes, targets)


def squared_error(scores: Tensor, wanted: Tensor, compared: Tensor, game: Tensor, n: int) -> Tensor:
    """Return sums of squared errors by decision, `(n,)`, less each decision's mean error: only differences count.

    Args:
        scores: `(k,)`.
        wanted: `(k,)`, targets.
        compared: `(k,)` bool, the entries that count.
        game: `(k,)`, the decision each belongs to.
        n: number of decisions.
    """
    weight = compared.float()
    error = (scores - wanted) * weight
    mean = sums(error, game, n) / sums(weight, game, n).clamp(min=1)
    return sums((error - mean[game]) ** 2 * weight, game, n)


def expected_loss(logits: Tensor, wanted: Tensor, compared: Tensor, game: Tensor, n: int) -> Tensor:
    """Return the divergence of the policy among compared ids from the softmax of `wanted`, `(n,)`, up to a constant.

    That is, minus the policy's expected gain, minus its entropy. `wanted` enters linearly, so noise in it averages out.
    Cross-entropy with the softmax as its target would learn which of several noisy ids looks best, which favors noise.

    Args:
        logits: `(k,)`.
        wanted: `(k,)`, what ids gain, in units of logits.
        compared: `(k,)` bool, the entries that count; a decision without any has no loss.
        game: `(k,)`, the decision each belongs to.
        n: number of decisions.
    """
    entries = compared.nonzero().squeeze(1)
    owner = game[entries]
    log_probs = log_probabilities(logits[entries], owner, n)
    return sums(log_probs.exp() * (log_probs - wanted[entries]), owner, n)
