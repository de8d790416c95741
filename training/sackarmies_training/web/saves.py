"""Saved games: records in one folder, which pages know only by name."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import platformdirs

from sackarmies_env.core.messages import quote
from sackarmies_env.core.record import GameRecord, load_record, save_record
from sackarmies_training.web.protocol import FILE_NAME

SUFFIX = ".json"
MAX_LISTED = 200


def default_folder() -> Path:
    """Return the user's folder of saved games."""
    return platformdirs.user_data_path("sackarmies-env") / "games"


def file_name(name: str) -> str:
    """Return the name of the file that a game is saved in.

    Raises:
        ValueError: the name of the game does not have the allowed form.
    """
    if not re.fullmatch(FILE_NAME, name):
        raise ValueError(f"a game cannot be saved as {quote(name)}: letters, digits, spaces, - and _ are allowed")
    return f"{name}{SUFFIX}"


class Saves:
    """The saved games of one folder.

    A page is never sent a record, since that holds everything hidden; it names the game to save or to continue.

    Attributes:
        folder: folder of the games, created with the first one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        """Return the names of saved games, latest first, as many as a dialogue can list."""
        named = (path for path in self.folder.glob(f"*{SUFFIX}") if re.fullmatch(FILE_NAME, path.stem))
        found = [path for path in named if path.is_file()]  # neither folders nor links to nothing
        found.sort(key=lambda path: (-path.stat().st_mtime_ns, path.stem))
        return [path.stem for path in found[:MAX_LISTED]]

    def save(self, name: str, record: GameRecord) -> None:
        """Save a game under a name, replacing an older one.

        Raises:
            ValueError: the name does not have the allowed form.
            OSError: it cannot be written; the older one is kept.
        """
        path = self._path(name)
        self.folder.mkdir(parents=True, exist_ok=True)
        save_record(record, path)

    def has(self, name: str) -> bool:
        """Return whether a game is saved under a name, listed or not."""
        return self._path(name).exists()

    def free_name(self, name: str) -> str:
        """Return an unused name: this one, or the first of `name 2`, `name 3`, ... that is free."""
        numbered = (f"{name} {number}" for number in itertools.count(2))
        return next(each for each in itertools.chain([name], numbered) if not self.has(each))

    def read(self, name: str) -> GameRecord:
        """Return a saved game.

        Raises:
            ValueError: there is no game with this name, or the file holds no record.
        """
        if not self._path(name).is_file():
            raise ValueError(f"there is no saved game {quote(name)}")
        return load_record(self._path(name))

    def _path(self, name: str) -> Path:
        return self.folder / file_name(name)
