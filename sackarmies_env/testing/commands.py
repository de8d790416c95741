"""Commands to `step_batch` that checks need and `Game` has no method for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.testing.random_play import copy_of


def resumed(game: Game, states: Records) -> Records:
    """Return a copy of `states[0]` with its legal ids found again, as for a state put together from outside."""
    copy = copy_of(game, states[:1])
    copy["legal"] = 0
    copy["num_legal"] = 0
    dispatch(game.step_batch, game.params, copy, Command.RESUME, slots=game.new_slots(1))
    return copy


def play_to_seats(batch: Batch, rows: NDArray[np.int64]) -> None:
    """Have the other seats play in `rows` up to the observing seats' decisions, after states were written to."""
    batch.dispatch(Command.AWAIT, rows)


def read(batch: Batch) -> None:
    """Write the outputs of all games, and play nothing."""
    batch.dispatch(Command.READ)


def skip(batch: Batch) -> None:
    """Give all games of a batch the command SKIP, which leaves them alone."""
    batch.dispatch(Command.SKIP)
