"""The methods that are compared: flat search as it is shipped, and what might take its place.

All play positions on with the same policy, horizon and evaluation; what differs is which positions, and how often.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

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
from sackarmies_agents.search.rounds import prior_choice
from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import copy_records

Plans = NDArray[np.int64]
MAX_WORLDS = 512


class Method(ABC):
    """A way to choose in one game that a player searches in.

    Args:
        game: as the player may know it.
        playouts: how many times a decision plays the position on.
    """

    def __init__(self, game: Game, playouts: int) -> None:
        self.game, self.playouts = game, playouts
        self.settings = Settings(playouts=playouts)
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
            seed: of the worlds.
        """

    def sample(self, first: int, last: int, player: int, seed: int) -> None:
        """Sample worlds from `root`, which has been copied."""
        sample_worlds(self.simulator, self.root, self.worlds, first, last, player, seed)


class Scripted(Method):
    """No search: the policy's choice."""

    def choose(self, root: Records, player: int, seed: int) -> int:
        """Return what the policy chooses."""
        return int(prior_choice(self.simulator, self.policy, root, 0))


class Flat(Method):
    """Flat search with sequential halving, as shipped, but in all decisions alike; opponents play as tuned."""

    def __init__(self, game: Game, playouts: int) -> None:
        super().__init__(game, playouts)
        policy, evaluation = self.policy, self.evaluation
        self.search = FlatSearch(game, lambda _: policy, lambda _: evaluation, self.settings)

    def choose(self, root: Records, player: int, seed: int) -> int:
        """Return what the search finds."""
        return self.search.search(root, player, seed).action


class Gumbel(Method):
    """Root selection of Gumbel MuZero (Danihelka and others, "Policy improvement by planning with Gumbel", 2022).

    The prior gives the policy's choice a share of its own. Gumbel noise draws the actions that are considered, without
    replacement; sequential halving shares out the budget; the one with the greatest sum of logit and scaled value is
    chosen. As in flat search, actions that are still compared are played on in the same worlds.
    """

    CONSIDERED = 16
    PRIOR = 0.5  # of the policy's choice, beyond an equal share
    VISITS = 50.0  # `c_visit` there
    SCALE = 0.3  # `c_scale` there, for values from 0 to 1: 1.0 in board games, 0.1 in Atari

    def choose(self, root: Records, player: int, seed: int) -> int:
        """Return what is left after the last halving."""
        rng = np.random.default_rng(seed)
        copy_records(root, self.root)
        actions = np.array(legal_ids(root["legal"][0]), np.int64)
        shares = np.full(len(actions), (1.0 - self.PRIOR) / len(actions))
        shares[actions == prior_choice(self.simulator, self.policy, self.root, 0)] += self.PRIOR
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
        """Play some of the actions on in worlds from the first to the one before the last."""
        self.sample(*worlds, player, seed)
        candidates = np.stack([actions[running], running], axis=1)
        limits = np.array([*worlds, player, self.settings.horizon])
        play_round(*self.tools, self.worlds, self.scratch[:1], candidates, self.models, limits, values)


class SharpGumbel(Gumbel):
    """The same with the scale of values that was published for board games."""

    SCALE = 1.0


class Tree(Method):
    """Information-set Monte-Carlo tree search: PUCT, nodes by what the current player sees, one more a playout.

    The policy's choice has a share of the prior of its own; playing on ends after as many turns as in flat search. The
    action that was chosen most often is taken. For two players.
    """

    EXPLORATION = 0.5
    PRIOR = 0.8  # of the policy's choice, beyond an equal share

    def __init__(self, game: Game, playouts: int) -> None:
        super().__init__(game, playouts)
        size = 1 << (8 * playouts).bit_length()
        self.tree = np.zeros(size, np.uint64), np.zeros(size, np.int64), np.zeros(size)

    def choose(self, root: Records, player: int, seed: int) -> int:
        """Return what the tree has gone through most."""
        copy_records(root, self.root)
        for column in self.tree:
            column[:] = 0
        seeds = np.random.default_rng(seed).integers(2**62, size=self.playouts)
        limits, settings = np.array([player, self.settings.horizon]), np.array([self.EXPLORATION, self.PRIOR])
        grow_tree(*self.tools, self.root, self.scratch[:1], self.tree, self.models[0], seeds, limits, settings)
        ids, visits = np.zeros((2, self.game.num_actions), np.int64)
        count = read_root(self.simulator, self.root, self.tree, ids, visits, np.zeros(len(ids)))
        return int(ids[np.argmax(visits[:count])])


class FreeTree(Tree):
    """The same with less trust in the policy."""

    EXPLORATION, PRIOR = 0.2, 0.5


class Macros(Method):
    """Flat search among whole actions: a verb, what it is done with, and where.

    A plan is an id and the choices that follow from it, made by the policy; others follow by taking, at one of those
    choices, what the policy would not. First all ids are compared, with the policy's choices after them; then the best
    of those plans are compared with what differs from them in the second choice, then in the third. What is left is
    compared by sequential halving, and the policy's own plan is left only through a gate. The choices
    of the plan are then made without a search, as long as they are asked for and legal.
    """

    DEPTH = 4  # choices of a plan
    FIRST, LATER = 0.3, 0.25  # shares of the budget, for all ids and for each change of a later choice
    WIDTH = 3  # plans whose later choices are changed
    FINALISTS = 8
    GATE = 1.2  # standard errors by which another plan must be better
    CAUTION = 1.0  # times that

    def __init__(self, game: Game, playouts: int) -> None:
        super().__init__(game, playouts)
        self.flat = Flat(game, playouts)
        self.buffer = np.zeros((game.num_actions, self.DEPTH, 2), np.int64)
        self.rest = np.zeros((0, 2), np.int64)
        self.turn = 0

    def choose(self, root: Records, player: int, seed: int) -> int:
        """Return the next step of the plan, or the first one of the best of new plans."""
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
        """Return the next step of the plan if it is what is asked for, else None, and drop it."""
        if len(self.rest):
            decision, action = self.rest[0].tolist()
            is_asked = int(root["decision"][0]) == decision and int(root["turn"][0]) == self.turn
            if is_asked and action in legal_ids(root["legal"][0]):
                self.rest = self.rest[1:]
                return int(action)
        self.rest = self.rest[:0]
        return None

    def search(self, plans: Plans, player: int, seed: int) -> Plans:
        """Return the best plan, `(depth, 2)`: one of these, which differ in the first choice, or of others."""
        rng = np.random.default_rng(seed)
        own = plans[:, 0, ACTION] == prior_choice(self.simulator, self.policy, self.root, 0)
        race = PlanRace(self, plans[own], player, seed)
        share = int(self.playouts * self.FIRST)
        race.enter(draw(plans[~own], max(1, share - 1), rng))
        race.play_more(max(1, share // len(race.plans)))
        for place in range(1, self.DEPTH):
            others = np.concatenate([self.changed(plan, place) for plan in race.best(self.WIDTH)])
            race.enter(draw(others, int(self.playouts * self.LATER) // race.played, rng))
        return race.decide(self.FINALISTS)

    def changed(self, plan: Plans, place: int) -> Plans:
        """Return the plans that differ from one at a place, and may afterwards."""
        if plan[place, DECISION] == NO_STEP:
            return self.buffer[:0]
        found = self.plans_from(plan, place)
        others: Plans = found[found[:, place, ACTION] != plan[place, ACTION]]
        return others

    def plans_from(self, base: Plans, length: int) -> Plans:
        """Return the plans that begin like another one."""
        given = base.copy()
        count = make_plans(self.simulator, self.policy, self.root, self.scratch, given, length, self.buffer)
        return self.buffer[:count].copy()


class CautiousMacros(Macros):
    """The same with a wider gate: of more candidates, the best is more often only lucky."""

    CAUTION = 1.5


class PlanRace:
    """Plans that are compared in the same worlds; the first is the policy's own and stays to the end."""

    def __init__(self, method: Macros, own: Plans, player: int, seed: int) -> None:
        self.method, self.player, self.seed = method, player, seed
        self.plans = own
        self.values = np.zeros((1, MAX_WORLDS))
        self.played = 0  # worlds in which all that are in the race have been played
        self.left = method.playouts
        self.running = np.zeros(1, np.int64)

    def enter(self, plans: Plans) -> None:
        """Let more plans take part, from the first world on."""
        rows = np.arange(len(self.plans), len(self.plans) + len(plans))
        self.plans = np.concatenate([self.plans, plans])
        self.values = np.concatenate([self.values, np.zeros((len(plans), MAX_WORLDS))])
        self.running = np.concatenate([self.running, rows])
        if len(plans):
            self.play(rows, 0, self.played)

    def play_more(self, count: int) -> None:
        """Play what is in the race on in more worlds."""
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
        """Return what is in the race, the best first."""
        means = self.values[self.running, : self.played].mean(axis=1)
        return self.running[np.argsort(-means, kind="stable")]

    def best(self, count: int) -> Plans:
        """Return the best plans."""
        return self.plans[self.order()[:count]]

    def decide(self, finalists: int) -> Plans:
        """Spend what is left by sequential halving, and return the best plan, or the policy's own at the gate."""
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
        gate = self.method.GATE * self.method.CAUTION
        is_better = float(gains.mean()) > gate * error
        plan: Plans = self.plans[best if is_better else 0]
        return plan

    def keep(self, count: int) -> None:
        """Leave the best in the race, and the policy's own."""
        self.running = np.unique(np.append(self.order()[:count], 0))


def draw(plans: Plans, room: int, rng: np.random.Generator) -> Plans:
    """Return as many of the plans as there is room for."""
    if len(plans) <= room:
        return plans
    return plans[rng.choice(len(plans), max(0, room), replace=False)]


METHODS: dict[str, Callable[[Game, int], Method]] = {
    "greedy": Scripted,
    "flat": Flat,
    "gumbel": Gumbel,
    "gumbel-sharp": SharpGumbel,
    "ismcts": Tree,
    "ismcts-free": FreeTree,
    "macros": Macros,
    "macros-cautious": CautiousMacros,
}
