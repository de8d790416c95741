"""The compared methods: flat search as shipped, and alternatives to it.

All play positions on with the same policy, horizon and evaluation; they differ in which positions, and how often.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.search_methods.kernels import (
    ACTION,
    DECISION,
    NO_STEP,
    grow_tree,
    make_plans,
    play_plans,
    play_round,
    read_root,
    sample_worlds,
)
from sackarmies_agents.search.flat import FlatSearch, Settings, rounds_of
from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.simulator import choose_next
from sackarmies_env.core.state import copy_records

Plans = NDArray[np.int64]
MAX_WORLDS = 512


class Method(ABC):
    """A way to choose in one game that a player searches in.

    Args:
        game: the game as the player may know it.
        playouts: number of playouts per decision.
    """

    def __init__(self, game: Game, playouts: int) -> None:
        self.game, self.playouts = game, playouts
        self.settings = Settings(playouts=max(2, playouts))  # the scripted agent has none
        self.simulator = game.simulator()
        policy, evaluation = find_hook(game.id, "policy"), find_hook(game.id, "evaluation")
        if policy is None or evaluation is None:
            raise ValueError(f"the game {game.id!r} has no policy and evaluation for searches")
        self.policy, self.evaluation = policy(game, ("tuned",)), evaluation(game)
        self.tools = self.simulator, self.policy, self.evaluation
        self.models = np.zeros((MAX_WORLDS, game.num_players), np.int64)
        self.root, self.scratch, self.worlds = game.new_states(1), game.new_states(2), game.new_states(MAX_WORLDS)

    @abstractmethod
    def choose(self, root: Records, player: int, seed: int) -> int:
        """Return a legal id.

        Args:
            root: `(1,)`, a state of the player's information set, with at least two legal ids; not changed.
            player: the current player.
            seed: seed of the worlds.
        """

    def sample(self, first: int, last: int, player: int, seed: int) -> None:
        """Sample worlds from `self.root`, which must hold a copy of the root."""
        sample_worlds(self.simulator, self.root, self.worlds, first, last, player, seed)


class Scripted(Method):
    """No search: the policy's choice."""

    def choose(self, root: Records, player: int, seed: int) -> int:
        """Return what the policy chooses."""
        return int(choose_next(self.simulator, self.policy, root, 0))


class Flat(Method):
    """Flat search with sequential halving, as shipped, but alike in all decisions; opponents play the tuned policy."""

    OPTIMISM = Settings.optimism

    def __init__(self, game: Game, playouts: int) -> None:
        super().__init__(game, playouts)
        self.settings = replace(self.settings, optimism=self.OPTIMISM)
        policy, evaluation = self.policy, self.evaluation
        self.search = FlatSearch(game, lambda _: policy, lambda _: evaluation, self.settings)

    def choose(self, root: Records, player: int, seed: int) -> int:
        """Return what the search finds."""
        return self.search.search(root, player, seed).action


class FullFlat(Flat):
    """`Flat` that ends no decision early: actions are dropped by halving alone, so that the budget is spent."""

    OPTIMISM = 1e6


class Gumbel(Method):
    """Root selection of Gumbel MuZero (Danihelka and others, "Policy improvement by planning with Gumbel", 2022).

    The prior gives the policy's choice an extra share. Gumbel noise draws the actions to consider, without replacement;
    sequential halving divides the budget among them; the action with the greatest sum of logit and scaled value is
    chosen. As in flat search, the actions still in the race are played on in the same worlds.
    """

    CONSIDERED = 16
    PRIOR = 0.5  # of the policy's choice, beyond an equal share
    VISITS = 50.0  # `c_visit` there
    SCALE = 0.3  # `c_scale` there, for values from 0 to 1: 1.0 in board games, 0.1 in Atari

    def choose(self, root: Records, player: int, seed: int) -> int:
        """Return the action left after the last halving."""
        rng = np.random.default_rng(seed)
        copy_records(root, self.root)
        actions = np.array(legal_ids(root["legal"][0]), np.int64)
        shares = np.full(len(actions), (1.0 - self.PRIOR) / len(actions))
        shares[actions == choose_next(self.simulator, self.policy, self.root, 0)] += self.PRIOR
        scores = np.log(shares)
        considered = max(2, min(self.CONSIDERED, len(actions), self.playouts))
        while considered > 2 and considered * rounds_of(considered) > self.playouts:
            considered -= 1
        running = np.argsort(-(scores + rng.gumbel(size=len(actions))), kind="stable")[:considered]
        values = np.zeros((len(actions), MAX_WORLDS))
        played, left, rounds = 0, self.playouts, rounds_of(considered)
        for number in range(rounds):
            count = min(max(1, left // (rounds - number) // len(running)), MAX_WORLDS - played)
            self.play(actions, running, (played, played + count), player, seed, values)
            played, left = played + count, left - count * len(running)
            means = (values[running, :played].mean(axis=1) + 1.0) / 2.0
            order = np.argsort(-(scores[running] + (self.VISITS + played) * self.SCALE * means), kind="stable")
            running = running[order[: max(1 if number + 1 == rounds else 2, (len(running) + 1) // 2)]]
        return int(actions[running[0]])

    def play(
        self,
        actions: NDArray[np.int64],
        running: NDArray[np.int64],
        worlds: tuple[int, int],
        player: int,
        seed: int,
        values: NDArray[np.float64],
    ) -> None:
        """Play the running actions on in worlds `worlds[0]` to `worlds[1]` - 1."""
        self.sample(*worlds, player, seed)
        candidates = np.stack([actions[running], running], axis=1)
        limits = np.array([*worlds, player, self.settings.horizon])
        play_round(*self.tools, self.worlds, self.scratch[:1], candidates, self.models, limits, values)


class Tree(Method):
    """Information-set Monte-Carlo tree search: PUCT, nodes by what the current player sees, one new node per playout.

    The policy's choice gets an extra share of the prior. Playing on ends after as many turns as in flat search. The
    action that was chosen most often is taken. For two players.
    """

    EXPLORATION = 0.5
    PRIOR = 0.8  # of the policy's choice, beyond an equal share

    def __init__(self, game: Game, playouts: int) -> None:
        super().__init__(game, playouts)
        size = 1 << (8 * playouts).bit_length()
        self.tree = np.zeros(size, np.uint64), np.zeros(size, np.int64), np.zeros(size)

    def choose(self, root: Records, player: int, seed: int) -> int:
        """Return the action of the root with the most visits."""
        copy_records(root, self.root)
        for column in self.tree:
            column[:] = 0
        seeds = np.random.default_rng(seed).integers(2**62, size=self.playouts)
        limits, settings = np.array([player, self.settings.horizon]), np.array([self.EXPLORATION, self.PRIOR])
        grow_tree(*self.tools, self.root, self.scratch[:1], self.tree, self.models[0], seeds, limits, settings)
        ids, visits = np.zeros((2, self.game.num_actions), np.int64)
        count = read_root(self.simulator, self.root, self.tree, ids, visits, np.zeros(len(ids)))
        return int(ids[np.argmax(visits[:count])])


class Macros(Method):
    """Flat search among whole actions: a verb, what it is done with, and where.

    A plan is an id and the choices that follow from it, made by the policy; taking something else at one of those
    choices gives another plan. First all ids are compared, with the policy's choices after them. Then the best of those
    plans are compared with plans that differ from them in the second choice, then in the third, then in the fourth.
    Sequential halving decides among the best of all; its winner must pass a gate to replace the policy's own plan. The
    later choices of the plan are then made without a search, as long as they are asked for and legal.
    """

    DEPTH = 4  # choices of a plan
    FIRST, LATER = 0.3, 0.25  # shares of the budget, for all ids and for each change of a later choice
    WIDTH = 3  # plans whose later choices are changed
    FINALISTS = 8
    GATE = 1.2  # standard errors by which another plan must be better

    def __init__(self, game: Game, playouts: int) -> None:
        super().__init__(game, playouts)
        self.flat = Flat(game, playouts)
        self.buffer = np.zeros((game.num_actions, self.DEPTH, 2), np.int64)
        self.rest = np.zeros((0, 2), np.int64)
        self.turn = 0

    def choose(self, root: Records, player: int, seed: int) -> int:
        """Return the next step of the plan, or the first step of the best new plan."""
        planned = self.next_step(root)
        if planned is not None:
            return planned
        copy_records(root, self.root)
        plans = self.plans_from(self.buffer[0], 0)
        if not (plans[:, 1, DECISION] != NO_STEP).any():
            return self.flat.choose(root, player, seed)
        plan = self.search(plans, player, seed)
        self.rest, self.turn = plan[1:][plan[1:, DECISION] != NO_STEP], int(root["turn"][0])
        return int(plan[0, ACTION])

    def next_step(self, root: Records) -> int | None:
        """Return the next step of the plan if it is what is asked for; otherwise drop the plan and return None."""
        if len(self.rest):
            decision, action = self.rest[0].tolist()
            is_asked = int(root["decision"][0]) == decision and int(root["turn"][0]) == self.turn
            if is_asked and action in legal_ids(root["legal"][0]):
                self.rest = self.rest[1:]
                return int(action)
        self.rest = self.rest[:0]
        return None

    def search(self, plans: Plans, player: int, seed: int) -> Plans:
        """Return the best plan, `(depth, 2)`: one of `plans`, which differ in the first choice, or a variation."""
        rng = np.random.default_rng(seed)
        own = plans[:, 0, ACTION] == choose_next(self.simulator, self.policy, self.root, 0)
        race = PlanRace(self, plans[own], player, seed)
        share = int(self.playouts * self.FIRST)
        race.enter(draw(plans[~own], max(1, share - 1), rng))
        race.play_more(max(1, share // len(race.plans)))
        for place in range(1, self.DEPTH):
            others = np.concatenate([self.changed(plan, place) for plan in race.best(self.WIDTH)])
            race.enter(draw(others, int(self.playouts * self.LATER) // race.played, rng))
        return race.decide(self.FINALISTS)

    def changed(self, plan: Plans, place: int) -> Plans:
        """Return the plans that differ from `plan` at a place, and may differ after it."""
        if plan[place, DECISION] == NO_STEP:
            return self.buffer[:0]
        found = self.plans_from(plan, place)
        others: Plans = found[found[:, place, ACTION] != plan[place, ACTION]]
        return others

    def plans_from(self, base: Plans, length: int) -> Plans:
        """Return the plans that begin with `length` steps of `base` and go on with each legal id."""
        given = base.copy()
        count = make_plans(self.simulator, self.policy, self.root, self.scratch, given, length, self.buffer)
        return self.buffer[:count].copy()


class PlanRace:
    """Plans that are compared in the same worlds; the first is the policy's own and stays to the end."""

    def __init__(self, method: Macros, own: Plans, player: int, seed: int) -> None:
        self.method, self.player, self.seed = method, player, seed
        self.plans = own
        self.values = np.zeros((1, MAX_WORLDS))
        self.played = 0  # worlds in which all plans in the race have been played
        self.left = method.playouts
        self.running = np.zeros(1, np.int64)

    def enter(self, plans: Plans) -> None:
        """Add plans to the race, and play them in the worlds played so far."""
        rows = np.arange(len(self.plans), len(self.plans) + len(plans))
        self.plans = np.concatenate([self.plans, plans])
        self.values = np.concatenate([self.values, np.zeros((len(plans), MAX_WORLDS))])
        self.running = np.concatenate([self.running, rows])
        if len(plans):
            self.play(rows, 0, self.played)

    def play_more(self, count: int) -> None:
        """Play the plans in the race on in `count` more worlds."""
        first, last = self.played, min(self.played + count, MAX_WORLDS)
        self.method.sample(first, last, self.player, self.seed)
        self.play(self.running, first, last)
        self.played = last

    def play(self, rows: NDArray[np.int64], first: int, last: int) -> None:
        """Play plans on in worlds that have been sampled."""
        method = self.method
        limits = np.array([first, last, self.player, method.settings.horizon])
        plans = self.plans[rows]
        play_plans(*method.tools, method.worlds, method.scratch, plans, rows, method.models, limits, self.values)
        self.left -= (last - first) * len(rows)

    def order(self) -> NDArray[np.int64]:
        """Return the rows of the plans in the race, the best first."""
        means = self.values[self.running, : self.played].mean(axis=1)
        return self.running[np.argsort(-means, kind="stable")]

    def best(self, count: int) -> Plans:
        """Return the `count` best plans."""
        return self.plans[self.order()[:count]]

    def decide(self, finalists: int) -> Plans:
        """Spend what is left by sequential halving; return the best plan, or the policy's own if it fails the gate."""
        self.keep(finalists)
        rounds = rounds_of(len(self.running))
        for number in range(rounds):
            count = self.left // (rounds - number) // len(self.running)
            if count > 0 and self.played < MAX_WORLDS:
                self.play_more(count)
            if len(self.running) > 2:
                self.keep((len(self.running) + 1) // 2)
        best = int(self.order()[0])
        gains = self.values[best, : self.played] - self.values[0, : self.played]
        error = float(gains.std(ddof=1)) / math.sqrt(len(gains)) if len(gains) > 1 else math.inf
        is_better = float(gains.mean()) > self.method.GATE * error
        plan: Plans = self.plans[best if is_better else 0]
        return plan

    def keep(self, count: int) -> None:
        """Keep only the `count` best plans and the policy's own in the race."""
        self.running = np.unique(np.append(self.order()[:count], 0))


def draw(plans: Plans, room: int, rng: np.random.Generator) -> Plans:
    """Return at most `room` of the plans, drawn at random."""
    if len(plans) <= room:
        return plans
    return plans[rng.choice(len(plans), max(0, room), replace=False)]


METHODS: dict[str, Callable[[Game, int], Method]] = {
    "greedy": Scripted,
    "flat": Flat,
    "flat-full": FullFlat,
    "gumbel": Gumbel,
    "ismcts": Tree,
    "macros": Macros,
}
