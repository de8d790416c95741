"""Standings of a league: a line for each agent of a season, and the ratings at the end of each day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sackarmies_training.ladder.units import UnitEntry
from sackarmies_training.league.contest import League
from sackarmies_training.league.journal import Entry, LeagueState, Round, SeasonBegun
from sackarmies_training.league.pairing import Pair, pair_of
from sackarmies_training.league.rounds import RoundFolder
from sackarmies_training.league.strengths import Strengths, fit
from sackarmies_training.ratings import Outcome, Rating
from sackarmies_training.standings import Tally, games_forfeited, tally_of
from sackarmies_training.tournament import GameSummary

DATE = 10  # characters of a time that give its day


@dataclass(frozen=True)
class Line:
    """Results of an agent in a season.

    Attributes:
        entry: the agent.
        rating: in Elo; None if it has not played.
        is_measured: whether games alone compare it with the agent with rating 0.
        units: number of units it has played.
        tally: its wins, draws and losses.
        forfeits: games lost by forfeit, see `standings.games_forfeited`.
        share: its share of the points of its games.
    """

    entry: Entry
    rating: Rating | None
    is_measured: bool
    units: int
    tally: Tally
    forfeits: int
    share: float

    @property
    def label(self) -> str:
        """Name and version."""
        return self.entry.label

    @property
    def status(self) -> str:
        """Its status, with the reason if there is one."""
        told = self.entry.status
        return f"{told}: {self.entry.why}" if self.entry.why and told != "replaced" else told


class DayRating(NamedTuple):
    """The rating of an agent at the end of a day.

    Attributes:
        rating: the rating.
        is_measured: as in `Line`.
        units: how many units the agent had played.
    """

    rating: Rating
    is_measured: bool
    units: int


@dataclass(frozen=True)
class Day:
    """The ratings at the end of a day, of the agents that had played in the season by then.

    Attributes:
        date: in ISO 8601, in the time zone of the events (UTC).
        units: number of units played by then.
        ratings: label -> rating.
    """

    date: str
    units: int
    ratings: dict[str, DayRating]


class SeasonStandings:
    """Standings by the closed rounds of a season."""

    def __init__(self, league: League, state: LeagueState, season: SeasonBegun) -> None:
        """Read the results.

        Args:
            league: the league.
            state: the state of its journal.
            season: one of its seasons.

        Raises:
            ValueError: files of rounds are missing, damaged or changed.
        """
        self.season = season
        self.is_present = season.season == len(state.seasons)
        self.rounds: list[Round] = state.rounds_of(season.season)
        self._entries = state.entries
        self._league = league
        self._units = {one.number: league.entries_of(one) for one in self.rounds}

    @cached_property
    def units(self) -> list[UnitEntry]:
        """All finished units."""
        return [unit for one in self.rounds for unit in self._units[one.number]]

    @cached_property
    def games(self) -> dict[str, GameSummary]:
        """All games, by file name."""
        return {
            name: game
            for one in self.rounds
            for unit in self._units[one.number]
            for name, game in RoundFolder(self._league.folder, one.number).games(unit).items()
        }

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """The outcomes of all games, for tables."""
        return [game.outcome for game in self.games.values()]

    def strengths(self, units: Sequence[UnitEntry]) -> Strengths:
        """Fit the strengths of the agents in some units, and of the agent with rating 0."""
        zero = self._league.config.zero_name
        seated = {zero, *(name for unit in units for name in unit.line_up)}
        names = [label for label in self._entries if label in seated]
        return fit(names, [unit.played for unit in units], zero)

    @cached_property
    def present(self) -> Strengths:
        """Strengths by all units."""
        return self.strengths(self.units)

    @cached_property
    def lines(self) -> list[Line]:
        """All agents that have played, best first; in the present season, also others that are active or suspended."""
        played = Counter(name for unit in self.units for name in set(unit.line_up))
        lines = [
            self._line(entry, played[label])
            for label, entry in self._entries.items()
            if played[label] or (self.is_present and entry.status in ("active", "suspended"))
        ]
        return sorted(lines, key=lambda line: -line.rating.value if line.rating else float("inf"))

    def _line(self, entry: Entry, units: int) -> Line:
        label = entry.label
        mine = [outcome for outcome in self.outcomes if label in outcome.agents]
        rating = self.present.rating(label) if units else None
        share = sum(outcome.score(label) for outcome in mine) / len(mine) if mine else 0.0
        measured = bool(units) and is_measured(self.present, label)
        return Line(entry, rating, measured, units, tally_of(mine, label), games_forfeited(mine, label), share)

    @cached_property
    def points(self) -> dict[Pair, tuple[float, int]]:
        """Points of the first agent of each pair, and the number of games."""
        found: dict[Pair, tuple[float, int]] = {}
        for unit in self.units:
            pair = pair_of(*unit.line_up[:2])
            points, games = found.get(pair, (0.0, 0))
            found[pair] = points + unit.points(pair[0]), games + len(unit.games)
        return found

    @cached_property
    def days(self) -> list[Day]:
        """The ratings by day: for each day on which a round was closed, from all units of the season up to its end."""
        by_date: dict[str, list[UnitEntry]] = {}
        for one in self.rounds:
            assert one.closed is not None
            by_date.setdefault(one.closed.time[:DATE], []).extend(self._units[one.number])
        days, units = [], list[UnitEntry]()
        for date, more in sorted(by_date.items()):
            units = units + more
            strengths = self.strengths(units)
            counts = Counter(name for unit in units for name in set(unit.line_up))
            ratings = {
                name: DayRating(strengths.rating(name), is_measured(strengths, name), counts[name])
                for name in strengths.names
                if counts[name]
            }
            days.append(Day(date, len(units), ratings))
        return days


def is_measured(strengths: Strengths, label: str) -> bool:
    """Return whether games alone compare an agent with the agent with rating 0, or others with it."""
    return label in strengths.measured and len(strengths.measured) > 1
