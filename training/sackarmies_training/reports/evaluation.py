"""The report of an evaluation: a page with figures and all games, records of the games, and a page to watch each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.entries import find_entry
from sackarmies_env.core.game import Game
from sackarmies_env.core.record import save_record
from sackarmies_env.core.safe_read import named
from sackarmies_training.locks import HOLDER, LOCK, locked, removed_if_unused
from sackarmies_training.matches import PlayedGame, Progress
from sackarmies_training.reports.html_page import items, page
from sackarmies_training.reports.parts import conduct_section, forfeits_section, games_section
from sackarmies_training.reports.replays import Replays
from sackarmies_training.tournament import RECORDS, GameSummary, record_of, summary

REPORT = "evaluation.html"


def check_free(option: str, folder: Path) -> None:
    """Refuse a folder that holds anything but a lock: a report in it would link to files of other games.

    Raises:
        ValueError: the folder is not empty, or is no folder.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{option} {named(folder)}: expected a folder, not a file")
    if folder.exists() and not {path.name for path in folder.iterdir()} <= {LOCK, HOLDER}:
        raise ValueError(f"{option} {named(folder)}: this folder is not empty; name another one")


@contextlib.contextmanager
def reserved(option: str, folder: Path) -> Iterator[None]:
    """Keep a free folder for the report that the block writes; if that fails before it writes anything, remove it.

    Raises:
        ValueError: the folder is not empty, is no folder, or another process uses it.
        OSError: it cannot be created or written to.
    """
    check_free(option, folder)  # so that no lock is left in a folder of something else
    with locked(folder), removed_if_unused(folder):
        check_free(option, folder)  # another process may have written a report before this one got the lock
        yield


@dataclass(frozen=True)
class EvaluationReport:
    """The report of a finished evaluation.

    Attributes:
        game: the game that was played.
        agents: the agent, then its opponent.
        played: all games.
        sentences: the results in sentences.
        folder: folder of all files, see `reserved`.
        workers: number of processes that make pages.
        is_timed: whether time was limited; if so, the report tells what agents used.
    """

    game: Game
    agents: tuple[str, str]
    played: Sequence[PlayedGame]
    sentences: Sequence[str]
    folder: Path
    workers: int
    is_timed: bool

    @cached_property
    def games(self) -> dict[str, GameSummary]:
        """How all games ended, by the names of their files."""
        entries = {}
        for number, played in enumerate(self.played):
            name = f"{number:05d}"
            data = {**summary(played, is_timed=self.is_timed), "record": f"{RECORDS}/{name}.json"}
            entries[name] = GameSummary.model_validate(data)
        return entries

    @property
    def path(self) -> Path:
        """Path of the page."""
        return self.folder / REPORT

    @property
    def replays(self) -> Replays:
        """The files of the games."""
        return Replays(self.folder, self.workers, self.game)

    def write(self, progress: Progress, *, with_replays: bool) -> list[str]:
        """Write records and the report; with `with_replays` also a page for each game, and the report again.

        Args:
            progress: called with the number of pages that were written.
            with_replays: whether there are pages of games.

        Returns:
            A sentence for each game that should have a page and has none.

        Raises:
            ValueError: a process that makes pages died.
            OSError: a file cannot be written.
        """
        for name, played in zip(self.games, self.played, strict=True):
            save_record(record_of(self.game, played), self.replays.record(name))
        self._write_page()
        if not with_replays:
            return []
        try:
            return self.replays.write(list(self.games), progress)
        finally:
            self._write_page()

    def _write_page(self) -> None:
        entry = find_entry(self.game.id)
        title = self.game.id if entry is None else entry.title
        facts = [f"{title}, {self.game.num_players} players, {len(self.played)} games.", *self.sentences]
        games = self.games
        parts = [
            items(facts),
            *conduct_section(self.agents, games.values()),
            *forfeits_section([game.outcome for game in games.values()]),
            *games_section(self.game.id, games, self.replays),
        ]
        write_safely(self.path, page(f"{self.agents[0]} against {self.agents[1]}", parts).encode())
