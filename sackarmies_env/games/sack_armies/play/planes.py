"""The entry point of Sack Armies with observations as planes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Records
from sackarmies_env.core.observation import ObservationSpec
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import Command
from sackarmies_env.games.sack_armies.observation.planes import spread_games
from sackarmies_env.games.sack_armies.play.step_batch import step_batch


class Planes:
    """`Game.step_batch` with observations as planes.

    Args:
        compact: the layout of compact observations of the same game.
    """

    def __init__(self, compact: ObservationSpec) -> None:
        self.size = compact.size
        self.tokens_start: int = compact.slice("tokens").start

    def step_batch(
        self, params: Records, states: Records, commands: Records, slots: Records, *outputs: NDArray[Any]
    ) -> None:
        """Do what `core.step_batch` says."""
        action_masks, packed_masks, observations, results = outputs
        if not len(observations):
            step_batch(params, states, commands, slots, *outputs)
            return
        compact = np.zeros((len(slots), self.size), np.int8)
        step_batch(params, states, commands, slots, action_masks, packed_masks, compact, results)
        rows = commands["row"][commands["kind"] != Command.SKIP]
        seats = slots["observing_seat"][rows]
        viewers = np.where(seats == NO_PLAYER, slots["current_player"][rows], seats)
        spread_games(params, rows, viewers, compact, self.tokens_start, observations)
