"""Decisions of recorded games as a Parquet file, and their observations, recomputed from it.

Each row is a decision; docs/data.md describes the columns. The rows of a game are all its decisions in order, so the
file holds whole games, which `observations` replays.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.layout import layout_hash
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.messages import printable
from sackarmies_env.core.record import Analysis, GameRecord, load_record, play_ply, replay, software_version
from sackarmies_env.core.safe_read import named, parse_json
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.validation import StrictModel, read_model
from sackarmies_training.datasets.files import Games, recorded_game, written_whole
from sackarmies_training.ratings import IN_TO_THE_END, Outcome

FORMAT = "sackarmies-dataset-1"
KEY = b"sackarmies"  # key of our description in the metadata of a file
ROWS = 4096  # rows in a group, which is all that is held in memory
DAMAGED = (pa.ArrowException, OSError, UnicodeDecodeError)  # what pyarrow raises for damaged files
NAME = pa.dictionary(pa.int32(), pa.string())  # text that repeats
COLUMNS = {
    "game": pa.int64(),
    "record": NAME,
    "config": NAME,
    "seed": pa.int64(),
    "forced": NAME,
    "agents": pa.list_(pa.string()),
    "ply": pa.int32(),
    "seat": pa.int8(),
    "agent": NAME,
    "legal": pa.list_(pa.int32()),
    "action": pa.int32(),
    "reward_to_come": pa.float32(),
    "result": NAME,
    "forfeits": pa.list_(pa.int32()),
    "forfeits_after": pa.list_(pa.int32()),
    "analyst": NAME,
    "policy": pa.list_(pa.float32()),
    "action_values": pa.list_(pa.float32()),
    "value": pa.float32(),
}
REPLAYED = ("game", "config", "seed", "forced", "ply", "legal", "action", "forfeits")  # columns needed to replay

Row = dict[str, Any]
Places = dict[int, dict[int, list[int]]]  # game -> ply -> rows of an array


class Description(StrictModel):
    """Description of a file, stored as JSON in its metadata.

    Attributes:
        format: kind and version of the file.
        game: id of the game.
        layout_sha256: hash of the layout of the game, as in checkpoints.
        num_players: number of seats.
        num_actions: size of the action space.
        observation_size: size of an observation.
        software: version that made the file.
    """

    format: str
    game: str
    layout_sha256: str
    num_players: int
    num_actions: int
    observation_size: int
    software: str


# --- writing


def write_parquet(
    records: Iterable[Path],
    target: Path,
    *,
    observations: bool = False,
    progress: Callable[[int], None] = lambda records: None,
) -> int:
    """Write the decisions of recorded games as a Parquet file; memory use does not grow with their number.

    Args:
        records: record files of games with one layout.
        target: the file, which is replaced once everything is written.
        observations: whether to add a column with the observations of the deciding seats.
        progress: called with 1 after each record.

    Returns:
        Number of decisions in the file.

    Raises:
        ValueError: a record is damaged, does not replay or has another layout than the first, or there are no records;
            nothing is written then.
        OSError: the file cannot be written.
    """
    games, written, rows = Games(), 0, list[Row]()
    writer: pq.ParquetWriter | None = None
    # Python opens the file: pyarrow takes only names that are UTF-8.
    with written_whole(target) as temporary, temporary.open("wb") as file:
        try:
            for number, path in enumerate(records):
                record = load_record(path)
                game = games.of(record, path)
                if writer is None:
                    writer = pq.ParquetWriter(file, schema_of(game, observations), compression="zstd")
                rows += rows_of(game, record, path, number, observations)
                while len(rows) >= ROWS:
                    written += _write(writer, rows[:ROWS])
                    del rows[:ROWS]
                progress(1)
            if writer is None:
                raise ValueError("there are no records: name at least one")
            written += _write(writer, rows)
        finally:
            if writer is not None:
                writer.close()
    return written


def schema_of(game: Game, observations: bool) -> pa.Schema:
    """Return the columns of a file for a game, with our description of it."""
    columns = dict(COLUMNS)
    if observations:
        columns["observation"] = pa.list_(pa.int8(), game.observation_spec.size)
    description = Description(
        format=FORMAT,
        game=game.id,
        layout_sha256=layout_hash(GameInfo.of(game)),
        num_players=game.num_players,
        num_actions=game.num_actions,
        observation_size=game.observation_spec.size,
        software=software_version(),
    )
    return pa.schema(columns, {KEY: description.model_dump_json().encode()})


def _write(writer: pq.ParquetWriter, rows: list[Row]) -> int:
    if rows:
        writer.write_table(pa.Table.from_pylist(rows, writer.schema))
    return len(rows)


def rows_of(game: Game, record: GameRecord, path: Path, number: int, observations: bool) -> list[Row]:
    """Return the decisions of a recorded game as rows.

    Args:
        game: game of the record.
        record: the record, which is replayed and checked.
        path: its file.
        number: number of the game in the data set.
        observations: whether to add what the deciding seat saw.

    Raises:
        ValueError: the record does not replay.
    """
    whole = {
        "game": number,
        "record": printable(path.name),
        "config": json.dumps(record.config, sort_keys=True),
        "seed": record.seed,
        "forced": json.dumps(record.forced, sort_keys=True) if record.forced else None,
        "agents": list(record.players),
    }
    analyses = {analysis.ply: analysis for analysis in record.analyses}
    rows, earned, forfeits = list[Row](), list[float](), list[int]()
    paid = np.zeros((1, game.num_players), np.float32)
    seen = np.zeros((1, game.observation_spec.size), np.int8)
    out = [IN_TO_THE_END] * game.num_players

    def listen(ply: int, before: Records, action: int, after: Records) -> None:
        note_eliminated(game, after, ply, out)
        if action < 0:
            forfeits.append(action)
            return
        seat, legal = int(before["current_player"][0]), legal_ids(before["legal"][0])
        game.returns(game.params, before, paid)
        earned.append(float(paid[0, seat]))
        row = {"ply": ply, "seat": seat, "legal": legal, "action": action, "forfeits": forfeits.copy()}
        row |= {"forfeits_after": []}  # filled in a game's last row
        row["agent"] = record.players[seat] if seat < len(record.players) else None
        if ply in analyses:
            row |= analyzed(analyses[ply], legal)
        if observations:
            game.observe(game.params, before, [seat], seen)
            row["observation"] = seen[0].copy()
        rows.append(whole | row)
        forfeits.clear()

    try:
        replay(game, record, listen)
    except ValueError as error:
        raise ValueError(f"{named(path)}: {error}") from None
    if rows:
        rows[-1]["forfeits_after"] = forfeits
    if record.result.terminated or record.result.truncated:
        returns = record.result.returns
        results = results_of(returns, out)
        for row, before in zip(rows, earned, strict=True):
            row["reward_to_come"] = returns[row["seat"]] - before
            row["result"] = results[row["seat"]]
    return rows


def note_eliminated(game: Game, states: Records, ply: int, out: list[int]) -> None:
    """Note which seats a ply has put out of the game in `states[0]`, unless it has ended the game.

    Args:
        game: game of the states.
        states: states after the ply.
        ply: number of the ply.
        out: as in `Outcome`, for the plies before; updated in place.
    """
    if int(states["current_player"][0]) == NO_PLAYER:
        return
    over = np.zeros((1, game.num_players), np.int8)
    game.terminations(game.params, states, over)
    for seat in np.flatnonzero(over[0]).tolist():
        if out[seat] == IN_TO_THE_END:
            out[seat] = ply + 1


def results_of(returns: Sequence[float], out: Sequence[int]) -> list[str]:
    """Return how a game ended for each seat, as in standings; seats that share first place drew.

    Args:
        returns: what each seat earned.
        out: as in `Outcome`.
    """
    places = Outcome(("",) * len(returns), tuple(returns), out=tuple(out)).places
    best = "won" if places.count(1) == 1 else "drawn"
    return [best if place == 1 else "lost" for place in places]


def analyzed(analysis: Analysis, legal: list[int]) -> Row:
    """Return the columns of an analysis; numbers for legal ids follow their order, with null where unknown."""
    candidates = {candidate.action: candidate for candidate in analysis.candidates}
    numbers = {
        "policy": [candidates[action].probability if action in candidates else None for action in legal],
        "action_values": [candidates[action].value if action in candidates else None for action in legal],
    }
    known = {name: listed for name, listed in numbers.items() if any(one is not None for one in listed)}
    return {"analyst": analysis.agent, "value": analysis.value, **known}


# --- reading


def describe_file(path: str | Path) -> Description:
    """Return the description of a file.

    Raises:
        ValueError: the file is missing, or is not a data set of decisions.
    """
    if not Path(path).is_file():
        raise ValueError(f"there is no file {named(path)}")
    with Path(path).open("rb") as file:
        try:
            told = (pq.read_schema(file).metadata or {}).get(KEY, b"").decode()
        except DAMAGED:
            told = ""
    if not told:
        raise ValueError(f"{named(path)}: not a data set of decisions; `sackarmies dataset` writes one")
    return read_model(Description, parse_json(told, named(path)), named(path))


def observations(path: str | Path, rows: Mapping[str, Any] | pa.Table | None = None) -> NDArray[np.int8]:
    """Return what the deciding seats saw, by replaying their games.

    Args:
        path: a file that `write_parquet` wrote.
        rows: decisions in the file: anything with the columns `game` and `ply`, such as a table; None for all.

    Returns:
        `(k, size)` int8, in the order of `rows`.

    Raises:
        ValueError: it is not such a file, is damaged, lacks one of `rows`, or its games replay differently here.
    """
    description, wanted = describe_file(path), None
    if rows is not None:
        wanted = np.stack([np.asarray(rows["game"]), np.asarray(rows["ply"])], axis=1).astype(np.int64)
    among = None if wanted is None else pc.field("game").isin(np.unique(wanted[:, 0]))
    with Path(path).open("rb") as file:  # pyarrow takes only names that are UTF-8
        try:
            table = pq.read_table(file, columns=list(REPLAYED), filters=among)
        except DAMAGED as error:
            raise ValueError(f"{named(path)}: the file is damaged") from error
    places: Places = {}
    for place, (game, ply) in enumerate(zip(*_pairs(table), strict=True) if wanted is None else wanted.tolist()):
        places.setdefault(game, {}).setdefault(ply, []).append(place)
    out = np.zeros((table.num_rows if wanted is None else len(wanted), description.observation_size), np.int8)
    first = np.flatnonzero(np.diff(_pairs(table)[0], prepend=-1)).tolist()
    for start, end in pairwise([*first, table.num_rows]):
        _replay_rows(table.slice(start, end - start).to_pylist(), description, places, out)
    if lacking := [(game, ply) for game, plies in places.items() for ply in plies]:
        raise ValueError(f"{named(path)} has no decision at ply {min(lacking)[1]} of game {min(lacking)[0]}")
    return out


def _pairs(table: pa.Table) -> tuple[list[int], list[int]]:
    return table["game"].to_pylist(), table["ply"].to_pylist()


def _replay_rows(rows: list[Row], description: Description, places: Places, out: NDArray[np.int8]) -> None:
    """Replay a game and write the wanted observations.

    Args:
        rows: all decisions of the game.
        description: description of the file.
        places: game -> ply -> rows of `out` for the observation; entries are removed once written.
        out: `(k, size)`, overwritten there.
    """
    number = rows[0]["game"]
    game = recorded_game(description.game, rows[0]["config"])
    if layout_hash(GameInfo.of(game)) != description.layout_sha256:
        raise ValueError(f"game {number} has another layout here: the file was made by version {description.software}")
    plies = places.get(number, {})
    last = max(plies, default=-1)
    states, seen = game.new_states(1), np.zeros((1, game.observation_spec.size), np.int8)
    game.start(states, rows[0]["seed"], json.loads(rows[0]["forced"]) if rows[0]["forced"] else None)
    for row in rows:
        if row["ply"] > last:
            break
        for code in row["forfeits"]:
            play_ply(game, states, code, row["ply"])
        if legal_ids(states["legal"][0]) != row["legal"]:
            raise ValueError(
                f"ply {row['ply']} of game {number} has other legal ids here: the file was made by version "
                f"{description.software} and this is {software_version()}, or it was changed"
            )
        for place in plies.pop(row["ply"], ()):
            game.observe(game.params, states, states["current_player"], seen)
            out[place] = seen[0]
        play_ply(game, states, row["action"], row["ply"])


def action_masks(legal: Any, num_actions: int) -> NDArray[np.int8]:
    """Return masks `(k, num_actions)` int8 from the column `legal`, a list of legal ids for each decision."""
    lists = legal.to_pylist() if hasattr(legal, "to_pylist") else list(legal)
    masks = np.zeros((len(lists), num_actions), np.int8)
    for mask, ids in zip(masks, lists, strict=True):
        mask[ids] = 1
    return masks
