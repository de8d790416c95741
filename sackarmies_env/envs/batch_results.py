"""What a vector environment returns: observations, masks and infos, in arrays of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.batch import Batch
from sackarmies_env.core.step_batch import Ending
from sackarmies_env.envs.decision_infos import NO_DECISION, DecisionInfos
from sackarmies_env.envs.presentation import Presentation
from sackarmies_env.envs.spaces import num_actions_of

Observations = dict[str, NDArray[np.int8]] | NDArray[np.int8]
Rows = NDArray[np.int64]


class BatchResults:
    """Reads a batch and returns what the learner is told; it changes no game.

    Args:
        batch: the games; its observations and masks are those of the deciding seats.
        presentation: how they are presented; None leaves them as they are.
        decision_infos: the infos about decisions; None for none.
        with_masks: whether observations hold the masks.
        copy: whether returned arrays belong to the caller.
        names_players: whether infos name the current players; the learner plays them all then.
    """

    def __init__(
        self,
        batch: Batch,
        presentation: Presentation | None,
        decision_infos: DecisionInfos | None,
        *,
        with_masks: bool,
        copy: bool,
        names_players: bool,
    ) -> None:
        self._batch = batch
        self._presentation = presentation
        self._decision_infos = decision_infos
        self._with_masks = with_masks
        self._copy = copy
        self._names_players = names_players

    def observations(self) -> Observations:
        """Return the observations of all games."""
        content = self._content(self._batch.observations.copy() if self._copy else self._batch.observations)
        return {"observation": content, "action_mask": self.action_masks()} if self._with_masks else content

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks of all games."""
        masks = self._batch.action_masks.copy() if self._copy else self._batch.action_masks
        return masks if self._presentation is None else self._presentation.mask(masks)

    def infos(self, deciding: NDArray[np.int64], endings: NDArray[np.int64]) -> dict[str, Any]:
        """Return the infos about the current decisions.

        Args:
            deciding: `(n,)`, the deciding seats.
            endings: `(n,)`, values of `Ending`.
        """
        everywhere = np.ones(len(self._batch), np.bool_)
        infos: dict[str, Any] = {"action_mask": self.action_masks(), "_action_mask": everywhere}
        if self._names_players:
            infos["player"] = self._batch.players.copy()
        if self._decision_infos is not None:
            given = self._decision_infos.decisions(deciding, endings == Ending.RUNNING)
            infos |= given | {f"_{name}": everywhere.copy() for name in given}
        return infos

    def first_infos(
        self, deciding: NDArray[np.int64], endings: NDArray[np.int64], mask: NDArray[np.bool_] | None
    ) -> dict[str, Any]:
        """Return the infos of `reset`, which say nothing about games outside `mask`; other arguments as in `infos`."""
        infos = self.infos(deciding, endings)
        if self._names_players and self._decision_infos is not None:
            infos["earned"] = np.zeros(self._batch.returns.shape)
        if mask is not None:
            infos["action_mask"] = np.where(mask[:, np.newaxis], infos["action_mask"], np.int8(0))
            if "decision" in infos:
                infos["decision"][~mask], infos["turn_start"][~mask] = None, False
            infos |= {name: mask.copy() for name in infos if name.startswith("_")}
        return infos

    def final_info(self, rows: Rows, whose: NDArray[np.int64], is_apart: bool) -> dict[str, Any]:
        """Return the infos of finished games, in which nothing is legal anymore.

        Args:
            rows: the finished games.
            whose: `(n,)`, the seats that decided last.
            is_apart: whether these infos are separate from those about the current decisions.
        """
        num_envs, returns = len(self._batch), np.zeros_like(self._batch.returns)
        is_over, seats = np.zeros(num_envs, np.bool_), np.zeros(num_envs, np.int64)
        is_over[rows] = True
        seats[rows], returns[rows] = whose[rows], self._batch.returns[rows]
        given = {"seat": seats, "returns": returns}
        if is_apart:
            given["action_mask"] = np.zeros((num_envs, self._num_actions), np.int8)
            if self._decision_infos is not None:
                names = np.full(num_envs, None, dtype=object)
                names[rows] = NO_DECISION
                given |= {"decision": names, "turn_start": np.zeros(num_envs, np.bool_)}
        return given | {f"_{name}": is_over.copy() for name in given}

    def final_observations(self, rows: Rows) -> NDArray[np.object_]:
        """Return the last observations of finished games, None elsewhere."""
        finals = np.full(len(self._batch), None, dtype=object)
        for row, vector in zip(rows.tolist(), self._batch.observations[rows], strict=True):
            mask = np.zeros(self._num_actions, np.int8)
            content = self._content(vector)
            finals[row] = {"observation": content, "action_mask": mask} if self._with_masks else content
        return finals

    @property
    def _num_actions(self) -> int:
        return num_actions_of(self._batch.game, self._presentation)

    def _content(self, vectors: NDArray[np.int8]) -> Any:
        return vectors if self._presentation is None else self._presentation.content(vectors)
