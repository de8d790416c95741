"""Parts of checkpoints as tensors of torch, and back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from sackarmies_agents.learned.checkpoint import Arrays

Tensors = dict[str, torch.Tensor]


def tensors_of(arrays: Arrays) -> Tensors:
    """Return copies of arrays, which may be read-only, as tensors."""
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def arrays_of(tensors: Mapping[str, torch.Tensor]) -> Arrays:
    """Return tensors as arrays, which share memory with those that are on the processor."""
    return {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}
