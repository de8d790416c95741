"""Networks of trained Generals: their common base, and the plain one for games without a board."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sackarmies_agents.agent import GameInfo
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.observation import Feature

UNBOUNDED = 127  # declared bound of features that have no small one; their usual values are a few
USUAL = 8.0
LIMIT = 4.0  # scaled numbers are clipped here
MASKED = -1e8
SIZE_LIMITS = (("token", 1, 1024), ("mark", 1, 256), ("hidden", 2, 4096), ("patch", 0, 5), ("message", 1, 1024))


@dataclass(frozen=True)
class NetworkSizes:
    """Widths of the layers.

    Attributes:
        token: vector of a token.
        mark: what of it is laid out on the ids of actions.
        hidden: context and scoring.
        patch: how far around a hex is looked.
        message: message of a token to hexes at a distance.
    """

    token: int = 48
    mark: int = 16
    hidden: int = 128
    patch: int = 2
    message: int = 32

    def __post_init__(self) -> None:
        """Refuse sizes for which no machine has memory."""
        for name, least, most in SIZE_LIMITS:
            size = getattr(self, name)
            if not least <= size <= most:
                raise ValueError(f"{name} is {short_repr(size)}, but it must be from {least} to {most}")


class Network(nn.Module, ABC):
    """Scores actions and positions."""

    @abstractmethod
    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Score legal actions and the position.

        Args:
            observations: `(n, size)` int8.
            masks: `(n, num_actions)` bool.

        Returns:
            Logits `(n, num_actions)`, `MASKED` where illegal, and values `(n,)`.
        """

    @abstractmethod
    def values(self, observations: Tensor) -> Tensor:
        """Return the values `(n,)` of positions alone."""


class Encoder(nn.Module):
    """Turns rows of features into vectors: codes are looked up, numbers are scaled, and learned weights sum them."""

    coded: Tensor  # columns of codes
    starts: Tensor  # where the weights of each of them begin
    plain: Tensor  # columns of numbers
    scale: Tensor

    def __init__(self, features: Sequence[Feature], width: int, without: Collection[str] = ()) -> None:
        """Prepare for rows of `features`, of which those named in `without` are not looked at."""
        super().__init__()
        columns = [column for column, feature in enumerate(features) if feature.name not in without]
        coded = [column for column in columns if features[column].categorical]
        plain = [column for column in columns if not features[column].categorical]
        sizes = [features[column].high - features[column].low + 1 for column in coded]
        lows = np.array([features[column].low for column in coded], np.int64)
        keep(self, "coded", np.array(coded, np.int64))
        keep(self, "starts", np.cumsum([0, *sizes])[: len(sizes)] - lows)
        keep(self, "plain", np.array(plain, np.int64))
        keep(self, "scale", np.array([1 / usual_size(features[column]) for column in plain], np.float32))
        self.codes = nn.EmbeddingBag(sum(sizes), width, mode="sum") if coded else None
        if self.codes is not None:
            nn.init.normal_(self.codes.weight, std=0.1)
        self.numbers = nn.Linear(len(plain), width)

    def forward(self, rows: Tensor) -> Tensor:
        """Map `(n, features)` int8 to `(n, width)`."""
        numbers = (rows[:, self.plain] * self.scale).clamp(-LIMIT, LIMIT)
        vectors: Tensor = self.numbers(numbers)
        if self.codes is not None:
            vectors = vectors + self.codes(rows[:, self.coded].long() + self.starts)
        return vectors


def usual_size(feature: Feature) -> float:
    """Return what to divide a feature by so that it is usually between -1 and 1."""
    bound = max(abs(feature.low), abs(feature.high))
    return USUAL if bound >= UNBOUNDED else float(max(bound, 1))


def keep(module: nn.Module, name: str, values: NDArray[Any]) -> None:
    """Give `module` constants that move with it and are not saved with its weights."""
    module.register_buffer(name, torch.from_numpy(values), persistent=False)


class PlainNetwork(Network):
    """Layers over all numbers of the observation."""

    def __init__(self, info: GameInfo, sizes: NetworkSizes) -> None:
        super().__init__()
        blocks = info.observation_spec.blocks
        features = [feature for block in blocks for _ in range(block.rows) for feature in block.features]
        self.body = nn.Sequential(Encoder(features, sizes.hidden), nn.ReLU(), layer(sizes.hidden, sizes.hidden))
        self.scores = nn.Linear(sizes.hidden, info.num_actions)
        self.value = nn.Linear(sizes.hidden, 1)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network`."""
        hidden = self.body(observations)
        return self.scores(hidden).masked_fill(~masks, MASKED), self.value(hidden).squeeze(1)

    def values(self, observations: Tensor) -> Tensor:
        """See `Network`."""
        values: Tensor = self.value(self.body(observations)).squeeze(1)
        return values


def layer(inputs: int, outputs: int) -> nn.Module:
    """Return a linear layer and its ReLU."""
    return nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU())
