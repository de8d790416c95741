"""Positions and recorded games as pages for a browser or a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.record import GameRecord
from sackarmies_env.render.frames import all_viewers, position_data, replay_data
from sackarmies_env.render.page import frame_html, page_html
from sackarmies_env.render.picture import REFEREE, check_viewer


def html(game: Game, states: Records, viewer: int | None = REFEREE) -> str:
    """Return the position in `states[0]` as an HTML page that loads nothing from elsewhere.

    Args:
        game: the game.
        states: `(n,)` records of `game.state_dtype`; the first is shown.
        viewer: seat whose knowledge is shown, or None for the referee, who sees all.

    Raises:
        ValueError: `viewer` is not a seat.
    """
    return page_html(position_data(game, states, viewer))


class Replay:
    """A recorded game as a single-file HTML page: what each viewer saw, decision by decision. Notebooks display it.

    Args:
        game: built from `record.config`, as `sackarmies_env.registry.game_of(record)` does.
        record: the game.
        viewers: views that the page offers: seats, or None for the referee; defaults to all of them. The page holds
            nothing that is hidden from all of these viewers.

    Raises:
        ValueError: a viewer is not a seat, or `viewers` is empty.
    """

    def __init__(self, game: Game, record: GameRecord, viewers: Sequence[int | None] | None = None) -> None:
        self.game = game
        self.record = record
        self.viewers = all_viewers(game) if viewers is None else list(dict.fromkeys(viewers))
        if not self.viewers:
            raise ValueError("viewers=[]: name at least one seat, or None for the referee")
        for viewer in self.viewers:
            check_viewer(game, viewer)

    @cached_property
    def html(self) -> str:
        """The HTML page.

        Raises:
            ValueError: the record does not replay.
        """
        return page_html(replay_data(self.game, self.record, self.viewers))

    def save(self, path: str | Path) -> None:
        """Write the page to a file.

        Raises:
            ValueError: the record does not replay.
            OSError: the file cannot be written; an old file stays as it was.
        """
        write_safely(Path(path), self.html.encode())

    def _repr_html_(self) -> str:
        """Return the page for display in a notebook."""
        return frame_html(self.html)
