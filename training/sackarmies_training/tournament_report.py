"""The report of a tournament: a page with the standings and all games, and a page for each game to watch.

Both show what is secret until a tournament has ended: they are made of a tournament that has been published. Records
stay the truth; pages can be removed, and are made again by the same command.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sackarmies_env.core.atomic_write import remove_leftovers, write_safely
from sackarmies_env.core.entries import find_entry, player_name
from sackarmies_env.core.record import load_record
from sackarmies_training.html_page import Markup, element, folded, items, link, page, table
from sackarmies_training.matches import Progress, worker_pool
from sackarmies_training.ratings import Outcome
from sackarmies_training.standings import (
    RATING_TITLES,
    Standing,
    forfeits_of,
    notes_of,
    place_cells,
    rating_text,
    tally_of,
    with_interval,
)
from sackarmies_training.stats.cycles import Structure
from sackarmies_training.tournament import GameEntry, Tournament
from sackarmies_training.usage import HEADS, TITLE, conduct_of, is_worth_telling

REPORT = "tournament.html"
REPLAYS = "replays"
PAINTER_DIED = (
    "a process that made pages of replays has died, perhaps because memory ran out; all results are kept, and the same "
    "command makes the missing pages: with fewer workers in less memory"
)
PLACE_HEADS = ("share", "place", "OpenSkill")
STANDING_HEADS = ("won", "drawn", "lost", "forfeits", "win rate")


@dataclass(frozen=True)
class TournamentReport:
    """The report of a tournament that is over.

    Attributes:
        tournament: all of whose games have been played.
        standings: best first.
        structure: of the payoffs of all pairs, if that is known.
    """

    tournament: Tournament
    standings: Sequence[Standing]
    structure: Structure | None = None

    @property
    def path(self) -> Path:
        """Its file."""
        return self.tournament.folder / REPORT

    @cached_property
    def games(self) -> dict[str, GameEntry]:
        """How all games ended, by the names of their files."""
        return self.tournament.games()

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """The same for tables."""
        return [game.outcome for game in self.games.values()]

    def write(self) -> None:
        """Write the page, with links to the replays that there are.

        Raises:
            ValueError: some game has not been played.
            OSError: it cannot be written; the old page stays.
        """
        write_safely(self.path, self.html().encode())

    # --- replays

    def missing_replays(self) -> list[str]:
        """Return the names of the games without a page, or whose page is older than the record."""
        return [name for name in self.games if not self._has_replay(name)]

    def _has_replay(self, name: str) -> bool:
        replay, record = replay_path(self.tournament, name), record_path(self.tournament, name)
        return replay.exists() and (not record.exists() or replay.stat().st_mtime_ns >= record.stat().st_mtime_ns)

    def write_replays(self, names: Sequence[str], progress: Progress) -> list[str]:
        """Write pages of games, then the report again; what an interruption leaves out can be written later.

        A game whose record is missing or damaged gets no page.

        Args:
            names: of the games.
            progress: called with the number of pages that were written.

        Returns:
            A sentence for each game that has no page.

        Raises:
            ValueError: a process that draws died.
            OSError: a page cannot be written.
        """
        if not names:
            return []
        folder = self.tournament.folder / REPLAYS
        folder.mkdir(exist_ok=True)
        remove_leftovers(folder)
        progress(0)
        faults = []
        try:
            for fault in write_pages(self.tournament, names):
                faults += [] if fault is None else [fault]
                progress(1)
        finally:
            self.write()
        return sorted(faults)

    # --- the page

    def html(self) -> str:
        """Return the page."""
        return page(
            "Tournament",
            [items(self._facts()), *self._standings(), *self._conduct(), *self._forfeits(), *self._games()],
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

    def _conduct(self) -> Iterator[Markup]:
        agents = [line.agent for line in self.standings]
        conduct = conduct_of(agents, self.games.values())
        if is_worth_telling(conduct.values()):
            yield element("h2", TITLE)
            yield table(["agent", *HEADS], [[agent, *conduct[agent].cells()] for agent in agents])

    def _forfeits(self) -> Iterator[Markup]:
        reasons = forfeits_of(self.outcomes)
        if reasons:
            yield element("h2", "Games lost by forfeit")
            rows = [[agent, str(games), f"the agent {reason}"] for (agent, reason), games in reasons.most_common()]
            yield table(["agent", "games", "reason"], rows, words=True)

    def _games(self) -> Iterator[Markup]:
        """Yield the games of each line-up."""
        name = player_name(self.tournament.game.id)
        heads = ["game", *(name(seat) for seat in range(self.tournament.game.num_players)), "result", "turns", "files"]
        yield element("h2", "Games")
        line_ups: dict[tuple[str, ...], list[list[str]]] = {}
        for number, game in self.games.items():
            row = [number, *game.agents, self._result(game), str(game.turns), self._files(number)]
            line_ups.setdefault(tuple(sorted(game.agents)), []).append(row)
        for agents, rows in line_ups.items():
            yield folded(f"{', '.join(agents)}: {len(rows)} games", table(heads, rows, words=True))
        yield element("p", "A record is shown in the browser by the command ", element("code", "sackarmies view FILE"))

    def _result(self, game: GameEntry) -> str:
        name = player_name(self.tournament.game.id)
        winners = [name(seat) for seat, place in enumerate(game.outcome.places) if place == 1]
        parts = [f"{winners[0]} wins" if len(winners) == 1 else f"drawn by {', '.join(winners)}"]
        parts += ["truncated"] if game.truncated else []
        parts += [f"{name(forfeit.seat)} forfeits ({forfeit.status})" for forfeit in game.forfeits]
        return "; ".join(parts)

    def _files(self, number: str) -> Markup:
        links = [link(f"{REPLAYS}/{number}.html", "replay")] if self._has_replay(number) else []
        return Markup(" ".join([*links, link(f"records/{number}.json", "record")]))


def record_path(tournament: Tournament, name: str) -> Path:
    """Return the record of a game."""
    return tournament.folder / "records" / f"{name}.json"


def replay_path(tournament: Tournament, name: str) -> Path:
    """Return the page of a game."""
    return tournament.folder / REPLAYS / f"{name}.html"


def write_pages(tournament: Tournament, names: Sequence[str]) -> Iterator[str | None]:
    """Write the pages of games, in as many processes as the tournament is played in; yield what each call returns."""
    workers = min(tournament.section.workers, len(names))
    if workers == 1:
        for name in names:
            yield write_page(tournament, name)
        return
    with worker_pool(workers, PAINTER_DIED) as pool:
        for job in as_completed([pool.submit(write_page, tournament, name) for name in names]):
            yield job.result()


def write_page(tournament: Tournament, name: str) -> str | None:
    """Write the page of a game, by the eyes of everybody; return why there is none if its record cannot be read."""
    from sackarmies_env.render.replay import Replay

    try:
        replay = Replay(tournament.game, load_record(record_path(tournament, name)))
    except ValueError as error:
        return str(error)
    replay.save(replay_path(tournament, name))
    return None
