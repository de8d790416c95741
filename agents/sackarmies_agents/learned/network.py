"""Networks of trained Generals: their common base, and the plain one for games without a board."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.fused import Columns, sum_features
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.observation import Feature

UNBOUNDED = 127  # declared bound of features that have no small one; their usual values are a few
USUAL = 8.0
LIMIT = 4.0  # scaled numbers are clipped here
MASKED = -1e8
OUTCOMES = 3  # win, draw, loss
# `NetworkSizes.advice` of networks that are told what another agent would choose, what ids are worth to it, and why.
CHOICE, WORTHS, REASONS = 1, 2, 3
SIZE_LIMITS = (
    *(("token", 1, 1024), ("mark", 1, 256), ("hidden", 2, 4096), ("patch", 0, 5), ("message", 1, 1024)),
    *(("outcomes", 1, OUTCOMES), ("advice", 0, REASONS), ("early", 0, 8)),
)
TRUST = 5.0  # what a fresh network adds to the score of the advised id


@dataclass(frozen=True)
class NetworkSizes:
    """Widths of the layers.

    Attributes:
        token: vector of a token.
        mark: what of it is laid out on the ids of actions.
        hidden: context and scoring.
        patch: how far around a hex is looked.
        message: message of a token to hexes at a distance.
        outcomes: what is said of a position: 1: its value; 3: how likely win, draw and loss are.
        early: how many scores each id has besides, of what it gains after fewer turns. They help learning alone.
        advice: 1: what another agent would choose is an input; 2: what each legal id is worth to it too; 3: and why.
    """

    token: int = 48
    mark: int = 16
    hidden: int = 128
    patch: int = 2
    message: int = 32
    outcomes: int = 1
    advice: int = 0
    early: int = 0

    def __post_init__(self) -> None:
        """Refuse sizes for which no machine has memory."""
        for name, least, most in SIZE_LIMITS:
            size = getattr(self, name)
            if not least <= size <= most:
                raise ValueError(f"{name} is {short_repr(size)}, but it must be from {least} to {most}")
        if self.outcomes not in {1, OUTCOMES}:
            raise ValueError(f"outcomes is {self.outcomes}, but it must be 1 or {OUTCOMES}")


class Place(NamedTuple):
    """Ids that are to be scored, of all observations one after the other.

    Attributes:
        game: `(k,)` the observation each belongs to, ascending.
        action: `(k,)` ids.
    """

    game: Tensor
    action: Tensor


class Reasons(NamedTuple):
    """Why another agent would choose so, see `scripted.compiled.Explanation`.

    Attributes:
        plans: `(k, PLAN_IDS)` int64, ids that those of a `Place` lead to; -1 for none.
        parts: `(k, NUM_PARTS)` float32, what the worths of ids are made of.
        notes: `(n, rows, NUM_NOTES)` float32, on the tokens of positions.
    """

    plans: Tensor
    parts: Tensor
    notes: Tensor


class Advice(NamedTuple):
    """What another agent says of positions and ids.

    Attributes:
        chosen: `(n,)` int64, the ids that it would choose.
        worths: `(k,)` float32, what each id of a `Place` is worth to it; None where it does not say.
        reasons: why; None where it does not say.
    """

    chosen: Tensor
    worths: Tensor | None = None
    reasons: Reasons | None = None

    def to(self, device: torch.device) -> Advice:
        """Return it on a device."""
        worths = None if self.worths is None else self.worths.to(device)
        reasons = None if self.reasons is None else Reasons(*(part.to(device) for part in self.reasons))
        return Advice(self.chosen.to(device), worths, reasons)


class Network(nn.Module, ABC):
    """Scores actions and positions.

    Attributes:
        value_shapes: whether gradients of what is said of positions reach the layers that scores share.
        turns_boards: whether each position is looked at in a random one of the symmetries of its board. It is wanted
            for learning alone, where more is then learned from fewer positions.
    """

    value_shapes = True
    turns_boards = False

    @abstractmethod
    def assess(self, observations: Tensor, place: Place, advice: Advice | None = None) -> tuple[Tensor, Tensor]:
        """Score some ids and the positions.

        What is said of positions does not depend on which ids are scored.

        Args:
            observations: `(n, size)` int8.
            place: the ids, legal ones; all of an observation, or none.
            advice: given if the network takes advice.

        Returns:
            Scores `(k,)`, which are logits, and what is said of the positions, `(n, outcomes)`.
        """

    @abstractmethod
    def scale_scores(self, factor: float) -> None:
        """Multiply all scores by a factor, by changing the weights they come from."""

    def foresee(self, observations: Tensor, place: Place, advice: Advice | None = None) -> tuple[Tensor, Tensor]:
        """Return what `assess` does, with scores after fewer turns before them: `(k, early + 1)`."""
        scores, outcomes = self.assess(observations, place, advice)
        return scores.unsqueeze(1), outcomes

    def forward(self, observations: Tensor, masks: Tensor, advice: Advice | None = None) -> tuple[Tensor, Tensor]:
        """Score legal actions and the position.

        Args:
            observations: `(n, size)` int8.
            masks: `(n, num_actions)` bool.
            advice: as in `assess`, of the legal ids in order.

        Returns:
            Logits `(n, num_actions)`, `MASKED` where illegal, and values `(n,)`.
        """
        place = Place(*masks.nonzero(as_tuple=True))
        scores, outcomes = self.assess(observations, place, advice)
        logits = torch.full(masks.shape, MASKED, device=scores.device)
        return logits.index_put(tuple(place), scores.float()), value_of(outcomes)

    def values(self, observations: Tensor, advice: Advice | None = None) -> Tensor:
        """Return the values `(n,)` of positions alone; `advice`, of no ids, for a network that takes any."""
        none = torch.zeros(0, dtype=torch.int64, device=observations.device)
        return value_of(self.assess(observations, Place(none, none), advice)[1])


def value_of(outcomes: Tensor) -> Tensor:
    """Return values `(n,)` from what a network says of positions, `(n, outcomes)`."""
    if outcomes.shape[1] == 1:
        return outcomes.squeeze(1)
    chances = outcomes.float().softmax(dim=1)
    return chances[:, 0] - chances[:, -1]


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
        columns = Columns(self.coded, self.starts, self.plain, self.scale, LIMIT)
        table = self.numbers.weight.new_zeros((0, self.numbers.out_features))
        table = table if self.codes is None else self.codes.weight
        return sum_features(rows, columns, table, self.numbers.weight.T, self.numbers.bias)


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
        self.value = nn.Linear(sizes.hidden, sizes.outcomes)
        self.trust = nn.Parameter(torch.full((info.num_actions,), TRUST)) if sizes.advice else None

    def assess(self, observations: Tensor, place: Place, advice: Advice | None = None) -> tuple[Tensor, Tensor]:
        """See `Network`; of advice it takes the choice alone."""
        hidden = self.body(observations)
        scores = self.scores(hidden)[place]
        if self.trust is not None and advice is not None:
            is_advised = place.action == advice.chosen[place.game]
            scores = scores + torch.where(is_advised, self.trust[place.action], 0.0)
        return scores, self.value(hidden if self.value_shapes else hidden.detach())

    def scale_scores(self, factor: float) -> None:
        """See `Network`."""
        scale([*self.scores.parameters(), *([] if self.trust is None else [self.trust])], factor)


def scale(parameters: Iterable[nn.Parameter], factor: float) -> None:
    """Multiply parameters by a factor."""
    with torch.no_grad():
        for parameter in parameters:
            parameter.mul_(factor)


def layer(inputs: int, outputs: int) -> nn.Module:
    """Return a linear layer and its ReLU."""
    return nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU())
