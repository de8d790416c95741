"""Divergence of training: weights or scores that are no longer numbers."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor


def diverged(what: str) -> ValueError:
    """Return the error of a training that has diverged; `what` are not numbers."""
    return ValueError(f"training has diverged: {what} are not numbers; resume with a lower learning rate")


def refuse_diverged(tensors: Iterable[Tensor]) -> None:
    """Refuse weights that nothing can be computed with, before a checkpoint of them replaces those of earlier ones.

    Raises:
        ValueError: one of them is not finite, or so large that its square is not: scores would not be numbers either.
    """
    for tensor in tensors:
        if tensor.is_floating_point() and not tensor.square().isfinite().all():
            raise diverged("weights")
