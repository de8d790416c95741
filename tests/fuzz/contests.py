"""Files that a resuming tournament reads from its folder: valid ones, and how to read them."""

from __future__ import annotations

import copy
import functools
import json
import tempfile
from pathlib import Path
from typing import Any

from sackarmies_training.seeds import MAX_SEED
from sackarmies_training.tournament import (
    IDENTITY,
    SEED,
    GameBatch,
    GameSummary,
    Tournament,
    batch_path,
    read_batch,
    read_seed,
)
from tests.training.test_tournament import make_tournament

FORFEIT = {"seat": 1, "ply": 3, "reason": "raised ValueError: too many hexes"}


def contest(folder: Path) -> Tournament:
    return make_tournament(folder, seeds=2)


@functools.cache
def _files() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the contents of a tournament's identity file and of its first batch."""
    with tempfile.TemporaryDirectory() as folder:
        played = contest(Path(folder))
        played.play(played.open(), lambda games: None)
        paths = (played.folder / IDENTITY, batch_path(played.folder, played.batches()[0]))
        identity, batch = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    return identity, batch


def identities() -> list[Any]:
    return [copy.deepcopy(_files()[0])]


def read_identity(path: Path) -> tuple[list[GameBatch], list[GameBatch]]:
    """Resume a tournament that a file describes; return the batches still to be played, and all batches."""
    with tempfile.TemporaryDirectory() as folder:
        stopped = contest(Path(folder))
        (stopped.folder / IDENTITY).symlink_to(path.absolute())
        return stopped.open(), stopped.batches()


def check_batches(found: tuple[list[GameBatch], list[GameBatch]]) -> None:
    missing, planned = found
    assert missing == planned


def seeds() -> list[Any]:
    return [{"seed": "0"}, {"seed": "12345"}, {"seed": str(MAX_SEED - 1)}]


def read_seed_file(path: Path) -> int:
    """Read a file as the secret seed of a tournament."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / SEED).symlink_to(path.absolute())
        return read_seed(Path(folder))


def check_seed(seed: int) -> None:
    assert 0 <= seed < MAX_SEED


def results() -> list[Any]:
    batch, forfeited = copy.deepcopy(_files()[1]), copy.deepcopy(_files()[1])
    forfeited["games"][0]["forfeits"] = [FORFEIT]
    return [batch, forfeited]


def read_results(path: Path) -> tuple[GameSummary, ...]:
    """Read a file as the results of the first batch."""
    with tempfile.TemporaryDirectory() as folder:
        stopped = contest(Path(folder))
        batch = stopped.batches()[0]
        batch_path(stopped.folder, batch).parent.mkdir()
        batch_path(stopped.folder, batch).symlink_to(path.absolute())
        return read_batch(stopped.folder, batch)


def check_results(games: tuple[GameSummary, ...]) -> None:
    planned = [(tuple(game["agents"]), game["seed"]) for game in _files()[1]["games"]]
    assert [(game.agents, game.seed) for game in games] == planned
    assert all(len(game.returns) == len(game.agents) for game in games)
