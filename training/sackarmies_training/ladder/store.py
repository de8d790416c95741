"""The file of finished units: JSON lines, appended one by one; a kill loses no finished line and doubles none."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sackarmies_env.core.safe_read import named, parse_json, read_text
from sackarmies_env.core.validation import read_model
from sackarmies_training.files import append_line, drop_partial_line
from sackarmies_training.ladder.units import Unit, UnitEntry

MAX_RESULTS = 2**28  # bytes; a unit of two games has about a thousand

Key = tuple[tuple[str, ...], int]  # line-up and number


def key_of(unit: Unit) -> Key:
    """Return what a unit is known by within a contest."""
    return unit.line_up, unit.number


class UnitStore:
    """Finished units in a file. One process at a time may use it (`locks.locked`)."""

    def __init__(self, path: Path) -> None:
        """Name the file; it need not exist."""
        self.path = path

    def open(self) -> None:
        """Remove what a kill left of a line that was being written.

        Raises:
            OSError: the file cannot be changed.
        """
        drop_partial_line(self.path)

    def append(self, entry: UnitEntry) -> None:
        """Add a unit; it has reached the disk when this returns.

        Raises:
            OSError: it cannot be written; what was there before is intact.
        """
        append_line(self.path, entry.model_dump_json())

    def read(self, planned: Iterable[Unit]) -> dict[Key, UnitEntry]:
        """Return those of the planned units that are finished; others in the file are left out.

        Raises:
            ValueError: a line is damaged, stands there twice, or has other armies or another seed than planned.
        """
        wanted = {key_of(unit): unit for unit in planned}
        found: dict[Key, UnitEntry] = {}
        if not self.path.exists():
            return found
        text = read_text(self.path, "the results of a contest", MAX_RESULTS)
        for number, line in enumerate(text.splitlines(), start=1):
            place = f"{named(self.path)}, line {number}"
            try:
                entry = read_model(UnitEntry, parse_json(line, place), place)
            except ValueError as error:
                raise ValueError(f"{error}; remove this line, and its games are played again") from None
            key = key_of(entry.unit)
            if key in found:
                raise ValueError(f"{place}: this unit stands there before: remove the line")
            if key not in wanted:
                continue
            sizes = {len(game.returns) for game in entry.games}
            if entry.unit != wanted[key] or len(entry.games) != entry.unit.num_games or sizes != {entry.players}:
                raise ValueError(f"{place}: these are not the games that were planned: remove the line")
            found[key] = entry
        return found
