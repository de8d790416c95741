"""Flat search: a policy plays on from each legal action in sampled states, more often from the best ones.

Budgets are divided by sequential halving (Karnin, Koren, Somekh: "Almost optimal exploration in multi-armed bandits",
2013). In a sampled world all actions face the same chance and the same opponents, so that differences between actions
count and not luck. The best-looking of many actions is often only lucky. So the prior expectation of each action counts
like some number of worlds, and is a little lower for all actions except the prior choice.

With `Settings.plans`, plans are compared instead: a legal id and the choices that follow it, such as a unit to move and
where to. At first the policy makes these choices; then plans join that differ from the best ones in a later choice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.search.rounds import (
    derived_seed,
    gain_of,
    halve,
    play_worlds,
    run_race,
    sample_world,
    worlds_of,
    write_plans,
)
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import NO_ACTION, legal_ids
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.simulator import Evaluation, Policy, choose_next
from sackarmies_env.core.state import copy_records
from sackarmies_env.core.workers import Workers

MAX_WORLDS = 512  # maximum for an action or plan, whatever the budget is
CHECKS = 2  # rounds after those that halve: how often the last two actions are compared before the budget is spent
BIAS = 0.02  # error of a difference between actions, from evaluation and horizon; more worlds do not reduce it
DEPTH = 3  # choices of a plan: a verb, with what, and where
FIRST, LATER = 0.3, 0.25  # shares of the budget: for all legal ids, and for other choices at each later place of plans
FINALISTS = 8  # maximum number of plans that share the rest of the budget
FIRST_GUESS = 100e-6  # seconds per playout of up to USUAL_HORIZON turns, at least, until searches have been timed
USUAL_HORIZON = 6
MEMORY = 0.7  # weight of the previous estimate of that when a new measurement comes in
TIMED = 4  # playouts per thread that are timed before the first search with a time limit
UNLIMITED = 10**9  # greatest setting where there is no other limit

Focus = Callable[[Records], NDArray[np.float64]]
Plans = NDArray[np.int64]


class Limits(NamedTuple):
    """Limits of a setting: int or float, the least and the greatest value."""

    kind: type[int] | type[float]
    least: float
    most: float = UNLIMITED

    def fault(self, value: object) -> str:
        """Return what a value must be, or "" if it is that."""
        is_number = isinstance(value, int | np.integer if self.kind is int else float | int | np.number)
        if is_number and not isinstance(value, bool) and self.least <= value <= self.most:  # type: ignore[operator]
            return ""
        name = "an integer" if self.kind is int else "a number"
        is_above = is_number and value > self.most  # type: ignore[operator]
        if self.most < UNLIMITED or is_above:
            return f"must be {name} from {self.least:g} to {self.most:g}"
        return f"must be {name} of at least {self.least:g}"


LIMITS = {
    "playouts": Limits(int, 2),
    "milliseconds": Limits(float, 0.1),
    "horizon": Limits(int, 0),
    "valued": Limits(int, 1),
    "gate": Limits(float, 0),
    "optimism": Limits(float, 0),
    "trust": Limits(int, 0, 10_000),  # each world takes memory in a search
    "caution": Limits(float, 0),
    "unit": Limits(float, 0),
    "plans": Limits(int, 0),
    "threads": Limits(int, 1, 64),
}


@dataclass(frozen=True)
class Settings:
    """Settings of a flat search; `LIMITS` has the values that they may have.

    Attributes:
        playouts: maximum number of playouts for a decision, also with `milliseconds`.
        milliseconds: wall-clock time for a decision; None: no limit.
        horizon: turns played after the current one.
        valued: number of turn ends at which positions are valued, counted back from the last turn played, at most all
            of them; the mean counts.
        gate: standard errors by which an action must beat the prior choice to be taken instead.
        optimism: standard errors by which an action may be better than it looks; it is dropped if its gain would not
            even then be what the gate asks of an exact comparison. A search ends once no other action is left.
        trust: weight of the prior expectation of an action, counted in worlds and added to those played.
        caution: how much less than the prior choice other actions are expected to return, beyond what the prior says.
        unit: difference in return that a difference of one in the scores of a prior that rates ids stands for.
        plans: number of best plans whose later choices are varied; 0: ids are compared, and the policy makes these.
        threads: number of threads that play on at the same time.

    Raises:
        ValueError: a setting is outside its limits.
    """

    playouts: int = 310
    milliseconds: float | None = None
    horizon: int = 6
    valued: int = 1
    gate: float = 0.0
    optimism: float = 1.0
    trust: int = 12
    caution: float = 0.03
    unit: float = 0.02
    plans: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        for name, limits in LIMITS.items():
            value = getattr(self, name)
            fault = limits.fault(value)
            if fault and not (name == "milliseconds" and value is None):
                raise ValueError(f"setting {name}={short_repr(value)}: {fault}")


@dataclass(frozen=True, eq=False)
class Finding:
    """Result of a search.

    Attributes:
        action: the legal id to choose.
        prior: the legal id that must be beaten, by default the policy's choice.
        actions: `(k,)` int64, the legal ids that were tried.
        values: `(k,)` float64, their mean values, as the player's return; where several plans begin with the same id,
            the mean of the best of those that were played most.
        counts: `(k,)` int64, how many playouts began with them.
        worlds: `(k,)` int64, in how many worlds the plans that begin with them were played, at most: the more, the
            longer they stayed in the search.
    """

    action: int
    prior: int
    actions: NDArray[np.int64]
    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    worlds: NDArray[np.int64]


class Bench:
    """Everything one thread needs to play."""

    def __init__(self, game: Game, policy: Policy, evaluation: Evaluation) -> None:
        self.simulator = game.simulator()
        self.policy = policy
        self.evaluation = evaluation
        self.scratch = game.new_states(2)
        self.models = np.zeros(game.num_players, np.int64)

    @property
    def tools(self) -> tuple[Any, ...]:
        """The first arguments of kernels of `rounds`; the root and what it is searched for follow."""
        return self.simulator, self.policy, self.evaluation


class FlatSearch:
    """Searches positions of one game, one at a time.

    Args:
        game: the game to play, as the players may know it.
        make_policy: builds the policy for all seats, one for each thread. Its model 0 plays for the searching player,
            and by default makes the choice that must be beaten; each other player uses a random one of its models.
        make_evaluation: likewise builds the evaluation of the positions where playouts end.
        settings: see `Settings`.
        focus: `(states (n,)) -> (n,)`, where it pays to search: the share of the usual playouts for each position; at
            0 the prior choice is taken. None: all positions alike.
    """

    def __init__(
        self,
        game: Game,
        make_policy: Callable[[Game], Policy],
        make_evaluation: Callable[[Game], Evaluation],
        settings: Settings,
        focus: Focus | None = None,
    ) -> None:
        self.game = game
        self.settings = settings
        self._focus = focus
        self._benches = [Bench(game, make_policy(game), make_evaluation(game)) for _ in range(settings.threads)]
        self._workers = Workers(settings.threads)
        self._root = game.new_states(1)
        self._world = game.new_states(1)
        self._plans = np.zeros((game.num_actions, DEPTH), np.int64)
        self._pace = FIRST_GUESS * max(1.0, settings.horizon / USUAL_HORIZON)  # seconds a playout
        self._must_load = settings.milliseconds is not None

    def search(
        self,
        root: Records,
        player: int,
        seed: int,
        prior: int | None = None,
        expected: NDArray[np.floating] | None = None,
        spent: float = 0.0,
    ) -> Finding:
        """Search a position.

        Args:
            root: `(1,)`, any state of the player's information set; not changed.
            player: the current player.
            seed: seed of the worlds. Without a time limit, equal seeds give equal findings.
            prior: the choice that must be beaten; None: the policy's.
            expected: `(num_actions,)`, expected values of legal ids, on the scale of returns; only differences matter.
                None: all have the same.
            spent: seconds of the time limit already used for this position.
        """
        legal = legal_ids(root["legal"][0])
        if len(legal) == 1:
            return unsearched(legal[0])
        copy_records(root, self._root)
        horizon = self.settings.horizon
        task = Task(player, horizon, min(self.settings.valued, horizon + 1), seed)
        if self._must_load:
            self._load(task)
        started = time.perf_counter() - spent
        bench = self._benches[0]
        if prior is None:
            prior = int(choose_next(bench.simulator, bench.policy, self._root, 0))
        share = 1.0 if self._focus is None else float(self._focus(root)[0])
        budget = self._affordable(started, share)
        if budget < 2:
            if 0.0 < self._time_left(started, share) < 2.0 * self._pace:
                self._pace *= MEMORY  # otherwise one slow measurement would be the last one
            return unsearched(prior)
        contenders = self._contenders(legal, prior, budget, seed)
        plans = contenders[:, None]
        if self.settings.plans > 0:
            sample_world(bench.simulator, self._root, self._world, player, derived_seed(seed, 0))
            plans = self._plans_from(np.zeros(DEPTH, np.int64), 0)
            plans = plans[np.searchsorted(plans[:, 0], contenders)]
        race = Race(plans, self.settings, None if expected is None else expected[contenders])
        if (plans[:, 1:] != NO_ACTION).any():
            self._run(race, task, self._vary(race, task, budget, started, share), started, share)
        elif self.settings.milliseconds is None and self.settings.threads == 1:
            race.run(bench, self._root, task, budget)
        else:
            self._run(race, task, budget, started, share)
        return race.finding()

    def _load(self, task: Task) -> None:
        """Play the policy's choice in one world per thread, so that loading kernels is not timed, then time some more.

        What a playout takes differs severalfold between games, policies and machines: the first decision of a game
        would far exceed its limit if a guess said how many to play.
        """
        bench, threads = self._benches[0], self.settings.threads
        race = Race(np.array([[choose_next(bench.simulator, bench.policy, self._root, 0)]]), self.settings)
        self._share(race, task, race.running, race.played, race.played + threads)
        first, count = race.played + threads, TIMED * threads
        begun = time.perf_counter()
        self._share(race, task, race.running, first, first + count)
        self._pace = max(self._pace, (time.perf_counter() - begun) / count)
        self._must_load = False

    def _time_left(self, started: float, share: float) -> float:
        """Return the seconds left of the time limit; infinity if there is none."""
        limit = self.settings.milliseconds
        return math.inf if limit is None else limit * 1e-3 * min(1.0, share) - (time.perf_counter() - started)

    def _affordable(self, started: float, share: float) -> int:
        """Return how many playouts the remaining time allows, going by how long they have taken so far."""
        most = int(self.settings.playouts * share)
        return max(0, int(min(most, self._time_left(started, share) / self._pace)))

    @staticmethod
    def _contenders(legal: list[int], prior: int, budget: int, seed: int) -> NDArray[np.int64]:
        """Return the actions to try, the prior choice first: as many as each round can play in at least one world."""
        others = [action for action in legal if action != prior]
        room = 1
        while room < len(others) and (room + 2) * rounds_of(room + 2) <= budget:
            room += 1
        if len(others) > room:
            others = np.random.default_rng(seed).choice(others, room, replace=False).tolist()
        return np.array([prior, *others], np.int64)

    def _plans_from(self, base: Plans, length: int) -> Plans:
        """Return the plans that begin with `length` choices of `base`, one for each legal next choice, ascending.

        They are made in a sampled world, not in the root, which may be the true state and hold what the player cannot
        know about the choices after the first.
        """
        bench = self._benches[0]
        tools = bench.simulator, bench.policy, self._world, bench.scratch
        return self._plans[: write_plans(*tools, base, length, self._plans)].copy()

    def _vary(self, race: Race, task: Task, budget: int, started: float, share: float) -> int:
        """Compare plans, then plans that differ from the best ones in later choices; return the playouts left.

        Plans that join later are played in the same worlds as the others.
        """
        rng = np.random.default_rng(task.seed)
        first = race.played
        worlds = min(max(1, int(FIRST * budget) // len(race.plans)), race.results.shape[1] - first)
        self._play(race, task, race.running, first, first + worlds)
        race.count(first + worlds)
        left = budget - worlds * len(race.plans)
        for place in range(1, DEPTH):
            best = race.best(self.settings.plans)
            found = [self._plans_from(plan, place) for plan in best if plan[place] != NO_ACTION]
            others = np.concatenate([race.plans[:0], *found])
            others = others[[not (race.plans == plan).all(axis=1).any() for plan in others]]
            room = int(min(LATER * budget, left, self._affordable(started, share))) // worlds
            if len(others) > room:
                others = others[rng.choice(len(others), room, replace=False)]
            if len(others) > 0:
                self._play(race, task, race.enter(others), first, first + worlds)
                race.count(first + worlds)
                left -= worlds * len(others)
        while len(race.running) > FINALISTS:
            race.halve()
        return left

    def _run(self, race: Race, task: Task, budget: int, started: float, share: float) -> None:
        """Play rounds on all threads, each with the better half of the previous one, until the budget is spent."""
        rounds = rounds_of(len(race.running)) + CHECKS
        left = budget
        for number in range(rounds):
            if len(race.running) == 1:
                break
            is_new = race.played == self.settings.trust  # the budget has just been computed from the time left
            affordable = left if is_new else min(left, self._affordable(started, share))
            count = worlds_of(affordable, rounds - number, len(race.running), race.results.shape[1] - race.played)
            if count > 0:
                self._play(race, task, race.running, race.played, race.played + count)
                race.count(race.played + count)
                left -= count * len(race.running)
            if number < rounds - 1:
                race.halve()

    def _play(self, race: Race, task: Task, running: NDArray[np.int64], first: int, last: int) -> None:
        """Play on from some plans in some worlds, on all threads, and measure how long that takes."""
        begun = time.perf_counter()
        self._share(race, task, running, first, last)
        pace = (time.perf_counter() - begun) / ((last - first) * len(running))
        self._pace = MEMORY * self._pace + (1.0 - MEMORY) * pace

    def _share(self, race: Race, task: Task, running: NDArray[np.int64], first: int, last: int) -> None:
        """Play on from some plans in some worlds, on all threads."""
        pieces = np.linspace(first, last, min(self.settings.threads, last - first) + 1).astype(int).tolist()

        def work(piece: int) -> None:
            race.play(self._benches[piece], self._root, task, running, pieces[piece], pieces[piece + 1])

        if len(pieces) == 2:
            work(0)
        else:
            self._workers.share(work, len(pieces) - 1)


def rounds_of(contenders: int) -> int:
    """Return how many rounds of halving leave one of this many contenders."""
    return max(1, math.ceil(math.log2(contenders)))


def unsearched(action: int) -> Finding:
    """Return the finding of a search that compares nothing."""
    return Finding(action, action, np.array([action]), np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.int64))


class Task(NamedTuple):
    """A search to be done.

    Attributes:
        player: the player for whom to search.
        horizon: turns played after the current one.
        valued: number of turn ends at which positions are valued.
        seed: seed of the worlds.
    """

    player: int
    horizon: int
    valued: int
    seed: int


class Race:
    """Plans that are compared in the same worlds; the first begins with the prior choice and stays to the end.

    Attributes:
        plans: `(k, depth)` int64: a legal id and the choices after it, see `rounds.write_plans`.
        results: `(k, trust + MAX_WORLDS)` float64: the prior expectation, once for each world that it counts for, then
            the values in the worlds played so far.
        running: `(r,)` int64, indexes of the plans still in the race.
        played: number of columns of the results that these have filled.
        counts: `(k,)` int64, number of columns that each plan has filled.

    Args:
        plans: as above, each beginning with a different id.
        settings: `gate`, `optimism`, `trust` and `caution` are used.
        expected: `(k,)`, expected values of the plans; None: all have the same.
    """

    def __init__(self, plans: Plans, settings: Settings, expected: NDArray[np.floating] | None = None) -> None:
        self.plans = plans
        self._gate = settings.gate
        self._trust = settings.trust
        self._bounds = settings.optimism, settings.gate * BIAS
        self.results = np.empty((len(plans), settings.trust + MAX_WORLDS))
        gains = np.zeros(len(plans)) if expected is None else expected - expected[0]
        gains[1:] -= settings.caution
        self.results[:, : settings.trust] = gains[:, None]
        self.running = np.arange(len(plans))
        self.played = settings.trust
        self.counts = np.full(len(plans), settings.trust, np.int64)

    def run(self, bench: Bench, root: Records, task: Task, budget: int) -> None:
        """Play all rounds in one call of a kernel."""
        order, rounds = np.array([self._trust, budget, *task]), rounds_of(len(self.plans)) + CHECKS
        given = (root, bench.scratch, bench.models, self.plans, self.running, order, rounds, *self._bounds)
        left = run_race(*bench.tools, *given, self.results, self.counts)
        self.running = self.running[:left]
        self.played = int(self.counts[0])

    def play(self, bench: Bench, root: Records, task: Task, running: NDArray[np.int64], first: int, last: int) -> None:
        """Play on from some plans in some worlds, and write the values into these columns of the results."""
        given = (root, bench.scratch, bench.models, self.plans, running, np.array([first, last, *task]))
        play_worlds(*bench.tools, *given, self.results)

    def best(self, count: int) -> Plans:
        """Return the best plans so far, the best one first."""
        means = self.results[self.running, : self.played].mean(axis=1)
        return self.plans[self.running[np.argsort(-means, kind="stable")[:count]]]

    def enter(self, plans: Plans) -> NDArray[np.int64]:
        """Add plans to the race, with the expectation of those that begin with the same id; return their indexes."""
        alike = [int(np.flatnonzero(self.plans[:, 0] == plan[0])[0]) for plan in plans]
        entered = np.arange(len(self.plans), len(self.plans) + len(plans))
        self.plans = np.concatenate([self.plans, plans])
        self.results = np.concatenate([self.results, self.results[alike]])
        self.counts = np.concatenate([self.counts, np.full(len(plans), self._trust)])
        self.running = np.concatenate([self.running, entered])
        return entered

    def count(self, played: int) -> None:
        """Record that the running plans have filled `played` columns."""
        self.counts[self.running] = played
        self.played = played

    def halve(self) -> None:
        """Keep the better half and the prior choice in the race, or that alone if no other has a chance."""
        left = halve(self.running, len(self.running), self.results, self.played, *self._bounds)
        self.running = self.running[:left]

    def finding(self) -> Finding:
        """Return the result: the best action if its gain over the prior choice passes the gate, else that choice."""
        best = 0
        if self.played > self._trust:
            best = int(self.running[np.argmax(self.results[self.running, : self.played].mean(axis=1))])
            gain, error = gain_of(self.results, best, self.played)
            if not gain > self._gate * math.hypot(error, BIAS):
                best = 0
        actions = self.plans[np.sort(np.unique(self.plans[:, 0], return_index=True)[1]), 0]
        values = np.zeros(len(actions))
        counts, worlds = np.zeros((2, len(actions)), np.int64)
        for place, action in enumerate(actions):
            rows = np.flatnonzero(self.plans[:, 0] == action)
            counts[place] = (self.counts[rows] - self._trust).sum()
            longest = rows[self.counts[rows] == self.counts[rows].max()]
            worlds[place] = self.counts[longest[0]] - self._trust
            if worlds[place] > 0:
                values[place] = self.results[longest, self._trust : self.counts[longest[0]]].mean(axis=1).max()
        return Finding(int(self.plans[best, 0]), int(actions[0]), actions, values, counts, worlds)
