"""A league and its folder: agents come and go, rounds are planned, played and closed. A kill loses no finished unit."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from re import fullmatch
from typing import Any, Literal

from sackarmies_agents.agent import GameInfo
from sackarmies_env.core.atomic_write import remove_leftovers, sync_folder, write_safely
from sackarmies_env.core.messages import join, quote
from sackarmies_env.core.safe_read import MAX_TOML, named, read_text
from sackarmies_env.core.validation import one_line
from sackarmies_training.config import load_config
from sackarmies_training.ladder.contest import contest_identity
from sackarmies_training.ladder.units import UnitEntry
from sackarmies_training.league.config import NAME, LeagueConfig
from sackarmies_training.league.journal import (
    JOURNAL,
    ORGANIZER,
    Entry,
    Journal,
    LeagueState,
    Round,
    SeasonBegun,
    StatusChanged,
    Submitted,
    check_change,
    now,
)
from sackarmies_training.league.pairing import Field, Pair, Planner, Rules, pair_of
from sackarmies_training.league.rounds import RoundFolder
from sackarmies_training.league.strengths import fit
from sackarmies_training.league.submissions import digest_of_folder, keep, make_separate, working_copy
from sackarmies_training.locks import locked, removed_if_unused
from sackarmies_training.matches import Progress
from sackarmies_training.reports.evaluation import check_free
from sackarmies_training.submission import Trial, try_agent
from sackarmies_training.tournament import seatings

FORMAT = 1
CONFIG = "league.toml"
SUBMISSIONS = "submissions"
UNFINISHED = f".{JOURNAL}.unfinished"  # the journal until the league has been made
CHANGES = {  # keys of the identity of a season, in words
    "version": "the version of the package",
    "code": "the code of rules and agents",
    "game": "the game",
    "game_source": "the code of the game",
    "rules": "the rules or the armies",
    "armies": "the list of armies",
    "seed": "the seed of armies",
    "players": "the number of players",
    "limits": "the limits of agents",
}


@dataclass(frozen=True)
class League:
    """A league.

    Attributes:
        folder: `league.toml` is the configuration, `events.jsonl` the journal; `submissions/` holds the files of all
            versions, `rounds/` plans, seeds and results, `records/` and `replays/` games by round.
        clock: returns the time of events.
    """

    folder: Path
    clock: Callable[[], str] = now
    _played: dict[int, tuple[UnitEntry, ...]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def config(self) -> LeagueConfig:
        """The configuration.

        Raises:
            ValueError: there is no league in this folder, or its configuration is wrong.
        """
        if not (self.folder / JOURNAL).is_file():
            raise ValueError(f"there is no league in {named(self.folder)}: `sackarmies league new` makes one")
        return load_config(self.folder / CONFIG, LeagueConfig)

    @property
    def journal(self) -> Journal:
        """The journal."""
        return Journal(self.folder)

    def state(self) -> LeagueState:
        """Read the state from the journal; errors as for `Journal.read` and `config`."""
        _ = self.config
        return self.journal.read()

    def kept(self, entry: Entry) -> Path:
        """Return the folder of a version's files."""
        return self.folder / SUBMISSIONS / entry.folder

    # --- agents

    def submit(self, agent: str, name: str, author: str, games: int, progress: Progress) -> tuple[Trial, str | None]:
        """Try a submission in isolation, and enter it if it loses no game by forfeit.

        Args:
            agent: a folder with a manifest, or the text form of an agent.
            name: a new name, or that of an earlier submission of the same author, which this version replaces.
            author: who it is from.
            games: number of games in the trial.
            progress: called with the number of games that ended.

        Returns:
            The trial, and the label of the new version; None if it is not entered.

        Raises:
            ValueError: name, author or agent are wrong.
            OSError: its files cannot be copied.
        """
        check_newcomer(self.state(), name, author)
        with tempfile.TemporaryDirectory(prefix="sackarmies-") as place:
            kept = Path(place) / "kept"
            manifest = keep(agent, kept)
            check_line("agent", manifest.agent)
            digest = digest_of_folder(kept)
            text = working_copy(kept, digest, Path(place) / "copy")
            trial = try_agent(self.config.trial_game(), text, self.config.isolation, games, progress)
            if trial.faults():
                return trial, None
            with self.journal.writing() as state:
                version = check_newcomer(state, name, author)
                event = Submitted(
                    time=self.clock(), name=name, version=version, author=author, agent=manifest.agent, digest=digest
                )
                check_changed(state, event)
                self._copy(kept, event)
                self.journal.append(state, event)
        return trial, state.current(name).label

    def _copy(self, source: Path, event: Submitted) -> None:
        """Store the files of a version; what an earlier kill left there is removed."""
        target = self.kept(Entry(event))
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target)

    def change(self, name: str, change: Literal["suspended", "resumed", "withdrawn"], why: str) -> Entry:
        """Change the status of the latest version of a submission, or of an anchor; return it.

        Raises:
            ValueError: there is none of this name, this change is not allowed, or the reason has several lines.
            OSError: the journal cannot be written.
        """
        _ = self.config
        check_line("why", why)
        with self.journal.writing() as state:
            entry = state.current(name)
            check_change(entry, change)
            version = entry.submitted.version
            event = StatusChanged(event=change, time=self.clock(), name=name, version=version, why=why, by=ORGANIZER)
            self.journal.append(state, event)
        return state.current(name)

    # --- results

    def entries_of(self, one: Round) -> tuple[UnitEntry, ...]:
        """Return the finished units of a round, in the order of its plan.

        Raises:
            ValueError: a file of the round is missing or damaged, or does not match the plan.
        """
        if one.number in self._played:
            return self._played[one.number]
        folder = RoundFolder(self.folder, one.number)
        entries = tuple(folder.finished(folder.units(folder.seed(one.opened.seed_sha256))))
        if one.closed is not None:
            if len(entries) != one.closed.units:
                raise ValueError(
                    f"{named(folder.store.path)} holds {len(entries)} units, but the journal says {one.closed.units}"
                )
            self._played[one.number] = entries
        return entries

    def results(self, state: LeagueState, season: int) -> list[UnitEntry]:
        """Return the finished units of the closed rounds of a season; errors as for `entries_of`."""
        return [entry for one in state.rounds_of(season) for entry in self.entries_of(one)]

    # --- pairings

    def planner(self, state: LeagueState) -> Planner:
        """Return the planner of the next units of the present season; errors as for `entries_of`."""
        season = len(state.seasons)
        entries = self.results(state, season)
        labels = {name for entry in entries for name in entry.line_up}
        names = [label for label, entry in state.entries.items() if label in labels or entry.status == "active"]
        units = [entry.played for entry in entries]
        pairs = Counter(pair_of(*entry.line_up[:2]) for entry in entries)
        active = state.active
        submissions = tuple(entry.label for entry in active if not entry.submitted.is_anchor)
        anchors = tuple(entry.label for entry in active if entry.submitted.is_anchor)
        waiting = {entry.label: self._waiting(state, entry) for entry in active if not entry.submitted.is_anchor}
        games = len(seatings(tuple("ab"[seat % 2] for seat in range(self.config.players))))
        section = self.config.pairing
        rules = Rules(section.first_units, section.patience, games, self.config.seed)
        zero = self.config.zero_name
        return Planner(Field(submissions, anchors, pairs, waiting), fit(names, units, zero), rules)

    def _waiting(self, state: LeagueState, entry: Entry) -> int:
        """Return how many units have been played since an agent last played, or since it became active."""
        waited = 0
        for one in state.rounds_of(len(state.seasons)):
            if one.number > entry.since:
                for unit in self.entries_of(one):
                    waited = 0 if entry.label in unit.line_up else waited + 1
        return waited

    def planned_pairs(self, state: LeagueState) -> dict[Pair, int]:
        """Return how many units of each pair were planned in the present season, played or not."""
        season = len(state.seasons)
        rounds = [one for one in state.rounds if one.opened.season == season]
        planned = [unit for one in rounds for unit in RoundFolder(self.folder, one.number).planned()]
        return dict(Counter(pair_of(*unit.line_up[:2]) for unit in planned))

    # --- seasons

    def identity(self) -> dict[str, Any]:
        """Return everything that results of a season depend on besides the submissions, as plain data."""
        limits = self.config.limits.model_dump(mode="json")
        base = contest_identity(self.config, [self.config.players])
        return {"format": FORMAT, **base, "players": self.config.players, "limits": limits}

    def next_season(self, state: LeagueState) -> SeasonBegun | None:
        """Return the season that must begin before games are played; None if the present one continues.

        Raises:
            ValueError: the anchors of the configuration are not those that the league began with.
        """
        anchors = {one.submitted.name: one.submitted.agent for one in state.entries.values() if one.submitted.is_anchor}
        if anchors != self.config.anchors:
            raise ValueError(
                f"{named(self.folder / CONFIG)}: the anchors are frozen: the league has {_told(anchors)}, this file "
                f"has {_told(self.config.anchors)}"
            )
        identity = self.identity()
        if not state.seasons:
            why = "the league begins"
        else:
            before = state.seasons[-1].identity
            changed = [key for key in {**before, **identity} if before.get(key) != identity.get(key)]
            if not changed:
                return None
            why = " and ".join(CHANGES.get(key, key) for key in changed) + " changed"
        return SeasonBegun(time=self.clock(), season=len(state.seasons) + 1, why=why, identity=identity)


def _told(anchors: dict[str, str]) -> str:
    return join(f"{name} = {agent}" for name, agent in anchors.items())


def create(folder: Path, config: Path, clock: Callable[[], str] = now) -> League:
    """Make the folder of a new league, with its anchors, after checking that each of them can be made.

    If an error or a kill ends this midway, there is no league, and the same call makes one.

    Raises:
        ValueError: the folder is not empty or in use, the configuration is wrong, or an anchor cannot be made.
        OSError: the folder cannot be written.
    """
    settings = load_config(config, LeagueConfig)
    text = read_text(config, "a TOML file", MAX_TOML)
    if not (folder / UNFINISHED).exists():
        check_free("FOLDER", folder)
    with locked(folder), removed_if_unused(folder):
        if (folder / JOURNAL).exists():  # another process has finished it before this one got the lock
            check_free("FOLDER", folder)
        _remove_unfinished(folder)
        (folder / UNFINISHED).touch()
        try:
            return _create(folder, settings, text, clock)
        except BaseException:
            _remove_unfinished(folder)
            raise


def _remove_unfinished(folder: Path) -> None:
    """Remove what a call of `create` left that was ended midway."""
    if (folder / UNFINISHED).exists():
        shutil.rmtree(folder / SUBMISSIONS, ignore_errors=True)
        remove_leftovers(folder)
        (folder / CONFIG).unlink(missing_ok=True)
        (folder / UNFINISHED).unlink()


def _create(folder: Path, settings: LeagueConfig, text: str, clock: Callable[[], str]) -> League:
    """Write the files of a new league; errors as for `create`."""
    league, events = League(folder, clock), []
    info = GameInfo.of(settings.trial_game())
    with tempfile.TemporaryDirectory(prefix="sackarmies-") as place:
        for name, agent in settings.anchors.items():
            kept = Path(place) / "kept" / name
            keep(agent, kept)
            digest = digest_of_folder(kept)
            copied = working_copy(kept, digest, Path(place) / "copies" / name)
            try:
                with closing(make_separate(copied, settings.isolation, info)):
                    pass
            except ValueError as error:
                raise ValueError(f"anchor {name!r}: {error}") from None
            event = Submitted(time=clock(), name=name, version=1, author="", agent=agent, digest=digest, is_anchor=True)
            league._copy(kept, event)
            events.append(event)
    write_safely(folder / CONFIG, text.encode())
    write_safely(folder / UNFINISHED, "".join(f"{event.model_dump_json()}\n" for event in events).encode())
    (folder / UNFINISHED).replace(folder / JOURNAL)
    sync_folder(folder)
    return league


def check_newcomer(state: LeagueState, name: str, author: str) -> int:
    """Return the version that a submission of this name would have.

    Raises:
        ValueError: name or author are not allowed, or the name belongs to an anchor or to somebody else.
    """
    if not fullmatch(NAME, name):
        raise ValueError(
            f"name {quote(name)} is not allowed: at most 24 letters, digits, dots, hyphens and underscores, the first "
            "one a letter or a digit"
        )
    if not author.strip():
        raise ValueError("author is empty: say who the submission is from")
    check_line("author", author)
    known = {entry.submitted.name: entry for entry in state.entries.values()}
    for other, entry in known.items():
        if other.casefold() != name.casefold():
            continue
        if entry.submitted.is_anchor:
            raise ValueError(f"name {quote(name)} belongs to an anchor of the league")
        if other != name:
            raise ValueError(
                f"name {quote(name)} differs from {quote(other)} only in capitalization: choose another one"
            )
        if entry.submitted.author != author:
            raise ValueError(f"name {quote(name)} belongs to {quote(entry.submitted.author)}, not to {quote(author)}")
    return known[name].submitted.version + 1 if name in known else 1


def check_line(what: str, text: str) -> None:
    """Refuse text that cannot be a line in the journal; `what` names it in the error message.

    Raises:
        ValueError: it contains control characters.
    """
    try:
        one_line(text)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def check_changed(state: LeagueState, event: Submitted) -> None:
    """Refuse a submission that is the same as the active version of its name.

    Raises:
        ValueError: it is the same.
    """
    for entry in state.active:
        if (entry.submitted.name, entry.submitted.digest) == (event.name, event.digest):
            raise ValueError(f"these files are the same as those of {entry.label}, which already plays")
