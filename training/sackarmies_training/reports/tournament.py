"""The report of a tournament: a page with the standings and all games, and a page for each game to watch.

Both show what is secret until a tournament has ended, so they are made from a published tournament. Records are the
source of truth; pages can be removed, and the same command makes them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.entries import find_entry
from sackarmies_training.matches import Progress
from sackarmies_training.ratings import Outcome
from sackarmies_training.reports.html_page import Markup, element, items, page, table
from sackarmies_training.reports.parts import conduct_section, forfeits_section, games_section
from sackarmies_training.reports.replays import Replays
from sackarmies_training.standings import (
    RATING_TITLES,
    Standing,
    notes_of,
    place_cells,
    rating_text,
    tally_of,
    with_interval,
)
from sackarmies_training.stats.cycles import Structure
from sackarmies_training.tournament import GameSummary, Tournament

REPORT = "tournament.html"
PLACE_HEADS = ("share", "place", "OpenSkill")
STANDING_HEADS = ("won", "drawn", "lost", "forfeits", "win rate")


@dataclass(frozen=True)
class TournamentReport:
    """The report of a finished tournament.

    Attributes:
        tournament: the tournament; all its games have been played.
        standings: best first.
        structure: structure of the payoffs of all pairs, if known.
    """

    tournament: Tournament
    standings: Sequence[Standing]
    structure: Structure | None = None

    @property
    def path(self) -> Path:
        """Path of the page."""
        return self.tournament.folder / REPORT

    @cached_property
    def games(self) -> dict[str, GameSummary]:
        """How all games ended, by the names of their files."""
        return self.tournament.games()

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """Outcomes of all games, for tables."""
        return [game.outcome for game in self.games.values()]

    def write(self) -> None:
        """Write the page, with links to the replays that exist.

        Raises:
            ValueError: some game has not been played.
            OSError: it cannot be written; the old page stays.
        """
        write_safely(self.path, self.html().encode())

    # --- replays

    @property
    def replays(self) -> Replays:
        """The files of the games."""
        return Replays(self.tournament.folder, self.tournament.section.workers, self.tournament.game)

    def missing_records(self) -> list[str]:
        """Return the names of the games whose records have been removed; the tournament does not play them again."""
        return [name for name in self.games if not self.replays.record(name).exists()]

    def missing_replays(self) -> list[str]:
        """Return the names of the games that have no page, or one older than the record."""
        return [name for name in self.games if not self.replays.has_page(name)]

    def write_replays(self, names: Sequence[str], progress: Progress) -> list[str]:
        """Write pages of games, then the report again, see `Replays.write`."""
        if not names:
            return []
        try:
            return self.replays.write(names, progress)
        finally:
            self.write()

    # --- the page

    def html(self) -> str:
        """Return the page."""
        return page(
            "Tournament",
            [
                items(self._facts()),
                *self._standings(),
                *conduct_section([line.agent for line in self.standings], self.games.values()),
                *forfeits_section(self.outcomes),
                *games_section(self.tournament.game.id, self.games, self.replays),
            ],
        )

    def _facts(self) -> Iterator[str]:
        game, section = self.tournament.game, self.tournament.section
        entry = find_entry(game.id)
        yield (
            f"{game.id if entry is None else entry.title}, {game.num_players} players, {len(self.games)} games. "
            f"Seeds of each line-up, each played in all seatings: {section.seeds}."
        )
        yield f"The seed was {self.tournament.seed}."
        yield from notes_of(self.standings)
        yield from [] if self.structure is None else self.structure.sentences()

    def _standings(self) -> Iterator[Markup]:
        method, names = self.tournament.section.ratings, [line.agent for line in self.standings]
        yield element("h2", "Standings")
        yield table(
            ["agent", RATING_TITLES[method], *STANDING_HEADS, *(PLACE_HEADS if self.standings[0].skill else ())],
            [
                [
                    f"{place} {line.agent}",
                    rating_text(line.rating, method),
                    *map(str, (line.tally.wins, line.tally.draws, line.tally.losses, line.forfeits)),
                    with_interval(line.tally),
                    *place_cells(line),
                ]
                for place, line in enumerate(self.standings, start=1)
            ],
        )
        yield element("h2", "Win rate of row in games with column")
        yield table(
            ["agent", *(str(place + 1) for place in range(len(names)))],
            [[f"{place} {one}", *(self._pairing(one, other) for other in names)] for place, one in enumerate(names, 1)],
        )

    def _pairing(self, one: str, other: str) -> str:
        tally = tally_of(self.outcomes, one, against=other)
        return f"{tally.win_rate.value:.1%} ({tally})" if one != other and tally.games else ""
