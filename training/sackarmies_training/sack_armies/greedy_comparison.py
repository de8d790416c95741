"""Comparison of two sets of weights of the greedy General: with each ready army, and with two to four Generals.

Every start is played from every seating. The unit of statistics is the start: what a side scores in its games together,
where a draw counts half with two Generals and nothing with more; there, sides of equal strength share the games that
are won. Intervals are those of Wilson on the number of starts. They are a little too wide: a start may also be shared,
and scores then scatter less than wins and losses would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import RenderableType

from sackarmies_agents.scripted.sack_armies.weights import Weights
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_training.fitting import add_numbers, plain_table, titled
from sackarmies_training.matches import Progress
from sackarmies_training.sack_armies.greedy_matches import DRAWN, Match, Tables, both_seatings, each_seat_alone
from sackarmies_training.seeds import derive
from sackarmies_training.stats.estimate import wilson

AT_ONCE = 26  # starts between two calls of `progress`


@dataclass(frozen=True)
class Line:
    """What one side scored.

    Attributes:
        label: which games these are.
        starts: number of starts.
        games: number of games.
        score: mean score of the starts, 0 to 1.
        even: what the score would be if both sides were equally strong and as many games were drawn.
    """

    label: str
    starts: int
    games: int
    score: float
    even: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% Wilson interval of the score."""
        return wilson(self.score, self.starts)

    @property
    def is_weaker(self) -> bool:
        """Whether the interval of the score lies below what equal strength would score."""
        return self.interval[1] < self.even


def compare_by_army(one: Weights, other: Weights, starts: int, seed: int, tables: Tables, told: Progress) -> list[Line]:
    """Play both sides against each other with two Generals; return what `one` scored, in all and with each army.

    Args:
        one: side 0.
        other: side 1.
        starts: number of starts of each ordered pair of armies; each is played from both seatings.
        seed: seed of the games.
        tables: where they play.
        told: called with the number of games that ended.
    """
    ids = army_ids()
    pairs = [(mine, theirs) for mine in ids for theirs in ids]
    matches = [
        Match(pair, derive(seed, "comparison", number, start), both_seatings(2))
        for number, pair in enumerate(pairs)
        for start in range(starts)
    ]
    played = _play((one, other), matches, tables, told)
    lines = [_line("all", [[_score(winner) for winner in winners] for winners in played], 0.5)]
    for army in ids:
        # In game 0 of a match side 0 has the first seat, in game 1 the second one.
        scores = [
            [_score(winner) for winner, mine in zip(winners, match.armies, strict=True) if mine == army]
            for match, winners in zip(matches, played, strict=True)
        ]
        lines.append(_line(army, [found for found in scores if found], 0.5))
    return lines


def compare_alone(
    sides: tuple[Weights, Weights], num_players: int, starts: int, seed: int, tables: Tables, told: Progress
) -> list[Line]:
    """Return what one General of one side scores among others of the other side, for both sides.

    Args:
        sides: `one` and `other`.
        num_players: number of Generals.
        starts: number of starts; each is played once with the lone General in each seat.
        seed: seed of the games; the armies are drawn from it.
        tables: where they play.
        told: called with the number of games that ended.
    """
    ids = army_ids()
    matches = []
    for start in range(starts):
        armies = tuple(
            ids[derive(seed, "army", num_players, start, seat, bits=32) % len(ids)] for seat in range(num_players)
        )
        matches.append(Match(armies, derive(seed, "alone", num_players, start), each_seat_alone(num_players)))
    lines = []
    labels = "one of these among the others", "one other among these"
    for label, pair in zip(labels, (sides, (sides[1], sides[0])), strict=True):
        played = _play(pair, matches, tables, told)
        scores = [[float(winner == 0) for winner in winners] for winners in played]
        won = sum(winner != DRAWN for winners in played for winner in winners) / sum(map(len, played))
        lines.append(_line(f"{num_players} Generals: {label}", scores, won / num_players))
    return lines


def _play(sides: tuple[Weights, Weights], matches: Sequence[Match], tables: Tables, told: Progress) -> list[list[int]]:
    played: list[list[int]] = []
    for first in range(0, len(matches), AT_ONCE):
        played += tables.play(sides, matches[first : first + AT_ONCE])
        told(sum(map(len, played[first:])))
    return played


def _score(winner: int) -> float:
    return 0.5 if winner == DRAWN else float(winner == 0)


def _line(label: str, scores: Sequence[Sequence[float]], even: float) -> Line:
    means = [sum(found) / len(found) for found in scores]
    return Line(label, len(means), sum(map(len, scores)), sum(means) / len(means), even)


def comparison_table(lines: Sequence[Line], title: str) -> RenderableType:
    """Return lines for a terminal, with a mark on those whose interval lies below what equal strength would score."""
    table = plain_table()
    table.add_column("games")
    add_numbers(table, ("starts", "games", "score", "95% interval", "even", ""))
    for line in lines:
        low, high = line.interval
        mark = "*" if line.is_weaker else ""
        shown = (f"{line.score:.1%}", f"{low:.1%} to {high:.1%}", f"{line.even:.1%}")
        table.add_row(line.label, str(line.starts), str(line.games), *shown, mark)
    return titled(title, table, "Wilson intervals on starts; * weaker.")
