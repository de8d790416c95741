"""Reports of a league: Markdown, CSV, one self-contained HTML page, the history of ratings, plain data.

They cover closed rounds only, and tell nothing of the results of an open one.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.entries import find_entry
from sackarmies_env.core.messages import counted
from sackarmies_training.files import write_json
from sackarmies_training.ladder.report import MARK, markdown_table
from sackarmies_training.league.contest import League
from sackarmies_training.league.journal import Event, RoundClosed, RoundOpened, SeasonBegun, StatusChanged, Submitted
from sackarmies_training.league.picture import draw
from sackarmies_training.league.standings import Line, SeasonStandings
from sackarmies_training.matches import Progress
from sackarmies_training.reports.html_page import Markup, element, folded, items, page, table
from sackarmies_training.reports.parts import conduct_section, forfeits_section, games_section
from sackarmies_training.reports.replays import Replays
from sackarmies_training.tournament import GameSummary

REPORT = "league.html"
HEADS = ("agent", "author", "Elo", "95% interval", "units", "games", "points", "won", "drawn", "lost", "forfeits")
LABEL, STATUS = 0, len(HEADS)  # columns of a row
NOTE = (
    f"{MARK} Between this agent and the one of the rating 0, points went one way only, or the two have not met, "
    "directly or through others: a prior of 800 Elo alone keeps its rating finite. Read it as an order, not as a "
    "distance."
)


class LeagueReport:
    """The report of a league, from its closed rounds."""

    def __init__(self, league: League) -> None:
        """Read the results.

        Raises:
            ValueError: there is no league, or its files are missing, damaged or changed.
        """
        self.league = league
        self.state = league.state()
        self.seasons = [SeasonStandings(league, self.state, season) for season in self.state.seasons]

    @property
    def present(self) -> SeasonStandings | None:
        """The present season; None before the first one."""
        return self.seasons[-1] if self.seasons else None

    @cached_property
    def replays(self) -> Replays:
        """The files of games."""
        return Replays(self.league.folder, self.league.config.workers)

    # --- sentences

    def sentences(self) -> list[str]:
        """Describe the league, and what its results can say."""
        config, entry = self.league.config, find_entry(self.league.config.game.id)
        title = config.game.id if entry is None else entry.title
        active = self.state.active
        anchors = sum(one.submitted.is_anchor for one in active)
        lines = [
            f"{title}, {config.players} players. {counted(len(active) - anchors, 'submission')} and "
            f"{counted(anchors, 'anchor')} play; "
            f"{counted(len(self.state.rounds), 'round')} so far."
        ]
        if self.present is None or not self.present.units:
            return [*lines, "No round of this season is over yet."]
        present = self.present
        lines.append(
            f"Season {present.season.season}, since {present.season.time[:10]}: {len(present.units)} units, "
            f"{len(present.games)} games. A unit is one draw of armies and chance, played in all seatings."
        )
        lines.append(
            f"Ratings are Bradley-Terry's, in Elo; {config.zero_name} has 0. Intervals are 95%, of the difference "
            "to it, by the curvature of the likelihood, in which units count as varying "
            f"{present.present.dispersion:.2f} times as much as independent games."
        )
        lines += [
            f"Season {one.season.season} began on {one.season.time[:10]}, since {one.season.why}. Games of different "
            "seasons are not compared."
            for one in self.seasons[1:]
        ]
        return lines

    # --- tables

    def rows(self, season: SeasonStandings) -> list[list[str]]:
        """Return a row for each agent, best first."""
        return [[*self._cells(line, number), line.status] for number, line in enumerate(season.lines, 1)]

    def _cells(self, line: Line, number: int) -> list[str]:
        rating, tally = line.rating, line.tally
        told = ["", ""]
        if rating is not None:
            reach = f"{rating.low:+.0f} to {rating.high:+.0f}" if line.is_measured else "order only"
            told = [f"{rating.value:+.0f}{'' if line.is_measured else MARK}", reach]
        share = f"{line.share:.1%}" if tally.games else ""
        counts = (tally.wins, tally.draws, tally.losses, line.forfeits)
        author = "anchor" if line.entry.submitted.is_anchor else line.entry.submitted.author
        return [f"{number} {line.label}", author, *told, str(line.units), str(tally.games), share, *map(str, counts)]

    def pair_rows(self, season: SeasonStandings) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows of the points that agents took from each other; replaced versions are left out."""
        names = [line.label for line in season.lines if line.units and line.entry.status != "replaced"]
        rows = [
            [f"{number} {one}", *(self._met(season, one, other) for other in names)]
            for number, one in enumerate(names, 1)
        ]
        return ["agent", *(str(number) for number in range(1, len(names) + 1))], rows

    def _met(self, season: SeasonStandings, one: str, other: str) -> str:
        if (one, other) in season.points:
            points, games = season.points[one, other]
        elif (other, one) in season.points:
            theirs, games = season.points[other, one]
            points = games - theirs
        else:
            return ""
        return f"{points / games:.0%} of {games}"

    def round_rows(self) -> Iterator[list[str]]:
        """Yield a row for each round, the latest first; an open one shows no results and only the hash of its seed."""
        for one in reversed(self.state.rounds):
            closed = one.closed
            yield [
                str(one.number),
                str(one.opened.season),
                one.opened.time,
                "open" if closed is None else closed.time,
                f"{'' if closed is None else closed.units} of {one.opened.units}".strip(),
                "secret" if closed is None else closed.seed,
                one.opened.seed_sha256,
            ]

    def event_rows(self) -> Iterator[list[str]]:
        """Yield a row for each event besides rounds, the latest first."""
        for event in reversed(self.state.events):
            told = told_of(event)
            if told:
                yield [event.time, told]

    def history_rows(self) -> Iterator[list[str]]:
        """Yield the ratings by day, season and agent."""
        for season in self.seasons:
            for day in season.days:
                for name, (rating, measured, units) in day.ratings.items():
                    numbers = (f"{value:.1f}" for value in (rating.value, rating.low, rating.high))
                    yield [str(season.season.season), day.date, name, *numbers, str(measured), str(units)]

    # --- files

    def data(self) -> dict[str, Any]:
        """Return the standings of all seasons as plain data."""
        return {
            "seasons": [
                {
                    "season": season.season.season,
                    "since": season.season.time,
                    "why": season.season.why,
                    "units": len(season.units),
                    "dispersion": season.present.dispersion,
                    "standings": [_line_data(line) for line in season.lines],
                    "pairs": [
                        {"agent": one, "against": other, "points": points, "games": games}
                        for (one, other), (points, games) in sorted(season.points.items())
                    ],
                }
                for season in self.seasons
            ]
        }

    def csv_text(self) -> str:
        """Return a line for each agent and season."""
        heads = [
            "season",
            "agent",
            "author",
            "status",
            "elo",
            "low",
            "high",
            "measured",
            "units",
            "games",
            "won",
            "drawn",
        ]
        rows = []
        for season in self.seasons:
            for line in season.lines:
                rating, tally = line.rating, line.tally
                numbers = (
                    ["", "", ""] if rating is None else [f"{x:.1f}" for x in (rating.value, rating.low, rating.high)]
                )
                who = [line.label, line.entry.submitted.author, line.entry.status]
                counts = [line.units, tally.games, tally.wins, tally.draws, tally.losses, line.forfeits]
                rows.append([season.season.season, *who, *numbers, line.is_measured, *counts])
        return _csv([*heads, "lost", "forfeits"], rows)

    def markdown(self) -> str:
        """Return the league as Markdown."""
        lines = ["# League", "", *(f"- {line}" for line in self.sentences()), ""]
        for season in reversed(self.seasons):
            lines += [f"## Season {season.season.season}", ""]
            lines += [*markdown_table([*HEADS, "status"], self.rows(season)), "", NOTE, ""]
        if self.present is not None and self.present.units:
            lines += ["## Points of row in games with column", "", *markdown_table(*self.pair_rows(self.present)), ""]
        lines += ["## Events", "", *markdown_table(["time", "event"], self.event_rows()), ""]
        return "\n".join(lines)

    def html(self) -> str:
        """Return one page that includes all styles and the picture (SVG), and links to the files of games."""
        parts = [items(self.sentences())]
        present = self.present
        if present is not None:
            parts += [element("h2", "Standings"), *self._table(present)]
            if present.days:
                active = {entry.label for entry in self.state.active}
                picture = draw(present.days, active, "svg").decode()
                parts += [element("h2", "Ratings by day"), Markup(picture[picture.index("<svg") :])]
                parts += [element("h2", "Points of row in games with column"), table(*self.pair_rows(present))]
            parts += conduct_section([line.label for line in present.lines], present.games.values())
            parts += forfeits_section(present.outcomes)
        for season in reversed(self.seasons[:-1]):
            parts.append(folded(f"Season {season.season.season}", *self._table(season)))
        heads = ["round", "season", "opened", "closed", "units", "seed", "SHA-256 of the seed"]
        parts += [element("h2", "Rounds"), folded("All rounds", table(heads, self.round_rows(), words=True))]
        parts += [
            element("h2", "Events"),
            folded("All events", table(["time", "event"], self.event_rows(), words=True)),
        ]
        if present is not None and (games := self.recorded_games(present)):
            parts += games_section(self.league.config.game.id, games, self.replays)
        return page("League", parts)

    def _table(self, season: SeasonStandings) -> list[Markup]:
        parts = [table([*HEADS, "status"], self.rows(season))]
        return parts if all(line.is_measured for line in season.lines if line.units) else [*parts, element("p", NOTE)]

    def recorded_games(self, season: SeasonStandings) -> dict[str, GameSummary]:
        """Return the games of a season that have records, by file name."""
        return {name: game for name, game in season.games.items() if self.replays.record(name).exists()}

    def write(self, progress: Progress) -> list[str]:
        """Write `league.html`, `league.md`, `results.csv`, `results.json`, `history.csv` and `history.png`.

        With `replays = true`, also write a page for each game of the season that has a record but no page.

        Args:
            progress: called with the number of pages that were written.

        Returns:
            A sentence for each game that should have a page but has none.

        Raises:
            ValueError: a process that draws pages died.
            OSError: a file cannot be written.
            ImportError: there is no matplotlib.
        """
        folder = self.league.folder
        write_json(folder / "results.json", self.data())
        write_safely(folder / "results.csv", self.csv_text().encode())
        heads = ["season", "date", "agent", "elo", "low", "high", "measured", "units"]
        write_safely(folder / "history.csv", _csv(heads, self.history_rows()).encode())
        write_safely(folder / "league.md", self.markdown().encode())
        if self.present is not None and self.present.days:
            active = {entry.label for entry in self.state.active}
            write_safely(folder / "history.png", draw(self.present.days, active, "png"))
        faults = self.replays.write(self.missing_replays(), progress)
        write_safely(folder / REPORT, self.html().encode())
        return faults

    def missing_replays(self) -> list[str]:
        """Return the games that should have a page but have none."""
        if self.present is None or not self.league.config.replays:
            return []
        return [name for name in self.recorded_games(self.present) if not self.replays.has_page(name)]


def _line_data(line: Line) -> dict[str, Any]:
    submitted = line.entry.submitted
    return {
        "agent": line.label,
        "name": submitted.name,
        "version": submitted.version,
        "author": submitted.author,
        "text": submitted.agent,
        "digest": submitted.digest,
        "is_anchor": submitted.is_anchor,
        "status": line.entry.status,
        "why": line.entry.why,
        "elo": None if line.rating is None else asdict(line.rating),
        "is_measured": line.is_measured,
        "units": line.units,
        **asdict(line.tally),
        "share": line.share,
        "forfeits": line.forfeits,
    }


def _csv(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return out.getvalue()


def told_of(event: Event) -> str:
    """Return an event in words; "" for rounds, which have their own table."""
    match event:
        case Submitted():
            if event.is_anchor:
                return f"{event.name} is an anchor: {event.agent}"
            return f"{event.name}@{event.version} was submitted by {event.author}: {event.agent}"
        case StatusChanged():
            why = f": {event.why}" if event.why else ""
            return f"{event.name}@{event.version} was {event.event} by the {event.by}{why}"
        case SeasonBegun():
            return f"season {event.season} began, since {event.why}"
        case RoundOpened() | RoundClosed():
            return ""
