"""What a list of results says: wins, draws, losses, win rates, ratings; as data and as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from sackarmies_training.ratings import RATINGS, Outcome, Rate, Rating

LISTED_REASONS = 20  # of forfeits, on the terminal
RATING_TITLES = {"bradley_terry": "Elo (Bradley-Terry)", "openskill": "OpenSkill"}


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
    """One agent's line in the final table; games lost by forfeit are among those lost."""

    agent: str
    rating: Rating
    tally: Tally
    forfeits: int


def tally_of(outcomes: Sequence[Outcome], agent: str, *, against: str | None = None) -> Tally:
    """Count an agent's games, all of them or those with `against` at the table.

    In a seat a game is won by earning more than every other General, drawn by sharing the most, else lost. A game that
    an agent plays with several seats counts once a seat, and its seats do not stand in each other's way.
    """
    wins = draws = losses = 0
    for outcome in outcomes:
        if against is not None and against not in outcome.agents:
            continue
        others = [earned for name, earned in zip(outcome.agents, outcome.returns, strict=True) if name != agent]
        for name, earned in zip(outcome.agents, outcome.returns, strict=True):
            if name == agent:
                best = max(others, default=earned)
                wins += earned > best
                draws += earned == best
                losses += earned < best
    return Tally(wins, draws, losses)


def forfeits_of(outcomes: Sequence[Outcome]) -> Counter[tuple[str, str]]:
    """Return how often which agent forfeited for which reason."""
    return Counter((outcome.agents[seat], reason) for outcome in outcomes for seat, reason in outcome.forfeits.items())


def standings_of(agents: Sequence[str], outcomes: Sequence[Outcome], method: str) -> list[Standing]:
    """Return the final table, best rating first; `method` is a key of `RATINGS`."""
    ratings = RATINGS[method](agents, outcomes)
    reasons = forfeits_of(outcomes)
    forfeits = {agent: sum(count for (name, _), count in reasons.items() if name == agent) for agent in agents}
    lines = [Standing(agent, ratings[agent], tally_of(outcomes, agent), forfeits[agent]) for agent in agents]
    return sorted(lines, key=lambda line: -line.rating.value)


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


def standings_table(standings: Sequence[Standing], method: str) -> Table:
    """Return the final table for the terminal."""
    table = Table(title="Standings", caption="intervals: 95%; a draw is no win")
    table.add_column("General", overflow="fold")
    for title in (RATING_TITLES[method], "won", "drawn", "lost", "by forfeit", "win rate"):
        table.add_column(title, justify="right")
    digits = 0 if method == "bradley_terry" else 1
    for line in standings:
        rating, tally = line.rating, line.tally
        table.add_row(
            line.agent,
            f"{rating.value:+.{digits}f} ({rating.low:+.{digits}f} to {rating.high:+.{digits}f})",
            str(tally.wins),
            str(tally.draws),
            str(tally.losses),
            str(line.forfeits),
            str(tally.win_rate),
        )
    return table


def pairings_table(standings: Sequence[Standing], outcomes: Sequence[Outcome]) -> Table:
    """Return who did how well against whom, for the terminal."""
    names = [line.agent for line in standings]
    table = Table(title="Row against column: win rate, won-drawn-lost")
    table.add_column("General", overflow="fold")
    for name in names:
        table.add_column(name, justify="center", overflow="fold")
    for agent in names:
        tallies = [tally_of(outcomes, agent, against=other) if other != agent else Tally() for other in names]
        table.add_row(agent, *[f"{tally.win_rate}\n{tally}" if tally.games else "" for tally in tallies])
    return table


def forfeits_table(outcomes: Sequence[Outcome]) -> Table | None:
    """Return who forfeited how many games and why, most first, for the terminal; None if nobody did."""
    reasons = forfeits_of(outcomes)
    if not reasons:
        return None
    table = Table(title="Games lost by forfeit")
    table.add_column("General", overflow="fold")
    table.add_column("games", justify="right")
    table.add_column("because it")
    for (agent, reason), games in reasons.most_common(LISTED_REASONS):
        table.add_row(agent, str(games), reason)
    if len(reasons) > LISTED_REASONS:
        table.caption = f"and {len(reasons) - LISTED_REASONS} more reasons"
    return table
