"""What environments over a batch do when playing fails midway."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from sackarmies_env.core.batch import Batch


class EndsOnFailure:
    """Part of environments whose games cannot go on after a failure, such as an opponent's."""

    batch: Batch
    _has_begun: bool

    @contextmanager
    def _ending_games_on_failure(self) -> Iterator[None]:
        """Leave no games running if playing fails, and hide the outputs: they would show what others see."""
        try:
            yield
        except BaseException:  # an opponent may raise anything
            self._has_begun = False
            self.batch.hide(np.arange(len(self.batch)))
            raise
