"""Files of data sets: the records they are made from, and targets that are written whole or not at all."""

from __future__ import annotations

import contextlib
import functools
import glob
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.layout import layout_hash
from sackarmies_env.core.game import Game
from sackarmies_env.core.record import GameRecord
from sackarmies_env.core.safe_read import named
from sackarmies_env.registry import game_of
from sackarmies_training.files import with_parents

PATTERN = "*?["  # characters of a pattern of names
KEPT_GAMES = 64  # configurations whose games are cached


def record_files(names: Iterable[str]) -> list[Path]:
    """Return the files that names stand for, each once.

    Args:
        names: files, folders, which stand for all `*.json` files in them, or patterns such as `runs/**/*.json`.

    Raises:
        ValueError: a folder or pattern stands for no file.
    """
    files: dict[Path, Path] = {}  # by absolute path: a file may be named in several ways
    for name in names:
        path = Path(name)
        if path.is_dir():
            found = sorted(path.glob("*.json"))
        elif not path.exists() and any(letter in name for letter in PATTERN):
            found = sorted(Path(one) for one in glob.glob(name, recursive=True) if Path(one).is_file())
        else:
            found = [path]
        if not found:
            raise ValueError(f"{named(name)}: no game record (*.json) found")
        for one in found:
            files.setdefault(one.resolve(), one)
    return list(files.values())


class Games:
    """The games of records; all must have the same layout, so that one network can read all observations.

    Attributes:
        layout: hash of the layout, "" before the first record.
    """

    def __init__(self) -> None:
        self.layout = ""
        self._first = ""  # name of the record that set the layout

    def of(self, record: GameRecord, path: Path) -> Game:
        """Return the game of a record.

        Raises:
            ValueError: it cannot be built, or has another layout than earlier records.
        """
        try:
            game = recorded_game(record.game, json.dumps(record.config, sort_keys=True))
        except ValueError as error:
            raise ValueError(f"{named(path)}: {error}") from None
        layout = layout_hash(GameInfo.of(game))
        if not self.layout:
            self.layout, self._first = layout, named(path)
        if layout != self.layout:
            raise ValueError(
                f"{named(path)} is of a game with another layout than {self._first}: one data set holds games of one "
                "layout (number of players, actions and observations)"
            )
        return game


@functools.lru_cache(KEPT_GAMES)
def recorded_game(game_id: str, config: str) -> Game:
    """Return the game of a record's configuration, given as JSON; cached, as building it takes longer than a replay."""
    return game_of(GameRecord.model_construct(game=game_id, config=json.loads(config)))


@contextlib.contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Yield a temporary path beside `target`, for a file or folder that is renamed to it when the block ends.

    If the block fails, nothing is left behind: folders that were created for `target` are removed again.

    Raises:
        OSError: it cannot be written.
    """
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    with with_parents(target):
        try:
            yield temporary
            for path in [temporary, *temporary.rglob("*")]:
                if path.is_file():
                    with path.open("rb+") as file:
                        os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
