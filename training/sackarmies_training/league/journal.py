"""The journal of a league: an append-only file of events, which records everything but the results of games."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from filelock import FileLock, Timeout
from pydantic import AfterValidator, Field

from sackarmies_env.core.messages import suggestion
from sackarmies_env.core.safe_read import named, parse_json
from sackarmies_env.core.validation import SingleLine, StrictModel, read_model
from sackarmies_training.files import append_line, drop_partial_line, read_lines
from sackarmies_training.league.config import AgentName

JOURNAL = "events.jsonl"
LOCK = ".events.lock"
PATIENCE = 60.0  # seconds that another process may take to write an event
MAX_JOURNAL = 2**26  # bytes; an event has some 200
ORGANIZER: Literal["organizer"] = "organizer"  # who changes the status of an agent
LEAGUE: Literal["league"] = "league"


def _checked_time(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError(f"{text!r} is a time without a time zone")
    return text


Time = Annotated[str, AfterValidator(_checked_time)]  # ISO 8601
Number = Annotated[int, Field(ge=1)]


class Submitted(StrictModel):
    """An agent was entered: a submission, or an anchor."""

    event: Literal["submitted"] = "submitted"
    time: Time
    name: AgentName
    version: Number
    author: SingleLine
    agent: SingleLine  # its text form; file names are relative to the folder of this version
    digest: str  # of that folder
    is_anchor: bool = False


class StatusChanged(StrictModel):
    """An agent no longer plays, or plays again."""

    event: Literal["suspended", "resumed", "withdrawn"]
    time: Time
    name: AgentName
    version: Number
    why: SingleLine
    by: Literal["organizer", "league"]


class SeasonBegun(StrictModel):
    """Games from here on depend on other code or rules than earlier games, and are not compared with them."""

    event: Literal["season"] = "season"
    time: Time
    season: Number
    why: SingleLine
    identity: dict[str, Any]


class RoundOpened(StrictModel):
    """Units were planned; their seed is secret, and its SHA-256 is given."""

    event: Literal["opened"] = "opened"
    time: Time
    round: Number
    season: Number
    units: Number
    seed_sha256: str


class RoundClosed(StrictModel):
    """The units of a round have been played, or missing ones will not be; the seed is no longer secret."""

    event: Literal["closed"] = "closed"
    time: Time
    round: Number
    units: Annotated[int, Field(ge=0)]
    seed: Annotated[str, Field(pattern="^[0-9]{1,39}$")]


Event = Submitted | StatusChanged | SeasonBegun | RoundOpened | RoundClosed


class Line(StrictModel):
    """A line of the journal."""

    entry: Annotated[Event, Field(discriminator="event")]


@dataclass(frozen=True)
class Entry:
    """A version of a submission, or an anchor.

    Attributes:
        submitted: the event that entered it.
        status: "active", "suspended", "withdrawn", or "replaced" by a later version.
        why: the reason for a status that is not active.
        since: number of rounds that had been opened when it last became active.
    """

    submitted: Submitted
    status: Literal["active", "suspended", "withdrawn", "replaced"] = "active"
    why: str = ""
    since: int = 0

    @property
    def label(self) -> str:
        """Its name in tables and games."""
        return self.submitted.name if self.submitted.is_anchor else f"{self.submitted.name}@{self.submitted.version}"

    @property
    def folder(self) -> Path:
        """The folder of its files, within that of submissions."""
        return Path(self.submitted.name) / str(self.submitted.version)


@dataclass(frozen=True)
class Round:
    """A round that has been opened, and closed if `closed` is given."""

    opened: RoundOpened
    closed: RoundClosed | None = None

    @property
    def number(self) -> int:
        """Number of the round, from 1."""
        return self.opened.round


@dataclass
class LeagueState:
    """State of a league by the events so far.

    Attributes:
        entries: all versions and anchors by label, in the order in which they came.
        rounds: rounds in order.
        seasons: seasons in order.
        events: all events.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)
    seasons: list[SeasonBegun] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def active(self) -> list[Entry]:
        """The active entries, in the order in which they came."""
        return [entry for entry in self.entries.values() if entry.status == "active"]

    @property
    def open_round(self) -> Round | None:
        """The round that is being played."""
        return self.rounds[-1] if self.rounds and self.rounds[-1].closed is None else None

    def rounds_of(self, season: int) -> list[Round]:
        """Return the closed rounds of a season."""
        return [one for one in self.rounds if one.opened.season == season and one.closed is not None]

    def current(self, name: str) -> Entry:
        """Return the latest version of a submission, or the anchor of this name.

        Raises:
            ValueError: there is none.
        """
        found = [entry for entry in self.entries.values() if entry.submitted.name == name]
        if not found:
            names = [entry.submitted.name for entry in self.entries.values()]
            raise ValueError(f"there is no agent {name!r} in this league{suggestion(name, names)}")
        return found[-1]

    def add(self, event: Event) -> None:
        """Apply an event.

        Raises:
            ValueError: it cannot follow the earlier events.
        """
        match event:
            case Submitted():
                self._enter(event)
            case StatusChanged():
                self._change(event)
            case SeasonBegun():
                _check_number(event.season, len(self.seasons) + 1, "season")
                self.seasons.append(event)
            case RoundOpened():
                _check_number(event.round, len(self.rounds) + 1, "round")
                self.rounds.append(Round(event))
            case RoundClosed():
                if self.open_round is None or self.open_round.number != event.round:
                    raise ValueError(f"round {event.round} is closed, but it is not open")
                self.rounds[-1] = Round(self.rounds[-1].opened, event)
        self.events.append(event)

    def _enter(self, event: Submitted) -> None:
        before = [entry for entry in self.entries.values() if entry.submitted.name == event.name]
        _check_number(event.version, len(before) + 1, f"version of {event.name}")
        for entry in before[-1:]:
            why = f"replaced by version {event.version}"
            self.entries[entry.label] = Entry(entry.submitted, "replaced", why, entry.since)
        entry = Entry(event, since=len(self.rounds))
        self.entries[entry.label] = entry

    def _change(self, event: StatusChanged) -> None:
        entry = self.current(event.name)
        check_change(entry, event.event)
        status: Any = "active" if event.event == "resumed" else event.event
        why = "" if status == "active" else event.why
        since = len(self.rounds) if status == "active" else entry.since
        self.entries[entry.label] = Entry(entry.submitted, status, why, since)


def check_change(entry: Entry, change: str) -> None:
    """Refuse a change of status that is not allowed.

    Raises:
        ValueError: the agent is an anchor to be withdrawn, or its status does not allow the change.
    """
    allowed = {"suspended": ("active",), "resumed": ("suspended",), "withdrawn": ("active", "suspended")}[change]
    name = entry.submitted.name
    if entry.submitted.is_anchor and change == "withdrawn":
        raise ValueError(f"{name!r} is an anchor and cannot be withdrawn: suspend it instead")
    if entry.status not in allowed:
        raise ValueError(
            f"{name!r} is {entry.status}, so it cannot be {change}: only {' or '.join(allowed)} agents can"
        )


def _check_number(given: int, wanted: int, noun: str) -> None:
    if given != wanted:
        raise ValueError(f"expected {noun} {wanted}, not {noun} {given}")


def now() -> str:
    """Return the current time, in the format of events."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Journal:
    """The file of events. Several processes may use it: each writes one event at a time."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of the league."""
        self.path = folder / JOURNAL
        self._lock = FileLock(folder / LOCK, timeout=PATIENCE, fallback_to_soft=False)

    def read(self) -> LeagueState:
        """Return the state by the events so far, except one that is being written.

        Raises:
            ValueError: there is no such file, or a line of it is damaged or cannot follow the earlier ones.
        """
        state = LeagueState()
        for number, line in enumerate(read_lines(self.path, "the journal of a league", MAX_JOURNAL), start=1):
            place = f"{named(self.path)}, line {number}"
            event = read_model(Line, {"entry": parse_json(line, place)}, place).entry
            try:
                state.add(event)
            except ValueError as error:
                raise ValueError(f"{place}: {error}") from None
        return state

    @contextlib.contextmanager
    def writing(self) -> Iterator[LeagueState]:
        """Lock the journal and yield its state, which no other process changes meanwhile; hold it only briefly.

        Raises:
            ValueError: another process holds the lock for too long, or as for `read`.
            OSError: the file cannot be changed.
        """
        try:
            self._lock.acquire()
        except Timeout:
            raise ValueError(f"{named(self.path)} has been in use by another process for {PATIENCE:g} s") from None
        try:
            drop_partial_line(self.path)
            yield self.read()
        finally:
            self._lock.release()

    def append(self, state: LeagueState, event: Event) -> None:
        """Add an event to the file and to the state; to be called within `writing`.

        Raises:
            ValueError: it cannot follow the earlier events.
            OSError: it cannot be written.
        """
        state.add(event)
        append_line(self.path, event.model_dump_json())

    def write(self, event: Event) -> LeagueState:
        """Add an event and return the state; errors as for `writing` and `append`."""
        with self.writing() as state:
            self.append(state, event)
        return state
