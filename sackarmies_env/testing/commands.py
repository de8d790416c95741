"""Commands to `step_batch` that checks give and that `Game` has no method for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.testing.random_play import copy_of


def resumed(game: Game, states: Records) -> Records:
    """Return `states[0]` after its legal ids were found anew, as in a state that is put together from outside."""
    copy = copy_of(game, states[:1])
    copy["legal"] = 0
    copy["num_legal"] = 0
    dispatch(game.step_batch, game.params, copy, Command.RESUME, slots=game.new_slots(1))
    return copy


def play_to_seats(batch: Batch, rows: NDArray[np.int64]) -> None:
    """Have others play in some games up to the decisions of observing seats, after states were written to."""
    batch.dispatch(Command.AWAIT, rows)


def read(batch: Batch) -> None:
    """Have the outputs of all games written, and nothing played."""
    batch.dispatch(Command.READ)


def skip(batch: Batch) -> None:
    """Have all games of a batch left alone."""
    batch.dispatch(Command.SKIP)
