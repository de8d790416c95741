"""Logs of a training run: CSV and JSON lines always, TensorBoard by default, services on request.

A step is a number of decisions. Steps below 0 are decisions of the teacher, before the learner's first one. A killed
run resumes from an earlier checkpoint: what was logged after that checkpoint is removed, so that no step is in a log
twice.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.safe_read import parse_json
from sackarmies_training.log_services import SERVICES, import_service, open_service

if TYPE_CHECKING:
    from sackarmies_training.config import LogSection

JSON_LINES, TABLE = "log.jsonl", "log.csv"
HEAD = "step,name,value\n"
TENSORBOARD = "tensorboard"
BEFORE_ALL = -(2**53)  # a step before all others


class Logger(Protocol):
    """Destination of a run's logs."""

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Log values by name; steps never decrease."""

    def artifact(self, path: Path) -> None:
        """Pass on a file that was written: a record, a checkpoint."""

    def close(self) -> None:
        """Write what is left, and close."""


class Loggers:
    """Several loggers as one; values that are already in the logs are not logged again.

    Args:
        parts: the loggers.
        last: the step at which the run resumes.
        known: names already logged at that step.
    """

    def __init__(self, parts: Sequence[Logger], last: int = BEFORE_ALL, known: Iterable[str] = ()) -> None:
        self._parts = tuple(parts)
        self._last, self._known = last, frozenset(known)

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Log values by name."""
        fresh = {name: value for name, value in values.items() if step != self._last or name not in self._known}
        if fresh:
            for part in self._parts:
                part.log(step, fresh)

    def artifact(self, path: Path) -> None:
        """Pass on a file that was written."""
        for part in self._parts:
            part.artifact(path)

    def close(self) -> None:
        """Close all loggers."""
        for part in self._parts:
            part.close()


class LogFiles:
    """`log.jsonl`, with a line for each call of `log`, and `log.csv`, with a line for each value.

    Args:
        folder: of the run.
        last: the step of the checkpoint that the run is resumed from; what was logged after it is removed.

    Attributes:
        known: names that were logged at that step.
    """

    def __init__(self, folder: Path, last: int = BEFORE_ALL) -> None:
        self.known: set[str] = set()

        def is_kept(line: str) -> bool:
            entry = parse_json(line, JSON_LINES)
            if not isinstance(entry, dict) or not isinstance(entry.get("step"), int):
                raise ValueError("not a line of a log")
            if entry["step"] == last:
                self.known |= entry.keys() - {"step"}
            return bool(entry["step"] <= last)

        folder.mkdir(parents=True, exist_ok=True)
        cut(folder / JSON_LINES, "", is_kept)
        cut(folder / TABLE, HEAD, lambda line: int(line.partition(",")[0]) <= last)
        self._lines = (folder / JSON_LINES).open("a", encoding="utf-8", newline="")
        self._table = (folder / TABLE).open("a", encoding="utf-8", newline="")
        self._rows = csv.writer(self._table, lineterminator="\n")

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Append the values; numbers that are not finite become null in JSON."""
        plain = {name: value if math.isfinite(value) else None for name, value in values.items()}
        self._lines.write(json.dumps({"step": step, **plain}) + "\n")
        self._rows.writerows((step, name, f"{value:.8g}") for name, value in values.items())
        self._lines.flush()
        self._table.flush()

    def artifact(self, path: Path) -> None:
        """Do nothing: the file is in the same folder."""

    def close(self) -> None:
        """Close the files."""
        self._lines.close()
        self._table.close()


def cut(path: Path, head: str, is_kept: Callable[[str], bool]) -> None:
    """Remove lines from a file, including those that cannot be read or have no end; create the file if missing.

    Args:
        path: the file.
        head: its first line, which stays.
        is_kept: given a line, returns whether it stays; raises ValueError if it cannot be read.
    """

    def stays(line: bytes) -> bool:
        try:
            return line.endswith(b"\n") and is_kept(line.decode())
        except ValueError:  # from `is_kept`, or the line was cut within a character
            return False

    kept, old = [head.encode()], path.read_bytes() if path.is_file() else b""
    if old.startswith(kept[0]):
        kept += [line for line in old[len(kept[0]) :].splitlines(keepends=True) if stays(line)]
    content = b"".join(kept)
    if content != old or not path.is_file():
        write_safely(path, content)


class TensorBoardLogger:
    """Event files in `tensorboard/`.

    Args:
        folder: of the run.
        last: the step at which the run resumes; TensorBoard drops what was logged after it.
    """

    def __init__(self, folder: Path, last: int = BEFORE_ALL) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(folder / TENSORBOARD), purge_step=last + 1)

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Write the values and flush them: a killed run has all of them up to its checkpoint."""
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def artifact(self, path: Path) -> None:
        """Do nothing: TensorBoard shows no files."""

    def close(self) -> None:
        """Close the file."""
        self._writer.close()


def open_loggers(section: LogSection, folder: Path, config: dict[str, Any], last: int = BEFORE_ALL) -> Loggers:
    """Open the loggers of a run.

    Args:
        section: section `[log]` of its configuration.
        folder: folder of the run.
        config: the whole configuration, for services.
        last: the step of the checkpoint that the run is resumed from; left out in a new run.

    Raises:
        ValueError: the library of a service is not installed.
    """
    services = [name for name in section.to if name in SERVICES]
    for name in services:
        import_service(name)  # refused before there are any files: without them, the same command takes the same folder
    files = LogFiles(folder, last)
    parts: list[Logger] = [files]
    if TENSORBOARD in section.to:
        parts.append(TensorBoardLogger(folder, last))
    parts += [open_service(name, section.project, folder, config) for name in services]
    return Loggers(parts, last, files.known)
