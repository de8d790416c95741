"""Records and replays of the games of a contest: files in its folder, which its report links to.

Records are the source of truth; pages can be removed, and the same command makes them again. Both show what was hidden
in the games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path

from sackarmies_env.core.atomic_write import remove_leftovers
from sackarmies_env.core.game import Game
from sackarmies_env.core.record import load_record
from sackarmies_env.registry import game_of
from sackarmies_training.matches import Progress, worker_pool
from sackarmies_training.reports.html_page import Markup, link
from sackarmies_training.tournament import RECORDS

REPLAYS = "replays"
PAINTER_DIED = (
    "a process that made pages of replays has died, perhaps because memory ran out; all results are kept, and the same "
    "command makes the missing pages: with fewer workers in less memory"
)


@dataclass(frozen=True)
class Replays:
    """The records and the pages of the games of a contest.

    Attributes:
        folder: folder of the contest; `records/` holds records, `replays/` pages, both by the names of games.
        workers: number of processes that make pages.
        game: the game of all records; None to build it from each record.
    """

    folder: Path
    workers: int
    game: Game | None = None

    def record(self, name: str) -> Path:
        """Return the path of a game's record."""
        return self.folder / RECORDS / f"{name}.json"

    def page(self, name: str) -> Path:
        """Return the path of a game's page."""
        return self.folder / REPLAYS / f"{name}.html"

    def has_page(self, name: str) -> bool:
        """Return whether a game has a page that is not older than its record."""
        page, record = self.page(name), self.record(name)
        return page.exists() and (not record.exists() or page.stat().st_mtime_ns >= record.stat().st_mtime_ns)

    def links(self, name: str) -> Markup:
        """Return links to those files of a game that exist."""
        pages = [link(f"{REPLAYS}/{name}.html", "replay")] if self.has_page(name) else []
        records = [link(f"{RECORDS}/{name}.json", "record")] if self.record(name).exists() else []
        return Markup(" ".join([*pages, *records]))

    def write(self, names: Sequence[str], progress: Progress) -> list[str]:
        """Write the pages of games; those that an interruption leaves out can be written later.

        A game whose record is missing or damaged gets no page.

        Args:
            names: names of the games.
            progress: called with the number of pages that were written.

        Returns:
            A sentence for each game that has no page.

        Raises:
            ValueError: a process that makes pages died.
            OSError: a page cannot be written.
        """
        if not names:
            return []
        folder = self.folder / REPLAYS
        folder.mkdir(exist_ok=True)
        remove_leftovers(folder)
        progress(0)
        faults = []
        for fault in self._write_pages(names):
            faults += [] if fault is None else [fault]
            progress(1)
        return sorted(faults)

    def _write_pages(self, names: Sequence[str]) -> Iterator[str | None]:
        workers = min(self.workers, len(names))
        if workers == 1:
            for name in names:
                yield write_page(self, name)
            return
        with worker_pool(workers, PAINTER_DIED) as pool:
            for job in as_completed([pool.submit(write_page, self, name) for name in names]):
                yield job.result()


def write_page(replays: Replays, name: str) -> str | None:
    """Write the page of a game, with everybody's view; if its record cannot be read, return why there is no page."""
    from sackarmies_env.render.replay import Replay

    try:
        record = load_record(replays.record(name))
        Replay(replays.game or game_of(record), record).save(replays.page(name))
    except ValueError as error:
        return str(error)
    return None
