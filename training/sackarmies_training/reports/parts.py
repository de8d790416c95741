"""Parts shared by the reports of contests: statuses and times of agents, forfeits, the list of games."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

from sackarmies_env.core.entries import player_name
from sackarmies_training.ratings import Outcome
from sackarmies_training.reports.html_page import Markup, element, folded, table
from sackarmies_training.reports.replays import Replays
from sackarmies_training.standings import forfeits_of
from sackarmies_training.tournament import GameSummary
from sackarmies_training.usage import HEADS, TITLE, conduct_of, is_worth_telling


def conduct_section(agents: Sequence[str], games: Collection[GameSummary]) -> Iterator[Markup]:
    """Yield statuses and times of agents; nothing if there is nothing worth telling."""
    conduct = conduct_of(agents, games)
    if is_worth_telling(conduct.values()):
        yield element("h2", TITLE)
        yield table(["agent", *HEADS], [[agent, *conduct[agent].cells()] for agent in agents])


def forfeits_section(outcomes: Sequence[Outcome]) -> Iterator[Markup]:
    """Yield who forfeited how many games and why; nothing if nobody did."""
    reasons = forfeits_of(outcomes)
    if reasons:
        yield element("h2", "Games lost by forfeit")
        rows = [[agent, str(games), f"the agent {reason}"] for (agent, reason), games in reasons.most_common()]
        yield table(["agent", "games", "reason"], rows, words=True)


def games_section(game_id: str, games: Mapping[str, GameSummary], replays: Replays) -> Iterator[Markup]:
    """Yield the games of each line-up, with results and links to their files.

    Args:
        game_id: the game that was played.
        games: at least one, by the names of their files.
        replays: the files.
    """
    num_players = len(next(iter(games.values())).agents)
    heads = ["game", *(player_name(game_id, seat) for seat in range(num_players)), "result", "turns", "files"]
    yield element("h2", "Games")
    line_ups: dict[tuple[str, ...], list[list[str]]] = {}
    for number, game in games.items():
        row = [number, *game.agents, result_of(game_id, game), str(game.turns), replays.links(number)]
        line_ups.setdefault(tuple(sorted(game.agents)), []).append(row)
    for agents, rows in line_ups.items():
        yield folded(f"{', '.join(agents)}: {len(rows)} games", table(heads, rows, words=True))
    yield element("p", "A record is shown in the browser by the command ", element("code", "sackarmies view FILE"))


def result_of(game_id: str, game: GameSummary) -> str:
    """Return how a game ended, in words."""
    name = partial(player_name, game_id)
    winners = [name(seat) for seat, place in enumerate(game.outcome.places) if place == 1]
    parts = [f"{winners[0]} wins" if len(winners) == 1 else f"drawn by {', '.join(winners)}"]
    parts += ["truncated"] if game.truncated else []
    parts += [f"{name(forfeit.seat)} forfeits ({forfeit.status})" for forfeit in game.forfeits]
    return "; ".join(parts)
