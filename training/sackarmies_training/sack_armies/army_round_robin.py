"""Round-robin of armies under one General: which armies are too strong or too weak.

Results are saved to a folder as they come, so an interrupted round-robin resumes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from rich.console import RenderableType
from rich.text import Text

from sackarmies_env import __version__
from sackarmies_env.core.atomic_write import remove_leftovers
from sackarmies_env.core.safe_read import read_json
from sackarmies_env.core.validation import StrictModel, TupleOf, read_model
from sackarmies_env.registry import load_game
from sackarmies_training.evaluate import Job, Jobs, Plan, play_jobs
from sackarmies_training.files import write_json
from sackarmies_training.fitting import add_numbers, fitted, plain_table, titled
from sackarmies_training.identity import agent_identity, code_digest
from sackarmies_training.matches import PlayedGame, Progress
from sackarmies_training.standings import Tally, grid_of, with_interval

LOWEST, HIGHEST = 0.30, 0.70  # win rates that a fair army stays between
DIGEST = 12  # hexadecimal digits in the name of a folder


@dataclass(frozen=True)
class ArmyResults:
    """Results of a round-robin.

    Attributes:
        armies: names.
        games: for each ordered pair of armies, the first one's wins, draws and losses.
        turns: mean number of turns per game.
    """

    armies: tuple[str, ...]
    games: dict[tuple[str, str], Tally]
    turns: float

    def tally(self, army: str) -> Tally:
        """Return the results of an army over all its games."""
        tallies = [tally for (one, _), tally in self.games.items() if one == army]
        return Tally(*(sum(getattr(tally, name) for tally in tallies) for name in ("wins", "draws", "losses")))

    @property
    def ranked(self) -> list[str]:
        """The armies, best first."""
        return sorted(self.armies, key=lambda army: -self.tally(army).win_rate.value)


class ArmyGame(StrictModel):
    """How a game ended: what the first and the second army earned, and after how many turns."""

    returns: Annotated[tuple[float, float], Field(strict=False)]
    turns: Annotated[int, Field(ge=0)]


class JobFile(StrictModel):
    """The games of a job; `seeds` says which ones."""

    seeds: TupleOf[int]
    games: TupleOf[ArmyGame]


@dataclass(frozen=True)
class RoundRobin:
    """A round-robin of armies and its folder, which holds what has been played so far.

    Attributes:
        armies: built-in names or files, two or more.
        agent: text form of the General on both sides.
        plan: how much is played; each seed is played twice, with the armies' seats swapped.
        pairs: the armies of each job, by seat.
        jobs: each plays some seeds of an ordered pair of armies.
        folder: folder of the results.
    """

    armies: tuple[str, ...]
    agent: str
    plan: Plan
    pairs: tuple[tuple[str, str], ...]
    jobs: tuple[Job, ...]
    folder: Path

    @classmethod
    def make(cls, armies: Sequence[str], agent: str, plan: Plan, folder: Path) -> RoundRobin:
        """Prepare a round-robin; its results go to a separate folder in `folder`.

        Raises:
            ValueError: an army or the agent does not exist.
        """
        pairs, jobs = list[tuple[str, str]](), list[Job]()
        for pair in (pair for one, other in combinations(armies, 2) for pair in ((one, other), (other, one))):
            more = Jobs(load_game("sack_armies", armies=list(pair)), (agent, agent), plan)
            pairs += [pair] * len(more)
            jobs += more
        identity = json.dumps(_identity(armies, agent, plan, jobs), sort_keys=True)
        name = hashlib.sha256(identity.encode()).hexdigest()[:DIGEST]
        return cls(tuple(armies), agent, plan, tuple(pairs), tuple(jobs), folder / name)

    def missing(self) -> list[int]:
        """Return the places of the jobs still to be played."""
        remove_leftovers(self.folder)
        return [number for number in range(len(self.jobs)) if self._read(number) is None]

    def play(self, numbers: Sequence[int], progress: Progress) -> None:
        """Play some jobs and save each as it ends; `progress` is called with the number of games that ended.

        Raises:
            ValueError: the agent cannot be made, or lost a game by forfeit.
            OSError: results cannot be written; the same call resumes once they can.
        """
        jobs = [self.jobs[number] for number in numbers]
        if jobs:
            play_jobs(jobs, self.plan.workers, progress, lambda place, games: self._save(numbers[place], games))

    def results(self) -> ArmyResults:
        """Return the results; all jobs must have been played.

        Raises:
            ValueError: the results of a job cannot be read.
        """
        games = {pair: Tally() for pair in self.pairs}
        turns: list[int] = []
        for number, (one, other) in enumerate(self.pairs):
            played = self._read(number)
            if played is None:
                raise ValueError(f"{self._path(number)}: the results of this part are missing or damaged")
            for game in played.games:
                ours, theirs = game.returns
                won = Tally(int(ours > theirs), int(ours == theirs), int(ours < theirs))
                games[one, other] = _add(games[one, other], won)
                games[other, one] = _add(games[other, one], Tally(won.losses, won.draws, won.wins))
                turns.append(game.turns)
        return ArmyResults(self.armies, games, sum(turns) / len(turns))

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:04d}.json"

    def _save(self, number: int, games: list[PlayedGame]) -> None:
        for game in games:
            for forfeit in game.forfeits:
                raise ValueError(
                    f"{self.agent!r} lost the game of seed {game.seed} by forfeit, it {forfeit.reason}: "
                    "such a game says nothing about its army"
                )
        entries = [{"returns": list(game.returns), "turns": game.turns} for game in games]
        write_json(self._path(number), {"seeds": list(self.jobs[number].seeds), "games": entries})

    def _read(self, number: int) -> JobFile | None:
        """Return the games of a job; None if they have not been played, or their file is damaged."""
        path, job = self._path(number), self.jobs[number]
        if not path.exists():
            return None
        try:
            found = read_model(JobFile, read_json(path), str(path))
        except ValueError:
            return None
        return found if found.seeds == job.seeds and len(found.games) == job.num_games else None


def _identity(armies: Sequence[str], agent: str, plan: Plan, jobs: Sequence[Job]) -> dict[str, Any]:
    """Return the identity of a round-robin: its code, rules, armies, agent and seeds."""
    return {
        "version": __version__,
        "code": code_digest(),
        "armies": list(armies),
        "games": [job.game.digest for job in jobs],  # of rules and of what the armies hold
        "agent": agent_identity(agent),
        "seeds": plan.seeds,
        "seed": plan.seed,
    }


def _add(one: Tally, other: Tally) -> Tally:
    return Tally(one.wins + other.wins, one.draws + other.draws, one.losses + other.losses)


def round_robin_table(results: ArmyResults, width: int) -> RenderableType:
    """Return the armies, best first, with marks on those whose win rate is not from `LOWEST` to `HIGHEST`."""

    def make(labels: Sequence[str], gap: str) -> RenderableType:
        table = plain_table()
        table.add_column("army", no_wrap=True)
        add_numbers(table, ("won", "drawn", "lost", "win rate", ""))
        for label, army in zip(labels, results.ranked, strict=True):
            tally = results.tally(army)
            mark = "" if LOWEST <= tally.win_rate.value <= HIGHEST else "*"
            table.add_row(
                Text(label), str(tally.wins), str(tally.draws), str(tally.losses), with_interval(tally, gap), mark
            )
        note = f"95% intervals; a draw is not a win; * below {LOWEST:.0%} or above {HIGHEST:.0%}."
        return titled("Armies", table, note)

    return fitted(make, (" ", "\n"), results.ranked, width)


def pairings_table(results: ArmyResults, width: int) -> RenderableType:
    """Return how often each army beat each other one."""
    return grid_of(results.ranked, results.games, "Win rate of row in games with column", width)
