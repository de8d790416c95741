"""Rounds of a league: units planned together, whose seed is secret until the last of them has been played."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sackarmies_env.core.record import save_record
from sackarmies_env.core.safe_read import named, read_json
from sackarmies_env.core.validation import StrictModel, TupleOf, read_model
from sackarmies_training.files import write_json
from sackarmies_training.ladder.config import ContestConfig
from sackarmies_training.ladder.store import UnitStore, key_of
from sackarmies_training.ladder.units import Finished, Unit, UnitEntry, armies_of, game_names
from sackarmies_training.league.pairing import Pair
from sackarmies_training.reports.replays import REPLAYS
from sackarmies_training.seeds import commitment, derive, draw_seed
from sackarmies_training.tournament import OWNER_ONLY, RECORDS, SEED, GameSummary, read_seed

ROUNDS = "rounds"
PLAN = "plan.json"
UNITS = "units.jsonl"


class PlannedUnit(StrictModel):
    """A unit without its seed: names by seat in the first seating, number within line-up and season, and armies."""

    line_up: TupleOf[str]
    number: Annotated[int, Field(ge=0)]
    armies: TupleOf[str]


class PlanFile(StrictModel):
    """The plan of a round."""

    round: Annotated[int, Field(ge=1)]
    units: TupleOf[PlannedUnit]


def plan_units(
    config: ContestConfig, players: int, pairs: Sequence[Pair], before: dict[Pair, int]
) -> list[PlannedUnit]:
    """Return the units of some pairs, with armies in equal shares for each pair.

    Args:
        config: seed and armies.
        players: number of seats; the agents of a pair sit alternately.
        pairs: in the order in which they were planned.
        before: number of units of each pair that were already planned in this season.
    """
    counts = dict(before)
    units = []
    for pair in pairs:
        number = counts.get(pair, 0)
        counts[pair] = number + 1
        line_up = tuple(pair[seat % 2] for seat in range(players))
        armies = armies_of(config.army_list, players, number, config.seed)
        units.append(PlannedUnit(line_up=line_up, number=number, armies=armies))
    return units


@dataclass(frozen=True)
class RoundFolder:
    """The files of a round: the plan, the seed and the finished units in a folder, records and pages in two others.

    Only their owner can read them until `publish`.

    Attributes:
        league: folder of the league.
        number: number of the round, from 1.
    """

    league: Path
    number: int

    @property
    def name(self) -> str:
        """The name of its folders."""
        return f"{self.number:04d}"

    @property
    def path(self) -> Path:
        """The folder of plan, seed and units."""
        return self.league / ROUNDS / self.name

    @property
    def records(self) -> Path:
        """The folder of its records."""
        return self.league / RECORDS / self.name

    @property
    def store(self) -> UnitStore:
        """The file of finished units."""
        return UnitStore(self.path / UNITS)

    def create(self, units: Sequence[PlannedUnit]) -> str:
        """Make the folders, with a plan and a freshly drawn seed; return the SHA-256 of the seed.

        Remains of a round that was killed before the journal knew it are removed.

        Raises:
            OSError: they cannot be made.
        """
        for folder in (self.path, self.records):
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(exist_ok=True)
            folder.mkdir(OWNER_ONLY)
        seed = draw_seed()
        write_json(self.path / SEED, {"seed": str(seed)}, private=True)
        write_json(self.path / PLAN, PlanFile(round=self.number, units=tuple(units)).model_dump(mode="json"))
        return commitment(seed)

    def planned(self) -> tuple[PlannedUnit, ...]:
        """Return the plan.

        Raises:
            ValueError: it is missing or damaged.
        """
        path = self.path / PLAN
        return read_model(PlanFile, read_json(path), str(path)).units

    def seed(self, promised: str) -> int:
        """Return the seed.

        Args:
            promised: its SHA-256 in the journal.

        Raises:
            ValueError: it is missing or damaged, or is another one.
        """
        seed = read_seed(self.path)
        if commitment(seed) != promised:
            raise ValueError(f"{named(self.path / SEED)}: this is not the seed whose SHA-256 the journal holds")
        return seed

    def units(self, seed: int) -> list[Unit]:
        """Return the units to be played."""
        return [
            Unit(
                players=len(unit.line_up),
                line_up=unit.line_up,
                number=unit.number,
                armies=unit.armies,
                seed=derive(seed, f"unit {json.dumps(unit.line_up)}", unit.number),
            )
            for unit in self.planned()
        ]

    def finished(self, units: Sequence[Unit]) -> list[UnitEntry]:
        """Return the planned units that are finished, in the order of the plan.

        Raises:
            ValueError: the file of results is damaged or holds other units.
        """
        found = self.store.read(units)
        return [found[key_of(unit)] for unit in units if key_of(unit) in found]

    def save(self, finished: Finished) -> None:
        """Store a finished unit, after the records of its games.

        Raises:
            OSError: it cannot be written.
        """
        for name, record in zip(game_names(finished.entry.unit), finished.records, strict=True):
            save_record(record, self.records / f"{name}.json")
        self.store.append(finished.entry)

    def games(self, entry: UnitEntry) -> dict[str, GameSummary]:
        """Return the games of a unit by file name, which begins with the folder of the round."""
        return {f"{self.name}/{name}": game for name, game in entry.named_games.items()}

    def publish(self) -> None:
        """Make the round, which is over, readable to all who may read the folder of the league."""
        for folder in (self.path, self.records):
            if folder.exists():
                shutil.copymode(self.league, folder)
        shutil.copymode(self.path / PLAN, self.path / SEED)

    def remove_records(self) -> None:
        """Remove records and pages of games; results stay."""
        for folder in (self.records, self.league / REPLAYS / self.name):
            shutil.rmtree(folder, ignore_errors=True)
