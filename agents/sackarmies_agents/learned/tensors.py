"""Conversion of checkpoint parts to torch tensors and back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from sackarmies_agents.learned.checkpoint import Arrays

Tensors = dict[str, torch.Tensor]


def tensors_of(arrays: Arrays) -> Tensors:
    """Copy arrays, which may be read-only, into tensors."""
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def arrays_of(tensors: Mapping[str, torch.Tensor]) -> Arrays:
    """Return tensors as arrays, which share memory with tensors on the CPU."""
    return {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}
