"""Every army against every other under one and the same General: which armies are too strong or too weak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from rich.table import Table

from sackarmies_env.registry import load_game
from sackarmies_training.evaluate import Job, Plan, make_jobs, play_jobs
from sackarmies_training.matches import Progress
from sackarmies_training.standings import Tally

LOWEST, HIGHEST = 0.30, 0.70  # win rates that a fair army stays between


@dataclass(frozen=True)
class ArmyResults:
    """How armies did.

    Attributes:
        armies: names.
        games: for each ordered pair of armies the first one's wins, draws and losses.
        turns: mean turns of a game.
    """

    armies: tuple[str, ...]
    games: dict[tuple[str, str], Tally]
    turns: float

    def tally(self, army: str) -> Tally:
        """Return the results of an army over all its games."""
        tallies = [tally for (one, _), tally in self.games.items() if one == army]
        return Tally(*(sum(getattr(tally, name) for tally in tallies) for name in ("wins", "draws", "losses")))


def play_round_robin(armies: Sequence[str], agent: str, plan: Plan, progress: Progress) -> ArmyResults:
    """Play all pairs of armies; each seed is played twice, with the armies' seats swapped.

    Args:
        armies: built-in names or files, two or more.
        agent: text form of the General on both sides.
        plan: how much is played.
        progress: told how many more games have ended.

    Raises:
        ValueError: an army or the agent does not exist, or the agent lost a game by forfeit.
    """
    pairs = [pair for one, other in combinations(armies, 2) for pair in ((one, other), (other, one))]
    jobs: list[Job] = []
    owners: list[tuple[str, str]] = []
    for pair in pairs:
        more = make_jobs(load_game("sack_armies", armies=list(pair)), (agent, agent), plan)
        jobs += more
        owners += [pair] * len(more)
    games = {pair: Tally() for pair in pairs}
    turns: list[int] = []
    for (one, other), played in zip(owners, play_jobs(jobs, plan.workers, progress), strict=True):
        for game in played:
            for forfeit in game.forfeits:
                raise ValueError(
                    f"{agent!r} lost the game of seed {game.seed} by forfeit, it {forfeit.reason}: "
                    "that would say nothing about its army"
                )
            ours, theirs = game.returns
            won = Tally(int(ours > theirs), int(ours == theirs), int(ours < theirs))
            games[one, other] = _add(games[one, other], won)
            games[other, one] = _add(games[other, one], Tally(won.losses, won.draws, won.wins))
            turns.append(game.turns)
    return ArmyResults(tuple(armies), games, sum(turns) / len(turns))


def _add(one: Tally, other: Tally) -> Tally:
    return Tally(one.wins + other.wins, one.draws + other.draws, one.losses + other.losses)


def round_robin_table(results: ArmyResults) -> Table:
    """Return the armies, best first, with marks on those outside of `LOWEST` to `HIGHEST`."""
    table = Table(
        title="Armies", caption=f"intervals: 95%; a draw is no win; * under {LOWEST:.0%} or over {HIGHEST:.0%}"
    )
    table.add_column("army")
    for title in ("won", "drawn", "lost", "win rate"):
        table.add_column(title, justify="right")
    ranked = sorted(results.armies, key=lambda army: -results.tally(army).win_rate.value)
    for army in ranked:
        tally = results.tally(army)
        mark = "" if LOWEST <= tally.win_rate.value <= HIGHEST else " *"
        table.add_row(army, str(tally.wins), str(tally.draws), str(tally.losses), f"{tally.win_rate}{mark}")
    return table


def pairings_table(results: ArmyResults) -> Table:
    """Return how often row beat column, in percent."""
    table = Table(title="Row beats column, percent of games", padding=0)
    table.add_column("army", no_wrap=True)
    ranked = sorted(results.armies, key=lambda army: -results.tally(army).win_rate.value)
    for number, _ in enumerate(ranked, start=1):
        table.add_column(str(number), justify="right")
    for number, army in enumerate(ranked, start=1):
        cells = ["" if other == army else f"{100 * results.games[army, other].win_rate.value:.0f}" for other in ranked]
        table.add_row(f"{number} {army}", *cells)
    return table
