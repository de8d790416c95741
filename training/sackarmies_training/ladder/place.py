"""Placing of a newcomer among the rungs: a binary search by sequential tests, and how certain its answer is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile
from pathlib import Path

from sackarmies_env.core.atomic_write import remove_leftovers
from sackarmies_env.core.safe_read import read_json
from sackarmies_training.files import write_json
from sackarmies_training.identity import agent_identity
from sackarmies_training.ladder.config import LadderConfig
from sackarmies_training.ladder.contest import (
    IDENTITY,
    UNITS,
    base_identity,
    check_agents,
    folder_identity,
    makers_of,
    unit_player,
)
from sackarmies_training.ladder.estimate import PoolEstimates
from sackarmies_training.ladder.report import percent
from sackarmies_training.ladder.store import Key, UnitStore, key_of
from sackarmies_training.ladder.units import Finished, Unit, UnitEntry, check_agents_exist, make_unit
from sackarmies_training.matches import Progress
from sackarmies_training.stats.elo import elo_of
from sackarmies_training.stats.estimate import Estimate
from sackarmies_training.stats.sprt import SprtPlan, Verdict, count_units, first_decision

NEWCOMER = "newcomer"
ADDED = "added"  # folder of newcomers within that of the ladder
DIGEST = 12  # hexadecimal digits in the name of a newcomer's folder
AHEAD = 4  # units per process that are played before the test is asked again

Play = Callable[[Sequence[Unit]], None]  # plays and stores units


@dataclass(frozen=True)
class Comparison:
    """A finished test of the newcomer against a rung.

    Attributes:
        rung: name of the rung.
        verdict: what the test says.
        counts: units by the newcomer's points: 0, 1/2, 1, 3/2, 2.
        ratio: log-likelihood ratio at the end.
        score: the newcomer's share of the points.
    """

    rung: str
    verdict: Verdict
    counts: tuple[int, ...]
    ratio: float
    score: Estimate


@dataclass(frozen=True)
class Placing:
    """Where a newcomer stands.

    Attributes:
        above: the rung directly below it, None if it stands at the foot.
        below: the rung directly above it, None if it stands at the head.
        comparisons: the tests, in order.
    """

    above: str | None
    below: str | None
    comparisons: tuple[Comparison, ...]

    @property
    def undecided(self) -> Comparison | None:
        """The test that ended without an answer, and with it the search."""
        last = self.comparisons[-1]
        return last if last.verdict is Verdict.UNDECIDED else None


class Newcomer:
    """A newcomer's games against the rungs, in its own folder, so that an interrupted placing can resume."""

    def __init__(self, config: LadderConfig, agent: str, folder: Path) -> None:
        """Take the text form of the agent, and the folder of the ladder.

        Raises:
            ValueError: the agent's text or file is wrong, or the ladder has no games of two players.
        """
        if all(pool.players != 2 for pool in config.pool):
            raise ValueError("a newcomer needs games of two players, but this ladder has no pool for them")
        if NEWCOMER in config.agents:
            raise ValueError(f"a rung is called {NEWCOMER!r}: give it another name")
        self.config = config
        self.agent = agent
        self._identity = agent_identity(agent)
        self.folder = folder / ADDED / sha256(str(sorted(self._identity.items())).encode()).hexdigest()[:DIGEST]
        self.store = UnitStore(self.folder / UNITS)

    def open(self) -> None:
        """Make the folder, or resume it.

        Raises:
            ValueError: see `folder_identity`; or an agent cannot be made.
        """
        remove_leftovers(self.folder)
        identity = {**base_identity(self.config), NEWCOMER: self._identity}
        data = folder_identity(self.folder, self.config, identity)
        path = self.folder / IDENTITY
        if not path.exists() or read_json(path) != data:
            firsts = [unit for rung in self.config.agents for unit in self.units(rung, 1)]
            check_agents_exist(self.config, firsts, makers_of(self.agents))
            write_json(path, data)
        self.store.open()

    @property
    def agents(self) -> dict[str, str]:
        """Text forms of the rungs and of the newcomer, by name."""
        return {**self.config.agents, NEWCOMER: self.agent}

    def units(self, rung: str, count: int) -> list[Unit]:
        """Return the first `count` units against a rung."""
        line_up = (NEWCOMER, rung) if rung > NEWCOMER else (rung, NEWCOMER)
        return [make_unit(self.config, line_up, number) for number in range(count)]

    def finished(self, rungs: Sequence[str], count: int) -> dict[Key, UnitEntry]:
        """Return those of the first `count` units against each of these rungs that have been played."""
        return self.store.read(unit for rung in rungs for unit in self.units(rung, count))

    def place(self, rungs: Sequence[str], plan: SprtPlan, progress: Progress) -> Placing:
        """Place the newcomer by binary search; each finished unit is stored at once.

        Args:
            rungs: from the weakest to the strongest.
            plan: plan of each test.
            progress: called with the number of games that ended.

        Raises:
            ValueError: an agent cannot be made, its file changed, or a process that plays games died.
            OSError: results cannot be written; the same call resumes once they can.
        """
        found = self.finished(rungs, plan.max_units)
        agents = self.agents
        identities = {**read_json(self.folder / IDENTITY)["rungs"], NEWCOMER: self._identity}

        def save(finished: Finished) -> None:
            check_agents(finished.entry, agents, identities)
            self.store.append(finished.entry)
            found[key_of(finished.entry.unit)] = finished.entry
            progress(len(finished.entry.games))

        with unit_player(self.config, makers_of(agents)) as player:
            return search(rungs, lambda rung: self.compare(rung, plan, found, lambda units: player.play(units, save)))

    def compare(self, rung: str, plan: SprtPlan, found: Mapping[Key, UnitEntry], play: Play) -> Comparison:
        """Test the newcomer against a rung.

        Units count in the order of their numbers, whichever ends first, so that the answer does not depend on the
        number of processes. Units played beyond the end of the test are stored but do not count.

        Args:
            rung: name of the rung.
            plan: plan of the test.
            found: the finished units, to which `play` adds.
            play: plays and stores units.
        """
        part = AHEAD * self.config.workers
        units = self.units(rung, plan.max_units)
        while True:
            entries = [found[key_of(unit)] for unit in takewhile(lambda unit: key_of(unit) in found, units)]
            points = [entry.points(NEWCOMER) for entry in entries]
            used, verdict = first_decision(plan, points)
            if verdict is not Verdict.UNDECIDED or used >= plan.max_units:
                return comparison_of(rung, plan, entries[:used], verdict)
            play([unit for unit in units[: (used // part + 1) * part] if key_of(unit) not in found])


def comparison_of(rung: str, plan: SprtPlan, entries: Sequence[UnitEntry], verdict: Verdict) -> Comparison:
    """Summarize a finished test."""
    counts = count_units([entry.points(NEWCOMER) for entry in entries])
    score = PoolEstimates([NEWCOMER, rung], entries).payoff(NEWCOMER, rung)
    if score is None:
        raise ValueError(f"no points were given in the games against {rung!r}")
    return Comparison(rung, verdict, tuple(counts), float(plan.ratio(counts)), score)


def search(rungs: Sequence[str], compare: Callable[[str], Comparison]) -> Placing:
    """Find the place of a newcomer by binary search; a test without an answer ends the search.

    Args:
        rungs: from the weakest to the strongest, at least one.
        compare: tests the newcomer against a rung.
    """
    low, high = 0, len(rungs)
    comparisons = []
    while low < high:
        middle = (low + high) // 2
        comparison = compare(rungs[middle])
        comparisons.append(comparison)
        if comparison.verdict is Verdict.UNDECIDED:
            break
        low, high = (middle + 1, high) if comparison.verdict is Verdict.STRONGER else (low, middle)
    above = rungs[low - 1] if low > 0 else None
    below = rungs[high] if high < len(rungs) else None
    return Placing(above, below, tuple(comparisons))


# --- sentences


def placing_sentences(agent: str, placing: Placing, plan: SprtPlan) -> list[str]:
    """Say where a newcomer stands, and how certain that is."""
    lines = [comparison_sentence(one, plan) for one in placing.comparisons]
    games = sum(one.score.games for one in placing.comparisons)
    tests = len(placing.comparisons)
    undecided = placing.undecided
    if undecided is not None:
        lines.append(
            f"Undecided: {2 * plan.max_units} games, the budget of a test, do not say whether {agent} is stronger than "
            f"{undecided.rung}; it stands {_between(placing)}. Give a larger --max-games to go on."
        )
        return lines
    wrong = min(1.0, sum(_error(one, plan) for one in placing.comparisons))
    lines.append(
        f"Place of {agent}: {_between(placing)}. It rests on {tests} {'test' if tests == 1 else 'tests'} and {games} "
        f"games. If {agent} differs from each of these rungs by more than the bounds ({plan.elo0:+g} and "
        f"{plan.elo1:+g} Elo), the nominal error rate of the place is {wrong:.0%}; nearer than that, either answer "
        "may come."
    )
    return lines


def comparison_sentence(one: Comparison, plan: SprtPlan) -> str:
    """Say what a test found, with its figures."""
    low, high = plan.limits
    counts = ", ".join(map(str, one.counts))
    elo = " to ".join(f"{elo_of(share):+.0f}" for share in (one.score.low, one.score.high))
    if one.verdict is Verdict.UNDECIDED:
        verdict = f"neither stronger nor weaker than {one.rung}, as far as {one.score.games} games say"
    else:
        verdict = f"{one.verdict.value} than {one.rung} (nominal error rate {_error(one, plan):.0%})"
    return (
        f"{verdict[0].upper()}{verdict[1:]}: {percent(one.score)} of the points, {elo} Elo, in {one.score.units} units "
        f"of 2 games; units with 0, 1/2, 1, 3/2, 2 points: {counts}; log-likelihood ratio {one.ratio:+.2f}, limits "
        f"{low:+.2f} and {high:+.2f}. A test that may stop early exaggerates differences."
    )


def _error(one: Comparison, plan: SprtPlan) -> float:
    return plan.alpha if one.verdict is Verdict.STRONGER else plan.beta


def _between(placing: Placing) -> str:
    if placing.above is None and placing.below is None:
        return "somewhere on the ladder: no test told it apart from a rung"
    if placing.above is None:
        return f"below {placing.below}"
    if placing.below is None:
        return f"above {placing.above}"
    return f"above {placing.above} and below {placing.below}"
