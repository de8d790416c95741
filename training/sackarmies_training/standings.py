"""Standings of a list of results: wins, draws, losses, win rates, ratings; as data and as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sackarmies_training.fitting import add_numbers, fitted, plain_table, titled
from sackarmies_training.ratings import RATINGS, Outcome, Rate, Rating, openskill_ratings
from sackarmies_training.stats.estimate import Estimates
from sackarmies_training.stats.units import PlayedUnit, units_of

LISTED_REASONS = 20  # of forfeits, on the terminal
PAIR = 2  # players; with two, second place is last place
RATING_TITLES = {"bradley_terry": "Elo", "openskill": "OpenSkill"}


@dataclass(frozen=True)
class Tally:
    """Games won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """All of them."""
        return self.wins + self.draws + self.losses

    @property
    def win_rate(self) -> Rate:
        """Share of wins; a draw is no win."""
        return Rate(self.wins, self.games)

    def __str__(self) -> str:
        return f"{self.wins}-{self.draws}-{self.losses}"


@dataclass(frozen=True)
class Standing:
    """One agent's line in the final table.

    Attributes:
        agent: its name.
        rating: by the method of the tournament.
        tally: of its games.
        forfeits: games lost by forfeit, which are among those lost: a game that another seat of the agent won or drew
            is not.
        share: points per game; each game is worth one point.
        places: how often its best seat took each place, from the first; equal seats share the better one.
        skill: its OpenSkill rating, which rates places; None if only two play.
    """

    agent: str
    rating: Rating
    tally: Tally
    forfeits: int
    share: float
    places: tuple[int, ...]
    skill: Rating | None = None

    @property
    def mean_place(self) -> float:
        """The mean of its places."""
        return sum(place * count for place, count in enumerate(self.places, start=1)) / sum(self.places)


def tally_of(outcomes: Sequence[Outcome], agent: str, *, against: str | None = None) -> Tally:
    """Count the games of an agent: all of them, or those with `against` at the table.

    Each game counts once, however many seats the agent has: won if all seats in first place are the agent's, drawn if
    some of them are, else lost.
    """
    played = [
        outcome for outcome in outcomes if agent in outcome.agents and (against is None or against in outcome.agents)
    ]
    wins = sum(set(outcome.best) == {agent} for outcome in played)
    draws = sum({agent} < set(outcome.best) for outcome in played)
    return Tally(wins, draws, len(played) - wins - draws)


def forfeits_of(outcomes: Sequence[Outcome]) -> Counter[tuple[str, str]]:
    """Count the games that agents lost by forfeit, by agent and reason; a game with two reasons counts for both."""
    return Counter(lost for outcome in outcomes for lost in outcome.lost_by_forfeit)


def games_forfeited(outcomes: Sequence[Outcome], agent: str) -> int:
    """Count the games that an agent lost by forfeit; each counts once, however many of its seats forfeited."""
    return sum(any(name == agent for name, _ in outcome.lost_by_forfeit) for outcome in outcomes)


def standings_of(
    agents: Sequence[str], outcomes: Sequence[Outcome], method: str, seeds: Sequence[int] | None = None
) -> list[Standing]:
    """Return the final table, best rating first.

    Args:
        agents: all agents.
        outcomes: outcomes of their games.
        method: a key of `RATINGS`.
        seeds: seeds of the games' chance; if given, the intervals of Bradley-Terry ratings come from a bootstrap over
            units, see `stats.units`, which does not treat the games of a unit as independent.
    """
    ratings = RATINGS[method](agents, outcomes)
    if method == "bradley_terry" and seeds is not None:
        ratings = _with_bootstrap(agents, ratings, units_of(outcomes, seeds))
    has_places = len(outcomes[0].agents) > PAIR
    skills = openskill_ratings(agents, outcomes) if has_places else {}
    lines = []
    for agent in agents:
        mine = [outcome for outcome in outcomes if agent in outcome.agents]
        share = sum(outcome.score(agent) for outcome in mine) / len(mine)
        taken = Counter(outcome.place(agent) for outcome in mine)
        places = tuple(taken[place] for place in range(1, len(outcomes[0].agents) + 1))
        tally = tally_of(mine, agent)
        forfeits = games_forfeited(mine, agent)
        lines.append(Standing(agent, ratings[agent], tally, forfeits, share, places, skills.get(agent)))
    return sorted(lines, key=lambda line: -line.rating.value)


def _with_bootstrap(
    agents: Sequence[str], ratings: Mapping[str, Rating], units: Sequence[PlayedUnit]
) -> dict[str, Rating]:
    """Return ratings with bootstrap intervals, except for agents whose games alone set no finite rating.

    Their resamples are all alike and would give no interval at all, so they keep the interval from the prior. So do all
    agents if all units are alike.
    """
    estimates = Estimates(agents, units, centered=True)
    resampled = estimates.ratings()
    measured = estimates.measured if len(estimates.measured) > 1 else frozenset()
    found = {agent for agent in measured if resampled[agent].has_interval}
    return {agent: resampled[agent] if agent in found else ratings[agent] for agent in agents}


def standings_data(standings: Sequence[Standing], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the final table and all pairings as plain data."""
    names = [line.agent for line in standings]
    return {
        "standings": [
            {
                "agent": line.agent,
                "rating": asdict(line.rating),
                **_tally_data(line.tally),
                "forfeits": line.forfeits,
                "share": line.share,
                "places": list(line.places),
                **({} if line.skill is None else {"openskill": asdict(line.skill)}),
            }
            for line in standings
        ],
        "forfeits": [
            {"agent": agent, "reason": reason, "games": games}
            for (agent, reason), games in sorted(forfeits_of(outcomes).items())
        ],
        "pairings": [
            {"agent": agent, "against": other, **_tally_data(tally)}
            for agent in names
            for other in names
            if other != agent and (tally := tally_of(outcomes, agent, against=other)).games
        ],
    }


def _tally_data(tally: Tally) -> dict[str, Any]:
    rate = tally.win_rate
    return {**asdict(tally), "win_rate": rate.value, "win_rate_interval": list(rate.interval)}


def standings_table(standings: Sequence[Standing], method: str, width: int) -> RenderableType:
    """Return the final table for a terminal `width` columns wide: intervals beside values or, in less room, below.

    The column of forfeits is left out if there are none, and those of shares and places if only two play; in still less
    room, these are a table of their own.
    """
    has_forfeits = any(line.forfeits for line in standings)
    has_places = standings[0].skill is not None
    counts = ("won", "drawn", "lost", *(["forfeits"] if has_forfeits else []))
    heads = (RATING_TITLES[method], *counts, "win rate")
    place_heads = ("share", "place", "OpenSkill") if has_places else ()

    def cells(line: Standing, gap: str) -> list[str]:
        tally = line.tally
        numbers = (tally.wins, tally.draws, tally.losses, *([line.forfeits] if has_forfeits else []))
        return [rating_text(line.rating, method, gap), *map(str, numbers), with_interval(tally, gap)]

    def make(labels: Sequence[str], style: tuple[str, bool]) -> Group:
        gap, is_split = style
        results = [cells(line, gap) for line in standings]
        places = [place_cells(line, gap) for line in standings]
        if is_split:
            tables = [_agents_table(labels, heads, results), _agents_table(labels, place_heads, places)]
        else:
            rows = [result + place for result, place in zip(results, places, strict=True)]
            tables = [_agents_table(labels, (*heads, *place_heads), rows)]
        return titled("Standings", *tables, *notes_of(standings))

    styles = [(" ", False), ("\n", False), *([(" ", True), ("\n", True)] if has_places else [])]
    return fitted(make, styles, [line.agent for line in standings], width)


def _agents_table(labels: Sequence[str], heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table of numbers, a row for each agent."""
    table = plain_table()
    table.add_column("agent", no_wrap=True)
    add_numbers(table, heads)
    for label, row in zip(labels, rows, strict=True):
        table.add_row(Text(label), *row)
    return table


def place_cells(line: Standing, gap: str = " ") -> list[str]:
    """Return the points per game, the mean place and the OpenSkill rating of an agent; nothing if only two play."""
    if line.skill is None:
        return []
    return [f"{line.share:.3f}", f"{line.mean_place:.2f}", rating_text(line.skill, "openskill", gap)]


def notes_of(standings: Sequence[Standing]) -> list[str]:
    """Return notes on what the columns mean."""
    if standings[0].skill is None:
        return ["95% intervals; a draw is not a win."]
    return [
        "95% intervals; a draw is not a win.",
        "Share: points per game, of which each game has one.",
        "Place: the mean place of the best seat.",
    ]


def rating_text(rating: Rating, method: str, gap: str = " ") -> str:
    """Return a rating, a gap and its interval."""
    digits = 0 if method == "bradley_terry" else 1
    return f"{rating.value:+.{digits}f}{gap}({rating.low:+.{digits}f} to {rating.high:+.{digits}f})"


def with_interval(tally: Tally, gap: str = " ") -> str:
    """Return a win rate, a gap and its interval."""
    low, high = tally.win_rate.interval
    return f"{tally.win_rate.value:.1%}{gap}({low:.1%} to {high:.1%})"


def pairings_table(standings: Sequence[Standing], outcomes: Sequence[Outcome], width: int) -> RenderableType:
    """Return how each agent did in games with each other one, best first, for a terminal `width` columns wide."""
    names = [line.agent for line in standings]
    tallies = {(one, other): tally_of(outcomes, one, against=other) for one in names for other in names if one != other}
    return grid_of(names, tallies, "Win rate of row in games with column", width)


def grid_of(names: Sequence[str], tallies: Mapping[tuple[str, str], Tally], title: str, width: int) -> RenderableType:
    """Return tallies by row and column for a terminal `width` columns wide.

    Cells hold win rate, interval, wins, draws and losses; in less room, they lack the interval, or are bare
    percentages, with columns beyond the terminal's width in a further table.
    """

    def make(labels: Sequence[str], style: tuple[Callable[[Tally], str], int]) -> Group:
        cell, most = style
        tables = []
        for start in range(0, len(names), most):
            table = plain_table()
            table.add_column("", no_wrap=True)
            columns = range(start, min(start + most, len(names)))
            add_numbers(table, (str(column + 1) for column in columns))
            for label, one in zip(labels, names, strict=True):
                cells = [tallies.get((one, names[column]), Tally()) for column in columns]
                table.add_row(Text(label), *[cell(tally) if tally.games else "" for tally in cells])
            tables.append(table)
        return titled(title, *tables)

    room = max(1, (width - max(map(len, names)) - 5) // 5)  # columns of percentages beside the names
    return fitted(make, ((_cell, len(names)), (_short_cell, len(names)), (_percentage, room)), names, width)


def _cell(tally: Tally) -> str:
    return f"{tally.win_rate}\n{tally}"


def _short_cell(tally: Tally) -> str:
    return f"{tally.win_rate.value:.1%}\n{tally}"


def _percentage(tally: Tally) -> str:
    return f"{100 * tally.win_rate.value:.0f}"


def forfeits_table(outcomes: Sequence[Outcome]) -> RenderableType | None:
    """Return who lost how many games by forfeit and why, most first, for the terminal; None if nobody did."""
    reasons = forfeits_of(outcomes)
    if not reasons:
        return None
    more = [f"and {len(reasons) - LISTED_REASONS} more reasons"] if len(reasons) > LISTED_REASONS else []
    table = plain_table()
    table.add_column("games", justify="right")
    table.add_column("agent", overflow="fold")
    table.add_column("reason: the agent", overflow="fold")
    for (agent, reason), games in reasons.most_common(LISTED_REASONS):
        table.add_row(str(games), Text(agent), Text(reason))
    return titled("Games lost by forfeit", table, *more)
