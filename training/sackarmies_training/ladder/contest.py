"""Playing of a ladder: missing units are played, and each is stored as soon as it is finished."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sackarmies_env import __version__
from sackarmies_env.core.atomic_write import remove_leftovers
from sackarmies_env.core.cache_folder import source_digest
from sackarmies_env.core.messages import join
from sackarmies_env.core.safe_read import named, read_json
from sackarmies_training.config import Place
from sackarmies_training.files import write_json
from sackarmies_training.identity import agent_identity, changed_agent, check_same, code_digest, game_identity
from sackarmies_training.jobs import Pool, job_pool
from sackarmies_training.ladder.config import ContestConfig, LadderConfig
from sackarmies_training.ladder.store import UnitStore, key_of
from sackarmies_training.ladder.units import (
    Finished,
    Maker,
    Unit,
    UnitEntry,
    UnitJob,
    check_agents_exist,
    make_job,
    maker_of,
    play_unit,
    schedule,
)
from sackarmies_training.matches import Progress
from sackarmies_training.stats import luck
from sackarmies_training.tournament import RECORDS, check_unchanged

FORMAT = 1
IDENTITY = "ladder.json"
UNITS = "units.jsonl"
DIGEST = 16  # hexadecimal digits

Save = Callable[[Finished], None]
SavePlace = Callable[[int, Finished], None]


class UnitPlayer:
    """Plays units, in this process or in several others.

    Separate processes measure time better, since nothing but games runs in them.
    """

    def __init__(
        self,
        config: LadderConfig,
        makers: Mapping[str, Maker],
        pool: Pool | None,
        *,
        is_recording: bool = False,
        measures_luck: bool = False,
    ) -> None:
        """Prepare to play.

        Args:
            config: the ladder.
            makers: name -> function that makes the agent.
            pool: processes to play in; None: this one.
            is_recording: whether `play` passes on records of games.
            measures_luck: whether luck is measured in the games of `play`; that takes longer than quick agents take.
        """
        self.config = config
        self.makers = dict(makers)
        self._pool = pool
        self._is_recording = is_recording
        self._measures_luck = measures_luck

    def play(self, units: Sequence[Unit], save: Save) -> None:
        """Play units, and call `save` with each as soon as it is finished.

        Raises:
            ValueError: an agent cannot be made, or a process that plays games died.
            OSError: `save` cannot write.
        """
        jobs = [make_job(self.config, unit, self.makers) for unit in units]
        jobs = [replace(job, is_recorded=self._is_recording, measures_luck=self._measures_luck) for job in jobs]
        self.run(jobs, lambda place, finished: save(finished))

    def run(self, jobs: Sequence[UnitJob], save: SavePlace) -> None:
        """Play jobs, and call `save` with the index and result of each once it is finished; errors as for `play`."""
        run_jobs(self._pool, jobs, save)


def run_jobs(pool: Pool | None, jobs: Sequence[UnitJob], save: SavePlace) -> None:
    """Play jobs in the processes of a pool or in this one; call `save` with the index and result of each.

    Raises:
        ValueError: an agent cannot be made, or a process that plays games died.
        OSError: `save` cannot write.
    """
    if pool is None:
        for place, job in enumerate(jobs):
            save(place, play_unit(job))
        return
    futures: dict[Future[Finished], int] = {pool.submit(play_unit, job): place for place, job in enumerate(jobs)}
    for future in as_completed(futures):
        save(futures.pop(future), future.result())  # otherwise, the results of all units would stay in memory


@contextmanager
def unit_player(
    config: LadderConfig,
    makers: Mapping[str, Maker],
    on: Place = Place.LOCAL,
    *,
    is_recording: bool = False,
    measures_luck: bool = False,
) -> Iterator[UnitPlayer]:
    """Provide a player of units, with as many processes as the configuration says or on a cluster."""
    if on is Place.LOCAL and config.workers == 1:
        yield UnitPlayer(config, makers, None, is_recording=is_recording, measures_luck=measures_luck)
    else:
        with job_pool(on, config.workers) as pool:
            yield UnitPlayer(config, makers, pool, is_recording=is_recording, measures_luck=measures_luck)


def makers_of(agents: Mapping[str, str]) -> dict[str, Maker]:
    """Return the makers of agents, by name."""
    return {name: maker_of(text) for name, text in agents.items()}


def base_identity(config: LadderConfig) -> dict[str, Any]:
    """Return everything that results of a ladder depend on besides the rungs: code, rules, armies, seed."""
    return {"format": FORMAT, **contest_identity(config, [pool.players for pool in config.pool])}


def ladder_identity(config: LadderConfig) -> dict[str, Any]:
    """Return everything that units of a ladder depend on besides the rungs, including how luck is measured."""
    return {**base_identity(config), "luck": source_digest([Path(luck.__file__)])}


def contest_identity(config: ContestConfig, sizes: Sequence[int]) -> dict[str, Any]:
    """Return everything that results of a contest depend on besides its agents.

    Args:
        config: configuration of the contest.
        sizes: numbers of players in its games.
    """
    return {
        "version": __version__,
        "code": code_digest(),
        "game": config.game.id,
        **game_identity(config.make_game(sizes[0], config.army_list[:1] * sizes[0])),
        "rules": {str(players): rules_digest(config, players) for players in sizes},
        "armies": list(config.army_list),
        "seed": str(config.seed),
    }


def rules_digest(config: ContestConfig, players: int) -> str:
    """Return a digest of the rules of games of `players` players, and of the contents of each army."""
    armies = config.army_list or ("",)
    games = [config.make_game(players, (army,) * players if army else ()) for army in armies]
    return hashlib.sha256(" ".join(game.digest for game in games).encode()).hexdigest()[:DIGEST]


@dataclass(frozen=True)
class Ladder:
    """A ladder and its folder.

    Attributes:
        config: its configuration.
        folder: `ladder.json` says what results depend on, `units.jsonl` holds them.
    """

    config: LadderConfig
    folder: Path

    @property
    def store(self) -> UnitStore:
        """The file of finished units."""
        return UnitStore(self.folder / UNITS)

    def identity(self) -> dict[str, Any]:
        """Return what `ladder.json` must hold, see `folder_identity`."""
        return folder_identity(self.folder, self.config, ladder_identity(self.config))

    def open(self) -> list[Unit]:
        """Make the folder, or resume it, and return the units still to be played.

        A rung that is new to the folder is added, unless a rung with games left cannot be made; everything else must be
        as it was.

        Raises:
            ValueError: see `identity`; or an agent cannot be made.
        """
        remove_leftovers(self.folder)
        remove_leftovers(self.folder / RECORDS)
        path, data = self.folder / IDENTITY, self.identity()
        self.store.open()
        planned = schedule(self.config)
        finished = self.store.read(planned)
        missing = [unit for unit in planned if key_of(unit) not in finished]
        check_agents_exist(self.config, missing, makers_of(self.config.agents))
        if not path.exists() or read_json(path) != data:
            write_json(path, data)
        return missing

    def play(self, units: Sequence[Unit], progress: Progress, on: Place = Place.LOCAL) -> None:
        """Play units, and store each as it ends, on this machine or a cluster.

        `progress` is called with the number of games that ended.

        Raises:
            ValueError: an agent cannot be made, its file changed, a process that plays games died, or there is no
                cluster.
            OSError: results cannot be written; the same call resumes once they can.
        """
        if not units:
            return
        identities = read_json(self.folder / IDENTITY)["rungs"]

        def save(finished: Finished) -> None:
            check_agents(finished.entry, self.config.agents, identities)
            finished.save_records(self.folder)
            self.store.append(finished.entry)
            progress(len(finished.entry.games))

        progress(0)
        makers = makers_of(self.config.agents)
        with unit_player(self.config, makers, on, is_recording=self.config.replays, measures_luck=True) as player:
            player.play(units, save)

    def entries(self) -> list[UnitEntry]:
        """Return the finished units of this configuration, in the order of the schedule."""
        planned = schedule(self.config)
        finished = self.store.read(planned)
        return [finished[key_of(unit)] for unit in planned if key_of(unit) in finished]


def check_agents(entry: UnitEntry, texts: Mapping[str, str], identities: Mapping[str, Any]) -> None:
    """Refuse a finished unit whose agents may differ from those that the contest began with.

    Args:
        entry: the unit.
        texts: text forms of agents, by name.
        identities: identities of agents when the folder was opened, by name.

    Raises:
        ValueError: a file of an agent that played has changed or is gone.
    """
    played = {name: texts[name] for name in dict.fromkeys(entry.line_up)}
    check_unchanged(played, identities, "the games", f"unit {entry.number} of {join(played)}")


def folder_identity(folder: Path, config: LadderConfig, identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the identity file of a folder must hold: `identity`, the rungs, and rungs that it already holds.

    Raises:
        ValueError: the folder holds results of other code, rules or seed, of unknown code, or of another agent under a
            rung's name.
    """
    path, units = folder / IDENTITY, folder / UNITS
    rungs = {name: agent_identity(text) for name, text in config.agents.items()}
    if not path.exists():
        if units.exists() and units.stat().st_size:
            raise ValueError(
                f"{named(folder)} holds {UNITS} but no {IDENTITY}, so the code that played it is unknown; restore "
                f"{IDENTITY}, or remove the folder"
            )
        return {**identity, "rungs": rungs}
    found = read_json(path)
    check_identity(path, identity, found)
    known = found.get("rungs")
    known = known if isinstance(known, dict) else {}
    for name, agent in rungs.items():
        if known.get(name, agent) != agent:
            raise ValueError(
                f"{named(folder)}: the rung {name!r} is not the one that it was: {changed_agent(known[name], agent)}; "
                "give it another name, choose another folder, or remove this one"
            )
    return {**identity, "rules": {**found["rules"], **identity["rules"]}, "rungs": {**known, **rungs}}


def check_identity(path: Path, identity: Mapping[str, Any], found: Any) -> None:
    """Refuse a folder whose results depend on other things than `identity`; rules of other pools do not matter.

    Args:
        path: the identity file.
        identity: what results depend on here.
        found: content of the file.

    Raises:
        ValueError: something differs, or the file is damaged.
    """
    if not isinstance(found, dict) or not isinstance(found.get("rules"), dict):
        raise ValueError(f"{named(path)} is damaged: it must hold a table, with a table `rules`")
    rules = {players: found["rules"].get(players, digest) for players, digest in identity["rules"].items()}
    check_same(path.parent, "another ladder", identity, {**found, "rules": rules})
