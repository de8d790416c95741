"""Positions and recorded games as pages for a browser or a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.record import GameRecord
from sackarmies_env.render.board import REFEREE
from sackarmies_env.render.frames import all_viewers, position_data, replay_data
from sackarmies_env.render.page import frame_html, page_html


def html(game: Game, states: Records, viewer: int | None = REFEREE) -> str:
    """Return the position in `states[0]` as an HTML page that loads nothing from elsewhere.

    Args:
        game: the game.
        states: `(n,)` records of `game.state_dtype`; the first is shown.
        viewer: seat whose knowledge is shown, or None for the referee, who sees all.

    Raises:
        ValueError: `viewer` is no seat.
    """
    return page_html(position_data(game, states, viewer))


class Replay:
    """A recorded game as an HTML page in one file: what each General saw, decision by decision; notebooks show it.

    Args:
        game: built from `record.config`, as `sackarmies_env.registry.game_of(record)` does.
        record: the game.
        viewers: whose eyes the page offers, seats or None for the referee; all of them by default. The page holds
            nothing that is hidden from all of them.

    Raises:
        ValueError: a viewer is no seat, or there is none.
    """

    def __init__(self, game: Game, record: GameRecord, viewers: Sequence[int | None] | None = None) -> None:
        self.game = game
        self.record = record
        self.viewers = all_viewers(game) if viewers is None else list(dict.fromkeys(viewers))
        if not self.viewers:
            raise ValueError("viewers=[]: name at least one seat, or None for the referee")
        for viewer in self.viewers:
            if viewer is not None and not 0 <= viewer < game.num_players:
                raise ValueError(
                    f"viewer {viewer} is no seat: seats run from 0 to {game.num_players - 1}, None is the referee"
                )

    @cached_property
    def html(self) -> str:
        """The page.

        Raises:
            ValueError: the record does not replay.
        """
        return page_html(replay_data(self.game, self.record, self.viewers))

    def save(self, path: str | Path) -> None:
        """Write the page.

        Raises:
            ValueError: the record does not replay.
            OSError: it cannot be written; the old file stays.
        """
        write_safely(Path(path), self.html.encode())

    def _repr_html_(self) -> str:
        """Return the page as a notebook shows it."""
        return frame_html(self.html)
