"""Tournaments: every line-up of agents, paired seeds, seats rotated; stopped ones go on where they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.factory import parse_agent
from sackarmies_agents.isolated import make_player
from sackarmies_env import __version__
from sackarmies_env.core.files import remove_leftovers
from sackarmies_env.core.game import Game
from sackarmies_env.core.notation import make_record, save_record
from sackarmies_env.core.tables import Line, Several, Strict, read_model
from sackarmies_env.core.words import cut, printable
from sackarmies_training.config import MatchSection
from sackarmies_training.files import digest_of, read_json, write_json
from sackarmies_training.matches import PlayedGame, Progress, Table, play_games, rehearse, worker_pool
from sackarmies_training.ratings import Outcome


@dataclass(frozen=True)
class Batch:
    """Games that are played side by side, the unit that a stopped tournament repeats.

    Attributes:
        number: place in the schedule; the agents' randomness comes from it.
        line_ups: names by seat, one list a game.
        seeds: of the games' chance, one a game.
    """

    number: int
    line_ups: tuple[tuple[str, ...], ...]
    seeds: tuple[int, ...]


def line_ups(agents: Sequence[str], num_players: int) -> list[tuple[str, ...]]:
    """Return who meets whom: all choices of `num_players` agents with as many different ones as can be."""
    different = min(len(agents), num_players)
    choices = combinations_with_replacement(agents, num_players)
    return [choice for choice in choices if len(set(choice)) == different]


def seatings(line_up: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the rotations of a line-up that differ: of two agents, both orders."""
    rotations = [line_up[turn:] + line_up[:turn] for turn in range(len(line_up))]
    return list(dict.fromkeys(rotations))


def schedule(section: MatchSection, num_players: int) -> list[Batch]:
    """Return all batches: each line-up plays the same seeds, each seed in all seatings."""
    seeds = np.random.SeedSequence(section.seed).generate_state(section.seeds).tolist()
    batches: list[Batch] = []
    for line_up in line_ups(section.agents, num_players):
        for start in range(0, section.seeds, section.batch):
            games = [(seating, seed) for seed in seeds[start : start + section.batch] for seating in seatings(line_up)]
            batches.append(Batch(len(batches), tuple(game[0] for game in games), tuple(game[1] for game in games)))
    return batches


@dataclass(frozen=True)
class Tournament:
    """A tournament and its folder, which holds what has been played so far.

    Attributes:
        game: what is played.
        section: who plays how much.
        folder: `tournament.json` says what the tournament is; `batches/` holds results, `records/` game records.
        aliases: agent texts for names in the section that the factory does not know.
    """

    game: Game
    section: MatchSection
    folder: Path
    aliases: Mapping[str, str] = field(default_factory=dict)

    def batches(self) -> list[Batch]:
        """Return the whole schedule."""
        return schedule(self.section, self.game.num_players)

    def open(self) -> list[Batch]:
        """Make the folder, or take it up again, and return what is still to be played.

        Raises:
            ValueError: the folder holds another tournament, or an agent's checkpoint cannot be read.
        """
        for folder in (self.folder, self.folder / "batches", self.folder / "records"):
            remove_leftovers(folder)
        path = self.folder / "tournament.json"
        identity = self._identity()
        if path.exists():
            found = read_json(path)
            if not isinstance(found, dict):
                raise ValueError(f"{path} is damaged: it must hold a table")
            for key, value in identity.items():
                if found.get(key) != value:
                    raise ValueError(
                        f"{self.folder} holds another tournament: its {key} is {_short(found.get(key))}, here it is "
                        f"{_short(value)}; choose another folder, or remove that one"
                    )
        else:
            write_json(path, identity)
        return [batch for batch in self.batches() if not is_complete(self.folder, batch)]

    def play(self, batches: Sequence[Batch], progress: Progress) -> None:
        """Play batches and save each as it ends; `progress` is told how many more games have ended.

        Raises:
            ValueError: an agent cannot be made, or a process that plays games died.
            OSError: results cannot be written.
        """
        if not batches:
            return
        rehearse(self.game, self.section.agents, self.make_agent)
        if self.section.workers == 1 or len(batches) < 2:
            for batch in batches:
                play_batch(self, batch, progress)
            return
        with worker_pool(min(self.section.workers, len(batches))) as pool:
            jobs = {pool.submit(play_batch, self, batch): batch for batch in batches}
            for job in as_completed(jobs):
                job.result()
                progress(len(jobs[job].seeds))

    def outcomes(self) -> list[Outcome]:
        """Return the results of all batches, in the order of the schedule.

        Raises:
            ValueError: some batch has not been played, or its file is damaged.
        """
        return [
            Outcome(entry.agents, entry.returns, {forfeit.seat: forfeit.reason for forfeit in entry.forfeits})
            for batch in self.batches()
            for entry in read_batch(self.folder, batch)
        ]

    def agent_text(self, name: str) -> str:
        """Return the factory's text for an agent of the section."""
        return self.aliases.get(name, name)

    def make_agent(self, name: str) -> Agent:
        """Make an agent of the section."""
        return make_player(self.agent_text(name), GameInfo.of(self.game), self.section.isolation)

    def _identity(self) -> dict[str, Any]:
        agents = {}
        for name in self.section.agents:
            spec = parse_agent(self.agent_text(name))
            path = spec.options.get("path")
            agents[name] = {"kind": spec.name, **spec.options, **({"sha256": digest_of(Path(path))} if path else {})}
        limits = {"time_limit", "memory_limit"}
        section = self.section.model_dump(mode="json", include={"seeds", "seed", "batch", *limits})
        return {"version": __version__, "game": self.game.id, "rules": self.game.digest, "agents": agents, **section}


def play_batch(tournament: Tournament, batch: Batch, progress: Progress | None = None) -> None:
    """Play one batch and save it: first the game records, last the file that says it is complete."""
    game = tournament.game
    seed = np.random.SeedSequence([tournament.section.seed, batch.number]).generate_state(1)[0]
    with closing(Table(batch.line_ups, tournament.make_agent, int(seed))) as table:
        games = play_games(game, batch.line_ups, batch.seeds, table, progress)
    entries = []
    for place, played in enumerate(games):
        path = Path("records") / f"{batch.number:04d}-{place:03d}.json"
        reasons = {forfeit.ply: forfeit.reason for forfeit in played.forfeits}
        record = make_record(game, played.seed, played.actions, players=played.agents, reasons=reasons)
        save_record(record, tournament.folder / path)
        entries.append({**summary(played), "record": path.as_posix()})
    write_json(batch_path(tournament.folder, batch), {"games": entries})


def summary(played: PlayedGame) -> dict[str, Any]:
    """Return what standings need to know of a game, as plain data."""
    return {**asdict(played), "actions": len(played.actions)}


def batch_path(folder: Path, batch: Batch) -> Path:
    """Return the file that says how the games of a batch ended."""
    return folder / "batches" / f"{batch.number:04d}.json"


class ForfeitEntry(Strict):
    """A forfeit in the file of a batch, see `matches.Forfeit`."""

    seat: Annotated[int, Field(ge=0)]
    ply: Annotated[int, Field(ge=0)]
    reason: Line


class GameEntry(Strict):
    """A game in the file of a batch, see `matches.PlayedGame`: the number of actions, the file with all of them."""

    seed: int
    agents: Several[str]
    actions: Annotated[int, Field(ge=0)]
    returns: Several[Annotated[float, Field(allow_inf_nan=False)]]
    turns: Annotated[int, Field(ge=0)]
    truncated: bool
    forfeits: Several[ForfeitEntry]
    record: str


class BatchFile(Strict):
    """How the games of a batch ended."""

    games: Several[GameEntry]


def read_batch(folder: Path, batch: Batch) -> tuple[GameEntry, ...]:
    """Return how the games of a batch ended.

    Raises:
        ValueError: it has not been played, or its file is damaged or holds other games.
    """
    path = batch_path(folder, batch)
    games = read_model(BatchFile, read_json(path), str(path)).games
    planned = list(zip(batch.line_ups, batch.seeds, strict=True))
    found = [(game.agents, game.seed) for game in games]
    if found != planned or any(len(game.returns) != len(game.agents) for game in games):
        raise ValueError(f"{path} holds other games than batch {batch.number} of this tournament")
    return games


def is_complete(folder: Path, batch: Batch) -> bool:
    """Return whether a batch has been played and its results can be read; if not, it will be played again."""
    if not batch_path(folder, batch).exists():
        return False
    try:
        read_batch(folder, batch)
    except ValueError:
        return False
    return True


def _short(value: object) -> str:
    return cut(printable(value), 80)
