"""Tournaments: every line-up of agents, paired seeds, rotated seats; interrupted tournaments resume."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.conduct import Status
from sackarmies_agents.isolated import make_player
from sackarmies_env import __version__
from sackarmies_env.core.atomic_write import remove_leftovers
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import counted, quote
from sackarmies_env.core.record import GameRecord, make_record, save_record
from sackarmies_env.core.safe_read import named, parse_json, read_json, read_text
from sackarmies_env.core.validation import SingleLine, StrictModel, TupleOf, read_model
from sackarmies_training.config import LIMITS, MatchSection, Place
from sackarmies_training.files import write_json
from sackarmies_training.identity import agent_identity, check_same, code_digest, game_identity
from sackarmies_training.jobs import job_pool
from sackarmies_training.matches import PlayedGame, Progress, Seating, forfeiting, play_games, rehearse
from sackarmies_training.ratings import IN_TO_THE_END, Outcome
from sackarmies_training.seeds import MAX_SEED, SEED_BITS, agent_seed, commitment, draw_seed, game_seeds

FORMAT = 5
IDENTITY = "tournament.json"
SEED = "seed.json"
MAX_SEED_FILE = 1000  # bytes
DRAWN = "drawn"  # in the identity: a seed that is secret until the end
BATCHES = "batches"
RECORDS = "records"
SECRET_FOLDERS = (BATCHES, RECORDS)
OWNER_ONLY = 0o700  # mode of a folder

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class GameBatch:
    """Games played side by side: the unit that an interrupted tournament repeats.

    Attributes:
        number: place in the schedule.
        line_ups: names by seat, one list per game.
        seeds: seeds of the games' chance, one per game.
    """

    number: int
    line_ups: tuple[tuple[str, ...], ...]
    seeds: tuple[int, ...]


def line_ups(agents: Sequence[str], num_players: int) -> list[tuple[str, ...]]:
    """Return the line-ups: all choices of `num_players` agents with as many different ones as possible."""
    different = min(len(agents), num_players)
    choices = combinations_with_replacement(agents, num_players)
    return [choice for choice in choices if len(set(choice)) == different]


def seatings(line_up: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the distinct rotations of a line-up: for two agents, both orders."""
    rotations = [line_up[turn:] + line_up[:turn] for turn in range(len(line_up))]
    return list(dict.fromkeys(rotations))


def schedule(section: MatchSection, num_players: int, seed: int) -> list[GameBatch]:
    """Return all batches: each line-up plays the same seeds, derived from `seed`, and each seed in all seatings."""
    seeds = game_seeds(seed, section.seeds)
    batches: list[GameBatch] = []
    for line_up in line_ups(section.agents, num_players):
        for start in range(0, section.seeds, section.batch):
            games = [(seating, seed) for seed in seeds[start : start + section.batch] for seating in seatings(line_up)]
            batches.append(GameBatch(len(batches), tuple(game[0] for game in games), tuple(game[1] for game in games)))
    return batches


@dataclass(frozen=True)
class Tournament:
    """A tournament and its folder, which holds what has been played so far.

    Attributes:
        game: the game to play.
        section: who plays, and how much.
        folder: `tournament.json` says what the tournament is; `batches/` holds results, `records/` game records, both
            with the seeds of games. If the section gives no seed, `seed.json` holds the one that was drawn, and only
            their owner can read these three until `publish`.
        aliases: agent texts for names in the section that the factory does not know.
    """

    game: Game
    section: MatchSection
    folder: Path
    aliases: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def seed(self) -> int:
        """The random seed: given in the section, or drawn by `open`.

        Raises:
            ValueError: the file that holds it is missing or damaged.
        """
        return read_seed(self.folder) if self.section.seed is None else self.section.seed

    def batches(self) -> list[GameBatch]:
        """Return the whole schedule."""
        return schedule(self.section, self.game.num_players, self.seed)

    def open(self) -> list[GameBatch]:
        """Create the folder, or resume it, and return the batches still to be played.

        If there are any, all agents are made first, and each makes one decision: a tournament that cannot be played
        does not claim its folder.

        Raises:
            ValueError: the folder holds another tournament or games of one, or an agent cannot be made.
        """
        for folder in (self.folder, self.folder / BATCHES, self.folder / RECORDS):
            remove_leftovers(folder)
        identity = self._identity()
        path, seed = self.folder / IDENTITY, self.folder / SEED
        is_new = not path.exists()
        if is_new and any((self.folder / BATCHES).glob("*")):
            raise ValueError(
                f"{named(self.folder)} holds {BATCHES} but no {IDENTITY}, so the code that played them is unknown; "
                f"restore {IDENTITY}, or choose another folder"
            )
        if is_new:
            self._rehearse()
        if is_new and self.section.seed is None and not seed.exists():
            write_json(seed, {"seed": str(draw_seed())}, private=True)
        identity |= self._seed_identity()
        if not is_new:
            self._compare(identity, read_json(path))
        missing = [batch for batch in self.batches() if not is_complete(self.folder, batch)]
        if is_new:
            write_json(path, identity)
        elif missing:
            self._rehearse()
        if missing and self.section.seed is None:
            for name in SECRET_FOLDERS:
                (self.folder / name).mkdir(exist_ok=True)
                (self.folder / name).chmod(OWNER_ONLY)
        return missing

    def _rehearse(self) -> None:
        rehearse(self.game, self.section.agents, self.make_agent)

    def _compare(self, identity: Mapping[str, Any], found: Any) -> None:
        """Refuse a folder that holds another tournament than this one."""
        if not isinstance(found, dict):
            raise ValueError(f"{named(self.folder / IDENTITY)} is damaged: it must hold a table")
        check_same(self.folder, "another tournament", identity, found)

    def play(self, batches: Sequence[GameBatch], progress: Progress, on: Place = Place.LOCAL) -> None:
        """Play batches and save each as it ends.

        Args:
            batches: the batches to play.
            progress: called with the number of games that ended.
            on: this machine or a cluster; games and files are the same.

        Raises:
            ValueError: an agent cannot be made, its file changed, a process that plays games died, or there is no
                cluster.
            OSError: results cannot be written.
        """
        if not batches:
            return
        progress(0)
        if on is Place.LOCAL and (self.section.workers == 1 or len(batches) < 2):
            for batch in batches:
                save_batch(self, batch, play_batch(self, batch, progress))
            return
        with job_pool(on, min(self.section.workers, len(batches))) as pool:
            jobs = {pool.submit(play_batch, self, batch): batch for batch in batches}
            for job in as_completed(jobs):
                batch = jobs.pop(job)  # otherwise, the results of all batches would stay in memory
                save_batch(self, batch, job.result())
                progress(len(batch.seeds))

    def outcomes(self) -> list[Outcome]:
        """Return the results of all batches, in the order of the schedule.

        Raises:
            ValueError: some batch has not been played, or its file is damaged.
        """
        return [entry.outcome for entry in self.games().values()]

    def games(self) -> dict[str, GameSummary]:
        """Return how all games ended, by the names of their files, in the order of the schedule.

        Raises:
            ValueError: some batch has not been played, or its file is damaged.
        """
        return {
            game_name(batch, place): entry
            for batch in self.batches()
            for place, entry in enumerate(read_batch(self.folder, batch))
        }

    def publish(self) -> None:
        """Make the seed, results and records as readable as the folder, now that the tournament is over."""
        if self.section.seed is None:
            shutil.copymode(self.folder / IDENTITY, self.folder / SEED)
            for name in SECRET_FOLDERS:
                if (self.folder / name).exists():  # records may have been removed
                    shutil.copymode(self.folder, self.folder / name)

    def agent_text(self, name: str) -> str:
        """Return the factory's text for an agent of the section."""
        return self.aliases.get(name, name)

    def make_agent(self, name: str) -> Agent:
        """Make an agent of the section."""
        return make_player(self.agent_text(name), GameInfo.of(self.game), self.section.isolation)

    def check_agents(self, batch: GameBatch) -> None:
        """Refuse a batch whose agents may differ from those that the tournament began with.

        Raises:
            ValueError: a file of an agent has changed or is gone.
        """
        texts = {name: self.agent_text(name) for name in self.section.agents}
        identities = read_json(self.folder / IDENTITY)["agents"]
        check_unchanged(texts, identities, "the tournament", f"batch {batch.number}")

    def _identity(self) -> dict[str, Any]:
        agents = {name: agent_identity(self.agent_text(name)) for name in self.section.agents}
        section = self.section.model_dump(mode="json", include={"seeds", "batch", *LIMITS})
        return {
            "format": FORMAT,
            "version": __version__,
            "code": code_digest(),
            "game": self.game.id,
            "rules": self.game.digest,
            **game_identity(self.game),
            "agents": agents,
            "order": list(self.section.agents),
            **section,
        }

    def _seed_identity(self) -> dict[str, Any]:
        """Return what may be known of the seed from the start: the seed itself if given, else its checksum."""
        if self.section.seed is not None:
            return {"seed": self.section.seed}
        if not (self.folder / SEED).exists():
            return {"seed": DRAWN}
        return {"seed": DRAWN, "seed_sha256": commitment(self.seed)}


def check_unchanged(texts: Mapping[str, str], identities: Mapping[str, Any], contest: str, part: str) -> None:
    """Refuse a part of a contest whose agents may differ from those that the contest began with.

    Args:
        texts: text forms of the agents that played it, by name.
        identities: identities at the beginning, by name, of these agents and perhaps of others.
        contest: what is played, for the message: "the tournament".
        part: which part of it, for the message: "batch 3".

    Raises:
        ValueError: a file of an agent has changed or is gone.
    """
    for name, text in texts.items():
        try:
            is_same = agent_identity(text) == identities[name]
        except (OSError, ValueError):
            is_same = False
        if not is_same:
            raise ValueError(
                f"{quote(name)}: its file changed during {contest}, so {part} was not kept; restore the file and give "
                "the same command again, or choose another folder"
            )


def play_batch(tournament: Tournament, batch: GameBatch, progress: Progress | None = None) -> list[PlayedGame]:
    """Play one batch; the result depends only on the tournament's configuration and seed, and nothing is written."""
    seed = agent_seed(tournament.seed, batch.number)
    with closing(Seating(batch.line_ups, forfeiting(tournament.make_agent), seed, batch.seeds)) as seating:
        return play_games(tournament.game, batch.line_ups, batch.seeds, seating, progress)


def save_batch(tournament: Tournament, batch: GameBatch, games: Sequence[PlayedGame]) -> None:
    """Save one batch: first the game records, last the file that says it is complete.

    Raises:
        ValueError: a file of an agent has changed since the tournament began.
        OSError: the batch cannot be written.
    """
    tournament.check_agents(batch)
    section, entries = tournament.section, []
    is_timed = section.isolation is not None and section.isolation.is_timed
    for place, played in enumerate(games):
        path = Path(RECORDS) / f"{game_name(batch, place)}.json"
        save_record(record_of(tournament.game, played), tournament.folder / path)
        entries.append({**summary(played, is_timed=is_timed), "record": path.as_posix()})
    write_json(batch_path(tournament.folder, batch), {"games": entries})


def record_of(game: Game, played: PlayedGame) -> GameRecord:
    """Return the record of a game between agents."""
    reasons = {forfeit.ply: forfeit.reason for forfeit in played.forfeits}
    statuses = {forfeit.ply: forfeit.status.value for forfeit in played.forfeits}
    return make_record(game, played.seed, played.actions, players=played.agents, reasons=reasons, statuses=statuses)


def summary(played: PlayedGame, *, is_timed: bool) -> dict[str, Any]:
    """Return what standings need to know of a game, as plain data.

    What agents used is included only if time is limited: results depend on the machine then anyway, while files of
    other tournaments are the same each time.
    """
    data = {**asdict(played), "actions": len(played.actions)}
    if not is_timed:
        del data["usage"]
    return data


def game_name(batch: GameBatch, place: int) -> str:
    """Return the name of a game's files."""
    return f"{batch.number:04d}-{place:03d}"


def batch_path(folder: Path, batch: GameBatch) -> Path:
    """Return the file that says how the games of a batch ended."""
    return folder / BATCHES / f"{batch.number:04d}.json"


class SeedFile(StrictModel):
    """The seed of a tournament, in decimal: most programs that read JSON round numbers of this size."""

    seed: Annotated[str, Field(pattern="^[0-9]{1,39}$")]


def read_seed(folder: Path) -> int:
    """Return the seed that was drawn for a tournament.

    Raises:
        ValueError: it is missing, or its file is damaged.
    """
    path = folder / SEED
    data = parse_json(read_text(path, "the seed of a tournament", MAX_SEED_FILE), named(path))
    seed = int(read_model(SeedFile, data, str(path)).seed)
    if seed >= MAX_SEED:
        raise ValueError(f"{named(path)}: seed must be less than 2**{SEED_BITS}, not {quote(str(seed))}")
    return seed


class ForfeitEntry(StrictModel):
    """A forfeit in the file of a batch, see `matches.Forfeit`."""

    seat: Annotated[int, Field(ge=0)]
    ply: Annotated[int, Field(ge=0)]
    reason: SingleLine
    status: Literal["ERROR", "INVALID", "TIMEOUT"]


class UsageEntry(StrictModel):
    """What an agent has used in a game, see `limits.Usage`."""

    decisions: Annotated[int, Field(ge=0)]
    seconds: Seconds
    longest: Seconds
    cpu_seconds: Seconds | None


class GameResult(StrictModel):
    """How a game ended, see `matches.PlayedGame`: returns by seat, turns, number of actions, forfeits, usage."""

    returns: TupleOf[Annotated[float, Field(allow_inf_nan=False)]]
    turns: Annotated[int, Field(ge=0)]
    actions: Annotated[int, Field(ge=0)]
    truncated: bool
    forfeits: TupleOf[ForfeitEntry] = ()
    out: TupleOf[Annotated[int, Field(ge=IN_TO_THE_END)]] = ()
    usage: TupleOf[UsageEntry | None] = ()

    @model_validator(mode="after")
    def check_seats(self) -> Self:
        """Refuse forfeits of seats that do not exist, and lists that are neither empty nor one entry for each seat."""
        seats = len(self.returns)
        for forfeit in self.forfeits:
            if forfeit.seat >= seats:
                raise ValueError(f"seat {forfeit.seat} forfeits, but there are returns for {counted(seats, 'seat')}")
        for name, values in (("out", self.out), ("usage", self.usage)):
            if len(values) not in {0, seats}:
                told = f"{name} has {counted(len(values), 'value')}"
                raise ValueError(f"{told}, but there are returns for {counted(seats, 'seat')}")
        return self


class GameSummary(GameResult):
    """A game in the file of a batch; `record` is the file that holds all its actions."""

    seed: int
    agents: TupleOf[str]
    forfeits: TupleOf[ForfeitEntry]
    record: str

    @property
    def statuses(self) -> tuple[str, ...]:
        """How the game ended for each seat, by the names that Kaggle's environments use."""
        faults = {forfeit.seat: forfeit.status for forfeit in self.forfeits}
        return tuple(faults.get(seat, Status.DONE.value) for seat in range(len(self.agents)))

    @property
    def outcome(self) -> Outcome:
        """The game as standings and ratings see it."""
        forfeits = {forfeit.seat: forfeit.reason for forfeit in self.forfeits}
        return Outcome(self.agents, self.returns, forfeits, self.out)


class BatchFile(StrictModel):
    """How the games of a batch ended."""

    games: TupleOf[GameSummary]


def read_batch(folder: Path, batch: GameBatch) -> tuple[GameSummary, ...]:
    """Return how the games of a batch ended.

    Raises:
        ValueError: it has not been played, or its file is damaged or holds other games.
    """
    games = _read_games(folder, batch)
    _check_games(folder, batch, games)
    return games


def is_complete(folder: Path, batch: GameBatch) -> bool:
    """Return whether a batch has been played and its results can be read; if not, it will be played again.

    Raises:
        ValueError: its file holds games of another tournament, which must not be overwritten.
    """
    if not batch_path(folder, batch).exists():
        return False
    try:
        games = _read_games(folder, batch)
    except ValueError:
        return False
    _check_games(folder, batch, games)
    return True


def _read_games(folder: Path, batch: GameBatch) -> tuple[GameSummary, ...]:
    path = batch_path(folder, batch)
    games = read_model(BatchFile, read_json(path), str(path)).games
    if len(games) < len(batch.line_ups) or any(len(game.returns) != len(game.agents) for game in games):
        raise ValueError(f"{named(path)} is damaged: games or returns are missing, or there are too many returns")
    return games


def _check_games(folder: Path, batch: GameBatch, games: Sequence[GameSummary]) -> None:
    planned = list(zip(batch.line_ups, batch.seeds, strict=True))
    if [(game.agents, game.seed) for game in games] != planned:
        raise ValueError(
            f"{named(batch_path(folder, batch))} holds other games than batch {batch.number} of this tournament; "
            "choose another folder, or remove that file to play the batch again"
        )
