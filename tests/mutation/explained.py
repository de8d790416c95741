"""Faults that no test can or need notice, each with its reason, from `explained.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from tests.mutation.mutants import Kept, Mutant

FILE = Path(__file__).with_name("explained.toml")


class Entry(BaseModel):
    """One explained fault; see `Mutant` for the first four."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_min_length=1)

    module: str
    function: str
    source: str
    change: str
    reason: str

    @property
    def key(self) -> Kept:
        """The key of the explained mutant."""
        return self.module, self.function, self.source, self.change


def read_entries(path: Path = FILE) -> dict[Kept, str]:
    """Return the reasons, by the keys of the mutants.

    Raises:
        ValueError: the file is invalid or explains a mutant twice.
    """
    try:
        entries = [Entry(**entry) for entry in tomllib.loads(path.read_text()).get("mutant", [])]
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise ValueError(f"{path.name}: {error}") from error
    reasons = {entry.key: entry.reason for entry in entries}
    if len(reasons) < len(entries):
        twice = next(entry for i, entry in enumerate(entries) if entry.key in {other.key for other in entries[:i]})
        raise ValueError(f"{path.name}: {twice.function}, {twice.change!r} is explained twice")
    return reasons


def check_entries(reasons: dict[Kept, str], mutants: Iterable[Mutant], modules: Iterable[str]) -> None:
    """Refuse explanations of mutants that no longer exist.

    Args:
        reasons: as read.
        mutants: all mutants of `modules`.
        modules: dotted names; entries of other modules are not checked.

    Raises:
        ValueError: some entries match no mutant; the message has a line for each.
    """
    known = {mutant.key for mutant in mutants}
    stale = [key for key in reasons if key[0] in set(modules) and key not in known]
    if stale:
        lines = "\n".join(
            f"  {module}, {function}: {source!r}, {change!r}" for module, function, source, change in stale
        )
        raise ValueError(f"{FILE.name} explains mutants that no longer exist; remove them:\n{lines}")


def as_toml(mutant: Mutant) -> str:
    """Return an entry for a mutant, without its reason."""
    values = zip(("module", "function", "source", "change"), mutant.key, strict=True)
    return "[[mutant]]\n" + "\n".join(f"{name} = {toml_text(value)}" for name, value in values)


def toml_text(value: str) -> str:
    """Return a TOML string."""
    return f"'{value}'" if "'" not in value else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
