"""The file of finished units: JSON lines, appended one by one; a kill neither loses nor repeats a finished line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sackarmies_env.core.safe_read import named, parse_json
from sackarmies_env.core.validation import read_model
from sackarmies_training.files import append_line, drop_partial_line, read_lines
from sackarmies_training.identity import shown
from sackarmies_training.ladder.units import Unit, UnitEntry

MAX_RESULTS = 2**28  # bytes; a unit of two games has about a thousand

Key = tuple[tuple[str, ...], int]  # line-up and number


def key_of(unit: Unit) -> Key:
    """Return the key that identifies a unit within a contest."""
    return unit.line_up, unit.number


class UnitStore:
    """Finished units in a file. One process at a time may use it (`locks.locked`)."""

    def __init__(self, path: Path) -> None:
        """Take the path of the file, which need not exist."""
        self.path = path

    def open(self) -> None:
        """Remove a partial line that a kill left behind.

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
        """Return the planned units that are finished; others in the file are left out.

        So is anything after the last whole line: another process is writing it, or a kill left it.

        Raises:
            ValueError: a line is damaged or repeats a unit, or a unit has other armies or another seed than planned.
        """
        wanted = {key_of(unit): unit for unit in planned}
        found: dict[Key, UnitEntry] = {}
        lines: dict[Key, int] = {}
        if not self.path.exists():
            return found
        for number, line in enumerate(read_lines(self.path, "the results of a contest", MAX_RESULTS), start=1):
            place = f"{named(self.path)}, line {number}"
            try:
                entry = read_model(UnitEntry, parse_json(line, place), place)
            except ValueError as error:
                raise ValueError(f"{error}; remove this line, and its games are played again") from None
            key = key_of(entry.unit)
            if key in found:
                raise ValueError(f"{place}: {_name(key)} already appears on line {lines[key]}; remove this line")
            if key not in wanted:
                continue
            check_planned(entry, wanted[key], place)
            found[key], lines[key] = entry, number
        return found


def check_planned(entry: UnitEntry, planned: Unit, place: str) -> None:
    """Refuse a unit that does not match its plan.

    Args:
        entry: the unit that was found, with the line-up and number of the planned one.
        planned: the planned unit.
        place: where it was found, for messages.

    Raises:
        ValueError: they differ; the message says in what.
    """
    sizes = sorted({len(game.returns) for game in entry.games})
    luck = [len(game) for game in entry.luck]
    for what, wanted, found in (
        ("players", planned.players, entry.players),
        ("armies", planned.armies, entry.armies),
        ("seed", planned.seed, entry.seed),
        ("number of games", planned.num_games, len(entry.games)),
        ("returns per game", [planned.players], sizes),
        ("seats with luck in each game", [planned.players] * planned.num_games if luck else [], luck),
    ):
        if found != wanted:
            raise ValueError(
                f"{place}: {_name(key_of(planned))} was planned with {what} {wanted}, but has "
                f"{shown(found)}; remove this line, and its games are played again"
            )


def _name(key: Key) -> str:
    return f"unit {key[1]} of {key[0]}"
