"""Networks of trained agents: their base class, and the plain network for games without a board."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.advice import Answer
from sackarmies_agents.learned.feature_columns import LIMIT, FeatureColumns, columns_of
from sackarmies_agents.learned.fused import Columns, sum_features
from sackarmies_agents.learned.sizes import NetworkSizes

MASKED = -1e8
TRUST = 5.0  # what a fresh network adds to the score of the advised id


class Place(NamedTuple):
    """Ids to be scored, of all observations one after the other.

    Attributes:
        game: `(k,)` the observation each belongs to, ascending.
        action: `(k,)` ids.
    """

    game: Tensor
    action: Tensor


class Reasons(NamedTuple):
    """Another agent's reasons for its choice, see `scripted.compiled.Explanation`.

    Attributes:
        plans: `(k, PLAN_IDS)` int64, ids that the ids of a `Place` lead to; -1 for none.
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
        worths: `(k,)` float32, what each id of a `Place` is worth to it; None if it does not say.
        reasons: why; None if it does not say.
    """

    chosen: Tensor
    worths: Tensor | None = None
    reasons: Reasons | None = None

    @classmethod
    def of(cls, answer: Answer) -> Advice:
        """Convert an advisor's answer to tensors."""
        told = answer.explanation
        return cls(
            torch.from_numpy(answer.chosen),
            None if answer.worths is None else torch.from_numpy(answer.worths),
            None if told is None else Reasons(*map(torch.from_numpy, (told.plans, told.parts, told.notes))),
        )

    def to(self, device: torch.device) -> Advice:
        """Return the advice on a device."""
        worths = None if self.worths is None else self.worths.to(device)
        reasons = None if self.reasons is None else Reasons(*(part.to(device) for part in self.reasons))
        return Advice(self.chosen.to(device), worths, reasons)


class Network(nn.Module, ABC):
    """Scores actions and positions.

    Args:
        info: the game.

    Attributes:
        loss: what a loser earns, see `GameInfo.loss`.
        value_shapes: whether gradients of the outputs for positions reach the layers shared with the scores.
        turns_boards: whether each position is seen in a random symmetry of its board. This is for learning only, where
            it teaches more from fewer positions.
    """

    value_shapes = True
    turns_boards = False

    def __init__(self, info: GameInfo) -> None:
        super().__init__()
        self.loss = info.loss

    @abstractmethod
    def assess(self, observations: Tensor, place: Place, advice: Advice | None = None) -> tuple[Tensor, Tensor]:
        """Score some ids and the positions.

        The outputs for positions do not depend on which ids are scored.

        Args:
            observations: `(n, size)` int8.
            place: legal ids: of each observation all or none.
            advice: given if the network takes advice.

        Returns:
            Scores `(k,)`, which are logits, and the outputs for positions, `(n, outcomes)`.
        """

    @abstractmethod
    def scale_scores(self, factor: float) -> None:
        """Multiply all scores by a factor, by changing the weights they come from."""

    def foresee(self, observations: Tensor, place: Place, advice: Advice | None = None) -> tuple[Tensor, Tensor]:
        """Do what `assess` does, but return scores `(k, early + 1)`: those after fewer turns come first."""
        scores, outcomes = self.assess(observations, place, advice)
        return scores.unsqueeze(1), outcomes

    def forward(self, observations: Tensor, masks: Tensor, advice: Advice | None = None) -> tuple[Tensor, Tensor]:
        """Score legal actions and the position.

        Args:
            observations: `(n, size)` int8.
            masks: `(n, num_actions)` bool.
            advice: as in `assess`, of the legal ids in order.

        Returns:
            Logits `(n, num_actions)`, `MASKED` where illegal, and values `(n,)`, see `value_of`.
        """
        place = Place(*masks.nonzero(as_tuple=True))
        scores, outcomes = self.assess(observations, place, advice)
        logits = torch.full(masks.shape, MASKED, device=scores.device)
        return logits.index_put(tuple(place), scores.float()), value_of(outcomes, self.loss)

    def values(self, observations: Tensor, advice: Advice | None = None) -> Tensor:
        """Return only the values `(n,)` of positions, see `value_of`; `advice`, if it takes any, is of no ids."""
        none = torch.zeros(0, dtype=torch.int64, device=observations.device)
        return value_of(self.assess(observations, Place(none, none), advice)[1], self.loss)


def value_of(outcomes: Tensor, loss: float) -> Tensor:
    """Return values `(n,)`, the returns that players can expect, from the outputs for positions `(n, outcomes)`.

    A draw counts as 0. Where others were out before, it pays a little more: their losses are shared.
    """
    if outcomes.shape[1] == 1:
        return outcomes.squeeze(1)
    chances = outcomes.float().softmax(dim=1)
    return chances[:, 0] + loss * chances[:, -1]


class Encoder(nn.Module):
    """Turns rows of features into vectors: codes are looked up, numbers are scaled, and learned weights sum them."""

    coded: Tensor  # see `FeatureColumns`, like the other constants
    starts: Tensor
    plain: Tensor
    scale: Tensor

    def __init__(self, columns: FeatureColumns, width: int) -> None:
        """Prepare for rows with these columns."""
        super().__init__()
        for name in ("coded", "starts", "plain", "scale"):
            keep(self, name, getattr(columns, name))
        self.codes = nn.EmbeddingBag(columns.num_codes, width, mode="sum") if len(columns.coded) else None
        if self.codes is not None:
            nn.init.normal_(self.codes.weight, std=0.1)
        self.numbers = nn.Linear(len(columns.plain), width)

    def forward(self, rows: Tensor) -> Tensor:
        """Map `(n, features)` int8 to `(n, width)`."""
        columns = Columns(self.coded, self.starts, self.plain, self.scale, LIMIT)
        table = self.numbers.weight.new_zeros((0, self.numbers.out_features))
        table = table if self.codes is None else self.codes.weight
        return sum_features(rows, columns, table, self.numbers.weight.T, self.numbers.bias)


def keep(module: nn.Module, name: str, values: NDArray[Any]) -> None:
    """Register constants that move with `module` and are not saved with its weights."""
    module.register_buffer(name, torch.from_numpy(values), persistent=False)


class PlainNetwork(Network):
    """Layers over all numbers of the observation."""

    def __init__(self, info: GameInfo, sizes: NetworkSizes) -> None:
        super().__init__(info)
        blocks = info.observation_spec.blocks
        features = [feature for block in blocks for _ in range(block.rows) for feature in block.features]
        encoder = Encoder(columns_of(features), sizes.hidden)
        self.body = nn.Sequential(encoder, nn.ReLU(), layer(sizes.hidden, sizes.hidden))
        self.scores = nn.Linear(sizes.hidden, info.num_actions)
        self.value = nn.Linear(sizes.hidden, sizes.outcomes)
        self.trust = nn.Parameter(torch.full((info.num_actions,), TRUST)) if sizes.advice else None

    def assess(self, observations: Tensor, place: Place, advice: Advice | None = None) -> tuple[Tensor, Tensor]:
        """See `Network`; of the advice, only the choice is used."""
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
