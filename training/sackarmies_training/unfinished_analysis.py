"""Analyses of an interrupted `sackarmies analyze`, in a file beside its target: the same command resumes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from dataclasses import asdict
from pathlib import Path

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.game import Game
from sackarmies_env.core.record import Analysis, GameRecord
from sackarmies_env.core.safe_read import read_json
from sackarmies_env.core.validation import StrictModel, TupleOf, read_model
from sackarmies_training.analysis import AnalysisPlan
from sackarmies_training.identity import agent_identity, code_digest, game_identity

SUFFIX = ".unfinished"
PAUSE = 5.0  # seconds between two writes


class Content(StrictModel):
    """Content of the file.

    Attributes:
        task: digest of everything that the analyses depend on.
        analyses: the analyses so far.
    """

    task: str
    analyses: TupleOf[Analysis]


class Unfinished:
    """Analyses of an unfinished run; as a context manager, it writes them if the run is stopped.

    Attributes:
        analyses: by ply; at first, those that an earlier run of the same task left.
    """

    def __init__(self, target: Path, game: Game, record: GameRecord, plan: AnalysisPlan) -> None:
        """Read what an earlier run left.

        Args:
            target: file that the finished record goes to.
            game: built from `record.config`.
            record: record of the game.
            plan: who analyzes what.
        """
        self._path = target.with_name(f".{target.name}{SUFFIX}")
        self._task = task_digest(game, record, plan)
        self._written = time.monotonic()
        self.analyses = {analysis.ply: analysis for analysis in self._read()}

    def _read(self) -> tuple[Analysis, ...]:
        """Return the analyses in the file; none if it is missing, damaged, or of another task."""
        try:
            content = read_model(Content, read_json(self._path), self._path.name)
        except ValueError:
            return ()
        return content.analyses if content.task == self._task else ()

    def add(self, analysis: Analysis) -> None:
        """Note an analysis; the file is written every few seconds."""
        self.analyses[analysis.ply] = analysis
        if time.monotonic() - self._written > PAUSE:
            self._write()

    def _write(self) -> None:
        content = Content(task=self._task, analyses=tuple(self.analyses.values()))
        # Not by `write_json`, which sorts keys: contents of a belief stay in their order, as in an uninterrupted run.
        write_safely(self._path, content.model_dump_json().encode())
        self._written = time.monotonic()

    def remove(self) -> None:
        """Remove the file: the analyses are in the record."""
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> Unfinished:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self.analyses:
            with contextlib.suppress(OSError):  # the error that stopped the run is the one to report
                self._write()


def task_digest(game: Game, record: GameRecord, plan: AnalysisPlan) -> str:
    """Return a digest of everything that analyses depend on: code, agent with its files, plan and game."""
    task = {
        "code": code_digest(),
        "game": game_identity(game),
        "agent": agent_identity(plan.agent),
        "plan": asdict(plan),
        "record": record.model_dump(mode="json", exclude={"analyses"}),
    }
    return hashlib.sha256(json.dumps(task, sort_keys=True).encode()).hexdigest()
