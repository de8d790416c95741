"""Playing of a league within a budget: rounds are opened, played unit by unit, and closed."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from sackarmies_env.core.atomic_write import remove_leftovers
from sackarmies_env.core.messages import counted
from sackarmies_training.jobs import Pool
from sackarmies_training.ladder.contest import run_jobs
from sackarmies_training.ladder.store import key_of
from sackarmies_training.ladder.units import Finished, Maker, Unit, UnitJob, make_job
from sackarmies_training.league.contest import League
from sackarmies_training.league.journal import (
    LEAGUE,
    Entry,
    LeagueState,
    Round,
    RoundClosed,
    RoundOpened,
    StatusChanged,
)
from sackarmies_training.league.rounds import RoundFolder, plan_units
from sackarmies_training.league.submissions import maker_of, working_copy
from sackarmies_training.matches import Progress, worker_pool

WORK = "work"  # folder of the copies that agents run in while the league is played
AHEAD = 2  # units per process that are started before budget and journal are checked again

Tell = Callable[[str], None]


@dataclass
class Budget:
    """How much is to be played.

    Attributes:
        games: number of games, rounded up to whole units; None: no limit.
        seconds: wall-clock time, checked between batches of units; None: no limit.
        played: games so far.
    """

    games: int | None
    seconds: float | None
    played: int = 0

    def __post_init__(self) -> None:
        self._started = time.monotonic()

    @property
    def is_spent(self) -> bool:
        """Whether no further unit is to be started."""
        if self.games is not None and self.played >= self.games:
            return True
        return self.seconds is not None and time.monotonic() - self._started >= self.seconds

    def units(self, most: int, games: int) -> int:
        """Return how many units of `games` games each may be started, at most `most`."""
        return most if self.games is None else min(most, -(-(self.games - self.played) // games))


class LeaguePlayer:
    """Plays a league in this process or in several others; only one player at a time may run (`locks.locked`)."""

    def __init__(self, league: League, pool: Pool | None, tell: Tell, progress: Progress) -> None:
        """Prepare to play.

        Args:
            league: the league to play.
            pool: processes to play in; None: this one.
            tell: called with sentences on what happens.
            progress: called with the number of games that ended.
        """
        self._league = league
        self._journal = league.journal
        self._pool = pool
        self._tell = tell
        self._progress = progress
        self._makers: dict[str, Maker] = {}

    def play(self, budget: Budget) -> None:
        """Play until the budget is spent; an open round is continued first.

        Raises:
            ValueError: fewer than two agents play, files were changed, an anchor cannot be made, or a process died.
            OSError: results cannot be written; the same call resumes once they can.
        """
        self._tidy()
        self._begin_season()
        self._suspend_failing()
        self._progress(0)
        while not budget.is_spent:
            state = self._journal.read()
            one = state.open_round or self._open(budget)
            if not self._play_round(one, budget):
                return
            self._suspend_failing()

    # --- before and after rounds

    def _tidy(self) -> None:
        """Finish what a kill interrupted."""
        folder = self._league.folder
        remove_leftovers(folder)
        state = self._journal.read()
        closed = [one for one in state.rounds if one.closed is not None]
        for one in closed[-1:]:
            self._publish(state, one.number)

    def _begin_season(self) -> None:
        """Begin another season if the code or the rules have changed; an open round is closed then."""
        state = self._journal.read()
        season = self._league.next_season(state)
        if season is None:
            return
        if state.open_round is not None:
            self._close(state.open_round)
        self._journal.write(season)
        if season.season > 1:
            self._tell(
                f"Season {season.season} begins, since {season.why}: ratings start over, and games of earlier "
                "seasons no longer count."
            )

    def _open(self, budget: Budget) -> Round:
        """Plan a round and open it."""
        league, config = self._league, self._league.config
        with self._journal.writing() as state:
            planner = league.planner(state)
            pairs = planner.plan(budget.units(config.round, planner.games))
            if not pairs:
                raise ValueError(
                    f"a game needs two agents, but this league has {counted(len(planner.names), 'active agent')}"
                )
            folder = RoundFolder(league.folder, len(state.rounds) + 1)
            units = plan_units(config, config.players, pairs, league.planned_pairs(state))
            event = RoundOpened(
                time=league.clock(),
                round=folder.number,
                season=len(state.seasons),
                units=len(units),
                seed_sha256=folder.create(units),
            )
            self._journal.append(state, event)
        return state.rounds[-1]

    def _close(self, one: Round) -> None:
        """Close a round: its seed and its results become public."""
        league, folder = self._league, RoundFolder(self._league.folder, one.number)
        folder.store.open()
        units, seed = len(league.entries_of(one)), folder.seed(one.opened.seed_sha256)
        event = RoundClosed(time=league.clock(), round=one.number, units=units, seed=str(seed))
        self._publish(self._journal.write(event), one.number)
        self._tell(f"Round {one.number} is over: {units} of {one.opened.units} planned units were played.")

    def _publish(self, state: LeagueState, number: int) -> None:
        RoundFolder(self._league.folder, number).publish()
        keep = self._league.config.retention.rounds
        if keep is not None:
            closed = [one for one in state.rounds if one.closed is not None]
            for one in closed[: max(0, len(closed) - keep)]:
                RoundFolder(self._league.folder, one.number).remove_records()

    def _suspend_failing(self) -> None:
        """Suspend agents that lose too many games by forfeit."""
        with self._journal.writing() as state:
            for entry in state.active:
                why = self._fault_of(state, entry)
                if why:
                    name, version = entry.submitted.name, entry.submitted.version
                    event = StatusChanged(
                        event="suspended", time=self._league.clock(), name=name, version=version, why=why, by=LEAGUE
                    )
                    self._journal.append(state, event)
                    self._tell(f"{entry.label} is suspended: it {why}.")

    def _fault_of(self, state: LeagueState, entry: Entry) -> str:
        """Return why an agent is to be suspended; "" if it is not."""
        rule, label = self._league.config.suspension, entry.label
        faults = []
        for one in state.rounds:
            if one.closed is not None and one.number > entry.since:
                for unit in self._league.entries_of(one):
                    for game in unit.named_games.values() if label in unit.line_up else ():
                        is_lost = label not in game.outcome.best
                        found = [one for one in game.forfeits if is_lost and game.agents[one.seat] == label]
                        faults.append(found[-1] if found else None)
        latest = faults[-rule.games :]
        found = [fault for fault in latest if fault is not None]
        if len(found) < rule.forfeits:
            return ""
        last = f"{found[-1].status}: it {found[-1].reason}"
        return f"lost {len(found)} of its latest {len(latest)} games by forfeit, most recently {last}"

    # --- units

    def _play_round(self, one: Round, budget: Budget) -> bool:
        """Play the missing units of a round and close it; return False if the budget is spent before its end."""
        folder = RoundFolder(self._league.folder, one.number)
        folder.store.open()
        remove_leftovers(folder.path)
        remove_leftovers(folder.records)
        seed = folder.seed(one.opened.seed_sha256)
        units = folder.units(seed)
        done = {key_of(entry.unit) for entry in folder.finished(units)}

        def save(place: int, finished: Finished) -> None:
            folder.save(finished)
            done.add(key_of(finished.entry.unit))
            budget.played += len(finished.entry.games)
            self._progress(len(finished.entry.games))

        while True:
            active = {entry.label: entry for entry in self._journal.read().active}
            missing = [unit for unit in units if key_of(unit) not in done and active.keys() >= set(unit.line_up)]
            if not missing:
                self._close(one)
                return True
            if budget.is_spent:
                return False
            most = AHEAD * self._league.config.workers
            batch = missing[: budget.units(most, missing[0].num_games)]
            run_jobs(self._pool, self._jobs(batch, active, seed), save)

    def _jobs(self, units: Sequence[Unit], active: dict[str, Entry], seed: int) -> list[UnitJob]:
        for label in {label for unit in units for label in unit.line_up} - self._makers.keys():
            self._makers[label] = self._maker(active[label])
        config = self._league.config.model_copy(update={"seed": seed})
        return [replace(make_job(config, unit, self._makers), is_recorded=True) for unit in units]

    def _maker(self, entry: Entry) -> Maker:
        """Return the maker of an agent, from a copy of its files."""
        copy = self._league.folder / WORK / entry.folder
        text = working_copy(self._league.kept(entry), entry.submitted.digest, copy)
        return maker_of(text, self._league.config.isolation, is_anchor=entry.submitted.is_anchor)


@contextmanager
def league_player(league: League, tell: Tell, progress: Progress) -> Iterator[LeaguePlayer]:
    """Provide a player of a league, with as many processes as its configuration says."""
    work = league.folder / WORK
    remove_work(work)
    workers = league.config.workers
    try:
        with nullcontext() if workers == 1 else worker_pool(workers) as pool:
            yield LeaguePlayer(league, pool, tell, progress)
    finally:
        remove_work(work)


def remove_work(work: Path) -> None:
    """Remove the copies that agents ran in."""
    shutil.rmtree(work, ignore_errors=True)
